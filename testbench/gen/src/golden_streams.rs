// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams of real programs beside the repository, in `../shared/workloads/own`: all of a
//! Cortex-A53, with the memory and the walk of each program.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use coretrace_capture::{read_xz, read_xz_text};
use coretrace_etm::{Registers, SourceConfig};

use crate::RegisterSet;

/// Bytes of a page of an image.
const PAGE: usize = 4096;

/// A stream of a program.
#[derive(Clone, Debug)]
pub struct GoldenStream {
    /// Its name: program, instruction set, kind of stream.
    pub name: String,
    /// The trace unit.
    pub source: SourceConfig,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where the files of its program are.
    folder: PathBuf,
    /// Program and instruction set.
    program: String,
}

impl GoldenStream {
    /// All streams that the list of the folder has.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn all(folder: &Path) -> Result<Vec<GoldenStream>> {
        let list = fs::read_to_string(folder.join("golden.tsv")).context("golden.tsv")?;
        let row = |row: &str| GoldenStream::of_row(folder, row).with_context(|| row.to_owned());
        list.lines().skip(1).map(row).collect()
    }

    fn of_row(folder: &Path, row: &str) -> Result<GoldenStream> {
        let mut columns = row.split('\t');
        let mut next = || columns.next().context("two columns are needed");
        let (file, trcconfigr) = (next()?, next()?.trim_start_matches("0x"));
        let name = file.trim_end_matches(".etm");
        let (program, _) = name.rsplit_once('.').context("a name has a kind")?;
        let unit = RegisterSet::by_name("a53").context("a named set")?;
        Ok(GoldenStream {
            name: name.to_owned(),
            source: SourceConfig {
                registers: Registers {
                    trcconfigr: u32::from_str_radix(trcconfigr, 16)?,
                    ..unit.registers
                },
                ..unit.source()
            },
            bytes: read_xz(&folder.join(format!("{file}.xz")))?,
            folder: folder.to_owned(),
            program: program.to_owned(),
        })
    }

    /// What was in memory: addresses and bytes, pages that follow each other in one piece.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn memory(&self) -> Result<Vec<(u64, Vec<u8>)>> {
        let file = self.folder.join(format!("{}.img.xz", self.program));
        let mut pages = BTreeMap::new();
        for page in read_xz(&file)?.chunks(8 + PAGE) {
            let (address, bytes) = page.split_first_chunk().context("an address")?;
            pages.insert(u64::from_le_bytes(*address), bytes.to_vec());
        }
        let mut pieces: Vec<(u64, Vec<u8>)> = Vec::new();
        for (address, bytes) in pages {
            match pieces.last_mut() {
                Some((start, piece)) if *start + piece.len() as u64 == address => {
                    piece.extend(bytes);
                }
                _ => pieces.push((address, bytes)),
            }
        }
        Ok(pieces)
    }

    /// The walk: a line for each range with its first address, the address behind it, instructions,
    /// and E or N.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn ranges(&self) -> Result<String> {
        let its_own = self.folder.join(format!("{}.ranges.xz", self.name));
        if its_own.is_file() {
            return read_xz_text(&its_own);
        }
        read_xz_text(&self.folder.join(format!("{}.ranges.xz", self.program)))
    }
}
