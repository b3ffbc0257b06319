// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 throughput`: bytes per cycle of the simulated hardware on worst-case streams.

use std::fmt::Write;

use anyhow::Result;
use clap::Args;
use coretrace_pipelines::Preset;
use coretrace_pipelines::package::core::CORE;
use coretrace_pipelines::sim::DRAIN_CYCLES;
use coretrace_test_gen::{WorstCase, rng};

use etm4_cli::output::Output;

mod compressor;
mod core;
mod flow;
mod port;
mod programs;
mod recompressor;
mod row;
mod source;

use compressor::compressor_rows;
use core::core_row;
use flow::flow_rows;
use port::port_row;
use programs::{ProgramArgs, program_tables};
use recompressor::recompressor_rows;
pub use row::words_of;
use source::{masked_stream, source_row};

fn after_help() -> String {
    format!(
        "\
Examples:
  etm4-lab throughput                                        every preset, and the core
  etm4-lab throughput --preset etm4_x4 --bytes 100000        a longer run
  etm4-lab throughput --preset flow_core --instructions 100000

Each stream is driven into the simulated hardware at full rate: one word per cycle, without
back-pressure. B/cycle is the number of input bytes over the number of input cycles, including bytes
whose keep bit is 0. A row is printed only if the hardware kept up: every packet equals the model's,
the last one is output at most {DRAIN_CYCLES} cycles after the last word, and if all words are full,
there are results in every cycle. For {CORE} both output streams are always ready, its registers
count no lost word, and the records of its stream equal the model's. The clock is an assumption.

The rows of flow_core are of random programs that branch all the time, more than a core does: walked,
skipped and dropped are atoms, and rows the most that waited for the walker, of 511. A row is printed only if
every loss is reported in its stream, once the trace has begun again behind it.

Then come programs that ran: branch traces, of which a model of the trace unit of a Cortex-A53 makes
streams. The trace of n instructions comes when the core has executed them. hops/cyc are the taken
branches in a cycle of one walker, load is the share of the cycles that it needs, rows the most that
waited for a walker. rows4 are those if bytes wait until there are four, as at a trace port; rows2 those
of two walkers that take turns by segment, the atoms from an address to the next one. In front of walkers there is a model of their queues, which tests compare
with the simulated hardware in each cycle. A second table has stretches of the programs in simulated
blocks with a FIFO of 127 rows; broadcast is a trace with the target of every taken branch.

The rows of trace_compressor are of as many events as --bytes says: conditional branches with random
outcomes, indirect ones to targets that are always new, a random program, and the first events of the
branch traces, at a quarter, a half, three quarters and all of the cycles. Every event is kept or
counted as lost; waiting are the most that waited, and bits those of the records for each event kept.

The rows of etm4_recompressor are of random programs at the full rate of the port, as those of flow_core:
kept and lost are events, dropped atoms. A row is printed only if every loss is reported.

With keep patterns, some bytes of most words are not valid: every pattern of up to eight lanes. For
sixteen lanes these are too many; \"many\" are the empty pattern, every run of adjacent lanes, and
eight random ones for every number of lanes."
    )
}

/// Drive worst-case streams into the hardware and count
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct ThroughputArgs {
    /// One preset only
    #[arg(long, value_name = "NAME", value_parser = str::parse::<Preset>)]
    preset: Option<Preset>,

    /// Bytes of each stream, at least
    #[arg(long, value_name = "N", default_value_t = 16384)]
    bytes: usize,

    /// Seed of the streams
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    programs: ProgramArgs,
}

/// Runs the command.
///
/// # Errors
/// If the hardware reports other packets than the model, or full words in every cycle do not give
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
        match preset {
            Preset::FlowCore => {
                flow_rows(preset, 1, &mut out, &mut rng, args.bytes)?;
                program_tables(&mut out, &args.programs)?;
                continue;
            }
            Preset::FlowCoreX2 => {
                flow_rows(preset, 2, &mut out, &mut rng, args.bytes)?;
                continue;
            }
            Preset::TraceCompressor
            | Preset::TraceCompressorX1
            | Preset::TraceCompressorM4
            | Preset::TraceCompressorRBase => {
                compressor_rows(preset, &mut out, &mut rng, args.bytes)?;
                continue;
            }
            Preset::Recompressor => {
                recompressor_rows(&mut out, args.bytes)?;
                continue;
            }
            // What they do with their first source is what etm4_core does.
            Preset::Etm4CoreStm | Preset::Etm4CoreItm => continue,
            // It takes a byte or an atom per cycle, whatever the stream.
            Preset::RecompressorXe => continue,
            _ => {}
        }
        for worst_case in WorstCase::ALL {
            let stream = worst_case.name();
            let row = match preset {
                Preset::Etm4CoreStm
                | Preset::Etm4CoreItm
                | Preset::FlowCore
                | Preset::FlowCoreX2
                | Preset::TraceCompressor
                | Preset::TraceCompressorX1
                | Preset::TraceCompressorM4
                | Preset::TraceCompressorRBase
                | Preset::Recompressor
                | Preset::RecompressorXe => unreachable!("it has no rows, or rows of its own"),
                Preset::Etm4Core => core_row(stream, worst_case, &mut rng, args.bytes),
                Preset::Decoder(top) if top.takes_frames() => {
                    port_row(top, stream, worst_case, &mut rng, args.bytes)
                }
                Preset::Decoder(top) => {
                    source_row(top, stream, worst_case, false, &mut rng, args.bytes)
                }
            };
            row?.print(&mut out)?;
        }
        if let Preset::Decoder(top) = preset
            && top.bytes_per_cycle() > 1
            && !top.takes_frames()
        {
            let stream = masked_stream(top.bytes_per_cycle());
            source_row(top, stream, WorstCase::AllTypes, true, &mut rng, args.bytes)?
                .print(&mut out)?;
        }
    }
    out.finish();
    Ok(())
}
