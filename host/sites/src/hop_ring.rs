// SPDX-License-Identifier: MIT OR Apache-2.0
//! The newest hops of a program, up to a trigger.

use std::collections::VecDeque;

use coretrace_abi::flow_stream::{Hop, RING_HOPS};
use coretrace_abi::flow_table::Trigger;

use crate::event::Event;
use crate::table::FlowTable;

/// Keeps hops until so many [`Trigger::Event`] have come: the last one ends with the newest of these.
#[derive(Clone, Debug)]
pub struct HopRing {
    freeze_after: u32,
    events: u32,
    hops: VecDeque<Hop>,
    /// The site that something led to last, and how.
    from: Hop,
    /// Where an indirect branch led since.
    target: Option<u32>,
    is_frozen: bool,
}

impl HopRing {
    /// An empty ring that freezes at so many events; at 0, never.
    pub fn new(freeze_after: u32) -> HopRing {
        HopRing {
            freeze_after,
            events: 0,
            hops: VecDeque::new(),
            from: Hop::default(),
            target: None,
            is_frozen: false,
        }
    }

    /// Takes what a walk says.
    pub fn event(&mut self, event: &Event, table: &FlowTable) {
        match *event {
            Event::Indirect { target, .. } => self.target = Some(target),
            Event::Arrive { site, begins } => {
                let is_led = self.target.take() == Some(site);
                self.from = Hop {
                    site,
                    branch: site,
                    is_taken: false,
                    begins: begins && !is_led,
                };
                if self.counts(table.trigger_at(site)) {
                    self.push(self.from);
                    self.is_frozen = true;
                }
            }
            Event::Taken { site } => {
                self.push(Hop {
                    branch: site,
                    is_taken: true,
                    ..self.from
                });
                self.is_frozen |= self.counts(table.trigger_behind(site));
            }
            _ => {}
        }
    }

    /// Counts an event. Whether it freezes the ring.
    fn counts(&mut self, trigger: Option<Trigger>) -> bool {
        let is_event = trigger == Some(Trigger::Event);
        self.events = self.events.saturating_add(is_event.into());
        is_event && self.events == self.freeze_after
    }

    fn push(&mut self, hop: Hop) {
        if self.is_frozen {
            return;
        }
        if self.hops.len() == RING_HOPS {
            self.hops.pop_front();
        }
        self.hops.push_back(hop);
    }

    /// Triggers that are events, so far.
    pub fn events(&self) -> u32 {
        self.events
    }

    /// The hops, the oldest first, once the ring is frozen.
    pub fn frozen(&self) -> Option<impl Iterator<Item = Hop>> {
        self.is_frozen.then(|| self.hops.iter().copied())
    }
}
