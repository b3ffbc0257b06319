// SPDX-License-Identifier: MIT OR Apache-2.0
//! The path of a sum through the profile path: from a row to a table ([`super::sums`] proves the
//! table), to the table's FIFO and to the last FIFO ([`super::fifos`] proves both). Together they
//! prove that the entries before a mark are all that has been counted.

use coretrace_hdl_sink::profile::ProfileAccumulator;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::{Claim, from_any_state, mutated};
use crate::memory::with_any_words;

/// A path whose memories return any word. The solver may remove what synthesis must keep.
fn path() -> String {
    let text = exported(ProfileAccumulator::default(), "path");
    with_any_words(&text).replace("(* keep *) ", "")
}

/// A path whose tables may evict any entry.
fn path_with_any_tables() -> String {
    let path = path();
    let (before, table) = path.split_once("module path__sum_table_0 (").expect("it");
    let (ports, rest) = table.split_once(");\n").expect("a list of ports");
    let (_, behind) = rest.split_once("endmodule\n").expect("an end");
    let body = include_str!("any_sum_table.v");
    format!("{before}module path__sum_table_0 ({ports});\n{body}endmodule\n{behind}")
}

/// Rules of a path from any state.
fn anywhere(text: &str, rules: &'static str) -> Claim {
    Claim {
        text: from_any_state(text),
        block: "path".into(),
        rules,
        macros: vec![],
        depth: 8,
    }
}

fn entries() -> Claim {
    anywhere(&path(), include_str!("profile_entries.v"))
}

fn room(text: &str) -> Claim {
    anywhere(text, include_str!("profile_room.v"))
}

/// A path that empties its tables, from its first state.
fn flush() -> Claim {
    Claim {
        text: path_with_any_tables(),
        block: "path".into(),
        rules: include_str!("profile_flush.v"),
        macros: vec![("AT_FIRST", "= 0".into()), ("FROM_ANY", "1'b0".into())],
        depth: 2,
    }
}

/// The same from any state in which the rules hold, because a walk through a table is long.
fn flush_from_any_state() -> Claim {
    let flush = flush();
    Claim {
        text: from_any_state(&flush.text),
        macros: vec![("AT_FIRST", String::new()), ("FROM_ANY", "1'b1".into())],
        ..flush
    }
}

#[test]
fn events_and_entries_of_a_profile_go_where_they_belong_one_at_a_time() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    entries().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn profile_paths_that_lose_or_confuse_events_or_entries_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    entries().refute_each(&[
        // Two entries are taken at once, or one together with a marker, or without room.
        ("n60 = n59 & n58", "n60 = n59"),
        ("n54 = n0 & n53", "n54 = n0"),
        ("n54 = n0 & n53", "n54 = n53"),
        // An entry is sent but stays in its FIFO.
        ("take_3 = {n68}", "take_3 = 1'b0"),
        // The key comes from another lane.
        ("n46 = n3 ? n10 : n45", "n46 = n3 ? n7 : n45"),
        // A marker is sent without room.
        ("in_marker__q & (~beat_fifo__fills_up)", "in_marker__q"),
        // Sums evicted at a start get the trace ID of the new source.
        (
            "if (in_marker__q) begin\n        entry_select__trace_id",
            "begin\n        entry_select__trace_id",
        ),
        // A start gets the trace ID that is set when it is taken.
        ("next_id__d = lanes__trace_id", "next_id__d = trace_id"),
        // A lane counts an event of another lane; an entry goes to a wrong FIFO too.
        ("evt = lanes__evt_2", "evt = lanes__evt_1"),
        ("data = sum_table_1__entry", "data = sum_table_0__entry"),
        // An event is taken while a place is emptied, or without its row.
        (
            "((state__q == State__Count) & row_fifo__m_axis_tvalid)",
            "row_fifo__m_axis_tvalid",
        ),
        (
            "sum_table_3__counts = takes_row",
            "sum_table_3__counts = ~walks",
        ),
    ]);
}

#[test]
fn what_a_profile_path_writes_to_a_fifo_finds_room() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    room(&path()).prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn profile_paths_that_write_to_a_full_fifo_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let room = room(&path_with_any_tables());
    room.prove();
    room.refute_each(&[
        // Events continue, or a walk does.
        ("& (~fills_up)) & (~asked__q)", ") & (~asked__q)"),
        (
            "((state__q == State__Flush) & (~fills_up))",
            "(state__q == State__Flush)",
        ),
        // One FIFO is ignored.
        ("fills_up = fills_up | entry_fifo_3__fills_up;", ""),
        // Entries continue.
        ("room = ~beat_fifo__fills_up", "room = 1'b1"),
    ]);
    // Four entries can arrive.
    let three = mutated(room.rules, "<= 4", "<= 3");
    let three = Claim {
        rules: three.leak(),
        ..room
    };
    assert!(three.fails().expect("a verdict"));
}

#[test]
fn every_place_is_emptied_before_it_counts_and_before_a_mark() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    flush().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn profile_paths_that_leave_a_place_full_or_mark_too_early_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    // The first walk does not start at the first place.
    flush().refute_each(&[("q = 9'h0;", "q = 9'h5;")]);
    let flush = flush_from_any_state();
    flush.prove();
    flush.refute_each(&[
        // Half of the places are emptied, after a reset or before a mark.
        ("if (&walk__q)", "if (&walk__q[7:0])"),
        ("walks & (&walk__q)", "walks & (&walk__q[7:0])"),
        // A place is skipped while no entry can be evicted.
        ("if (walks)", "if (walks | (state__q == State__Flush))"),
        ("if (walks & (&walk__q))", "if (&walk__q)"),
        // A walk continues after a reset.
        ("walk__d = 9'd0", "walk__d = walk__q"),
        // A mark does not wait for entries, or not for those in the pipeline.
        (
            "if (entries_wait) begin\n          settle__d",
            "if (1'b0) begin\n          settle__d",
        ),
        (
            "if (&settle__q) begin\n          state__d = State__Marker",
            "if (&settle__q[1:0]) begin\n          state__d = State__Marker",
        ),
        // Entries from before a reset are sent.
        (" | (state__q == State__Discard)", ""),
        (
            "if (&settle__q) begin\n          state__d = State__Count",
            "if (settle__q[1]) begin\n          state__d = State__Count",
        ),
        // Events count during the walk.
        (
            "((state__q == State__Count) & row_fifo__m_axis_tvalid)",
            "row_fifo__m_axis_tvalid",
        ),
        // A start is reported as a flush.
        ("is_start__d = 1'b1", "is_start__d = 1'b0"),
    ]);
}
