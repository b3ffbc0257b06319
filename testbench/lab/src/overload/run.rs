// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture through the core under a load.

use std::cmp::Reverse;

use anyhow::{Result, bail, ensure};
use coretrace_capture::{Capture, Format, SourceStream};
use coretrace_coresight::FSYNC;
use coretrace_decode::tpiu;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Kind, Record, SourceConfig};
use coretrace_pipelines::sim::CoreSim;
use coretrace_streams::{Item, Reader, as_transmitted};
use coretrace_test_gen::rng;
use coretrace_test_simulate::port_words;
use rand::RngExt;

use super::load::{Load, PORT_MHZ};
use crate::throughput::words_of;

/// Frames from one full sync to the next.
const SYNC_FRAMES: usize = 64;
/// Seed of the cycles in which consumers are ready.
const SEED: u64 = 1;

/// The words of a port, and what the model makes of them.
pub struct Traffic {
    words: Vec<u32>,
    trace_id: u8,
    config: SourceConfig,
    /// The records of all laps.
    records: Vec<Record>,
}

/// What came out.
pub struct Outcome {
    /// Words at the port.
    pub words: usize,
    /// Words that the core dropped.
    pub lost_words: usize,
    /// Records of all words.
    pub all_records: usize,
    /// Records that came out.
    pub records: usize,
    /// Losses in the record stream, and those of them before the port rested.
    pub losses: usize,
    pub reported: usize,
}

impl Traffic {
    /// The frames of a capture, some laps of them; with full syncs, if it is a buffer.
    ///
    /// # Errors
    /// If the capture has no frames.
    pub fn new(capture: &Capture, stream: &SourceStream, laps: usize) -> Result<Traffic> {
        let words = match capture.format {
            Format::Raw => bail!("the capture has no frames"),
            Format::Framed(tpiu::Format::Frames) => with_syncs(&capture.bytes, laps),
            Format::Framed(_) => port_words(capture).repeat(laps),
        };
        let mut records = Vec::new();
        let mut model = Decoder::new(stream.config, Policy::Resync);
        for _ in 0..laps {
            model.feed(&stream.bytes, |record| records.push(*record));
        }
        Ok(Traffic {
            words,
            trace_id: stream.id,
            config: SourceConfig {
                protocol: stream.protocol,
                profile: stream.source.profile,
                registers: stream.source.registers,
                lenient: false,
            },
            records: as_transmitted(records),
        })
    }

    /// Drives all words at full rate, then lets the core drain.
    ///
    /// # Errors
    /// If a record is wrong, or the losses do not add up.
    pub fn run(&self, load: &Load) -> Result<Outcome> {
        let mut core = CoreSim::new();
        core.enable(self.trace_id, &self.config, false);
        let mut rng = rng(SEED);
        let mut ready = || rng.random_bool(load.readiness());
        // The edges of both clocks, as multiples of the product of their periods.
        let (mut edges, mut cycles) = (0, 0);
        for &word in &self.words {
            edges += 1;
            core.burst(word);
            while cycles * u64::from(PORT_MHZ) < edges * u64::from(load.core_mhz()) {
                cycles += 1;
                core.core_cycle([ready(); 2]);
            }
        }
        let busy = core.words.len();
        let mut before = 0;
        while core.words.len() + core.entries.len() > before {
            before = core.words.len() + core.entries.len();
            core.drain();
        }
        core.snapshot();
        let lost_words = core.registers().lost_words().count();
        let while_busy = self.read(&core.words[..busy])?;
        let all = self.read(&core.words)?;
        ensure!(
            lost_words >= all.lost_words,
            "{lost_words} words were lost, and {} are reported",
            all.lost_words
        );
        Ok(Outcome {
            words: self.words.len(),
            lost_words: lost_words as usize,
            all_records: self.records.len(),
            records: all.records,
            losses: all.losses,
            reported: while_busy.losses,
        })
    }
}

/// The words of a port with the frames of a buffer, some laps of them.
fn with_syncs(buffer: &[u8], laps: usize) -> Vec<u32> {
    let frames: Vec<&[u8]> = buffer.chunks_exact(16).collect();
    let mut port = Vec::new();
    for (number, frame) in frames.repeat(laps).into_iter().enumerate() {
        if number % SYNC_FRAMES == 0 {
            port.extend(FSYNC.to_le_bytes());
        }
        port.extend(frame);
    }
    words_of(&port)
}

/// What a record stream says.
struct Report {
    records: usize,
    losses: usize,
    lost_words: u32,
}

impl Traffic {
    /// Reads a record stream and compares it with the model: between two losses it has a run of the
    /// model's records.
    fn read(&self, words: &[u32]) -> Result<Report> {
        let mut report = Report {
            records: 0,
            losses: 0,
            lost_words: 0,
        };
        let mut stretches = vec![Vec::new()];
        let mut reader = Reader::new();
        let mut missing = 0;
        let mut take = |item: Item<'_>| match item {
            Item::Start(_) | Item::Source(_) | Item::Place(_) => {}
            Item::Lost(total) => {
                report.losses += 1;
                report.lost_words = total;
                stretches.push(Vec::new());
            }
            Item::Record(record) => stretches.last_mut().expect("one").push(*record),
            Item::Skipped(_) | Item::Gap(_) => missing += 1,
        };
        reader.words(words, &mut take);
        // While the port is busy the last packet is not at its end.
        reader.finish(|_| ());
        ensure!(
            missing == 0,
            "the record stream is damaged in {missing} places"
        );
        let mut rest = &self.records[..];
        for stretch in &stretches {
            rest = behind(rest, stretch)?;
            report.records += stretch.len();
        }
        Ok(report)
    }
}

/// What follows a stretch of records in the list of the model.
///
/// # Errors
/// If the list does not have it.
fn behind<'a>(all: &'a [Record], stretch: &[Record]) -> Result<&'a [Record]> {
    let Some(first) = stretch.first() else {
        return Ok(all);
    };
    ensure!(
        first.kind == Kind::Async,
        "{first:?} comes without an A-Sync"
    );
    // Until then the state may be older than the loss.
    let is_trace_info = |record: &Record| record.kind == Kind::TraceInfo;
    let known = stretch.iter().position(is_trace_info);
    let same = |place: usize| {
        let pairs = all[place..].iter().zip(stretch).enumerate();
        let same = pairs.take_while(|&(number, (want, got))| {
            let is_known = known.is_some_and(|known| number >= known);
            packet(want, is_known) == packet(got, is_known)
        });
        same.count()
    };
    let asyncs = (0..all.len()).filter(|&place| all[place].kind == Kind::Async);
    let best = asyncs.map(|place| (same(place), Reverse(place))).max();
    let (same, Reverse(place)) = best.unwrap_or((0, Reverse(0)));
    let rest = &all[place + same..];
    ensure!(
        same == stretch.len(),
        "record {same} of {} is not the model's: {:?} is not {:?}",
        stretch.len(),
        stretch[same],
        rest.first()
    );
    Ok(rest)
}

/// A record, without the state that it inherits unless that is known.
fn packet(record: &Record, is_known: bool) -> Record {
    let mut packet = *record;
    if !is_known {
        packet.address = Default::default();
        packet.timestamp = 0;
        packet.context = Default::default();
    }
    packet
}
