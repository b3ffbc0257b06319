// SPDX-License-Identifier: MIT OR Apache-2.0
//! The units that the tests drive alike: with one walker and with two.

use crate::items::UnitItem;
use crate::program::{FRAME_W, SITE_W};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use coretrace_hdl_flow::{BeatEntry, FlowPair, FlowUnit};
use coretrace_sites::{FlowTable, WalkSettings};
use coretrace_test_simulate::flow::{HopSites, table_writes};
use coretrace_test_simulate::{hop_sites, write_flow_table};
use rust_hdl::prelude::*;

const SITES_W: usize = SITE_W as usize;
const FRAMES_W: usize = FRAME_W as usize;
/// A site that no program has.
const UNUSED: u64 = (1 << SITE_W) - 1;

pub type One = FlowUnit<SITES_W, FRAMES_W, { FRAMES_W + 6 }, 6, { SITES_W + 1 }>;
pub type Two = FlowPair<SITES_W, FRAMES_W, { FRAMES_W + 6 }, 7, { SITES_W + 1 }, 9>;

/// A unit that follows a program.
pub trait Unit {
    const WALKERS: usize;

    /// After its reset, with tables.
    fn loaded(table: &FlowTable, settings: WalkSettings) -> Self;
    fn drive(&mut self, item: &UnitItem);
    /// Writes a word that nobody reads in the next cycle, or does not.
    fn disturb(&mut self, writes: bool);
    fn clock(&mut self);
    fn is_ready(&self) -> bool;
    /// The hop of each walker.
    fn hops(&self) -> Vec<(Wide, HopSites)>;
    /// Atoms up to now, and those of them that were skipped.
    fn atoms(&self) -> (u64, u64);
    /// Sums of a site that come out now.
    fn sums(&self) -> Option<(usize, [u64; 3])>;
    /// Cycles of a site that come out now.
    fn cycles(&self) -> Option<(u32, u64)>;
    /// What comes out of each walker besides sums.
    fn entries(&self) -> Vec<BeatEntry<u64>>;
    /// How many parts of a read-out end in this cycle: the sums, and the branches of each walker.
    fn ended(&self) -> usize;
}

/// What both units do: `$walkers` of them, the index of a walker behind the name of its port, and the cycles that
/// come out.
macro_rules! unit {
    ($unit:ty, $walkers:expr, |$walker:ident| [$($index:tt)*], $cycles:expr) => {
        impl Unit for $unit {
            const WALKERS: usize = $walkers;

            fn loaded(table: &FlowTable, settings: WalkSettings) -> Self {
                let mut uut = Self::default();
                uut.connect_all();
                uut.returns.next = settings.return_stack;
                uut.ete.next = settings.passes;
                uut.begins.next = true;
                uut.room.next = true;
                for $walker in 0..$walkers {
                    uut.entry_ready$($index)*.next = true;
                }
                uut.reset.next = true;
                for write in table_writes(table) {
                    write_flow_table!(uut, write);
                    uut.clock();
                }
                uut.reset.next = false;
                uut
            }

            fn drive(&mut self, item: &UnitItem) {
                self.item.next = Bus(item.item);
                if let Some(address) = item.address {
                    let mut wide = Wide::default();
                    wide.or_field(0, 64, address);
                    self.address.next = Bus(wide);
                    self.isa.next = item.isa.into();
                    self.space.next = item.space.into();
                }
            }

            fn disturb(&mut self, writes: bool) {
                self.exit_write.next = writes;
                self.run_write.next = writes;
                self.write_site.next = UNUSED.into();
                self.write_exit.next = UNUSED.into();
                self.write_run.next = 255.into();
            }

            fn clock(&mut self) {
                cycle(self, |uut, clock| uut.clock.next = clock);
            }

            fn is_ready(&self) -> bool {
                self.item_ready.val()
            }

            fn hops(&self) -> Vec<(Wide, HopSites)> {
                let hop = |$walker: usize| {
                    let sites = hop_sites!(self, $($index)*);
                    (self.hop$($index)*.val().to_wide(), sites)
                };
                (0..$walkers).map(hop).collect()
            }

            fn atoms(&self) -> (u64, u64) {
                let of = |$walker: usize| {
                    let atoms = self.atoms$($index)*.val().to_u64();
                    (atoms, self.skipped$($index)*.val().to_u64())
                };
                let all: Vec<(u64, u64)> = (0..$walkers).map(of).collect();
                (all.iter().map(|of| of.0).sum(), all.iter().map(|of| of.1).sum())
            }

            fn sums(&self) -> Option<(usize, [u64; 3])> {
                let sums = [&self.sum_taken, &self.sum_entered, &self.sum_left];
                let sums = sums.map(|sum| sum.val().to_wide().field(0, 33));
                let site = self.sum_site.val().to_u64() as usize;
                self.sum_valid.val().then_some((site, sums))
            }

            fn cycles(&self) -> Option<(u32, u64)> {
                $cycles(self)
            }

            fn entries(&self) -> Vec<BeatEntry<u64>> {
                let of = |$walker: usize| {
                    let entry = BeatEntry::of_wide(&self.entry$($index)*.val().to_wide());
                    self.entry_valid$($index)*.val().then_some(entry)
                };
                (0..$walkers).filter_map(of).collect()
            }

            fn ended(&self) -> usize {
                let of = |$walker: usize| usize::from(self.entries_done$($index)*.val());
                usize::from(self.done.val()) + (0..$walkers).map(of).sum::<usize>()
            }
        }
    };
}

unit!(One, 1, |_walker| [], |uut: &One| {
    let sum = uut.sum_cycles.val().to_wide().field(0, 33);
    let site = uut.sum_site.val().to_u64() as u32;
    uut.cycles_valid.val().then_some((site, sum))
});
unit!(Two, 2, |walker| [[walker]], |_: &Two| None);
