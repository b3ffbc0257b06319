// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks that make elements, those of the XE encoder, and parts that it shares with the X encoders, with any values
//! at their ports.

use crate::compress_blocks::{few, lost_before};
use crate::flow_blocks::flow_block;
use coretrace_hdl_compress::*;
use coretrace_hdl_flow::*;
use rust_hdl::prelude::*;

flow_block!(
    OutcomeHistory<4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.valid.next = cycle.valid;
        uut.taken.next = cycle.flags[1];
        uut.outcome_place.next = cycle.bits(0);
        uut.candidate_place.next = cycle.bits(1);
        uut.further_request.next = cycle.flags[2];
        uut.further_number.next = cycle.bits(2);
    }
);

flow_block!(
    TargetHistory<6>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.write_target.next = cycle.flags[0];
        uut.write_place.next = cycle.bits(0);
        uut.write_word.next = cycle.bits(1);
        uut.candidate_place.next = cycle.bits(2);
        uut.further_place.next = cycle.bits(3);
    }
);

flow_block!(
    CandidateSearch<0, 8, 17, 6>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.clear_row.next = cycle.bits(0);
        uut.step_in.next = cycle.bits(1);
        uut.place_in.next = cycle.bits(2);
        uut.comes.next = cycle.flags[2];
        uut.key.next = cycle.bits(3);
        uut.entry.next = cycle.bits(4);
    }
);

flow_block!(
    ElementSteps<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.valid.next = cycle.valid;
        uut.is_bytes.next = cycle.rare;
        uut.taken.next = cycle.flags[0];
        uut.has_address.next = cycle.flags[1];
        uut.address.next = cycle.bits(0);
    }
);

flow_block!(
    ElementPlaces<1, 27>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.step_in.next = cycle.bits(0);
    }
);

flow_block!(
    ElementFollow<1, 1>,
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
        uut.of_addresses.next = cycle.bits(7);
        uut.atoms.next = cycle.bits(8);
        uut.atoms_behind.next = cycle.bits(0);
        uut.flags.next = cycle.bits(9);
        uut.flags_behind.next = cycle.bits(1);
        uut.target.next = cycle.bits(2);
        uut.further_valid.next = cycle.flags[0];
        uut.further_atoms.next = cycle.bits(7);
        uut.further_flags.next = cycle.bits(8);
        uut.further_target.next = cycle.bits(3);
    }
);

flow_block!(
    ElementMatch<10, 11, 11, 27, 9>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.clear.next = cycle.rare;
        uut.clear_row.next = cycle.bits(0);
        uut.step_in.next = cycle.bits(1);
        uut.place.next = cycle.bits(2);
        uut.is_atom_in.next = cycle.flags[0];
        uut.taken_in.next = cycle.flags[1];
        uut.has_address_in.next = cycle.flags[2];
        uut.comes.next = cycle.flags[3];
        uut.outcome_place.next = cycle.bits(3);
        uut.key.next = cycle.bits(4);
        uut.entry.next = cycle.bits(5);
        uut.by_address.next = cycle.bits(6);
        uut.by_history.next = cycle.bits(7);
        uut.of_addresses.next = cycle.bits(8);
    }
);

flow_block!(
    ElementEncoder,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        // A start takes 512 cycles, so few of them.
        uut.start.next = cycle.reset && cycle.any[0] % 4 == 0;
        uut.element_valid.next = cycle.valid;
        uut.is_bytes.next = cycle.rare;
        uut.taken.next = cycle.flags[0] || cycle.flags[1];
        uut.has_address.next = cycle.flags[2];
        uut.address.next = few(cycle.any[1]);
    }
);

flow_block!(
    ElementCompressor<7, 7>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        // The first cycles alone: a reset begins all again.
        uut.reset.next = cycle.reset && cycle.flags[3];
        uut.element_valid.next = cycle.valid && cycle.flags[1];
        let begins = cycle.rare && cycle.flags[2];
        uut.begins.next = begins;
        uut.lost_before.next = lost_before(begins, cycle.any[9]);
        uut.flush.next = cycle.rare && cycle.flags[4];
        uut.is_bytes.next = cycle.flags[0] && cycle.flags[4];
        uut.taken.next = cycle.flags[0];
        uut.has_address.next = cycle.flags[2];
        uut.address.next = few(cycle.any[1]);
        uut.most_cycles.next = 700.into();
        // 128 words.
        uut.last_place.next = 126.into();
        uut.m_axis_tready.next = cycle.flags[3];
    }
);

flow_block!(ElementStep<1>, None, |uut, cycle| {
    uut.reset.next = cycle.reset;
    uut.ready.next = cycle.flags[0];
    uut.ends.next = cycle.flags[1];
    uut.row_valid.next = cycle.valid;
    uut.row.next = cycle.bits(0);
    uut.held.next = cycle.bits(3);
    uut.state.next = cycle.sparse(6);
});

flow_block!(SplitElement<1>, None, |uut, cycle| {
    uut.element.next = cycle.bits(0);
});

flow_block!(
    ElementSequencer,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.row_valid.next = cycle.valid;
        uut.row.next = cycle.bits(0);
        uut.ready.next = cycle.flags[0] || cycle.flags[2];
        uut.ends.next = cycle.rare;
    }
);
