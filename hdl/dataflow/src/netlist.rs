// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of a kernel that prints itself, and the names of its registers.

use std::collections::{HashMap, HashSet};

use super::naming::{Names, Taken};
use super::shift::{self, Load};

/// A wire of the Verilog module being built.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    pub(super) id: usize,
    pub(super) width: u32,
    pub(super) stage: u32,
}

pub(super) enum Node {
    /// An expression, and the wires in it.
    Wire(String, Vec<usize>),
    /// Another wire, on one that synthesis keeps.
    Kept(usize),
    /// A register and the wire that it loads at each clock edge, once known.
    Register(Option<usize>),
}

impl Node {
    fn reads(&self) -> &[usize] {
        match self {
            Node::Wire(_, reads) => reads,
            Node::Kept(wire) => std::slice::from_ref(wire),
            Node::Register(next) => next.as_slice(),
        }
    }
}

/// What a word is, its width and its stage.
pub(super) struct Made {
    pub node: Node,
    pub width: u32,
    pub stage: u32,
}

/// The words in the order in which the kernel made them.
#[derive(Default)]
pub(super) struct Netlist {
    pub nodes: Vec<Made>,
    /// Wires by their text: equal expressions share one wire.
    pub known: HashMap<String, Symbol>,
    /// The register behind each wire.
    pub delayed: HashMap<usize, Symbol>,
    pub names: Names,
}

impl Netlist {
    pub fn add(&mut self, node: Node, width: u32, stage: u32) -> Symbol {
        let id = self.nodes.len();
        self.nodes.push(Made { node, width, stage });
        Symbol { id, width, stage }
    }

    /// Whether a wire takes bits over from a register or a port, with no logic between.
    pub fn moves(&self, id: usize) -> bool {
        match &self.nodes[id].node {
            Node::Register(_) => true,
            Node::Kept(wire) => self.moves(*wire),
            Node::Wire(text, reads) if reads.is_empty() => !text.contains('\''),
            Node::Wire(text, reads) => {
                !text.contains(OPERATORS) && reads.iter().any(|&wire| self.moves(wire))
            }
        }
    }

    /// What the output register of a wire starts with.
    pub fn start(&self, wire: Symbol) -> String {
        match &self.nodes[wire.id].node {
            Node::Wire(text, reads) if reads.is_empty() && text.contains('\'') => text.clone(),
            _ => format!("{}'h0", wire.width),
        }
    }

    /// Which registers may become shift registers of LUTs; see [`shift`].
    pub fn shift_registers(
        &self,
        used: &[bool],
        outputs: impl Iterator<Item = usize>,
    ) -> HashSet<usize> {
        let mut loads = vec![Load::None; self.nodes.len()];
        for (id, made) in self.nodes.iter().enumerate().filter(|(id, _)| used[*id]) {
            let load = match made.node {
                Node::Register(_) => Load::Register(id),
                Node::Wire(..) | Node::Kept(_) => Load::Other,
            };
            for &read in made.node.reads() {
                loads[read] = loads[read].and(load);
            }
        }
        for output in outputs {
            loads[output] = loads[output].and(Load::Output);
        }
        let registers = (0..self.nodes.len())
            .filter(|&id| used[id] && matches!(self.nodes[id].node, Node::Register(_)));
        shift::shift_registers(registers, &loads)
    }

    /// Which nodes the outputs depend on.
    pub fn used(&self, outputs: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut used = vec![false; self.nodes.len()];
        let mut todo: Vec<usize> = outputs.collect();
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut used[id], true) {
                todo.extend(self.nodes[id].node.reads());
            }
        }
        used
    }

    /// The word that a register has its name from: itself, or the word that it delays, or a word
    /// that this one is a part of. It may be a port.
    fn namesake(&self, id: usize) -> Option<usize> {
        let behind = match &self.nodes[id].node {
            // The next value of a loop comes after its register.
            Node::Register(Some(word)) if *word < id => self.namesake(*word),
            Node::Wire(text, reads) if !text.contains(OPERATORS) => match reads[..] {
                [] => (!text.contains('\'')).then_some(id),
                [word] => self.namesake(word),
                _ => None,
            },
            _ => None,
        };
        let own = self.names.name(id);
        let is_behind = behind.is_some_and(|word| self.names.name(word) == own);
        own.filter(|_| !is_behind).map(|_| id).or(behind)
    }

    /// The first register of the delay line that a register is in.
    fn first(&self, id: usize) -> usize {
        match self.nodes[id].node {
            Node::Register(Some(word))
                if word < id && matches!(self.nodes[word].node, Node::Register(_)) =>
            {
                self.first(word)
            }
            _ => id,
        }
    }

    /// What the source calls a word or, of a port, its name.
    fn word_name(&self, id: usize) -> Option<String> {
        let port = || match &self.nodes[id].node {
            Node::Wire(text, reads) if reads.is_empty() => text.split('[').next(),
            _ => None,
        };
        let named = self.names.name(id).is_some();
        let port = port().filter(|_| !named).map(str::to_owned);
        port.or_else(|| self.names.full(id))
    }

    /// The names of the registers that are used, by their number. `ports` are taken.
    pub fn register_names(
        &self,
        used: &[bool],
        ports: impl IntoIterator<Item = String>,
    ) -> HashMap<usize, String> {
        let mut taken = Taken::new(ports);
        let mut words = Taken::new([]);
        let mut known: HashMap<usize, Option<String>> = HashMap::new();
        let mut names = HashMap::new();
        for (id, made) in self.nodes.iter().enumerate().filter(|(id, _)| used[*id]) {
            if !matches!(made.node, Node::Register(_)) {
                continue;
            }
            let word = self.namesake(id).unwrap_or_else(|| self.first(id));
            let word = known.entry(word).or_insert_with(|| {
                let name = self.word_name(word)?;
                Some(words.take(name.replace('$', "_")))
            });
            if let Some(word) = word {
                names.insert(id, taken.take(format!("{word}_s{}", made.stage)));
            }
        }
        names
    }
}

/// The text with the names of registers in place of their numbers.
pub(super) fn renamed(text: &str, names: &HashMap<usize, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(1);
        let (token, behind) = rest.split_at(word);
        let number = token.strip_prefix('n').and_then(|id| id.parse().ok());
        let name = number.and_then(|id: usize| names.get(&id));
        out.push_str(name.map_or(token, String::as_str));
        rest = behind;
    }
    out
}

/// Characters of the operators that are printed.
const OPERATORS: [char; 8] = ['~', '?', '&', '|', '+', '=', '<', '>'];
