// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements: what the packets of a source mean, as OpenCSD's full decode has them.

use coretrace_decode::Policy;
use coretrace_itm as itm;
use coretrace_stm as stm;

use crate::Record;

/// An element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element<'a> {
    /// Nothing was decoded before: at the beginning, and after an error.
    NoSync(&'static str),
    /// Something that software wrote, or that the hardware reported.
    Trace {
        /// The packet.
        record: &'a Record,
        /// Whether an ITM lost packets before it.
        after_overflow: bool,
    },
    /// The trace ends.
    End,
}

/// Makes the elements of one source. Under [`Policy::OpenCsd`] they end with the first error.
#[derive(Clone, Debug)]
pub struct Elements {
    policy: Policy,
    has_begun: bool,
    is_over: bool,
    after_overflow: bool,
    /// Offset of the last record.
    last: u64,
}

impl Elements {
    /// No record yet.
    pub fn new(policy: Policy) -> Elements {
        Elements {
            policy,
            has_begun: false,
            is_over: false,
            after_overflow: false,
            last: 0,
        }
    }

    /// Takes a record; `sink` gets the offset and the element that it makes. The offset is that of the first
    /// byte that has no nibble of the packet before.
    pub fn record(&mut self, record: &Record, mut sink: impl FnMut(u64, &Element<'_>)) {
        self.last = match record {
            Record::Stm(record) => record.offset.div_ceil(2),
            Record::Itm(record) => record.offset,
        };
        if !self.has_begun {
            sink(self.last, &Element::NoSync("init-decoder"));
            self.has_begun = true;
        } else if !self.is_over && record.is_error() && self.policy != Policy::OpenCsd {
            sink(self.last, &Element::NoSync("bad-packet"));
        }
        self.is_over |= record.is_error() && self.policy == Policy::OpenCsd;
        self.after_overflow |= matches!(record, Record::Itm(it) if it.kind == itm::Kind::Overflow);
        if !self.is_over && is_element(record) {
            let after_overflow = std::mem::take(&mut self.after_overflow);
            let element = Element::Trace {
                record,
                after_overflow,
            };
            sink(self.last, &element);
        }
    }

    /// The trace ends.
    pub fn finish(&mut self, mut sink: impl FnMut(u64, &Element<'_>)) {
        if self.has_begun && !self.is_over {
            sink(self.last, &Element::End);
        }
    }
}

/// Whether a record is more than a change of the trace state.
fn is_element(record: &Record) -> bool {
    match record {
        Record::Stm(record) => {
            use stm::Kind::{Flag, Frequency, GlobalError, MasterError, Null, Trigger};
            match record.kind {
                Null => record.is_stamped(),
                Flag | Frequency | GlobalError | MasterError | Trigger => true,
                kind => kind.data_bits().is_some(),
            }
        }
        Record::Itm(record) => {
            use itm::Kind::{
                GlobalTimestamp1, GlobalTimestamp2, Hardware, LocalTimestamp, Software,
            };
            match record.kind {
                GlobalTimestamp1 => record.state.is_global_complete,
                GlobalTimestamp2 | Hardware | LocalTimestamp | Software => true,
                _ => false,
            }
        }
    }
}
