// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target plan`: every access of a start, and of the read-out of a buffer, before it is made.

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use coretrace_target::{explain, json, shell, text};

use crate::error::Outcome;
use crate::output::Output;
use crate::target::wish::{Wish, WishArgs};

/// Print every access of a start, in its order, and how a capture reads a trace buffer at its end
#[derive(Debug, Args)]
pub struct PlanArgs {
    #[command(flatten)]
    wish: WishArgs,

    /// Say what each rule asks for, and why
    #[arg(long)]
    explain: bool,

    /// How the steps are written
    #[arg(long, value_enum, default_value_t)]
    format: PlanFormat,
}

/// How steps are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PlanFormat {
    /// A line for each step
    #[default]
    Text,
    /// A JSON object for each step
    Json,
    /// A shell script that makes the accesses by `devmem`
    Devmem,
}

/// Runs the command.
///
/// # Errors
/// If there is no plan.
pub fn run(args: &PlanArgs) -> Result<Outcome> {
    ensure!(
        !args.explain || args.format == PlanFormat::Text,
        "--explain is for text: leave out --format"
    );
    let Wish { chip, plan, .. } = args.wish.plan()?;
    let end = plan.read_out(&chip.topology);
    let steps = [plan.steps, end].concat();
    let mut output = Output::new();
    output.text = match args.format {
        PlanFormat::Text if args.explain => explain(&steps),
        PlanFormat::Text => text(&steps),
        PlanFormat::Json => json(&steps),
        PlanFormat::Devmem => shell(&chip.topology, &steps),
    };
    output.finish();
    Ok(Outcome::Complete)
}
