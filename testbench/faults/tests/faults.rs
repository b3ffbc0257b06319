// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults at the trace port: the invariants hold, the hardware equals the model, and the document
//! has the measured figures.

use std::path::Path;

use coretrace_decode::Policy;
use coretrace_etm::SourceConfig;
use coretrace_etm::{Kind, Record};
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::{PortSource, ResultDecoder};
use coretrace_test_faults::observe::Observation;
use coretrace_test_faults::report::{RATES, head, rows};
use coretrace_test_faults::software;
use coretrace_test_faults::sweep::{POLICIES, Ports, at_rate, single};
use coretrace_test_faults::{Fault, Port, compare, invariants, observe};
use coretrace_test_gen::{rng, rounds};
use coretrace_test_simulate::Backend;
use coretrace_test_support::in_parallel;
use rand::RngExt;

#[test]
fn records_are_right_again_after_a_fault_and_illegal_bytes_are_reported() {
    let ports = Ports::new();
    for fault in Fault::ALL {
        let single = single(&ports, fault, 40);
        let many = [1e-3, 1e-2].map(|rate| at_rate(&ports, fault, rate, 60));
        for figures in [single].iter().chain(&many).flatten() {
            assert_eq!(figures.broken, Vec::<String>::new(), "{}", fault.name());
        }
    }
}

#[test]
fn a_full_sync_that_is_missing_does_nothing_once_frames_are_known() {
    let ports = Ports::new();
    let [resync, lenient] = single(&ports, Fault::SyncRemoved, 300);
    for figures in [resync, lenient] {
        assert_eq!(figures.compared.wrong(), 0);
        assert_eq!(figures.unreported, 0);
        assert!(figures.unchanged > 290, "{}", figures.unchanged);
    }
}

#[test]
fn a_packet_that_is_lost_added_or_changed_behind_a_fault_breaks_the_bar() {
    let mut rng = rng(3);
    let port = Port::new(&mut rng, 6);
    let clean = &observe(&port.sources, Policy::Resync, &port.bytes)[0];
    let config = port.sources[0].set.config();
    let (_, hits) = Fault::DroppedWord.inject(&mut rng, &port.bytes, &[0]);
    // The fault is at the first word, so the last periods must be right.
    let right = invariants::must_be_right(&port, clean, &hits);
    assert!(!right[0] && right[5], "{right:?}");
    let broken = |observations: &[Observation]| {
        let compared = compare(&clean.observations, observations);
        let mut observed = clean.clone();
        observed.observations = observations.to_vec();
        (
            invariants::broken(&config, &right, &observed, &compared),
            compared,
        )
    };
    let (none, compared) = broken(&clean.observations);
    assert!(none.is_empty() && compared.lost + compared.wrong() == 0);

    let last = clean.observations.len() - 1;
    let (lost, compared) = broken(&clean.observations[..last]);
    assert_eq!((compared.lost, compared.wrong(), lost.len()), (1, 0, 1));

    let added = [&clean.observations[..], &[clean.observations[last]]].concat();
    let (added, compared) = broken(&added);
    assert_eq!((compared.lost, compared.silent, added.len()), (0, 1, 1));

    let change = |change: fn(&mut Record)| {
        let mut observations = clean.observations.clone();
        if let Observation::Record(record) = &mut observations[last] {
            change(record);
        }
        broken(&observations)
    };
    let (changed, compared) = change(|record| record.timestamp ^= 1);
    assert_eq!((compared.lost, compared.silent, changed.len()), (1, 1, 1));
    let (marked, compared) = change(|record| record.suspect = true);
    assert_eq!((compared.lost, compared.wrong(), marked.len()), (0, 0, 1));
    let (error, compared) = change(|record| record.kind = Kind::Reserved);
    assert_eq!((compared.lost, compared.wrong(), error.len()), (1, 0, 1));

    // A packet after an error that is not marked suspect.
    let mut observations = clean.observations.clone();
    observations[last - 1] = Observation::Loss;
    let (behind, _) = broken(&observations);
    assert!(behind.iter().any(|what| what.starts_with("no mark behind")));
}

#[test]
fn a_wrong_packet_is_suspect_reported_late_or_silent() {
    let mut rng = rng(4);
    let port = Port::new(&mut rng, 3);
    let clean = &observe(&port.sources, Policy::Resync, &port.bytes)[0];
    let wrong = |at: usize, is_suspect: bool, reported_at: Option<usize>| {
        let mut observations = clean.observations.clone();
        if let Observation::Record(record) = &mut observations[at] {
            record.timestamp ^= 1 << 63;
            record.suspect = is_suspect;
        }
        if let Some(reported_at) = reported_at {
            observations.insert(reported_at, Observation::Loss);
        }
        let compared = compare(&clean.observations, &observations);
        [
            compared.lost,
            compared.suspect,
            compared.late,
            compared.silent,
        ]
    };
    let next = compare::starts(&clean.observations)[2];
    assert_eq!(wrong(next - 2, true, None), [1, 1, 0, 0]);
    assert_eq!(wrong(next - 2, false, Some(next)), [1, 0, 1, 0]);
    assert_eq!(wrong(next - 2, false, Some(next + 1)), [1, 0, 0, 1]);
    assert_eq!(wrong(next - 2, false, Some(next - 2)), [1, 0, 0, 1]);
    assert_eq!(wrong(next - 2, false, None), [1, 0, 0, 1]);
}

/// The records of the simulated hardware. The clock of the port stops now and then, and no word is
/// missing when it restarts.
fn in_hardware(port: &Port, lenient: bool, bytes: &[u8], seed: u64) -> Vec<Vec<Record>> {
    let mut rng = rng(seed);
    let mut words = Vec::new();
    for word in bytes.chunks_exact(4) {
        if rng.random_bool(0.05) {
            words.resize(words.len() + rng.random_range(1..100), None);
        }
        words.push(Some(u32::from_le_bytes([
            word[0], word[1], word[2], word[3],
        ])));
    }
    let sources: Vec<PortSource> = port
        .sources
        .iter()
        .map(|source| PortSource {
            trace_id: source.id.value(),
            config: SourceConfig {
                protocol: source.set.protocol,
                profile: source.set.profile,
                registers: source.set.registers,
                lenient,
            },
        })
        .collect();
    let result_decoder = |source: &coretrace_test_faults::port::Source| {
        ResultDecoder::new(source.set.config(), lenient)
    };
    let mut result_decoders: Vec<ResultDecoder> = port.sources.iter().map(result_decoder).collect();
    let mut records = vec![Vec::new(); sources.len()];
    Backend::Simulation(DecoderTop::TpiuEtm4X4)
        .run_port(&sources, words.into_iter(), |source, _, word| {
            result_decoders[source].word(word, |record| records[source].push(*record));
        })
        .expect("the simulation runs");
    records
}

#[test]
fn hardware_equals_the_model_for_every_fault_and_a_stopped_clock() {
    let faults = Fault::ALL.into_iter().cycle().take(rounds(8, 16));
    in_parallel((0..).zip(faults), |(seed, fault)| {
        let mut rng = rng(seed);
        let port = Port::new(&mut rng, 4);
        let mut places = fault.places(&port);
        let rate = 6.0 / places.len() as f64;
        places.retain(|_| rng.random_bool(rate.min(1.0)));
        let (bytes, _) = fault.inject(&mut rng, &port.bytes, &places);
        for (policy, name) in POLICIES {
            let all_got = in_hardware(&port, policy == Policy::Lenient, &bytes, seed);
            let all_want = observe(&port.sources, policy, &bytes);
            for (got, want) in all_got.iter().zip(&all_want) {
                let place = format!("seed {seed}, {fault:?}, {name}");
                let want: Vec<Record> = want
                    .observations
                    .iter()
                    .filter_map(|observations| match observations {
                        Observation::Record(record) => Some(*record),
                        Observation::Loss => None,
                    })
                    .collect();
                for (got, want) in got.iter().zip(&want) {
                    assert_eq!(got, want, "{place}");
                }
                // No word follows a loss after the last frame, so only the model reports it.
                let is_at_end = want.last().is_some_and(|last| last.kind == Kind::NotSync);
                let reported = want.len() - usize::from(is_at_end);
                assert!((reported..=want.len()).contains(&got.len()), "{place}");
            }
        }
    });
}

#[test]
fn the_document_is_that_of_the_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/faults.md");
    let document = std::fs::read_to_string(path).expect("docs/faults.md");
    let stale = "docs/faults.md is stale: run `cargo faults > docs/faults.md`";
    assert!(document.starts_with(&head()), "{stale}");
    // The other rows take too long to measure here.
    let (section, broken) = software::section();
    assert_eq!(broken, Vec::<String>::new());
    assert!(document.ends_with(&section), "{stale}");
    let rate = RATES[RATES.len() - 1];
    let ports = Ports::new();
    for fault in [Fault::BitFlip, Fault::DroppedWord, Fault::IdChanged] {
        let rows = rows(&ports, fault, rate).text;
        assert!(document.contains(&rows), "{stale}: {rows}");
    }
}
