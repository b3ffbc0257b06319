// SPDX-License-Identifier: MIT OR Apache-2.0
//! Walks over a topology in which ways may part and meet again: every component is met once.

use coretrace_target::topology::Link;

use crate::device::Device;
use crate::world::World;

impl World {
    /// What is above a component, through funnels and replicators, up to what is neither.
    pub(crate) fn above(&self, index: usize) -> Vec<usize> {
        self.walk(index, |link| (link.to.0, link.from.0))
    }

    /// What is below a component, through funnels and replicators, down to what is neither.
    pub(crate) fn below(&self, index: usize) -> Vec<usize> {
        self.walk(index, |link| (link.from.0, link.to.0))
    }

    fn walk(&self, index: usize, ends: impl Fn(&Link) -> (usize, usize)) -> Vec<usize> {
        let (mut met, mut open) = (Vec::new(), vec![index]);
        while let Some(at) = open.pop() {
            let ends = self.links.iter().map(&ends);
            for (_, next) in ends.filter(|(from, _)| *from == at) {
                if met.contains(&next) {
                    continue;
                }
                met.push(next);
                if matches!(self.parts[next].device, Device::Link(_)) {
                    open.push(next);
                }
            }
        }
        met
    }
}
