// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trace from component to component.

use crate::device::{Device, Traced};
use crate::world::World;

impl World {
    /// A tick: every component in the order of the topology.
    pub(crate) fn tick(&mut self) {
        for index in 0..self.parts.len() {
            let part = &mut self.parts[index];
            let tick = part.device.tick(&mut part.words);
            if tick.is_flush {
                self.flush_above(index);
            }
            for traced in tick.bytes {
                self.send(index, 0, traced);
            }
        }
        for receiver in &mut self.receivers {
            if let Device::Port(port) = &self.parts[receiver.port].device {
                receiver.tick(&port.bytes, &mut self.memory);
            }
        }
    }

    /// What a flush reaches above a component: funnels hand on what they hold.
    fn flush_above(&mut self, index: usize) {
        let above: Vec<usize> = self
            .links
            .iter()
            .filter(|link| link.to.0 == index)
            .map(|link| link.from.0)
            .collect();
        for up in above {
            if !matches!(self.parts[up].device, Device::Link(_)) {
                continue;
            }
            self.flush_above(up);
            let held = match &mut self.parts[up].device {
                Device::Link(link) => link.flush(),
                _ => Vec::new(),
            };
            for traced in held {
                self.send(up, 0, traced);
            }
        }
    }

    /// A byte leaves an output.
    fn send(&mut self, from: usize, output: usize, traced: Traced) {
        let link = self.links.iter().find(|link| link.from == (from, output));
        match link.map(|link| link.to) {
            Some((to, input)) => self.arrive(to, input, traced),
            None => self.lose(from, "nothing is behind it", 1),
        }
    }

    /// A byte arrives at an input.
    fn arrive(&mut self, index: usize, input: usize, traced: Traced) {
        let part = &mut self.parts[index];
        let words = &part.words;
        match &mut part.device {
            Device::Link(link) => {
                let outputs = 0..part.kind.ports().1;
                let open: Vec<usize> = outputs
                    .filter(|&output| link.passes(words, input, output, traced.0))
                    .collect();
                if open.is_empty() {
                    return self.lose(index, "the way is closed", 1);
                }
                if let Some(traced) = link.take(traced) {
                    for output in open {
                        self.send(index, output, traced);
                    }
                }
            }
            Device::Memory(memory) if memory.is_on() => {
                if let Some(traced) = memory.take(traced, words) {
                    self.send(index, 0, traced);
                }
            }
            Device::Memory(_) => self.lose(index, "it does not capture", 1),
            Device::Port(port) => {
                if let Err(why) = port.take(traced, words) {
                    self.lose(index, why, 1);
                }
            }
            Device::TraceUnit(_) | Device::Other => self.lose(index, "it takes no trace", 1),
        }
    }
}
