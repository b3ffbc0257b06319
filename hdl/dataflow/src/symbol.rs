// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels that print themselves as Verilog.

use std::cell::RefCell;
use std::fmt::Write;

use super::netlist::{Made, Netlist, Node, Symbol, renamed};
use super::word::{STEADY, Table, Word, join, later_stage};

/// A port of the module being built.
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

/// Keeps synthesis from making a shift register of LUTs out of a register. The first is for Yosys
/// and is printed at the process, the second is for Vivado and is printed at the register.
const FLIP_FLOP_PROCESS: &str = "(* keep *) ";
const FLIP_FLOP_REGISTER: &str = "(* shreg_extract = \"no\" *) ";

/// Keeps a wire, for Yosys and for Vivado.
const KEPT_WIRE: &str = "(* keep = \"true\" *) ";

thread_local!(static NETLIST: RefCell<Netlist> = RefCell::default());

impl Symbol {
    fn wire(text: String, width: u32, stage: u32, reads: &[Symbol]) -> Symbol {
        NETLIST.with_borrow_mut(|netlist| {
            if let Some(&symbol) = netlist.known.get(&text) {
                return symbol;
            }
            let reads = reads.iter().map(|symbol| symbol.id).collect();
            let symbol = netlist.add(Node::Wire(text.clone(), reads), width, stage);
            netlist.known.insert(text, symbol);
            symbol
        })
    }

    fn align(self, other: Symbol) -> (Symbol, Symbol, u32) {
        let stage = later_stage(self.stage, other.stage);
        (self.at_stage(stage), other.at_stage(stage), stage)
    }

    fn binary(self, operator: &str, other: Symbol, width: u32) -> Symbol {
        assert_eq!(
            self.width, other.width,
            "operands of {operator} differ in width"
        );
        let (a, b, stage) = self.align(other);
        Symbol::wire(
            format!("n{} {operator} n{}", a.id, b.id),
            width,
            stage,
            &[a, b],
        )
    }
}

impl Word for Symbol {
    type Port = SymbolPort;
    type RegisterHandle = Symbol;
    const PRINTS: bool = true;

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
        Symbol::wire(text, width, 0, &[])
    }
    fn constant(value: u64, width: u32) -> Symbol {
        Symbol::wire(format!("{width}'h{value:x}"), width, STEADY, &[])
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
    fn xor(self, other: Symbol) -> Symbol {
        self.binary("^", other, self.width)
    }
    fn not(self) -> Symbol {
        Symbol::wire(format!("~n{}", self.id), self.width, self.stage, &[self])
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
        Symbol::wire(
            format!("n{}[{}:{low}]", self.id, low + width - 1),
            width,
            self.stage,
            &[self],
        )
    }
    fn concat(self, low: Symbol) -> Symbol {
        let (high, low, stage) = self.align(low);
        Symbol::wire(
            format!("{{n{}, n{}}}", high.id, low.id),
            high.width + low.width,
            stage,
            &[high, low],
        )
    }
    fn mux(self, yes: Symbol, no: Symbol) -> Symbol {
        assert!(
            self.width == 1 && yes.width == no.width,
            "select is 1 bit, branches agree"
        );
        let stage = later_stage(self.stage, later_stage(yes.stage, no.stage));
        let (select, yes, no) = (
            self.at_stage(stage),
            yes.at_stage(stage),
            no.at_stage(stage),
        );
        Symbol::wire(
            format!("n{} ? n{} : n{}", select.id, yes.id, no.id),
            yes.width,
            stage,
            &[select, yes, no],
        )
    }
    fn select(self, table: &'static Table) -> Symbol {
        assert_eq!(self.width, 8, "a table has 256 entries");
        let bit = |bit: u32| {
            let truth: Vec<bool> = table.entries().iter().map(|e| e >> bit & 1 == 1).collect();
            decide(self, &truth, 8)
        };
        join((0..table.width()).map(bit))
    }
    fn stage(self) -> u32 {
        self.stage
    }
    fn delay(self, cycles: u32) -> Symbol {
        if self.stage == STEADY {
            return self;
        }
        NETLIST.with_borrow_mut(|netlist| {
            (0..cycles).fold(self, |word, _| {
                if let Some(&register) = netlist.delayed.get(&word.id) {
                    return register;
                }
                let node = Node::Register(Some(word.id));
                let register = netlist.add(node, word.width, word.stage + 1);
                netlist.delayed.insert(word.id, register);
                register
            })
        })
    }
    fn next_word(self) -> Symbol {
        // Not a shared wire: the same text would name words of different stages.
        let node = Node::Wire(format!("n{}", self.id), vec![self.id]);
        NETLIST.with_borrow_mut(|netlist| netlist.add(node, self.width, self.stage + 1))
    }
    fn kept(self) -> Symbol {
        let node = Node::Kept(self.id);
        NETLIST.with_borrow_mut(|netlist| netlist.add(node, self.width, self.stage))
    }
    fn steady(self) -> Symbol {
        Symbol {
            stage: STEADY,
            ..self
        }
    }
    fn register(width: u32, stage: u32) -> (Symbol, Symbol) {
        let register =
            NETLIST.with_borrow_mut(|netlist| netlist.add(Node::Register(None), width, stage));
        (register, register)
    }
    fn set_next(held: Symbol, next: Symbol) {
        assert_eq!(held.width, next.width, "a register and its next value");
        let next = next.at_stage(held.stage);
        NETLIST.with_borrow_mut(|netlist| {
            netlist.nodes[held.id].node = Node::Register(Some(next.id));
        });
    }
    fn made() -> usize {
        NETLIST.with_borrow(|netlist| netlist.nodes.len())
    }
    fn made_for(since: usize, name: &str) {
        NETLIST.with_borrow_mut(|netlist| {
            let until = netlist.nodes.len();
            netlist.names.made_for(since, until, name);
        });
    }
    fn call(self, since: usize, name: &str) {
        NETLIST.with_borrow_mut(|netlist| netlist.names.call(self.id, since, name));
    }
}

/// One bit of a table as a tree of decisions over the bits of its index, highest bit first. Equal
/// subtrees merge, because equal wires do.
fn decide(index: Symbol, truth: &[bool], bits: u32) -> Symbol {
    if truth.iter().all(|&bit| bit == truth[0]) {
        return Symbol::constant(u64::from(truth[0]), 1);
    }
    let (low, high) = truth.split_at(truth.len() / 2);
    let low = decide(index, low, bits - 1);
    let high = decide(index, high, bits - 1);
    if low.id == high.id {
        return low;
    }
    index.bit(bits - 1).mux(high, low)
}

/// Which outputs a module has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Combinational ones.
    Wires,
    /// Registers of `clock`.
    Registers,
}

/// What drives the outputs of a module: for each the name and its fields, lowest bits first.
pub type Driven = Vec<(String, Vec<Symbol>)>;

/// Runs a kernel on symbols and prints the wires and registers it made and what drives its outputs.
pub fn render(outputs: Outputs, kernel: impl FnOnce() -> Driven) -> String {
    NETLIST.take();
    let driven = kernel();
    printed(outputs, &NETLIST.take(), driven)
}

/// What does not depend on the kernel: compiled once, and not for each block.
fn printed(outputs: Outputs, netlist: &Netlist, driven: Driven) -> String {
    let ends = driven.iter().flat_map(|(_, fields)| fields);
    let used = netlist.used(ends.clone().map(|field| field.id));
    let shifts = netlist.shift_registers(&used, ends.map(|field| field.id));
    let ports = driven.iter().map(|(name, _)| name.replace('$', "__"));
    let names = netlist.register_names(&used, ports);
    let mut text = String::new();
    let mut steps = String::new();
    for (id, made) in netlist.nodes.iter().enumerate().filter(|(id, _)| used[*id]) {
        let Made { node, width, .. } = made;
        let range = format!("[{}:0] n{id}", width - 1);
        match node {
            Node::Wire(expression, _) => writeln!(text, "wire {range} = {expression};"),
            Node::Kept(wire) => writeln!(text, "{KEPT_WIRE}wire {range} = n{wire};"),
            Node::Register(next) => {
                let next = next.expect("a register with a next value");
                // A process for each register: synthesis is slow on one with thousands.
                let (process, register) = if netlist.moves(next) && !shifts.contains(&id) {
                    (FLIP_FLOP_PROCESS, FLIP_FLOP_REGISTER)
                } else {
                    ("", "")
                };
                steps += &format!("{process}always @(posedge clock) n{id} <= n{next};\n");
                writeln!(text, "{register}reg {range} = {width}'h0;")
            }
        }
        .expect("writing to a string");
    }
    let bits = |fields: &[Symbol]| -> String {
        let wires: Vec<String> = fields.iter().rev().map(|f| format!("n{}", f.id)).collect();
        wires.join(", ")
    };
    if outputs == Outputs::Wires {
        text += "always @(*) begin\n";
        for (name, fields) in driven {
            text += &format!("  {name} = {{{}}};\n", bits(&fields));
        }
        return text + "end\n";
    }
    text += "initial begin\n";
    for (name, fields) in &driven {
        // A constant is there from the start, so that it takes no flip-flop.
        let starts = fields.iter().rev().map(|field| netlist.start(*field));
        let starts: Vec<String> = starts.collect();
        text += &format!("  {name} = {{{}}};\n", starts.join(", "));
        let process = if fields.iter().any(|field| shifts.contains(&field.id)) {
            FLIP_FLOP_PROCESS
        } else {
            ""
        };
        steps += &format!(
            "{process}always @(posedge clock) {name} <= {{{}}};\n",
            bits(fields)
        );
    }
    renamed(&(text + "end\n" + &steps), &names)
}
