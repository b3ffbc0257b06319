// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is on the bus besides components: cores with their DMAs, and memory.

use std::ops::Range;

use coretrace_abi::registers::csr::Id;

use crate::device::Device;
use crate::outcome::Outcome;
use crate::world::World;

/// Bytes of the registers of a core and of those of its DMA.
const CORE_BYTES: u64 = 0x1000;
const DMA_BYTES: u64 = 0x1_0000;

/// The memory of a Zynq UltraScale+, and its part above 32 GiB.
const MEMORY: [Range<u64>; 2] = [0..0x8000_0000, 0x8_0000_0000..0x10_0000_0000];

/// A register of a core, or of its DMA.
enum Place {
    Core(u32),
    Dma(u32),
}

impl World {
    /// The core at an address.
    fn receiver_at(&self, address: u64) -> Option<(usize, Place)> {
        self.receivers
            .iter()
            .enumerate()
            .find_map(|(index, receiver)| {
                let (core, dma) = receiver.bases;
                let in_core = address.checked_sub(core).filter(|at| *at < CORE_BYTES);
                let in_dma = address.checked_sub(dma).filter(|at| *at < DMA_BYTES);
                let place = in_core.map(|at| Place::Core(at as u32));
                let place = place.or_else(|| in_dma.map(|at| Place::Dma(at as u32)));
                Some((index, place?))
            })
    }

    /// Whether an address is one of memory, and of no component. Memory is accessed in no time.
    pub fn is_memory(&self, address: u64) -> bool {
        let bytes = coretrace_coresight::map::COMPONENT_BYTES;
        let has = |base: u64| (base..base + bytes).contains(&address);
        MEMORY.iter().any(|range| range.contains(&address))
            && !self.parts.iter().any(|part| has(part.base))
    }

    /// Reads a register of a core.
    pub(crate) fn read_elsewhere(&mut self, address: u64) -> Option<u32> {
        match self.receiver_at(address) {
            Some((index, Place::Core(offset))) => {
                let receiver = &mut self.receivers[index];
                receiver.is_known |= offset == Id::OFFSET;
                Some(receiver.read(offset))
            }
            Some((index, Place::Dma(offset))) => Some(self.receivers[index].dma.read(offset)),
            None => None,
        }
    }

    /// Writes a register of a core; `false` if there is none.
    pub(crate) fn write_elsewhere(&mut self, address: u64, value: u32) -> bool {
        let Some((index, place)) = self.receiver_at(address) else {
            return false;
        };
        let port = &self.parts[self.receivers[index].port];
        let has_port_begun = matches!(&port.device, Device::Port(of) if of.is_on(&port.words));
        let receiver = &mut self.receivers[index];
        let was_on = receiver.is_on();
        let mut out = Outcome::default();
        if !receiver.is_known {
            out.broken.push("IDENT");
        }
        let offset = match place {
            Place::Core(offset) => {
                receiver.write(offset, value, &mut out);
                // Source: docs/integration.md, a session: it decodes before anything comes out of its port.
                if has_port_begun && receiver.is_on() && !was_on {
                    out.broken.push("CORE");
                }
                offset
            }
            Place::Dma(offset) => {
                if !receiver.dma.write(offset, value) {
                    out.broken.push("CORE");
                }
                offset
            }
        };
        let name = receiver.name.clone();
        self.violate(&name, offset, &out.broken);
        true
    }
}
