// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values for the ports between blocks: those that the decoder reaches, and now and then random
//! ones, because a block must equal its Verilog for any input.

use coretrace_hdl_dataflow::{Carrier, Wide};
use coretrace_test_gen::{Rng, rng};
use rand::RngExt;

/// Replaces some reached values by random ones.
pub struct Mixer {
    rng: Rng,
    /// The share of random values.
    rate: f64,
}

impl Mixer {
    /// A quarter of the values are random.
    pub fn new(seed: u64) -> Mixer {
        Mixer {
            rng: rng(seed),
            rate: 0.25,
        }
    }

    /// Passes every value unchanged.
    pub fn none() -> Mixer {
        Mixer {
            rng: rng(0),
            rate: 0.0,
        }
    }

    /// The reached value, or a random one.
    pub fn mix<C: Carrier>(&mut self, reached: C) -> C {
        if self.rng.random_bool(self.rate) {
            self.any()
        } else {
            reached
        }
    }

    /// Random bits, or a value near an end of the range, where sums wrap.
    fn any<C: Carrier>(&mut self) -> C {
        let end = match self.rng.random_range(0..8) {
            0 => Some(0),
            1 => Some(u64::MAX),
            _ => None,
        };
        let width = C::BITS as u32;
        let mut wide = Wide::default();
        for low in (0..width).step_by(64) {
            let bits = (width - low).min(64);
            let value = match end {
                Some(end) => end ^ self.rng.random_range(0..8),
                None => self.rng.random(),
            };
            wide.or_field(low, bits, value & (u64::MAX >> (64 - bits)));
        }
        C::from_wide(&wide)
    }
}
