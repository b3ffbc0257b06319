// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sources that are enabled again, resets, registers and interrupts.

use crate::hardware::{TRACE_ID, enable, follow, loaded, port, send, started};
use crate::model::is_sent;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::registers::recompressor_csr::{InterruptEnable, InterruptStatus};
use coretrace_test_simulate::branch_case::BranchCase;

#[test]
fn a_source_that_is_enabled_again_has_blocks_of_its_own() {
    let case = BranchCase::of_a64(40, 300);
    let mut core = loaded(&case);
    let mut events = 0;
    for trace_id in [TRACE_ID, TRACE_ID + 1] {
        core.memory.clear();
        enable(&mut core, &case, trace_id);
        follow(&mut core, &case, trace_id);
        events += is_sent(&core.memory, &case, trace_id, "a source");
    }
    assert_eq!(core.register("EVENTS"), events as u32);
    assert_eq!(core.register("LOST_EVENTS"), 0);
}

#[test]
fn a_reset_in_flight_leaves_nothing_but_the_tables() {
    let case = BranchCase::of_a64(40, 1000);
    let mut core = started(&case);
    let words = port(&case.bytes, TRACE_ID);
    send(&mut core, &words[..words.len() / 2]);
    assert!(core.register("EVENTS") > 20);
    core.reset();
    core.memory.clear();
    enable(&mut core, &case, TRACE_ID);
    assert_eq!(core.register("EVENTS"), 0);
    follow(&mut core, &case, TRACE_ID);
    is_sent(&core.memory, &case, TRACE_ID, "after a reset");
}

#[test]
fn a_flush_closes_a_block_and_the_end_of_a_block_interrupts() {
    let case = BranchCase::of_a64(40, 200);
    let mut core = started(&case);
    let x2 = Encoder::named("X2").expect("an encoder").numbers();
    let encoder = core.registers().encoder();
    assert_eq!((encoder.kind() as u8, encoder.preset() as u8), x2);
    let all = InterruptEnable::RESET.with_block(true).with_stopped(true);
    core.registers().set_interrupt_enable(all);
    send(&mut core, &port(&case.bytes, TRACE_ID));
    assert!(core.registers().status().running());
    assert!(!core.interrupts());
    core.flush();
    core.idle(1500);
    assert!(core.interrupts());
    assert_eq!(core.register("BLOCKS"), 1);
    let status = core.registers().interrupt_status();
    assert!(status.block() && !status.stopped());
    core.registers().set_interrupt_status(status);
    core.idle(4);
    assert!(!core.interrupts());

    core.disable();
    let status = core.registers().interrupt_status();
    assert_eq!(status, InterruptStatus(0).with_stopped(true));
    assert!(core.interrupts() && !core.registers().status().running());
    assert_eq!(core.register("WORDS") as usize * 4, core.memory.len());
    assert_eq!(core.ends, [core.memory.len()]);
}
