// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ports of a block as its exported module has them.

use rust_hdl::prelude::*;

use super::{design, names};

/// Direction of a port, seen from the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Driven from outside.
    Input,
    /// Driven by the module.
    Output,
}

/// A port of an exported module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name in the exported Verilog.
    pub name: String,
    /// Width in bits; a port of one bit is a scalar.
    pub width: usize,
    /// Direction, seen from the module.
    pub direction: Direction,
    /// Whether the port carries a clock.
    pub is_clock: bool,
    /// Value now, as `width.div_ceil(4)` lower-case hexadecimal digits.
    pub hex: String,
}

/// The ports of a block in their order of declaration, with their values now.
pub fn ports(uut: &dyn Block) -> Vec<Port> {
    let mut reader = Reader::default();
    uut.accept("top", &mut reader);
    reader.ports
}

#[derive(Default)]
struct Reader {
    depth: usize,
    namespace: Vec<String>,
    ports: Vec<Port>,
}

impl Probe for Reader {
    fn visit_start_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth += 1;
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth -= 1;
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.namespace.push(name.to_string());
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        self.namespace.pop();
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if self.depth != 1 || !signal.kind().is_parameter() {
            return;
        }
        let atom = design::Atom::new(&self.namespace, name, signal);
        self.ports.push(Port {
            name: names::mangle(&atom.name),
            width: atom.width,
            direction: if atom.kind == AtomKind::InputParameter {
                Direction::Input
            } else {
                Direction::Output
            },
            is_clock: atom.is_clock,
            hex: format!("{:0>1$}", atom.hex, atom.width.div_ceil(4)),
        });
    }
}
