// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names and lines of addresses, from the traced program. Only the named file is opened: references
//! to other files are not followed.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use addr2line::Context;
use addr2line::gimli::{AbbreviationsCacheStrategy, DwarfSections, EndianSlice, RunTimeEndian};
use anyhow::{Error, Result, anyhow, ensure};
use object::{File, Object, ObjectSection, SymbolMap, SymbolMapName};

use super::demangle::demangle;

/// The largest expansion of a compressed section. A damaged one could otherwise fill the memory.
const MAX_RATIO: u64 = 100;

/// A program, in memory.
pub struct Program {
    path: PathBuf,
    bytes: Vec<u8>,
    sections: DwarfSections<Vec<u8>>,
}

/// The symbols and the debug information of a program.
pub struct Symbols<'a> {
    names: SymbolMap<SymbolMapName<'a>>,
    lines: Context<EndianSlice<'a, RunTimeEndian>>,
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

impl Program {
    /// Reads a program.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(path: &Path) -> Result<Program> {
        let read = || {
            let bytes = fs::read(path)?;
            let elf = File::parse(&bytes[..])?;
            let sections = DwarfSections::load(|id| section(&elf, id.name()))?;
            anyhow::Ok(Program {
                path: path.to_owned(),
                bytes,
                sections,
            })
        };
        read().map_err(|cause| refusal(path, &cause))
    }

    /// Its symbols.
    ///
    /// # Errors
    /// If the debug information has no list of units.
    pub fn symbols(&self) -> Result<Symbols<'_>> {
        let read = || {
            let elf = File::parse(&self.bytes[..])?;
            let endian = if elf.is_little_endian() {
                RunTimeEndian::Little
            } else {
                RunTimeEndian::Big
            };
            let mut dwarf = self
                .sections
                .borrow(|bytes| EndianSlice::new(bytes, endian));
            dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
            anyhow::Ok(Symbols {
                names: elf.symbol_map(),
                lines: Context::from_dwarf(dwarf)?,
            })
        };
        read().map_err(|cause| refusal(&self.path, &cause))
    }
}

fn refusal(path: &Path, cause: &Error) -> Error {
    let name = path.display();
    anyhow!("no symbols can be read from {name}: {cause}: is it the ELF file of the program?")
}

/// The bytes of a section, none if it is absent.
fn section(elf: &File<'_>, name: &str) -> Result<Vec<u8>> {
    let Some(section) = elf.section_by_name(name) else {
        return Ok(Vec::new());
    };
    let stored = section.compressed_data()?;
    ensure!(
        stored.uncompressed_size / MAX_RATIO <= stored.data.len() as u64,
        "section {name} says that it is {} bytes",
        stored.uncompressed_size
    );
    Ok(stored.decompress()?.into_owned())
}

impl Symbols<'_> {
    /// The place of an address with IS1 in bit 0, which symbols of T32 functions have there too.
    pub fn place(&self, key: u64) -> Place {
        let symbol = self.names.containing(key).map(|symbol| {
            let name = demangle(symbol.name());
            (name, (key & !1).wrapping_sub(symbol.address() & !1))
        });
        // Damaged debug information is ignored.
        let location = self.lines.find_location(key & !1).ok().flatten();
        Place {
            symbol,
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
