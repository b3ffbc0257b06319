// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core at damaged ports: its records, reported losses and counters equal the model's, also if
//! the clock of the port stops in mid-frame and restarts with words missing.

use std::collections::BTreeMap;

use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::{Deframer, Demux, DemuxStatistics, Format, RunEvent, SyncStatistics};
use coretrace_etm::Kind;
use coretrace_pipelines::sim::CoreSim;
use coretrace_streams::as_transmitted;
use coretrace_test_faults::{Fault, Port};
use coretrace_test_gen::{Rng, rng};
use coretrace_test_support::{DecoderSetup, StreamContents, in_parallel, port_model, words_of};
use rand::RngExt;

/// The model's counters of a source.
#[derive(Default)]
struct Counts {
    sync: SyncStatistics,
    drops: DemuxStatistics,
    bytes: usize,
    /// Losses with a frame after them.
    losses: usize,
}

fn counts(id: TraceId, port: &[u8]) -> Counts {
    let mut demux = Demux::new([id]);
    let mut deframer = Deframer::new(Format::TpiuHsync);
    let mut counts = Counts::default();
    let mut is_lost = false;
    deframer.feed(port, |event| match event {
        RunEvent::Run(run) => {
            counts.losses += usize::from(std::mem::take(&mut is_lost));
            if demux.route(&run).is_some() {
                counts.bytes += run.bytes.len();
            }
        }
        RunEvent::Discontinuity { .. } => is_lost = true,
    });
    Counts {
        sync: deframer.statistics(),
        drops: demux.statistics(),
        ..counts
    }
}

/// The core behind a port whose clock stops now and then.
fn core_at(port: &[u8], id: TraceId, setup: &DecoderSetup, rng: &mut Rng) -> CoreSim {
    let mut core = CoreSim::new();
    core.enable(id.value(), &setup.source_config(), false);
    for word in words_of(port) {
        if rng.random_bool(0.02) {
            core.pause(rng.random_range(1..50));
        }
        core.step(Some(word), true);
    }
    core.drain();
    core
}

/// The counters of the core, all of them compared.
fn check(fault: Fault, seed: u64) -> BTreeMap<&'static str, u64> {
    let mut seen = BTreeMap::new();
    let mut rng = rng(seed);
    let port = Port::new(&mut rng, 3);
    let mut places = fault.places(&port);
    let rate = 6.0 / places.len() as f64;
    places.retain(|_| rng.random_bool(rate.min(1.0)));
    let (bytes, _) = fault.inject(&mut rng, &port.bytes, &places);
    for (source, lenient) in port.sources.iter().zip([rng.random(), rng.random()]) {
        let place = format!("seed {seed}, {fault:?}, {:?}, lenient {lenient}", source.id);
        let setup = DecoderSetup {
            set: source.set,
            lenient,
        };
        let mut core = core_at(&bytes, source.id, &setup, &mut rng);
        let got = StreamContents::read(&core.words);
        let want = port_model(&[(source.id, setup)], &bytes).swap_remove(0);
        let all = as_transmitted(want.iter().copied());
        for (index, (got, want)) in got.records.iter().zip(&all).enumerate() {
            assert_eq!(got, want, "record {index}, {place}");
        }
        assert_eq!(got.records.len(), all.len(), "{place}");

        let counts = counts(source.id, &bytes);
        assert_eq!(got.losses.len(), counts.losses, "{place}");
        core.snapshot();
        let records =
            |is: fn(Kind) -> bool| want.iter().filter(|record| is(record.kind)).count() as u64;
        for (register, want) in [
            ("FRAMES", counts.sync.frames),
            ("BYTES", counts.bytes as u64),
            ("PACKETS", all.len() as u64),
            ("ASYNCS", records(|kind| kind == Kind::Async)),
            (
                "RESERVED_HEADERS",
                records(|kind| matches!(kind, Kind::Reserved | Kind::ReservedCfg)),
            ),
            ("BAD_SEQUENCES", records(|kind| kind == Kind::BadSequence)),
            ("LOSSES", counts.losses as u64),
            ("SYNC_LOSSES", counts.sync.losses),
            ("SYNC_ACQUISITIONS", counts.sync.acquisitions),
            ("NULL_DROPS", counts.drops.null_bytes),
            ("RESERVED_DROPS", counts.drops.reserved_bytes),
            ("UNCLAIMED_DROPS", counts.drops.unclaimed_bytes),
        ] {
            let count = u64::from(core.register(register));
            assert_eq!(count, want, "{register}, {place}");
            *seen.entry(register).or_default() += count;
        }
        assert_eq!(core.register("LOST_WORDS"), 0, "{place}");
    }
    seen
}

#[test]
fn records_losses_and_counters_are_the_models_for_every_fault() {
    let runs = (0..).zip(Fault::ALL.into_iter().cycle().take(24));
    let mut seen = BTreeMap::<_, u64>::new();
    for (register, count) in in_parallel(runs, |(seed, fault)| check(fault, seed))
        .into_iter()
        .flatten()
    {
        *seen.entry(register).or_default() += count;
    }
    assert!(seen.values().all(|&count| count > 0), "{seen:?}");
}
