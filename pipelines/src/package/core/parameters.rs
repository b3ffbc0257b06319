// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parameters of the exported core, and its Verilog with them.
//!
//! rust-hdl prints a module without parameters. Here a block of the core that a parameter concerns
//! becomes a module that chooses: among FIFOs of other sizes, each printed from its own block, or
//! between a sink and nothing. All of them have the ports of the block.
//!
//! The text without parameters is what the simulation and the proofs use; with the default values
//! both are the same.

use super::CORE;
use anyhow::{Context, Result, ensure};
use coretrace_hdl_parts::stream::AsyncFifo;
use coretrace_hdl_verilog::{Findings, verilog};
use std::fmt::Write;

/// A parameter of the core, an integer.
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its value unless another one is given.
    pub default: u32,
    /// All values that it may have.
    pub values: &'static [u32],
    /// One line for documents.
    pub text: &'static str,
}

/// All parameters.
pub const PARAMETERS: [Parameter; 3] = [
    Parameter {
        name: "FIFO_WORDS",
        default: 8192,
        // Yosys takes time with the square of the places to read a memory, so none is larger.
        values: &[1024, 2048, 4096, 8192],
        text: "Places of the FIFO behind the trace port; it holds one word fewer",
    },
    Parameter {
        name: "RECORDS",
        default: 1,
        values: &[0, 1],
        text: "0 leaves out the record stream: it stays idle, and PACKETS, ASYNCS, RESERVED_HEADERS and BAD_SEQUENCES read 0",
    },
    Parameter {
        name: "PROFILE",
        default: 1,
        values: &[0, 1],
        text: "0 leaves out the profile stream: it stays idle, and FLUSH has no answer",
    },
];

/// The FIFO behind the trace port with 2^A places.
type Fifo<const A: usize> = AsyncFifo<32, A, 32>;

/// The Verilog of a FIFO that is not the default one.
fn fifo(words: u32) -> Result<String, Findings> {
    let name = format!("{CORE}__fifo_{words}");
    match words {
        1024 => verilog(Fifo::<10>::default(), &name),
        2048 => verilog(Fifo::<11>::default(), &name),
        4096 => verilog(Fifo::<12>::default(), &name),
        _ => unreachable!("no FIFO of {words} words"),
    }
}

/// The text of the core with its parameters.
///
/// # Errors
/// If a FIFO cannot be exported, or the text lacks a block or another form of it.
pub fn with_parameters(core: &str) -> Result<String> {
    let [fifo_words, records, profile] = &PARAMETERS;
    let mut text = core.to_owned();
    add_parameters(&mut text)?;
    choose(&mut text, "encoder", records)?;
    choose(&mut text, "profile", profile)?;
    choose(&mut text, "fifo", fifo_words)?;
    for &words in fifo_words.values {
        if words != fifo_words.default {
            let more = fifo(words)?;
            let modules = more.find("module ").context("a module")?;
            ensure!(
                ports(&more, &format!("{CORE}__fifo_{words}"))? == ports(core, &block("fifo"))?,
                "the FIFO of {words} words has other ports"
            );
            text += "\n";
            text += &more[modules..];
        }
    }
    Ok(text)
}

/// The name of the module of a block.
fn block(name: &str) -> String {
    format!("{CORE}__{name}")
}

/// The declarations of parameters in the head of a module.
pub fn declarations(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return String::new();
    }
    let declaration =
        |Parameter { name, default, .. }: &Parameter| format!("  parameter {name} = {default}");
    let all: Vec<String> = parameters.iter().map(declaration).collect();
    format!("#(\n{}\n) ", all.join(",\n"))
}

/// The parameters that a module passes on to the core.
pub fn connections(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return String::new();
    }
    let connection = |Parameter { name, .. }: &Parameter| format!("    .{name}({name})");
    let all: Vec<String> = parameters.iter().map(connection).collect();
    format!("#(\n{}\n  ) ", all.join(",\n"))
}

fn add_parameters(text: &mut String) -> Result<()> {
    let head = format!("module {CORE} (");
    ensure!(text.contains(&head), "no {head}");
    *text = text.replacen(
        &head,
        &format!("module {CORE} {}(", declarations(&PARAMETERS)),
        1,
    );
    Ok(())
}

/// The declarations of the ports of a module.
fn ports(text: &str, module: &str) -> Result<String> {
    let head = format!("module {module} (\n");
    let (_, rest) = text
        .split_once(&head)
        .with_context(|| format!("no {module}"))?;
    let (ports, _) = rest.split_once("\n);").context("the end of the ports")?;
    Ok(ports.replace("output reg", "output wire"))
}

/// Puts a module that chooses in the place of a block: its parameter VALUE is that of the core.
fn choose(text: &mut String, name: &str, parameter: &Parameter) -> Result<()> {
    let module = block(name);
    let ports = ports(text, &module)?;
    let default = format!("{module}_{}", parameter.default);
    let instance = format!("  {module} {name} (");
    ensure!(text.contains(&instance), "no instance of {module}");
    let chosen = format!("  {module} #(.VALUE({})) {name} (", parameter.name);
    *text = text.replacen(&instance, &chosen, 1);
    *text = text.replacen(
        &format!("module {module} ("),
        &format!("module {default} ("),
        1,
    );
    *text += &choice(&module, name, &ports, parameter);
    Ok(())
}

/// The module that chooses; any other value than the offered ones is the default.
fn choice(module: &str, name: &str, ports: &str, parameter: &Parameter) -> String {
    let default = parameter.default;
    let mut text = format!(
        "\nmodule {module} #(\n  parameter VALUE = {default}\n) (\n{ports}\n);\n  generate\n"
    );
    let others = parameter.values.iter().filter(|&&value| value != default);
    for value in others {
        let body = match value {
            0 => idle(ports),
            _ => instance(&format!("{module}_{value}"), name, ports),
        };
        write!(
            text,
            "    if (VALUE == {value}) begin : value_{value}\n{body}    end else\n"
        )
        .expect("writing to a string");
    }
    let body = instance(&format!("{module}_{default}"), name, ports);
    text + &format!("    begin : value_{default}\n{body}    end\n  endgenerate\nendmodule\n")
}

/// Direction, range and name of each port.
fn each(ports: &str) -> impl Iterator<Item = (bool, &str, &str)> {
    ports.lines().map(|line| {
        let line = line.trim().trim_end_matches(',');
        let is_output = line.starts_with("output");
        let name = line.rsplit(' ').next().unwrap_or(line);
        let range = line.split(['[', ':']).nth(1).unwrap_or("0");
        (is_output, range, name)
    })
}

fn instance(module: &str, name: &str, ports: &str) -> String {
    let all: Vec<String> = each(ports)
        .map(|(_, _, port)| format!("        .{port}({port})"))
        .collect();
    format!("      {module} {name} (\n{}\n      );\n", all.join(",\n"))
}

/// All outputs are 0.
fn idle(ports: &str) -> String {
    let outputs = each(ports).filter(|(is_output, _, _)| *is_output);
    let zero = |(_, range, port): (bool, &str, &str)| {
        format!("      assign {port} = {{({range} + 1){{1'b0}}}};\n")
    };
    outputs.map(zero).collect()
}

/// The text of `etm4_parameters.tcl`: it sets `parameters` to a flat list of name, values and text.
pub fn tcl(parameters: &[Parameter]) -> String {
    let row = |Parameter {
                   name, values, text, ..
               }: &Parameter| {
        let values: Vec<String> = values.iter().map(u32::to_string).collect();
        format!("    {name} {{{}}} {{{text}}}\n", values.join(" "))
    };
    let rows: String = parameters.iter().map(row).collect();
    format!(
        "# SPDX-License-Identifier: MIT OR Apache-2.0\n\
         # The parameters for package_ip.tcl, made by cargo export; do not edit.\n\
         set parameters {{\n{rows}}}\n"
    )
}
