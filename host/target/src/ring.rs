// SPDX-License-Identifier: MIT OR Apache-2.0
//! A ring of buffers in reserved memory, which a DMA fills with the packets of a core.
//!
//! The descriptors are first, then the buffers, one packet of at most 4 KiB in each. A buffer that was read
//! is given back at once, so that a host that is late finds the ring full, and the core counts the loss.

use std::fmt;
use std::ops::Range;

use coretrace_abi::axi_dma::{
    BUFFER, COMPLETE, CONTROL, DESCRIPTOR_BYTES, DMASR, ERRORS, FAILED, LENGTH, NEXT, STATUS,
    TAILDESC,
};
use coretrace_abi::record_stream::MAX_PACKET_WORDS;

use crate::bus::{Bus, BusError};

/// Bytes of a buffer.
const BUFFER_BYTES: u64 = 4 * MAX_PACKET_WORDS as u64;

/// Buffers of a ring, at least: what a flush of the trace buffers of a chip may bring.
const FEWEST: u64 = 16;

/// Buffers of a ring, at most.
const MOST: u64 = 1 << 16;

/// Where a ring is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    address: u64,
    buffers: u64,
}

impl Ring {
    /// As many buffers as fit into memory; `None` if the address is not a multiple of 64 below 2^40, or the
    /// size is not that of 16 to 65,536 buffers.
    pub fn new(address: u64, bytes: u64) -> Option<Ring> {
        let buffers = bytes / (DESCRIPTOR_BYTES + BUFFER_BYTES);
        let is_placed = address.is_multiple_of(DESCRIPTOR_BYTES) && address >> 40 == 0;
        (is_placed && (FEWEST..=MOST).contains(&buffers)).then_some(Ring { address, buffers })
    }

    /// Its memory.
    pub fn range(&self) -> Range<u64> {
        self.address..self.buffer(self.buffers)
    }

    /// Address of the first descriptor.
    pub(crate) fn first(&self) -> u64 {
        self.address
    }

    /// Address of the last descriptor.
    pub(crate) fn last(&self) -> u64 {
        self.descriptor(self.buffers - 1)
    }

    fn descriptor(&self, number: u64) -> u64 {
        self.address + DESCRIPTOR_BYTES * number
    }

    fn buffer(&self, number: u64) -> u64 {
        self.descriptor(self.buffers) + BUFFER_BYTES * number
    }

    /// Writes all descriptors.
    ///
    /// # Errors
    /// If the memory cannot be written.
    pub fn post(&self, bus: &mut dyn Bus) -> Result<(), BusError> {
        for number in 0..self.buffers {
            let at = self.descriptor(number);
            let next = self.descriptor((number + 1) % self.buffers);
            let mut link = |places: [u64; 2], to: u64| {
                bus.write32(at + places[0], to as u32)?;
                bus.write32(at + places[1], (to >> 32) as u32)
            };
            link(NEXT, next)?;
            link(BUFFER, self.buffer(number))?;
            bus.write32(at + CONTROL, BUFFER_BYTES as u32)?;
            bus.write32(at + STATUS, 0)?;
        }
        Ok(())
    }
}

/// Why a ring could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RingError {
    /// An access failed.
    Bus(BusError),
    /// The DMA reports this status of a descriptor.
    Dma(u32),
    /// The DMA stopped, with this in DMASR.
    Stopped(u32),
}

impl fmt::Display for RingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bus(error) => write!(f, "the ring of buffers: {error}"),
            Self::Dma(status) => {
                write!(f, "the DMA failed: a descriptor has status {status:#010X}")
            }
            Self::Stopped(status) => {
                write!(f, "the DMA stopped with an error: DMASR is {status:#010X}")
            }
        }
    }
}

impl std::error::Error for RingError {}

impl From<BusError> for RingError {
    fn from(error: BusError) -> Self {
        Self::Bus(error)
    }
}

/// Reads a ring.
pub struct Reader {
    ring: Ring,
    /// Address of the registers of the DMA.
    dma: u64,
    next: u64,
}

impl Reader {
    /// At the first buffer; `dma` is the address of the registers of the DMA.
    pub fn new(ring: Ring, dma: u64) -> Reader {
        Reader { ring, dma, next: 0 }
    }

    /// Takes the packets that are there, at most one round of the ring. Each is stored before its buffer is
    /// given back, so that a process that is killed loses none that the ring does not have.
    ///
    /// # Errors
    /// If an access fails, or the DMA has failed.
    pub fn take(
        &mut self,
        bus: &mut dyn Bus,
        mut store: impl FnMut(&[u32]),
    ) -> Result<(), RingError> {
        for _ in 0..self.ring.buffers {
            let at = self.ring.descriptor(self.next);
            if !self.take_one(bus, &mut store)? {
                break;
            }
            // The last descriptor that the DMA may use.
            bus.write32(self.dma + u64::from(TAILDESC[0]), at as u32)?;
        }
        Ok(())
    }

    /// Takes the last packets of a DMA that has stopped.
    ///
    /// # Errors
    /// If an access fails, or the DMA has failed.
    pub fn finish(
        mut self,
        bus: &mut dyn Bus,
        mut store: impl FnMut(&[u32]),
    ) -> Result<(), RingError> {
        for _ in 0..self.ring.buffers {
            if !self.take_one(bus, &mut store)? {
                break;
            }
        }
        match bus.read32(self.dma + u64::from(DMASR))? {
            status if status & ERRORS != 0 => Err(RingError::Stopped(status)),
            _ => Ok(()),
        }
    }

    /// Takes the packet of the next buffer, if there is one.
    fn take_one(
        &mut self,
        bus: &mut dyn Bus,
        store: &mut impl FnMut(&[u32]),
    ) -> Result<bool, RingError> {
        let status_at = self.ring.descriptor(self.next) + STATUS;
        let status = bus.read32(status_at)?;
        let bytes = u64::from(status & LENGTH);
        if status & FAILED != 0 || bytes > BUFFER_BYTES {
            return Err(RingError::Dma(status));
        }
        if status & COMPLETE == 0 {
            return Ok(false);
        }
        let buffer = self.ring.buffer(self.next);
        let words = (0..bytes)
            .step_by(4)
            .map(|place| bus.read32(buffer + place));
        store(&words.collect::<Result<Vec<_>, _>>()?);
        bus.write32(status_at, 0)?;
        self.next = (self.next + 1) % self.ring.buffers;
        Ok(true)
    }
}
