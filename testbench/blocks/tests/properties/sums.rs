// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sums of a table are exact: the block, which accepts an event in each cycle with up to four
//! earlier ones in the pipeline, equals a table that processes one event at a time; and for each
//! key the input equals the evicted plus the stored sum.
//!
//! The rules are about any one place of the table, and so is its memory: see [`super::memory`].

use coretrace_hdl_sink::profile::SumTable;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::Claim;
use crate::memory::with_one_place;
use crate::streams::core;

/// A table in a text.
fn sum_table(text: &str, block: &str) -> Claim {
    Claim {
        text: with_one_place(text),
        block: block.into(),
        rules: include_str!("sum_table.v"),
        macros: vec![],
        depth: 12,
    }
}

/// A table for mutations.
fn changed(changes: &[(&str, &str)]) {
    let text = exported(SumTable::default(), "sums");
    sum_table(&text, "sums").refute_each(changes);
}

#[test]
#[ignore = "nightly: a proof of more than a minute"]
fn each_place_of_a_sum_table_adds_events_one_at_a_time() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    // Equal modules are printed once: the four tables are one module.
    sum_table(core(), "core__profile__sum_table_0").prove_in(9);
}

#[test]
#[ignore = "nightly: a refutation"]
fn tables_that_miss_an_event_in_flight_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    changed(&[
        // The last event is missed, and the one four before, which the memory does not know yet.
        ("here_0_s3 ? sum1_s3 : n426", "n426"),
        ("n50 = actives_3_s1 & n49", "n50 = 1'h0"),
        // The sum of the event two before is taken from the one three before.
        (
            "here_1_s3 ? sums_1_s3 : n425",
            "here_1_s3 ? sums_2_s3 : n425",
        ),
        // An event at another place is taken for one at this place.
        ("n44 = actives_0_s1 & n43", "n44 = actives_0_s1"),
        // The key of an event in flight is not compared.
        ("same_0_s2 <= n143", "same_0_s2 <= n51"),
        // A place that is emptied is full for the event behind.
        ("full1_s3 <= n437", "full1_s3 <= 1'h1"),
    ]);
}

#[test]
#[ignore = "nightly: a refutation"]
fn tables_that_add_up_or_leave_out_wrongly_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    changed(&[
        // The key that is there is not compared, or its kind is not.
        ("n378 = n375 & n377", "n378 = n375"),
        ("n378 = n375 & n377", "n378 = n377"),
        // The sum wraps.
        ("n438 & n436", "n438"),
        // An event that displaces another goes on with its sum.
        ("n443 = n440 ? n442 : weight_s3", "n443 = n442"),
        // A flush makes nothing leave, leaves the place full, or is of another place.
        ("n448 & n444", "n448 & n444 & n437"),
        (
            "n443, data_key_s3, data_kind_s3, n437",
            "n443, data_key_s3, data_kind_s3, 1'h1",
        ),
        ("n3 = n2 ? n1 : n0", "n3 = n0"),
        // What leaves has the key, or the sum, of what displaces it.
        (
            "{n427, old_key_s3, old_kind_s3}",
            "{n427, data_key_s3, data_kind_s3}",
        ),
        (
            "{n427, old_key_s3, old_kind_s3}",
            "{n443, old_key_s3, old_kind_s3}",
        ),
        // What is no event counts.
        ("n11 = n10 & n1", "n11 = n10"),
        // What came at a reset makes something leave.
        ("n449 & n447", "n449"),
    ]);
}
