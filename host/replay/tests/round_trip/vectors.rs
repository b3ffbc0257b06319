// SPDX-License-Identifier: MIT OR Apache-2.0
//! Branch traces: their bits are those of an independent sketch.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use coretrace_abi::compressed::branch::{BranchKind, Event};
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_compress::{Elements, Nexus};
use coretrace_isa::Isa;
use coretrace_replay::{ElementsReplay, Reader, Site, Sites};
use coretrace_test_gen::btr::{BranchTrace, files};
use coretrace_test_support::shared_dir;

use crate::encoder::{encode, replay};
use crate::random::only_element;

/// What a list says of the bits of a trace: how many, and their checksum.
type Vector = (u64, u32);

/// The bits by trace and encoder.
fn vectors(shared: &Path) -> BTreeMap<(String, String), Vector> {
    let path = shared.join("examples/compress/vectors.tsv");
    let text = fs::read_to_string(path).expect("vectors");
    let vector = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [trace, _, encoder, bits, crc] = fields[..] else {
            panic!("{line}");
        };
        let trace = trace.trim_end_matches(".btr").to_owned();
        let bits = bits.parse().expect("bits");
        let crc = u32::from_str_radix(crc, 16).expect("a checksum");
        ((trace, encoder.to_owned()), (bits, crc))
    };
    text.lines().skip(1).map(vector).collect()
}

/// The branches of a program that retired.
fn sites(trace: &BranchTrace) -> Sites {
    let mut sites = BTreeMap::new();
    for event in trace.events() {
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

/// The bits of a trace, which give its events again.
fn there_and_back(trace: &BranchTrace, sites: &Sites, encoder: Encoder, name: &str) -> Vector {
    let begin = (trace.start, trace.isa == Isa::A64);
    let mut records = trace.events();
    records.by_ref().for_each(drop);
    let rest = records.rest();
    let encoded = encode(encoder, begin, &mut trace.events(), rest);
    replay(encoder, begin, sites, &encoded, |events| {
        for (number, event) in trace.events().enumerate() {
            assert_eq!(events.next(), Some(Ok(event)), "{name}, event {number}");
        }
        assert_eq!(events.next(), None, "{name}");
    });
    (encoded.bits, crc32fast::hash(&encoded.bytes))
}

fn compare(is_chosen: impl Fn(&str) -> bool) {
    let Some(shared) = shared_dir() else { return };
    let vectors = vectors(&shared);
    let mut compared = 0;
    for path in files::traces(&shared.join("workloads")).expect("traces") {
        let trace_name = files::name(&path);
        if !is_chosen(&trace_name) {
            continue;
        }
        let trace = files::read(&path).expect("a trace");
        let sites = sites(&trace);
        for (encoder_name, encoder) in Encoder::all() {
            let name = format!("{trace_name}, {encoder_name}");
            let vector = there_and_back(&trace, &sites, encoder, &name);
            let key = (trace_name.clone(), encoder_name.to_owned());
            if let Some(want) = vectors.get(&key) {
                assert_eq!(vector, *want, "{name}");
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "only {compared} vectors");
}

/// Elements and checksums by trace and entries of the return stack.
fn element_vectors(shared: &Path) -> BTreeMap<(String, usize), Vector> {
    let path = shared.join("examples/compress/vectors-xe.tsv");
    let text = fs::read_to_string(path).expect("vectors");
    let vector = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [trace, returns, elements, _, crc] = fields[..] else {
            panic!("{line}");
        };
        let trace = trace.trim_end_matches(".btr").to_owned();
        let returns = returns.parse().expect("entries");
        let elements = elements.parse().expect("elements");
        let crc = u32::from_str_radix(crc, 16).expect("a checksum");
        ((trace, returns), (elements, crc))
    };
    text.lines().skip(1).map(vector).collect()
}

/// The elements of a trace come back, so many; the checksum of its bits.
fn elements_there_and_back(trace: &BranchTrace, returns: usize, name: &str) -> Vector {
    let mut encoder = Elements::new();
    let elements = trace.elements(returns);
    let count = elements.map(|element| encoder.element(&element)).count();
    let bits = encoder.finish();
    let len = bits.len();
    let bytes = bits.into_bytes();
    let reader = Reader::new(&bytes, len).expect("bits");
    let mut back = ElementsReplay::new(reader).map(|item| item.map(only_element));
    for (number, element) in trace.elements(returns).enumerate() {
        assert_eq!(back.next(), Some(Ok(element)), "{name}, element {number}");
    }
    assert_eq!(back.next(), None, "{name}");
    (count as u64, crc32fast::hash(&bytes))
}

fn compare_elements(is_chosen: impl Fn(&str) -> bool) {
    let Some(shared) = shared_dir() else { return };
    let vectors = element_vectors(&shared);
    let mut compared = 0;
    for path in files::traces(&shared.join("workloads")).expect("traces") {
        let name = files::name(&path);
        if !is_chosen(&name) {
            continue;
        }
        let trace = files::read(&path).expect("a trace");
        for returns in [0, 15] {
            let vector = elements_there_and_back(&trace, returns, &name);
            if let Some(want) = vectors.get(&(name.clone(), returns)) {
                assert_eq!(vector, *want, "{name}, return stack of {returns}");
                compared += 1;
            }
        }
    }
    assert!(compared > 10, "only {compared} vectors");
}

#[test]
fn the_bits_of_elements_of_small_programs_are_those_of_the_sketch() {
    compare_elements(|name| name.starts_with("own/s"));
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn the_bits_of_elements_of_every_program_are_those_of_the_sketch() {
    compare_elements(|_| true);
}

#[test]
fn the_bits_of_small_programs_are_those_of_the_sketch() {
    compare(|name| name.starts_with("own/s"));
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn the_bits_of_every_program_are_those_of_the_sketch() {
    compare(|_| true);
}

/// Bits of NEXS for 10,000 instructions, as the sketch has them.
const BASELINE: [(&str, u64); 12] = [
    ("own/adpcm.a32", 5663),
    ("own/adpcm.a64", 5288),
    ("own/fft.a32", 6039),
    ("own/fft.a64", 5927),
    ("own/interp.a32", 10176),
    ("own/interp.a64", 17501),
    ("own/search.a32", 17438),
    ("own/search.a64", 11541),
    ("own/sha1.a32", 4524),
    ("own/sha1.a64", 3806),
    ("own/sort.a32", 28089),
    ("own/sort.a64", 27662),
];

#[test]
fn the_baseline_takes_as_many_bits_as_in_the_sketch() {
    let Some(shared) = shared_dir() else { return };
    let mut compared = 0;
    for path in files::traces(&shared.join("workloads")).expect("traces") {
        let name = files::name(&path);
        let Some((_, want)) = BASELINE.iter().find(|(of, _)| *of == name) else {
            continue;
        };
        let trace = files::read(&path).expect("a trace");
        let mut encoder = Nexus::new(trace.start);
        trace.events().for_each(|event| encoder.event(&event));
        let mut events = trace.events();
        let executed: u64 = events
            .by_ref()
            .map(|event| u64::from(event.instructions()))
            .sum();
        let executed = executed + events.rest();
        let got = (10_000 * encoder.bits() + executed / 2) / executed;
        assert_eq!(got, *want, "{name}");
        compared += 1;
    }
    assert_eq!(compared, BASELINE.len());
}
