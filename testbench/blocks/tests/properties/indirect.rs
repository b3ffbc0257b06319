// SPDX-License-Identifier: MIT OR Apache-2.0
//! The way of a sum out of a table of indirect branches: every entry finds room, and those of a
//! read-out are in front of its end. [`super::sums`] proves the table, [`super::fifos`] the FIFO.

use coretrace_hdl_flow::IndirectSums;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::{Claim, from_any_state};
use crate::memory::with_any_words;

/// A table whose memories return any word. The solver may remove what synthesis must keep.
fn table() -> String {
    let text = exported(IndirectSums::default(), "ways");
    with_any_words(&text).replace("(* keep *) ", "")
}

fn claim(text: String, rules: &'static str) -> Claim {
    Claim {
        text,
        block: "ways".into(),
        rules,
        macros: vec![],
        depth: 12,
    }
}

/// From any state: a FIFO fills up in many cycles.
fn room() -> Claim {
    claim(from_any_state(&table()), include_str!("indirect_room.v"))
}

/// From the first state.
fn end() -> Claim {
    Claim {
        macros: vec![("AT_FIRST", "= 0".into()), ("FROM_ANY", "1'b0".into())],
        ..claim(table(), include_str!("indirect_end.v"))
    }
}

/// From any state in which the rules hold, because a walk through a table is long.
fn end_from_any_state() -> Claim {
    let end = end();
    Claim {
        text: from_any_state(&end.text),
        macros: vec![("AT_FIRST", String::new()), ("FROM_ANY", "1'b1".into())],
        ..end
    }
}

#[test]
fn entries_of_indirect_branches_find_room() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    room().prove();
}

#[test]
fn the_end_of_a_read_out_comes_behind_its_indirect_branches() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    end().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn tables_of_indirect_branches_that_overflow_or_end_early_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    room().refute_each(&[
        // Branches are counted, places are emptied or an end is written without room.
        ("sums__counts = has_room", "sums__counts = 1'b1"),
        ("walking__q & (~entries__half_full)", "walking__q"),
    ]);
    let end = end_from_any_state();
    end.prove();
    end.refute_each(&[
        // Half of the places are emptied.
        ("if (&place__q)", "if (&place__q[7:0])"),
        // The last entries are still in the table.
        ("settling__q & (&tail__q)", "settling__q"),
        // A place is skipped.
        ("if (empties)", "if (walking__q)"),
    ]);
}
