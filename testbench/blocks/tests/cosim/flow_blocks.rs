// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks that follow a program, with any tables and any input: few sites, so that the values of
//! different cycles meet.

use crate::SEED;
use coretrace_abi::flow_table::{BUCKET_WORD_BITS, ISA_IN_SLOT, SLOT_BITS, SPACE_IN_SLOT, even};
use coretrace_etm::SourceConfig;
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_flow::*;
use coretrace_hdl_parts::stream::{Delay, LutMemory, SharedMemory, TableMemory};
use coretrace_test_gen::rng;
use rand::RngExt;
use rust_hdl::prelude::*;

/// Cycles of a run.
const CYCLES: usize = 3000;

/// The inputs of the blocks in a cycle.
#[derive(Clone)]
pub struct FlowCycle {
    pub reset: bool,
    pub valid: bool,
    pub rare: bool,
    pub flags: [bool; 5],
    pub any: [u64; 10],
}

impl FlowCycle {
    /// Any bits, the same for the same number.
    pub fn bits<C: Carrier>(&self, number: usize) -> C {
        let mut wide = Wide::default();
        for low in (0..C::BITS).step_by(64) {
            let bits = (C::BITS - low).min(64) as u32;
            let value = self.any[(number + low / 64) % self.any.len()];
            wide.or_field(low as u32, bits, value >> (64 - bits));
        }
        C::from_wide(&wide)
    }

    /// Any bits with most of them 0.
    pub fn sparse<C: Carrier>(&self, number: usize) -> C {
        let mut wide = Wide::default();
        for low in (0..C::BITS).step_by(64) {
            let bits = (C::BITS - low).min(64) as u32;
            let at = |offset: usize| self.any[(number + offset + low / 64) % self.any.len()];
            wide.or_field(low as u32, bits, (at(0) & at(3) & at(7)) >> (64 - bits));
        }
        C::from_wide(&wide)
    }
}

/// Settings of a source; of most of them no element is speculative.
fn rarely_speculates<C: Carrier>(cycle: &FlowCycle) -> C {
    match cycle.any[9] % 8 {
        0 => cycle.bits(3),
        _ => C::from_wide(&Wide::default()),
    }
}

/// A word of a table with so many bits; of some of them one is wrong.
pub fn mostly_even(word: u64, bits: u32, cycle: &FlowCycle) -> u64 {
    let word = even(word & ((1 << (bits - 1)) - 1), bits);
    word ^ u64::from(cycle.any[8].is_multiple_of(16))
}

/// The inputs of a run.
pub fn cycles() -> Vec<FlowCycle> {
    let mut rng = rng(SEED);
    (0..CYCLES)
        .map(|cycle| FlowCycle {
            reset: cycle < 2 || rng.random_bool(0.002),
            valid: rng.random_bool(0.7),
            rare: rng.random_bool(0.03),
            flags: rng.random(),
            any: rng.random(),
        })
        .collect()
}

/// How a block is driven.
macro_rules! flow_block {
    ($block:ty, $set_clock:expr, |$uut:ident, $cycle:ident| $drive:block) => {
        impl $crate::bench::Bench for $block {
            type Cycle = $crate::flow_blocks::FlowCycle;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> = $set_clock;

            fn cycles() -> impl AsRef<[$crate::flow_blocks::FlowCycle]> {
                $crate::flow_blocks::cycles()
            }

            fn drive(&mut self, $cycle: &Self::Cycle, _mixer: &mut $crate::mixer::Mixer) {
                let $uut = self;
                $drive
            }
        }
    };
}
pub(crate) use flow_block;

flow_block!(
    TableMemory<4, 15>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.read_address.next = cycle.bits(0);
        uut.read_enable.next = cycle.flags[0];
        uut.write_address.next = cycle.bits(1);
        uut.write_data.next = cycle.bits(2);
        uut.write_enable.next = cycle.flags[1];
    }
);

flow_block!(
    LutMemory<4, 12>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.read_address.next = cycle.bits(0);
        uut.write_address.next = cycle.bits(1);
        uut.write_data.next = cycle.bits(2);
        uut.write_enable.next = cycle.flags[1];
    }
);

flow_block!(
    ReturnStack<12>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.push.next = cycle.flags[0];
        uut.pop.next = cycle.flags[1] && !cycle.flags[0];
        uut.value.next = cycle.bits(0);
        uut.flush.next = cycle.rare;
    }
);

flow_block!(
    SiteCounters<2, 3>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.valid.next = cycle.valid;
        uut.site.next = cycle.bits(0);
        uut.amount.next = cycle.bits(1);
        uut.clears.next = cycle.rare;
    }
);

flow_block!(
    CountStep<2, 3>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.valid.next = cycle.valid;
        uut.site.next = cycle.bits(0);
        uut.amount.next = cycle.bits(1);
        uut.clears.next = cycle.rare;
        uut.stored.next = cycle.bits(2);
    }
);

flow_block!(
    Rank<12, 3, 9>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        // Few pages, buckets and slots.
        let mut wide = Wide::default();
        wide.or_field(0, 64, cycle.any[0] & 0x1FFC);
        uut.address.next = Carrier::from_wide(&wide);
        uut.isa.next = u64::from(cycle.flags[0]).into();
        uut.space.next = u64::from(cycle.flags[1]).into();
        let bits = cycle.any[2];
        let is_bucket = cycle.flags[3];
        let slot = bits & 1 | (bits >> 1 & 1) << SPACE_IN_SLOT | (bits >> 2 & 1) << ISA_IN_SLOT;
        uut.page_write.next = (u64::from(cycle.rare) << u64::from(is_bucket)).into();
        uut.page_slot.next = if is_bucket { bits & 1 } else { slot }.into();
        let tag = (bits & 1) | (cycle.any[3] & 0xB) << 37 | 1 << 44;
        let page = tag << 3 | (cycle.any[4] & 7);
        let bucket = cycle.any[4] & 1 | (cycle.any[4] >> 1 & 1) << SLOT_BITS;
        uut.page_word.next = if is_bucket {
            mostly_even(bucket, BUCKET_WORD_BITS, cycle)
        } else {
            mostly_even(page, 49, cycle)
        }
        .into();
        uut.row_write.next = cycle.flags[2];
        uut.row.next = cycle.bits(5);
        uut.row_bitmap.next = cycle.bits(6);
        uut.row_base.next = cycle.bits(7);
    }
);

flow_block!(
    PageLookup<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.address.next = cycle.bits(0);
        uut.isa.next = cycle.bits(1);
        uut.space.next = cycle.bits(2);
    }
);

flow_block!(
    PageSlots<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.key.next = cycle.sparse(0);
        uut.bucket.next = cycle.bits(1);
    }
);

flow_block!(
    PageMatch<3, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.key.next = cycle.sparse(0);
        uut.bucket_damaged.next = cycle.rare;
        uut.page.next = cycle.sparse(usize::from(cycle.flags[0]));
    }
);

flow_block!(
    RowRank<12, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.hit.next = cycle.flags[0];
        uut.page_damaged.next = cycle.rare;
        uut.unit.next = cycle.bits(0);
        uut.bitmap.next = cycle.bits(1);
        uut.base.next = cycle.bits(2);
    }
);

flow_block!(
    Delay<17, 10>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.word.next = cycle.bits(0);
    }
);

/// An item of any kind, most of them atoms or addresses.
pub fn item(cycle: &FlowCycle) -> Wide {
    let kind = match cycle.any[9] % 17 {
        0..6 => ItemKind::Atoms as u64,
        6..9 => ItemKind::Address as u64,
        kind => kind,
    };
    let mut wide = Wide::default();
    wide.or_field(0, KIND_W as u32, kind);
    wide.or_field(KIND_W as u32, 13, cycle.any[8] & 0x1FFF);
    wide
}

flow_block!(
    Merge<12, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.item.next = Carrier::from_wide(&item(cycle));
        uut.cycles.next = cycle.bits(1);
        uut.loaded.next = cycle.flags[0];
        uut.damaged.next = cycle.flags[1];
        uut.site.next = cycle.bits(0);
    }
);

flow_block!(
    ItemFifo<4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset && cycle.flags[1];
        uut.any.next = cycle.valid;
        uut.gap.next = cycle.rare;
        for (lane, port) in uut.items.iter_mut().enumerate() {
            port.next = cycle.sparse(lane);
        }
        uut.row_ready.next = cycle.flags[0];
    }
);

flow_block!(JoinRow<4>, None, |uut, cycle| {
    uut.gap.next = cycle.flags[0];
    uut.dropped.next = cycle.flags[1];
    for (lane, port) in uut.items.iter_mut().enumerate() {
        port.next = cycle.bits(lane);
    }
});

flow_block!(
    RowAtoms<4, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.drops.next = cycle.flags[0];
        for (lane, port) in uut.items.iter_mut().enumerate() {
            port.next = cycle.bits(lane);
        }
    }
);

flow_block!(
    ItemSequencer,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.source.next = rarely_speculates(cycle);
        uut.row_valid.next = cycle.valid;
        uut.row.next = cycle.sparse(0);
        uut.ready.next = cycle.flags[0];
        uut.asks.next = cycle.rare;
    }
);

flow_block!(ItemStep<1>, None, |uut, cycle| {
    uut.reset.next = cycle.rare;
    uut.source.next = rarely_speculates(cycle);
    uut.row_valid.next = cycle.valid;
    uut.row.next = cycle.sparse(0);
    uut.held.next = cycle.bits(1);
    uut.waiting.next = cycle.sparse(2);
    uut.is_some.next = cycle.flags[3];
    uut.is_many.next = cycle.flags[4];
    uut.is_final.next = !cycle.rare;
    uut.folded.next = cycle.sparse(4);
    uut.folds.next = cycle.sparse(5);
    uut.is_clear.next = cycle.flags[2];
    uut.ready.next = cycle.flags[0];
    uut.asks.next = cycle.flags[1];
});

/// An item of any kind, most of them atoms, addresses and what is said of speculation.
fn speculative_item(cycle: &FlowCycle) -> Wide {
    let kind = match cycle.any[9] % 32 {
        0..12 => ItemKind::Atoms as u64,
        12..15 => ItemKind::Resolution as u64,
        kind => kind % 16,
    };
    let mut wide = Wide::default();
    wide.or_field(0, KIND_W as u32, kind);
    wide.or_field(KIND_W as u32, 13, cycle.any[8] & 0x0FF1);
    wide
}

/// A source with a speculation depth.
fn source<C: Carrier>(max_spec: u32) -> C {
    let mut source = SourceConfig::default();
    source.registers.trcidr8 = max_spec;
    C::from_wide(&SourceSettings::of(0x10, &source).wide())
}

/// Few elements are final or taken back.
fn speculation(cycle: &FlowCycle) -> Wide {
    let mut wide = Wide::default();
    let flags = if cycle.flags[2] {
        1 << (19 + cycle.any[3] % 3)
    } else {
        0
    };
    let address = cycle.any[7] << 32 | (cycle.any[6] & 3) << 10 | flags;
    wide.or_field(0, 64, address);
    wide
}

flow_block!(
    CommitRing<4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset && cycle.flags[1];
        uut.source.next = source(5);
        let wide = match cycle.valid {
            true => speculative_item(cycle),
            false => Wide::default(),
        };
        uut.item.next = Carrier::from_wide(&wide);
        uut.address.next = Carrier::from_wide(&speculation(cycle));
        uut.isa.next = cycle.bits(1);
        uut.space.next = cycle.bits(2);
        uut.m_ready.next = cycle.flags[0] || cycle.flags[3];
    }
);

flow_block!(RingEntry<4>, None, |uut, cycle| {
    uut.item.next = Carrier::from_wide(&speculative_item(cycle));
    uut.address.next = Carrier::from_wide(&speculation(cycle));
    uut.isa.next = cycle.bits(1);
    uut.space.next = cycle.bits(2);
});

flow_block!(RingStep<4>, None, |uut, cycle| {
    uut.reset.next = cycle.reset;
    uut.source.next = source(if cycle.flags[4] { 5 } else { 0 });
    uut.passes.next = cycle.rare;
    uut.valid.next = cycle.valid;
    uut.word.next = cycle.bits(0);
    uut.state.next = cycle.sparse(3);
    uut.depth.next = cycle.sparse(4);
    uut.young.next = cycle.bits(5);
    uut.oldest.next = cycle.bits(6);
    uut.has_oldest.next = cycle.flags[1];
    uut.rests.next = cycle.flags[2];
    uut.head.next = cycle.bits(7);
    uut.tail.next = cycle.bits(8);
    uut.place.next = cycle.bits(9);
    uut.ahead.next = cycle.bits(1);
    uut.free.next = cycle.bits(2);
    uut.ready.next = cycle.flags[0];
});

flow_block!(RingWayOut<4>, None, |uut, cycle| {
    uut.reset.next = cycle.reset;
    uut.ready.next = cycle.flags[0];
    uut.state.next = cycle.bits(0);
    uut.depth.next = cycle.sparse(1);
    uut.oldest.next = cycle.bits(2);
    uut.stored.next = cycle.bits(3);
    uut.head.next = cycle.bits(4);
    uut.tail.next = cycle.bits(5);
    uut.walks.next = cycle.flags[1];
    uut.unloads.next = cycle.flags[2];
});

flow_block!(RingItem<4>, None, |uut, cycle| {
    uut.reset.next = cycle.reset;
    uut.passes.next = cycle.flags[0];
    uut.valid.next = cycle.valid;
    uut.word.next = cycle.bits(0);
    uut.held.next = cycle.bits(1);
});

flow_block!(RingExit<4>, None, |uut, cycle| {
    uut.has_room.next = cycle.flags[0];
    uut.m_ready.next = cycle.flags[1];
    uut.out.next = cycle.bits(0);
    uut.item.next = cycle.bits(1);
    uut.address.next = cycle.bits(2);
    uut.isa.next = cycle.bits(3);
    uut.space.next = cycle.bits(4);
});

flow_block!(
    Serializer<12>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.segment_valid.next = cycle.valid;
        uut.segment.next = cycle.bits(0);
        uut.pause.next = cycle.rare && cycle.flags[0];
        uut.holds.next = cycle.rare && cycle.flags[1];
    }
);

flow_block!(TokenStep<12>, None, |uut, cycle| {
    uut.reset.next = cycle.reset;
    uut.holds.next = cycle.rare != cycle.flags[0];
    uut.rest.next = cycle.bits(0);
    uut.segment_valid.next = cycle.valid;
    uut.segment.next = cycle.bits(2);
});

flow_block!(
    RunCheck,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.count.next = cycle.bits(0);
        uut.word.next = cycle.bits(1);
    }
);

flow_block!(RunPlace<12>, None, |uut, cycle| {
    uut.spans.next = cycle.flags[0];
    uut.count.next = cycle.bits(0);
    uut.last.next = cycle.bits(1);
    uut.left_at.next = cycle.bits(2);
    uut.reached.next = cycle.bits(3);
});

flow_block!(FlagWord<1>, None, |uut, cycle| {
    uut.flags.next = cycle.bits(0);
});

flow_block!(
    Walker<5>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.returns.next = true;
        uut.ete.next = true;
        uut.token_valid.next = cycle.valid;
        uut.token.next = cycle.sparse(0);
        uut.has_site.next = cycle.flags[0];
        uut.site.next = cycle.bits(1);
        uut.end_site.next = cycle.bits(2);
        uut.exit.next = cycle.bits(3);
        uut.flags.next = cycle.bits(4);
        uut.run_word.next = cycle.bits(5);
        uut.aims.next = cycle.rare && cycle.flags[1];
        uut.aim.next = cycle.bits(6);
    }
);

flow_block!(
    WalkTables<4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.exit_site.next = cycle.bits(0);
        uut.exit_read.next = cycle.flags[0];
        uut.run_site.next = cycle.bits(1);
        uut.exit_write.next = cycle.flags[1];
        uut.run_write.next = cycle.flags[2];
        uut.write_site.next = cycle.bits(2);
        uut.write_exit.next = cycle.bits(3);
        uut.write_flags.next = cycle.bits(4);
        uut.write_run.next = cycle.bits(5);
    }
);

flow_block!(
    SharedTables<4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        for walker in 0..2 {
            uut.exit_site[walker].next = cycle.bits(walker);
            uut.exit_read[walker].next = cycle.flags[walker];
            uut.run_site[walker].next = cycle.bits(2 + walker);
        }
        uut.exit_write.next = cycle.flags[2];
        uut.run_write.next = cycle.flags[3];
        uut.write_site.next = cycle.bits(4);
        uut.write_exit.next = cycle.bits(5);
        uut.write_flags.next = cycle.bits(6);
        uut.write_run.next = cycle.bits(7);
    }
);

flow_block!(
    SharedMemory<4, 15>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.address_0.next = cycle.bits(0);
        uut.enable_0.next = cycle.flags[0];
        uut.write.next = cycle.flags[1];
        uut.write_word.next = cycle.bits(1);
        uut.address_1.next = cycle.bits(2);
        uut.enable_1.next = cycle.flags[2];
    }
);

flow_block!(
    WalkLane<5>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.returns.next = true;
        uut.ete.next = true;
        uut.segment_valid.next = cycle.valid;
        uut.segment.next = cycle.sparse(0);
        uut.pause.next = cycle.rare && cycle.flags[0];
        uut.holds.next = cycle.rare && cycle.flags[1];
        uut.exit.next = cycle.bits(2);
        uut.flags.next = cycle.bits(3);
        uut.run_word.next = cycle.bits(4);
        uut.aims.next = cycle.rare && cycle.flags[2];
        uut.aim.next = cycle.bits(5);
    }
);

flow_block!(RunFields<1>, None, |uut, cycle| {
    uut.word.next = cycle.bits(0);
});

flow_block!(WholeSegment<1>, None, |uut, cycle| {
    uut.entry.next = cycle.bits(0);
});

flow_block!(
    Distributor<2, 6>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.returns.next = cycle.rare && cycle.flags[2];
        uut.valid.next = cycle.valid;
        uut.entry.next = cycle.sparse(0);
        uut.taken[0].next = cycle.flags[0];
        uut.taken[1].next = cycle.flags[1];
    }
);

flow_block!(WalkStep<12>, None, |uut, cycle| {
    uut.returns.next = !cycle.rare;
    uut.ete.next = cycle.flags[4];
    uut.valid.next = cycle.valid;
    uut.token.next = cycle.sparse(0);
    uut.exit.next = cycle.bits(1);
    uut.flags.next = cycle.bits(2);
    uut.use_alt.next = cycle.flags[0];
    uut.alt.next = cycle.bits(3);
    uut.top.next = cycle.bits(5);
    uut.last.next = cycle.bits(4);
    uut.pending.next = cycle.flags[1];
    uut.placed.next = cycle.flags[2] || cycle.valid;
    uut.waits_for_address.next = cycle.rare;
    uut.filled.next = cycle.flags[3];
});

flow_block!(
    WalkReport<5, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.step.next = cycle.sparse(0);
        uut.at.next = cycle.bits(1);
        uut.base.next = cycle.bits(2);
        uut.left_at.next = cycle.bits(3);
        uut.reached.next = cycle.bits(4);
        uut.passes.next = cycle.flags[3];
        uut.goes_back.next = cycle.flags[4];
        uut.run_fails.next = cycle.flags[0] && cycle.flags[1];
        uut.run.next = cycle.bits(5);
        uut.run_damaged.next = cycle.flags[2] && cycle.flags[3];
        uut.trigger_at.next = cycle.bits(6);
        uut.trigger_behind.next = cycle.bits(7);
        uut.is_end.next = cycle.rare;
        uut.exit_damaged.next = cycle.rare && cycle.flags[1];
    }
);

/// Cycles of a site, now and then.
fn timed<C: Carrier>(cycle: &FlowCycle) -> C {
    let cycles = SiteCycles {
        valid: u64::from(cycle.flags[4]),
        site: cycle.any[1] & 0xFFF,
        cycles: cycle.any[2] & ((1 << CYCLES_W) - 1),
    };
    C::from_wide(&cycles.wide())
}

flow_block!(
    CountEvents<12, 13>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.hop.next = cycle.sparse(0);
        uut.at.next = cycle.bits(1);
        uut.base.next = cycle.bits(2);
        uut.left_at.next = cycle.bits(3);
        uut.ended_at.next = cycle.bits(4);
        uut.cycles.next = timed(cycle);
        uut.done.next = cycle.rare;
    }
);

flow_block!(
    SiteSums<3, 4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.hop.next = cycle.sparse(0);
        uut.at.next = cycle.bits(1);
        uut.base.next = cycle.bits(2);
        uut.left_at.next = cycle.bits(3);
        uut.ended_at.next = cycle.bits(4);
        uut.cycles.next = timed(cycle);
        uut.begins.next = cycle.flags[0];
        uut.room.next = cycle.valid;
    }
);

flow_block!(PackSums<1>, None, |uut, cycle| {
    uut.taken.next = cycle.bits(0);
    uut.entered.next = cycle.bits(1);
    uut.left.next = cycle.bits(2);
});

flow_block!(
    AddSums<3, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.valid.next = cycle.valid;
        uut.site.next = cycle.bits(0);
        uut.word_0.next = cycle.bits(1);
        uut.word_1.next = cycle.bits(5);
    }
);

flow_block!(
    PairSums<3, 4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        for walker in 0..2 {
            uut.hop[walker].next = cycle.sparse(walker);
            uut.at[walker].next = cycle.bits(1 + walker);
            uut.base[walker].next = cycle.bits(3 + walker);
            uut.left_at[walker].next = cycle.bits(5 + walker);
            uut.ended_at[walker].next = cycle.bits(7 + walker);
        }
        uut.begins.next = cycle.flags[0];
        uut.room.next = cycle.valid;
    }
);

flow_block!(MarkRows<12>, None, |uut, cycle| {
    uut.hop.next = cycle.sparse(0);
    uut.at.next = cycle.bits(1);
    uut.base.next = cycle.bits(2);
    uut.left_at.next = cycle.bits(3);
    uut.ended_at.next = cycle.bits(4);
    uut.last.next = cycle.bits(5);
    uut.atoms.next = cycle.bits(6);
    uut.skipped.next = cycle.bits(7);
    uut.dropped.next = cycle.bits(8);
    uut.missed.next = cycle.rare;
});

flow_block!(BeatStep<12>, None, |uut, cycle| {
    uut.row_valid.next = cycle.valid;
    uut.row.next = cycle.sparse(0);
    uut.held.next = cycle.bits(1);
    uut.waiting.next = cycle.sparse(2);
    uut.is_some.next = cycle.flags[3];
    uut.is_many.next = cycle.flags[4];
    uut.ends.next = cycle.rare;
    uut.read_outs.next = cycle.bits(3);
    uut.fills_packet.next = cycle.flags[0];
    uut.room.next = cycle.flags[1];
    uut.sum_valid.next = cycle.flags[2];
    uut.no_sum.next = !cycle.flags[2];
    uut.sum_site.next = cycle.bits(4);
    uut.sum_taken.next = cycle.sparse(5);
    uut.sum_entered.next = cycle.sparse(6);
    uut.sum_left.next = cycle.sparse(7);
    uut.is_cycles.next = cycle.flags[4];
    uut.threshold.next = cycle.bits(0);
    uut.entry_valid.next = cycle.valid;
    uut.entry.next = cycle.bits(8);
});

flow_block!(StoredBeat<1>, None, |uut, cycle| {
    uut.stored.next = cycle.bits(0);
});

/// A hop, and the atoms up to it.
macro_rules! drive_hop {
    ($uut:ident, $cycle:ident) => {
        $uut.hop.next = $cycle.sparse(0);
        $uut.hop_at.next = $cycle.bits(1);
        $uut.hop_base.next = $cycle.bits(2);
        $uut.hop_left_at.next = $cycle.bits(3);
        $uut.hop_ended_at.next = $cycle.bits(4);
        $uut.atoms.next = $cycle.bits(5);
        $uut.skipped.next = $cycle.bits(6);
        $uut.dropped_atoms.next = $cycle.bits(7);
    };
}

/// Sums of a read-out, now and then.
macro_rules! drive_sums {
    ($uut:ident, $cycle:ident) => {
        $uut.sum_valid.next = $cycle.rare && $cycle.flags[0];
        $uut.sum_site.next = $cycle.bits(8);
        $uut.sum_taken.next = $cycle.sparse(9);
        $uut.sum_entered.next = $cycle.sparse(1);
        $uut.sum_left.next = $cycle.sparse(2);
        $uut.sums_done.next = $cycle.rare;
    };
}

/// The cycles of a site in a read-out, now and then.
macro_rules! drive_cycles {
    ($uut:ident, $cycle:ident) => {
        $uut.cycles_valid.next = $cycle.rare && !$cycle.flags[0];
        $uut.sum_cycles.next = $cycle.sparse(3);
        $uut.threshold.next = $cycle.bits(4);
    };
}

/// Where an indirect branch led.
macro_rules! drive_entry {
    ($uut:ident, $cycle:ident) => {
        $uut.entry_valid.next = $cycle.flags[2];
        $uut.entry.next = $cycle.bits(3);
        $uut.entries_done.next = $cycle.rare && $cycle.flags[3];
    };
}

flow_block!(
    MarkQueue<12>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        drive_hop!(uut, cycle);
        uut.row_ready.next = cycle.rare;
    }
);

flow_block!(
    BeatQueue<12>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.row_valid.next = cycle.valid;
        uut.row.next = cycle.sparse(0);
        drive_sums!(uut, cycle);
        drive_cycles!(uut, cycle);
        drive_entry!(uut, cycle);
        uut.m_axis_tready.next = cycle.flags[1];
    }
);

flow_block!(
    FlowStream<12>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        drive_hop!(uut, cycle);
        drive_sums!(uut, cycle);
        drive_cycles!(uut, cycle);
        drive_entry!(uut, cycle);
        uut.m_axis_tready.next = cycle.flags[1];
    }
);

flow_block!(
    PairRows,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        for walker in 0..2 {
            uut.valid[walker].next = cycle.flags[walker];
            uut.rows[walker].next = cycle.bits(5 * walker);
        }
        uut.row_ready.next = cycle.valid;
    }
);

flow_block!(PairRowStep<2>, None, |uut, cycle| {
    uut.reset.next = cycle.rare;
    uut.is_free.next = cycle.valid;
    uut.state.next = cycle.bits(2);
    for walker in 0..2 {
        uut.valid[walker].next = cycle.flags[walker];
        uut.rows[walker].next = cycle.bits(5 * walker);
    }
});

flow_block!(
    PairStream<12>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        for walker in 0..2 {
            uut.hop[walker].next = cycle.sparse(walker);
            uut.hop_at[walker].next = cycle.bits(1 + walker);
            uut.hop_base[walker].next = cycle.bits(2 + walker);
            uut.hop_left_at[walker].next = cycle.bits(3 + walker);
            uut.hop_ended_at[walker].next = cycle.bits(4 + walker);
            uut.atoms[walker].next = cycle.bits(5 + walker);
            uut.skipped[walker].next = cycle.bits(6 + walker);
        }
        uut.dropped_atoms.next = cycle.bits(7);
        drive_sums!(uut, cycle);
        for walker in 0..2 {
            uut.entry_valid[walker].next = cycle.flags[2 + walker];
            uut.entry[walker].next = cycle.bits(3 + walker);
            uut.entries_done[walker].next = cycle.rare && cycle.flags[3 - walker];
        }
        uut.m_axis_tready.next = cycle.flags[1];
    }
);

/// An indirect branch of few, or none.
fn branch(cycle: &FlowCycle) -> Bus<INDIRECT_W> {
    let branch = IndirectBranch {
        valid: u64::from(cycle.valid),
        site: cycle.any[4] >> 60,
        target: cycle.any[5] >> 50,
    };
    Bus(branch.wide())
}

flow_block!(IndirectEvent<1>, None, |uut, cycle| {
    uut.hop.next = cycle.bits(0);
    uut.indirect.next = cycle.bits(3);
    uut.is_odd.next = cycle.flags[0];
});

flow_block!(IndirectWord<1>, None, |uut, cycle| {
    uut.is_end.next = cycle.flags[0];
    uut.missed.next = cycle.flags[1];
    uut.entry.next = cycle.bits(0);
});

flow_block!(IndirectHead<1>, None, |uut, cycle| {
    uut.valid.next = cycle.valid;
    uut.entry.next = cycle.bits(0);
});

flow_block!(
    IndirectSums,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset && cycle.flags[3];
        uut.hop.next = cycle.sparse(0);
        uut.indirect.next = branch(cycle);
        uut.entry_ready.next = cycle.flags[1];
    }
);

/// A hop, the indirect branch in front of it, and what a ring is to do.
macro_rules! drive_ring {
    ($uut:ident, $cycle:ident) => {
        $uut.reset.next = $cycle.reset;
        $uut.arm.next = $cycle.rare && $cycle.flags[4];
        $uut.freeze_after.next = 2.into();
        $uut.hop.next = $cycle.sparse(0);
        $uut.at.next = $cycle.bits(1);
        $uut.base.next = $cycle.bits(2);
        $uut.indirect.next = branch($cycle);
        $uut.atoms.next = $cycle.bits(3);
    };
}

flow_block!(
    CountWindow<3, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.windowed.next = cycle.flags[0] || cycle.flags[1];
        uut.hop.next = cycle.sparse(0);
        uut.at.next = cycle.bits(1);
        uut.base.next = cycle.bits(2);
        uut.left_at.next = cycle.bits(3);
        uut.ended_at.next = cycle.bits(4);
        uut.indirect.next = branch(cycle);
        uut.cycles.next = timed(cycle);
    }
);

flow_block!(
    CycleQueue<5, 4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.valid.next = cycle.valid && cycle.flags[0];
        uut.cycles.next = cycle.bits(0);
        uut.counted.next = cycle.flags[1];
        uut.has_newest.next = cycle.flags[2];
        uut.newest.next = cycle.bits(1);
    }
);

flow_block!(JoinCycles<5>, None, |uut, cycle| {
    uut.counted.next = cycle.flags[1];
    uut.has_newest.next = cycle.flags[2];
    uut.newest.next = cycle.bits(1);
    uut.cycles.next = cycle.bits(0);
});

flow_block!(LowCycles<1>, None, |uut, cycle| {
    uut.address.next = cycle.bits(0);
});

flow_block!(
    HopRecord<3, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_ring!(uut, cycle);
    }
);

flow_block!(
    HopRing<3>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_ring!(uut, cycle);
        uut.entry_ready.next = cycle.flags[1];
    }
);

flow_block!(HopEntry<1>, None, |uut, cycle| {
    uut.record.next = cycle.bits(0);
    uut.atoms.next = cycle.bits(1);
    uut.is_first.next = cycle.flags[0];
    uut.is_last.next = cycle.flags[1];
});

flow_block!(
    PairEntries,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        for walker in 0..2 {
            uut.valid[walker].next = cycle.flags[walker];
            uut.entries[walker].next = cycle.bits(5 * walker);
            uut.done[walker].next = cycle.rare && cycle.flags[2 + walker];
        }
        uut.entry_ready.next = cycle.valid;
    }
);

/// An item, and its address in a page that is loaded, with rows that change.
macro_rules! drive_items {
    ($uut:ident, $cycle:ident) => {
        $uut.reset.next = $cycle.reset && $cycle.flags[3];
        $uut.item.next = Carrier::from_wide(&item($cycle));
        let mut wide = Wide::default();
        wide.or_field(0, 64, $cycle.any[0] & 0x1FFC);
        $uut.address.next = Carrier::from_wide(&wide);
        $uut.isa.next = 1.into();
        $uut.space.next = 0.into();
        $uut.page_write.next = u64::from($cycle.flags[0]).into();
        $uut.page_slot.next = (1 << coretrace_abi::flow_table::ISA_IN_SLOT).into();
        let page = mostly_even(1 << 38 | 3 << 44, 47, $cycle);
        $uut.page_word.next = page.into();
        $uut.row_write.next = $cycle.rare;
        $uut.row.next = $cycle.bits(1);
        let row = mostly_even($cycle.any[2], 22, $cycle);
        $uut.row_base.next = (row & 31).into();
        $uut.row_bitmap.next = (row >> 5).into();
    };
}
pub(crate) use drive_items;

/// The same, and words of tables.
macro_rules! drive_unit {
    ($uut:ident, $cycle:ident) => {
        drive_items!($uut, $cycle);
        $uut.exit_write.next = $cycle.rare;
        $uut.run_write.next = $cycle.rare;
        $uut.write_site.next = $cycle.bits(4);
        let flags = $cycle.any[6] & $cycle.any[6] >> 32 & 7;
        let triggers = $cycle.any[6] >> 40 & 3;
        let exit = flags << 5 | triggers << 8 | $cycle.any[5] & 31;
        let exit = mostly_even(exit, 5 + EXIT_FLAGS_W as u32, $cycle);
        $uut.write_exit.next = (exit & 31).into();
        $uut.write_flags.next = (exit >> 5).into();
        $uut.write_run.next = mostly_even($cycle.any[7], RUN_W as u32, $cycle).into();
    };
}
pub(crate) use drive_unit;

flow_block!(
    FlowFront<5, 1, 7>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_items!(uut, cycle);
    }
);

flow_block!(
    FlowUnit<5, 1, 7, 6, 6>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.returns.next = true;
        uut.ete.next = true;
        uut.begins.next = true;
        uut.room.next = cycle.flags[1];
        uut.entry_ready.next = cycle.flags[2];
        uut.windowed.next = true;
        uut.arm.next = cycle.rare && cycle.flags[4];
        uut.freeze_after.next = 3.into();
        drive_unit!(uut, cycle);
    }
);

flow_block!(
    FlowPair<5, 1, 7, 7, 6, 9>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.returns.next = false;
        uut.ete.next = true;
        uut.begins.next = true;
        uut.room.next = cycle.flags[1];
        uut.entry_ready[0].next = cycle.flags[2];
        uut.entry_ready[1].next = cycle.flags[3];
        drive_unit!(uut, cycle);
    }
);

flow_block!(
    FlowWalks<5, 1, 7, 6, 0, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.returns.next = false;
        uut.ete.next = true;
        uut.dropped_atoms.next = cycle.bits(3);
        uut.m_axis_tready.next = cycle.flags[1];
        drive_unit!(uut, cycle);
    }
);
