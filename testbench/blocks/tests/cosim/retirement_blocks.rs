// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks between a hart and a compressor, with any blocks of instructions and any events.

use crate::compress_blocks::few;
use crate::flow_blocks::flow_block;
use coretrace_hdl_compress::*;
use rust_hdl::prelude::*;

/// Two blocks of instructions, each of which may be none.
macro_rules! drive_hart {
    ($uut:ident, $cycle:ident) => {
        $uut.reset.next = $cycle.reset;
        for lane in 0..2 {
            let none = $cycle.flags[lane];
            let halfwords = if none { 0 } else { $cycle.any[lane] >> 56 };
            $uut.iretire[lane].next = halfwords.to_bits();
            $uut.itype[lane].next = $cycle.bits(2 + lane);
            $uut.ilastsize[lane].next = $cycle.flags[2 + lane];
            $uut.iaddr[lane].next = few($cycle.any[4 + lane]);
        }
    };
}

flow_block!(
    Ingress<2, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_hart!(uut, cycle);
    }
);

flow_block!(JoinRetired<2>, None, |uut, cycle| {
    uut.lost.next = if cycle.rare { cycle.bits(8) } else { 0.into() };
    uut.is_full.next = cycle.any[9] % 2 == 1;
    for lane in 0..2 {
        uut.event_valid[lane].next = cycle.flags[lane];
        uut.begins[lane].next = cycle.flags[2 + lane];
        uut.pc[lane].next = few(cycle.any[lane]);
        uut.next_pc[lane].next = few(cycle.any[2 + lane]);
        uut.kind[lane].next = cycle.bits(4 + lane);
        uut.taken[lane].next = cycle.flags[4];
        uut.is_discontinuity[lane].next = cycle.valid;
        uut.instructions[lane].next = cycle.bits(6 + lane);
    }
});

flow_block!(RetiredBeat<1>, None, |uut, cycle| {
    uut.row_valid.next = cycle.valid;
    uut.row.next = cycle.bits(0);
    uut.is_second.next = cycle.flags[0];
});

flow_block!(
    RetirementPort,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_hart!(uut, cycle);
    }
);
