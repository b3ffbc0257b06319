// SPDX-License-Identifier: MIT OR Apache-2.0
//! Modules as text: ports, declarations, instances, processes. Equal modules are printed once.

use std::collections::{BTreeMap, BTreeSet};

use rust_hdl::prelude::{AtomKind, Verilog};

use super::design::{Atom, Module};
use super::kernel;
use super::scope::{self, Role, Scope};
use super::split::{self, Processes};
use super::{Findings, names, stock};

/// The whole design, top module first.
pub(super) fn design(top: &Module, name: &str, findings: &mut Findings) -> String {
    let mut printer = Printer {
        findings,
        modules: vec![],
        names: BTreeMap::new(),
        foreign: vec![],
    };
    printer.module(top, name);
    if top.ports().any(|port| names::mangle(&port.name) == name) {
        let message = "is the name of the top and of one of its ports";
        printer.findings.add(&top.path, name, message);
    }
    let mut text = format!(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // {name}, version {}, made by cargo export; do not edit.\n",
        env!("CARGO_PKG_VERSION")
    );
    for module in printer.modules.iter().rev().chain(&printer.foreign) {
        text.push('\n');
        text.push_str(module);
    }
    text
}

struct Printer<'a> {
    findings: &'a mut Findings,
    /// Texts of the modules, sub-blocks before the blocks that use them.
    modules: Vec<String>,
    /// Name of the module that has a body.
    names: BTreeMap<String, String>,
    /// Declarations of wrappers and black boxes.
    foreign: Vec<String>,
}

/// The body of a module besides its ports and instances.
struct Body {
    /// Verilog after the declarations.
    text: String,
    /// rust-hdl's names of the constants that the text uses.
    constants: BTreeSet<String>,
    /// rust-hdl's names of the signals that the text assigns in processes.
    regs: BTreeSet<String>,
}

impl Printer<'_> {
    /// Prints a module and those below it, and returns its name.
    fn module(&mut self, module: &Module, name: &str) -> String {
        if let Verilog::Blackbox(foreign) = &module.code {
            self.foreign(&foreign.code);
            return foreign.name.clone();
        }
        let scope = scope::of(module);
        let Some(body) = self.body(module, &scope) else {
            return name.to_string();
        };
        self.check_clashes(module, &scope);
        let mut text = ports(module, &body);
        let is_wrapper = matches!(module.code, Verilog::Wrapper(_));
        if !is_wrapper {
            text.push_str(&declarations(module, &scope, &body));
            for child in &module.children {
                let instance = names::mangle(&child.name);
                let kind = self.module(child, &format!("{name}__{instance}"));
                text.push_str(&instantiation(child, &kind, &instance));
            }
        }
        for line in body.text.lines() {
            let indent = if line.is_empty() { "" } else { "  " };
            text.push_str(&format!("{indent}{line}\n"));
        }
        text.push_str("endmodule\n");
        if let Some(same) = self.names.get(&text) {
            return same.clone();
        }
        self.modules.push(format!("module {name} {text}"));
        self.names.insert(text, name.to_string());
        name.to_string()
    }

    fn foreign(&mut self, text: &str) {
        let text = format!("{}\n", text.trim());
        if !self.foreign.contains(&text) {
            self.foreign.push(text);
        }
    }

    fn body(&mut self, module: &Module, scope: &Scope) -> Option<Body> {
        match &module.code {
            Verilog::Combinatorial(code) => {
                let steps = kernel::translate(module, scope, code, self.findings);
                self.check_clocks(module);
                let is_constant = |name: &str| scope[name].role == Role::Constant;
                let out = split::processes(&steps, is_constant);
                self.check_frozen(module, &out);
                let reads = steps.into_iter().flat_map(|step| step.reads);
                Some(Body {
                    text: out.lines.join("\n"),
                    constants: reads.filter(|name| is_constant(name)).collect(),
                    regs: out.regs,
                })
            }
            Verilog::Custom(text) => {
                let text = stock::repair(module, text);
                Some(Body {
                    constants: named_constants(scope, &text),
                    regs: assigned_in_processes(scope, &text),
                    text,
                })
            }
            Verilog::Wrapper(wrapper) => {
                self.foreign(&wrapper.cores);
                let text = names::mangle(wrapper.code.trim());
                Some(Body {
                    constants: named_constants(scope, &text),
                    regs: BTreeSet::new(),
                    text,
                })
            }
            Verilog::Empty | Verilog::Blackbox(_) => {
                self.findings.add(
                    &module.path,
                    &module.name,
                    "has no hdl(), so it would be empty",
                );
                None
            }
        }
    }

    /// A clock that passes through a kernel can be overtaken by data in Rust.
    fn check_clocks(&mut self, module: &Module) {
        for port in module.ports() {
            if port.is_clock && port.kind == AtomKind::OutputParameter {
                let message =
                    "routes a clock out of a kernel; fan the same clock out at every level";
                self.findings.add(&module.path, &port.name, message);
            }
        }
    }

    fn check_frozen(&mut self, module: &Module, processes: &Processes) {
        for name in &processes.frozen {
            let message = "depends on constants only, so its process would never run; compute it \
                           in the constructor";
            self.findings.add(&module.path, name, message);
        }
    }

    /// Two rust-hdl names can have the same spelling in Verilog.
    fn check_clashes(&mut self, module: &Module, scope: &Scope) {
        let mut seen = BTreeSet::new();
        let instances = module
            .children
            .iter()
            .map(|child| names::mangle(&child.name));
        let mut all: Vec<_> = scope.values().map(|signal| signal.text.clone()).collect();
        all.extend(instances);
        all.sort_unstable();
        for text in all {
            if !seen.insert(text.clone()) {
                self.findings
                    .add(&module.path, text, "is the exported name of two things");
            }
        }
    }
}

/// Constants that hand-written text mentions.
fn named_constants(scope: &Scope, text: &str) -> BTreeSet<String> {
    let constants = scope.iter().filter(|(_, s)| s.role == Role::Constant);
    let used = constants.filter(|(_, s)| names::mentions(text, &s.text));
    used.map(|(name, _)| name.clone()).collect()
}

/// Signals that hand-written text assigns in processes: all but those with an `assign`.
fn assigned_in_processes(scope: &Scope, text: &str) -> BTreeSet<String> {
    let is_net = |name: &str| {
        text.split("assign ").skip(1).any(|rest| {
            rest.trim_start()
                .strip_prefix(name)
                .is_some_and(|rest| !rest.starts_with(names::is_word))
        })
    };
    scope
        .iter()
        .filter(|(_, signal)| signal.role.is_driven_here() && !is_net(&signal.text))
        .map(|(name, _)| name.clone())
        .collect()
}

fn range(width: usize) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0] ", width - 1),
    }
}

fn ports(module: &Module, body: &Body) -> String {
    let port = |port: &Atom| {
        let direction = match port.kind {
            AtomKind::InputParameter => "input wire",
            AtomKind::InOutParameter => "inout wire",
            _ if body.regs.contains(&port.name) => "output reg",
            _ => "output wire",
        };
        format!(
            "  {direction} {}{}",
            range(port.width),
            names::mangle(&port.name)
        )
    };
    let list: Vec<_> = module.ports().map(port).collect();
    format!("(\n{}\n);\n", list.join(",\n"))
}

fn declarations(module: &Module, scope: &Scope, body: &Body) -> String {
    let mut text = String::new();
    for (label, (value, width)) in &module.enums {
        if body.constants.contains(label) {
            let name = names::mangle(label);
            let range = range(*width);
            text.push_str(&format!("  localparam {range}{name} = {width}'d{value};\n"));
        }
    }
    for atom in &module.atoms {
        let (name, width) = (names::mangle(&atom.name), atom.width);
        match atom.kind {
            AtomKind::Constant if body.constants.contains(&atom.name) => {
                let (range, hex) = (range(width), &atom.hex);
                text.push_str(&format!("  localparam {range}{name} = {width}'h{hex};\n"));
            }
            AtomKind::LocalSignal => text.push_str(&net(body, &atom.name, &name, width)),
            _ => {}
        }
    }
    for child in &module.children {
        for port in child.ports() {
            let signal = format!("{}${}", child.name, port.name);
            let name = &scope[&signal].text;
            text.push_str(&net(body, &signal, name, port.width));
        }
    }
    text
}

fn net(body: &Body, signal: &str, name: &str, width: usize) -> String {
    let kind = if body.regs.contains(signal) {
        "reg"
    } else {
        "wire"
    };
    format!("  {kind} {}{name};\n", range(width))
}

fn instantiation(child: &Module, kind: &str, instance: &str) -> String {
    let connect = |port: &Atom| {
        let port = names::mangle(&port.name);
        format!("    .{port}({instance}__{port})")
    };
    let list: Vec<_> = child.ports().map(connect).collect();
    format!("  {kind} {instance} (\n{}\n  );\n", list.join(",\n"))
}
