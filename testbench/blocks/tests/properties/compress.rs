// SPDX-License-Identifier: MIT OR Apache-2.0
//! The FIFO in front of a compressor neither loses nor invents events without a count, whatever
//! leaves and is read again.

use coretrace_abi::compressed::block::{HEADER_WORDS, MARGIN_BITS, TRAILER_WORDS};
use coretrace_hdl_compress::{BEAT_BITS, BlockControl, EventFifo, FIFO_ENTRY_W};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::Claim;
use crate::memory::with_one_place;

/// A FIFO of eight places.
fn fifo() -> Claim {
    Claim {
        text: with_one_place(&exported(EventFifo::<3>::default(), "fifo")),
        block: "fifo".into(),
        rules: include_str!("event_fifo.v"),
        macros: vec![("W", FIFO_ENTRY_W.to_string()), ("A", "3".into())],
        depth: 12,
    }
}

/// The control of blocks of 16 words.
fn control() -> Claim {
    let capacity = 16 * BEAT_BITS - 32 * (HEADER_WORDS + TRAILER_WORDS);
    let limit = capacity as u64 - MARGIN_BITS;
    Claim {
        text: exported(BlockControl::default(), "control"),
        block: "control".into(),
        rules: include_str!("block_control.v"),
        macros: vec![
            ("LIMIT", limit.to_string()),
            ("CAPACITY", capacity.to_string()),
        ],
        depth: 20,
    }
}

#[test]
fn an_event_is_read_in_order_until_it_leaves_or_is_counted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    fifo().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn wrong_event_fifos_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    fifo().refute_each(&[
        // An entry overwrites the one that left last.
        ("level__q != most", "level__q != most + 3'd1"),
        // It goes back too little, or an entry from before comes out once more.
        ("reads = left_pointer__q", "reads = left_pointer__q + 3'd1"),
        (
            "reads = left_pointer__q;\n      valid__d = 1'b0",
            "reads = left_pointer__q",
        ),
        // An entry leaves and stays.
        ("if (commit) begin", "if (commit & ~stores) begin"),
        // An event follows a loss without a mark, is not counted, or begins without a word of the loss.
        ("(~is_losing__q)) & is_placed__q", "1'b1) & is_placed__q"),
        (
            "if (is_lost & (~begins)) begin\n      one",
            "if (is_lost & (~begins) & has_room) begin\n      one",
        ),
        ("(is_losing__q | is_lost)", "is_lost"),
        // Of what was lost in front of a begin, only the number or only the flag is kept.
        (" | (|lost_before))", ")"),
        ("amount = lost_before", "amount = {31'd0, |lost_before}"),
        // An event is stored though nothing said where execution is.
        ("(~is_losing__q)) & is_placed__q", "(~is_losing__q))"),
    ]);
}

#[test]
fn an_event_leaves_when_its_bits_are_in_a_block() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    control().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn wrong_controls_of_blocks_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    control().refute_each(&[
        // A beat of no event is taken, or one that does not fit.
        (" & (|in_flight__q);", ";"),
        ("takes_beat = comes & fits", "takes_beat = comes"),
        ("beat_overflows & has_event__q", "1'b0"),
        // A mark overtakes events, or leaves though its block is open.
        (" & is_quiet__q", ""),
        (" & (~takes_event)", ""),
        (
            "takes_mark = meets_mark & (~has_event__q)",
            "takes_mark = meets_mark",
        ),
        // A block has no header, or one for each event.
        ("header__d = 2'd1;", "header__d = 2'd0;"),
        (
            "(takes_beat & is_next_event__q) & (~has_event__q)",
            "takes_beat & is_next_event__q",
        ),
        // An event is read that no encoder has taken.
        ("entry_ready = (takes_event |", "entry_ready = (offers |"),
    ]);
}
