// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is lost is reported, and what comes behind it is right.

use crate::hardware::{TRACE_ID, enable, loaded, port, send, started};
use crate::model::{code, events};
use coretrace_abi::compressed::branch::{Branch, Event};
use coretrace_abi::flow_table::TableKind;
use coretrace_abi::registers::recompressor_csr::InterruptStatus;
use coretrace_pipelines::sim::RecompressorSim;
use coretrace_replay::Blocks;
use coretrace_test_simulate::branch_case::BranchCase;

/// Whether a loss was reported, by the interrupt.
fn has_lost(core: &mut RecompressorSim) -> bool {
    InterruptStatus::loss(core.registers().interrupt_status())
}

/// What a branch did, and where.
fn deed(branch: &Branch) -> (u64, u8, bool, u64) {
    (branch.address, branch.kind.0, branch.taken, branch.next)
}

/// The branches of blocks, in runs without a discontinuity between them.
///
/// # Panics
/// If the first branch of a run is not where the program goes on.
fn runs(memory: &[u8], case: &BranchCase) -> Vec<Vec<Branch>> {
    let code = code(case);
    let mut runs = vec![vec![]];
    for block in Blocks::new(memory) {
        let mut next = block.header.address;
        for event in block.events(&code).expect("an encoder") {
            match event.expect("an event") {
                Event::Discontinuity { next: to, .. } => {
                    next = to;
                    runs.push(vec![]);
                }
                Event::Branch(branch) => {
                    let run = runs.last_mut().expect("a run");
                    if run.is_empty() {
                        let executed = (branch.address + 4).wrapping_sub(next) / 4;
                        assert_eq!(u64::from(branch.instructions), executed);
                    }
                    next = branch.next;
                    run.push(branch);
                }
            }
        }
    }
    runs
}

/// Demands that a program went through all runs, in their order; returns how many branches of the program are in
/// none.
fn went_through(runs: &[Vec<Branch>], events: &[Event]) -> usize {
    let branches = events.iter().filter_map(|event| match event {
        Event::Branch(branch) => Some(deed(branch)),
        Event::Discontinuity { .. } => None,
    });
    let branches: Vec<_> = branches.collect();
    let mut place = 0;
    for (number, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_empty()) {
        let run: Vec<_> = run.iter().map(deed).collect();
        let mut behind = branches[place..].windows(run.len());
        let found = behind.position(|branches| branches == run);
        let skipped = found.unwrap_or_else(|| panic!("run {number}: {run:x?}"));
        place += skipped + run.len();
    }
    branches.len() - runs.iter().map(Vec::len).sum::<usize>()
}

#[test]
fn a_stalled_consumer_loses_events_and_the_next_block_says_how_many() {
    let case = BranchCase::of_a64(40, 2600);
    let (start, events) = events(&case);
    let mut core = started(&case);
    let words = port(&case.bytes, TRACE_ID);
    let (first, rest) = words.split_at(words.len() / 8);
    let (stalled, last) = rest.split_at(rest.len() * 3 / 4);
    send(&mut core, first);
    core.flush();
    for &word in stalled {
        core.step(Some(word), false);
        (0..8).for_each(|_| core.step(None, false));
    }
    // Half of the events that wait leave before one is kept again.
    core.idle(3000);
    send(&mut core, last);
    core.disable();

    let lost = core.register("LOST_EVENTS");
    assert!(lost > 100, "only {lost} events are lost");
    assert_eq!(core.register("DROPPED_ATOMS"), 0);
    assert_eq!(core.register("EVENTS") + lost, events.len() as u32);
    assert!(has_lost(&mut core));
    let code = code(&case);
    let (mut place, mut counted) = (0, 0);
    let mut lossy = 0;
    for block in Blocks::new(&core.memory) {
        let header = &block.header;
        let skipped = header.lost - counted;
        (place, counted) = (place + skipped as usize, header.lost);
        assert_eq!(header.lost_before, skipped > 0);
        lossy += u32::from(skipped > 0);
        let begin = place.checked_sub(1).map(|last| events[last].next());
        assert_eq!(header.address, begin.or(start).expect("a program"));
        for event in block.events(&code).expect("an encoder") {
            assert_eq!(event.expect("an event"), events[place]);
            place += 1;
        }
    }
    assert_eq!((counted, place), (lost, events.len()));
    assert!(lossy > 0);
}

#[test]
fn a_port_that_is_too_fast_drops_atoms_and_the_program_goes_on() {
    let case = BranchCase::of_a64(40, 9000);
    let (_, events) = events(&case);
    let mut core = started(&case);
    for word in port(&case.bytes, TRACE_ID) {
        core.step(Some(word), true);
    }
    core.idle(100);
    core.disable();
    let dropped = core.register("DROPPED_ATOMS");
    assert!(dropped > 100, "only {dropped} atoms are dropped");
    assert!(has_lost(&mut core));
    let runs = runs(&core.memory, &case);
    let missing = went_through(&runs, &events);
    assert!(runs.len() > 1 && missing >= dropped as usize / 2);
    assert_eq!(core.register("LOST_EVENTS"), 0);
}

#[test]
fn a_damaged_table_loses_the_place_and_the_program_goes_on_behind_it() {
    let case = BranchCase::of_a64(40, 400);
    let (_, events) = events(&case);
    let mut core = loaded(&case);
    let words = case.table.words();
    let mut exits = words.filter(|&(kind, _, word)| kind == TableKind::Exits && word != 0);
    let (kind, site, word) = exits.nth(10).expect("a site");
    core.load([(kind, site, word ^ 1)].into_iter());
    enable(&mut core, &case, TRACE_ID);
    send(&mut core, &port(&case.bytes, TRACE_ID));
    core.disable();
    assert!(core.register("SKIPPED_ATOMS") > 0);
    assert!(has_lost(&mut core));
    let runs = runs(&core.memory, &case);
    let missing = went_through(&runs, &events);
    assert!(runs.len() > 2 && missing > 0, "{} runs", runs.len());
}

#[test]
fn bytes_that_are_no_packets_lose_the_place_and_the_program_goes_on() {
    let mut case = BranchCase::of_a64(40, 600);
    let (_, events) = events(&case);
    let middle = case.bytes.len() / 2;
    // A header that is no packet of any trace unit: what follows is read from the next A-Sync on.
    case.bytes[middle..middle + 40].fill(0x84);
    let mut core = started(&case);
    send(&mut core, &port(&case.bytes, TRACE_ID));
    core.disable();
    assert!(has_lost(&mut core));
    let runs = runs(&core.memory, &case);
    let missing = went_through(&runs, &events);
    assert!(runs.len() > 1 && missing > 0, "{} runs", runs.len());
}
