// SPDX-License-Identifier: MIT OR Apache-2.0
//! The meaning of each name in a kernel: own signals, ports of sub-blocks, enum variants.

use std::collections::HashMap;

use rust_hdl::prelude::AtomKind;

use super::design::Module;
use super::names;

/// Who may read and write a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Input,
    Output,
    Local,
    Constant,
    ChildInput,
    ChildOutput,
    InOut,
}

impl Role {
    /// Whether the kernel drives the signal.
    pub fn is_driven_here(self) -> bool {
        matches!(self, Role::Output | Role::Local | Role::ChildInput)
    }
}

/// A name that a kernel may use.
#[derive(Clone, Debug)]
pub(super) struct Signal {
    /// Name in Verilog.
    pub text: String,
    pub width: usize,
    pub role: Role,
}

/// All names of a kernel, by rust-hdl's spelling with `$`.
pub(super) type Scope = HashMap<String, Signal>;

/// The names that the kernel of `module` may use.
pub(super) fn of(module: &Module) -> Scope {
    let mut scope = Scope::new();
    let mut add = |name: String, width, role| {
        let text = names::mangle(&name);
        scope.insert(name, Signal { text, width, role });
    };
    for (label, (_, width)) in &module.enums {
        add(label.clone(), *width, Role::Constant);
    }
    for child in &module.children {
        for port in child.ports() {
            let role = match port.kind {
                AtomKind::InputParameter => Role::ChildInput,
                AtomKind::InOutParameter => Role::InOut,
                _ => Role::ChildOutput,
            };
            add(format!("{}${}", child.name, port.name), port.width, role);
        }
    }
    for atom in &module.atoms {
        let role = match atom.kind {
            AtomKind::InputParameter => Role::Input,
            AtomKind::Constant => Role::Constant,
            AtomKind::LocalSignal => Role::Local,
            AtomKind::InOutParameter => Role::InOut,
            _ => Role::Output,
        };
        add(atom.name.clone(), atom.width, role);
    }
    scope
}
