// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of software trace: of an STM and of an ITM.

mod itm;
mod stm;

pub use itm::itm_stream;
pub use stm::stm_stream;

use rand::RngExt;

use crate::Rng;

/// Chance that a sync comes before a packet.
const SYNC: f64 = 0.05;
/// Chance that a unit, a nibble or a byte, of a broken stream is damaged.
const DAMAGE: f64 = 0.01;

/// A value whose bits are random, or all 0 or all 1, as those of syncs are.
fn value(rng: &mut Rng) -> u64 {
    match rng.random_range(0..6) {
        0 => 0,
        1 => u64::MAX,
        _ => rng.random(),
    }
}
