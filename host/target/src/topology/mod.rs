// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is on a chip: components, the links between them, and their clocks.
//!
//! | module | what it holds |
//! |---|---|
//! | `load` | a description in TOML |
//! | `text` | the same, written |
//! | `device_tree` | a device tree of Linux |
//! | `check` | what must hold in it |
//! | `known` | which addresses are in areas of presets |
//! | `presets` | the descriptions that come with the crate |
//! | `receiver` | cores of this project behind trace ports |
//! | `paths` | the ways from sources to a sink |

mod check;
mod device_tree;
mod known;
mod load;
mod paths;
mod presets;
mod receiver;
mod text;

pub use load::TopologyError;
pub use paths::{Hop, PathError, Route, Wanted};
pub use presets::{PRESETS, Preset};
pub use receiver::Receiver;

use std::ops::Range;

use coretrace_coresight::map::{COMPONENT_BYTES, ComponentKind, Mark};
use serde::Deserialize;

/// A component of a [`Topology`], by its place in [`Topology::components`].
pub type Index = usize;

/// A CoreSight component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name in the topology.
    pub name: String,
    /// What it is.
    pub kind: ComponentKind,
    /// Physical address of its registers.
    pub base: u64,
    /// Places of the clocks that must run before it is accessed.
    pub clocks: Vec<Index>,
    /// Number of the traced core, for a source.
    pub cpu: Option<u32>,
    /// How sure the address is.
    pub mark: Mark,
}

/// A wire of trace from an output to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The component that drives it, and its output.
    pub from: (Index, usize),
    /// The component that it feeds, and its input.
    pub to: (Index, usize),
}

/// A clock that a bit of a register switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Its name in the topology.
    pub name: String,
    /// Name of the register in the document of the chip.
    pub register: String,
    /// Physical address of the register.
    pub address: u64,
    /// The bit that is 1 while it runs.
    pub bit: u32,
    /// What to do if it is off.
    pub advice: String,
    /// How its rate is set, if the topology says so.
    pub rate: Option<Rate>,
}

/// The fields of the register of a clock that choose its source and divide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Rate of the source in MHz.
    pub source_mhz: u32,
    /// Bits that choose the source.
    pub source_mask: u32,
    /// Their value for it.
    pub source: u32,
    /// Lowest bit of the divisor.
    pub divisor_bit: u32,
    /// Bits of it.
    pub divisor_bits: u32,
}

impl Rate {
    /// The bits of the divisor.
    pub fn divisor_mask(&self) -> u32 {
        ((1 << self.divisor_bits) - 1) << self.divisor_bit
    }

    /// The value of these bits for a rate; `None` if there is none.
    pub fn divisor(&self, mhz: u32) -> Option<u32> {
        let divisor = self.source_mhz.checked_div(mhz)?;
        let is_exact = divisor > 0 && divisor * mhz == self.source_mhz;
        let is_possible = is_exact && divisor >> self.divisor_bits == 0;
        is_possible.then_some(divisor << self.divisor_bit)
    }
}

/// Components, links and clocks that fit together: [`Topology::parse`] checks them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Its name.
    pub name: String,
    /// What of it was ever run, in a sentence.
    pub status: String,
    /// Physical address of its first ROM table, if it has one.
    pub rom: Option<u64>,
    /// Components.
    pub components: Vec<Component>,
    /// Links.
    pub links: Vec<Link>,
    /// Clocks.
    pub clocks: Vec<Clock>,
    /// Cores behind trace ports.
    pub receivers: Vec<Receiver>,
}

impl Topology {
    /// The component with a name.
    pub fn find(&self, name: &str) -> Option<Index> {
        self.components.iter().position(|c| c.name == name)
    }

    /// The trace unit of a core.
    pub fn trace_unit(&self, cpu: u32) -> Option<Index> {
        self.components
            .iter()
            .position(|c| c.cpu == Some(cpu) && c.kind.is_source())
    }

    /// The links that a component drives.
    pub fn outputs(&self, of: Index) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(move |link| link.from.0 == of)
    }

    /// Every address that a session or a search may access: components, clocks, cores, the first ROM table.
    pub fn ranges(&self) -> Vec<Range<u64>> {
        let page = |base: u64| base..base.saturating_add(COMPONENT_BYTES);
        let bases = self.components.iter().map(|component| component.base);
        let clocks = self
            .clocks
            .iter()
            .map(|clock| clock.address..clock.address.saturating_add(4));
        bases
            .chain(self.rom)
            .map(page)
            .chain(clocks)
            .chain(self.receivers.iter().flat_map(Receiver::ranges))
            .collect()
    }

    /// The component and the byte offset at an address.
    pub fn at(&self, address: u64) -> Option<(Index, u32)> {
        let of = |c: &Component| {
            let offset = address.checked_sub(c.base);
            offset.filter(|offset| *offset < COMPONENT_BYTES)
        };
        self.components
            .iter()
            .enumerate()
            .find_map(|(index, c)| Some((index, of(c)? as u32)))
    }
}
