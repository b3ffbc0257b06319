// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core with its DMA.

use coretrace_abi::registers::CORE;
use coretrace_pipelines::sim::CoreSim;
use coretrace_target::BusError;
use coretrace_target::topology::{Index, Receiver};
use coretrace_target_sim::{Dma, Memory};

/// Cycles of the core in a tick, at least.
const CYCLES: usize = 12;

/// A core, its DMA, and what is between them.
pub struct Core {
    of: Receiver,
    sim: CoreSim,
    dma: Dma,
    /// Bytes of the port that it took.
    taken: usize,
    /// A packet that the DMA has no buffer for yet. The core waits meanwhile.
    packet: Vec<u32>,
}

impl Core {
    /// After reset.
    pub fn new(of: &Receiver) -> Core {
        Core {
            of: of.clone(),
            sim: CoreSim::new(),
            dma: Dma::default(),
            taken: 0,
            packet: Vec::new(),
        }
    }

    /// The trace port that it listens to.
    pub fn port(&self) -> Index {
        self.of.port
    }

    /// Whether it, or its DMA, has an address.
    pub fn has(&self, address: u64) -> bool {
        self.of.has(address)
    }

    /// The words of the port that it did not take yet, of all bytes since the port was started.
    pub fn new_words(&mut self, port: &[u8]) -> Vec<u32> {
        let new = port.get(self.taken..).unwrap_or(port);
        self.taken = port.len();
        let (words, _) = new.as_chunks::<4>();
        words.iter().copied().map(u32::from_le_bytes).collect()
    }

    /// A tick: a cycle for each word of the port, and some without.
    pub fn tick(&mut self, words: &[u32], memory: &mut Memory) {
        for cycle in 0..CYCLES.max(words.len()) {
            self.sim
                .step(words.get(cycle).copied(), self.packet.is_empty());
            self.store(memory);
        }
    }

    /// Hands a packet that is complete to the DMA.
    fn store(&mut self, memory: &mut Memory) {
        if self.packet.is_empty() {
            let whole = std::mem::take(&mut self.sim.whole);
            self.packet.extend(self.sim.words.drain(..whole));
        }
        if !self.packet.is_empty() && self.dma.store(&self.packet, memory) {
            self.packet.clear();
        }
    }

    /// Reads a register of it or of its DMA.
    ///
    /// # Errors
    /// If the core refuses it.
    pub fn read(&mut self, address: u64) -> Result<u32, BusError> {
        match self.register_of_dma(address) {
            Some(offset) => Ok(self.dma.read(offset)),
            None => {
                let value = self.sim.try_read(self.offset(address));
                value.ok_or(BusError::Aborted)
            }
        }
    }

    /// Writes a register of it or of its DMA.
    ///
    /// # Errors
    /// If the core refuses it, or the DMA must not be written now.
    pub fn write(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        let is_taken = match self.register_of_dma(address) {
            Some(offset) => self.dma.write(offset, value),
            None => self.sim.try_write(self.offset(address), value),
        };
        is_taken.then_some(()).ok_or(BusError::Aborted)
    }

    fn register_of_dma(&self, address: u64) -> Option<u32> {
        let [_, dma] = self.of.ranges();
        dma.contains(&address).then(|| (address - dma.start) as u32)
    }

    /// The address of a register on the bus of the core, which has no more bits.
    fn offset(&self, address: u64) -> u32 {
        (address - self.of.registers) as u32 & ((1 << CORE.address_bits()) - 1)
    }
}
