// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_recompressor_xe`: a trace port in, blocks of a compressed trace out. The blocks are those of the models, and the
//! packets that a reader makes of them mean what the trace meant.

use coretrace_abi::compressed::block::SIZES;
use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::encoder::ELEMENTS;
use coretrace_abi::compressed::item::Item;
use coretrace_abi::registers::BlockOptions;
use coretrace_abi::registers::recompressor_xe_csr::{InterruptEnable, InterruptStatus};
use coretrace_compress::{ElementBlockWriter, PacketElements};
use coretrace_coresight::TraceId;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Kind, Record, SourceConfig};
use coretrace_flow::{Images, StreamFlow};
use coretrace_pipelines::sim::RecompressorXeSim;
use coretrace_replay::{Blocks, ElementPackets};
use coretrace_test_gen::{Framing, RegisterSet, StreamOptions, frame_streams, legal_stream, rng};
use coretrace_test_support::{FollowedCapture, in_parallel, shared_dir, words_of};
use rand::RngExt;

/// The trace ID of a source.
const TRACE_ID: u8 = 0x10;
/// Bytes of a block.
const BLOCK_BYTES: usize = SIZES[0];
/// Bytes of a capture.
const CAPTURED: usize = 3000;

/// Enables a source.
fn enable(core: &mut RecompressorXeSim, source: &SourceConfig, trace_id: u8) {
    let blocks = BlockOptions {
        is_a32: false,
        bytes: BLOCK_BYTES,
        time_out: 0,
    };
    core.enable(trace_id, source, &blocks);
}

/// The words of a port with the stream of a source.
fn port(stream: &[u8], trace_id: u8) -> Vec<u32> {
    let id = TraceId::new(trace_id).expect("a trace ID");
    words_of(&frame_streams(&mut rng(1), &[(id, stream)], &Framing::PORT))
}

/// Sends words through the port, slowly enough that none is lost, with any TREADY.
fn send(core: &mut RecompressorXeSim, words: &[u32]) {
    let mut random = rng(1);
    for &word in words {
        core.step(Some(word), random.random_bool(0.8));
        // A word has up to four packets of atoms.
        let rest = random.random_range(0..24);
        (0..rest).for_each(|_| core.step(None, random.random_bool(0.8)));
    }
    core.idle(100);
}

/// The blocks of the model.
fn model(source: &SourceConfig, bytes: &[u8], trace_id: u8) -> Vec<u8> {
    let mut memory = Vec::new();
    let mut sink = |block: &[u8]| memory.extend_from_slice(block);
    let mut writer = ElementBlockWriter::new(BLOCK_BYTES, trace_id);
    let mut take = |item: Item<Element>| match item {
        Item::Event(element) => writer.element(&element, &mut sink),
        Item::Note { note, .. } => writer.note(note, &mut sink),
        Item::Rest { .. } => unreachable!("packets have none"),
    };
    let config = Config::new(source.protocol, source.profile, &source.registers);
    let mut decoder = Decoder::new(config, Policy::Resync);
    let mut packets = PacketElements::short();
    let mut record = |record: &Record| {
        let start = record.offset as usize;
        packets.record(
            record,
            &bytes[start..start + record.len as usize],
            &mut take,
        );
    };
    decoder.feed(bytes, &mut record);
    decoder.finish(&mut record);
    packets.finish(&mut take);
    writer.flush(&mut sink);
    memory
}

/// Demands that blocks are those of a model.
fn is_sent(memory: &[u8], want: &[u8], name: &str) {
    let differs = memory.iter().zip(want).position(|(got, want)| got != want);
    assert_eq!(differs, None, "{name}");
    assert_eq!(memory.len(), want.len(), "{name}");
}

/// The stream of blocks.
fn decompress(memory: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut packets = ElementPackets::new();
    for block in Blocks::new(memory) {
        for item in block.elements().expect("elements") {
            let item = item.expect("an item");
            packets.item(&item, |packet| bytes.extend_from_slice(packet));
        }
    }
    packets.flush(|packet| bytes.extend_from_slice(packet));
    bytes
}

/// What a program did, without the places in the stream.
fn meaning(source: &SourceConfig, images: &Images, bytes: &[u8]) -> Vec<String> {
    let mut elements = Vec::new();
    let mut take =
        |_: u64, element: &coretrace_flow::Element| elements.push(format!("{element:?}"));
    let mut flow = StreamFlow::new(source, images.clone(), Policy::Resync);
    flow.feed(bytes, &mut take);
    flow.finish(&mut take);
    elements
}

/// A random trace unit, and a stream of it with so many packets.
fn random(seed: u64, packets: usize) -> (SourceConfig, Vec<u8>) {
    let mut rng = rng(seed);
    let set = RegisterSet::any(&mut rng);
    let options = StreamOptions {
        packets,
        sync_every: 25,
        ..Default::default()
    };
    let bytes = legal_stream(&mut rng, &set.config(), &options).bytes;
    (set.source(), bytes)
}

#[test]
fn packets_of_captures_mean_the_same_behind_the_blocks_of_the_core() {
    let Some(shared) = shared_dir() else { return };
    in_parallel(["flow-exc", "flow-ete", "flow-a64-rs"], |name| {
        let folder = shared.join("corpus-flow").join(name);
        let capture = FollowedCapture::open(&folder).expect("a capture");
        let (source, stream) = &capture.streams[0];
        let bytes = &stream.bytes[..CAPTURED];
        let mut core = RecompressorXeSim::default();
        enable(&mut core, source, TRACE_ID);
        send(&mut core, &port(bytes, TRACE_ID));
        core.disable();
        for lost in ["GAPS", "LOST_WORDS"] {
            assert_eq!(core.register(lost), 0, "{name}, {lost}");
        }
        is_sent(&core.memory, &model(source, bytes, TRACE_ID), name);
        let want = meaning(source, &capture.images, bytes);
        let got = meaning(source, &capture.images, &decompress(&core.memory));
        let differs = got.iter().zip(&want).position(|(got, want)| got != want);
        assert_eq!(differs, None, "{name}");
        assert_eq!(got.len(), want.len(), "{name}");
        assert!(want.len() > 100, "{name}");
    });
}

#[test]
fn a_source_that_is_enabled_again_has_packets_of_its_own() {
    let mut core = RecompressorXeSim::default();
    let elements = core.registers().encoder();
    assert_eq!((elements.kind(), elements.preset()), (ELEMENTS.into(), 0));
    let all = InterruptEnable::RESET.with_block(true).with_stopped(true);
    core.registers().set_interrupt_enable(all);
    for (seed, trace_id) in [(1, TRACE_ID), (2, TRACE_ID + 1)] {
        let (source, bytes) = random(seed, 60);
        core.memory.clear();
        enable(&mut core, &source, trace_id);
        send(&mut core, &port(&bytes, trace_id));
        core.disable();
        let name = format!("seed {seed}");
        is_sent(&core.memory, &model(&source, &bytes, trace_id), &name);
        let status = core.registers().interrupt_status();
        assert!(core.interrupts() && status.block() && status.stopped());
        assert!(!InterruptStatus::loss(status), "{name}");
        core.registers().set_interrupt_status(status);
    }
    assert_eq!(core.register("GAPS"), 0);
    assert_eq!(core.register("WORDS") % 1024, 0);
}

#[test]
fn words_that_a_fast_port_loses_are_a_gap_and_packets_go_on_behind_it() {
    let (source, bytes) = random(3, 4000);
    let mut core = RecompressorXeSim::default();
    enable(&mut core, &source, TRACE_ID);
    let words = port(&bytes, TRACE_ID);
    let (fast, slow) = words.split_at(words.len() - 800);
    fast.iter().for_each(|&word| core.step(Some(word), true));
    core.idle(4000);
    send(&mut core, slow);
    core.disable();
    assert!(core.register("LOST_WORDS") > 100);
    let gaps = core.register("GAPS");
    assert!(gaps > 0);
    assert!(InterruptStatus::loss(core.registers().interrupt_status()));

    // Packets are in the trace as they are in the blocks: behind a gap an A-Sync comes first.
    let (mut lossy, mut counted) = (0, 0);
    let mut runs: Vec<Vec<u8>> = vec![];
    let mut packets = ElementPackets::new();
    for block in Blocks::new(&core.memory) {
        let header = &block.header;
        assert_eq!(header.lost_before, header.lost > counted);
        counted = header.lost;
        if header.lost_before || runs.is_empty() {
            lossy += u32::from(header.lost_before);
            runs.push(vec![]);
        }
        let run = runs.last_mut().expect("a run");
        for item in block.elements().expect("elements") {
            packets.item(&item.expect("an item"), |packet| run.extend(packet));
        }
        packets.flush(|packet| run.extend(packet));
    }
    assert!(lossy > 0);
    assert_eq!(counted, gaps);
    let config = Config::new(source.protocol, source.profile, &source.registers);
    for run in &runs {
        let mut kinds = vec![];
        let mut decoder = Decoder::new(config, Policy::Resync);
        decoder.feed(run, |record| kinds.push(record.kind));
        assert_eq!(kinds.first(), Some(&Kind::Async));
        assert!(!kinds.contains(&Kind::NotSync), "a run has a hole");
        assert!(kinds.len() > 20, "only {} packets", kinds.len());
    }
}

#[test]
fn a_reset_in_flight_leaves_nothing_of_the_packets() {
    let (source, bytes) = random(4, 120);
    let mut core = RecompressorXeSim::default();
    enable(&mut core, &source, TRACE_ID);
    let words = port(&bytes, TRACE_ID);
    send(&mut core, &words[..words.len() / 2]);
    assert!(core.register("ELEMENTS") > 20);
    core.reset();
    core.memory.clear();
    enable(&mut core, &source, TRACE_ID);
    assert_eq!(core.register("ELEMENTS"), 0);
    send(&mut core, &words);
    core.disable();
    is_sent(
        &core.memory,
        &model(&source, &bytes, TRACE_ID),
        "after a reset",
    );
}
