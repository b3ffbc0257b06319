// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace unit is set to trace, and what happens to the core meanwhile.

use coretrace_etm::{ArchProfile, Protocol, Registers, SourceConfig};

/// Speculation: P0 elements are sent before it is known whether they retire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speculation {
    /// The most P0 elements that are not committed; at least 1.
    pub max_spec: u32,
    /// Cycle counts carry commits (TRCIDR0.COMMOPT is 0).
    pub counts_commit: bool,
    /// The share of conditional branches whose atom is wrong at first.
    pub mispredicts: f64,
    /// The share of P0 elements behind which there is a Commit packet.
    pub commits: f64,
}

/// Where the core is interrupted, by instructions of the program that retired before.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Interrupts {
    /// Nowhere.
    #[default]
    None,
    /// After so many instructions each; in ascending order.
    At(Vec<u64>),
    /// At random places, so many instructions apart on average.
    Every(u64),
}

/// How a trace unit sends where it is after a periodic Trace Info.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AddressAfterSync {
    /// At once.
    #[default]
    AtOnce,
    /// With the next address that is sent anyway.
    Late,
}

/// A trace unit like that of a Cortex-A53, and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceUnit {
    /// The seed of everything that is random.
    pub seed: u64,
    /// Entries of the return stack (TRCCONFIGR.RS); 0 if it is not used.
    pub return_stack: usize,
    /// The target of every taken branch is sent (TRCCONFIGR.BB).
    pub broadcast: bool,
    /// Cycle counts (TRCCONFIGR.CCI) once there are so many cycles (TRCCCCTLR.THRESHOLD).
    pub cycle_threshold: Option<u32>,
    /// Timestamps (TRCCONFIGR.TS), so many cycles apart.
    pub timestamp_cycles: Option<u64>,
    /// Context IDs (TRCCONFIGR.CID): that of the program.
    pub cid: Option<u32>,
    /// VMIDs (TRCCONFIGR.VMID): that of the core.
    pub vmid: Option<u8>,
    /// A-Sync and Trace Info each time that there are so many bytes (TRCSYNCPR).
    pub sync_bytes: Option<u64>,
    /// Where they are followed by an address.
    pub address_after_sync: AddressAfterSync,
    /// Interrupts of the program.
    pub interrupts: Interrupts,
    /// The handler of exceptions at EL1 is traced.
    pub traces_handler: bool,
    /// Speculation.
    pub speculation: Option<Speculation>,
    /// Instructions per cycle of the core.
    pub ipc: f64,
}

impl Default for TraceUnit {
    /// Atoms and targets alone, of a core that executes one instruction in each cycle.
    fn default() -> TraceUnit {
        TraceUnit {
            seed: 0,
            return_stack: 0,
            broadcast: false,
            cycle_threshold: None,
            timestamp_cycles: None,
            cid: None,
            vmid: None,
            sync_bytes: None,
            address_after_sync: AddressAfterSync::AtOnce,
            interrupts: Interrupts::None,
            traces_handler: false,
            speculation: None,
            ipc: 1.0,
        }
    }
}

impl TraceUnit {
    /// Trace units that differ in what a walk through the program does: as they are by default; with a
    /// return stack and interrupts; with branch broadcasting and interrupts whose handlers are traced.
    pub fn of_each_walk() -> [TraceUnit; 3] {
        let off = TraceUnit::default();
        let stack = TraceUnit {
            return_stack: 15,
            sync_bytes: Some(2000),
            interrupts: Interrupts::Every(5000),
            ..off.clone()
        };
        let broadcast = TraceUnit {
            broadcast: true,
            traces_handler: true,
            interrupts: Interrupts::Every(3000),
            ..off.clone()
        };
        [off, stack, broadcast]
    }

    /// Its registers.
    pub fn registers(&self) -> Registers {
        let bit = |is_set: bool, bit: u32| u32::from(is_set) << bit;
        let counts_commit = self.speculation.is_some_and(|it| it.counts_commit);
        Registers {
            trcconfigr: 1
                | bit(self.broadcast, 3)
                | bit(self.cycle_threshold.is_some(), 4)
                | bit(self.cid.is_some(), 6)
                | bit(self.vmid.is_some(), 7)
                | bit(self.timestamp_cycles.is_some(), 11)
                | bit(self.return_stack > 0, 12),
            trcidr0: 0x0800_0EA1 | bit(!counts_commit, 29),
            trcidr1: 0x4100_F403,
            trcidr2: 0x488,
            trcidr8: self.speculation.map_or(0, |it| it.max_spec),
            ..Registers::ZERO
        }
    }

    /// What a decoder must know of it.
    pub fn source(&self) -> SourceConfig {
        SourceConfig {
            protocol: Protocol::Etm4,
            profile: ArchProfile::A,
            registers: self.registers(),
            lenient: false,
        }
    }
}
