// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks that make branches of a walk, with any tables and any input.

use crate::flow_blocks::{FlowCycle, drive_items, drive_unit, flow_block, item, mostly_even};
use coretrace_hdl_dataflow::{Carrier, Wide};
use coretrace_hdl_flow::*;
use rust_hdl::prelude::*;

/// A step, and words of tables.
macro_rules! drive_steps {
    ($uut:ident, $cycle:ident) => {
        $uut.reset.next = $cycle.reset;
        $uut.step.next = $cycle.bits(0);
        $uut.taken.next = $cycle.flags[0];
        $uut.is_call.next = $cycle.flags[1];
        $uut.address.next = Carrier::from_wide(&near($cycle));
    };
}

/// An address, one of few.
fn near(cycle: &FlowCycle) -> Wide {
    let mut wide = Wide::default();
    wide.or_field(0, 62, cycle.any[1] & 0x407);
    wide
}

flow_block!(
    AddressWords<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.is_a32.next = false;
        uut.item.next = Carrier::from_wide(&item(cycle));
        uut.address.next = cycle.bits(0);
        uut.isa.next = cycle.bits(2);
        uut.has_unit.next = cycle.flags[0];
        uut.unit.next = cycle.bits(3);
        uut.calls.next = cycle.bits(4);
    }
);

flow_block!(HopBranches<5>, None, |uut, cycle| {
    uut.hop.next = cycle.sparse(0);
    uut.base.next = cycle.bits(1);
    uut.at.next = cycle.bits(2);
    uut.indirect.next = cycle.bits(3);
});

flow_block!(BranchRowStep<5>, None, |uut, cycle| {
    uut.held_valid.next = cycle.valid;
    uut.held.next = cycle.sparse(0);
    uut.row.next = cycle.sparse(2);
    uut.address_word.next = cycle.bits(4);
});

flow_block!(
    BranchSequencer<5>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        uut.reset.next = cycle.reset;
        uut.row_valid.next = cycle.valid;
        uut.row.next = cycle.sparse(0);
        uut.address_word.next = cycle.bits(3);
    }
);

flow_block!(
    BranchPlace<42, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_steps!(uut, cycle);
        uut.word.next = cycle.bits(2);
        uut.page.next = (cycle.any[3] & 1).into();
    }
);

flow_block!(FramePage<2>, None, |uut, cycle| {
    uut.page_write.next = cycle.bits(0);
    uut.page_word.next = cycle.bits(1);
});

flow_block!(
    BranchEvents<3, 1, 42>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_steps!(uut, cycle);
        uut.site.next = cycle.bits(2);
        uut.branch_write.next = cycle.rare;
        uut.write_site.next = cycle.bits(3);
        uut.write_branch.next = cycle.bits(4);
        uut.page_write.next = u64::from(cycle.rare).into();
        uut.page_word.next = (cycle.any[5] & 7 | 3 << 44).into();
    }
);

/// The same as a flow unit, and what is said of branches.
macro_rules! drive_branches {
    ($uut:ident, $cycle:ident) => {
        $uut.returns.next = true;
        $uut.ete.next = true;
        $uut.is_a32.next = false;
        drive_unit!($uut, $cycle);
        $uut.branch_write.next = $cycle.rare;
        $uut.write_branch.next = $cycle.bits(3);
        $uut.calls_write.next = $cycle.rare;
        $uut.write_calls.next = $cycle.bits(8);
    };
}

flow_block!(
    BranchUnit<5, 1, 7, 42, 6>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle| {
        drive_branches!(uut, cycle);
    }
);
