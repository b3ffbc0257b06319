// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts never wrap: they saturate until they are cleared.

use coretrace_hdl_etm::chained::PendingCounter;
use coretrace_hdl_etm::layouts::Action;
use coretrace_hdl_parts::stream::SaturatingCounter;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::{Claim, mutated};

/// The counter from any count, because a run from 0 to saturation is too long.
fn saturating_counter() -> Claim {
    let text = exported(SaturatingCounter::<3>::default(), "counter");
    Claim {
        text: mutated(&text, "q = 32'h0;", ""),
        block: "counter".into(),
        rules: include_str!("saturating_counter.v"),
        macros: vec![],
        depth: 4,
    }
}

fn pending_counter() -> Claim {
    let outcome = Action::FIELDS.iter().find(|field| field.0 == "outcome");
    let &(_, low, width) = outcome.expect("the field");
    let outcome = format!("[{}:{low}]", low + width - 1);
    Claim {
        text: exported(PendingCounter::<4>::default(), "counter"),
        block: "counter".into(),
        rules: include_str!("pending_counter.v"),
        macros: vec![("OUTCOME", outcome)],
        depth: 1,
    }
}

#[test]
fn a_count_falls_by_reset_or_clear_and_stays_at_its_greatest_value() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    saturating_counter().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn counts_that_wrap_or_miss_an_amount_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    saturating_counter().refute_each(&[
        ("if (sum_s2__q[31] & (~sum[31])) begin", "if (1'b0) begin"),
        ("32'hffffffff", "32'hfffffffe"),
        ("amount_s1__d = 3'd0", "amount_s1__d = amount"),
        // What comes with a clear is in no count.
        ("sum_s2__d = {29'd0, amount_s1__q}", "sum_s2__d = 32'd0"),
    ]);
}

#[test]
fn pending_bytes_are_counted_one_by_one_up_to_the_greatest_value() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    pending_counter().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn wrong_counts_of_pending_bytes_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    pending_counter().refute_each(&[("32'hffffffff", "32'h0")]);
}
