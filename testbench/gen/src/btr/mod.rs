// SPDX-License-Identifier: MIT OR Apache-2.0
//! Branch traces: what a program executed, as the places where it could have gone another way.
//!
//! A file (`.btr`) has a table of *sites*, the addresses and kinds of these instructions, and a
//! *record* for each time that one of them retired. Between records execution is sequential.
//! All numbers are little-endian; those of records are LEB128.
//!
//! | bytes | header |
//! |---|---|
//! | 4 | `BTR1` |
//! | 1, 3 | instruction set: 0 A64, 1 A32; zeros |
//! | 8 | address of the first instruction |
//! | 8, 8, 8 | instructions, records, sites |
//! | 24 each | sites: address, direct target (0 if there is none), kind |
//!
//! A record is `2 * site + taken`, the instructions since the record before it, this one included,
//! and for a taken branch whose target varies the zig-zag difference to the target before it.

mod blocks;
mod events;
pub mod files;
mod reader;
mod writer;

pub use blocks::ExecutedBlock;
pub use events::Events;
pub use reader::BranchRecords;
pub use writer::BranchTraceBuilder;

use coretrace_isa::Isa;
use std::fmt;

/// Bytes of an instruction: there are no branch traces of T32.
pub const INSTRUCTION_BYTES: u64 = 4;

/// What a site does; several of the constants at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteKind(pub u64);

impl SiteKind {
    /// It has a condition.
    pub const CONDITIONAL: SiteKind = SiteKind(1);
    /// Its target is in a register or in memory.
    pub const INDIRECT: SiteKind = SiteKind(2);
    /// It writes the link register.
    pub const LINK: SiteKind = SiteKind(4);
    /// It is a return.
    pub const RETURN: SiteKind = SiteKind(8);
    /// It calls the supervisor.
    pub const SUPERVISOR_CALL: SiteKind = SiteKind(16);
    /// It is an instruction synchronization barrier.
    pub const BARRIER: SiteKind = SiteKind(32);
    /// It is any instruction behind which execution went on elsewhere.
    pub const DISCONTINUITY: SiteKind = SiteKind(64);
    /// It is a branch.
    pub const BRANCH: SiteKind = SiteKind(128);

    /// Kinds whose records have a target, unless they are barriers as well.
    const VARIES: SiteKind = SiteKind(2 | 16 | 64);

    /// Whether it has any of these properties.
    pub const fn is(self, other: SiteKind) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the records of taken ones have a target. Behind a barrier comes the next instruction.
    const fn has_target(self) -> bool {
        self.is(SiteKind::VARIES) && !self.is(SiteKind::BARRIER)
    }

    /// These properties as well.
    #[must_use]
    pub const fn and(self, other: SiteKind) -> SiteKind {
        SiteKind(self.0 | other.0)
    }
}

/// An instruction that need not be followed by the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// Its address.
    pub address: u64,
    /// Where it branches to; 0 if that varies.
    pub target: u64,
    /// What it is.
    pub kind: SiteKind,
}

/// A site that retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchRecord {
    /// Its number in [`BranchTrace::sites`].
    pub site: usize,
    /// Whether execution left the sequence.
    pub taken: bool,
    /// Instructions since the record before it, this one included.
    pub instructions: u64,
    /// The address of the next instruction.
    pub next: u64,
}

/// A branch trace that has been checked: every record names a site and leads to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchTrace {
    /// A64 or A32.
    pub isa: Isa,
    /// Address of the first instruction.
    pub start: u64,
    /// Instructions.
    pub instructions: u64,
    /// The places that records name.
    pub sites: Vec<Site>,
    /// How many records there are.
    count: u64,
    /// The records as in a file.
    records: Vec<u8>,
}

impl BranchTrace {
    /// The records in order.
    pub fn records(&self) -> BranchRecords<'_> {
        BranchRecords::new(&self.sites, &self.records, self.count)
    }

    /// How many records there are.
    pub fn record_count(&self) -> u64 {
        self.count
    }

    /// The beginning of it: the fewest records that have so many instructions, and their sites.
    #[must_use]
    pub fn prefix(&self, instructions: u64) -> BranchTrace {
        let mut builder = BranchTraceBuilder::new(self.isa, self.start);
        for record in self.records() {
            if builder.instructions() >= instructions {
                break;
            }
            self.push(&mut builder, &record);
        }
        builder.finish()
    }

    /// What is behind [`BranchTrace::prefix`].
    #[must_use]
    pub fn suffix(&self, instructions: u64) -> BranchTrace {
        let (mut before, mut start) = (0, self.start);
        let mut records = self.records();
        while before < instructions
            && let Some(record) = records.next()
        {
            before += record.instructions;
            start = record.next;
        }
        let mut builder = BranchTraceBuilder::new(self.isa, start);
        records.for_each(|record| self.push(&mut builder, &record));
        builder.finish()
    }

    fn push(&self, builder: &mut BranchTraceBuilder, record: &BranchRecord) {
        let site = self.sites[record.site];
        builder.push(site, record.taken, record.instructions, record.next);
    }
}

/// A file that is no branch trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BtrError {
    /// It does not begin with `BTR1`, or names no instruction set.
    NotBtr,
    /// It is shorter than its header says.
    Cut,
    /// This record names no site, or does not lead from the one before it to its site.
    Record(u64),
    /// Its records have another number of instructions than its header says.
    Instructions(u64),
}

impl fmt::Display for BtrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BtrError::NotBtr => write!(f, "it is no branch trace of A64 or A32: no BTR1 in front"),
            BtrError::Cut => write!(f, "it ends before its last site or record"),
            BtrError::Record(number) => write!(
                f,
                "record {number} does not lead from the place before it to one of the sites"
            ),
            BtrError::Instructions(count) => {
                write!(
                    f,
                    "its records have {count} instructions, its header has another number"
                )
            }
        }
    }
}

impl std::error::Error for BtrError {}
