// SPDX-License-Identifier: MIT OR Apache-2.0
//! A record of either protocol.

use coretrace_itm as itm;
use coretrace_stm as stm;

/// A packet, an error, or what was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// Of an STM; offset and length in nibbles.
    Stm(stm::Record),
    /// Of an ITM; offset and length in bytes.
    Itm(itm::Record),
}

impl Record {
    /// The name that OpenCSD's packet lister prints.
    pub const fn name(&self) -> &'static str {
        match self {
            Record::Stm(record) => record.name(),
            Record::Itm(record) => record.kind.name(),
        }
    }

    /// Offset of the byte with its beginning.
    pub const fn offset(&self) -> u64 {
        match self {
            Record::Stm(record) => record.offset / 2,
            Record::Itm(record) => record.offset,
        }
    }

    /// Offset of the byte with its end.
    pub const fn last_byte(&self) -> u64 {
        match self {
            Record::Stm(record) => (record.offset + record.len.saturating_sub(1)) / 2,
            Record::Itm(record) => record.offset + record.len.saturating_sub(1),
        }
    }

    /// Units of its protocol, nibbles or bytes, in a byte.
    pub const fn units(&self) -> u64 {
        match self {
            Record::Stm(_) => 2,
            Record::Itm(_) => 1,
        }
    }

    /// Nibbles or bytes.
    pub const fn len(&self) -> u64 {
        match self {
            Record::Stm(record) => record.len,
            Record::Itm(record) => record.len,
        }
    }

    /// Whether it has no nibble or byte, which never is so.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it is an ASYNC or a sync.
    pub fn is_sync(&self) -> bool {
        match self {
            Record::Stm(record) => record.kind == stm::Kind::Async,
            Record::Itm(record) => record.kind == itm::Kind::Sync,
        }
    }

    /// Whether it was not read.
    pub fn is_unread(&self) -> bool {
        match self {
            Record::Stm(record) => record.kind == stm::Kind::NotSync,
            Record::Itm(record) => record.kind == itm::Kind::NotSync,
        }
    }

    /// Whether something is wrong with it.
    pub const fn is_error(&self) -> bool {
        match self {
            Record::Stm(record) => record.kind.is_error(),
            Record::Itm(record) => record.kind.is_error(),
        }
    }

    /// Whether an error came before it, under the lenient policy.
    pub const fn is_suspect(&self) -> bool {
        match self {
            Record::Stm(record) => record.suspect,
            Record::Itm(record) => record.suspect,
        }
    }

    /// The names that records have.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let opcodes = stm::OPCODES.iter().map(|opcode| opcode.name);
        let of_stm = stm::Kind::ALL.iter().map(|kind| kind.name());
        let of_itm = itm::Kind::ALL.iter().map(|kind| kind.name());
        opcodes.chain(of_stm).chain(of_itm)
    }

    /// The time after it: the timestamp of an STM, the local time of an ITM.
    pub const fn time(&self) -> u64 {
        match self {
            Record::Stm(record) => record.state.timestamp,
            Record::Itm(record) => record.state.local_time,
        }
    }

    /// The time after it that other sources can have too: the timestamp of an STM, the global timestamp of
    /// an ITM. None before the first one.
    pub fn common_time(&self) -> Option<u64> {
        let time = match self {
            Record::Stm(record) => record.state.timestamp,
            Record::Itm(record) if record.state.is_global_complete => record.state.global_time,
            Record::Itm(_) => 0,
        };
        (time > 0).then_some(time)
    }

    /// The timestamp of a packet that has one.
    pub fn timestamp(&self) -> Option<u64> {
        let has_one = match self {
            Record::Stm(record) => record.is_stamped(),
            Record::Itm(record) => record.kind == itm::Kind::LocalTimestamp,
        };
        has_one.then_some(self.time())
    }
}
