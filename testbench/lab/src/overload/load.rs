// SPDX-License-Identifier: MIT OR Apache-2.0
//! What makes a core too slow for its port.

use std::fmt;
use std::str::FromStr;

/// The clock of the port in MHz.
pub const PORT_MHZ: u32 = 250;

/// What makes a core too slow for its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// A clock of the core, in MHz; the consumers are always ready.
    Clock(u32),
    /// The share of cycles, in percent, in which the consumers are ready; one clock for all.
    Ready(u32),
}

impl Load {
    /// The rows of the table in the results.
    pub const ALL: [Load; 7] = [
        Load::Clock(240),
        Load::Clock(225),
        Load::Clock(200),
        Load::Clock(150),
        Load::Ready(20),
        Load::Ready(10),
        Load::Ready(5),
    ];

    /// The clock of the core in MHz.
    pub fn core_mhz(self) -> u32 {
        match self {
            Load::Clock(mhz) => mhz,
            Load::Ready(_) => PORT_MHZ,
        }
    }

    /// How likely the consumers take a beat in a cycle.
    pub fn readiness(self) -> f64 {
        match self {
            Load::Clock(_) => 1.0,
            Load::Ready(percent) => f64::from(percent) / 100.0,
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Load::Clock(mhz) => write!(f, "aclk {mhz}MHz"),
            Load::Ready(percent) => write!(f, "TREADY {percent}%"),
        }
    }
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> Result<Load, String> {
        let load = if let Some(mhz) = text.strip_suffix("MHz") {
            mhz.parse().ok().filter(|mhz| *mhz > 0).map(Load::Clock)
        } else if let Some(percent) = text.strip_suffix('%') {
            let percent = percent.parse().ok();
            percent
                .filter(|percent| (1..=100).contains(percent))
                .map(Load::Ready)
        } else {
            None
        };
        load.ok_or_else(|| "write a clock of the core, 200MHz, or a share of cycles, 10%".into())
    }
}
