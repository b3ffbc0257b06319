// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is done with clocks.

use clap::Args;
use coretrace_target::Options;

/// The arguments of clocks.
#[derive(Debug, Args)]
pub struct ClockArgs {
    /// Turn on clocks that are off
    #[arg(long)]
    enable_clocks: bool,

    /// The rate of the clock of the trace port, by its divisor: on a Zynq UltraScale+ that of IOPLL, 500 MHz if its boot
    /// is as usual, divided by a whole number. `pattern` measures what it is
    #[arg(long, value_name = "MHZ", requires = "enable_clocks")]
    trace_mhz: Option<u32>,
}

impl ClockArgs {
    /// Options of a plan with these.
    pub fn options(&self) -> Options {
        Options {
            enable_clocks: self.enable_clocks,
            trace_mhz: self.trace_mhz,
            ..Options::default()
        }
    }
}
