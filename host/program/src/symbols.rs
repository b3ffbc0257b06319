// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names and lines of addresses, from the files of the traced program.

use std::fmt;
use std::rc::Rc;

use anyhow::Result;

use crate::demangle::demangle;
use crate::elf::{Elf, refusal};
use crate::file_symbols::FileSymbols;
use crate::loaded::Loaded;
use crate::memory::Memory;

/// The symbols and the debug information of a program, in the memory of a process.
#[derive(Clone)]
pub struct Symbols<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) loaded: &'a Loaded,
    pub(crate) files: Rc<[FileSymbols<'a>]>,
}

/// A file address: where an address in memory is linked to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linked {
    /// The number of the file.
    pub file: usize,
    /// The address in it.
    pub address: u64,
    /// So many bytes of the file are in memory from there on.
    pub rest: u64,
}

/// Symbol and line of an address, as far as known. Names come from the program and may contain
/// anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The symbol, demangled, and the offset of the address in it.
    pub symbol: Option<(String, u64)>,
    /// Source file.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u32>,
}

impl<'a> Symbols<'a> {
    pub(crate) fn new(files: &'a [Elf], memory: &'a Memory) -> Result<Symbols<'a>> {
        let symbols = |elf| FileSymbols::new(elf).map_err(|cause| refusal(&elf.path, &cause));
        Ok(Symbols {
            memory,
            loaded: memory.of(None),
            files: files.iter().map(symbols).collect::<Result<_>>()?,
        })
    }

    /// The same in the memory of a process. One that is not known has what every process has.
    pub fn of(&self, process: Option<u32>) -> Symbols<'a> {
        Symbols {
            loaded: self.memory.of(process),
            ..self.clone()
        }
    }

    /// The files, in the order of their numbers.
    pub fn files(&self) -> &[FileSymbols<'a>] {
        &self.files
    }

    /// Where in which file an address in memory is linked to be.
    pub fn link(&self, address: u64) -> Option<Linked> {
        let part = self.loaded.at(address)?;
        Some(Linked {
            file: part.file,
            address: address.wrapping_sub(part.bias),
            rest: part.end - address,
        })
    }

    /// The place of an address with IS1 in bit 0.
    pub fn place(&self, key: u64) -> Place {
        let address = key & !1;
        let Some(part) = self.loaded.at(address) else {
            return Place::default();
        };
        let file = &self.files[part.file];
        let address = address.wrapping_sub(part.bias);
        let symbol = file.symbol_at(address);
        let location = file.location(address);
        Place {
            symbol: symbol.map(|(name, offset)| (demangle(name), offset)),
            file: location.as_ref().and_then(|at| at.file).map(str::to_owned),
            line: location.as_ref().and_then(|at| at.line),
        }
    }
}

/// `symbol+0x1c (file:line)`, as far as known, without control characters.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, offset)) = &self.symbol {
            write!(f, "{}+{offset:#x}", name.escape_debug())?;
        }
        if let Some(file) = &self.file {
            let space = if self.symbol.is_some() { " " } else { "" };
            write!(f, "{space}({}", file.escape_debug())?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}
