// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of the packet table that the hardware is shown to decode: every header value, every
//! packet kind, every length that its payload rule allows. The report is `docs/coverage.md`; to
//! regenerate it: `UPDATE=1 cargo test -p coretrace-test-suites --test coverage`.

use coretrace_etm::SourceConfig;
use coretrace_etm::{Kind, Record, layout};
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::ResultDecoder;
use coretrace_pipelines::sim::{full_words, simulate_source};
use coretrace_test_gen::{ASYNC, RegisterSet, StreamOptions, legal_stream, rng};
use coretrace_test_support::{in_parallel, source_presets};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Packets of each header and register set.
const PACKETS: usize = 16;

/// Every header that is legal under a register set, several times, then every one that is not,
/// then broken extensions.
fn stream(seed: u64, set: &RegisterSet) -> Vec<u8> {
    let config = set.config();
    let mut rng = rng(seed);
    let mut bytes = Vec::new();
    for header in 0..=255u8 {
        if config.allows(layout(header, &config).gate) {
            let options = StreamOptions {
                packets: PACKETS,
                headers: vec![header],
                ..Default::default()
            };
            bytes.extend(legal_stream(&mut rng, &config, &options).bytes);
        } else {
            bytes.extend(ASYNC);
            bytes.push(header);
        }
    }
    for broken in [&[0x00, 0x44][..], &[0x00, 0x00, 0x13]] {
        bytes.extend(ASYNC);
        bytes.extend(broken);
    }
    bytes
}

#[derive(Default)]
struct Coverage {
    /// Headers of each kind, and packets.
    kinds: BTreeMap<Kind, (BTreeSet<u8>, usize)>,
    lengths: BTreeMap<Kind, BTreeSet<u64>>,
}

impl Coverage {
    fn add(&mut self, record: &Record) {
        let (headers, packets) = self.kinds.entry(record.kind).or_default();
        headers.insert(record.header);
        *packets += 1;
        self.lengths
            .entry(record.kind)
            .or_default()
            .insert(record.len);
    }

    fn of(preset: DecoderTop) -> Coverage {
        let mut coverage = Coverage::default();
        for (seed, set) in RegisterSet::ALL.iter().enumerate() {
            let bytes = stream(seed as u64, set);
            let (protocol, profile, registers) = (set.protocol, set.profile, set.registers);
            let config = SourceConfig {
                protocol,
                profile,
                registers,
                lenient: false,
            };
            let mut result_decoder = ResultDecoder::new(set.config(), false);
            let words = full_words(preset.bytes_per_cycle(), &bytes).map(Some);
            simulate_source(preset, &config, words, |_, word| {
                result_decoder.word(word, |record| coverage.add(record));
            });
        }
        coverage
    }

    fn headers(&self) -> BTreeSet<u8> {
        self.kinds
            .values()
            .flat_map(|(headers, _)| headers)
            .copied()
            .collect()
    }
}

/// Kinds without a header: the host makes these records.
const HOST_KINDS: [Kind; 2] = [Kind::NotSync, Kind::Incomplete];

#[test]
fn the_hardware_decodes_every_header_and_every_row_of_the_table() {
    let of_preset = |preset: DecoderTop| (preset.name(), Coverage::of(preset));
    let coverage = in_parallel(source_presets(), of_preset);
    for (name, coverage) in &coverage {
        let missing: Vec<u8> = (0..=255)
            .filter(|header| !coverage.headers().contains(header))
            .collect();
        assert!(
            missing.is_empty(),
            "{name}: no record has a header of {missing:02x?}"
        );
        for kind in Kind::ALL.iter().filter(|kind| !HOST_KINDS.contains(kind)) {
            assert!(coverage.kinds.contains_key(kind), "{name}: no {kind:?}");
        }
        for set in RegisterSet::ALL {
            let config = set.config();
            for header in 1..=255u8 {
                let row = layout(header, &config);
                let kind = if config.allows(row.gate) {
                    row.kind
                } else {
                    row.closed_kind()
                };
                let seen = coverage
                    .kinds
                    .get(&kind)
                    .is_some_and(|(headers, _)| headers.contains(&header));
                assert!(
                    seen,
                    "{name}: {kind:?} with header {header:#04x} ({})",
                    set.name
                );
            }
        }
    }
    let report = report(&coverage);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/coverage.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &report).expect("docs/coverage.md can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        written, report,
        "docs/coverage.md is stale: run with UPDATE=1"
    );
}

fn report(coverage: &[(&str, Coverage)]) -> String {
    let mut text = String::from(
        "<!-- Made by `UPDATE=1 cargo test -p coretrace-test-suites --test coverage`, do not edit. -->\n\
         # Header coverage\n\n\
         Packets that the simulated hardware decoded in this test, by kind.\n\
         All 256 header values occur; a test fails when one does not.\n\n",
    );
    let columns: String = coverage
        .iter()
        .map(|(name, _)| format!(" packets in {name} |"))
        .collect();
    let rule = "---:|".repeat(coverage.len());
    write!(
        text,
        "| kind | header values | lengths in bytes |{columns}\n|---|---:|---|{rule}\n"
    )
    .expect("text");
    let (_, first) = &coverage[0];
    for kind in Kind::ALL.iter().filter(|kind| !HOST_KINDS.contains(kind)) {
        let lengths: Vec<String> = first.lengths[kind].iter().map(u64::to_string).collect();
        let packets: String = coverage
            .iter()
            .map(|(_, of_preset)| format!(" {} |", of_preset.kinds[kind].1))
            .collect();
        writeln!(
            text,
            "| {} | {} | {} |{packets}",
            kind.listing_name(),
            first.kinds[kind].0.len(),
            lengths.join(" ")
        )
        .expect("text");
    }
    text
}
