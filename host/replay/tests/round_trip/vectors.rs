// SPDX-License-Identifier: MIT OR Apache-2.0
//! Branch traces: their bits are those of an independent sketch.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use coretrace_abi::compressed::branch::{BranchKind, Event};
use coretrace_isa::Isa;
use coretrace_replay::{Site, Sites};
use coretrace_test_gen::btr::{BranchTrace, files};
use coretrace_test_support::shared_dir;

use crate::encoder::Encoder;

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
    let encoded = encoder.encode(begin, &mut trace.events(), rest);
    encoder.replay(begin, sites, &encoded, |events| {
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

#[test]
fn the_bits_of_small_programs_are_those_of_the_sketch() {
    compare(|name| name.starts_with("own/s"));
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn the_bits_of_every_program_are_those_of_the_sketch() {
    compare(|_| true);
}
