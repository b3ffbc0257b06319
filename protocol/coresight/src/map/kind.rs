// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kinds of components, and how they identify themselves.

use super::{Register, links, tmc, tpiu, trace_unit, triggers};

/// The JEP106 designer code of Arm in PIDR1\[7:4\].
pub const ARM: u32 = 0xB;

/// What a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComponentKind {
    /// Trace unit of ETMv4.
    Etm4,
    /// Trace unit of ETMv3, which has other registers and another protocol.
    Etm3,
    /// System trace macrocell.
    Stm,
    /// Several trace streams into one.
    Funnel,
    /// One trace stream into two.
    Replicator,
    /// Trace memory on chip, at the end of a path.
    Etb,
    /// Trace memory on chip that passes trace on.
    Etf,
    /// Trace to system memory.
    Etr,
    /// Trace port.
    Tpiu,
    /// Timestamp generator.
    Timestamp,
    /// Cross trigger interface.
    Cti,
}

use ComponentKind::{Cti, Etb, Etf, Etm3, Etm4, Etr, Funnel, Replicator, Stm, Timestamp, Tpiu};

impl ComponentKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Etm4, Etm3, Stm, Funnel, Replicator, Etb, Etf, Etr, Tpiu, Timestamp, Cti,
    ];

    /// The name in descriptions of targets.
    pub const fn name(self) -> &'static str {
        match self {
            Etm4 => "etm4",
            Etm3 => "etm3",
            Stm => "stm",
            Funnel => "funnel",
            Replicator => "replicator",
            Etb => "etb",
            Etf => "etf",
            Etr => "etr",
            Tpiu => "tpiu",
            Timestamp => "timestamp",
            Cti => "cti",
        }
    }

    /// The registers besides those of every component. Those of an ETMv3 are left out, because nothing
    /// programs it.
    pub const fn registers(self) -> &'static [Register] {
        match self {
            Etm4 => trace_unit::REGISTERS,
            Etm3 => &[],
            Stm => triggers::stm::REGISTERS,
            Funnel => links::funnel::REGISTERS,
            Replicator => links::replicator::REGISTERS,
            Etb | Etf | Etr => tmc::REGISTERS,
            Tpiu => tpiu::REGISTERS,
            Timestamp => links::timestamp::REGISTERS,
            Cti => triggers::cti::REGISTERS,
        }
    }

    /// DEVTYPE\[7:0\]: sub-type and major type. `None` if no document gives it.
    pub const fn devtype(self) -> Option<u32> {
        match self {
            Etm4 | Etm3 => Some(0x13),
            Stm => Some(0x63),
            Funnel => Some(0x12),
            Replicator => Some(0x22),
            Etb | Etr => Some(0x21),
            Etf => Some(0x32),
            Tpiu => Some(0x11),
            Cti => Some(0x14),
            Timestamp => None,
        }
    }

    /// Part numbers of Arm's components of this kind, PIDR1\[3:0\] and PIDR0\[7:0\]. Each core has its
    /// own trace unit: 95D is that of a Cortex-A53, 95E of an A57, 95A of an A72.
    pub const fn parts(self) -> &'static [u32] {
        match self {
            Etm4 => &[0x95D, 0x95E, 0x95A],
            Etm3 => &[0x931],
            Stm => &[0x962, 0x963],
            Funnel => &[0x908, 0x9EB],
            Replicator => &[0x909, 0x9EC],
            Etb => &[0x907, 0x961, 0x9E9],
            Etf => &[0x961, 0x9EA],
            Etr => &[0x961, 0x9E8],
            Tpiu => &[0x912, 0x9E7],
            Timestamp => &[0x101],
            Cti => &[0x906, 0x9ED],
        }
    }

    /// DEVARCH\[15:0\] of an architecture that says so there.
    pub const fn archid(self) -> Option<u32> {
        match self {
            Etm4 => Some(0x4A13),
            _ => None,
        }
    }

    /// Whether it has a software lock (LAR, LSR).
    pub const fn has_lock(self) -> bool {
        !matches!(self, Timestamp)
    }

    /// Whether trace begins here.
    pub const fn is_source(self) -> bool {
        matches!(self, Etm4 | Etm3 | Stm)
    }

    /// Whether trace can end here.
    pub const fn is_sink(self) -> bool {
        matches!(self, Etb | Etf | Etr | Tpiu)
    }

    /// Whether it is a trace memory controller.
    pub const fn is_memory(self) -> bool {
        self.memory().is_some()
    }

    /// Which trace memory controller it is: [`tmc::CONFIG`] in its DEVID.
    pub const fn memory(self) -> Option<u32> {
        match self {
            Etb => Some(0),
            Etr => Some(1),
            Etf => Some(2),
            _ => None,
        }
    }

    /// Trace inputs and outputs.
    pub const fn ports(self) -> (usize, usize) {
        match self {
            Etm4 | Etm3 | Stm => (0, 1),
            Funnel => (8, 1),
            Replicator => (1, 2),
            Etf => (1, 1),
            Etb | Etr | Tpiu => (1, 0),
            Timestamp | Cti => (0, 0),
        }
    }
}
