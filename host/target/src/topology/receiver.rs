// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core of this project behind a trace port, with the DMA that stores its records.

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
    /// Whether an address is one of its registers or of those of its DMA.
    pub fn has(&self, address: u64) -> bool {
        let is_in = |base: u64, bytes| address.checked_sub(base).is_some_and(|at| at < bytes);
        is_in(self.registers, COMPONENT_BYTES) || is_in(self.dma, DMA_BYTES)
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
