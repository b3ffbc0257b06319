// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs in the exported hardware and in the model: a bounded part of `cargo etm4-fuzz flow`.

use coretrace_test_fuzz::campaign;
use coretrace_test_fuzz::flow::VerilogAndWalk;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

/// Atoms followed here; the command follows more.
const ATOMS: u64 = 1_000_000;

#[test]
fn a_million_atoms_are_followed_as_by_the_model() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let pair = VerilogAndWalk::new().expect("the hardware is compiled");
    let ended = campaign::run(|seed| pair.compare(seed), 0, ATOMS).expect("the hardware runs");
    print!("{}", ended.totals);
    if let Some(&seed) = ended.differing.first() {
        panic!("seed {seed}: {:?}", pair.compare(seed));
    }
    let totals = ended.totals;
    assert!(totals.taken_back > 0 && totals.hops > 0, "{totals}");
}
