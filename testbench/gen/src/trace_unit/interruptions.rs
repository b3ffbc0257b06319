// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the core is interrupted.

use super::options::Interrupts;
use crate::Rng;
use rand::RngExt;

/// The interrupts to come.
#[derive(Clone, Debug)]
pub struct Interruptions {
    /// The places that were chosen, the next one last.
    chosen: Vec<u64>,
    /// Instructions between two random ones, on average.
    distance: Option<u64>,
}

impl Interruptions {
    pub fn new(interrupts: &Interrupts, rng: &mut Rng) -> Interruptions {
        let (chosen, distance) = match interrupts {
            Interrupts::None => (Vec::new(), None),
            Interrupts::At(places) => (places.iter().rev().copied().collect(), None),
            Interrupts::Every(distance) => {
                let distance = (*distance).max(1);
                (vec![gap(distance, rng)], Some(distance))
            }
        };
        Interruptions { chosen, distance }
    }

    /// The next one, if it comes before so many instructions retired.
    pub fn before(&mut self, instructions: u64, rng: &mut Rng) -> Option<u64> {
        let place = self.chosen.pop_if(|place| *place < instructions)?;
        if let Some(distance) = self.distance {
            self.chosen.push(place.saturating_add(gap(distance, rng)));
        }
        Some(place)
    }
}

fn gap(distance: u64, rng: &mut Rng) -> u64 {
    rng.random_range(1..=distance.saturating_mul(2))
}
