// SPDX-License-Identifier: MIT OR Apache-2.0
//! The FIFO between any two clocks: word number n in is word number n out, dropped words are
//! counted, and the next word is flagged. A reset starts a new stream.
//!
//! The rules keep the word of any one place of the memory, and so do the memories: see
//! [`super::memory`] and, for the clocks, [`super::clocks`]. With 5 bits of an address the proof
//! takes more than a minute, so the FIFO of the core, with 12 bits, is out of reach; its text
//! differs from the small ones only in widths.

use coretrace_hdl_parts::stream::{AsyncFifo, Synchroniser};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::clocks::{with_free_clocks, with_unsure_synchronisers};
use crate::exported;
use crate::fifos::{WRONG_MEMORIES, memory};
use crate::induction::{Claim, mutated};
use crate::memory::with_one_place;

/// A FIFO whose clocks may rise in any step.
fn claim<const W: usize, const A: usize, const N: usize>(rules: &'static str) -> Claim {
    let text = exported(AsyncFifo::<W, A, N>::default(), "fifo");
    let text = with_unsure_synchronisers(&with_one_place(&text));
    Claim {
        text: with_free_clocks(&text),
        block: "fifo".into(),
        rules,
        macros: [("W", W), ("A", A), ("N", N)]
            .map(|(name, number)| (name, number.to_string()))
            .to_vec(),
        depth: 20,
    }
}

/// The claim about words.
fn words<const W: usize, const A: usize>() -> Claim {
    claim::<W, A, 16>(concat!(
        include_str!("async_reset.v"),
        include_str!("async_fifo.v")
    ))
}

/// What is said of the number of words lost. No run from 0 to the greatest one is short, so that it
/// begins anywhere.
fn drops<const N: usize>() -> Claim {
    let claim = claim::<1, 2, N>(concat!(
        include_str!("async_reset.v"),
        include_str!("async_fifo_drops.v")
    ));
    claim.mutated(&format!("q = {N}'h0;"), "")
}

/// The claim about the reset handshake.
fn resets() -> Claim {
    claim::<1, 2, 16>(concat!(
        include_str!("async_reset.v"),
        include_str!("async_reset_ends.v")
    ))
}

#[test]
fn a_synchroniser_takes_the_old_or_the_new_value_of_each_bit() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let text = exported(Synchroniser::<2>::default(), "synchroniser");
    let start = "module synchroniser (";
    let either = with_unsure_synchronisers(&text).replace(start, "module either (");
    let text = mutated(&text, "assign q", "wire [1:0] inside = first;\n  assign q");
    let claim = Claim {
        text: with_free_clocks(&(text + &either)),
        block: "either".into(),
        rules: include_str!("synchroniser_takes_either.v"),
        macros: vec![],
        depth: 4,
    };
    claim.prove();
    claim.refute_each(&[
        ("first <= d", "first <= ~d"),
        ("second <= first", "second <= d"),
    ]);
}

#[test]
fn a_memory_of_two_clocks_reads_as_one_place_of_it_says() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let memory = memory();
    let ports = "module rules(`INPUTS);";
    let rules = with_free_clocks(memory.rules);
    let memory = Claim {
        text: with_free_clocks(&memory.text),
        rules: mutated(&rules, ports, &format!("{ports}\n    wire step;")).leak(),
        ..memory
    };
    memory.prove();
    memory.refute_each(&WRONG_MEMORIES);
}

#[test]
fn word_number_n_in_is_word_number_n_out_at_any_two_clocks() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    words::<2, 2>().prove();
    words::<2, 3>().prove();
    // The default number of places, and words as wide as in the core.
    words::<32, 4>().prove();
}

#[test]
fn lost_words_are_counted_at_any_two_clocks_up_to_the_greatest_number() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    drops::<16>().prove();
    // As many bits as in the core.
    drops::<32>().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn wrong_fifos_of_two_clocks_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let fifo = words::<2, 2>();
    let is_full = "is_full = write_pointer__gray_next == read_pointer_seen__q";
    let stores = "stores = write_valid & has_room";
    let has_room = "has_room = (~is_full) & (((~lost__q) | is_half_empty) | is_empty)";
    fifo.refute_each(&[
        // The memory is full too late, too early, or the check is missing.
        (is_full, "is_full = 1'b0"),
        (
            is_full,
            "is_full = write_pointer__gray == read_pointer_seen__q",
        ),
        (
            is_full,
            "is_full = (write_pointer__gray ^ read_pointer_seen__q) == 2'd3",
        ),
        (stores, "stores = write_valid"),
        (stores, "stores = has_room"),
        // Words are stored in a full memory behind a loss, or never again.
        (has_room, "has_room = (~is_full) | lost__q"),
        (has_room, "has_room = (~is_full) & (~lost__q)"),
        (
            "is_empty = write_pointer__gray == read_pointer_seen__q",
            "is_empty = write_pointer__gray != read_pointer_seen__q",
        ),
        (
            "write_pointer__enable = stores",
            "write_pointer__enable = write_valid",
        ),
        // A place is read too early, a wrong one is read, the same one repeatedly, or the word is
        // not output.
        (
            "write_pointer_seen__q != read_pointer__gray",
            "write_pointer__gray != read_pointer__gray",
        ),
        (
            "words__read_address = read_pointer__count",
            "words__read_address = write_pointer__count",
        ),
        (
            "read_pointer__enable = takes",
            "read_pointer__enable = 1'b0",
        ),
        ("valid__d = takes", "valid__d = 1'b0"),
        // A word is stored in a wrong place.
        (
            "words__write_address = write_pointer__count",
            "words__write_address = write_pointer__gray",
        ),
        // The flag stays, is never set, or is set for a wrong word.
        ("lost__d = 1'b0", "lost__d = lost__q"),
        ("lost__d = 1'b1", "lost__d = lost__q"),
        (
            "flags__write_data = lost__q",
            "flags__write_data = discards",
        ),
    ]);
}

#[test]
#[ignore = "nightly: a refutation"]
fn resets_that_leave_something_behind_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let is_quiet = "is_quiet = ((reset | is_due__q) | asks__q) | (|is_cleared__q)";
    words::<2, 2>().refute_each(&[
        // One of the sides is not cleared.
        (
            "write_pointer__clear = |write_reset__q",
            "write_pointer__clear = 1'b0",
        ),
        (
            "read_pointer__clear = is_quiet",
            "read_pointer__clear = 1'b0",
        ),
        ("if (stores | (|write_reset__q)) begin", "if (stores) begin"),
        // The reader continues too early, or does not stop.
        (is_quiet, "is_quiet = (reset | is_due__q) | asks__q"),
        (
            is_quiet,
            "is_quiet = (reset | is_due__q) | (|is_cleared__q)",
        ),
        (
            is_quiet,
            "is_quiet = (is_due__q | asks__q) | (|is_cleared__q)",
        ),
        // A reset during another one is ignored, and a request is too short.
        (
            "is_due__d = reset | (is_due__q & (|is_cleared__q))",
            "is_due__d = reset",
        ),
        ("asks__d = (asks__q | is_due__q)", "asks__d = is_due__q"),
    ]);
}

#[test]
fn a_reset_ends_if_both_clocks_rise() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let resets = resets();
    resets.prove();
    let asks = "asks__d = (asks__q | is_due__q) & (~(|is_cleared__q))";
    resets.refute_each(&[
        // One of the sides ignores the other.
        ("write_reset__d = asks__q", "write_reset__d = 1'b0"),
        ("is_cleared__d = write_reset__q", "is_cleared__d = 1'b0"),
        // The reader never requests, or does not end the request.
        (asks, "asks__d = asks__q & (~(|is_cleared__q))"),
        (asks, "asks__d = asks__q | is_due__q"),
        ("is_due__d = reset |", "is_due__d ="),
        // It is quiet without a request.
        ("is_quiet = ((reset |", "is_quiet = ((write_valid |"),
    ]);
}

#[test]
#[ignore = "nightly: a refutation"]
fn pointers_that_cross_in_binary_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let sum = "2'd2;\n  assign sum_code = sum";
    let fifo = words::<2, 2>().mutated(&format!("{sum} ^ (sum >> 1)"), sum);
    let code = "code = number[`A-1:0]";
    let binary = Claim {
        rules: mutated(fifo.rules, &format!("{code} ^ number[`A-1:0] >> 1"), code).leak(),
        ..fifo
    };
    assert!(!binary.holds().expect("a verdict"));
    // The cause is the step in which both clocks rise.
    let text = binary.text.replace("clock ? anything : 0", "0");
    Claim { text, ..binary }.prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn wrong_numbers_of_lost_words_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    drops::<16>().refute_each(&[
        (
            "drops__enable = discards & (~(&drops__count))",
            "drops__enable = discards",
        ),
        ("drops__enable = discards", "drops__enable = 1'b0"),
        ("drops__enable = discards", "drops__enable = write_valid"),
        (
            "drops_seen__d = drops__gray",
            "drops_seen__d = drops__count",
        ),
        ("overflows__d = by_all", "overflows__d = by_eight"),
        ("overflows__d = by_all", "overflows__d = drops__count"),
        // A reset leaves something behind.
        ("overflows__d = 16'd0", "overflows__d = by_all"),
        ("drops__clear = |write_reset__q", "drops__clear = 1'b0"),
    ]);
}
