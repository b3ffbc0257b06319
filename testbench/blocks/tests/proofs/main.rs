// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proof that the stream state of the jump-ahead decoder equals that of the chained decoder, for
//! all bytes, all states, all register values and both error policies, by Yosys' SAT solver on the
//! exported Verilog.
//!
//! Let `abstraction` be the map from a state of the chained decoder to a code of the jump-ahead one
//! (`proofs/abstraction.v`), and `invariant` the assumption on the state before a byte (same file).
//! The steps:
//! 1. `invariance`: the invariant holds after reset, and every byte preserves it.
//! 2. `word_step` with four lanes: where the invariant holds, four bytes take the chained state and
//!    its code in the state register of the jump-ahead decoder to a state and its code.
//! 3. `word_split`: a full word of `N` lanes equals a word of four lanes followed by one of `N` - 4
//!    lanes, for `N` = 8, 12 and 16. With step 2, a word of `N` bytes takes a code to the code of
//!    the chained state `N` bytes later.
//! 4. `word_step` with `N` lanes: the state that the jump table keeps after a word is what step 2
//!    assumes before the next one, also after a partial word that a loss follows.
//! 5. `word_results` with four and eight lanes: in each lane of a word a record ends exactly as in
//!    the chained decoder. So the states that the results step from lane to lane are right as far
//!    as they decide that.
//!
//! By induction over words the codes agree on all streams. `resync` adds that no state is stuck: an
//! A-Sync leads from every state in which the invariant holds to the same one, in its twelve bytes;
//! under resync an error loses sync, and only an A-Sync restores it.
//!
//! Assumptions:
//! - The registers of the trace unit and the policy do not change while a stream is decoded.
//! - Words are as the gearbox makes them: bytes fill the lanes from lane 0 on, a final word is full
//!   or a loss follows, the first word after a reset is marked as after a loss, and a provisional
//!   word comes again with the same bytes.
//! - A clocked block equals the function that [`retime`] makes of it; its header explains why.
//!
//! Not proven: values other than the outcome (such as address and timestamp), the outcomes of
//! sixteen lanes, the gearbox.

mod names;
mod retime;
mod solve;
mod theorems;

use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use solve::{Theorem, Verdict};
use theorems::{invariance, resync, word_results, word_split, word_step};

/// Demands that a theorem holds.
fn prove(theorem: &Theorem, goals: &[&str]) {
    let verdict = theorem.verdict(goals).expect("a verdict");
    assert_eq!(verdict, Verdict::Proven, "{goals:?} of {}", theorem.top);
}

/// Demands that the solver finds a counterexample.
fn refute(theorem: &Theorem, goals: &[&str]) {
    let verdict = theorem.verdict(goals).expect("a verdict");
    assert_eq!(verdict, Verdict::Refuted, "{goals:?} of {}", theorem.top);
}

#[test]
fn what_is_assumed_of_a_state_holds_after_every_byte() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove(&invariance(), &["kept", "starts"]);
}

#[test]
#[ignore = "nightly: a proof of more than half a minute"]
fn only_an_async_leaves_the_unsynced_state_and_it_leaves_every_state() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let theorem = resync();
    prove(&theorem, &["resyncs", "stays", "fails"]);
    // One zero more; another byte at the end of an A-Sync; the other policy.
    let zeros = |text: &str| text.replace("4'hb", "4'hc");
    refute(&theorem.with("async_detector.v", zeros), &["resyncs"]);
    let hit = |text: &str| {
        text.replace(
            ".hit_0(hit), .after",
            ".hit_0(hit || octet == 8'h81), .after",
        )
    };
    refute(&theorem.with("byte_step.v", hit), &["stays"]);
    let error = |text: &str| text.replace(".lenient(lenient)", ".lenient(!lenient)");
    refute(&theorem.with("byte_step.v", error), &["fails"]);
}

#[test]
fn four_bytes_at_once_take_both_decoders_to_the_same_state() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove(&word_step::<4>(), &["states_agree", "pasts_agree"]);
}

#[test]
#[ignore = "nightly: a proof of more than half a minute"]
fn eight_bytes_do_what_four_and_four_do() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove(&word_split::<8, 4>(), &["splits"]);
}

#[test]
#[ignore = "nightly: a proof of more than half a minute"]
fn twelve_bytes_do_what_four_and_eight_do() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove(&word_split::<12, 8>(), &["splits"]);
}

#[test]
#[ignore = "nightly: a proof of more than half a minute"]
fn sixteen_bytes_do_what_four_and_twelve_do() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove(&word_split::<16, 12>(), &["splits"]);
}

#[test]
#[ignore = "nightly: a proof of nearly half a minute"]
fn the_jump_table_remembers_what_the_next_word_of_eight_needs() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove(&word_step::<8>(), &["pasts_agree"]);
}

#[test]
#[ignore = "nightly: a proof of more than half a minute"]
fn the_jump_table_remembers_what_the_next_word_of_sixteen_needs() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove(&word_step::<16>(), &["pasts_agree"]);
}

#[test]
fn records_end_in_the_same_lanes_of_four_and_in_the_same_way() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove(&word_results::<4, 2>(), &["outcomes_agree"]);
}

#[test]
#[ignore = "nightly: a proof of more than half a minute"]
fn records_end_in_the_same_lanes_of_eight_and_in_the_same_way() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    prove(&word_results::<8, 4>(), &["outcomes_agree"]);
}

#[test]
#[ignore = "nightly: a refutation"]
fn wrong_blocks_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let step = word_step::<4>();
    let agree = ["states_agree", "pasts_agree"];
    // Two rows of the jump table swapped.
    let swap = |text: &str| {
        text.replace("rows[65:60]", "rows[*]")
            .replace("rows[71:66]", "rows[65:60]")
            .replace("rows[*]", "rows[71:66]")
    };
    refute(&step.with("state_lookup.v", swap), &agree);
    // Another byte at the end of an A-Sync.
    let byte = |text: &str| text.replace("= 8'h80;", "= 8'h81;");
    refute(&step.with("jump_table.v", byte), &agree);
    // Another byte for an Overflow.
    let overflow = |text: &str| text.replace("= 8'h5;", "= 8'h4;");
    refute(&step.with("stream_state_process.v", overflow), &agree);
    // Another meaning of one header.
    let meaning = |text: &str| text.replace("};", "} ^ (octet_0 == 8'h9d);");
    refute(&step.with("header_lookup.v", meaning), &agree);
}

#[test]
#[ignore = "nightly: a refutation"]
fn a_wrong_table_of_whole_words_is_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let byte = |text: &str| text.replace("= 8'h80;", "= 8'h81;");
    let split = word_split::<8, 4>().with("jump_table.v", byte);
    refute(&split, &["splits"]);
}

#[test]
#[ignore = "nightly: a refutation"]
fn too_little_or_too_much_assumed_is_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let step = word_step::<4>();
    let agree = ["states_agree", "pasts_agree"];
    let none = |what: &str, text: &str| text.replace(what, "1'b1");
    // Parts may have ended, timestamps may be anywhere, zeros may be miscounted.
    for what in [
        "index <= last",
        "!is_time || (bytes & newest) == newest && !bytes[index]",
    ] {
        refute(&step.with("abstraction.v", |text| none(what, text)), &agree);
    }
    refute(
        &step.with("word_step.v", |text| none("timed && counted", text)),
        &agree,
    );
    // An invariant without timestamps does not hold after their header.
    let short = |text: &str| text.replace("(last == 8 || last == 1)", "last == 1");
    let forgetful = invariance().with("abstraction.v", short);
    refute(&forgetful, &["kept", "starts"]);
}

/// A clocked module: `n3` is a state register with input `next`, `n1` is one stage later than the
/// input, and so is `n5`, which reads the next word; `more` are wires, `output` is the input of the
/// output register.
fn clocked(next: &str, more: &str, output: &str) -> String {
    format!(
        "module m (\n  input wire clock,\n  input wire a,\n  output reg b\n);\n  \
         wire [0:0] n0 = a;\n  reg [0:0] n1 = 1'h0;\n  reg [0:0] n3 = 1'h0;\n  \
         wire [0:0] n4 = {next};\n  wire [0:0] n5 = n0;\n  {more}\n  \
         initial begin\n    b = 1'h0;\n  end\n  \
         always @(posedge clock) n1 <= n0;\n  always @(posedge clock) n3 <= n4;\n  \
         always @(posedge clock) b <= {{{output}}};\nendmodule\n"
    )
}

#[test]
fn registers_out_of_step_are_refused() {
    let text = |next: &str| clocked(next, "", "n3");
    let (function, past) = retime::word_function(&text("n1 & n3"), &["a"]).expect("in step");
    assert_eq!(past, 1, "{function}");
    let error = retime::word_function(&text("n0 & n1 & n3"), &["a"]).expect_err("out of step");
    assert!(error.to_string().contains("different words"), "{error}");
}

#[test]
fn signals_of_the_next_word_reach_outputs_only() {
    let output = clocked("n1 & n3", "", "n3, n5");
    retime::word_function(&output, &["a"]).expect("an output is ahead");
    let inside = clocked("n1 & n3", "wire [0:0] n6 = n5 & n1;", "n6");
    let error = retime::word_function(&inside, &["a"]).expect_err("a wire is ahead");
    assert!(error.to_string().contains("the next word"), "{error}");
}

#[test]
fn what_a_word_leaves_in_a_register_is_what_the_register_takes() {
    let text = clocked("n1 & n3", "wire [0:0] n6 = n3;", "n6");
    let (function, _) = retime::word_function(&text, &["a"]).expect("in step");
    assert!(function.contains("wire [0:0] n6 = n4;"), "{function}");
}
