// SPDX-License-Identifier: MIT OR Apache-2.0
//! The choice of decoder: the software model, or hardware that reports the same records.

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use coretrace_decode::Policy;

use crate::hardware::{Hardware, HardwareEngine, HardwareKind};

/// Chooses an engine.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// Decoder to use; etm4 has the model only, etm4-lab has all of them
    #[arg(long, value_enum, default_value_t)]
    engine: EngineKind,

    /// Hardware preset to use; only with --engine hw or verilog [default: etm4_jump_x4]
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,

    /// What to do after bytes that are not a packet
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
    Hw,
    /// The exported Verilog in Verilator, which must be installed
    Verilog,
}

/// What to do after bytes that are not a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnError {
    /// Skip bytes until the next A-Sync
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

/// An engine that is ready to decode.
pub enum Engine {
    /// The model.
    Model(Policy),
    /// Hardware that reports the same records.
    Hardware {
        engine: Box<dyn HardwareEngine>,
        lenient: bool,
    },
}

impl EngineArgs {
    /// What follows after an error.
    pub fn policy(&self) -> Policy {
        self.on_error.into()
    }

    /// The engine.
    ///
    /// # Errors
    /// If the options contradict each other, or `hardware` has no such preset.
    pub fn open(&self, hardware: &dyn Hardware) -> Result<Engine> {
        let kind = match self.engine {
            EngineKind::Model => {
                ensure!(
                    self.preset.is_none(),
                    "--preset chooses the hardware and the model is none: add --engine hw or verilog"
                );
                return Ok(Engine::Model(self.on_error.into()));
            }
            EngineKind::Hw => HardwareKind::Simulation,
            EngineKind::Verilog => HardwareKind::Verilog,
        };
        ensure!(
            self.on_error != OnError::OpenCsd,
            "the hardware cannot go on after an error as OpenCSD does: use --on-error resync or \
             lenient, or --engine model"
        );
        Ok(Engine::Hardware {
            engine: hardware.open(kind, self.preset.as_deref())?,
            lenient: self.on_error == OnError::Lenient,
        })
    }
}
