// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions of a program: which symbol an address belongs to, and where it begins.

use std::ops::Range;

use crate::demangle::demangle;
use crate::symbols::Symbols;

/// A symbol with code, where it is in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFunction {
    /// The address of its first instruction.
    pub start: u64,
    /// The process that it is of; `None` if every process has it.
    pub process: Option<u32>,
    /// Addresses around the one that was asked for which belong to it and to no symbol inside it.
    pub part: Range<u64>,
}

impl Symbols<'_> {
    /// The function that an address belongs to.
    pub fn function(&self, address: u64) -> Option<LoadedFunction> {
        let loaded = self.loaded.at(address)?;
        let file = &self.files[loaded.file];
        let (symbol, part) = file.function_at(address.wrapping_sub(loaded.bias))?;
        let in_memory = |address: u64| address.wrapping_add(loaded.bias);
        Some(LoadedFunction {
            start: in_memory(symbol.start),
            process: loaded.process,
            part: in_memory(part.start)..in_memory(part.end).min(loaded.end),
        })
    }

    /// The name of the function that begins at an address, demangled.
    pub fn function_name(&self, start: u64) -> Option<String> {
        let loaded = self.loaded.at(start)?;
        let address = start.wrapping_sub(loaded.bias);
        let (name, _) = self.files[loaded.file].symbol_at(address)?;
        Some(demangle(name))
    }

    /// The source file and the line of an address.
    pub fn line(&self, address: u64) -> Option<(&str, u32)> {
        let loaded = self.loaded.at(address)?;
        let file = &self.files[loaded.file];
        let location = file.location(address.wrapping_sub(loaded.bias))?;
        Some((location.file?, location.line?))
    }

    /// The addresses of the functions with this name, as it is in the file or demangled, in the memory
    /// of any process; each with the process that it is of, unless every one has it.
    pub fn functions_named(&self, name: &str) -> Vec<(Option<u32>, u64)> {
        let mut starts = Vec::new();
        for (first, loaded) in self.memory.parts() {
            let functions = self.files[loaded.file].functions();
            let found = functions.into_iter().filter_map(|symbol| {
                let start = symbol.start.wrapping_add(loaded.bias);
                let is_here = (first..loaded.end).contains(&start);
                let is_it = symbol.name == name || demangle(symbol.name) == name;
                (is_here && is_it).then_some((loaded.process, start))
            });
            starts.extend(found);
        }
        starts.sort_unstable();
        starts.dedup();
        starts
    }
}
