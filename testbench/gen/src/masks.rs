// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keep masks: which lanes of a word are valid.

use crate::Rng;
use rand::RngExt;

/// The most lanes of which [`keep_masks`] gives every mask.
pub const MAX_LANES_OF_EVERY_MASK: usize = 8;
/// Random masks for each number of valid lanes.
const RANDOM_MASKS: usize = 8;

/// The masks to test, in random order. Up to [`MAX_LANES_OF_EVERY_MASK`] lanes: all of them. With
/// more lanes these are too many; then no lane, every run of adjacent lanes (including single lanes
/// and all lanes), and eight random masks for every number of valid lanes.
pub fn keep_masks(rng: &mut Rng, lanes: usize) -> Vec<u32> {
    if lanes <= MAX_LANES_OF_EVERY_MASK {
        return (0..1 << lanes).collect();
    }
    let run = |first: usize, count: usize| (u32::MAX >> (32 - count)) << first;
    let mut masks = vec![0];
    for count in 1..=lanes {
        masks.extend((0..=lanes - count).map(|first| run(first, count)));
        masks.extend((0..RANDOM_MASKS).map(|_| random_mask(rng, lanes, count)));
    }
    shuffle(rng, &mut masks);
    masks
}

/// A mask of `lanes` lanes with `count` of them.
fn random_mask(rng: &mut Rng, lanes: usize, count: usize) -> u32 {
    let mut order: Vec<usize> = (0..lanes).collect();
    shuffle(rng, &mut order);
    order[..count].iter().fold(0, |mask, lane| mask | 1 << lane)
}

fn shuffle<T>(rng: &mut Rng, list: &mut [T]) {
    for last in (1..list.len()).rev() {
        list.swap(last, rng.random_range(0..=last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng;
    use std::collections::BTreeSet;

    #[test]
    fn up_to_eight_lanes_have_every_mask() {
        for lanes in [1, 2, 4, 8] {
            let masks: BTreeSet<u32> = keep_masks(&mut rng(1), lanes).into_iter().collect();
            assert_eq!(masks, (0..1 << lanes).collect(), "{lanes} lanes");
        }
    }

    #[test]
    fn sixteen_lanes_have_every_run_and_other_masks_of_every_count() {
        let masks = keep_masks(&mut rng(1), 16);
        assert!(masks.iter().all(|&mask| mask <= 0xFFFF));
        for first in 0..16 {
            for last in first..16 {
                let run = (0xFFFF >> (15 - (last - first))) << first;
                assert!(masks.contains(&run), "lanes {first} to {last}");
            }
        }
        for count in 0..=16 {
            let of_count = masks.iter().filter(|mask| mask.count_ones() == count);
            let wanted = if count == 0 {
                1
            } else {
                17 - count as usize + RANDOM_MASKS
            };
            assert_eq!(of_count.count(), wanted, "{count} lanes");
        }
    }
}
