// SPDX-License-Identifier: MIT OR Apache-2.0
//! Turns a clocked kernel into a combinational function of one word.
//!
//! The text of a clocked kernel has two kinds of registers: pipeline registers, and state registers
//! that keep something of the previous words. Pipeline registers become wires; state registers are
//! cut: their outputs become the port `past`, their inputs the port `future`, in the order of the
//! text.
//!
//! That is sound because every wire has a *stage*: its delay in clock cycles from the inputs of its
//! word. [`word_function`] derives the stages from the text alone and refuses a text in which they
//! are inconsistent:
//! - Inputs have stage 0. All operands of a wire have the same stage, which is also the stage of
//!   the wire. Constants and inputs declared steady have none: they fit any stage.
//! - A pipeline register is one stage later than its input: for its word it is a wire.
//! - A bare alias of any other wire is one stage later without a register: it is
//!   [`Word::next_word`], which reads the next word. Only outputs may read it, directly or through
//!   pipeline registers. In the block such an output belongs to the previous word; in the function
//!   without a clock it belongs to the word itself, so a user of the function must pass it to the
//!   previous word.
//! - A state register has the stage of its input, so a word reads what the previous word has left
//!   in it. A bare alias of such a register, also one stage later, is what the word itself leaves
//!   in it: the input of the register.
//! - All outputs have the same stage.
//!
//! [`Word::next_word`]: coretrace_hdl_dataflow::Word::next_word
//!
//! So the output `stage` cycles after a word equals the function of that word and its `past`, for
//! any earlier words. This is retiming after Leiserson and Saxe, with the stages as lags.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, bail, ensure};

/// The start of the line of a register.
const STEP: &str = "always @(posedge clock) ";

/// A name that is driven, and what it reads.
struct Driven<'t> {
    name: &'t str,
    reads: Vec<&'t str>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wire,
    /// A wire of the next word.
    Ahead,
    /// The contents of a state register after the word.
    After,
    /// A register; `true` if it is a state register.
    Register(bool),
    /// A register that is a port.
    Output,
}

/// Words of an expression that may be names, that is, neither numbers nor operators.
fn names(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '\''))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
        .collect()
}

/// The name that a declaration declares: the last word before `;` or `=`.
fn declared(line: &str) -> Option<&str> {
    names(line.split(['=', ';']).next()?).pop()
}

/// Wires and registers by their number: they are declared in the order in which the kernel makes
/// them.
fn numbers(text: &str) -> HashMap<&str, usize> {
    let is_declaration =
        |line: &&str| (line.starts_with("wire") || line.starts_with("reg")) && line.contains('=');
    let lines = text.lines().map(str::trim).filter(is_declaration);
    let names = lines.filter_map(declared);
    names
        .enumerate()
        .map(|(number, name)| (name, number))
        .collect()
}

/// Reads the lines of one module.
fn driven(text: &str) -> Vec<Driven<'_>> {
    let numbers = numbers(text);
    let number = |name: &str| numbers.get(name).copied();
    let mut all = Vec::new();
    for line in text.lines().map(str::trim) {
        let step = line
            .strip_prefix(STEP)
            .and_then(|step| step.split_once(" <= "));
        if let Some((left, right)) = step {
            let reads = names(right);
            let before = |read: &&str| number(read) < number(left);
            let kind = match number(left) {
                None => Kind::Output,
                // A pipeline register reads an earlier wire; otherwise the register may be part of
                // a loop.
                Some(_) => Kind::Register(!reads.iter().all(before)),
            };
            all.push(Driven {
                name: left,
                reads,
                kind,
            });
        } else if line.starts_with("wire") {
            let (left, right) = line.split_once(" = ").unwrap_or((line, ""));
            let alias = right.strip_suffix(';').and_then(number).is_some();
            let kind = if alias { Kind::Ahead } else { Kind::Wire };
            let reads = names(right);
            all.extend(declared(left).map(|name| Driven { name, reads, kind }));
        }
    }
    let remembers = |item: &&Driven<'_>| item.kind == Kind::Register(true);
    let memories: HashSet<&str> = all.iter().filter(remembers).map(|item| item.name).collect();
    for item in &mut all {
        if item.kind == Kind::Ahead && memories.contains(item.reads[0]) {
            item.kind = Kind::After;
        }
    }
    all
}

/// Demands that wires of the next word go only to outputs.
fn check_ahead(driven: &[Driven<'_>]) -> Result<()> {
    let mut ahead = HashSet::new();
    loop {
        let known = ahead.len();
        for item in driven {
            let follows = item.reads.iter().any(|read| ahead.contains(read));
            let passes = matches!(item.kind, Kind::Register(false) | Kind::Output);
            ensure!(!follows || passes, "{} reads the next word", item.name);
            if follows || item.kind == Kind::Ahead {
                ahead.insert(item.name);
            }
        }
        if ahead.len() == known {
            return Ok(());
        }
    }
}

/// The stages of all names; steady ones have none.
fn stages<'t>(inputs: &[&'t str], driven: &[Driven<'t>]) -> Result<HashMap<&'t str, u32>> {
    let mut stages: HashMap<&str, u32> = inputs.iter().map(|&input| (input, 0)).collect();
    let later = |kind| u32::from(!matches!(kind, Kind::Wire | Kind::Register(true)));
    // A state register is read before its input is known.
    loop {
        let known = stages.len();
        for item in driven {
            let read = item.reads.iter().find_map(|read| stages.get(read).copied());
            if let Some(stage) = read {
                stages.entry(item.name).or_insert(stage + later(item.kind));
            }
        }
        if stages.len() == known {
            break;
        }
    }
    for item in driven {
        let own = stages.get(item.name);
        for read in &item.reads {
            if let Some(stage) = stages.get(read) {
                let fits = own == Some(&(stage + later(item.kind)));
                ensure!(fits, "{} and {read} are of different words", item.name);
            }
        }
        let moves = item.kind != Kind::Wire && own.is_none();
        ensure!(!moves, "{} delays a steady word", item.name);
    }
    let mut ends = driven
        .iter()
        .filter(|item| item.kind == Kind::Output)
        .map(|item| stages[item.name]);
    let end = ends.next().context("no outputs")?;
    ensure!(ends.all(|stage| stage == end), "outputs of different words");
    Ok(stages)
}

/// The text without attributes for synthesis tools.
fn without_attributes(text: &str) -> String {
    let mut parts = text.split("(* ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        kept + part.split_once(" *) ").map_or(part, |(_, rest)| rest)
    })
}

/// The module without a clock, and the number of registers cut. `inputs` are the ports that change
/// with every word.
///
/// # Errors
/// If the text is not that of a clocked kernel or its stages do not fit.
pub fn word_function(text: &str, inputs: &[&str]) -> Result<(String, usize)> {
    let text = &without_attributes(text);
    let driven = driven(text);
    check_ahead(&driven)?;
    stages(inputs, &driven)?;
    let width = |name: &str| {
        let mut lines = text.lines().map(str::trim);
        let line = lines.find(|line| line.starts_with("reg") && declared(line) == Some(name))?;
        let high = line.split_once('[')?.1.split_once(':')?.0;
        Some(high.parse::<usize>().ok()? + 1)
    };
    let Some((ports, body)) = text.split_once(");\n") else {
        bail!("no port list");
    };

    // Registers are declared first: wires that read them may precede their drivers.
    let mut declarations = String::new();
    let mut assignments = String::new();
    let mut cut = 0;
    for item in &driven {
        let name = item.name;
        match item.kind {
            Kind::Wire | Kind::Ahead | Kind::After => {}
            Kind::Output => {
                // Its bits, the highest first.
                let bits = item.reads.join(", ");
                assignments += &format!("  assign {name} = {{{bits}}};\n");
            }
            Kind::Register(remembers) => {
                let width = width(name).with_context(|| format!("{name} has no width"))?;
                let next = item.reads[0];
                let high = width - 1;
                declarations += &format!("  wire [{high}:0] {name};\n");
                if remembers {
                    let bits = format!("[{}:{cut}]", cut + high);
                    assignments += &format!("  assign {name} = past{bits};\n");
                    assignments += &format!("  assign future{bits} = {next};\n");
                    cut += width;
                } else {
                    assignments += &format!("  assign {name} = {next};\n");
                }
            }
        }
    }
    ensure!(cut > 0, "no state register");

    let driver = |name: &str| driven.iter().find(|item| item.name == name);
    let after = |line: &str| {
        let item = declared(line).and_then(driver)?;
        let register = (item.kind == Kind::After).then(|| item.reads[0])?;
        Some((register, driver(register)?.reads[0]))
    };
    let mut wires = String::new();
    let mut initial = false;
    for line in body.lines() {
        let trimmed = line.trim();
        let starts = trimmed == "initial begin";
        let register = trimmed.starts_with("reg") && trimmed.contains('=');
        let step = trimmed.starts_with(STEP);
        if let Some((register, next)) = after(trimmed) {
            wires += &format!(
                "{}\n",
                line.replace(&format!("= {register};"), &format!("= {next};"))
            );
        } else if !(starts || initial || register || step || trimmed == "endmodule") {
            wires += &format!("{line}\n");
        }
        initial = starts || initial && trimmed != "end";
    }
    let ports = ports.replace("output reg", "output wire");
    let ports = ports.trim_end();
    let high = cut - 1;
    let function = format!(
        "{ports},\n  input wire [{high}:0] past,\n  output wire [{high}:0] future\n);\n\
         {declarations}{wires}{assignments}endmodule\n"
    );
    Ok((function, cut))
}
