// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statements of a kernel, with a check that Rust does not make: every signal is assigned on every
//! path, and nothing is read before.

use std::collections::BTreeSet;

use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional,
    VerilogExpression as Ast, VerilogLink, VerilogMatch, VerilogStatement,
};

use super::context::{Cover, Kernel};
use super::design::Module;
use super::expr::number;
use super::place::Place;
use super::scope::{Role, Scope};
use super::split::{Step, Write};
use super::{Findings, index};

/// The top-level statements of a module's kernel.
pub(super) fn translate(
    module: &Module,
    scope: &Scope,
    code: &VerilogBlock,
    findings: &mut Findings,
) -> Vec<Step> {
    let mut kernel = Kernel {
        path: &module.path,
        scope,
        enums: &module.enums,
        findings,
        loops: vec![],
        covered: Cover::new(),
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        lines: vec![],
        indent: 0,
    };
    let mut steps = vec![];
    kernel.steps(code, &mut steps);
    kernel.check_all_assigned(&steps);
    steps
}

impl Kernel<'_> {
    /// Records that bits of a signal are assigned, and checks that they may be.
    fn write(&mut self, place: &Place) {
        match place.role {
            Role::ChildOutput => self.refuse(&place.name, "is an output of a sub-block"),
            Role::Input => self.refuse(&place.name, "is an input of the block itself"),
            Role::Constant => self.refuse(&place.name, "is a constant"),
            Role::InOut => self.refuse(&place.name, "is bidirectional, which is not exported"),
            Role::Output | Role::Local | Role::ChildInput => {}
        }
        let bits = self.covered.entry(place.name.clone());
        let bits = bits.or_insert_with(|| vec![false; place.of]);
        bits[place.offset..place.offset + place.width].fill(true);
        self.writes.insert(place.name.clone());
    }

    fn check_all_assigned(&mut self, steps: &[Step]) {
        let scope = self.scope;
        let mut driven: Vec<_> = scope
            .iter()
            .filter(|(_, signal)| signal.role.is_driven_here())
            .map(|(name, _)| name.as_str())
            .collect();
        driven.sort_unstable();
        for name in driven {
            let covered = self.covered.get(name);
            if !steps.iter().any(|step| step.writes.contains(name)) {
                self.refuse(name, "is never assigned");
            } else if !covered.is_some_and(|bits| bits.iter().all(|bit| *bit)) {
                self.refuse(name, "is not assigned on every path (latch)");
            }
        }
    }

    /// Flattens loops and macros at the top level, so that their statements can be separated.
    fn steps(&mut self, block: &VerilogBlock, steps: &mut Vec<Step>) {
        for statement in block {
            match statement {
                VerilogStatement::Macro(block) => self.steps(block, steps),
                VerilogStatement::Loop(turns) => {
                    for value in turns.from.as_usize()..turns.to.as_usize() {
                        self.loops.push((turns.index.clone(), value));
                        self.steps(&turns.block, steps);
                        self.loops.pop();
                    }
                }
                VerilogStatement::Link(links) => {
                    for link in links {
                        let write = self.link(link);
                        self.close(write, steps);
                    }
                }
                VerilogStatement::Comment(_) => {}
                VerilogStatement::Assignment(target, value) => {
                    let write = self.assignment(target, value);
                    self.close(write, steps);
                }
                VerilogStatement::SliceAssignment { .. }
                | VerilogStatement::If(_)
                | VerilogStatement::Match(_) => {
                    let write = self.statement(statement);
                    self.close(write, steps);
                }
            }
        }
    }

    fn close(&mut self, write: Option<Write>, steps: &mut Vec<Step>) {
        steps.push(Step {
            reads: std::mem::take(&mut self.reads),
            writes: std::mem::take(&mut self.writes),
            lines: std::mem::take(&mut self.lines),
            write,
        });
    }

    fn line(&mut self, text: impl AsRef<str>) {
        let indent = "  ".repeat(self.indent);
        self.lines.push(format!("{indent}{}", text.as_ref()));
    }

    fn block(&mut self, block: &VerilogBlock) {
        self.indent += 1;
        for statement in block {
            self.statement(statement);
        }
        self.indent -= 1;
    }

    /// Prints a statement. Returns the write if the statement is a single one.
    fn statement(&mut self, statement: &VerilogStatement) -> Option<Write> {
        match statement {
            VerilogStatement::Assignment(target, value) => return self.assignment(target, value),
            VerilogStatement::SliceAssignment {
                base,
                width,
                offset,
                replacement,
            } => return self.slice_assignment(base, *width, offset, replacement),
            VerilogStatement::If(conditional) => self.conditional(conditional, ""),
            VerilogStatement::Match(cases) => self.cases(cases),
            VerilogStatement::Loop(turns) => {
                for value in turns.from.as_usize()..turns.to.as_usize() {
                    self.loops.push((turns.index.clone(), value));
                    for statement in &turns.block {
                        self.statement(statement);
                    }
                    self.loops.pop();
                }
            }
            VerilogStatement::Macro(block) => {
                for statement in block {
                    self.statement(statement);
                }
            }
            VerilogStatement::Link(links) => {
                for link in links {
                    self.link(link);
                }
            }
            VerilogStatement::Comment(_) => {}
        }
        None
    }

    fn assignment(&mut self, target: &Ast, value: &Ast) -> Option<Write> {
        let Some(target) = self.place(target) else {
            // The value may hold more findings.
            self.own_width(value);
            return None;
        };
        self.assign(target, value)
    }

    fn slice_assignment(
        &mut self,
        base: &Ast,
        width: usize,
        offset: &Ast,
        value: &Ast,
    ) -> Option<Write> {
        let slice = Ast::Slice(Box::new(base.clone()), width, Box::new(offset.clone()));
        match self.place(&slice) {
            Some(target) => self.assign(target, value),
            None => {
                self.refuse("field", "assignment is to no constant part of a signal");
                None
            }
        }
    }

    fn assign(&mut self, target: Place, value: &Ast) -> Option<Write> {
        let value = self.sized(value, target.width);
        self.write(&target);
        let value = value?;
        self.line(format!("{} = {};", target.verilog(), value.text));
        Some(Write {
            target,
            value: value.text,
        })
    }

    fn link(&mut self, link: &VerilogLink) -> Option<Write> {
        let (to, from, field) = match link {
            VerilogLink::Forward(l) => (&l.other_name, &l.owner_name, &l.my_name),
            VerilogLink::Backward(l) => (&l.owner_name, &l.other_name, &l.my_name),
            VerilogLink::Bidirectional(l) => {
                self.refuse(&l.owner_name, "is bidirectional, which is not exported");
                return None;
            }
        };
        let path = |end: &str| match field.is_empty() {
            true => Ast::Signal(end.to_string()),
            false => Ast::Signal(format!("{end}${field}")),
        };
        self.assignment(&path(to), &path(from))
    }

    fn conditional(&mut self, conditional: &VerilogConditional, before: &str) {
        let test = self.sized(&conditional.test, 1);
        let test = test.map(|expr| expr.text).unwrap_or_default();
        self.line(format!("{before}if ({test}) begin"));
        let start = self.covered.clone();
        self.block(&conditional.then);
        let then = std::mem::replace(&mut self.covered, start);
        match &conditional.otherwise {
            VerilogBlockOrConditional::None => self.line("end"),
            VerilogBlockOrConditional::Block(block) => {
                self.line("end else begin");
                self.block(block);
                self.line("end");
            }
            VerilogBlockOrConditional::Conditional(next) => match &**next {
                VerilogStatement::If(next) => self.conditional(next, "end else "),
                other => {
                    self.line("end else begin");
                    self.block(&vec![other.clone()]);
                    self.line("end");
                }
            },
        }
        meet(&mut self.covered, &then);
    }

    fn cases(&mut self, cases: &VerilogMatch) {
        let Some(test) = self.index(&cases.test) else {
            return;
        };
        self.line(format!("case ({})", test.text));
        self.indent += 1;
        let start = self.covered.clone();
        let mut all: Option<Cover> = None;
        let has_default = cases.cases.iter().any(|case| case.condition == "default");
        for (i, case) in cases.cases.iter().enumerate() {
            // A match in Rust is exhaustive: without `_`, the last arm becomes the default, which
            // also covers the codes that the enum does not use.
            let is_rest = !has_default && i + 1 == cases.cases.len();
            let label = self.label(case, test.width);
            match (label, is_rest) {
                (Some(label), true) => self.line(format!("default: begin // {label}")),
                (Some(label), false) => self.line(format!("{label}: begin")),
                (None, _) => {}
            }
            self.covered = start.clone();
            self.block(&case.block);
            self.line("end");
            match &mut all {
                Some(all) => meet(all, &self.covered),
                None => all = Some(self.covered.clone()),
            }
        }
        self.covered = all.unwrap_or(start);
        self.indent -= 1;
        self.line("endcase");
    }

    fn label(&mut self, case: &VerilogCase, width: usize) -> Option<String> {
        let condition = case.condition.replace("::", "$");
        if condition == "default" {
            return Some(condition);
        }
        if let Some(value) = index::literal(&condition) {
            if width < 128 && value >> width != 0 {
                self.refuse(condition, format!("is matched against {width} bits"));
                return None;
            }
            return Some(number(value, width));
        }
        match self.enums.get(&condition) {
            Some((_, of)) if *of == width => {
                self.reads.insert(condition.clone());
                self.scope.get(&condition).map(|label| label.text.clone())
            }
            _ => {
                self.refuse(
                    condition,
                    "is neither a number nor a variant of the matched enum",
                );
                None
            }
        }
    }
}

/// Keeps what both paths have assigned.
fn meet(cover: &mut Cover, other: &Cover) {
    for (name, bits) in cover.iter_mut() {
        match other.get(name) {
            Some(other) => bits.iter_mut().zip(other).for_each(|(a, b)| *a &= *b),
            None => bits.fill(false),
        }
    }
}
