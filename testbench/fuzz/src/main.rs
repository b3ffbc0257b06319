// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo etm4-fuzz`.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Parser};
use coretrace_pipelines::DecoderTop;
use coretrace_test_fuzz::campaign::Tally;
use coretrace_test_fuzz::flow::VerilogAndWalk;
use coretrace_test_fuzz::long::Stream;
use coretrace_test_fuzz::minimise::minimise;
use coretrace_test_fuzz::opencsd::ModelAndOpenCsd;
use coretrace_test_fuzz::stm::StmAndOpenCsd;
use coretrace_test_fuzz::verilog::{VerilogAndModel, engine};
use coretrace_test_fuzz::walk::Walk;
use coretrace_test_fuzz::{Case, Pair, Verdict, campaign, folder, report};
use coretrace_test_opencsd::OpenCsd;

/// Streams from a seed through two decoders, compared packet by packet.
///
/// The exit code is 1 after a difference, 2 if a decoder cannot be run.
#[derive(Parser)]
#[command(name = "cargo etm4-fuzz")]
enum Cli {
    /// The model against OpenCSD's packet processor.
    #[command(after_help = "Example: cargo etm4-fuzz opencsd --packets 1000000")]
    Opencsd {
        /// Packets to compare.
        #[arg(long, default_value_t = 10_000_000)]
        packets: u64,
        #[command(flatten)]
        cases: Cases,
    },
    /// The model of an STM against OpenCSD's packet processor.
    #[command(after_help = "Example: cargo etm4-fuzz stm --packets 1000000")]
    Stm {
        /// Packets to compare.
        #[arg(long, default_value_t = 10_000_000)]
        packets: u64,
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        from: u64,
    },
    /// The Verilog of a preset, in Verilator, against the model.
    #[command(after_help = "Example: cargo etm4-fuzz verilog --preset etm4_jump_x8")]
    Verilog {
        /// Packets to compare.
        #[arg(long, default_value_t = 1_000_000)]
        packets: u64,
        /// The preset.
        #[arg(long, default_value = "etm4_jump_x4")]
        preset: DecoderTop,
        #[command(flatten)]
        cases: Cases,
    },
    /// One long stream through the Verilog of a preset, in Verilator, against the model.
    #[command(after_help = "Example: cargo etm4-fuzz long --preset etm4_jump_x16")]
    Long {
        /// Bytes of the stream.
        #[arg(long, default_value_t = 100_000_000, value_parser = clap::value_parser!(u64).range(1000..))]
        bytes: u64,
        /// The preset.
        #[arg(long, default_value = "etm4_jump_x4")]
        preset: DecoderTop,
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        from: u64,
    },
    /// Random programs in the Verilog of the blocks that follow them, in Verilator, against the model.
    #[command(after_help = "Example: cargo etm4-fuzz flow --atoms 1000000")]
    Flow {
        /// Atoms to follow.
        #[arg(long, default_value_t = 100_000_000)]
        atoms: u64,
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        from: u64,
    },
    /// Random packets over an image of random words: the program flow alone, for panics and growth.
    #[command(after_help = "Example: cargo etm4-fuzz walk --packets 1000000")]
    Walk {
        /// Packets.
        #[arg(long, default_value_t = 100_000_000)]
        packets: u64,
        /// The seed.
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
}

/// The cases to compare.
#[derive(Args)]
struct Cases {
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Compare only the case of this seed.
    #[arg(long, conflicts_with_all = ["packets", "from", "replay"])]
    seed: Option<u64>,
    /// Compare only the stream of this raw capture, for example one written after a difference.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["packets", "from"])]
    replay: Option<PathBuf>,
    /// Folder for a difference.
    #[arg(long, value_name = "FOLDER", default_value = "target/fuzz")]
    out: PathBuf,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether no difference was found.
fn run(cli: &Cli) -> Result<bool> {
    match cli {
        Cli::Opencsd { packets, cases } => {
            compare(&ModelAndOpenCsd::new(opencsd()?), *packets, cases)
        }
        &Cli::Stm { packets, from } => {
            let pair = StmAndOpenCsd {
                library: opencsd()?,
            };
            compare_seeds(|seed| pair.compare(seed), from, packets)
        }
        Cli::Verilog {
            packets,
            preset,
            cases,
        } => compare(&VerilogAndModel::new(*preset)?, *packets, cases),
        &Cli::Long {
            bytes,
            preset,
            from,
        } => {
            let stream = Stream { from, bytes };
            let figures = stream.compare(&engine(preset)?, stream.records())?;
            print!("{figures}");
            Ok(figures.is_good())
        }
        &Cli::Flow { atoms, from } => {
            let pair = VerilogAndWalk::new()?;
            compare_seeds(|seed| pair.compare(seed), from, atoms)
        }
        &Cli::Walk { packets, seed } => {
            let seen = Walk { seed, packets }.run();
            print!("{seen}");
            Ok(!seen.grows())
        }
    }
}

fn opencsd() -> Result<OpenCsd> {
    OpenCsd::open().context("OpenCSD 1.3 is not installed: install the package libopencsd-dev")
}

/// Compares what seeds give, so much of it, and prints what differs.
fn compare_seeds<T: Tally + Display>(
    compare: impl Fn(u64) -> Result<Verdict<T>> + Sync,
    from: u64,
    amount: u64,
) -> Result<bool> {
    let ended = campaign::run(&compare, from, amount)?;
    print!("{}", ended.totals);
    println!("{} differences", ended.differing.len());
    for &seed in &ended.differing {
        if let Verdict::Different(text) = compare(seed)? {
            print!("seed {seed}: {text}");
        }
    }
    Ok(ended.differing.is_empty())
}

fn compare(pair: &impl Pair, packets: u64, cases: &Cases) -> Result<bool> {
    if let Some(folder) = &cases.replay {
        return compare_one(pair, &folder::read(folder)?, &cases.out.join("replayed"));
    }
    if let Some(seed) = cases.seed {
        return compare_seed(pair, seed, &cases.out);
    }
    let of_seed = |seed| pair.compare(&Case::from_seed(seed));
    let ended = campaign::run(of_seed, cases.from, packets)?;
    print!("{}", ended.totals);
    if ended.totals.legal_hits.iter().any(|&hits| hits > 0) {
        print!("{}", report::faults(&ended.totals));
    }
    println!("{} unexplained differences", ended.differing.len());
    for &seed in &ended.differing {
        compare_seed(pair, seed, &cases.out)?;
    }
    Ok(ended.differing.is_empty())
}

fn compare_seed(pair: &impl Pair, seed: u64, out: &Path) -> Result<bool> {
    println!("seed {seed}");
    compare_one(pair, &Case::from_seed(seed), &out.join(seed.to_string()))
}

/// Compares one case. A difference is minimised, printed and written.
fn compare_one(pair: &impl Pair, case: &Case, out: &Path) -> Result<bool> {
    if let Verdict::Equal(totals) = pair.compare(case)? {
        print!("{totals}");
        return Ok(true);
    }
    let with_bytes = |bytes: &[u8]| Case {
        bytes: bytes.to_vec(),
        ..case.clone()
    };
    let differs = |bytes: &[u8]| {
        let verdict = pair.compare(&with_bytes(bytes));
        verdict.is_ok_and(|verdict| verdict.is_different())
    };
    let small = with_bytes(&minimise(&case.bytes, differs));
    println!(
        "{:?}\nsmallest input: {:02x?}",
        small.set.registers, small.bytes
    );
    if let Verdict::Different(text) = pair.compare(&small)? {
        print!("{text}");
    }
    folder::write(out, &small)?;
    println!("written to {}", out.display());
    Ok(false)
}
