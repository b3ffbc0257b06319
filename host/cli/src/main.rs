// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `etm4` command line tool.

use std::process::ExitCode;

fn main() -> ExitCode {
    etm4_cli::main()
}
