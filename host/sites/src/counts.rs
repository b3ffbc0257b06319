// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a walk adds up: the counters of a core.

use std::collections::BTreeMap;

use coretrace_abi::flow_table::Widths;

use crate::event::Event;

/// Sums by site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteCounts {
    /// How often each branch was taken.
    pub taken: Vec<u64>,
    /// Flows that began at each site.
    pub entered: Vec<u64>,
    /// Flows that ended in front of each site.
    pub left: Vec<u64>,
    /// How often each indirect branch led to each site.
    pub indirect: BTreeMap<(u32, u32), u64>,
    /// Cycles of each site.
    pub cycles: BTreeMap<u32, u64>,
    /// Cycles while the place was not known.
    pub lost_cycles: u64,
}

impl SiteCounts {
    /// Nothing yet, for tables of this size.
    pub fn new(widths: Widths) -> SiteCounts {
        let zeros = || vec![0; widths.sites()];
        SiteCounts {
            taken: zeros(),
            entered: zeros(),
            left: zeros(),
            indirect: BTreeMap::new(),
            cycles: BTreeMap::new(),
            lost_cycles: 0,
        }
    }

    /// Adds what a walk says.
    pub fn add(&mut self, event: &Event) {
        let add = |counters: &mut Vec<u64>, site: u32| {
            if let Some(counter) = counters.get_mut(site as usize) {
                *counter += 1;
            }
        };
        match *event {
            Event::Enter { site } => add(&mut self.entered, site),
            Event::Taken { site } => add(&mut self.taken, site),
            Event::Leave { site } => add(&mut self.left, site),
            Event::Indirect { site, target } => {
                *self.indirect.entry((site, target)).or_default() += 1
            }
            Event::Cycles { count: 0, .. } => {}
            Event::Cycles { site, count } => {
                let sum = match site {
                    Some(site) => self.cycles.entry(site).or_default(),
                    None => &mut self.lost_cycles,
                };
                *sum += u64::from(count);
            }
            Event::Arrive { .. }
            | Event::Passed { .. }
            | Event::Exception { .. }
            | Event::Q { .. }
            | Event::Lost { .. }
            | Event::Found { .. }
            | Event::ReadOut => {}
        }
    }
}
