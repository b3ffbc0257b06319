// SPDX-License-Identifier: MIT OR Apache-2.0
//! `flow_core` from its trace port and its registers to its stream.

use coretrace_abi::flow_stream::Beat;
use coretrace_abi::flow_table::{LostReason, Trigger, Widths};
use coretrace_abi::registers::flow_csr::{
    InterruptEnable, InterruptStatus, TriggerControl, TriggerFreeze,
};
use coretrace_abi::registers::{FRAME_BITS, SITE_BITS};
use coretrace_coresight::TraceId;
use coretrace_flow::{Image, Images, Reported};
use coretrace_isa::Isa;
use coretrace_pipelines::sim::FlowCoreSim;
use coretrace_sites::{
    AddressSpaces, Balance, Compiler, FlowDamage, FlowReader, FlowTable, ReadOuts,
};
use coretrace_test_gen::trace_unit::{RandomProgram, TraceUnit};
use coretrace_test_gen::{Framing, frame_streams, rng, rounds};
use coretrace_test_simulate::flow::used_words;
use coretrace_test_simulate::flow_case::FlowCase;
use coretrace_test_simulate::flow_walk::{FlowWalk, sums};
use coretrace_test_support::words_of;

/// A program with 20 blocks.
fn program(seed: u64, steps: u64) -> FlowCase {
    let widths = Widths::new(SITE_BITS, FRAME_BITS).expect("widths");
    let program = RandomProgram { blocks: 20, steps };
    let unit = TraceUnit::default();
    FlowCase::of_program(widths, &program, &unit, &mut rng(seed)).expect("room")
}

/// Another program, and its table as a shadow copy.
fn shadow(seed: u64, steps: u64, active: &FlowTable) -> FlowCase {
    let program = RandomProgram { blocks: 20, steps };
    let unit = TraceUnit::default();
    let trace = program.trace(&mut rng(seed));
    let case = FlowCase::of_trace(active.widths(), &trace, &unit).expect("instructions");
    let pages = unit.pages(&trace).expect("instructions");
    let pages = pages.iter();
    let images = pages.map(|page| Image::new(page.address, &page.bytes[..]));
    let (spaces, _) = AddressSpaces::with_rules(Images::new(images.collect())).expect("few");
    let mut compiler = Compiler::shadow(active, Reported::new(&unit.source()));
    compiler
        .add_all(&spaces.modules(&[Isa::A64]))
        .expect("room beside the active table");
    FlowCase {
        table: compiler.table().clone(),
        ..case.expect("room")
    }
}

/// The words of a port with the stream of a source.
fn port(stream: &[u8]) -> Vec<u32> {
    let id = TraceId::new(0x10).expect("a trace ID");
    let frames = frame_streams(&mut rng(1), &[(id, stream)], &Framing::PORT);
    words_of(&frames)
}

/// A core with a table, and its source enabled.
fn core(walkers: usize, case: &FlowCase) -> FlowCoreSim {
    let mut core = FlowCoreSim::new(walkers);
    core.load(used_words(&case.table));
    let interrupts = InterruptEnable::RESET.with_read_out_done(true);
    core.registers().set_interrupt_enable(interrupts);
    core.enable(0x10, &case.source, &case.rules);
    core
}

/// Sends a stream through the port, until nothing is in flight.
fn follow(core: &mut FlowCoreSim, stream: &[u8]) {
    for word in port(stream) {
        core.step(Some(word), true);
    }
    (0..200).for_each(|_| core.step(None, true));
}

/// Asks for the sums, and waits for them.
fn read_out(core: &mut FlowCoreSim) {
    core.read_out();
    while !core.interrupts() {
        core.step(None, true);
    }
    let done = InterruptStatus(0).with_read_out_done(true);
    core.registers().set_interrupt_status(done);
    (0..20).for_each(|_| core.step(None, true));
    assert!(!core.interrupts());
}

/// What software makes of the stored stream.
fn stored(core: &FlowCoreSim, table: &FlowTable) -> ReadOuts {
    let mut reader = FlowReader::new(table.widths());
    for beat in &core.beats {
        reader.bytes(beat.words().map(u32::to_le_bytes).as_flattened());
    }
    reader.finish()
}

#[test]
fn the_core_counts_the_branches_of_a_program() {
    let case = program(3, 120);
    let model = FlowWalk::of_model(&case, 1);
    let mut core = core(1, &case);
    follow(&mut core, &case.bytes);
    read_out(&mut core);

    assert_eq!(sums(&core.beats, case.sites()), model.sums);
    let read = stored(&core, &case.table);
    assert_eq!((read.whole, read.damage), (1, FlowDamage::default()));
    let counts = &read.counts;
    let sites = 0..model.sums.len();
    let of_site = |site| [counts.taken[site], counts.entered[site], counts.left[site]];
    assert_eq!(sites.map(of_site).collect::<Vec<_>>(), model.sums);
    let balance = Balance::new(&case.table, counts);
    assert_eq!(balance.imbalances, []);
    let followed = [&counts.taken, &balance.not_taken].map(|sums| sums.iter().sum::<u64>());
    assert_eq!(followed.iter().sum::<u64>(), read.atoms.sent);
    assert_eq!(u64::from(core.register("ATOMS")), model.atoms);
    assert_eq!(core.register("SKIPPED_ATOMS"), 0);
    assert_eq!(core.register("DROPPED_ATOMS"), 0);
    assert_eq!(core.register("BYTES"), case.bytes.len() as u32);
    assert_eq!(core.register("WAITING_ROWS"), 0);
    assert!(model.atoms > 60, "only {} atoms", model.atoms);

    // What has been read does not count again, and a reset keeps the table.
    core.reset();
    core.beats.clear();
    core.enable(0x10, &case.source, &case.rules);
    let interrupts = InterruptEnable::RESET.with_read_out_done(true);
    core.registers().set_interrupt_enable(interrupts);
    follow(&mut core, &case.bytes);
    read_out(&mut core);
    assert_eq!(sums(&core.beats, case.sites()), model.sums);
}

#[test]
fn the_core_with_two_walkers_counts_the_branches_of_a_program() {
    let case = program(3, 120);
    let model = FlowWalk::of_model(&case, 2);
    let mut core = core(2, &case);
    follow(&mut core, &case.bytes);
    read_out(&mut core);
    assert_eq!(sums(&core.beats, case.sites()), model.sums);
    let read = stored(&core, &case.table);
    assert_eq!((read.whole, read.damage), (1, FlowDamage::default()));
    assert_eq!(Balance::new(&case.table, &read.counts).imbalances, []);
    assert_eq!(u64::from(core.register("ATOMS")), model.atoms);
    assert_eq!(core.register("SKIPPED_ATOMS"), 0);
}

#[test]
fn triggers_of_the_core_count_between_them_and_freeze_the_ring() {
    let mut case = program(3, 120);
    let all = FlowWalk::of_model(&case, 1);
    let mut taken: Vec<u32> = (0..)
        .zip(&all.sums)
        .filter(|(_, sums)| sums[0] > 2)
        .map(|(site, _)| site)
        .collect();
    taken.sort_by_key(|site| all.sums[*site as usize][0]);
    let [rare, .., often] = taken[..] else {
        panic!("too few branches are taken");
    };
    case.table.set_trigger_behind(often, Some(Trigger::Start));
    case.table
        .set_trigger_behind(taken[taken.len() / 2], Some(Trigger::Stop));
    case.table.set_trigger_behind(rare, Some(Trigger::Event));
    (case.windowed, case.freeze_after) = (true, 2);
    let model = FlowWalk::of_model(&case, 1);
    assert!(model.sums != all.sums && !model.ring.is_empty());

    let mut core = FlowCoreSim::new(1);
    core.load(used_words(&case.table));
    let control = TriggerControl(0).with_windowed(true);
    core.registers().set_trigger_control(control);
    let freeze = TriggerFreeze(0).with_events(case.freeze_after);
    core.registers().set_trigger_freeze(freeze);
    core.enable(0x10, &case.source, &case.rules);
    let armed = core.registers().control().with_arm(true);
    core.registers().set_control(armed);
    let enables = InterruptEnable::RESET.with_froze(true);
    core.registers().set_interrupt_enable(enables);
    assert!(!core.registers().status().counting());
    follow(&mut core, &case.bytes);
    assert!(core.interrupts());
    let status = core.registers().status();
    assert!(status.frozen() && status.triggers());
    let done = InterruptStatus(0).with_froze(true);
    core.registers().set_interrupt_status(done);
    let enables = InterruptEnable::RESET.with_read_out_done(true);
    core.registers().set_interrupt_enable(enables);
    read_out(&mut core);
    assert_eq!(sums(&core.beats, case.sites()), model.sums);
    let read = stored(&core, &case.table);
    assert_eq!(
        (read.hops, read.rings, read.windowed),
        (model.ring, 1, true)
    );
    assert_eq!(Balance::new(&case.table, &read.counts).imbalances, []);
    let events = all.sums[rare as usize][0];
    assert_eq!(u64::from(core.register("TRIGGER_EVENTS")), events);

    // Armed again, it records again.
    core.registers().set_control(armed);
    (0..10).for_each(|_| core.step(None, true));
    assert!(!core.registers().status().frozen());
    assert_eq!(core.register("TRIGGER_EVENTS"), 0);
}

#[test]
fn a_core_with_two_walkers_says_that_it_has_no_triggers() {
    let mut core = FlowCoreSim::new(2);
    let status = core.registers().status();
    assert!(!status.triggers() && !status.frozen() && status.counting());
}

#[test]
fn a_source_that_is_enabled_again_does_not_go_on_where_it_was() {
    let case = program(4, 60);
    let mut core = core(1, &case);
    for _ in 0..2 {
        follow(&mut core, &case.bytes);
        core.enable(0x10, &case.source, &case.rules);
    }
    let gap = |beat: &&Beat| {
        let lost = Some(LostReason::BadPacket);
        matches!(beat, Beat::Mark { reason, .. } if *reason == lost)
    };
    assert!(core.beats.iter().filter(gap).count() >= 2);
}

/// Disables the source, and reads out what was counted.
fn finish(core: &mut FlowCoreSim) {
    let off = core.registers().source_control(0).with_enable(false);
    core.registers().set_source_control(0, off);
    (0..64).for_each(|_| core.step(None, true));
    while core.register("WAITING_ROWS") > 0 {
        core.step(None, true);
    }
    read_out(core);
}

/// Whether branches were taken as by the model.
fn is_of(read: &ReadOuts, case: &FlowCase, walkers: usize) -> bool {
    let sums = FlowWalk::of_model(case, walkers).sums;
    let taken = &read.counts.taken;
    taken.iter().eq(sums.iter().map(|[taken, ..]| taken))
}

#[test]
fn a_shadow_copy_is_written_while_the_core_follows_a_program() {
    for &walkers in rounds(&[2][..], &[1, 2]) {
        let before = program(3, 60);
        let after = shadow(4, 60, &before.table);
        let mut core = core(walkers, &before);
        let mut words = after.table.shadow_words();
        for word in port(&before.bytes) {
            core.step(Some(word), true);
            core.load(words.by_ref().take(10));
        }
        core.load(words);
        (0..200).for_each(|_| core.step(None, true));
        finish(&mut core);
        let read = stored(&core, &before.table);
        assert!(is_of(&read, &before, walkers), "{walkers} walkers");
        assert_eq!(Balance::new(&before.table, &read.counts).imbalances, []);

        core.beats.clear();
        core.load(after.table.swap_words(&before.table));
        core.enable(0x10, &after.source, &after.rules);
        follow(&mut core, &after.bytes);
        read_out(&mut core);
        let read = stored(&core, &after.table);
        assert!(is_of(&read, &after, walkers), "{walkers} walkers");
        assert_eq!(Balance::new(&after.table, &read.counts).imbalances, []);
    }
}

#[test]
fn a_table_changes_behind_a_read_out() {
    let [before, after] = [program(3, 60), program(4, 60)];
    let mut core = core(1, &before);
    follow(&mut core, &before.bytes);
    finish(&mut core);
    assert!(is_of(&stored(&core, &before.table), &before, 1));

    core.beats.clear();
    let words = before.table.words().zip(after.table.words());
    core.load(words.filter(|(old, new)| old != new).map(|(_, new)| new));
    core.enable(0x10, &after.source, &after.rules);
    follow(&mut core, &after.bytes);
    read_out(&mut core);
    let read = stored(&core, &after.table);
    assert!(is_of(&read, &after, 1));
    assert_eq!(Balance::new(&after.table, &read.counts).imbalances, []);
}
