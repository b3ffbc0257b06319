// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules between components: what is below is on before trace passes, and buffers are flushed before
//! what feeds them closes.

use coretrace_coresight::map::ComponentKind;

use crate::device::Device;
use crate::world::World;

impl World {
    /// Whether a component that passes trace from now on lets it into one that is off.
    pub(crate) fn opens_too_early(&self, index: usize) -> bool {
        let part = &self.parts[index];
        // A replicator may be opened at any time before trace arrives: what feeds it is judged then.
        let is_replicator = part.kind == ComponentKind::Replicator;
        !self.is_open_below(index) && (!is_replicator || self.is_fed(index))
    }

    /// Whether a component above an input is on.
    fn is_fed(&self, index: usize) -> bool {
        let above = self.above(index).into_iter();
        above.map(|up| &self.parts[up].device).any(|up| match up {
            Device::Memory(memory) => memory.is_on(),
            Device::TraceUnit(unit) => unit.is_on(),
            Device::Stm(stm) => stm.is_on(),
            _ => false,
        })
    }

    /// Whether everything is on that a component passes trace to.
    fn is_open_below(&self, index: usize) -> bool {
        let part = &self.parts[index];
        let links = self.links.iter().filter(|link| link.from.0 == index);
        let passing = links.filter(|link| match &part.device {
            // What it blocks needs not be on. The IDs of sessions begin with 1.
            Device::Link(of) if part.kind.ports().1 == 2 => {
                of.passes(&part.words, 0, link.from.1, 0x10)
            }
            _ => true,
        });
        passing
            .map(|link| link.to)
            .all(|(to, input)| self.is_on(to, input))
    }

    /// Whether an input takes trace. A stopped port takes it and drops it.
    fn is_on(&self, index: usize, input: usize) -> bool {
        let part = &self.parts[index];
        match &part.device {
            Device::Memory(memory) => memory.is_on(),
            Device::Link(link) => {
                let mut outputs = 0..part.kind.ports().1;
                let passes = outputs.any(|output| link.passes(&part.words, input, output, 0x10));
                let is_replicator = part.kind == ComponentKind::Replicator;
                passes && (!is_replicator || self.is_open_below(index))
            }
            _ => true,
        }
    }

    /// Whether the buffers below a funnel still take what it holds.
    pub(crate) fn feeds_running(&self, index: usize) -> bool {
        let below = self.below(index).into_iter();
        below
            .map(|down| &self.parts[down])
            .any(|down| match &down.device {
                Device::Memory(memory) => memory.is_on(),
                Device::Port(port) => port.is_on(&down.words),
                _ => false,
            })
    }
}
