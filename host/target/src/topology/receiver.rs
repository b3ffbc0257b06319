// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core of this project behind a trace port, with the DMA that stores its records.

use std::ops::Range;

use coretrace_coresight::map::{COMPONENT_BYTES, ComponentKind, Mark};

use super::{Component, Index, Topology};

/// Bytes of the registers of a DMA.
const DMA_BYTES: u64 = 0x1_0000;

/// A core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// Its name in the topology.
    pub name: String,
    /// The trace port that it listens to.
    pub port: Index,
    /// Physical address of its registers.
    pub registers: u64,
    /// Physical address of the registers of the DMA of its records.
    pub dma: u64,
    /// How sure the addresses are.
    pub mark: Mark,
}

impl Receiver {
    /// The addresses of its registers and of those of its DMA.
    pub fn ranges(&self) -> [Range<u64>; 2] {
        let range = |base: u64, bytes: u64| base..base.saturating_add(bytes);
        [
            range(self.registers, COMPONENT_BYTES),
            range(self.dma, DMA_BYTES),
        ]
    }

    /// Whether an address is one of them.
    pub fn has(&self, address: u64) -> bool {
        self.ranges().iter().any(|range| range.contains(&address))
    }

    /// What is wrong with it.
    pub(super) fn check(&self, components: &[Component]) -> Result<(), String> {
        let name = &self.name;
        if components.iter().any(|component| component.name == *name) {
            return Err(format!("there is more than one name {name}"));
        }
        if components[self.port].kind != ComponentKind::Tpiu {
            return Err(format!("{name}: its port is no trace port"));
        }
        let is_page = |base: u64| base.is_multiple_of(COMPONENT_BYTES);
        if !is_page(self.registers) || !is_page(self.dma) {
            return Err(format!("{name}: a base is not that of a page of 4 KiB"));
        }
        if components.iter().any(|component| self.has(component.base)) {
            return Err(format!("{name}: its addresses are those of a component"));
        }
        Ok(())
    }
}

impl Topology {
    /// The core at an address.
    pub fn receiver_at(&self, address: u64) -> Option<Index> {
        self.receivers
            .iter()
            .position(|receiver| receiver.has(address))
    }

    /// The core with a name.
    pub fn receiver(&self, name: &str) -> Option<Index> {
        self.receivers
            .iter()
            .position(|receiver| receiver.name == name)
    }
}
