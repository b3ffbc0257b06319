// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts while they are made: ranges by slot, with a small table of recent ones.

mod stored;

use coretrace_flow::Range as Executed;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::counts::{Counts, Edge, Range, Sums};
use crate::who::{Context, Who};

/// Places of the small table: a power of two.
const PLACES: usize = 1 << 12;

/// A range and its sums.
#[derive(Clone, Debug)]
struct Slot {
    /// Who executed it, by number.
    who: u32,
    range: Range,
    /// As the last visit had it.
    seen: Executed,
    sums: Sums,
    /// The target of its last branch, and the number of the edge.
    last_edge: Option<(u64, u32)>,
}

/// The ranges and branches of a source.
#[derive(Clone, Debug)]
pub struct Table {
    who: Vec<Who>,
    who_numbers: HashMap<Who, u32>,
    slots: Vec<Slot>,
    slot_numbers: HashMap<(u32, Range), u32>,
    /// The slot of a recent range at the place of its start.
    recent: Box<[u32; PLACES]>,
    /// Slot, target and count.
    edges: Vec<(u32, u64, u64)>,
    edge_numbers: HashMap<(u32, u64), u32>,
}

impl Default for Table {
    fn default() -> Table {
        Table {
            who: Vec::new(),
            who_numbers: HashMap::new(),
            slots: Vec::new(),
            slot_numbers: HashMap::new(),
            recent: Box::new([u32::MAX; PLACES]),
            edges: Vec::new(),
            edge_numbers: HashMap::new(),
        }
    }
}

impl Table {
    /// The number of who executes.
    pub fn who(&mut self, who: Who) -> u32 {
        match self.who_numbers.entry(who) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.who.push(who);
                *new.insert(self.who.len() as u32 - 1)
            }
        }
    }

    /// Counts a visit; the slot of the range.
    #[inline]
    pub fn visit(&mut self, who: u32, executed: &Executed) -> u32 {
        let place = (executed.start >> 1 ^ executed.start >> 13) as usize % PLACES;
        let recent = self.recent[place];
        let slot = match self.slots.get(recent as usize) {
            Some(slot) if slot.who == who && slot.seen == *executed => recent,
            _ => self.find(place, who, executed),
        };
        let sums = &mut self.slots[slot as usize].sums;
        sums.visits = sums.visits.saturating_add(1);
        sums.instructions = sums.instructions.saturating_add(executed.count.into());
        slot
    }

    #[cold]
    fn find(&mut self, place: usize, who: u32, executed: &Executed) -> u32 {
        let slot = self.slot(who, executed.into(), executed);
        self.slots[slot as usize].seen = *executed;
        self.recent[place] = slot;
        slot
    }

    fn slot(&mut self, who: u32, range: Range, seen: &Executed) -> u32 {
        match self.slot_numbers.entry((who, range)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.slots.push(Slot {
                    who,
                    range,
                    seen: *seen,
                    sums: Sums::default(),
                    last_edge: None,
                });
                *new.insert(self.slots.len() as u32 - 1)
            }
        }
    }

    /// Whether a range ends with a taken branch.
    #[inline]
    pub fn is_taken(&self, slot: u32) -> bool {
        self.slots[slot as usize].range.exit.is_taken()
    }

    /// Counts that the branch at the end of a range went to a target.
    #[inline]
    pub fn branch(&mut self, slot: u32, to: u64, count: u64) {
        let number = match self.slots[slot as usize].last_edge {
            Some((last, number)) if last == to => number,
            _ => self.edge(slot, to),
        };
        let sum = &mut self.edges[number as usize].2;
        *sum = sum.saturating_add(count);
    }

    #[cold]
    fn edge(&mut self, slot: u32, to: u64) -> u32 {
        let number = match self.edge_numbers.entry((slot, to)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.edges.push((slot, to, 0));
                *new.insert(self.edges.len() as u32 - 1)
            }
        };
        self.slots[slot as usize].last_edge = Some((to, number));
        number
    }

    /// What orders slots, however they were numbered.
    pub fn key(&self, slot: u32) -> (Who, Range) {
        let slot = &self.slots[slot as usize];
        let who = self.who.get(slot.who as usize).copied();
        (who.unwrap_or_default(), slot.range)
    }

    /// The sums of a slot.
    pub fn sums(&mut self, slot: u32) -> &mut Sums {
        &mut self.slots[slot as usize].sums
    }

    /// Adds another table, whose ranges without a context have this one. Returns the slot here of each
    /// slot there.
    pub fn merge(&mut self, other: Table, context: Context) -> Vec<u32> {
        let mut slots = Vec::with_capacity(other.slots.len());
        for there in &other.slots {
            let mut who = other
                .who
                .get(there.who as usize)
                .copied()
                .unwrap_or_default();
            if who.context == Context::default() {
                who.context = context;
            }
            let who = self.who(who);
            let slot = self.slot(who, there.range, &there.seen);
            self.sums(slot).merge(&there.sums);
            slots.push(slot);
        }
        for (slot, to, count) in other.edges {
            self.branch(slots[slot as usize], to, count);
        }
        slots
    }

    /// Its ranges and branches as counts.
    pub fn counts(self) -> Counts {
        let mut counts = Counts::default();
        for slot in &self.slots {
            let group = counts
                .groups
                .entry(self.who[slot.who as usize])
                .or_default();
            group
                .ranges
                .entry(slot.range)
                .or_default()
                .merge(&slot.sums);
        }
        for (slot, to, count) in self.edges {
            let slot = &self.slots[slot as usize];
            let group = counts
                .groups
                .entry(self.who[slot.who as usize])
                .or_default();
            let edge = Edge {
                from: slot.range.last(),
                to,
                exit: slot.range.exit,
            };
            let sum = group.edges.entry(edge).or_default();
            *sum = sum.saturating_add(count);
        }
        counts
    }
}
