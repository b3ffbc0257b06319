// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions, lines and inlined calls of one file. All addresses are file addresses.

use std::path::Path;

use addr2line::gimli::{AbbreviationsCacheStrategy, EndianSlice, RunTimeEndian};
use addr2line::{Context, Location};
use anyhow::Result;
use object::{File, Object};

use crate::demangle::demangle;
use crate::elf::Elf;
use crate::table::{Function, SymbolTable};

/// The symbols and the debug information of a file. Damaged debug information is ignored.
pub struct FileSymbols<'a> {
    elf: &'a Elf,
    names: SymbolTable<'a>,
    lines: Context<EndianSlice<'a, RunTimeEndian>>,
}

/// Addresses of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange<'s> {
    /// The first address.
    pub start: u64,
    /// The address behind the last one.
    pub end: u64,
    /// The source file.
    pub file: &'s str,
    /// The line; 0 if there is none for these addresses.
    pub line: u32,
}

/// A function, or a call that was inlined, that an address is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its name, demangled.
    pub function: Option<String>,
    /// The source file of the address; for a caller of an inlined function, of the call.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
}

impl<'a> FileSymbols<'a> {
    pub(crate) fn new(file: &'a Elf) -> Result<FileSymbols<'a>> {
        let elf = File::parse(&file.bytes[..])?;
        let endian = if elf.is_little_endian() {
            RunTimeEndian::Little
        } else {
            RunTimeEndian::Big
        };
        let mut dwarf = file.debug.borrow(|bytes| EndianSlice::new(bytes, endian));
        dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
        Ok(FileSymbols {
            elf: file,
            names: SymbolTable::new(&elf),
            lines: Context::from_dwarf(dwarf)?,
        })
    }

    /// Its name.
    pub fn path(&self) -> &'a Path {
        &self.elf.path
    }

    /// Its build ID.
    pub fn build_id(&self) -> Option<&'a [u8]> {
        self.elf.build_id.as_deref()
    }

    /// The symbol of an address, and the offset of the address in it.
    pub(crate) fn symbol_at(&self, address: u64) -> Option<(&'a str, u64)> {
        self.names.at(address)
    }

    /// File and line of an address.
    pub(crate) fn location(&self, address: u64) -> Option<Location<'_>> {
        self.lines.find_location(address).ok().flatten()
    }

    /// The innermost symbol of an address, and the address up to which it is that of all addresses.
    pub fn function_at(&self, address: u64) -> Option<(Function<'a>, u64)> {
        self.names.stretch_at(address)
    }

    /// The first address behind this one at which a symbol begins, or goes on behind one in it.
    pub fn next_function(&self, address: u64) -> Option<u64> {
        self.names.next_stretch(address)
    }

    /// Every symbol of code or data, by its first address.
    pub fn functions(&self) -> Vec<Function<'a>> {
        self.names.symbols()
    }

    /// The lines of these addresses, in order of addresses.
    pub fn lines(&self, start: u64, end: u64) -> Vec<LineRange<'_>> {
        let Ok(found) = self.lines.find_location_range(start, end) else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        for (address, len, location) in found {
            // What is damaged may be anywhere.
            let (start, end) = (address.max(start), address.saturating_add(len).min(end));
            if let Some(file) = location.file.filter(|_| start < end) {
                let line = location.line.unwrap_or(0);
                lines.push(LineRange {
                    start,
                    end,
                    file,
                    line,
                });
            }
        }
        lines.sort_unstable_by_key(|line| line.start);
        lines
    }

    /// The functions that an address is in, the innermost inlined one first; none without debug
    /// information.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let Ok(mut found) = self.lines.find_frames(address).skip_all_loads() else {
            return Vec::new();
        };
        let mut frames = Vec::new();
        while let Ok(Some(frame)) = found.next() {
            let name = frame
                .function
                .as_ref()
                .and_then(|name| name.raw_name().ok());
            frames.push(Frame {
                function: name.map(|name| demangle(&name)),
                file: frame
                    .location
                    .as_ref()
                    .and_then(|at| at.file)
                    .map(str::to_owned),
                line: frame.location.as_ref().and_then(|at| at.line),
            });
            if frames.len() >= MAX_FRAMES {
                break;
            }
        }
        frames
    }
}

/// The most calls that are inlined into each other.
const MAX_FRAMES: usize = 256;
