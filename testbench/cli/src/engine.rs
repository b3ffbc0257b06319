// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who decodes: the software model, or the hardware that should give the same records.

#[cfg(feature = "hw")]
use anyhow::Context;
use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use etm4_capture::Capture;
#[cfg(feature = "hw")]
use etm4_engine::{Backend, decode_in_hardware};
use etm4_engine::{SourceStream, decode_in_model};
use etm4_model::Policy;
#[cfg(feature = "hw")]
use etm4_pipelines::Preset;
use etm4_protocol::Record;
#[cfg(feature = "hw")]
use etm4_verilog::preset::PresetEngine;

use crate::progress::Progress;

/// Chooses an engine.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// Who decodes
    #[arg(long, value_enum, default_value_t)]
    engine: EngineKind,

    /// Which hardware decodes; only with --engine hw or verilog [default: etm4_x4]
    #[cfg(feature = "hw")]
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,

    /// What happens after bytes that are no packet
    #[arg(long, value_enum, default_value_t)]
    on_error: OnError,
}

/// Who decodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum EngineKind {
    /// The software model
    #[default]
    Model,
    /// The hardware, simulated cycle by cycle; slow
    #[cfg(feature = "hw")]
    Hw,
    /// The exported Verilog in Verilator, which has to be installed
    #[cfg(feature = "hw")]
    Verilog,
}

/// What happens after bytes that are no packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum OnError {
    /// Nothing is read until the next A-Sync
    #[default]
    Resync,
    /// The next byte is a header, and packets are marked suspect until the next A-Sync
    Lenient,
    /// As OpenCSD: the next byte is a header, and an A-Sync is found only where a header is due
    #[value(name = "opencsd")]
    OpenCsd,
}

impl From<OnError> for Policy {
    fn from(on_error: OnError) -> Policy {
        match on_error {
            OnError::Resync => Policy::Resync,
            OnError::Lenient => Policy::Lenient,
            OnError::OpenCsd => Policy::OpenCsd,
        }
    }
}

impl EngineArgs {
    /// Checks that the options go together.
    ///
    /// # Errors
    /// If they do not.
    pub fn check(&self) -> Result<()> {
        let model = self.engine == EngineKind::Model;
        ensure!(
            model || self.on_error != OnError::OpenCsd,
            "the hardware cannot go on after an error as OpenCSD does: use --on-error resync or \
             lenient, or --engine model"
        );
        #[cfg(feature = "hw")]
        ensure!(
            !model || self.preset.is_none(),
            "--preset chooses the hardware and the model is none: add --engine hw or verilog"
        );
        Ok(())
    }

    /// Whether the records of a stream come before those of the next one.
    pub fn is_in_order(&self) -> bool {
        #[cfg(feature = "hw")]
        return !self.chosen_preset().takes_frames();
        #[cfg(not(feature = "hw"))]
        return true;
    }

    /// Decodes streams of a capture. `sink` gets the index of the stream and the record.
    ///
    /// # Errors
    /// If the engine cannot take this capture, or fails.
    pub fn decode(
        &self,
        #[cfg_attr(
            not(feature = "hw"),
            expect(unused_variables, reason = "only hardware takes the port as it is")
        )]
        capture: &Capture,
        streams: &[SourceStream],
        mut sink: impl FnMut(usize, &Record),
    ) -> Result<()> {
        match self.engine {
            EngineKind::Model => {
                let bytes = streams.iter().map(|stream| stream.bytes.len() as u64);
                let mut progress = Progress::new("model", bytes.sum());
                for (index, stream) in streams.iter().enumerate() {
                    decode_in_model(
                        stream,
                        self.on_error.into(),
                        |done| progress.part(done),
                        |record| sink(index, record),
                    );
                }
                Ok(())
            }
            #[cfg(feature = "hw")]
            EngineKind::Hw => {
                let backend = Backend::Simulation(self.chosen_preset());
                self.decode_in_hardware(&backend, capture, streams, sink)
            }
            #[cfg(feature = "hw")]
            EngineKind::Verilog => {
                let compiled = PresetEngine::new(self.chosen_preset()).context(
                    "the hardware cannot be compiled with Verilator: install that, or use --engine hw",
                )?;
                let backend = Backend::Verilog(compiled);
                self.decode_in_hardware(&backend, capture, streams, sink)
            }
        }
    }
}

#[cfg(feature = "hw")]
impl EngineArgs {
    fn chosen_preset(&self) -> Preset {
        self.preset.unwrap_or(Preset::Etm4X4)
    }

    fn decode_in_hardware(
        &self,
        backend: &Backend,
        capture: &Capture,
        streams: &[SourceStream],
        sink: impl FnMut(usize, &Record),
    ) -> Result<()> {
        let preset = backend.preset();
        let bytes = if preset.takes_frames() {
            capture.bytes.len()
        } else {
            streams.iter().map(|stream| stream.bytes.len()).sum()
        };
        let cycles = bytes / preset.bytes_per_cycle();
        let mut progress = Progress::new(preset.name(), cycles as u64);
        let lenient = self.on_error == OnError::Lenient;
        decode_in_hardware(
            backend,
            capture,
            streams,
            lenient,
            |cycle| progress.part(cycle),
            sink,
        )
    }
}
