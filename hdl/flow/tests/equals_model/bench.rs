// SPDX-License-Identifier: MIT OR Apache-2.0
//! The unit with loaded tables, and its hops as events of the model.

use crate::program::{FRAME_W, SITE_W};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use coretrace_hdl_flow::{FlowUnit, Item, ItemKind};
use coretrace_sites::{FlowItem, FlowTable};
use coretrace_test_simulate::flow::{Reported, hop_events, hop_field};
use coretrace_test_simulate::{hop_sites, load_flow_table};
use rust_hdl::prelude::*;

/// Address bits of the FIFO.
const PLACES_W: usize = 6;
pub type Unit = FlowUnit<SITES_W, { FRAME_W as usize }, 8, PLACES_W, { SITES_W + 1 }>;
const SITES_W: usize = SITE_W as usize;

/// The unit and what it has said.
pub struct Bench {
    pub uut: Unit,
    pub reported: Vec<Reported>,
    /// Hops with an E.
    pub hops: usize,
    /// Atoms before the last hop, and those of them that were skipped.
    pub atoms: (u64, u64),
    /// Taken, entered and left, by site, of all read-outs.
    pub sums: Vec<[u64; 3]>,
    /// Code of the instruction set and address space of addresses.
    isa: u64,
    space: u64,
}

impl Bench {
    pub fn new(table: &FlowTable, returns: bool) -> Bench {
        let mut uut = Unit::default();
        uut.connect_all();
        let mut bench = Bench {
            uut,
            reported: Vec::new(),
            hops: 0,
            atoms: (0, 0),
            sums: vec![[0; 3]; 1 << SITES_W],
            isa: 0,
            space: 0,
        };
        bench.uut.returns.next = returns;
        bench.uut.begins.next = true;
        bench.uut.room.next = true;
        bench.uut.reset.next = true;
        load_flow_table!(&mut bench.uut, table, |uut: &mut Unit| cycle(
            uut,
            |u, c| u.clock.next = c
        ));
        bench.uut.reset.next = false;
        bench
    }

    fn clock(&mut self) {
        let uut = &mut self.uut;
        cycle(uut, |u, c| u.clock.next = c);
        if uut.sum_valid.val() {
            let sums = [&uut.sum_taken, &uut.sum_entered, &uut.sum_left];
            let of_site = &mut self.sums[uut.sum_site.val().to_u64() as usize];
            for (of_site, sum) in of_site.iter_mut().zip(sums) {
                *of_site += sum.val().to_wide().field(0, 33);
            }
        }
    }

    /// A cycle with an item, if there is one for the unit. Returns whether there was a hop at the
    /// output.
    pub fn item(&mut self, item: Option<FlowItem>) -> bool {
        let mut word = Item::of(ItemKind::Nothing);
        match item {
            Some(FlowItem::Context { space, a64 }) => {
                (self.isa, self.space) = (a64.into(), space.into());
                return false;
            }
            Some(FlowItem::Atoms { bits, count }) => {
                word = Item::atoms(bits, count.into()).expect("atoms of a packet");
            }
            Some(FlowItem::Address { address, .. }) => {
                word = Item::of(ItemKind::Address);
                let mut wide = Wide::default();
                wide.or_field(0, 64, address);
                self.uut.address.next = Bus(wide);
                self.uut.isa.next = self.isa.into();
                self.uut.space.next = self.space.into();
            }
            Some(FlowItem::Exception { is_target, .. }) => {
                word = Item::of(if is_target {
                    ItemKind::ExceptionAtTarget
                } else {
                    ItemKind::Exception
                });
            }
            Some(FlowItem::Q { .. }) => word = Item::of(ItemKind::Q),
            Some(FlowItem::Jump { .. }) => word = Item::of(ItemKind::Jump),
            Some(FlowItem::TraceInfo { .. }) => word = Item::of(ItemKind::TraceInfo),
            Some(FlowItem::Gap(reason)) => word = Item::gap(reason as u8),
            Some(FlowItem::ReadOut) => word = Item::of(ItemKind::ReadOut),
            Some(item) => panic!("{item:?} is not for the unit"),
            None => {}
        }
        self.uut.item.next = Bus(word.wide());
        self.clock();
        self.hear()
    }

    /// Until all items have been walked.
    pub fn drain(&mut self) {
        let mut quiet = 0;
        while quiet < 60 {
            quiet = if self.item(None) { 0 } else { quiet + 1 };
        }
    }

    /// The events of the hop at the output, if there is one.
    fn hear(&mut self) -> bool {
        let hop = self.uut.hop.val().to_wide();
        if hop_field(&hop, "valid") == 0 {
            return false;
        }
        self.atoms = (
            self.uut.atoms.val().to_u64(),
            self.uut.skipped.val().to_u64(),
        );
        self.hops += usize::from(hop_field(&hop, "taken") == 1);
        self.reported.extend(hop_events(&hop, hop_sites!(self.uut)));
        true
    }

    /// Reads all counters that have not been read.
    pub fn read_out(&mut self) {
        // One may be going on.
        for item in [None, Some(FlowItem::ReadOut)] {
            self.item(item);
            (0..(1 << SITES_W) + 100).for_each(|_| {
                self.item(None);
            });
        }
    }
}
