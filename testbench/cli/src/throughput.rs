// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 throughput`: what the simulated hardware takes per cycle on the hardest streams.

use std::fmt::Write;

use anyhow::{Result, ensure};
use clap::Args;
use etm4_gen::{Framing, Mix, RegisterSet, Rng, frame_streams, rng};
use etm4_model::tpiu::{Deframer, Demux, Format, RunEvent};
use etm4_model::{Decoder, Policy};
use etm4_pipelines::engine::{full_words, simulate_port, simulate_source};
use etm4_pipelines::tpiu_etm4_x4::SOURCES;
use etm4_pipelines::{Collector, InputWord, PortSource, Preset, SourceConfig};
use etm4_protocol::Record;
use etm4_protocol::tpiu::TraceId;

use crate::output::Output;
use crate::progress::Progress;

/// The clock of the last column: the trace port's of a Zynq UltraScale+.
const CLOCK_MHZ: f64 = 250.0;

/// The stream that goes through all keep masks.
const EVERY_MASK: &str = "every keep pattern";

const EXAMPLES: &str = "\
Examples:
  etm4 throughput                                        every preset
  etm4 throughput --preset etm4_x4 --bytes 100000        a longer run

Each stream is driven into the simulated hardware at full width, a word in every cycle, and every
packet that comes out is compared with the model's. The rate is counted in simulated cycles; the
clock is an assumption.";

/// Drive worst-case streams into the hardware and count
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
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
    /// Cycles from the first word to the last one.
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
            "{:<13} {:<20} {:>9} {:>9} {:>8.3} {:>9.0} {:>9} {:>8}",
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
/// If the hardware drops a byte, takes less than its width in a cycle, or gives another packet
/// than the model.
pub fn run(args: &ThroughputArgs) -> Result<()> {
    let mut out = Output::new();
    writeln!(
        out.text,
        "{:<13} {:<20} {:>9} {:>9} {:>8} {:>9} {:>9} {:>8}",
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
            source_row(
                preset,
                EVERY_MASK,
                Mix::AllTypes,
                true,
                &mut rng,
                args.bytes,
            )?
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

/// Words whose keep masks go through all patterns, again and again.
fn masked_words(lanes: usize, mut bytes: &[u8]) -> Vec<InputWord> {
    let mut words = Vec::new();
    for keep in (0..1 << lanes).cycle() {
        let mut word = InputWord::default();
        for lane in (0..lanes).filter(|lane| keep >> lane & 1 == 1) {
            let Some((&byte, rest)) = bytes.split_first() else {
                return words;
            };
            word.data |= u32::from(byte) << (8 * lane);
            word.keep |= 1 << lane;
            bytes = rest;
        }
        words.push(word);
    }
    words
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
        masked_words(lanes, &bytes)
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
    let mut collector = Collector::new(false);
    let mut span: Option<(u64, u64)> = None;
    let mut progress = Progress::new(stream, words.len() as u64);
    simulate_source(
        preset,
        &source_config(&set),
        words.iter().copied().map(Some),
        |cycle, word| {
            progress.part(cycle);
            span = Some((span.map_or(cycle, |(first, _)| first), cycle));
            collector.word(word, |record| got.push(*record));
        },
    );
    collector.finish(|offset| bytes[offset as usize], |record| got.push(*record));
    check(stream, &got, &want)?;
    let (first, last) = span.unwrap_or_default();
    let cycles = last - first + 1;
    let accounted: u64 = got.iter().map(|record| record.len).sum();
    let row = Row {
        preset,
        stream,
        bytes: (words.len() * lanes) as u64,
        cycles,
        packets: got.len() as u64,
        dropped: u64::from(kept) - accounted,
    };
    ensure!(
        row.bytes == cycles * lanes as u64,
        "{stream}: {cycles} cycles for {} words",
        words.len()
    );
    Ok(row)
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
    let mut collectors = vec![Collector::new(false); SOURCES];
    let mut progress = Progress::new(stream, words.len() as u64);
    let status = simulate_port(
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
