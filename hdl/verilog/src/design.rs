// SPDX-License-Identifier: MIT OR Apache-2.0
//! The block hierarchy as plain data, read once through rust-hdl's `Probe`.

use std::collections::BTreeMap;

use rust_hdl::prelude::*;

use super::{Findings, names};

/// A signal or constant of one module.
pub(super) struct Atom {
    /// rust-hdl's name inside the module, such as `bus$data`.
    pub name: String,
    pub kind: AtomKind,
    pub width: usize,
    pub is_clock: bool,
    /// Value as hexadecimal digits.
    pub hex: String,
    is_signed: bool,
}

impl Atom {
    pub fn new(namespace: &[String], name: &str, atom: &dyn rust_hdl::prelude::Atom) -> Self {
        let descriptor = atom.descriptor();
        let literal = format!("{:x}", atom.verilog());
        let path = namespace.iter().map(String::as_str).chain([name]);
        Atom {
            name: path.collect::<Vec<_>>().join("$"),
            kind: atom.kind(),
            width: atom.bits(),
            is_clock: descriptor.name == "clock",
            hex: literal.rsplit("'h").next().unwrap_or_default().to_string(),
            is_signed: matches!(descriptor.kind, TypeKind::Signed(_)),
        }
    }

    /// Whether the atom is a port of its module.
    pub fn is_port(&self) -> bool {
        self.kind.is_parameter()
    }
}

/// Value and width of an enum variant, by its label such as `Mode$Header`.
pub(super) type Enums = BTreeMap<String, (usize, usize)>;

/// One instance in the hierarchy.
pub(super) struct Module {
    /// Name of the instance in its parent, such as `lane$0`.
    pub name: String,
    /// Dotted path from the top, for findings.
    pub path: String,
    pub atoms: Vec<Atom>,
    pub children: Vec<Module>,
    /// Variants that kernels of this module can name.
    pub enums: Enums,
    pub code: Verilog,
}

impl Module {
    pub fn ports(&self) -> impl Iterator<Item = &Atom> {
        self.atoms.iter().filter(|atom| atom.is_port())
    }
}

/// Reads the hierarchy and checks what concerns single signals.
pub(super) fn read(uut: &dyn Block, top: &str, findings: &mut Findings) -> Module {
    let mut reader = Reader {
        open: vec![],
        namespace: vec![],
        done: None,
        findings,
    };
    uut.accept(top, &mut reader);
    reader.done.expect("a block visits its own scope")
}

struct Reader<'a> {
    open: Vec<Module>,
    namespace: Vec<String>,
    done: Option<Module>,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    fn check_name(&mut self, place: &str, name: &str) {
        let exported = names::mangle(name);
        if names::is_keyword(&exported) {
            self.findings
                .add(place, name, "is a keyword of Verilog or SystemVerilog");
        } else if !names::is_identifier(&exported) {
            self.findings
                .add(place, name, "is not a Verilog identifier");
        }
    }

    fn check_atom(&mut self, place: &str, atom: &Atom) {
        self.check_name(place, &atom.name);
        let mut add = |message| self.findings.add(place, &atom.name, message);
        if atom.width == 0 {
            add("has no bits");
        }
        if atom.is_signed {
            add("is signed; signed arithmetic is not exported");
        }
        if atom.kind == AtomKind::InputParameter && atom.hex.chars().any(|c| c != '0') {
            add("has a value already; export a fresh instance that was never simulated");
        }
    }
}

/// Adds the variants of every enum inside a type.
fn collect_enums(descriptor: &TypeDescriptor, enums: &mut Enums) -> Result<(), String> {
    match &descriptor.kind {
        TypeKind::Enum(labels) => {
            let width = clog2(labels.len());
            for (value, label) in labels.iter().enumerate() {
                let label = label.replace("::", "$");
                let old = enums.insert(label.clone(), (value, width));
                if old.is_some_and(|old| old != (value, width)) {
                    return Err(label);
                }
            }
            Ok(())
        }
        TypeKind::Composite(fields) => fields
            .iter()
            .try_for_each(|field| collect_enums(&field.kind, enums)),
        _ => Ok(()),
    }
}

impl Probe for Reader<'_> {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let path = match self.open.last() {
            Some(parent) => format!("{}.{name}", parent.path),
            None => name.to_string(),
        };
        self.check_name(&path, name);
        self.namespace.clear();
        self.open.push(Module {
            name: name.to_string(),
            path,
            atoms: vec![],
            children: vec![],
            enums: Enums::new(),
            code: node.hdl(),
        });
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.namespace.push(name.to_string());
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        self.namespace.pop();
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn rust_hdl::prelude::Atom) {
        let atom = Atom::new(&self.namespace, name, signal);
        // A kernel names variants of its own signals and of its direct sub-blocks' signals.
        let depth = self.open.len();
        let place = self.open[depth - 1].path.clone();
        self.check_atom(&place, &atom);
        for module in &mut self.open[depth.saturating_sub(2)..] {
            if let Err(label) = collect_enums(&signal.descriptor(), &mut module.enums) {
                let message = "names variants of two enums; give the enums different names";
                self.findings.add(&module.path, label, message);
            }
        }
        self.open[depth - 1].atoms.push(atom);
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        let module = self.open.pop().expect("scopes are balanced");
        match self.open.last_mut() {
            Some(parent) => parent.children.push(module),
            None => self.done = Some(module),
        }
    }
}
