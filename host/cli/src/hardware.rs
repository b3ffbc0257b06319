// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hardware that decodes in place of the model. `etm4` has none; a program that links this crate
//! can supply some.

use anyhow::{Result, bail};
use coretrace_capture::{Capture, SourceStream};
use coretrace_etm::Record;
use coretrace_target::Topology;
use coretrace_target_sim::SimulatedChip;

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

    /// A simulated chip after reset, whose cores behind trace ports are the hardware.
    ///
    /// # Errors
    /// If there is no such hardware.
    fn chip(&self, topology: &Topology) -> Result<Box<dyn SimulatedChip>>;
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

/// Why.
const NONE: &str = "etm4 has the model alone: the simulated hardware is in etm4-lab, which takes the same arguments";

impl Hardware for NoHardware {
    fn open(&self, _: HardwareKind, _: Option<&str>) -> Result<Box<dyn HardwareEngine>> {
        bail!(NONE)
    }

    fn chip(&self, _: &Topology) -> Result<Box<dyn SimulatedChip>> {
        bail!(NONE)
    }
}
