// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hardware that decodes in place of the model. `etm4` has none; a program that links this crate
//! can supply some.

use anyhow::{Result, bail};
use coretrace_capture::{Capture, SourceStream};
use coretrace_etm::Record;

/// How the hardware is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HardwareKind {
    /// Simulated cycle by cycle.
    Simulation,
    /// Its Verilog in Verilator.
    Verilog,
}

/// Opens hardware by its name.
pub trait Hardware {
    /// The hardware with this name, or a default one.
    ///
    /// # Errors
    /// If there is no such hardware, or it cannot be run.
    fn open(&self, kind: HardwareKind, preset: Option<&str>) -> Result<Box<dyn HardwareEngine>>;
}

/// Hardware that decodes captures.
pub trait HardwareEngine {
    /// Whether the records of a source come before those of the next one.
    fn is_in_order(&self) -> bool;

    /// Decodes the sources of a capture. `sink` gets the index of the source and the record.
    ///
    /// # Errors
    /// If the hardware cannot take this capture, or fails.
    fn decode(
        &self,
        capture: &Capture,
        streams: &[SourceStream],
        lenient: bool,
        sink: &mut dyn FnMut(usize, &Record),
    ) -> Result<()>;
}

/// No hardware: refuses every request.
pub struct NoHardware;

impl Hardware for NoHardware {
    fn open(&self, _: HardwareKind, _: Option<&str>) -> Result<Box<dyn HardwareEngine>> {
        bail!(
            "etm4 decodes with the model alone: the simulated hardware is in etm4-lab, which takes \
             the same arguments"
        )
    }
}
