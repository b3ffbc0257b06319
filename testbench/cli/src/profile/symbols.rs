// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names and lines of addresses, from the traced program.

use std::fmt;
use std::path::Path;

use addr2line::Loader;
use anyhow::{Result, anyhow};

use super::demangle::demangle;

/// The symbols and the debug information of a program.
pub struct Symbols(Loader);

/// What is known of an address. Names are as they stand in the program, which may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The symbol, demangled, and how far behind it the address is.
    pub symbol: Option<(String, u64)>,
    /// Source file.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u32>,
}

impl Symbols {
    /// Opens a program.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(path: &Path) -> Result<Symbols> {
        let loaded = Loader::new(path).map_err(|cause| {
            let name = path.display();
            anyhow!(
                "no symbols can be read from {name}: {cause}: is it the ELF file of the program?"
            )
        })?;
        Ok(Symbols(loaded))
    }

    /// The place of an address with IS1 in bit 0, which symbols of T32 functions have there too.
    pub fn place(&self, key: u64) -> Place {
        let symbol = self.0.find_symbol_info(key).map(|symbol| {
            let name = demangle(symbol.name());
            (name, (key & !1).wrapping_sub(symbol.address() & !1))
        });
        // Debug information that is damaged says nothing.
        let location = self.0.find_location(key & !1).ok().flatten();
        Place {
            symbol,
            file: location.as_ref().and_then(|at| at.file).map(str::to_owned),
            line: location.as_ref().and_then(|at| at.line),
        }
    }
}

/// `symbol+0x1c (file:line)`, as far as it is known, with no character that a terminal obeys.
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
