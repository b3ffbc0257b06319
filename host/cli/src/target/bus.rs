// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which bus the accesses of a session go to.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Result;
use clap::Args;

use crate::target::chip::Chip;
use crate::target::machine::Machine;

/// Names the bus, and the folder of the session.
#[derive(Debug, Args)]
pub struct BusArgs {
    /// The bus: `sim` is a simulated chip; conditions follow, such as `sim:claimed=etf1`
    #[arg(long, value_name = "BUS")]
    bus: Name,

    /// The folder with what is needed to undo the session, and with the simulated chip
    #[arg(long, value_name = "FOLDER", default_value = "etm4-session")]
    pub session: PathBuf,
}

impl BusArgs {
    /// Opens the bus.
    ///
    /// # Errors
    /// If a condition cannot be imposed, or the chip cannot be kept.
    pub fn open(&self, chip: &Chip) -> Result<Machine> {
        Machine::open(&self.session, chip, &self.bus.0)
    }
}

/// The simulator with its conditions.
#[derive(Clone, Debug)]
struct Name(Vec<String>);

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Name, String> {
        match text.split_once(':').unwrap_or((text, "")) {
            ("sim", "") => Ok(Name(Vec::new())),
            ("sim", conditions) => Ok(Name(conditions.split(',').map(str::to_owned).collect())),
            _ => Err(format!("there is no bus {text}: sim is a simulated chip")),
        }
    }
}
