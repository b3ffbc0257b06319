// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoders of software trace are where a sync ends behind the units that it begins with, after any stream.
//! So they need nothing else to find one, and no input leaves them where they cannot.

use coretrace_hdl_software::itm::x4::ItmX4;
use coretrace_hdl_software::stp::x4::StpX4;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::Claim;

fn stp() -> Claim {
    Claim {
        text: exported(StpX4::<4, 1>::default(), "stp_x4"),
        block: "stp_x4".into(),
        rules: include_str!("stp_alignment.v"),
        macros: vec![],
        depth: 8,
    }
}

fn itm() -> Claim {
    Claim {
        text: exported(ItmX4::<4, 1>::default(), "itm_x4"),
        block: "itm_x4".into(),
        rules: include_str!("itm_alignment.v"),
        macros: vec![],
        depth: 8,
    }
}

#[test]
fn nibbles_f_lead_to_an_async_from_every_place() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    stp().prove();
}

#[test]
fn zeros_lead_to_a_sync_from_every_place() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    itm().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn places_that_miss_a_sync_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    stp().refute_each(&[
        // A byte that does not count is read.
        ("bytes_keep_1_s2 ? ", "1'b1 ? "),
        // A byte of a field does not count.
        ("{bytes_keep_2_s3, ", "{1'b0, "),
        // The nibble before a word is not the last one that counts.
        (" : behind_zeros_0_s2;", " : 1'b0;"),
    ]);
    itm().refute_each(&[
        // The class of a byte is not that of the one that comes in.
        (
            "{classes_0_s2, roles_held_place_s2}",
            "{2'd3, roles_held_place_s2}",
        ),
    ]);
}
