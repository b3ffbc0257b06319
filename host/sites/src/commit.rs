// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commit queue: what a trace unit may still take back waits here, so that the walk never goes
//! back. P0 elements are numbered; any other item waits for the P0 elements in front of it.

use std::collections::VecDeque;

use coretrace_abi::flow_table::LostReason;

use crate::item::FlowItem;

/// Most atoms of an item.
const MOST_ATOMS: u8 = 24;
/// Items that are no atoms and wait, at most: many more than a trace unit with a speculation depth of
/// 255 makes.
const MOST_WAITING: usize = 4096;

/// A P0 element that is not final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum P0 {
    Atom(bool),
    /// It is an item that waits for itself.
    Other,
}

/// Items in; those that are final out. Without speculation nothing waits.
#[derive(Clone, Debug)]
pub struct CommitQueue {
    max_spec: u32,
    /// There was a Trace Info since the last loss.
    is_synced: bool,
    /// The number of the oldest P0 element that is not final, of the oldest one that the stream had,
    /// and of the next one.
    first: u64,
    seen: u64,
    next: u64,
    /// The P0 elements from the later one of `first` and `seen` on.
    waiting: VecDeque<P0>,
    /// Other items, each with the number of the P0 element that comes next.
    others: VecDeque<(u64, FlowItem)>,
}

impl CommitQueue {
    /// The queue of a trace unit with this speculation depth (TRCIDR8.MAXSPEC).
    pub fn new(max_spec: u32) -> CommitQueue {
        CommitQueue {
            max_spec,
            is_synced: false,
            first: 0,
            seen: 0,
            next: 0,
            waiting: VecDeque::new(),
            others: VecDeque::new(),
        }
    }

    /// Takes an item; `sink` gets what is final with it.
    pub fn item(&mut self, item: FlowItem, sink: &mut impl FnMut(FlowItem)) {
        match item {
            FlowItem::TraceInfo { speculative } => {
                if !self.is_synced {
                    self.begin(speculative);
                }
                sink(item);
            }
            FlowItem::ReadOut => sink(item),
            // They were sent, and nobody knows where.
            FlowItem::Atoms { .. } if !self.is_synced => sink(item),
            FlowItem::Source { .. } if !self.is_synced => {
                sink(FlowItem::Atoms { bits: 1, count: 1 })
            }
            _ if !self.is_synced => {}
            FlowItem::Gap(reason) if reason != LostReason::TraceOn => self.lose(reason, sink),
            FlowItem::Commit(count) => self.commit(count, sink),
            FlowItem::Cancel(count) => self.cancel(count, sink),
            FlowItem::Mispredict => self.mispredict(sink),
            // Everything is final.
            _ if self.max_spec == 0 => sink(item),
            FlowItem::Atoms { bits, count } => {
                let atoms = (0..count).map(|atom| P0::Atom(bits >> atom & 1 == 1));
                self.waiting.extend(atoms);
                self.next += u64::from(count);
                self.commit_beyond(sink);
            }
            FlowItem::Exception { .. }
            | FlowItem::Q { .. }
            | FlowItem::Source { .. }
            | FlowItem::Jump { is_p0: true } => {
                self.waiting.push_back(P0::Other);
                self.next += 1;
                self.wait(item, sink);
                self.commit_beyond(sink);
            }
            _ => {
                self.wait(item, sink);
                self.release(self.first, sink);
            }
        }
    }

    fn begin(&mut self, speculative: u32) {
        self.is_synced = true;
        self.waiting.clear();
        self.others.clear();
        self.next = u64::from(speculative);
        self.seen = self.next;
        self.first = self.next - u64::from(speculative.min(self.max_spec));
    }

    fn lose(&mut self, reason: LostReason, sink: &mut impl FnMut(FlowItem)) {
        self.begin(0);
        self.is_synced = false;
        sink(FlowItem::Gap(reason));
    }

    fn wait(&mut self, item: FlowItem, sink: &mut impl FnMut(FlowItem)) {
        self.others.push_back((self.next, item));
        if self.others.len() > MOST_WAITING {
            self.lose(LostReason::Dropped, sink);
        }
    }

    /// The number of the oldest P0 element in `waiting`.
    fn oldest(&self) -> u64 {
        self.first.max(self.seen)
    }

    fn commit_beyond(&mut self, sink: &mut impl FnMut(FlowItem)) {
        let final_end = self.next.saturating_sub(self.max_spec.into());
        self.release(self.first.max(final_end), sink);
    }

    fn commit(&mut self, count: u32, sink: &mut impl FnMut(FlowItem)) {
        let end = self.first + u64::from(count);
        if end > self.next {
            self.lose(LostReason::BadPacket, sink);
        } else {
            self.release(end, sink);
        }
    }

    /// The P0 elements up to `end` are final.
    fn release(&mut self, end: u64, sink: &mut impl FnMut(FlowItem)) {
        loop {
            while let Some((number, item)) = self.others.front()
                && *number <= self.first
            {
                sink(*item);
                self.others.pop_front();
            }
            if self.first >= end {
                return;
            }
            let next_other = self.others.front().map_or(end, |(number, _)| *number);
            let atoms_end = end.min(next_other);
            let (mut bits, mut count) = (0, 0);
            while self.first < atoms_end && count < MOST_ATOMS {
                let is_seen = self.first >= self.seen;
                let oldest = if is_seen {
                    self.waiting.pop_front()
                } else {
                    None
                };
                if let Some(P0::Atom(taken)) = oldest {
                    bits |= u32::from(taken) << count;
                    count += 1;
                }
                self.first += 1;
            }
            if count > 0 {
                sink(FlowItem::Atoms { bits, count });
            }
        }
    }

    fn cancel(&mut self, count: u32, sink: &mut impl FnMut(FlowItem)) {
        let next = self.next.checked_sub(count.into());
        let Some(next) = next.filter(|next| *next >= self.first) else {
            return self.lose(LostReason::BadPacket, sink);
        };
        let kept = next.saturating_sub(self.oldest());
        self.waiting.truncate(kept as usize);
        self.next = next;
        self.seen = self.seen.min(next);
        self.others.retain(|(number, _)| *number <= next);
    }

    /// Flips the youngest atom, and removes the addresses behind it.
    fn mispredict(&mut self, sink: &mut impl FnMut(FlowItem)) {
        let is_atom = |p0: &P0| matches!(p0, P0::Atom(_));
        let place = self.waiting.iter().rposition(is_atom);
        if let Some(place) = place
            && let P0::Atom(taken) = &mut self.waiting[place]
        {
            *taken = !*taken;
        }
        // It may be one from before.
        if place.is_none() && self.seen <= self.first {
            return self.lose(LostReason::BadPacket, sink);
        }
        let atom = place.map(|place| self.oldest() + place as u64);
        let is_address = |item: &FlowItem| matches!(item, FlowItem::Address { .. });
        self.others
            .retain(|(number, item)| atom.is_some_and(|atom| *number <= atom) || !is_address(item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes out of a queue of depth 4.
    fn out(items: &[FlowItem]) -> Vec<FlowItem> {
        let mut queue = CommitQueue::new(4);
        let mut out = Vec::new();
        for item in items {
            queue.item(*item, &mut |item| out.push(item));
        }
        out
    }

    #[test]
    fn an_address_behind_a_mispredicted_atom_from_before_is_dropped() {
        let begin = FlowItem::TraceInfo { speculative: 2 };
        let address = FlowItem::Address {
            address: 0x1000,
            is1: false,
        };
        let commit = FlowItem::Commit(2);
        assert_eq!(out(&[begin, address, commit]), [begin, address]);
        let mispredict = FlowItem::Mispredict;
        assert_eq!(out(&[begin, address, mispredict, commit]), [begin]);
    }
}
