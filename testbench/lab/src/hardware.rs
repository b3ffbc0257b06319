// SPDX-License-Identifier: MIT OR Apache-2.0
//! Presets as decoders for `packets`, and the core for the chips of `target`.

use anyhow::{Context, Result};
use coretrace_capture::{Capture, SourceStream};
use coretrace_etm::Record;
use coretrace_pipelines::DecoderTop;
use coretrace_target::Topology;
use coretrace_target_sim::SimulatedChip;
use coretrace_test_simulate::{Backend, decode_in_hardware};
use coretrace_test_target::HardwareChip;
use coretrace_test_verilog::preset::PresetEngine;
use etm4_cli::hardware::{Hardware, HardwareEngine, HardwareKind};
use etm4_cli::progress::Progress;

/// The default preset.
const DEFAULT: DecoderTop = DecoderTop::Etm4JumpX4;

/// Every preset, in the rust-hdl simulation or as Verilog.
pub struct SimulatedHardware;

impl Hardware for SimulatedHardware {
    fn open(&self, kind: HardwareKind, preset: Option<&str>) -> Result<Box<dyn HardwareEngine>> {
        let preset = preset.map_or(Ok(DEFAULT), str::parse)?;
        Ok(Box::new(Engine(match kind {
            HardwareKind::Simulation => Backend::Simulation(preset),
            HardwareKind::Verilog => Backend::Verilog(PresetEngine::new(preset).context(
                "the hardware cannot be compiled with Verilator: install that, or use --engine hw",
            )?),
        })))
    }

    fn chip(&self, topology: &Topology) -> Result<Box<dyn SimulatedChip>> {
        Ok(Box::new(HardwareChip::cold(topology)))
    }
}

struct Engine(Backend);

impl HardwareEngine for Engine {
    fn is_in_order(&self) -> bool {
        !self.0.preset().takes_frames()
    }

    fn decode(
        &self,
        capture: &Capture,
        streams: &[SourceStream],
        lenient: bool,
        sink: &mut dyn FnMut(usize, &Record),
    ) -> Result<()> {
        let preset = self.0.preset();
        let bytes = if preset.takes_frames() {
            capture.bytes.len()
        } else {
            streams.iter().map(|stream| stream.bytes.len()).sum()
        };
        let cycles = bytes / preset.bytes_per_cycle();
        let mut progress = Progress::new(preset.name(), cycles as u64);
        decode_in_hardware(
            &self.0,
            capture,
            streams,
            lenient,
            |cycle| progress.part(cycle),
            sink,
        )
    }
}
