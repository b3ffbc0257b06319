// SPDX-License-Identifier: MIT OR Apache-2.0
//! What addresses are called in rows.

use std::cell::RefCell;
use std::collections::HashMap;

use coretrace_program::{FileSymbols, Function, Symbols, demangle};

use crate::counts::{Counts, Edge};
use crate::key::Key;

/// Names of addresses. Where there is no symbol, code is called by the target of a call in front of
/// it: `0x400078`.
pub struct Names<'s, 'a> {
    pub symbols: &'s Symbols<'a>,
    /// Targets of calls, in order.
    entries: Vec<u64>,
    /// The keys of functions by file and first file address: a name is demangled once.
    known: RefCell<HashMap<(usize, u64), Key>>,
}

/// The most bytes between a target of a call and code that is called by it.
const MAX_FUNCTION: u64 = 1 << 20;

impl<'s, 'a> Names<'s, 'a> {
    /// The names of the addresses in counts.
    pub fn new(symbols: &'s Symbols<'a>, counts: &Counts) -> Names<'s, 'a> {
        let calls = counts.edges().filter(|(_, edge, _)| edge.exit.is_call());
        let mut entries: Vec<u64> = calls.map(|(_, edge, _)| edge.to).collect();
        entries.sort_unstable();
        entries.dedup();
        Names {
            symbols,
            entries,
            known: RefCell::default(),
        }
    }

    fn file(&self, address: u64) -> Option<(usize, &'s FileSymbols<'a>, u64)> {
        let linked = self.symbols.link(address)?;
        let file = self.symbols.files().get(linked.file)?;
        Some((linked.file, file, linked.address))
    }

    /// The target of a call that code without a symbol is called by: it has no symbol either, and is in
    /// the same file.
    fn entry(&self, address: u64) -> Option<u64> {
        let behind = self.entries.partition_point(|entry| *entry <= address);
        let entry = *self.entries[..behind].last()?;
        let is_near = address - entry < MAX_FUNCTION && self.is_same_file(entry, address);
        (is_near && self.symbol_start(entry).is_none()).then_some(entry)
    }

    /// Whether both addresses are in one file, or in none.
    fn is_same_file(&self, a: u64, b: u64) -> bool {
        let number = |address| self.file(address).map(|(number, _, _)| number);
        number(a) == number(b)
    }

    /// The file address where the symbol of an address begins.
    fn symbol_start(&self, address: u64) -> Option<u64> {
        let (_, file, linked) = self.file(address)?;
        Some(file.function_at(linked)?.0.start)
    }

    /// The function of an address in memory.
    pub fn function(&self, address: u64) -> Key {
        let Some((number, file, linked)) = self.file(address) else {
            return self.unnamed(address, |entry| entry);
        };
        let program = Some(file.path().display().to_string());
        let Some((function, _)) = file.function_at(linked) else {
            let unnamed = self.unnamed(address, |entry| linked - (address - entry));
            return Key { program, ..unnamed };
        };
        let mut known = self.known.borrow_mut();
        let key = known.entry((number, function.start));
        key.or_insert_with(|| Key {
            program,
            ..function_key(file, &function)
        })
        .clone()
    }

    /// What code without a symbol is called; `link` gives the file address of its entry.
    fn unnamed(&self, address: u64, link: impl FnOnce(u64) -> u64) -> Key {
        let entry = self.entry(address);
        Key {
            name: entry.map_or(UNKNOWN.to_owned(), |entry| format!("{entry:#x}")),
            start: entry.map(link),
            ..Key::default()
        }
    }

    /// The innermost function of a file address, inlined or not; `address` is that in memory.
    pub fn inlined(&self, address: u64, file: &FileSymbols<'_>, linked: u64) -> Key {
        let frames = file.frames(linked);
        let [inner, _, ..] = &frames[..] else {
            return self.function(address);
        };
        Key {
            name: inner.function.clone().unwrap_or(UNKNOWN.to_owned()),
            program: Some(file.path().display().to_string()),
            file: inner.file.clone(),
            ..Key::default()
        }
    }

    /// A source line.
    pub fn line(&self, file: &str, line: u32) -> Key {
        Key {
            name: format!("{file}:{line}"),
            file: Some(file.to_owned()),
            line: Some(line),
            ..Key::default()
        }
    }

    /// A range of instructions.
    pub fn block(&self, start: u64, end: u64) -> Key {
        let (program, file_address) = match self.file(start) {
            Some((_, file, linked)) => (Some(file.path().display().to_string()), linked),
            None => (None, start),
        };
        let place = self.symbols.place(start);
        Key {
            name: self.offset_name(start),
            program,
            file: place.file,
            line: place.line,
            start: Some(file_address),
            end: Some(file_address.wrapping_add(end.wrapping_sub(start))),
            ..Key::default()
        }
    }

    /// A taken branch.
    pub fn edge(&self, edge: &Edge) -> Key {
        let linked = |address| self.file(address).map_or(address, |(_, _, linked)| linked);
        let (from, to) = (self.offset_name(edge.from), self.offset_name(edge.to));
        let place = self.symbols.place(edge.from);
        let program = self.file(edge.from);
        Key {
            name: format!("{from} -> {to} {}", edge.exit.name()),
            program: program.map(|(_, file, _)| file.path().display().to_string()),
            file: place.file,
            line: place.line,
            start: Some(linked(edge.from)),
            end: Some(linked(edge.to)),
            ..Key::default()
        }
    }

    /// The program file of an address.
    pub fn program(&self, address: u64) -> Key {
        let file = self.file(address);
        let name = file.map(|(_, file, _)| file.path().display().to_string());
        Key {
            program: name.clone(),
            name: name.unwrap_or(UNKNOWN.to_owned()),
            ..Key::default()
        }
    }

    /// `symbol+0x1c`, or the address.
    fn offset_name(&self, address: u64) -> String {
        let symbol = self.file(address).and_then(|(_, file, linked)| {
            let (function, _) = file.function_at(linked)?;
            Some((demangle(function.name), linked - function.start))
        });
        let entry = |entry: u64| (format!("{entry:#x}"), address - entry);
        match symbol.or_else(|| self.entry(address).map(entry)) {
            Some((name, offset)) => format!("{name}+{offset:#x}"),
            None => format!("{address:#x}"),
        }
    }

    /// Whether a function begins here.
    pub fn is_entry(&self, address: u64) -> bool {
        match (self.symbol_start(address), self.file(address)) {
            (Some(start), Some((_, _, linked))) => start == linked,
            _ => self.entries.binary_search(&address).is_ok(),
        }
    }

    /// Whether both addresses are in one function.
    pub fn is_same_function(&self, a: u64, b: u64) -> bool {
        self.is_same_file(a, b)
            && match (self.symbol_start(a), self.symbol_start(b)) {
                (None, None) => self.entry(a) == self.entry(b),
                (a, b) => a == b,
            }
    }
}

/// The name of what has none.
const UNKNOWN: &str = "[unknown]";

fn function_key(file: &FileSymbols<'_>, function: &Function<'_>) -> Key {
    let lines = file.lines(function.start, function.start.saturating_add(1));
    let first = lines.iter().find(|line| line.line > 0);
    Key {
        name: demangle(function.name),
        file: first.map(|line| line.file.to_owned()),
        line: first.map(|line| line.line),
        start: Some(function.start),
        end: Some(function.end),
        ..Key::default()
    }
}
