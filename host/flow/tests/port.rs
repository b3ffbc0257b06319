// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the bytes of a port to the elements of its sources: those of each source alone.

use std::fs;
use std::path::Path;

use coretrace_capture::{Capture, Format, SourceStream, source_streams};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_decode::tpiu;
use coretrace_flow::{Element, PortFlow, StreamFlow};
use coretrace_test_support::{FollowedCapture, shared_dir};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Elements with their offsets.
type Elements = Vec<(u64, Element)>;

/// The elements of each source, from the bytes of the port in pieces.
fn of_port(
    format: tpiu::Format,
    bytes: &[u8],
    flows: &[(TraceId, StreamFlow)],
    random: &mut ChaCha8Rng,
) -> Vec<Elements> {
    let mut port = PortFlow::new(format, flows.to_vec());
    let mut elements = vec![Elements::new(); flows.len()];
    let mut sink = |source: usize, offset: u64, element: &Element| {
        elements[source].push((offset, *element));
    };
    let mut rest = bytes;
    while !rest.is_empty() {
        let piece = random.random_range(1..=rest.len().min(5000));
        port.feed(&rest[..piece], &mut sink);
        rest = &rest[piece..];
    }
    port.finish(&mut sink);
    elements
}

/// The elements of a stream whose losses are at these offsets.
fn of_source(mut flow: StreamFlow, bytes: &[u8], losses: &[u64]) -> Elements {
    let mut elements = Elements::new();
    let sink = &mut |offset: u64, element: &Element| elements.push((offset, *element));
    let mut from = 0;
    for loss in losses {
        flow.feed(&bytes[from..*loss as usize], sink);
        flow.discontinuity(sink);
        from = *loss as usize;
    }
    flow.feed(&bytes[from..], sink);
    flow.finish(sink);
    elements
}

/// Compares a capture with frames, whole and with bytes cut out of it; the number of its elements and losses.
fn check(folder: &Path, random: &mut ChaCha8Rng) -> [usize; 2] {
    let Some(FollowedCapture { images, streams }) = FollowedCapture::open(folder) else {
        return [0; 2];
    };
    let mut capture = Capture::open(folder).expect("a capture");
    let Format::Framed(format) = capture.format else {
        return [0; 2];
    };
    let flow = |(source, stream): &(_, SourceStream)| {
        let flow = StreamFlow::new(source, images.clone(), Policy::Resync);
        (TraceId::new(stream.id).expect("a trace ID"), flow)
    };
    let flows: Vec<_> = streams.iter().map(flow).collect();
    let (mut elements, mut losses) = (0, 0);
    for _ in 0..4 {
        let all = of_port(format, &capture.bytes, &flows, random);
        for ((have, (id, flow)), stream) in all.iter().zip(&flows).zip(source_streams(&capture)) {
            let want = of_source(flow.clone(), &stream.bytes, &stream.discontinuities);
            assert!(*have == want, "{}: ID {:02x}", folder.display(), id.value());
            elements += want.len();
            losses += stream.discontinuities.len();
        }
        let place = random.random_range(0..capture.bytes.len());
        let end = capture.bytes.len().min(place + random.random_range(1..40));
        capture.bytes.drain(place..end);
    }
    [elements, losses]
}

#[test]
fn sources_of_a_port_have_the_elements_of_each_alone() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbench/traces");
    let [elements, losses] = check(&traces.join("framed"), &mut random);
    assert!(elements > 1000 && losses > 2, "{elements}, {losses}");
    let Some(shared) = shared_dir() else { return };
    let mut elements = 0;
    for corpus in ["corpus", "corpus-flow"] {
        for folder in fs::read_dir(shared.join(corpus)).expect("captures") {
            let [more, _] = check(&folder.expect("an entry").path(), &mut random);
            elements += more;
        }
    }
    assert!(elements > 10_000, "{elements} elements");
}
