// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trace from component to component.

use std::collections::BTreeSet;

use crate::device::{Device, Traced};
use crate::world::World;

/// Inputs at which a byte arrives, at most: where ways part and meet again, it arrives at each by every way.
const MOST_WAYS: usize = 1024;

impl World {
    /// A tick: every component in the order of the topology.
    pub(crate) fn tick(&mut self) {
        for index in 0..self.parts.len() {
            let part = &mut self.parts[index];
            let tick = part.device.tick(&mut part.words);
            if tick.is_flush {
                self.flush_above(index, &mut BTreeSet::new());
            }
            for traced in tick.bytes {
                self.release(index, traced);
            }
        }
        for receiver in &mut self.receivers {
            if let Device::Port(port) = &self.parts[receiver.port].device {
                receiver.tick(&port.bytes, &mut self.memory);
            }
        }
    }

    /// What a flush reaches above a component: funnels hand on what they hold, those above before those below.
    fn flush_above(&mut self, index: usize, met: &mut BTreeSet<usize>) {
        let above = self.links.iter().filter(|link| link.to.0 == index);
        let above: Vec<usize> = above.map(|link| link.from.0).collect();
        for up in above {
            if !matches!(self.parts[up].device, Device::Link(_)) || !met.insert(up) {
                continue;
            }
            self.flush_above(up, met);
            let held = match &mut self.parts[up].device {
                Device::Link(link) => link.flush(),
                _ => Vec::new(),
            };
            for traced in held {
                self.release(up, traced);
            }
        }
    }

    /// A byte leaves a component by itself, and goes as far as it comes.
    fn release(&mut self, from: usize, traced: Traced) {
        self.ways = 0;
        self.send(from, 0, traced);
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
        self.ways += 1;
        if self.ways > MOST_WAYS {
            return self.lose(index, "it goes too many ways", 1);
        }
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
            Device::TraceUnit(_) | Device::Stm(_) | Device::Other => {
                self.lose(index, "it takes no trace", 1);
            }
        }
    }
}
