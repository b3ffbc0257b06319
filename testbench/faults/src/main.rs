// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo faults`: prints `docs/faults.md`. Ends with 1 if something is not as it has to be.

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
