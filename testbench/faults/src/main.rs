// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo faults`: prints `docs/faults.md`. The exit code is 1 if an invariant is broken.
//!
//! `cargo faults tables [BRANCH TRACE...]`: prints whether wrong bits in flow tables are reported, and wrong images
//! and traces. The exit code is 1 if fewer than 99 % of the bits are.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use coretrace_test_faults::{program, report, tables, wrong};

/// Instructions of each branch trace.
const INSTRUCTIONS: u64 = 300_000;

fn main() -> Result<ExitCode> {
    let mut args = std::env::args().skip(1);
    if args.next().is_some_and(|arg| arg == "tables") {
        let mut files: Vec<PathBuf> = args.map(PathBuf::from).collect();
        if files.is_empty() {
            files = program::shipped();
        }
        let programs = program::programs(&files, INSTRUCTIONS)?;
        let (text, all_reported) = tables::document(&programs)?;
        print!("{text}\n{}", wrong::document(&programs)?);
        return Ok(ExitCode::from(u8::from(!all_reported)));
    }
    let (text, broken) = report::document();
    print!("{text}");
    for place in &broken {
        eprintln!("error: {place}");
    }
    Ok(ExitCode::from(u8::from(!broken.is_empty())))
}
