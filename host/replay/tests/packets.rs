// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures in blocks of XE: their packets come back with the same meaning.

use std::fs;
use std::path::Path;

use coretrace_abi::compressed::block::SIZES;
use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::item::Item;
use coretrace_capture::{SourceStream, decode_in_model};
use coretrace_compress::{ElementBlockWriter, PacketElements};
use coretrace_decode::Policy;
use coretrace_etm::{Record, SourceConfig};
use coretrace_flow::{Images, StreamFlow};
use coretrace_replay::{Blocks, ElementPackets};
use coretrace_test_support::{FollowedCapture, shared_dir};

/// The blocks of a stream.
fn compress(stream: &SourceStream) -> Vec<u8> {
    let [size, ..] = SIZES;
    let mut memory = Vec::new();
    let mut put = |block: &[u8]| memory.extend_from_slice(block);
    let mut writer = ElementBlockWriter::new(size, 0x10);
    let mut take = |item: Item<Element>| match item {
        Item::Event(element) => writer.element(&element, &mut put),
        Item::Note { note, .. } => writer.note(note, &mut put),
        Item::Rest { .. } => unreachable!("packets have none"),
    };
    let mut packets = PacketElements::new();
    decode_in_model(stream, Policy::Resync, |_| {}, &mut |record: &Record| {
        let start = record.offset as usize;
        let raw = &stream.bytes[start..start + record.len as usize];
        packets.record(record, raw, &mut take);
    });
    packets.finish(&mut take);
    writer.finish(&mut put);
    memory
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

fn check(folder: &Path) -> usize {
    let Some(capture) = FollowedCapture::open(folder) else {
        return 0;
    };
    for (source, stream) in &capture.streams {
        let again = decompress(&compress(stream));
        let want = meaning(source, &capture.images, &stream.bytes);
        let got = meaning(source, &capture.images, &again);
        let pairs = got.iter().zip(&want).enumerate();
        for (number, (got, want)) in pairs {
            assert_eq!(got, want, "{}, element {number}", folder.display());
        }
        assert_eq!(got.len(), want.len(), "{}", folder.display());
    }
    capture.streams.len()
}

#[test]
fn the_packets_of_captures_mean_the_same_behind_their_blocks() {
    let Some(shared) = shared_dir() else { return };
    let mut sources = 0;
    for folder in ["corpus", "corpus-flow"] {
        for entry in fs::read_dir(shared.join(folder)).expect("captures") {
            sources += check(&entry.expect("an entry").path());
        }
    }
    assert!(sources > 40, "only {sources} sources");
}
