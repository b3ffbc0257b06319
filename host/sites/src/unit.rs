// SPDX-License-Identifier: MIT OR Apache-2.0
//! All of it in a row: items in, events out.

use coretrace_etm::{Protocol, SourceConfig};
use coretrace_flow::Rules;

use crate::commit::CommitQueue;
use crate::event::Event;
use crate::item::FlowItem;
use crate::merge::Merge;
use crate::table::FlowTable;
use crate::walk::{Walk, WalkSettings};

/// Follows the program of one source.
#[derive(Clone, Debug)]
pub struct FlowUnit {
    queue: CommitQueue,
    merge: Merge,
    walk: Walk,
    /// Cycles are counted.
    counts_cycles: bool,
}

impl FlowUnit {
    /// Of this source.
    pub fn new(source: &SourceConfig) -> FlowUnit {
        FlowUnit::with(source, false)
    }

    /// Of this source, by segments if it has no return stack: what two walkers do. They count no cycles: those behind
    /// an address would be of a branch of the other walker.
    pub fn of_segments(source: &SourceConfig) -> FlowUnit {
        FlowUnit::with(source, true)
    }

    fn with(source: &SourceConfig, segments: bool) -> FlowUnit {
        // TRCCONFIGR.RS
        let return_stack = source.registers.trcconfigr >> 12 & 1 == 1;
        let settings = WalkSettings {
            return_stack,
            passes: source.protocol == Protocol::Ete,
            segments: segments && !return_stack,
        };
        FlowUnit {
            queue: CommitQueue::new(Rules::new(source).config.max_spec),
            merge: Merge::default(),
            walk: Walk::new(settings),
            counts_cycles: !segments,
        }
    }

    /// Its units.
    pub(crate) fn parts(self) -> (CommitQueue, Merge, Walk) {
        (self.queue, self.merge, self.walk)
    }

    /// Takes an item; `sink` gets what happens with it.
    pub fn item(&mut self, item: FlowItem, table: &FlowTable, sink: &mut impl FnMut(Event)) {
        let FlowUnit {
            queue,
            merge,
            walk,
            counts_cycles,
        } = self;
        if matches!(item, FlowItem::Cycles(_)) && !*counts_cycles {
            return;
        }
        queue.item(item, &mut |item| {
            merge.item(item, table, &mut |token| walk.token(&token, table, sink));
        });
    }

    /// Atoms that were walked, and that were skipped. Those that wait are neither.
    pub fn atoms(&self) -> (u64, u64) {
        self.walk.atoms()
    }
}
