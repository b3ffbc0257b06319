// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks of rBASE, with any events and with streams of few sets.

use crate::compress_blocks::{drive_compressor, few};
use crate::flow_blocks::{FlowCycle, flow_block};
use coretrace_hdl_compress::*;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

/// A step, most of them with a stream of few.
fn stream(cycle: &FlowCycle) -> Bus<STREAM_W> {
    let stream = Stream {
        is_start: u64::from(cycle.reset),
        valid: u64::from(cycle.valid),
        is_last: cycle.flags[0].into(),
        is_stream: (cycle.valid && cycle.flags[1]).into(),
        is_discontinuity: (cycle.rare && cycle.flags[2]).into(),
        is_explicit: cycle.flags[3].into(),
        is_new: cycle.rare.into(),
        place: cycle.any[0] >> 62,
        length: cycle.any[1] >> 63,
        executed: cycle.any[2] >> 56,
        rest: cycle.any[3] >> 56,
        cuts: (cycle.any[4] >> 57) % 65,
        next: cycle.any[5] >> 2,
    };
    Bus(stream.wide())
}

/// A number of instructions: few, or, rarely, so many that streams are cut or the event is lost.
fn instructions(cycle: &FlowCycle) -> u64 {
    cycle.any[3] >> if cycle.rare { 49 } else { 58 }
}

/// An index of few.
fn index(any: u64) -> Bits<7> {
    (any >> 62).into()
}

/// A run of predicted streams.
fn run(cycle: &FlowCycle) -> Bus<STREAM_RUN_W> {
    let bits = cycle.any[6] >> 60;
    let run = StreamRun {
        length: cycle.any[7] >> (63 - bits),
        bits,
        exists: cycle.flags[4].into(),
    };
    Bus(run.wide())
}

flow_block!(LongEvents<1>, None, |uut, cycle| {
    uut.event_valid.next = cycle.valid;
    uut.begins.next = cycle.rare;
    uut.lost_before.next = cycle.bits(0);
    uut.instructions.next = cycle.sparse(1);
});

flow_block!(
    StreamCuts<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.start.next = cycle.reset;
        uut.start_address.next = few(cycle.any[0]);
        uut.valid.next = cycle.valid;
        uut.next_pc.next = few(cycle.any[1]);
        uut.kind.next = cycle.bits(2);
        uut.taken.next = cycle.flags[0];
        uut.is_discontinuity.next = cycle.any[4] % 32 == 0;
        uut.instructions.next = (instructions(cycle) % (1 << 14)).into();
    }
);

flow_block!(
    StreamStarts<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.step.next = cycle.bits(0);
        uut.led.next = few(cycle.any[5]);
    }
);

flow_block!(
    StreamWays<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.stream.next = stream(cycle);
        uut.set.next = (cycle.any[6] >> 63).into();
        uut.tag_0.next = (cycle.any[7] >> 62).into();
        uut.tag_1.next = (cycle.any[8] >> 62).into();
        uut.tag_2.next = (cycle.any[9] >> 62).into();
        uut.tag_3.next = 0x100.into();
        uut.order.next = cycle.bits(3);
        uut.clear.next = cycle.rare;
        uut.clear_set.next = cycle.bits(4);
    }
);

flow_block!(
    StreamCache,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.stream.next = stream(cycle);
        uut.set.next = (cycle.any[6] >> 63).into();
        uut.clear.next = cycle.rare && cycle.flags[4];
        uut.clear_set.next = (cycle.any[7] >> 63).into();
    }
);

flow_block!(
    StreamFollows<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.stream.next = stream(cycle);
        uut.index.next = index(cycle.any[6]);
        uut.is_found.next = cycle.flags[4];
        uut.followed.next = index(cycle.any[7]);
        uut.clear.next = cycle.rare;
        uut.clear_place.next = cycle.bits(8);
    }
);

flow_block!(
    LastStream,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.stream.next = stream(cycle);
        uut.index.next = index(cycle.any[6]);
        uut.is_found.next = cycle.flags[4];
        uut.clear.next = cycle.rare && cycle.flags[3];
        uut.clear_place.next = index(cycle.any[7]);
    }
);

flow_block!(
    RunMonitor<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.stream.next = stream(cycle);
        uut.is_predicted.next = !cycle.rare;
    }
);

flow_block!(
    StreamRecords<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.limit.next = 6000.into();
        uut.stream.next = stream(cycle);
        uut.index.next = index(cycle.any[6]);
        uut.is_known.next = cycle.flags[4];
        uut.is_predicted.next = cycle.flags[4] && cycle.flags[2];
        uut.sends.next = cycle.flags[0];
        uut.run.next = run(cycle);
    }
);

flow_block!(
    StreamTail<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.keeps.next = cycle.valid;
        uut.rest.next = cycle.bits(0);
        uut.rest_start.next = cycle.bits(1);
        uut.rest_run.next = run(cycle);
        uut.slots.next = cycle.bits(3);
    }
);

flow_block!(
    StreamCacheEncoder,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.limit.next = 6000.into();
        uut.start.next = cycle.reset;
        uut.start_address.next = few(cycle.any[0]);
        uut.event_valid.next = cycle.valid;
        uut.next_pc.next = few(cycle.any[1]);
        uut.kind.next = cycle.bits(2);
        uut.taken.next = cycle.flags[0];
        uut.is_discontinuity.next = cycle.any[4] % 32 == 0;
        uut.instructions.next = (instructions(cycle) % (1 << 14)).into();
    }
);

flow_block!(
    StreamCacheCompressor<6, 7>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_compressor!(uut, cycle);
        uut.instructions.next = instructions(cycle).into();
    }
);
