// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names and lines of addresses, from the files of the traced program.

use std::fmt;

use addr2line::Context;
use addr2line::gimli::{AbbreviationsCacheStrategy, EndianSlice, RunTimeEndian};
use anyhow::Result;
use object::{File, Object};

use crate::demangle::demangle;
use crate::elf::{Elf, refusal};
use crate::loaded::Loaded;
use crate::table::SymbolTable;

/// The symbols and the debug information of a program.
pub struct Symbols<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) files: Vec<FileSymbols<'a>>,
}

pub(crate) struct FileSymbols<'a> {
    pub(crate) names: SymbolTable<'a>,
    pub(crate) lines: Context<EndianSlice<'a, RunTimeEndian>>,
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

fn file_symbols(file: &Elf) -> Result<FileSymbols<'_>> {
    let elf = File::parse(&file.bytes[..])?;
    let endian = if elf.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    };
    let mut dwarf = file.debug.borrow(|bytes| EndianSlice::new(bytes, endian));
    dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
    Ok(FileSymbols {
        names: SymbolTable::new(&elf),
        lines: Context::from_dwarf(dwarf)?,
    })
}

impl<'a> Symbols<'a> {
    pub(crate) fn new(files: &'a [Elf], loaded: &'a Loaded) -> Result<Symbols<'a>> {
        let symbols = |elf| file_symbols(elf).map_err(|cause| refusal(&elf.path, &cause));
        Ok(Symbols {
            loaded,
            files: files.iter().map(symbols).collect::<Result<_>>()?,
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
        let symbol = file.names.at(address);
        // Damaged debug information is ignored.
        let location = file.lines.find_location(address).ok().flatten();
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
