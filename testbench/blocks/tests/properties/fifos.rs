// SPDX-License-Identifier: MIT OR Apache-2.0
//! FIFOs neither lose nor invent words: word number n in is word number n out, unchanged.
//!
//! The rules keep the word of any one place of the memory, and so do the memories: see
//! [`super::memory`].

use coretrace_hdl_compress::BlockFramer;
use coretrace_hdl_parts::stream::{LutFifo, SyncFifo};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::{Claim, mutated};
use crate::memory::with_one_place;
use crate::streams::{core, flow_core};

/// A FIFO of one clock with 2^`places_w` places.
fn sync_fifo(text: &str, block: &str, word_w: u64, places_w: u64) -> Claim {
    Claim {
        text: with_one_place(text),
        block: block.into(),
        rules: include_str!("sync_fifo.v"),
        macros: vec![("W", word_w.to_string()), ("A", places_w.to_string())],
        depth: 20,
    }
}

/// The FIFOs of one clock in a text: name, bits of a word and of an address.
fn sync_fifos(text: &str) -> Vec<(&str, u64, u64)> {
    let modules = text.split("endmodule\n").filter_map(|module| {
        let (_, start) = module.split_once("module ")?;
        // Bits of the port or wire of a name.
        let bits = |name: &str| {
            let (before, _) = start.split_once(&format!("] {name}"))?;
            let (_, range) = before.rsplit_once('[')?;
            let high: u64 = range.split_once(':')?.0.parse().ok()?;
            Some(high + 1)
        };
        let (name, _) = start.split_once(' ')?;
        Some((name, bits("write_data,")?, bits("places__write_place;")?))
    });
    modules.collect()
}

/// A small FIFO, for mutations.
fn small() -> Claim {
    sync_fifo(&exported(SyncFifo::<3, 3>::default(), "fifo"), "fifo", 3, 3)
}

/// A memory, and its replacement.
pub fn memory() -> Claim {
    memory_of(&exported(SyncFifo::<2, 2>::default(), "fifo"))
}

/// The memory of a FIFO.
fn memory_of(text: &str) -> Claim {
    let start = "module fifo__words (";
    let (_, memory) = text.split_once(start).expect("a memory");
    let end = "endmodule\n";
    let (memory, _) = memory.split_once(end).expect("its end");
    let memory = format!("{memory}{end}");
    let kept = with_one_place(&format!("{start}{memory}"));
    Claim {
        text: format!("module words ({memory}{kept}"),
        block: "fifo__words".into(),
        rules: include_str!("memory_is_one_place.v"),
        macros: vec![],
        depth: 20,
    }
}

/// Mutations of the memory.
pub const WRONG_MEMORIES: [(&str, &str); 3] = [
    ("mem[write_address] <=", "mem[write_address ^ 1] <="),
    ("<= mem[read_address]", "<= mem[write_address]"),
    ("if (write_enable) begin", "begin"),
];

#[test]
fn a_memory_reads_as_one_place_of_it_says() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    memory().prove();
    memory().refute_each(&WRONG_MEMORIES);
    memory_of(&exported(LutFifo::<2, 2>::default(), "fifo")).prove();
}

/// Proves every FIFO of one clock in a text.
fn prove_each(text: &str, kinds: usize) {
    let fifos = sync_fifos(text);
    assert_eq!(fifos.len(), kinds, "{fifos:?}");
    for (block, word_w, places_w) in fifos {
        sync_fifo(text, block, word_w, places_w).prove();
    }
}

#[test]
#[ignore = "nightly: a proof of more than half a minute"]
fn word_number_n_in_is_word_number_n_out_in_every_fifo_of_the_core() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    // Equal modules are printed once: seven FIFOs, of four kinds.
    prove_each(core(), 4);
}

#[test]
fn word_number_n_in_is_word_number_n_out_in_front_of_a_block() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove_each(&exported(BlockFramer::<11>::default(), "framer"), 1);
}

#[test]
#[ignore = "nightly: a proof of more than a minute"]
fn word_number_n_in_is_word_number_n_out_in_the_flow_core() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove_each(flow_core(), 6);
}

#[test]
#[ignore = "nightly: a refutation"]
fn wrong_fifos_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let small = small();
    small.refute_each(&[
        // A word is output before it can be read.
        (
            "valid__d = read_pointer__q != write_pointer__q",
            "valid__d = read_pointer__q != write_pointer__d",
        ),
        // A word is taken twice, or without TREADY.
        ("reads = read_pointer_next__q", "reads = read_pointer__q"),
        ("takes = valid__q & m_axis_tready", "takes = valid__q"),
        // Words stay after a reset.
        (
            "write_pointer__d = 3'd0",
            "write_pointer__d = write_pointer__q",
        ),
        // The writer sees the level too late, or never.
        ("three_quarters = 3'h6", "three_quarters = 3'h7"),
        ("filling__d = level >= three_quarters", "filling__d = 1'b0"),
        // A place is read too early.
        ("read_place = reads", "read_place = read_pointer__q"),
        // A word is stored with its bits in another order.
        (
            "words__write_data = write_data",
            "words__write_data = {write_data[0], write_data[2:1]}",
        ),
    ]);
    // One more word than assumed overflows.
    let one_more = mutated(
        small.rules,
        "late == PLACES / 4 - 2",
        "late == PLACES / 4 - 1",
    );
    let one_more = mutated(&one_more, "late < PLACES / 4 - 1", "late < PLACES / 4");
    let late = Claim {
        rules: one_more.leak(),
        ..small
    };
    assert!(!late.holds().expect("a verdict"));
}
