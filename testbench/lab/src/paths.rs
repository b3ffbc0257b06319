// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4-lab paths`: a model of caches of paths in front of walkers.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_test_gen::btr::files::{WORKLOADS, name, read, traces};
use etm4_cli::output::Output;

mod engine;
mod segments;
mod setup;

use engine::{Engine, Taken};
use segments::Segments;
use setup::{Setup, SetupArgs};

/// Follow programs by paths that are known, many bytes of their trace in a cycle
#[derive(Debug, Args)]
#[command(after_help = "\
Examples, from the root of the repository:
  etm4-lab paths                               16 bytes in a cycle
  etm4-lab paths --small                       4 bytes in a cycle
  etm4-lab paths --entries 8192 --packets 4    other caches
  etm4-lab paths --in-turns --own              lanes that know nothing of each other

Everything is modelled. A path is a site and the atom packets from there on, up to some packets or to
the next address. A path that is known is one step of a lane; any other one is walked, a hop in a cycle.
A trace comes at full rate. slowdown is the time until its last path for the time until its last byte,
and bytes the most that waited. Cold is from empty caches, warm the same trace again. Of every
program the branches that were taken are those of a walk, or it is an error.")]
pub struct PathArgs {
    /// Folder of branch traces
    #[arg(default_value = WORKLOADS)]
    workloads: PathBuf,

    /// Instructions of each branch trace, at most
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    instructions: u64,

    #[command(flatten)]
    setup: SetupArgs,
}

/// Runs the command.
///
/// # Errors
/// If a file is no branch trace, or a sum is not that of the walk.
pub fn run(args: &PathArgs) -> Result<()> {
    let setup = args.setup.setup();
    let Setup {
        bytes,
        lanes,
        in_turns,
        fills_all,
        entries,
        ways,
        replacement,
        contexts,
        walkers,
        packets,
        latency,
    } = setup;
    let turns = if in_turns { " in turns" } else { "" };
    let caches = if fills_all {
        "caches that are filled together"
    } else {
        "caches of their own"
    };
    let mut out = Output::new();
    writeln!(
        out.text,
        "modelled: {bytes} bytes in a cycle, {lanes} lanes{turns}, {entries} entries in {caches} and sets of {ways} ({replacement:?}), \
         {contexts} segments in turns, {walkers} walkers, {packets} packets in a path, {latency} cycles to the next one\n\n\
         {:<24} {:>10} {:>9} {:>9} | {:>8} {:>8} {:>8} {:>8} | {:>8} {:>8} {:>8}",
        "program",
        "instr",
        "bytes",
        "looks/cyc",
        "warm hit",
        "slowdown",
        "bytes",
        "evicted",
        "cold hit",
        "slowdown",
        "bytes"
    )?;
    let mut summary = Summary::default();
    for file in traces(&args.workloads)? {
        let trace = read(&file)?.prefix(args.instructions);
        let program = Segments::new(&trace)?;
        let mut engine = Engine::new(&program, setup);
        let (cold, warm) = (engine.run(), engine.run());
        engine.count();
        let mut sums = engine.taken.iter().zip(&program.counts.taken);
        ensure!(
            sums.all(|(taken, once)| *taken == 2 * once),
            "{}: a sum is not that of the walk",
            name(&file)
        );
        let arrival = program.bytes as f64 / bytes as f64;
        let slowdown = |took: &Taken| took.cycles as f64 / arrival;
        summary.add(slowdown(&warm), slowdown(&cold), &warm);
        let hit = |took: &Taken| took.known as f64 / took.looks.max(1) as f64;
        writeln!(
            out.text,
            "{:<24} {:>10} {:>9} {:>9.2} | {:>8.5} {:>8.3} {:>8} {:>8} | {:>8.5} {:>8.3} {:>8}",
            name(&file),
            program.instructions,
            program.bytes,
            warm.looks as f64 / arrival,
            hit(&warm),
            slowdown(&warm),
            warm.most_bytes,
            warm.most_evicted,
            hit(&cold),
            slowdown(&cold),
            cold.most_bytes
        )?;
        out.flush();
    }
    summary.print(&mut out)?;
    out.finish();
    Ok(())
}

/// All programs together.
#[derive(Debug, Default)]
struct Summary {
    programs: usize,
    /// Warm and cold.
    within: [usize; 2],
    worst: [f64; 2],
    most_bytes: u64,
}

/// The slowdowns that the design asks for, warm and cold.
const LIMITS: [f64; 2] = [1.02, 1.05];

impl Summary {
    fn add(&mut self, warm: f64, cold: f64, took: &Taken) {
        self.programs += 1;
        for (run, slowdown) in [warm, cold].into_iter().enumerate() {
            self.within[run] += usize::from(slowdown <= LIMITS[run]);
            self.worst[run] = self.worst[run].max(slowdown);
        }
        self.most_bytes = self.most_bytes.max(took.most_bytes);
    }

    fn print(&self, out: &mut Output) -> Result<()> {
        let Summary {
            programs,
            within: [warm, cold],
            worst: [warmest, coldest],
            most_bytes,
        } = self;
        writeln!(
            out.text,
            "\nof {programs} programs: {warm} warm within {}, worst {warmest:.3}, most bytes {most_bytes}; \
             {cold} cold within {}, worst {coldest:.3}",
            LIMITS[0], LIMITS[1]
        )?;
        Ok(())
    }
}
