// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which P0 element made a transfer, and which transfer a value is of.

use std::collections::{BTreeMap, VecDeque};

use coretrace_data_trace::{Address, Element, Keys};
use coretrace_etm::{ArchProfile, Record};

use crate::parents::{Parent, Parents, Step};
use crate::segments::Segments;

/// What belongs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A data transfer.
    Transfer {
        /// Its number in the stream, from 0.
        number: u64,
        /// Offset of its packet in the data trace.
        offset: u64,
        /// Its keys, index and address.
        address: Address,
        /// The P0 element that made it. None if that was cancelled, filtered or lost.
        parent: Option<Parent>,
    },
    /// A value.
    Value {
        /// Offset of its packet in the data trace.
        offset: u64,
        /// Key of its transfer.
        key: u64,
        /// The value.
        value: u64,
        /// The number of its transfer. None if that was filtered or lost.
        transfer: Option<u64>,
    },
    /// Anything else, with the offset of its packet in the data trace.
    Other(u64, Element),
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Transfers.
    pub transfers: u64,
    /// Those without a parent.
    pub without_parent: u64,
    /// Values.
    pub values: u64,
    /// Those without a transfer.
    pub without_transfer: u64,
    /// Elements of either stream that were left out because too many waited for a mark.
    pub dropped: u64,
}

/// Brings an instruction trace and its data trace together.
///
/// The numbered and unnumbered marks that both have cut them into segments. Between two marks their order is not known, so
/// of the P0 elements with the key of a transfer, the one nearest to the parent of the transfer before it counts.
/// A value belongs to the youngest transfer with its key.
#[derive(Clone, Debug)]
pub struct Associator {
    keys: Keys,
    parents: Parents,
    instructions: Segments<Parent>,
    data: Segments<(u64, Element)>,
    /// The youngest P0 elements in front of the segment, one of each key.
    before: VecDeque<Parent>,
    /// The youngest transfer of each key.
    transfers: BTreeMap<u64, u64>,
    statistics: Statistics,
}

impl Associator {
    /// For a trace unit with these keys, at the core of this profile.
    pub fn new(keys: Keys, profile: ArchProfile) -> Associator {
        Associator {
            keys,
            parents: Parents::new(keys.parents, profile),
            instructions: Segments::default(),
            data: Segments::default(),
            before: VecDeque::new(),
            transfers: BTreeMap::new(),
            statistics: Statistics::default(),
        }
    }

    /// Takes a record of the instruction trace.
    pub fn instruction(&mut self, record: &Record) {
        let segments = &mut self.instructions;
        self.parents.record(record, |step| match step {
            Step::Parent(parent) => segments.push(parent),
            Step::Cancel(count) => segments.cancel(count as usize),
            Step::Mark(number) => segments.mark(number),
            Step::Pin => segments.pin(),
        });
    }

    /// Takes an element of the data trace, with the offset of its packet.
    pub fn data(&mut self, offset: u64, element: Element) {
        self.data.push((offset, element));
        match element {
            Element::Mark(number) => self.data.mark((number & 7) as u8),
            Element::Pin => self.data.pin(),
            _ => {}
        }
    }

    /// Passes on what both streams have up to a mark.
    pub fn take(&mut self, sink: &mut impl FnMut(&Found)) {
        while let (Some(here), Some(there)) =
            (self.instructions.oldest_mark(), self.data.oldest_mark())
        {
            // A stream that lost a mark is ahead of the other one.
            let ahead = (here.wrapping_sub(there)) & 7;
            let parents = if ahead < 4 && ahead > 0 {
                Vec::new()
            } else {
                self.instructions.take().items
            };
            let data = if ahead >= 4 {
                Vec::new()
            } else {
                self.data.take().items
            };
            self.segment(parents, data, sink);
        }
    }

    /// Passes on the rest.
    pub fn finish(mut self, sink: &mut impl FnMut(&Found)) -> Statistics {
        self.take(sink);
        while !self.instructions.is_empty() || !self.data.is_empty() {
            let (parents, data) = (self.instructions.take().items, self.data.take().items);
            self.segment(parents, data, sink);
        }
        self.statistics.dropped = self.instructions.dropped + self.data.dropped;
        self.statistics
    }

    fn segment(
        &mut self,
        parents: Vec<Parent>,
        data: Vec<(u64, Element)>,
        sink: &mut impl FnMut(&Found),
    ) {
        let mut place = self.before.len();
        self.before.extend(parents);
        for (offset, element) in data {
            let found = match element {
                Element::Address(address) => {
                    let parent = self.nearest(address.parent, place);
                    place = parent.unwrap_or(place);
                    self.transfer(offset, address, parent)
                }
                Element::Value { key, value } => self.value(offset, key, value),
                other => Found::Other(offset, other),
            };
            sink(&found);
        }
        let extra = self.before.len().saturating_sub(self.keys.parents as usize);
        self.before.drain(..extra);
    }

    /// The P0 element with this key that is nearest to a place.
    fn nearest(&self, key: u64, place: usize) -> Option<usize> {
        let most = self.keys.parents as usize;
        let behind = (place..self.before.len()).take(most);
        let in_front = (0..place).rev().take(most);
        let has_key = |index: &usize| self.before[*index].key == key;
        let (behind, in_front) = (behind.clone().find(has_key), in_front.clone().find(has_key));
        match (behind, in_front) {
            (Some(behind), Some(in_front)) if place - in_front < behind - place => Some(in_front),
            (behind, in_front) => behind.or(in_front),
        }
    }

    fn transfer(&mut self, offset: u64, address: Address, parent: Option<usize>) -> Found {
        let number = self.statistics.transfers;
        self.statistics.transfers += 1;
        self.statistics.without_parent += u64::from(parent.is_none());
        self.transfers.insert(address.key, number);
        Found::Transfer {
            number,
            offset,
            address,
            parent: parent.map(|index| self.before[index]),
        }
    }

    fn value(&mut self, offset: u64, key: u64, value: u64) -> Found {
        let transfer = self.transfers.get(&key).copied();
        self.statistics.values += 1;
        self.statistics.without_transfer += u64::from(transfer.is_none());
        Found::Value {
            offset,
            key,
            value,
            transfer,
        }
    }
}
