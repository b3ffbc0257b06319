// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels that print themselves as Verilog.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;

use super::word::{Table, Word};

/// A wire of the Verilog text in the making.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    id: usize,
    width: u32,
}

/// A port of the module in the making.
pub struct SymbolPort {
    name: String,
    width: u32,
}

impl SymbolPort {
    /// A port by its name in the module.
    pub fn new(name: String, width: u32) -> SymbolPort {
        SymbolPort { name, width }
    }
}

enum Node {
    /// An expression over other wires.
    Wire(String),
    /// An index wire and the table that it selects from.
    Case(usize, &'static Table),
}

#[derive(Default)]
struct Netlist {
    nodes: Vec<(Node, u32)>,
    /// Wires with the same text are one wire.
    known: HashMap<String, Symbol>,
}

thread_local!(static NETLIST: RefCell<Netlist> = RefCell::default());

impl Symbol {
    fn wire(text: String, width: u32) -> Symbol {
        NETLIST.with_borrow_mut(|netlist| {
            if let Some(&symbol) = netlist.known.get(&text) {
                return symbol;
            }
            let symbol = Symbol {
                id: netlist.nodes.len(),
                width,
            };
            netlist.nodes.push((Node::Wire(text.clone()), width));
            netlist.known.insert(text, symbol);
            symbol
        })
    }

    fn binary(self, operator: &str, other: Symbol, width: u32) -> Symbol {
        assert_eq!(
            self.width, other.width,
            "operands of {operator} differ in width"
        );
        Symbol::wire(format!("n{} {operator} n{}", self.id, other.id), width)
    }
}

impl Word for Symbol {
    type Port = SymbolPort;

    fn field(port: &SymbolPort, low: u32, width: u32) -> Symbol {
        assert!(
            low + width <= port.width,
            "{} has {} bits",
            port.name,
            port.width
        );
        let text = if width == port.width {
            port.name.clone()
        } else {
            format!("{}[{}:{low}]", port.name, low + width - 1)
        };
        Symbol::wire(text, width)
    }
    fn constant(value: u64, width: u32) -> Symbol {
        Symbol::wire(format!("{width}'h{value:x}"), width)
    }
    fn width(self) -> u32 {
        self.width
    }
    fn and(self, other: Symbol) -> Symbol {
        self.binary("&", other, self.width)
    }
    fn or(self, other: Symbol) -> Symbol {
        self.binary("|", other, self.width)
    }
    fn not(self) -> Symbol {
        Symbol::wire(format!("~n{}", self.id), self.width)
    }
    fn add(self, other: Symbol) -> Symbol {
        self.binary("+", other, self.width)
    }
    fn eq(self, other: Symbol) -> Symbol {
        self.binary("==", other, 1)
    }
    fn lt(self, other: Symbol) -> Symbol {
        self.binary("<", other, 1)
    }
    fn slice(self, low: u32, width: u32) -> Symbol {
        assert!(low + width <= self.width, "slice past the top");
        if width == self.width {
            return self;
        }
        Symbol::wire(format!("n{}[{}:{low}]", self.id, low + width - 1), width)
    }
    fn above(self, low: Symbol) -> Symbol {
        Symbol::wire(
            format!("{{n{}, n{}}}", self.id, low.id),
            self.width + low.width,
        )
    }
    fn mux(self, yes: Symbol, no: Symbol) -> Symbol {
        assert!(
            self.width == 1 && yes.width == no.width,
            "select is 1 bit, branches agree"
        );
        Symbol::wire(
            format!("n{} ? n{} : n{}", self.id, yes.id, no.id),
            yes.width,
        )
    }
    fn look_up(self, table: &'static Table) -> Symbol {
        assert_eq!(self.width, 8, "a table has 256 entries");
        NETLIST.with_borrow_mut(|netlist| {
            let symbol = Symbol {
                id: netlist.nodes.len(),
                width: table.width,
            };
            netlist
                .nodes
                .push((Node::Case(self.id, table), table.width));
            symbol
        })
    }
}

/// Runs a kernel on symbols and prints the wires it made, then one block that drives its outputs:
/// for each the name and its fields, lowest bits first.
pub fn render(kernel: impl FnOnce() -> Vec<(String, Vec<Symbol>)>) -> String {
    NETLIST.take();
    let outputs = kernel();
    let netlist = NETLIST.take();
    let mut text = String::new();
    for (id, (node, width)) in netlist.nodes.iter().enumerate() {
        let range = format!("[{}:0] n{id}", width - 1);
        match node {
            Node::Wire(expression) => writeln!(text, "wire {range} = {expression};"),
            Node::Case(index, table) => writeln!(text, "reg {range};\n{}", case(id, *index, table)),
        }
        .expect("writing to a string");
    }
    text.push_str("always @(*) begin\n");
    for (name, fields) in outputs {
        let wires: Vec<String> = fields
            .iter()
            .rev()
            .map(|field| format!("n{}", field.id))
            .collect();
        writeln!(text, "  {name} = {{{}}};", wires.join(", ")).expect("writing to a string");
    }
    text + "end\n"
}

/// The most frequent entry becomes the default, which keeps the text short.
fn case(id: usize, index: usize, table: &Table) -> String {
    let mut counts = HashMap::new();
    table
        .entries
        .iter()
        .for_each(|entry| *counts.entry(entry).or_insert(0) += 1);
    let common = table
        .entries
        .iter()
        .max_by_key(|entry| counts[entry])
        .copied()
        .unwrap_or(0);
    let mut text = format!("always @(*) case (n{index})\n");
    for (value, entry) in table
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| **entry != common)
    {
        writeln!(
            text,
            "  8'h{value:02x}: n{id} = {}'h{entry:x};",
            table.width
        )
        .expect("writing to a string");
    }
    writeln!(
        text,
        "  default: n{id} = {}'h{common:x};\nendcase",
        table.width
    )
    .expect("writing to a string");
    text
}
