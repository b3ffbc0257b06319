// SPDX-License-Identifier: MIT OR Apache-2.0
//! A unit with loaded tables, and its hops as events of the model.

use crate::items::Items;
use crate::program::SITE_W;
use crate::units::Unit;
use coretrace_abi::flow_stream::Hop;
use coretrace_sites::{FlowItem, FlowTable, WalkSettings};
use coretrace_test_simulate::flow::{Reported, hop_events, hop_field};
use std::collections::BTreeMap;

/// The unit and what it has said.
pub struct Bench<U> {
    pub uut: U,
    /// By walker.
    pub reported: Vec<Vec<Reported>>,
    /// Hops with an E.
    pub hops: usize,
    /// Taken, entered and left, by site, of all read-outs.
    pub sums: Vec<[u64; 3]>,
    /// How often each indirect branch led to each site, in all read-outs.
    pub ways: BTreeMap<(u32, u32), u64>,
    /// Cycles of each site that has some, of all read-outs.
    pub cycles: BTreeMap<u32, u64>,
    /// Hops of a ring that was frozen.
    pub ring: Vec<Hop>,
    /// Parts of a read-out that are to come.
    pub reading: usize,
    items: Items,
}

impl<U: Unit> Bench<U> {
    pub fn new(table: &FlowTable, settings: WalkSettings) -> Bench<U> {
        Bench {
            uut: U::loaded(table, settings),
            reported: vec![Vec::new(); U::WALKERS],
            hops: 0,
            sums: vec![[0; 3]; 1 << SITE_W],
            ways: BTreeMap::new(),
            cycles: BTreeMap::new(),
            ring: Vec::new(),
            reading: 0,
            items: Items::default(),
        }
    }

    /// A cycle with an item, if there is one for the unit. Returns whether there was a hop at the
    /// output.
    pub fn item(&mut self, item: Option<FlowItem>) -> bool {
        let Some(item) = self.items.item(item) else {
            return false;
        };
        if item.reads_out {
            self.reading = 1 + U::WALKERS;
        }
        self.uut.drive(&item);
        self.uut.clock();
        self.hear()
    }

    /// Until all items have been walked.
    pub fn drain(&mut self) {
        let mut quiet = 0;
        while quiet < 60 {
            quiet = if self.item(None) { 0 } else { quiet + 1 };
        }
    }

    /// The sums and the events of hops at the output, if there are some.
    fn hear(&mut self) -> bool {
        if let Some((site, sums)) = self.uut.sums() {
            for (of_site, sum) in self.sums[site].iter_mut().zip(sums) {
                *of_site += sum;
            }
        }
        if let Some((site, cycles)) = self.uut.cycles().filter(|(_, cycles)| *cycles > 0) {
            *self.cycles.entry(site).or_default() += cycles;
        }
        for entry in self.uut.entries() {
            assert_eq!(entry.missed, 0);
            let way = (entry.site as u32, entry.target as u32);
            if entry.is_hop == 1 {
                self.ring.push(Hop {
                    site: way.0,
                    branch: way.1,
                    is_taken: entry.flags >> 1 & 1 == 1,
                    begins: entry.flags & 1 == 1,
                });
            } else {
                *self.ways.entry(way).or_default() += entry.count;
            }
        }
        self.reading -= self.uut.ended();
        let mut any = false;
        for (reported, (hop, sites)) in self.reported.iter_mut().zip(self.uut.hops()) {
            any |= hop_field(&hop, "valid") == 1;
            self.hops += usize::from(hop_field(&hop, "taken") == 1);
            reported.extend(hop_events(&hop, sites));
        }
        any
    }

    /// Reads all counters that have not been read.
    pub fn read_out(&mut self) {
        // One may be going on.
        for item in [None, Some(FlowItem::ReadOut)] {
            self.item(item);
            while self.reading > 0 {
                self.item(None);
            }
        }
    }
}
