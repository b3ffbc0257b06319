// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long rows of items wait for the walker of a program: the blocks from `ItemFifo` to `Serializer` of
//! `coretrace-hdl-flow`, cycle by cycle, without the program.
//!
//! | block | rule |
//! |---|---|
//! | `ItemFifo` | takes a row in each cycle; the row that finds it full is dropped, and so are all up to half of its places |
//! | `ItemSequencer` | one item in each cycle, or an address with the atoms behind it in its row, if the item before is atoms that end with an E, or cycles |
//! | `CommitRing` | one item in each cycle, while fewer than three quarters of the entries wait |
//! | `Merge` | an entry for each packet with an E; N atoms and an address wait for the next one |
//! | `Serializer` | one E in each cycle; an entry without an E takes a cycle, and one more if no address follows; one with cycles alone takes one, and may be that cycle |
//!
//! The walker behind them takes what they give. Tests compare rows and hops with the simulated hardware
//! in each cycle. Read-outs of the counters are no part of it.

mod entries;
mod items;
mod ring;

use std::collections::VecDeque;

use entries::{Entries, Entry};
pub use items::{PlacedItem, QueueItem, placed_items};
use ring::{Issue, Ring};

/// Cycles from an item that leaves the ring to its entry in the second FIFO: rank, merge.
const TO_ENTRY: u64 = 14;
/// Cycles from a write to a FIFO to the first cycle in which the word can be taken.
const FIFO_LATENCY: u64 = 2;
/// Entries from which on no more items are taken: three quarters of 64.
const FILLS_UP: usize = 48;

/// A row that waits.
#[derive(Clone, Copy, Debug)]
struct Row {
    written: u64,
    items: usize,
}

/// What is left of an entry.
#[derive(Clone, Copy, Debug)]
struct Rest {
    tokens: u32,
    has_taken: bool,
    only_counts: bool,
}

/// What a walker does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// Nothing.
    Nothing,
    /// A hop without an E atom.
    NotTaken,
    /// A hop with one.
    Taken,
}

/// The queues in front of a walker.
#[derive(Clone, Debug)]
pub struct FlowQueue {
    /// Rows that the first FIFO holds.
    places: usize,
    cycle: u64,
    rows: VecDeque<Row>,
    /// Items of the row that is sequenced, then those of the rows that wait.
    items: VecDeque<QueueItem>,
    sequenced: usize,
    /// Nothing waits behind the newest item that went out.
    is_clear: bool,
    ring: Ring,
    /// Rows were dropped, and none has been taken since.
    is_dropping: bool,
    dropped_atoms: u64,
    losses: u64,
    entries: Entries,
    waiting_entries: VecDeque<(u64, Entry)>,
    /// Of these, those that are in the FIFO.
    arrived: usize,
    fills_up: bool,
    rest: Option<Rest>,
}

impl FlowQueue {
    /// Queues with a first FIFO of 2^`address_bits` places, of which one stays free.
    pub fn new(address_bits: u32) -> FlowQueue {
        FlowQueue {
            places: (1 << address_bits) - 1,
            cycle: 0,
            rows: VecDeque::new(),
            items: VecDeque::new(),
            sequenced: 0,
            is_clear: false,
            ring: Ring::default(),
            is_dropping: false,
            dropped_atoms: 0,
            losses: 0,
            entries: Entries::default(),
            waiting_entries: VecDeque::new(),
            arrived: 0,
            fills_up: false,
            rest: None,
        }
    }

    /// Rows that wait.
    pub fn level(&self) -> usize {
        self.rows.len()
    }

    /// Items and entries that wait.
    pub fn waiting(&self) -> usize {
        self.items.len() + self.waiting_entries.len()
    }

    /// Atoms of the rows that were dropped.
    pub fn dropped_atoms(&self) -> u64 {
        self.dropped_atoms
    }

    /// Stretches of rows that were dropped. The first row behind each of them says so.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    /// Whether nothing happens until a row comes.
    pub fn is_idle(&self) -> bool {
        self.items.is_empty()
            && self.ring.is_empty()
            && self.waiting_entries.is_empty()
            && self.rest.is_none()
    }

    /// Cycles in which nothing happens.
    pub fn rest(&mut self, cycles: u64) {
        self.cycle += cycles;
        self.fills_up = false;
    }

    /// A cycle, with the items of a row or none.
    pub fn cycle(&mut self, row: &[QueueItem]) -> Served {
        let level = self.rows.len();
        let is_ready = !self.fills_up;
        let served = self.serialize();
        self.sequence(is_ready);
        self.store(row, level);
        self.cycle += 1;
        served
    }

    /// The second FIFO, and the serializer behind it.
    fn serialize(&mut self) -> Served {
        let now = self.cycle;
        let is_in = |(written, _): &(u64, Entry)| *written < now;
        while self.waiting_entries.get(self.arrived).is_some_and(is_in) {
            self.arrived += 1;
        }
        self.fills_up = self.arrived >= FILLS_UP;
        let first = self.waiting_entries.front();
        let first = first.filter(|(written, _)| written + FIFO_LATENCY <= now);
        let entry = first.map(|(_, entry)| *entry);
        let (served, left, is_free) = match self.rest {
            None => (Served::Nothing, 0, true),
            Some(rest) if rest.has_taken => (Served::Taken, rest.tokens - 1, rest.tokens == 1),
            Some(rest) => {
                let may_follow = |entry: Entry| entry.has_address || entry.only_counts;
                let follows = rest.only_counts || entry.is_some_and(may_follow);
                (Served::NotTaken, 0, follows)
            }
        };
        self.rest = match entry.filter(|_| is_free) {
            Some(entry) => {
                self.waiting_entries.pop_front();
                self.arrived -= 1;
                Some(Rest {
                    tokens: entry.taken.max(1),
                    has_taken: entry.taken > 0,
                    only_counts: entry.only_counts,
                })
            }
            None => self.rest.filter(|_| left > 0).map(|rest| Rest {
                tokens: left,
                ..rest
            }),
        };
        served
    }

    /// The ring, and the sequencer in front of it: an item of its row, and behind the last one the next
    /// row.
    fn sequence(&mut self, goes: bool) {
        let sends = self.ring.is_ready() && self.sequenced > 0;
        let sent = sends.then(|| self.issue());
        let left = self.ring.cycle(goes, sent);
        let written = self.cycle + TO_ENTRY;
        for item in left.into_iter().flatten().flatten() {
            let entry = self.entries.item(item);
            self.waiting_entries
                .extend(entry.map(|entry| (written, entry)));
        }
        let now = self.cycle;
        let row = self.rows.front().copied();
        let row = row.filter(|row| row.written + FIFO_LATENCY <= now);
        if self.sequenced == 0
            && let Some(row) = row
        {
            self.rows.pop_front();
            self.sequenced = row.items;
        }
    }

    /// What leaves the row in a cycle.
    fn issue(&mut self) -> Issue {
        let is_clear = self.is_clear;
        let first = self.item();
        let atoms_follow = matches!(self.items.front(), Some(QueueItem::Atoms { .. }));
        let folds = is_clear && first == QueueItem::Address && self.sequenced > 0 && atoms_follow;
        [Some(first), folds.then(|| self.item())]
    }

    fn item(&mut self) -> QueueItem {
        self.sequenced -= 1;
        let item = self.items.pop_front().expect("an item of the row");
        self.is_clear = matches!(item, QueueItem::Atoms { tail: 0, .. } | QueueItem::Cycles);
        item
    }

    /// The first FIFO, which has `level` rows at the beginning of the cycle.
    fn store(&mut self, row: &[QueueItem], level: usize) {
        if row.is_empty() {
            return;
        }
        let is_half_full = level > self.places / 2;
        if level == self.places || self.is_dropping && is_half_full {
            self.losses += u64::from(!self.is_dropping);
            self.is_dropping = true;
            let atoms = row.iter().map(|item| u64::from(item.atoms()));
            self.dropped_atoms += atoms.sum::<u64>();
            return;
        }
        let before = self.items.len();
        if std::mem::take(&mut self.is_dropping) {
            self.items.push_back(QueueItem::Gap);
        }
        self.items.extend(row);
        self.rows.push_back(Row {
            written: self.cycle,
            items: self.items.len() - before,
        });
    }
}
