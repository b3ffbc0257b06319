// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads branch traces.

use super::{BranchRecord, BranchTrace, BtrError, INSTRUCTION_BYTES, Site, SiteKind};
use coretrace_isa::Isa;

const SITE_BYTES: usize = 24;
/// Instructions of a record, at most: no program has so much code without a branch.
const MOST_INSTRUCTIONS: u64 = 1 << 24;

/// The first eight bytes of a slice, which it loses.
fn word(bytes: &mut &[u8]) -> Option<u64> {
    let (word, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*word))
}

/// A LEB128 number of at most 64 bits.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// The difference that a zig-zag number means.
fn difference(number: u64) -> u64 {
    number >> 1 ^ (number & 1).wrapping_neg()
}

/// The records of a branch trace.
#[derive(Clone, Debug)]
pub struct BranchRecords<'t> {
    sites: &'t [Site],
    bytes: &'t [u8],
    left: u64,
    /// The newest target that varies.
    target: u64,
}

impl<'t> BranchRecords<'t> {
    pub(super) fn new(sites: &'t [Site], bytes: &'t [u8], left: u64) -> BranchRecords<'t> {
        BranchRecords {
            sites,
            bytes,
            left,
            target: 0,
        }
    }

    fn read(&mut self) -> Option<BranchRecord> {
        let name = number(&mut self.bytes)?;
        let instructions = number(&mut self.bytes)?;
        let (site, taken) = (usize::try_from(name >> 1).ok()?, name & 1 == 1);
        let Site {
            address,
            target,
            kind,
        } = *self.sites.get(site)?;
        let next = if !taken || kind.is(SiteKind::BARRIER) {
            address.wrapping_add(INSTRUCTION_BYTES)
        } else if kind.has_target() {
            self.target = self
                .target
                .wrapping_add(difference(number(&mut self.bytes)?));
            self.target
        } else {
            target
        };
        Some(BranchRecord {
            site,
            taken,
            instructions,
            next,
        })
    }
}

impl Iterator for BranchRecords<'_> {
    type Item = BranchRecord;

    fn next(&mut self) -> Option<BranchRecord> {
        self.left = self.left.checked_sub(1)?;
        self.read()
    }
}

impl BranchTrace {
    /// Reads a file that is not compressed.
    ///
    /// # Errors
    /// If it is no branch trace, is cut, or a record does not lead from the one before it to its
    /// site.
    pub fn read(file: &[u8]) -> Result<BranchTrace, BtrError> {
        let (isa, mut rest) = match file {
            [b'B', b'T', b'R', b'1', 0, 0, 0, 0, rest @ ..] => (Isa::A64, rest),
            [b'B', b'T', b'R', b'1', 1, 0, 0, 0, rest @ ..] => (Isa::A32, rest),
            _ => return Err(BtrError::NotBtr),
        };
        let mut header = || word(&mut rest).ok_or(BtrError::Cut);
        let [start, instructions, count, sites] = [header()?, header()?, header()?, header()?];
        let sites = usize::try_from(sites).map_err(|_| BtrError::Cut)?;
        let bytes = sites.checked_mul(SITE_BYTES).ok_or(BtrError::Cut)?;
        let (mut table, records) = rest.split_at_checked(bytes).ok_or(BtrError::Cut)?;
        let mut site = || {
            Some(Site {
                address: word(&mut table)?,
                target: word(&mut table)?,
                kind: SiteKind(word(&mut table)?),
            })
        };
        let trace = BranchTrace {
            isa,
            start,
            instructions,
            sites: std::iter::from_fn(&mut site).collect(),
            count,
            records: records.to_vec(),
        };
        trace.check()?;
        Ok(trace)
    }

    /// Whether records lead from one site to the next.
    fn check(&self) -> Result<(), BtrError> {
        let mut address = self.start;
        let mut instructions = 0u64;
        let mut records = self.records();
        for number in 0..self.count {
            let record = records.next().ok_or(if records.bytes.is_empty() {
                BtrError::Cut
            } else {
                BtrError::Record(number)
            })?;
            let before = record.instructions.checked_sub(1);
            let leads = before
                .filter(|before| *before < MOST_INSTRUCTIONS)
                .map(|before| before * INSTRUCTION_BYTES)
                .is_some_and(|bytes| {
                    address.checked_add(bytes) == Some(self.sites[record.site].address)
                });
            if !leads || !address.is_multiple_of(INSTRUCTION_BYTES) {
                return Err(BtrError::Record(number));
            }
            address = record.next;
            instructions = instructions.saturating_add(record.instructions);
        }
        if instructions != self.instructions {
            return Err(BtrError::Instructions(instructions));
        }
        Ok(())
    }
}
