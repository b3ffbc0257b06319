// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4-lab overload`: what comes out of the core while its port is faster than it can take.

use std::fmt::Write;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;
use coretrace_capture::{Capture, source_streams};
use etm4_cli::output::Output;

mod load;
mod run;

use load::Load;
use run::{Outcome, Traffic};

/// Drive a capture into the core faster than it can take, and count what comes out
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  etm4-lab overload testbench/traces/framed                   every load
  etm4-lab overload CAPTURE --load 200MHz --load 10%          some of them

The frames of the capture are driven into the port at 250 MHz without a gap, with a full sync before
every 64th frame if the capture is a buffer. A load is a clock of the core, or the share of cycles, at random, in which the
consumers take a beat while the core has the clock of the port.

The source with the most bytes is decoded. A record is right if it is the model's for the words that the core took; every record is compared.
\"reported\" are the losses in the record stream before the port rests.")]
pub struct OverloadArgs {
    /// A capture folder with frames
    capture: PathBuf,

    /// How often the capture is repeated
    #[arg(long, value_name = "N", default_value_t = 4)]
    laps: usize,

    /// One load only, such as 200MHz or 10%; may be repeated
    #[arg(long, value_name = "LOAD", value_parser = str::parse::<Load>)]
    load: Vec<Load>,
}

/// Runs the command.
///
/// # Errors
/// If the capture has no frames or no source, or a record is wrong.
pub fn run(args: &OverloadArgs) -> Result<()> {
    let capture = Capture::open(&args.capture)?;
    let streams = source_streams(&capture).into_iter();
    let Some(stream) = streams.max_by_key(|stream| stream.bytes.len()) else {
        bail!(
            "{} has no source that can be decoded",
            args.capture.display()
        );
    };
    let traffic = Traffic::new(&capture, &stream, args.laps)?;
    let loads = match &args.load[..] {
        [] => &Load::ALL[..],
        some => some,
    };
    let outcomes = measure(&traffic, loads)?;
    let mut out = Output::new();
    writeln!(
        out.text,
        "{:<12} {:>9} {:>7} {:>9} {:>8} {:>7} {:>9}",
        "load", "words", "lost", "records", "come out", "losses", "reported"
    )?;
    for (load, outcome) in loads.iter().zip(outcomes) {
        writeln!(
            out.text,
            "{:<12} {:>9} {:>6.1}% {:>9} {:>7.1}% {:>7} {:>9}",
            load.to_string(),
            outcome.words,
            percent(outcome.lost_words, outcome.words),
            outcome.records,
            percent(outcome.records, outcome.all_records),
            outcome.losses,
            outcome.reported
        )?;
    }
    out.finish();
    Ok(())
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

/// The outcomes of all loads, each in a thread of its own.
fn measure(traffic: &Traffic, loads: &[Load]) -> Result<Vec<Outcome>> {
    thread::scope(|scope| {
        let runs: Vec<_> = loads
            .iter()
            .map(|load| scope.spawn(move || traffic.run(load)))
            .collect();
        runs.into_iter()
            .zip(loads)
            .map(|(run, load)| {
                let outcome = run.join().expect("a run does not panic");
                outcome.with_context(|| load.to_string())
            })
            .collect()
    })
}
