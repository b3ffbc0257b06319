// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counting between triggers: what a walk says, without what is not to be counted.

use coretrace_abi::flow_table::Trigger;

use crate::event::Event;
use crate::table::FlowTable;

/// Lets through what is executed behind [`Trigger::Start`], up to [`Trigger::Stop`].
///
/// What arrives at a site departs from it all the same: counting that starts is a flow that begins, and
/// counting that stops is one that ends.
#[derive(Clone, Debug)]
pub struct CountWindow {
    is_windowed: bool,
    is_started: bool,
    /// A flow is counted, and goes on.
    is_open: bool,
    /// The branch that was taken last was counted.
    is_taken: bool,
}

impl CountWindow {
    /// Counts everything if `is_windowed` is false, else nothing up to a trigger.
    pub fn new(is_windowed: bool) -> CountWindow {
        CountWindow {
            is_windowed,
            is_started: false,
            is_open: false,
            is_taken: false,
        }
    }

    /// Whether it counts now.
    pub fn counts(&self) -> bool {
        !self.is_windowed || self.is_started
    }

    /// Takes what a walk says; `sink` gets what is to be counted.
    pub fn event(&mut self, event: Event, table: &FlowTable, sink: &mut impl FnMut(Event)) {
        match event {
            Event::Arrive { site, begins } => {
                self.trigger(table.trigger_at(site));
                if !begins {
                    self.at(site, sink);
                }
                return;
            }
            Event::Enter { site } => {
                // A branch that leads elsewhere ends a flow, too.
                self.is_open = false;
                return self.at(site, sink);
            }
            Event::Taken { site } => {
                self.is_taken = self.counts();
                if self.is_taken {
                    sink(event);
                }
                self.trigger(table.trigger_behind(site));
                return;
            }
            Event::Indirect { .. } if !self.is_taken => return,
            Event::Cycles { .. } if !self.counts() => return,
            Event::Leave { .. } if !std::mem::take(&mut self.is_open) => return,
            _ => {}
        }
        sink(event);
    }

    fn trigger(&mut self, trigger: Option<Trigger>) {
        match trigger {
            Some(Trigger::Start) => self.is_started = true,
            Some(Trigger::Stop) => self.is_started = false,
            Some(Trigger::Event) | None => {}
        }
    }

    /// An atom of a site comes now.
    fn at(&mut self, site: u32, sink: &mut impl FnMut(Event)) {
        match (self.counts(), self.is_open) {
            (true, false) => sink(Event::Enter { site }),
            (false, true) => sink(Event::Leave { site }),
            _ => {}
        }
        self.is_open = self.counts();
    }
}
