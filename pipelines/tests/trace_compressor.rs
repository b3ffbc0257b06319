// SPDX-License-Identifier: MIT OR Apache-2.0
//! `trace_compressor` from its branches and its registers to its blocks, which are those of the model.

use coretrace_abi::compressed::block::SIZES;
use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::branch_beat::BranchBeat;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::registers::compressor_csr::{InterruptEnable, InterruptStatus};
use coretrace_compress::{BlockSettings, BlockWriter};
use coretrace_pipelines::Preset;
use coretrace_pipelines::sim::CompressorSim;
use coretrace_replay::{Blocks, Site, Sites};
use coretrace_test_gen::trace_unit::RandomProgram;
use coretrace_test_gen::{Rng, rng, rounds};
use rand::RngExt;
use std::collections::BTreeMap;

/// The presets and their encoders.
const CORES: [(Preset, &str); 4] = [
    (Preset::TraceCompressor, "X2"),
    (Preset::TraceCompressorX1, "X1"),
    (Preset::TraceCompressorM4, "M4"),
    (Preset::TraceCompressorRBase, "rBASE"),
];
/// The trace ID of all blocks.
const TRACE_ID: u8 = 0x2A;
/// Where execution begins.
const START: u64 = 0x40_1000;
/// Cycles until an encoder has started.
const STARTS: usize = 600;
/// The least size of a block.
const LEAST: usize = SIZES[0];

/// What came in.
#[derive(Clone, Copy, Debug)]
enum Input {
    Event(Event),
    Lost(Event),
    Flush,
}

/// The blocks of the model.
fn model(encoder: &str, size: usize, start: u64, inputs: &[Input]) -> Vec<u8> {
    let encoder = Encoder::named(encoder).expect("an encoder");
    let mut settings = BlockSettings::new(encoder, TRACE_ID, false);
    settings.size = size;
    let mut writer = BlockWriter::new(settings, start);
    let mut memory = vec![];
    for input in inputs {
        let sink = |block: &[u8]| memory.extend_from_slice(block);
        match input {
            Input::Event(event) => writer.event(event, sink),
            Input::Lost(event) => writer.lose(1, event.next(), sink),
            Input::Flush => writer.flush(sink),
        }
    }
    memory
}

/// Demands that a core has sent the blocks of the model, with TLAST behind each.
fn is_sent(core: &CompressorSim, size: usize, model: &[u8]) {
    let mut bytes = core.memory.iter().zip(model).enumerate();
    let difference = bytes.find(|(_, (ours, model))| ours != model);
    let place = difference.map(|(at, _)| (at / size, at % size));
    assert_eq!(place, None, "block and byte");
    assert_eq!(core.memory.len(), model.len());
    let ends = (1..=model.len() / size).map(|block| block * size);
    assert!(core.ends.iter().copied().eq(ends), "{:?}", core.ends);
}

/// A core that takes events from [`START`] on.
fn started(preset: Preset, size: usize, time_out: u32) -> CompressorSim {
    let mut core = CompressorSim::new(preset);
    core.enable(TRACE_ID, false, size, time_out);
    core.step(
        Some(&BranchBeat::Begin {
            next: START,
            lost: 0,
        }),
        true,
    );
    core.idle(STARTS);
    core
}

fn step(core: &mut CompressorSim, event: &Event, ready: bool) {
    core.step(Some(&BranchBeat::Event(*event)), ready);
}

/// A branch to a place where no branch led before: many bits.
fn new_target(rng: &mut Rng) -> Event {
    Event::Branch(Branch {
        address: START,
        kind: BranchKind::INDIRECT,
        taken: true,
        next: rng.random::<u64>() & !3,
        instructions: rng.random_range(1..40),
    })
}

/// The events of a random program. Its exception calls have no condition: M4 does not say whether one that led
/// behind itself was taken.
fn program(seed: u64, steps: u64) -> Vec<Event> {
    let program = RandomProgram { blocks: 40, steps };
    let trace = program.trace(&mut rng(seed));
    let without_condition = |mut event: Event| {
        if let Event::Branch(branch) = &mut event
            && branch.kind.is(BranchKind::EXCEPTION)
        {
            branch.kind = BranchKind::EXCEPTION;
            branch.taken = true;
        }
        event
    };
    trace.events().map(without_condition).collect()
}

/// The branches of such a program.
fn sites(events: &[Event]) -> Sites {
    let mut sites = BTreeMap::new();
    for event in events {
        let Event::Branch(branch) = event else {
            continue;
        };
        let site = sites.entry(branch.address).or_insert(Site {
            address: branch.address,
            kind: branch.kind,
            target: 0,
        });
        let leads_anywhere = BranchKind::INDIRECT.and(BranchKind::EXCEPTION);
        if branch.taken && !branch.kind.is(leads_anywhere) {
            site.target = branch.next;
        }
    }
    Sites::new(sites.into_values().collect())
}

/// Events into a core with gaps, flushes and any TREADY, none of them lost; how many blocks come out.
fn equals_model(preset: Preset, encoder: &str, size: usize, events: &[Event], gaps: f64) -> usize {
    println!("{encoder}, {size} bytes");
    let mut rng = rng(size as u64);
    let mut core = started(preset, size, 0);
    let mut inputs = vec![];
    for event in events {
        while rng.random_bool(gaps) {
            core.step(None, rng.random_bool(0.8));
        }
        // A short block of a greater size takes the stream as long as a full one.
        if size == LEAST && rng.random_bool(0.001) {
            core.flush();
            inputs.push(Input::Flush);
            core.idle(1);
        }
        step(&mut core, event, rng.random_bool(0.8));
        inputs.push(Input::Event(*event));
    }
    core.disable();
    inputs.push(Input::Flush);
    assert_eq!(core.register("LOST_EVENTS"), 0);
    assert_eq!(core.register("EVENTS"), events.len() as u32);
    let model = model(encoder, size, START, &inputs);
    is_sent(&core, size, &model);
    assert_eq!(core.register("WORDS") as usize, model.len() / 4);
    assert_eq!(core.register("BLOCKS") as usize, model.len() / size);
    model.len() / size
}

#[test]
fn blocks_of_each_encoder_are_those_of_the_model_with_any_tready() {
    for (preset, encoder) in CORES {
        let events = program(1, 4000);
        let blocks = equals_model(preset, encoder, LEAST, &events, 0.7);
        assert!(blocks > 1, "{encoder}: {blocks} blocks");
    }
}

#[test]
fn blocks_of_each_size_are_filled_and_end_where_the_size_says() {
    let mut rng = rng(2);
    let sizes = [(8, true), (16, true), (32, false), (64, true)];
    for (kib, fills) in sizes.into_iter().take(rounds(3, 4)) {
        let size = kib << 10;
        let count = if fills { size / 8 } else { 10 };
        let events: Vec<Event> = (0..count).map(|_| new_target(&mut rng)).collect();
        let blocks = equals_model(Preset::TraceCompressor, "X2", size, &events, 0.7);
        assert_eq!(blocks > 1, fills, "{size} bytes: {blocks} blocks");
    }
}

#[test]
fn a_greater_size_than_the_greatest_counts_as_that() {
    let mut core = CompressorSim::new(Preset::TraceCompressorM4);
    let [.., most] = SIZES;
    // The number is one bit more than that of the greatest size.
    core.enable(TRACE_ID, false, 4 * most, 0);
    let mut rng = rng(3);
    let events = [new_target(&mut rng), new_target(&mut rng)];
    events.iter().for_each(|event| step(&mut core, event, true));
    core.idle(STARTS);
    core.disable();
    // The first one only says where execution goes on.
    let inputs = [Input::Event(events[1]), Input::Flush];
    is_sent(&core, most, &model("M4", most, events[0].next(), &inputs));
}

#[test]
fn a_block_is_closed_when_its_time_is_over() {
    let mut core = started(Preset::TraceCompressorX1, LEAST, 1500);
    let events = program(4, 3);
    events.iter().for_each(|event| step(&mut core, event, true));
    core.idle(1500);
    assert!(core.ends.is_empty(), "a block too early");
    core.idle(1500);
    let inputs: Vec<Input> = events.iter().map(|event| Input::Event(*event)).collect();
    let inputs = [&inputs[..], &[Input::Flush]].concat();
    is_sent(&core, LEAST, &model("X1", LEAST, START, &inputs));
    core.idle(4000);
    assert_eq!(core.ends.len(), 1, "an empty block");
}

/// More events than a core can take, now and then without TREADY; how many are lost.
fn overload(preset: Preset, encoder: &str, cycles: u64, stalled: f64) -> usize {
    println!("{encoder}");
    let mut rng = rng(5);
    let events = program(6, cycles);
    let code = sites(&events);
    let mut core = CompressorSim::new(preset);
    core.enable(TRACE_ID, false, LEAST, 0);
    let mut is_ready = true;
    for event in &events {
        if rng.random_bool(0.0005) {
            is_ready = !rng.random_bool(stalled);
        }
        step(&mut core, event, is_ready);
    }
    core.idle(6000);
    core.disable();

    // The first event is where it began. What a block has is behind what was sent and what was lost.
    let (start, events) = (events[0].next(), &events[1..]);
    let mut inputs: Vec<Input> = events.iter().map(|event| Input::Lost(*event)).collect();
    let mut sent = 0;
    for block in Blocks::new(&core.memory) {
        assert_eq!(block.skipped, 0, "a block is damaged");
        for event in block.events(&code).expect("an encoder") {
            let at = sent + block.header.lost as usize;
            assert_eq!(event.expect("a record"), events[at], "event {at}");
            inputs[at] = Input::Event(events[at]);
            sent += 1;
        }
    }
    let lost = events.len() - sent;
    assert_eq!(core.register("EVENTS") as usize, sent);
    assert_eq!(core.register("LOST_EVENTS") as usize, lost);
    assert!(core.registers().interrupt_status().loss());
    inputs.push(Input::Flush);
    is_sent(&core, LEAST, &model(encoder, LEAST, start, &inputs));
    lost
}

#[test]
fn what_is_lost_is_counted_and_everything_else_is_replayed() {
    for (preset, encoder) in CORES {
        let lost = overload(preset, encoder, 8000, 0.5);
        assert!((100..7000).contains(&lost), "{encoder}: {lost}");
    }
}

#[test]
fn a_full_fifo_is_the_most_that_waited() {
    for (preset, places) in [
        (Preset::TraceCompressor, 1022),
        (Preset::TraceCompressorM4, 510),
        (Preset::TraceCompressorRBase, 510),
    ] {
        let mut core = CompressorSim::new(preset);
        core.enable(TRACE_ID, false, LEAST, 0);
        let mut rng = rng(7);
        (0..4000).for_each(|_| step(&mut core, &new_target(&mut rng), false));
        assert_eq!(core.register("MOST_WAITING"), places);
        let kept = core.registers().control();
        core.idle(9000);
        core.registers().set_control(kept.with_clear(true));
        core.idle(4);
        for name in ["EVENTS", "LOST_EVENTS", "BLOCKS", "WORDS", "MOST_WAITING"] {
            let open = u32::from(name == "MOST_WAITING");
            assert!(core.register(name) <= open, "{name}");
        }
    }
}

#[test]
fn a_core_that_is_disabled_sends_its_last_block_and_begins_again() {
    let mut core = CompressorSim::new(Preset::TraceCompressor);
    let enables = InterruptEnable::RESET.with_stopped(true);
    core.registers().set_interrupt_enable(enables);
    let events = program(8, 60);
    let mut expected = vec![];
    for part in events.chunks(20) {
        assert!(!core.registers().status().running());
        core.enable(TRACE_ID, false, LEAST, 0);
        part.iter().for_each(|event| step(&mut core, event, true));
        assert!(core.registers().status().running());
        assert!(core.registers().status().busy());
        assert!(!core.interrupts());
        // Other settings wait until the last block has left.
        let kept = core.registers().source_control(0);
        core.registers()
            .set_source_control(0, kept.with_enable(false).with_trace_id(1));
        core.step(Some(&BranchBeat::Event(events[0])), true);
        core.disable();
        assert!(core.interrupts());
        core.registers()
            .set_interrupt_status(InterruptStatus(0).with_stopped(true));
        core.idle(3);
        let inputs: Vec<Input> = part[1..].iter().map(|event| Input::Event(*event)).collect();
        let inputs = [&inputs[..], &[Input::Flush]].concat();
        expected.extend(model("X2", LEAST, part[0].next(), &inputs));
    }
    is_sent(&core, LEAST, &expected);
    let begins = events.chunks(20).len();
    assert_eq!(core.register("EVENTS") as usize, events.len() - begins);
    assert_eq!(core.register("LOST_EVENTS"), 0);
}

#[test]
fn a_reset_in_flight_leaves_nothing_behind() {
    let mut core = CompressorSim::new(Preset::TraceCompressor);
    let events = program(9, 400);
    for cycles in [1, 2, 50] {
        core.enable(TRACE_ID, false, LEAST, 0);
        core.idle(10);
        for (number, event) in (0..).zip(&events) {
            step(&mut core, event, number % 3 == 0);
        }
        core.flush();
        core.idle(1000);
        core.reset(cycles);
        core.memory.clear();
        core.ends.clear();
        core.idle(2000);
        assert!(core.memory.is_empty());
        assert_eq!(core.register("EVENTS"), 0);
    }
    core.enable(TRACE_ID, false, LEAST, 0);
    let inputs: Vec<Input> = events[1..]
        .iter()
        .map(|event| Input::Event(*event))
        .collect();
    events.iter().for_each(|event| {
        step(&mut core, event, true);
        core.idle(2);
    });
    core.disable();
    let inputs = [&inputs[..], &[Input::Flush]].concat();
    is_sent(&core, LEAST, &model("X2", LEAST, events[0].next(), &inputs));
}

#[test]
fn the_registers_name_the_encoder_and_the_end_of_a_block_interrupts() {
    for (preset, encoder) in CORES {
        let numbers = Encoder::named(encoder).expect("an encoder").numbers();
        let mut core = CompressorSim::new(preset);
        let found = core.registers().encoder();
        assert_eq!(
            (found.kind() as u8, found.preset() as u8),
            numbers,
            "{encoder}"
        );
        let enables = InterruptEnable::RESET.with_block(true);
        core.registers().set_interrupt_enable(enables);
        core.enable(TRACE_ID, false, LEAST, 0);
        program(10, 3)
            .iter()
            .for_each(|event| step(&mut core, event, true));
        core.idle(STARTS);
        core.flush();
        core.idle(200);
        assert!(core.ends.is_empty() && !core.interrupts(), "{encoder}");
        while core.ends.is_empty() {
            core.idle(1);
        }
        core.idle(3);
        assert!(core.interrupts(), "{encoder}");
    }
}
