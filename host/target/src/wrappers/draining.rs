// SPDX-License-Identifier: MIT OR Apache-2.0
//! A bus that reads a trace buffer out before a session ends its capture.
//!
//! A stop flushes and stops a buffer, waits until it is Ready, and then clears CTL. Between the two it is
//! Stopped, and RRD gives one word after the other, the oldest first.
//!
//! Source: Arm DDI 0461, RRD and STS.

use coretrace_coresight::map::{Register, tmc};

use crate::bus::{Bus, BusError};

/// What RRD gives when there is no word.
const NOTHING: u32 = u32::MAX;

/// Words of a buffer, at most: 256 MiB.
const MOST: u32 = 1 << 26;

/// The bus below, which is to end the capture of a buffer at an address, if there is one.
pub struct Draining<B> {
    /// The bus below.
    pub bus: B,
    buffer: Option<u64>,
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
    pub fn new(bus: B, buffer: Option<u64>) -> Draining<B> {
        Draining {
            bus,
            buffer,
            drained: None,
        }
    }

    /// Reads all words of the buffer with a base.
    fn drain(&mut self, base: u64) -> Result<Drained, BusError> {
        let mut read = |register: &Register| self.bus.read32(base + u64::from(register.offset));
        let size = read(&tmc::RSZ)?.min(MOST);
        let has_wrapped = tmc::sts::FULL.of(read(&tmc::STS)?) == 1;
        let mut words = Vec::new();
        for _ in 0..size {
            match read(&tmc::RRD)? {
                NOTHING => break,
                word => words.push(word),
            }
        }
        if tmc::sts::MEM_ERR.of(read(&tmc::STS)?) == 1 {
            return Err(BusError::Failed(
                "the memory of the trace buffer answered with an error".to_owned(),
            ));
        }
        Ok(Drained { words, has_wrapped })
    }
}

impl<B: Bus> Bus for Draining<B> {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        self.bus.read32(address)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        if let Some(base) = self.buffer
            && address == base + u64::from(tmc::CTL.offset)
            && tmc::ctl::TRACE_CAPT_EN.of(value) == 0
            && self.drained.is_none()
        {
            self.drained = Some(self.drain(base));
        }
        self.bus.write32(address, value)
    }
}
