// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo faults`: prints `docs/faults.md`. The exit code is 1 if an invariant is broken.
//!
//! `cargo faults tables [BRANCH TRACE...]`: prints whether wrong bits in flow tables are reported. The
//! exit code is 1 if fewer than 99 % are.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use coretrace_test_faults::{report, tables};

fn main() -> Result<ExitCode> {
    let mut args = std::env::args().skip(1);
    if args.next().is_some_and(|arg| arg == "tables") {
        let mut files: Vec<PathBuf> = args.map(PathBuf::from).collect();
        if files.is_empty() {
            files = tables::shipped();
        }
        let (text, all_reported) = tables::document(&files)?;
        print!("{text}");
        return Ok(ExitCode::from(u8::from(!all_reported)));
    }
    let (text, broken) = report::document();
    print!("{text}");
    for place in &broken {
        eprintln!("error: {place}");
    }
    Ok(ExitCode::from(u8::from(!broken.is_empty())))
}
