// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core where it cannot keep all: an overload, a stream that nobody reads, a reset. What is
//! missing is reported while it happens, and what comes out is right.

use coretrace_abi::registers::csr::InterruptEnable;
use coretrace_coresight::{FSYNC, TraceId};
use coretrace_etm::{Kind, Record};
use coretrace_pipelines::sim::CoreSim;
use coretrace_streams::{Item, Reader, as_transmitted};
use coretrace_test_gen::{
    Framing, RegisterSet, Rng, StreamOptions, frame_streams, legal_stream, rng, rounds,
};
use coretrace_test_support::{
    DecoderSetup, StreamContents, in_parallel, port_model, sums, words_of,
};
use rand::RngExt;

const ID: u8 = 0x10;

/// The words of a port with one source, and its records.
struct Traffic {
    setup: DecoderSetup,
    port: Vec<u32>,
    records: Vec<Record>,
}

fn traffic(rng: &mut Rng, packets: usize) -> Traffic {
    let setup = DecoderSetup {
        set: RegisterSet::any(rng),
        lenient: false,
    };
    let options = StreamOptions {
        packets,
        sync_every: 100,
        ..StreamOptions::default()
    };
    let stream = legal_stream(rng, &setup.set.config(), &options).bytes;
    let id = TraceId::new(ID).expect("a trace ID");
    let port = frame_streams(rng, &[(id, &stream[..])], &Framing::PORT);
    let records = port_model(&[(id, setup)], &port).remove(0);
    Traffic {
        setup,
        port: words_of(&port),
        records: as_transmitted(records),
    }
}

fn enabled(traffic: &Traffic) -> CoreSim {
    let mut core = CoreSim::new();
    core.enable(ID, &traffic.setup.source_config(), false);
    core
}

/// Steps until nothing comes out any more, with each consumer ready or not.
fn drain(core: &mut CoreSim, ready: [bool; 2]) {
    let mut before = usize::MAX;
    while core.words.len() + core.entries.len() != before {
        before = core.words.len() + core.entries.len();
        (0..1200).for_each(|_| core.step_each(None, ready));
    }
}

/// The records since the last A-Sync.
fn since_last_async(records: &[Record]) -> &[Record] {
    let is_async = |record: &Record| record.kind == Kind::Async;
    &records[records.iter().rposition(is_async).unwrap_or(0)..]
}

#[test]
fn losses_are_reported_and_records_come_out_while_an_overload_lasts() {
    let mut rng = rng(60);
    let traffic = traffic(&mut rng, 75000);
    let mut core = enabled(&traffic);
    // Two words in each cycle of the core.
    for (number, &word) in traffic.port.iter().enumerate() {
        core.burst(word);
        if number % 2 == 1 {
            core.core_cycle([true; 2]);
        }
    }
    let (mut records, mut reported) = (0, Vec::new());
    let mut reader = Reader::new();
    let mut count = |item: Item<'_>| match item {
        Item::Start(_) | Item::Source(_) => {}
        Item::Lost(words) => reported.push(words),
        Item::Record(_) => records += 1,
        Item::Place(_) | Item::Skipped(_) | Item::Gap(_) => panic!("{item:?}"),
    };
    reader.words(&core.words, &mut count);
    // The last packet is not at its end yet.
    reader.finish(|_| ());
    let (words, all) = (traffic.port.len(), traffic.records.len());
    let place = format!("{words} words, {records} of {all} records, losses {reported:?}");
    println!("{place}");
    assert!(!reported.is_empty() && reported[0] > 4000, "{place}");
    assert!(records * 100 > all * 35, "{place}");
}

#[test]
fn a_stream_that_nobody_reads_does_not_stop_the_other_one() {
    for reads in [[false, true], [true, false]]
        .into_iter()
        .take(rounds(1, 2))
    {
        let mut rng = rng(61);
        let traffic = traffic(&mut rng, rounds(12000, 24000));
        let mut core = enabled(&traffic);
        for &word in &traffic.port {
            core.step_each(Some(word), reads);
        }
        drain(&mut core, reads);
        core.snapshot();
        let place = format!("read are {reads:?}");
        assert_eq!(core.register("LOST_WORDS"), 0, "{place}");
        let gaps = ["RECORD_GAPS", "PROFILE_GAPS"].map(|name| core.register(name));
        assert_eq!(gaps, reads.map(|is_read| u32::from(!is_read)), "{place}");

        // The stream that was not read goes on behind a loss, from an A-Sync.
        let before = traffic.port.len() / 2;
        drain(&mut core, [true; 2]);
        for &word in &traffic.port[before..] {
            core.step(Some(word), true);
        }
        core.flush();
        drain(&mut core, [true; 2]);
        let got = StreamContents::read(&core.words);
        let counted = sums(&core.entries).sources.remove(&ID).expect("the source");
        let all = &traffic.records;
        if reads[0] {
            assert!(got.records.starts_with(all), "{place}");
            assert!(counted.losses > 0, "{place}");
        } else {
            assert!(got.records.len() > all.len() / 2, "{place}");
            assert!(!got.losses.is_empty(), "{place}");
        }
        let want = since_last_async(&traffic.records);
        assert_eq!(since_last_async(&got.records), want, "{place}");
    }
}

#[test]
fn a_reset_of_any_length_leaves_nothing_behind() {
    let lengths = [1, 2, 3, 5, 8, 15, 16, 17, 31, 48];
    in_parallel([0, 1], |half| {
        let mut rng = rng(62 + half);
        let traffic = traffic(&mut rng, 400);
        for &length in lengths.iter().skip(half as usize).step_by(2) {
            for _ in 0..rounds(1, 3) {
                let mut core = enabled(&traffic);
                let cut = rng.random_range(60..traffic.port.len());
                let ready = rng.random();
                for &word in &traffic.port[..cut] {
                    core.step(Some(word), ready);
                }
                core.words.clear();
                core.entries.clear();
                core.reset_for(length, true);
                (0..600).for_each(|_| core.step(None, true));
                let place = format!("{length} cycles after {cut} words");
                let sent = (core.words.len(), core.entries.len());
                assert_eq!(sent, (0, 0), "{place}");
                core.snapshot();
                for counter in [
                    "FRAMES",
                    "NULL_DROPS",
                    "UNCLAIMED_DROPS",
                    "LOST_WORDS",
                    "BYTES",
                    "PACKETS",
                    "ASYNCS",
                    "LOSSES",
                    "RESERVED_HEADERS",
                    "BAD_SEQUENCES",
                    "STATUS",
                ] {
                    assert_eq!(core.register(counter), 0, "{counter}, {place}");
                }
            }
        }
    });
}

#[test]
fn a_loss_a_flush_and_an_error_interrupt_until_they_are_cleared() {
    let mut rng = rng(64);
    let traffic = traffic(&mut rng, 300);
    let mut core = enabled(&traffic);
    assert!(core.registers().status().running());
    let all = InterruptEnable::RESET
        .with_loss(true)
        .with_flush_done(true)
        .with_error(true);
    core.registers().set_interrupt_enable(all);
    for &word in &traffic.port {
        core.step(Some(word), true);
    }
    drain(&mut core, [true; 2]);
    assert!(!core.interrupts(), "a good trace");

    // A full sync in mid-frame is a loss, and flipped bits in data bytes make errors.
    let flip = |(number, word): (usize, &u32)| word ^ if number < 100 { 0 } else { 0x5A00_5A00 };
    let broken: Vec<u32> = traffic
        .port
        .iter()
        .take(200)
        .enumerate()
        .map(flip)
        .collect();
    type Cause<'a> = (&'a str, &'a dyn Fn(&mut CoreSim));
    let causes: [Cause<'_>; 3] = [
        ("LOSS", &|core| {
            [FSYNC, 0, FSYNC]
                .iter()
                .for_each(|&word| core.step(Some(word), true))
        }),
        ("FLUSH_DONE", &|core| core.flush()),
        ("ERROR", &|core| {
            broken.iter().for_each(|&word| core.step(Some(word), true))
        }),
    ];
    for (name, cause) in causes {
        cause(&mut core);
        for &word in traffic.port.iter().take(40) {
            core.step(Some(word), true);
        }
        drain(&mut core, [true; 2]);
        let status = core.registers().interrupt_status();
        let is_reported = match name {
            "LOSS" => status.loss(),
            "FLUSH_DONE" => status.flush_done(),
            _ => status.error(),
        };
        assert!(is_reported && core.interrupts(), "{name}: {status:?}");
        core.registers().set_interrupt_status(status);
        (0..4).for_each(|_| core.step(None, true));
        assert!(!core.interrupts(), "{name} is cleared");
    }
}
