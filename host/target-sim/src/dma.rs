// SPDX-License-Identifier: MIT OR Apache-2.0
//! The DMA of a core: packets into a ring of descriptors in memory.

use std::collections::BTreeMap;

use coretrace_abi::axi_dma::{
    BUFFER, COMPLETE, CONTROL, CURDESC, DESCRIPTOR_ERROR, DMACR, DMASR, ERRORS, FIRST, HALTED,
    IDLE, LAST, LENGTH, NEXT, RESET, RUN, STATUS, TAILDESC,
};

/// Words of memory by address.
pub type Memory = BTreeMap<u64, u32>;

/// The state.
#[derive(Clone, Debug, Default)]
pub struct Dma {
    is_running: bool,
    errors: u32,
    /// The descriptor that is used next, and the last one that may be used, if the channel is not idle.
    current: u64,
    tail: Option<u64>,
    /// What was written to say so.
    last: u64,
    /// Words of the packet that were stored in buffers before.
    done: usize,
    /// Packets until it fails, if it does.
    fails_in: Option<usize>,
    /// Ticks for which no buffer is free.
    full_for: usize,
}

impl Dma {
    /// Whether it stores what comes.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// Lets it stop with an error after so many packets.
    pub fn fail_after(&mut self, packets: usize) {
        self.fails_in = Some(packets);
    }

    /// Lets it find no free buffer for so many ticks, from the next packet on.
    pub fn fill_for(&mut self, ticks: usize) {
        self.full_for = ticks;
    }

    /// One that another host left with an error.
    pub fn failed() -> Dma {
        Dma {
            errors: DESCRIPTOR_ERROR,
            ..Dma::default()
        }
    }

    /// Reads a register.
    pub fn read(&self, offset: u32) -> u32 {
        match offset {
            DMACR => u32::from(self.is_running) * RUN,
            DMASR => {
                let halted = u32::from(!self.is_running) * HALTED;
                let idle = u32::from(self.is_running && self.tail.is_none()) * IDLE;
                halted | idle | self.errors
            }
            _ if offset == CURDESC[0] => self.current as u32,
            _ if offset == CURDESC[1] => (self.current >> 32) as u32,
            _ if offset == TAILDESC[0] => self.last as u32,
            _ if offset == TAILDESC[1] => (self.last >> 32) as u32,
            _ => 0,
        }
    }

    /// Writes a register; `false` if it must not be written now.
    pub fn write(&mut self, offset: u32, value: u32) -> bool {
        let half = |old: u64, high: bool| match high {
            true => old & 0xFFFF_FFFF | u64::from(value) << 32,
            false => old & !0xFFFF_FFFF | u64::from(value),
        };
        match offset {
            DMACR if value & RESET != 0 => {
                *self = Dma {
                    fails_in: self.fails_in,
                    full_for: self.full_for,
                    ..Dma::default()
                };
            }
            DMACR => {
                self.is_running = value & RUN != 0;
                self.tail = self.tail.filter(|_| self.is_running);
            }
            DMASR => self.errors &= !(value & ERRORS),
            _ if CURDESC.contains(&offset) => {
                self.current = half(self.current, offset == CURDESC[1]);
                return !self.is_running;
            }
            // The high word is written first, and the low one starts.
            _ if TAILDESC.contains(&offset) => {
                self.last = half(self.last, offset == TAILDESC[1]);
                if offset == TAILDESC[0] {
                    self.tail = Some(self.last);
                }
                return self.is_running;
            }
            _ => return false,
        }
        true
    }

    /// Stores as much of a packet as fits into the next buffer; whether all of it is stored.
    pub fn store(&mut self, packet: &[u32], memory: &mut Memory) -> bool {
        let Some(tail) = self.tail.filter(|_| self.is_running && self.errors == 0) else {
            return false;
        };
        if self.full_for > 0 {
            self.full_for -= 1;
            return false;
        }
        let word = |memory: &Memory, place: u64| memory.get(&place).copied().unwrap_or(0);
        let at = self.current;
        let pair = |memory: &Memory, places: [u64; 2]| {
            u64::from(word(memory, at + places[1])) << 32 | u64::from(word(memory, at + places[0]))
        };
        if word(memory, at + STATUS) & COMPLETE != 0 || self.fails_in == Some(0) {
            self.errors |= DESCRIPTOR_ERROR;
            self.is_running = false;
            return false;
        }
        let room = (word(memory, at + CONTROL) & LENGTH) as usize / 4;
        let part = &packet[self.done..packet.len().min(self.done + room)];
        let buffer = pair(memory, BUFFER);
        for (place, value) in (buffer..).step_by(4).zip(part) {
            memory.insert(place, *value);
        }
        let first = u32::from(self.done == 0) * FIRST;
        self.done += part.len();
        let is_stored = self.done == packet.len();
        let last = u32::from(is_stored) * LAST;
        memory.insert(
            at + STATUS,
            COMPLETE | first | last | (part.len() as u32 * 4),
        );
        if is_stored {
            self.done = 0;
            self.fails_in = self.fails_in.map(|packets| packets - 1);
        }
        self.current = pair(memory, NEXT);
        self.tail = Some(tail).filter(|tail| *tail != at);
        is_stored
    }
}
