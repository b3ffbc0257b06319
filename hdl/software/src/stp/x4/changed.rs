// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of the trace state that the packets of a word change, before the loop.

use coretrace_hdl_dataflow::{Word, latest};

/// What packets do to a value.
#[derive(Clone, Copy)]
pub struct Changed<T> {
    /// They change it.
    pub changes: T,
    /// To `value`; else to 0.
    pub sets: T,
    /// Its new value.
    pub value: T,
}

impl<T: Word> Changed<T> {
    /// What a later change makes of the value, or else the one before it. One register.
    pub fn after(self, before: Changed<T>) -> Changed<T> {
        let now = latest([self.changes, before.changes]);
        let (later, before) = (self.at_stage(now), before.at_stage(now));
        let sets = later.changes.mux(later.sets, before.sets);
        let value = later.changes.mux(later.value, before.value);
        Changed {
            changes: later.changes.or(before.changes).reg(),
            sets: sets.reg(),
            value: value.mask(sets).reg(),
        }
    }

    /// The value behind the packets.
    pub fn of(self, old: T) -> T {
        let Changed { changes, value, .. } = self.at_stage(old.stage());
        changes.mux(value, old)
    }

    fn at_stage(self, stage: u32) -> Changed<T> {
        Changed {
            changes: self.changes.at_stage(stage),
            sets: self.sets.at_stage(stage),
            value: self.value.at_stage(stage),
        }
    }
}
