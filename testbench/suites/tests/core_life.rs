// SPDX-License-Identifier: MIT OR Apache-2.0
//! After any history of a core, its record stream can be read, and both streams have the same sums.

use coretrace_coresight::TraceId;
use coretrace_pipelines::sim::BEGINS;
use coretrace_pipelines::sim::CoreSim;
use coretrace_profile::{Counts, Profile, Sums};
use coretrace_test_gen::{
    Framing, RegisterSet, Rng, StreamOptions, frame_streams, legal_stream, rng, rounds,
};
use coretrace_test_support::{DecoderSetup, in_parallel, sums, words_of};
use rand::RngExt;

/// Sources of a core, one after the other.
const SOURCES: usize = 8;

/// The words of the trace port of a source.
fn port(rng: &mut Rng, trace_id: u8, set: &RegisterSet) -> Vec<u32> {
    // The longest ones are more than a core can buffer.
    let lengths = [100, 300, 600, 13000];
    let options = StreamOptions {
        packets: lengths[rng.random_range(0..lengths.len())],
        sync_every: 40,
        ..StreamOptions::default()
    };
    let stream = legal_stream(rng, &set.config(), &options).bytes;
    let id = TraceId::new(trace_id).expect("a trace ID");
    words_of(&frame_streams(rng, &[(id, &stream[..])], &Framing::PORT))
}

/// A core whose source is replaced at any time, with consumers and clocks of any pace.
fn live(rng: &mut Rng) -> CoreSim {
    let mut core = CoreSim::new();
    for _ in 0..SOURCES {
        let trace_id = rng.random_range(0x10..0x13);
        let setup = DecoderSetup {
            set: RegisterSet::any(rng),
            lenient: rng.random(),
        };
        let config = setup.source_config();
        core.set_up(trace_id, &config, rng.random());
        let [takes, pauses, bursts] = [[0.0, 0.4, 1.0], [0.0, 0.02, 0.0], [0.0, 0.0, 0.3]]
            .map(|rates| rates[rng.random_range(0..3)]);
        (0..BEGINS).for_each(|_| core.step(None, rng.random_bool(takes)));
        for word in port(rng, trace_id, &setup.set) {
            if rng.random_bool(pauses) {
                core.pause(rng.random_range(1..200));
            }
            if rng.random_bool(0.001) {
                core.flush();
            }
            if rng.random_bool(bursts) {
                core.burst(word);
            } else {
                core.step(Some(word), rng.random_bool(takes));
            }
        }
    }
    (0..8).for_each(|_| core.drain());
    core.flush();
    (0..4).for_each(|_| core.drain());
    core
}

/// All sums except the keys: a record does not have the address of a packet that was cut short, so
/// its cycles are counted at another address.
fn totals(sums: &Sums) -> [u64; 6] {
    let total = |counts: &Counts| counts.values().sum();
    [
        sums.starts,
        sums.losses,
        total(&sums.targets),
        total(&sums.exceptions),
        total(&sums.events),
        total(&sums.cycles),
    ]
}

#[test]
fn both_streams_add_up_to_the_same_whatever_a_core_goes_through() {
    let lives = in_parallel(rounds(&[1, 7][..], &[0, 1, 2, 3, 7]), |&seed| {
        let place = format!("seed {seed}");
        let mut core = live(&mut rng(seed));
        let [records, profile] = [&core.words, &core.entries].map(|words| sums(words));
        let starts: u64 = records.sources.values().map(|sums| sums.starts).sum();
        assert_eq!(starts, SOURCES as u64, "{place}");
        let ids = |profile: &Profile| profile.sources.keys().copied().collect::<Vec<u8>>();
        assert_eq!(ids(&records), ids(&profile), "{place}");
        for (id, sums) in &records.sources {
            let other = totals(&profile.sources[id]);
            assert_eq!(totals(sums), other, "{place}, {id:#x}");
        }
        core.snapshot();
        println!("{place}: {} lost words", core.register("LOST_WORDS"));
        records
    });
    let sources = lives.iter().flat_map(|records| records.sources.values());
    let mut all = [0; 6];
    for sums in sources {
        for (all, total) in all.iter_mut().zip(totals(sums)) {
            *all += total;
        }
    }
    assert!(all.iter().all(|&total| total > 0), "{all:?}");
}
