// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks of the software stream: on any values, and on streams of the generator in rows with losses, pauses, a
//! consumer that stalls, and resets.

use crate::SEED;
use crate::bench::Bench;
use crate::flow_blocks::flow_block;
use crate::mixer::Mixer;
use coretrace_hdl_sink::software::{
    ByteStep, ItmEntries, ItmRecorder, JoinBytes, RowBytes, SendStep, SoftwareBeats,
    SoftwareSender, StpEntries, StpRecorder,
};
use coretrace_test_gen::{Damage, Rng, itm_stream, rng, stm_stream};
use rand::RngExt;
use rust_hdl::prelude::*;

flow_block!(JoinBytes<1>, None, |uut, cycle| {
    uut.data.next = cycle.bits(0);
    uut.keep.next = cycle.bits(1);
    uut.lost.next = cycle.flags[0];
    uut.place.next = cycle.bits(2);
});

flow_block!(ByteStep<1>, None, |uut, cycle| {
    uut.reset.next = cycle.reset;
    uut.room.next = cycle.flags[0];
    uut.head.next = cycle.bits(0);
    uut.head_valid.next = cycle.flags[1];
    uut.state.next = cycle.bits(3);
});

flow_block!(
    RowBytes<4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.s_axis_tdata.next = cycle.bits(0);
        uut.s_axis_tkeep.next = cycle.bits(1);
        uut.s_axis_tvalid.next = cycle.flags[0] && cycle.flags[1];
        uut.s_axis_discontinuity.next = cycle.rare;
        uut.s_axis_place.next = cycle.bits(2);
        uut.room.next = cycle.valid;
    }
);

flow_block!(
    StpEntries<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.s_valid.next = cycle.valid;
        uut.s_discontinuity.next = cycle.rare;
        uut.s_pending.next = cycle.bits(0);
        uut.s_lane0.next = cycle.sparse(1);
        uut.s_lane1.next = cycle.sparse(2);
        uut.s_packet.next = cycle.bits(3);
        uut.s_state.next = cycle.bits(4);
        uut.s_place.next = cycle.bits(5);
    }
);

flow_block!(
    ItmEntries<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.s_valid.next = cycle.valid;
        uut.s_discontinuity.next = cycle.rare;
        uut.s_pending.next = cycle.bits(0);
        uut.s_lane.next = cycle.sparse(1);
        uut.s_packet.next = cycle.bits(3);
        uut.s_state.next = cycle.bits(4);
        uut.s_place.next = cycle.bits(5);
    }
);

flow_block!(SendStep<1>, None, |uut, cycle| {
    uut.reset.next = cycle.reset;
    uut.flush.next = cycle.rare;
    uut.room.next = cycle.valid;
    uut.head.next = cycle.bits(0);
    uut.head_valid.next = cycle.flags[1];
    uut.state.next = if cycle.flags[2] {
        cycle.bits(3)
    } else {
        cycle.sparse(3)
    };
});

flow_block!(
    SoftwareBeats<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.entry.next = cycle.bits(0);
        uut.select.next = cycle.bits(1);
        uut.trace_id.next = 0x21_u64.to_bits();
        uut.lenient.next = true;
        uut.is_itm.next = true;
        uut.itm_tcr.next = 0x310_u64.to_bits();
        uut.lost_words.next = 0x1234_5678_u64.to_bits();
    }
);

flow_block!(
    SoftwareSender,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.flush.next = cycle.rare && cycle.flags[3];
        uut.trace_id.next = 0x21_u64.to_bits();
        uut.lenient.next = false;
        uut.is_itm.next = false;
        uut.itm_tcr.next = 0_u64.to_bits();
        uut.lost_words.next = 7_u64.to_bits();
        uut.entry.next = cycle.bits(0);
        uut.entry_valid.next = cycle.flags[0] && cycle.flags[1] && uut.room.val();
        uut.m_axis_tready.next = cycle.valid;
    }
);

/// Streams of a run.
const STREAMS: usize = 12;
/// Packets of each.
const PACKETS: usize = 60;

/// The inputs of a recorder in a cycle.
#[derive(Clone, Copy)]
pub struct RecorderCycle {
    lenient: bool,
    reset: bool,
    flush: bool,
    valid: bool,
    discontinuity: bool,
    data: u32,
    keep: u32,
    place: u32,
    takes: bool,
}

/// The cycles of streams of one protocol. Nobody reads in every fourth one.
fn cycles(stream: fn(&mut Rng, usize, Option<Damage>) -> Vec<u8>) -> Vec<RecorderCycle> {
    let mut rng = rng(SEED);
    let mut cycles = Vec::new();
    for number in 0..STREAMS {
        let damage = (number % 2 == 1).then(|| Damage::ALL[number / 2 % Damage::ALL.len()]);
        let bytes = stream(&mut rng, PACKETS, damage);
        let mut bytes = bytes.into_iter();
        let first = cycles.len();
        while bytes.len() > 0 {
            let valid = rng.random_bool(0.5);
            let (mut data, mut keep) = (rng.random(), 0);
            for lane in 0..4 {
                if valid
                    && rng.random_bool(0.4)
                    && let Some(byte) = bytes.next()
                {
                    data = data & !(0xFF << (8 * lane)) | u32::from(byte) << (8 * lane);
                    keep |= 1 << lane;
                }
            }
            cycles.push(RecorderCycle {
                lenient: number % 3 == 0,
                reset: cycles.len() == first && number % 3 != 2,
                flush: rng.random_bool(0.01),
                valid,
                discontinuity: rng.random_bool(0.01),
                data,
                keep,
                place: cycles.len() as u32,
                takes: number % 4 != 3 && rng.random_bool(0.9),
            });
        }
    }
    cycles
}

macro_rules! recorder {
    ($recorder:ident, $stream:ident, |$uut:ident| $more:block) => {
        impl Bench for $recorder {
            type Cycle = RecorderCycle;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> =
                Some(|uut, clock| uut.clock.next = clock);

            fn cycles() -> impl AsRef<[RecorderCycle]> {
                cycles($stream)
            }

            fn drive(&mut self, cycle: &RecorderCycle, _: &mut Mixer) {
                let $uut = self;
                $uut.reset.next = cycle.reset;
                $uut.trace_id.next = 0x21_u64.to_bits();
                $uut.lenient.next = cycle.lenient;
                $uut.flush.next = cycle.flush;
                $uut.lost_words.next = 3_u64.to_bits();
                $uut.s_axis_tdata.next = cycle.data.to_bits();
                $uut.s_axis_tkeep.next = cycle.keep.to_bits();
                $uut.s_axis_tvalid.next = cycle.valid;
                $uut.s_axis_discontinuity.next = cycle.discontinuity;
                $uut.s_axis_place.next = cycle.place.to_bits();
                $uut.m_axis_tready.next = cycle.takes;
                $more
            }
        }
    };
}

recorder!(StpRecorder, stm_stream, |_uut| {});
recorder!(ItmRecorder, itm_stream, |uut| {
    uut.itm_tcr.next = 0x310_u64.to_bits();
});
