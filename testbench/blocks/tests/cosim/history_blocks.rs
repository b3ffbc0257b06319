// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks of the X encoders, with any values at their ports.

use crate::compress_blocks::{drive_compressor, few};
use crate::flow_blocks::flow_block;
use coretrace_hdl_compress::*;
use rust_hdl::prelude::*;

flow_block!(
    RowMemory<11, 6, 27>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.read_address.next = cycle.bits(0);
        uut.write_address.next = cycle.bits(1);
        uut.write_data.next = cycle.bits(2);
        uut.write_enable.next = cycle.flags[1];
        uut.clear.next = cycle.rare;
        uut.clear_row.next = cycle.bits(3);
    }
);

flow_block!(
    OutcomeCounters<4, 27>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.valid.next = cycle.valid;
        uut.pair.next = cycle.bits(0);
        uut.is_high.next = cycle.flags[1];
        uut.taken.next = cycle.flags[2];
        uut.clear.next = cycle.rare;
        uut.clear_row.next = cycle.bits(1);
    }
);

flow_block!(
    CounterStep<4, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.valid.next = cycle.valid;
        uut.pair.next = cycle.bits(0);
        uut.is_high.next = cycle.flags[1];
        uut.taken.next = cycle.flags[2];
        uut.stored.next = cycle.bits(1);
    }
);

flow_block!(
    OutcomeProbabilities,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.valid.next = cycle.valid;
        uut.outcome_context.next = cycle.bits(0);
        uut.taken.next = cycle.flags[2];
        uut.clear.next = cycle.rare;
        uut.clear_row.next = cycle.bits(1);
    }
);

flow_block!(
    ProbabilityStep<10, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.valid.next = cycle.valid;
        uut.place.next = cycle.bits(0);
        uut.taken.next = cycle.flags[2];
        uut.stored.next = cycle.bits(1);
    }
);

flow_block!(
    HistorySteps<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.valid.next = cycle.valid;
        uut.pc.next = cycle.bits(0);
        uut.next_pc.next = cycle.bits(1);
        uut.kind.next = cycle.bits(2);
        uut.taken.next = cycle.flags[2];
        uut.is_discontinuity.next = cycle.rare;
        uut.instructions.next = cycle.bits(3);
    }
);

flow_block!(
    HistoryPlaces<0, 17>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.step_in.next = cycle.bits(0);
        uut.top.next = cycle.bits(1);
        uut.has_top.next = cycle.flags[1];
    }
);

flow_block!(
    OutcomeWords<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.valid.next = cycle.valid;
        uut.taken.next = cycle.flags[1];
        uut.place.next = cycle.bits(0);
    }
);

flow_block!(
    OutcomeRing<4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.write.next = cycle.flags[0];
        uut.write_number.next = cycle.bits(0);
        uut.write_word.next = cycle.bits(1);
        uut.place.next = cycle.bits(2);
        uut.further_request.next = cycle.flags[1];
        uut.further_number.next = cycle.bits(3);
    }
);

flow_block!(
    WordCut<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.place.next = cycle.bits(0);
        uut.even.next = cycle.bits(1);
        uut.odd.next = cycle.bits(2);
    }
);

flow_block!(
    MatchFound<0, 17>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.entry.next = cycle.bits(0);
    }
);

flow_block!(
    MatchCandidate<0, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.place.next = cycle.bits(0);
        uut.found.next = cycle.bits(1);
    }
);

flow_block!(PathIndex<1>, None, |uut, cycle| {
    uut.place.next = cycle.bits(0);
});

flow_block!(
    ExpectedTargets<6>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.step_in.next = cycle.bits(0);
        uut.place_in.next = cycle.bits(1);
        uut.clear.next = cycle.rare;
        uut.clear_row.next = cycle.bits(2);
    }
);

flow_block!(
    ExpectedMemory<6>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.read_address.next = cycle.bits(0);
        uut.write_address.next = cycle.bits(1);
        uut.new_target.next = cycle.bits(2);
        uut.new_confidence.next = cycle.bits(3);
        uut.write_target.next = cycle.flags[0];
        uut.write_confidence.next = cycle.flags[1];
        uut.clear.next = cycle.rare;
        uut.clear_row.next = cycle.bits(4);
    }
);

flow_block!(ExpectedStep<1>, None, |uut, cycle| {
    uut.step.next = cycle.bits(0);
    uut.target.next = cycle.bits(1);
    uut.confidence.next = cycle.bits(2);
});

flow_block!(
    MatchFollow<0, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.step_in.next = cycle.bits(0);
        uut.place.next = cycle.bits(1);
        uut.expected.next = cycle.bits(2);
        uut.confidence.next = cycle.bits(3);
        uut.candidate.next = cycle.bits(4);
        uut.by_address.next = cycle.bits(5);
        uut.by_history.next = cycle.bits(6);
        uut.word.next = cycle.bits(7);
        uut.behind.next = cycle.bits(8);
        uut.target.next = cycle.bits(9);
        uut.further_valid.next = cycle.flags[0];
        uut.further_word.next = cycle.bits(10);
        uut.further_target.next = cycle.bits(11);
    }
);

flow_block!(
    HistoryMatch<0, 5, 6, 8, 17, 6>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.clear_row.next = cycle.bits(0);
        uut.step_in.next = cycle.bits(1);
        uut.place.next = cycle.bits(2);
        uut.is_outcome_in.next = cycle.flags[0];
        uut.taken_in.next = cycle.flags[1];
        uut.comes.next = cycle.flags[2];
        uut.outcome_place.next = cycle.bits(3);
        uut.key.next = cycle.bits(4);
        uut.entry.next = cycle.bits(5);
        uut.by_address.next = cycle.bits(6);
        uut.by_history.next = cycle.bits(7);
    }
);

flow_block!(
    GuessPlaces<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.step_in.next = cycle.bits(0);
        uut.guess.next = cycle.bits(1);
    }
);

flow_block!(
    GuessMemory,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.read_place.next = cycle.bits(0);
        uut.write.next = cycle.flags[0];
        uut.write_place.next = cycle.bits(1);
        uut.write_word.next = cycle.bits(2);
        uut.clear.next = cycle.rare;
        uut.clear_place.next = cycle.bits(3);
    }
);

flow_block!(
    GuessDecisions<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.step_in.next = cycle.bits(0);
        uut.places.next = cycle.bits(1);
        uut.exist.next = cycle.bits(2);
        uut.right.next = cycle.bits(3);
        uut.of_return.next = cycle.bits(4);
        uut.of_match.next = cycle.bits(5);
        uut.of_expected.next = cycle.bits(6);
    }
);

flow_block!(
    TargetGuesses,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.step_in.next = cycle.bits(0);
        uut.guess.next = cycle.bits(1);
        uut.clear.next = cycle.rare;
        uut.clear_place.next = cycle.bits(2);
    }
);

flow_block!(
    DecisionEntries<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.step.next = cycle.bits(0);
        uut.decisions.next = cycle.bits(1);
        uut.is_sure.next = cycle.flags[0];
        uut.is_right.next = cycle.flags[1];
        uut.is_flag_sure.next = cycle.flags[2];
        uut.is_flag_right.next = cycle.flags[3];
    }
);

flow_block!(
    DecisionSlots<5, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.push.next = cycle.valid;
        uut.entry.next = cycle.bits(0);
        uut.value.next = cycle.bits(1);
    }
);

flow_block!(
    DecisionQueue,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.valid.next = cycle.valid;
        uut.entry.next = cycle.bits(0);
        uut.value.next = cycle.bits(1);
    }
);

flow_block!(
    HistoryRecords<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.slot.next = cycle.bits(0);
    }
);

flow_block!(
    HistoryEncoder<0, 8, 9, 5, 6, 8, 17, 6, 3>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        // A start takes 512 cycles, so few of them.
        uut.start.next = cycle.reset && cycle.any[0] % 4 == 0;
        uut.start_address.next = cycle.bits(1);
        uut.event_valid.next = cycle.valid;
        uut.pc.next = few(cycle.any[2]);
        uut.next_pc.next = few(cycle.any[3]);
        uut.kind.next = cycle.bits(4);
        uut.taken.next = cycle.flags[0];
        uut.is_discontinuity.next = cycle.rare;
        uut.instructions.next = cycle.sparse(5);
    }
);

flow_block!(
    HistoryTail<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.keeps.next = cycle.valid;
        uut.events.next = cycle.sparse(0);
        uut.rest.next = cycle.sparse(1);
        // One slot, or none.
        uut.slots.next = ((1_u64 << (cycle.any[2] % 6)) & 0x1F).into();
    }
);

flow_block!(
    HistoryCompressor<1, 9, 10, 9, 9, 10, 24, 8, 4, 7, 7>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_compressor!(uut, cycle);
    }
);
