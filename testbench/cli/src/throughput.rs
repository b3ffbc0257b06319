// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 throughput`: what the simulated hardware takes per cycle on the hardest streams.

use std::fmt::Write;

use anyhow::{Result, ensure};
use clap::Args;
use etm4_gen::{
    Framing, MAX_LANES_OF_EVERY_MASK, Mix, RegisterSet, Rng, frame_streams, keep_masks, rng,
};
use etm4_model::tpiu::{Deframer, Demux, Format, RunEvent};
use etm4_model::{Decoder, Policy};
use etm4_pipelines::engine::{DRAIN_CYCLES, full_words, simulate_port, simulate_source};
use etm4_pipelines::{Collector, InputWord, PortSource, Preset, SOURCES, SourceConfig};
use etm4_protocol::Record;
use etm4_protocol::tpiu::TraceId;

use crate::output::Output;
use crate::progress::Progress;

/// The clock of the last column: the trace port's of a Zynq UltraScale+.
const CLOCK_MHZ: f64 = 250.0;

/// The name of the stream with the masks of `etm4_gen::keep_masks`.
const fn masked_stream(lanes: usize) -> &'static str {
    if lanes <= MAX_LANES_OF_EVERY_MASK {
        "every keep pattern"
    } else {
        "many keep patterns"
    }
}

fn after_help() -> String {
    format!(
        "\
Examples:
  etm4 throughput                                        every preset
  etm4 throughput --preset etm4_x4 --bytes 100000        a longer run

Each stream is driven into the simulated hardware at full width: a word goes in in every cycle, and
nothing can refuse it. B/cycle is bytes at the input over cycles of the input; bytes that do not
count are among them. A row stands there only if the hardware has kept up: every packet is the
model's, the last one is out {DRAIN_CYCLES} cycles after the last word at the latest, and where all bytes
count, results come out in every cycle without a gap. The clock is an assumption.

With keep patterns, some bytes of most words do not count: every pattern of up to eight lanes. Those
of sixteen lanes are too many, so that \"many\" are none, every run of neighbours, and eight random ones
for every number of lanes."
    )
}

/// Drive worst-case streams into the hardware and count
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct ThroughputArgs {
    /// One preset only
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,

    /// Bytes of each stream, at least
    #[arg(long, value_name = "N", default_value_t = 16384)]
    bytes: usize,

    /// Seed of the streams
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// What a preset did with one stream.
struct Row {
    preset: Preset,
    stream: &'static str,
    /// Bytes at the input, those that no keep bit covers included.
    bytes: u64,
    /// Cycles from the first word at the input to the last one, a word in each.
    cycles: u64,
    packets: u64,
    /// Bytes that went in and stand in no record.
    dropped: u64,
}

impl Row {
    fn print(&self, out: &mut Output) -> Result<()> {
        let rate = self.bytes as f64 / self.cycles as f64;
        writeln!(
            out.text,
            "{:<18} {:<20} {:>9} {:>9} {:>8.3} {:>9.0} {:>9} {:>8}",
            self.preset.name(),
            self.stream,
            self.bytes,
            self.cycles,
            rate,
            rate * CLOCK_MHZ,
            self.packets,
            self.dropped
        )?;
        Ok(())
    }
}

/// Runs the command.
///
/// # Errors
/// If the hardware gives other packets than the model, or full words in every cycle do not give
/// results in every cycle.
pub fn run(args: &ThroughputArgs) -> Result<()> {
    let mut out = Output::new();
    writeln!(
        out.text,
        "{:<18} {:<20} {:>9} {:>9} {:>8} {:>9} {:>9} {:>8}",
        "preset", "stream", "bytes", "cycles", "B/cycle", "MB/s@250", "packets", "dropped"
    )?;
    let presets = args
        .preset
        .map_or(Preset::ALL.to_vec(), |preset| vec![preset]);
    for preset in presets {
        let mut rng = rng(args.seed);
        let mixes = Mix::ALL.map(|mix| (mix.name(), mix));
        for (stream, mix) in mixes {
            let row = if preset.takes_frames() {
                port_row(preset, stream, mix, &mut rng, args.bytes)?
            } else {
                source_row(preset, stream, mix, false, &mut rng, args.bytes)?
            };
            row.print(&mut out)?;
        }
        if preset.bytes_per_cycle() > 1 && !preset.takes_frames() {
            let stream = masked_stream(preset.bytes_per_cycle());
            source_row(preset, stream, Mix::AllTypes, true, &mut rng, args.bytes)?
                .print(&mut out)?;
        }
    }
    out.finish();
    Ok(())
}

/// The trace unit of the streams: everything is on, so every packet type can come.
fn register_set() -> RegisterSet {
    RegisterSet::by_name("v46-all").expect("a named set")
}

fn source_config(set: &RegisterSet) -> SourceConfig {
    SourceConfig {
        protocol: set.protocol,
        profile: set.profile,
        registers: set.registers,
        lenient: false,
    }
}

/// Words whose keep masks go through all masks, again and again.
fn masked_words(lanes: usize, masks: &[u32], mut bytes: &[u8]) -> Vec<InputWord> {
    let mut words = Vec::new();
    for &keep in masks.iter().cycle() {
        let mut word = InputWord::default();
        for lane in (0..lanes).filter(|lane| keep >> lane & 1 == 1) {
            let Some((&byte, rest)) = bytes.split_first() else {
                return words;
            };
            word.data |= u128::from(byte) << (8 * lane);
            word.keep |= 1 << lane;
            bytes = rest;
        }
        words.push(word);
    }
    words
}

/// Whether result words come out in cycles that follow each other.
fn is_without_gap(cycles: &[u64]) -> bool {
    cycles.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

fn check(stream: &str, got: &[Record], want: &[Record]) -> Result<()> {
    for (got, want) in got.iter().zip(want) {
        ensure!(
            got == want,
            "{stream}: the hardware differs from the model at offset {}: {got:?} is not {want:?}",
            want.offset
        );
    }
    ensure!(
        got.len() == want.len(),
        "{stream}: the hardware gives {} records, the model {}",
        got.len(),
        want.len()
    );
    Ok(())
}

fn source_row(
    preset: Preset,
    stream: &'static str,
    mix: Mix,
    masked: bool,
    rng: &mut Rng,
    bytes: usize,
) -> Result<Row> {
    let set = register_set();
    let lanes = preset.bytes_per_cycle();
    let mut bytes = mix.stream(rng, &set.config(), bytes).bytes;
    bytes.truncate(bytes.len() / lanes * lanes);
    let words: Vec<InputWord> = if masked {
        masked_words(lanes, &keep_masks(rng, lanes), &bytes)
    } else {
        full_words(lanes, &bytes).collect()
    };
    let kept: u32 = words.iter().map(|word| word.keep.count_ones()).sum();
    bytes.truncate(kept as usize);

    let mut want = Vec::new();
    let mut model = Decoder::new(set.config(), Policy::Resync);
    model.feed(&bytes, |record| want.push(*record));
    model.finish(|record| want.push(*record));

    let mut got = Vec::new();
    let mut collector = Collector::new(set.config(), false);
    let mut result_cycles = Vec::new();
    let mut progress = Progress::new(stream, words.len() as u64);
    simulate_source(
        preset,
        &source_config(&set),
        words.iter().copied().map(Some),
        |cycle, word| {
            progress.part(cycle);
            result_cycles.push(cycle);
            collector.word(word, |record| got.push(*record));
        },
    );
    collector.finish(|offset| bytes[offset as usize], |record| got.push(*record));
    check(stream, &got, &want)?;
    ensure!(
        masked || (result_cycles.len() == words.len() && is_without_gap(&result_cycles)),
        "{stream}: {} result words for {} full words in a row, or a gap between them",
        result_cycles.len(),
        words.len()
    );
    let accounted: u64 = got.iter().map(|record| record.len).sum();
    Ok(Row {
        preset,
        stream,
        bytes: (words.len() * lanes) as u64,
        cycles: words.len() as u64,
        packets: got.len() as u64,
        dropped: u64::from(kept) - accounted,
    })
}

/// Four sources of the mix in frames, words at the port without a gap.
fn port_row(
    preset: Preset,
    stream: &'static str,
    mix: Mix,
    rng: &mut Rng,
    bytes: usize,
) -> Result<Row> {
    let set = register_set();
    let ids = [0x10, 0x11, 0x12, 0x13].map(|id| TraceId::new(id).expect("an ID"));
    let streams = ids.map(|_| mix.stream(rng, &set.config(), bytes / SOURCES).bytes);
    let parts: Vec<(TraceId, &[u8])> = ids
        .into_iter()
        .zip(streams.iter().map(Vec::as_slice))
        .collect();
    let port = frame_streams(
        rng,
        &parts,
        &Framing {
            full_sync: 0.05,
            ..Framing::BUFFER
        },
    );

    let mut want = vec![Vec::new(); SOURCES];
    let mut models = vec![Decoder::new(set.config(), Policy::Resync); SOURCES];
    let mut demux = Demux::new(ids);
    Deframer::new(Format::TpiuFsync).feed(&port, |event| {
        if let RunEvent::Run(run) = event
            && let Some(id) = demux.route(&run)
        {
            let source = usize::from(id.value() - ids[0].value());
            models[source].feed(run.bytes, |record| want[source].push(*record));
        }
    });

    let sources: Vec<PortSource> = ids
        .iter()
        .map(|id| PortSource {
            trace_id: id.value(),
            config: source_config(&set),
        })
        .collect();
    let words: Vec<u32> = port
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let mut got = vec![Vec::new(); SOURCES];
    let mut collectors = vec![Collector::new(set.config(), false); SOURCES];
    let mut progress = Progress::new(stream, words.len() as u64);
    let status = simulate_port(
        preset,
        &sources,
        words.iter().copied().map(Some),
        |source, cycle, word| {
            progress.part(cycle);
            collectors[source].word(word, |record| got[source].push(*record));
        },
    );
    ensure!(
        status.sync_losses == 0,
        "{stream}: the frame generator lost sync"
    );
    for (got, want) in got.iter().zip(&want) {
        check(stream, got, want)?;
    }
    let put_in: u64 = streams.iter().map(|stream| stream.len() as u64).sum();
    let accounted: u64 = got.iter().flatten().map(|record| record.len).sum();
    Ok(Row {
        preset,
        stream,
        bytes: port.len() as u64,
        cycles: words.len() as u64,
        packets: got.iter().map(|records| records.len() as u64).sum(),
        dropped: put_in - accounted,
    })
}
