// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clock a block directly, without threads: settle, rising edge, settle.

use rust_hdl::prelude::*;

/// Sweeps after which a block that still changes is taken to oscillate.
const MAX_SWEEPS: usize = 200;

/// Lets combinational logic settle.
///
/// # Panics
/// If the block does not settle: it holds a combinational loop.
pub fn settle<B: Block>(uut: &mut B) {
    assert!(
        simulate(uut, MAX_SWEEPS),
        "combinational loop: no fixed point"
    );
}

/// One clock cycle: the inputs that the caller has set are seen by the rising edge; on return the
/// outputs are those after that edge. The clock falls together with the inputs of the next cycle.
pub fn cycle<B: Block>(uut: &mut B, set_clock: impl Fn(&mut B, Clock)) {
    set_clock(uut, Clock::from(false));
    settle(uut);
    set_clock(uut, Clock::from(true));
    settle(uut);
}
