// SPDX-License-Identifier: MIT OR Apache-2.0
//! A flow table as a file. All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `ETM4FLOW` |
//! | 4, 4, 4 | version; bits of a site, bits of a frame |
//! | 4, 4 | sites and frames that follow; all others are empty |
//! | 4 | the exclusive or of the five numbers before |
//! | 8 each | page words, by slot |
//! | 8 each | row words |
//! | 4 each | exit words |
//! | 2 each | bucket words |
//! | 1 each | run words |
//!
//! One wrong bit anywhere in a file is found when it is read: every word has its parity.

use std::fmt;

use coretrace_abi::flow_table::{
    BUCKET_WORD_BITS, BUCKETS, FRAME_ROWS, RUN_WORD_BITS, Widths, is_damaged,
};

use crate::table::FlowTable;

const MAGIC: &[u8; 8] = b"ETM4FLOW";
/// Version of the format.
pub const VERSION: u32 = 5;

/// Why bytes are no flow table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileError {
    /// They begin otherwise.
    NoFlowTable,
    /// A version that this program does not know.
    Version(u32),
    /// There is no such table: the bits of a site and of a frame, sites, frames.
    Size([u32; 4]),
    /// So many bytes are expected.
    Length(usize),
    /// The numbers at the beginning contradict each other.
    Head,
    /// Words that the compiler did not make: so many.
    Damaged(usize),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::NoFlowTable => write!(f, "this is no flow table"),
            FileError::Version(version) => {
                write!(
                    f,
                    "a flow table of version {version}, and {VERSION} is known"
                )
            }
            FileError::Size([site, frame, sites, frames]) => write!(
                f,
                "{sites} sites of {site} bits and {frames} frames of {frame} bits are no flow table"
            ),
            FileError::Length(length) => write!(f, "the flow table must have {length} bytes"),
            FileError::Head => write!(
                f,
                "the numbers at the beginning of the flow table are damaged"
            ),
            FileError::Damaged(count) => write!(f, "{count} words of the flow table are damaged"),
        }
    }
}

impl std::error::Error for FileError {}

impl FlowTable {
    /// As a file, without what is empty at the end of each memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        let widths = self.widths();
        let sites = self.used_sites();
        let last_row = self.rows().iter().rposition(|&row| row != 0);
        let frames = last_row.map_or(0, |last| last / FRAME_ROWS + 1);
        let mut bytes = MAGIC.to_vec();
        let numbers = [
            VERSION,
            widths.site,
            widths.frame,
            sites as u32,
            frames as u32,
        ];
        for number in numbers.into_iter().chain([exclusive_or(&numbers)]) {
            bytes.extend(number.to_le_bytes());
        }
        let rows = &self.rows()[..frames * FRAME_ROWS];
        for word in self.pages().iter().chain(rows) {
            bytes.extend(word.to_le_bytes());
        }
        for word in &self.exits()[..sites] {
            bytes.extend(word.to_le_bytes());
        }
        for word in self.buckets() {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(&self.runs()[..sites]);
        bytes
    }

    /// Of a file.
    ///
    /// # Errors
    /// If it is none.
    pub fn from_bytes(bytes: &[u8]) -> Result<FlowTable, FileError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(FileError::NoFlowTable)?;
        let (head, rest) = rest
            .split_first_chunk::<24>()
            .ok_or(FileError::NoFlowTable)?;
        let mut numbers = [0; 6];
        for (number, bytes) in numbers.iter_mut().zip(head.as_chunks().0) {
            *number = u32::from_le_bytes(*bytes);
        }
        let [version, size @ .., _] = numbers;
        if version != VERSION {
            return Err(FileError::Version(version));
        }
        if exclusive_or(&numbers) != 0 {
            return Err(FileError::Head);
        }
        let [site, frame, sites, frames] = size;
        let (sites, frames) = (sites as usize, frames as usize);
        let widths = Widths::new(site, frame)
            .filter(|widths| sites <= widths.sites() && frames <= widths.frames())
            .ok_or(FileError::Size(size))?;
        let mut table = FlowTable::new(widths);
        let rows = frames * FRAME_ROWS;
        let doubles = 8 * (table.pages().len() + rows);
        let length = doubles + 2 * BUCKETS + 5 * sites;
        if rest.len() != length {
            let header = bytes.len() - rest.len();
            return Err(FileError::Length(header + length));
        }
        let (doubles, singles) = rest.split_at(doubles);
        let mut doubles = doubles
            .as_chunks()
            .0
            .iter()
            .map(|word| u64::from_le_bytes(*word));
        for (word, value) in table.pages_mut().iter_mut().zip(&mut doubles) {
            *word = value;
        }
        for (word, value) in table.rows_mut().iter_mut().zip(&mut doubles) {
            *word = value;
        }
        let (exits, singles) = singles.split_at(4 * sites);
        let (buckets, runs) = singles.split_at(2 * BUCKETS);
        for (word, value) in table.exits_mut().iter_mut().zip(exits.as_chunks().0) {
            *word = u32::from_le_bytes(*value);
        }
        for (word, value) in table.buckets_mut().iter_mut().zip(buckets.as_chunks().0) {
            *word = u16::from_le_bytes(*value);
        }
        table.runs_mut()[..sites].copy_from_slice(runs);
        match table.damaged_words() {
            0 => Ok(table),
            count => Err(FileError::Damaged(count)),
        }
    }

    /// Words with a wrong parity, or with bits that no memory has.
    fn damaged_words(&self) -> usize {
        let widths = self.widths();
        let count = |words: &mut dyn Iterator<Item = u64>, bits: u32| {
            let is_wrong = |word: &u64| word >> bits != 0 || is_damaged(*word, bits);
            words.filter(is_wrong).count()
        };
        count(&mut self.pages().iter().copied(), widths.page_bits())
            + count(
                &mut self.buckets().iter().map(|&word| word.into()),
                BUCKET_WORD_BITS,
            )
            + count(&mut self.rows().iter().copied(), widths.row_bits())
            + count(
                &mut self.exits().iter().map(|&word| word.into()),
                widths.exit_bits(),
            )
            + count(
                &mut self.runs().iter().map(|&word| word.into()),
                RUN_WORD_BITS,
            )
    }
}

fn exclusive_or(numbers: &[u32]) -> u32 {
    numbers.iter().fold(0, |all, number| all ^ number)
}
