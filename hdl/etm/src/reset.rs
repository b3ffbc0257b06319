// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is on its way through a decoder when its reset comes never comes out.

use coretrace_hdl_dataflow::{Word, all, named};

/// `valid` at the stage `end` of the outputs, but for the words from before a reset.
///
/// `reset` is the pin itself; `restart` comes with the first word after it.
#[named]
pub(crate) fn valid_after_reset<T: Word>(valid: T, reset: T, restart: T, end: u32) -> T {
    let reset = reset.steady();
    let (dropping, held) = T::register(1, end);
    T::set_next(held, reset.or(dropping.and(restart.at_stage(end).not())));
    all(&[valid.at_stage(end), dropping.not(), reset.not()])
}
