// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers that each lane of a word may write.

use coretrace_hdl_dataflow::{Word, named};

/// What a register holds before each lane, if lanes may write it: whether one does, and what. It begins
/// at 0. All are of one stage: that of the last write, a register for each pair of lanes, and one more.
#[named]
pub fn before_lanes<T: Word>(writes: &[(T, T)], reset: T) -> Vec<T> {
    let width = writes[0].1.width();
    let (mut written, mut value) = (T::constant(0, 1), T::constant(0, width));
    let mut lanes = Vec::new();
    for (number, &(write, new)) in writes.iter().enumerate() {
        lanes.push((written, value));
        value = write.mux(new, value);
        written = written.or(write);
        if number % 2 == 1 {
            (written, value) = (written.reg(), value.reg());
        }
    }
    let now = value.stage();
    let (held, next) = T::register(width, now);
    let go = reset.at_stage(now).not();
    T::set_next(next, written.at_stage(now).mux(value, held).mask(go));
    lanes
        .into_iter()
        .map(|(written, value)| written.at_stage(now).mux(value.at_stage(now), held).reg())
        .collect()
}
