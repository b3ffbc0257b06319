// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo faults`: prints `docs/faults.md`. The exit code is 1 if an invariant is broken.

use std::process::ExitCode;

use coretrace_test_faults::report::document;

fn main() -> ExitCode {
    let (text, broken) = document();
    print!("{text}");
    for place in &broken {
        eprintln!("error: {place}");
    }
    if broken.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
