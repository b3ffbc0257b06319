// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks that compress branches, with any events, beats and words; those of the X encoders are in
//! `history_blocks`.

use crate::flow_blocks::flow_block;
use coretrace_hdl_compress::*;
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use coretrace_hdl_parts::stream::Maximum;
use rust_hdl::prelude::*;

/// An address of few.
pub fn few<C: Carrier>(any: u64) -> C {
    let mut wide = Wide::default();
    wide.or_field(
        0,
        62,
        [0x10_0444, 0x10_0445, 0x2_0000_1000, 0x10_0454][(any >> 62) as usize],
    );
    C::from_wide(&wide)
}

/// A beat whose bits end with its count.
fn beat(any: u64, count: u64) -> Beat<u64> {
    let count = (count >> 57).min(64);
    let kept = any.checked_shr(64 - count as u32);
    Beat {
        bits: kept.unwrap_or_default(),
        count,
    }
}

/// The bits of such a beat.
fn bits_of(any: u64, count: u64) -> Bus<BEAT_BITS> {
    let mut wide = Wide::default();
    wide.or_field(0, BEAT_BITS as u32, beat(any, count).bits);
    Bus(wide)
}

/// An event.
macro_rules! drive_event {
    ($uut:ident, $cycle:ident) => {
        $uut.pc.next = $crate::compress_blocks::few($cycle.any[0]);
        $uut.next_pc.next = $crate::compress_blocks::few($cycle.any[1]);
        $uut.kind.next = $cycle.bits(2);
        $uut.taken.next = $cycle.flags[0];
        $uut.is_discontinuity.next = $cycle.rare;
        $uut.instructions.next = $cycle.sparse(3);
    };
}
pub(crate) use drive_event;

/// Events, losses and blocks of a compressor.
macro_rules! drive_compressor {
    ($uut:ident, $cycle:ident) => {
        $crate::compress_blocks::drive_event!($uut, $cycle);
        // The first cycles alone: a reset begins all again.
        $uut.reset.next = $cycle.reset && $cycle.flags[3];
        $uut.event_valid.next = $cycle.valid && $cycle.flags[1];
        let begins = $cycle.rare && $cycle.flags[2];
        $uut.begins.next = begins;
        $uut.lost_before.next = $crate::compress_blocks::lost_before(begins, $cycle.any[9]);
        $uut.flush.next = $cycle.rare && $cycle.flags[4];
        $uut.most_cycles.next = 700.into();
        // 128 words.
        $uut.last_place.next = 126.into();
        $uut.m_axis_tready.next = $cycle.flags[3];
    };
}
pub(crate) use drive_compressor;

/// Events that were lost in front of a begin: few, many or none.
pub fn lost_before(begins: bool, any: u64) -> Bits<LOST_W> {
    let most = [4, 8, LOST_W][any as usize % 3];
    let lost = any >> (64 - most);
    if begins { lost } else { 0 }.into()
}

/// A slot of what is behind the last event.
macro_rules! drive_tail {
    ($uut:ident, $cycle:ident) => {
        let is_tail = $uut.tail_slots.val().to_u64() != 0;
        let tail = beat($cycle.any[7], if is_tail { $cycle.any[8] } else { 0 });
        $uut.tail.next = Bus(tail.wide());
        $uut.tail_records.next = tail.count.into();
    };
}

/// An entry of a FIFO, and a beat of an encoder.
macro_rules! drive_entry {
    ($uut:ident, $cycle:ident) => {
        $uut.entry_valid.next = $cycle.valid;
        $uut.is_mark.next = $cycle.rare && $cycle.flags[1];
        $uut.is_flush_mark.next = $cycle.flags[2];
        $uut.is_loss.next = $cycle.flags[3];
        $uut.lost_events.next = $cycle.bits(4);
        $uut.next_pc.next = few($cycle.any[1]);
        $uut.ready.next = $cycle.flags[4];
        $uut.beat_valid.next = $cycle.flags[0];
        $uut.beat_count.next = beat($cycle.any[5], $cycle.any[6]).count.into();
        $uut.beat_last.next = $cycle.flags[1];
        $uut.beat_overflows.next = $cycle.rare && $cycle.flags[4];
    };
}

flow_block!(JoinEntry<1>, None, |uut, cycle| {
    drive_event!(uut, cycle);
    uut.is_mark.next = cycle.rare;
    uut.is_flush.next = cycle.flags[1];
    uut.is_loss.next = cycle.flags[2];
    uut.lost.next = cycle.bits(4);
});

flow_block!(SplitEntry<1>, None, |uut, cycle| {
    uut.entry.next = cycle.bits(0);
});

flow_block!(
    EventFifo<4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_event!(uut, cycle);
        uut.reset.next = cycle.reset;
        uut.event_valid.next = cycle.valid;
        uut.begins.next = cycle.rare;
        uut.lost_before.next = lost_before(cycle.rare, cycle.any[9]);
        uut.flush.next = cycle.any[5] % 8 == 0;
        uut.entry_ready.next = cycle.flags[1];
        uut.commit.next = cycle.flags[2] && cycle.flags[3];
        uut.rewind.next = cycle.any[6] % 16 == 0;
    }
);

flow_block!(
    Packer<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        let beat = beat(cycle.any[0], cycle.any[1]);
        uut.reset.next = cycle.reset;
        uut.flush.next = cycle.rare;
        uut.count.next = if cycle.rare { 0 } else { beat.count }.into();
        uut.bits.next = Bus::from_wide(&beat.wide());
    }
);

flow_block!(BlockBeat<1>, None, |uut, cycle| {
    uut.accepts.next = cycle.flags[0];
    uut.beat_bits.next = cycle.bits(0);
    uut.beat_count.next = cycle.bits(1);
    uut.tail.next = cycle.bits(2);
});

flow_block!(
    BlockControl,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_entry!(uut, cycle);
        uut.limit.next = 1536.into();
        uut.reset.next = cycle.reset;
        uut.tail_records.next = (cycle.any[7] % 32).into();
        uut.has_space.next = cycle.valid;
    }
);

flow_block!(BlockWord<1>, None, |uut, cycle| {
    uut.number.next = cycle.bits(0);
    uut.records.next = cycle.bits(6);
    uut.first_word.next = cycle.bits(1);
    uut.block_number.next = cycle.bits(2);
    uut.trace_id.next = cycle.bits(3);
    uut.is_first.next = cycle.flags[0];
    uut.lost_before.next = cycle.flags[1];
    uut.is_a32.next = cycle.flags[3];
    uut.address.next = cycle.bits(4);
    uut.lost.next = cycle.bits(5);
    uut.ends.next = cycle.rare;
    uut.bits.next = cycle.bits(7);
    uut.is_short.next = cycle.flags[2];
});

flow_block!(
    BlockCrc<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.start.next = cycle.reset || cycle.rare;
        uut.word_valid.next = cycle.valid;
        uut.word.next = cycle.bits(0);
        uut.count_valid.next = cycle.flags[0];
        uut.count.next = cycle.bits(1);
    }
);

flow_block!(BlockSize<1>, None, |uut, cycle| {
    uut.size.next = cycle.bits(0);
});

flow_block!(BranchFields<1>, None, |uut, cycle| {
    uut.valid.next = cycle.flags[0];
    uut.beat.next = cycle.bits(0);
});

flow_block!(JoinPair<1>, None, |uut, cycle| {
    uut.first.next = cycle.bits(0);
    uut.second.next = cycle.bits(1);
});

flow_block!(
    WordPairs,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.s_axis_tdata.next = cycle.bits(0);
        uut.s_axis_tvalid.next = cycle.valid;
        uut.s_axis_tlast.next = cycle.rare;
        uut.m_axis_tready.next = cycle.flags[0];
    }
);

flow_block!(
    Maximum<4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.clear.next = cycle.rare;
        uut.level.next = cycle.bits(0);
    }
);

flow_block!(SplitRow<1>, None, |uut, cycle| {
    uut.row.next = cycle.bits(0);
});

flow_block!(JoinTrailer<1>, None, |uut, cycle| {
    uut.count.next = cycle.bits(0);
    uut.crc.next = cycle.bits(1);
});

flow_block!(
    BlockSender<5>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        // A count comes behind a few words.
        let mut row = Wide::default();
        row.or_field(0, 64, cycle.any[0]);
        row.or_field(64, 1, (cycle.any[1] % 8 == 0).into());
        uut.row.next = Bus(row);
        uut.row_valid.next = cycle.valid;
        uut.last_place.next = 30.into();
        uut.m_axis_tready.next = cycle.flags[0];
    }
);

flow_block!(
    BlockFramer<7>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_entry!(uut, cycle);
        uut.reset.next = cycle.reset;
        uut.first_word.next = 0x5243_1004_u64.into();
        uut.trace_id.next = 0x2A.into();
        uut.most_cycles.next = 500.into();
        uut.last_place.next = 126.into();
        uut.beat_bits.next = bits_of(cycle.any[5], cycle.any[6]);
        drive_tail!(uut, cycle);
        uut.m_axis_tready.next = cycle.flags[2];
    }
);

flow_block!(
    EventBlocks<6, 7>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_compressor!(uut, cycle);
        uut.first_word.next = 0x5243_1004_u64.into();
        uut.ready.next = cycle.flags[4];
        uut.beat_valid.next = cycle.flags[0];
        uut.beat_bits.next = bits_of(cycle.any[5], cycle.any[6]);
        uut.beat_count.next = beat(cycle.any[5], cycle.any[6]).count.into();
        uut.beat_last.next = cycle.flags[1];
        uut.beat_overflows.next = cycle.rare && cycle.flags[4];
        drive_tail!(uut, cycle);
    }
);

flow_block!(
    TimeOut,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.most_cycles.next = (cycle.any[0] % 8).into();
        uut.is_open.next = cycle.valid || cycle.flags[0];
    }
);

flow_block!(
    Sweep<4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.start.next = cycle.rare;
    }
);

flow_block!(
    ReturnAddresses<3>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare && cycle.flags[2];
        uut.pop.next = cycle.flags[0];
        uut.push.next = cycle.flags[1];
        uut.value.next = cycle.bits(0);
    }
);

flow_block!(
    TargetWay<5>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.set.next = cycle.bits(0);
        uut.write.next = cycle.flags[0];
        uut.write_set.next = cycle.bits(1);
        uut.write_tag.next = cycle.bits(2);
        uut.write_target.next = cycle.bits(3);
    }
);

flow_block!(
    RaptorPlaces<8, 5>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_event!(uut, cycle);
        uut.start.next = cycle.reset;
        uut.clears.next = cycle.rare;
        uut.row.next = cycle.bits(4);
        uut.valid.next = cycle.valid;
    }
);

flow_block!(RaptorCounter<1>, None, |uut, cycle| {
    uut.step.next = cycle.bits(0);
    uut.counter.next = cycle.bits(2);
    uut.is_upper.next = cycle.flags[0];
});

flow_block!(
    RaptorTargets<9, 5>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        let event = RaptorEvent {
            valid: u64::from(cycle.valid),
            clears: cycle.rare.into(),
            is_conditional: cycle.flags[0].into(),
            is_counted: cycle.flags[1].into(),
            is_indirect: cycle.flags[2].into(),
            leads: cycle.flags[2].into(),
            returns: cycle.flags[3].into(),
            is_exception: cycle.rare.into(),
            taken: cycle.flags[4].into(),
            next: cycle.any[0] >> 63,
            instructions: cycle.any[1] >> 32,
        };
        uut.step.next = Bus(event.wide());
        uut.set.next = cycle.bits(2);
        uut.tag.next = (cycle.any[3] >> 63).into();
        uut.is_surprise.next = cycle.flags[0];
        uut.top.next = (cycle.any[4] >> 63).into();
        uut.has_top.next = cycle.flags[4];
        uut.older.next = cycle.bits(5);
        uut.tag_0.next = (cycle.any[6] >> 62).into();
        uut.tag_1.next = (cycle.any[7] >> 62).into();
        uut.target_0.next = (cycle.any[8] >> 63).into();
        uut.target_1.next = (cycle.any[9] >> 63).into();
    }
);

flow_block!(
    RaptorRecords<9, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.start.next = cycle.reset;
        uut.decision.next = cycle.sparse(0);
    }
);

flow_block!(
    RaptorTail<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.keeps.next = cycle.valid;
        uut.rest.next = cycle.bits(0);
        uut.slots.next = cycle.bits(1);
    }
);

flow_block!(
    RaptorEncoder<4, 7, 5>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_event!(uut, cycle);
        uut.start.next = cycle.reset;
        uut.event_valid.next = cycle.valid;
    }
);

flow_block!(
    RaptorCompressor<4, 7, 5, 6, 7>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_compressor!(uut, cycle);
    }
);
