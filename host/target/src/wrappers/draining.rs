// SPDX-License-Identifier: MIT OR Apache-2.0
//! A bus that reads a trace buffer out before a session ends its capture.

use coretrace_coresight::map::tmc;

use crate::bus::{Bus, BusError};
use crate::plan::{Action, Step};
use crate::read_out::{NOTHING, steps};
use crate::topology::{Index, Topology};

/// Words of a buffer, at most: 256 MiB.
const MOST: u32 = 1 << 26;

/// The bus below, which is to end the capture of a buffer, if there is one.
pub struct Draining<B> {
    /// The bus below.
    pub bus: B,
    /// The address of CTL, and the steps before it is cleared.
    read_out: Option<(u64, Vec<Step>)>,
    /// What was read, once the capture has ended.
    pub drained: Option<Result<Drained, BusError>>,
}

/// What a trace buffer had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drained {
    /// Its words, whole frames.
    pub words: Vec<u32>,
    /// It was full, so that older trace was overwritten.
    pub has_wrapped: bool,
}

impl<B: Bus> Draining<B> {
    /// Nothing was read yet.
    pub fn new(bus: B, topology: &Topology, buffer: Option<Index>) -> Draining<B> {
        let read_out = buffer.map(|buffer| {
            let base = topology.components[buffer].base;
            (base + u64::from(tmc::CTL.offset), steps(topology, buffer))
        });
        Draining {
            bus,
            read_out,
            drained: None,
        }
    }

    /// Reads all words of a buffer by the steps of its read-out.
    fn drain(&mut self, steps: &[Step]) -> Result<Drained, BusError> {
        let mut drained = Drained::default();
        for step in steps {
            match &step.action {
                Action::Drain { size } => {
                    for _ in 0..self.bus.read32(*size)?.min(MOST) {
                        match self.bus.read32(step.address)? {
                            NOTHING => break,
                            word => drained.words.push(word),
                        }
                    }
                }
                Action::Check { mask, values } => {
                    let status = self.bus.read32(step.address)?;
                    drained.has_wrapped = tmc::sts::FULL.of(status) == 1;
                    if !values.contains(&(status & mask)) {
                        return Err(BusError::Failed(
                            "the memory of the trace buffer answered with an error".to_owned(),
                        ));
                    }
                }
                _ => {}
            }
        }
        Ok(drained)
    }
}

impl<B: Bus> Bus for Draining<B> {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        self.bus.read32(address)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        let is_end = |(end, _): &mut (u64, Vec<Step>)| {
            address == *end && tmc::ctl::TRACE_CAPT_EN.of(value) == 0
        };
        if let Some((_, steps)) = self.read_out.take_if(is_end) {
            self.drained = Some(self.drain(&steps));
        }
        self.bus.write32(address, value)
    }
}
