// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes branch traces, and writes them.

use super::{BranchTrace, Site};
use coretrace_isa::Isa;
use std::collections::HashMap;

/// Collects records.
#[derive(Clone, Debug)]
pub struct BranchTraceBuilder {
    trace: BranchTrace,
    numbers: HashMap<Site, u64>,
    /// The newest target that varies.
    target: u64,
}

fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

impl BranchTraceBuilder {
    /// A trace that begins at an address.
    pub fn new(isa: Isa, start: u64) -> BranchTraceBuilder {
        BranchTraceBuilder {
            trace: BranchTrace {
                isa,
                start,
                instructions: 0,
                sites: Vec::new(),
                count: 0,
                records: Vec::new(),
            },
            numbers: HashMap::new(),
            target: 0,
        }
    }

    /// Instructions so far.
    pub fn instructions(&self) -> u64 {
        self.trace.instructions
    }

    /// A site retired after so many instructions, itself included; `next` is where a taken one
    /// leads.
    pub fn push(&mut self, site: Site, taken: bool, instructions: u64, next: u64) {
        let trace = &mut self.trace;
        let number = *self.numbers.entry(site).or_insert_with(|| {
            trace.sites.push(site);
            trace.sites.len() as u64 - 1
        });
        put_number(&mut trace.records, number << 1 | u64::from(taken));
        put_number(&mut trace.records, instructions);
        if taken && site.kind.has_target() {
            let difference = next.wrapping_sub(self.target);
            let sign = (difference >> 63).wrapping_neg();
            put_number(&mut trace.records, difference << 1 ^ sign);
            self.target = next;
        }
        trace.count += 1;
        trace.instructions = trace.instructions.saturating_add(instructions);
    }

    /// The trace.
    pub fn finish(self) -> BranchTrace {
        self.trace
    }
}

impl BranchTrace {
    /// The bytes of a file.
    pub fn write(&self) -> Vec<u8> {
        let isa = u8::from(self.isa != Isa::A64);
        let mut file = [b"BTR1".as_slice(), &[isa, 0, 0, 0]].concat();
        let sites = self.sites.len() as u64;
        for word in [self.start, self.instructions, self.count, sites] {
            file.extend(word.to_le_bytes());
        }
        for site in &self.sites {
            for word in [site.address, site.target, site.kind.0] {
                file.extend(word.to_le_bytes());
            }
        }
        file.extend(&self.records);
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btr::{BtrError, SiteKind};

    fn sample() -> BranchTrace {
        let branch = SiteKind::BRANCH;
        let call = Site {
            address: 0x1008,
            target: 0x2000,
            kind: branch.and(SiteKind::LINK),
        };
        let back = Site {
            address: 0x2004,
            target: 0,
            kind: branch.and(SiteKind::INDIRECT).and(SiteKind::RETURN),
        };
        let mut builder = BranchTraceBuilder::new(Isa::A64, 0x1000);
        builder.push(call, true, 3, 0x2000);
        builder.push(back, true, 2, 0x100C);
        let end = Site {
            address: 0x1010,
            target: 0x1000,
            kind: branch.and(SiteKind::CONDITIONAL),
        };
        builder.push(end, false, 2, 0x1014);
        builder.finish()
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let trace = sample();
        assert_eq!(BranchTrace::read(&trace.write()), Ok(trace.clone()));
        let next: Vec<u64> = trace.records().map(|record| record.next).collect();
        assert_eq!(next, [0x2000, 0x100C, 0x1014]);
    }

    #[test]
    fn a_barrier_has_no_target_whatever_else_it_is() {
        let site = Site {
            address: 0x1000,
            target: 0,
            kind: SiteKind::BARRIER.and(SiteKind::SUPERVISOR_CALL),
        };
        let mut builder = BranchTraceBuilder::new(Isa::A64, 0x1000);
        builder.push(site, true, 1, 0x1004);
        let trace = builder.finish();
        assert_eq!(BranchTrace::read(&trace.write()), Ok(trace));
    }

    #[test]
    fn a_prefix_ends_behind_the_record_that_reaches_its_length() {
        let prefix = sample().prefix(4);
        assert_eq!((prefix.instructions, prefix.record_count()), (5, 2));
        assert_eq!(BranchTrace::read(&prefix.write()), Ok(prefix));
    }

    #[test]
    fn a_suffix_goes_on_where_the_prefix_ends() {
        let suffix = sample().suffix(4);
        assert_eq!((suffix.start, suffix.instructions), (0x100C, 2));
        assert_eq!(BranchTrace::read(&suffix.write()), Ok(suffix));
        assert_eq!(sample().suffix(0), sample());
        assert_eq!(sample().suffix(8).record_count(), 0);
    }

    #[test]
    fn no_cut_and_no_changed_byte_of_a_file_panics() {
        let file = sample().write();
        for len in 0..file.len() {
            assert!(BranchTrace::read(&file[..len]).is_err(), "{len} bytes");
            for change in 1..=255 {
                let mut file = file.clone();
                file[len] ^= change;
                if let Ok(trace) = BranchTrace::read(&file) {
                    assert!(trace.records().count() <= file.len());
                }
            }
        }
        assert_eq!(BranchTrace::read(b"BTR1\x02\0\0\0"), Err(BtrError::NotBtr));
    }

    #[test]
    fn code_without_a_branch_is_not_longer_than_any_program() {
        let end = Site {
            address: 1 << 40,
            target: 0,
            kind: SiteKind::BRANCH.and(SiteKind::INDIRECT),
        };
        let mut builder = BranchTraceBuilder::new(Isa::A64, 0);
        builder.push(end, true, (1 << 38) + 1, 0);
        let file = builder.finish().write();
        assert_eq!(BranchTrace::read(&file), Err(BtrError::Record(0)));
    }
}
