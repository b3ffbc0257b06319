// SPDX-License-Identifier: MIT OR Apache-2.0
//! Input for the tests of this module: legal frames, broken ports and pauses.

use coretrace_coresight::{FRAME_BYTES, FSYNC_FIRST, Frame, HSYNC, SYNC_BYTE};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// Runs `test` with many generators; the seed of a failure is the last one printed.
pub fn with_seeds(count: u64, test: impl Fn(&mut StdRng)) {
    for seed in 0..count {
        println!("seed {seed}");
        test(&mut StdRng::seed_from_u64(seed));
    }
}

/// In which cycles a word is there.
#[derive(Clone, Copy, Debug)]
pub struct Pauses {
    /// Bit `n` for the cycles `n`, `n + 8` and so on.
    pattern: u8,
}

impl Pauses {
    /// A word in every cycle.
    pub const NONE: Self = Self { pattern: 0xFF };

    /// Every pattern of four cycles that has a word at all.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..16).map(|four| Self {
            pattern: four << 4 | four,
        })
    }

    /// Any pattern of eight cycles with at least one word.
    pub fn random(rng: &mut StdRng) -> Self {
        Self {
            pattern: rng.random_range(1..=0xFF),
        }
    }

    /// The items with `None` in the cycles in which there is none.
    pub fn between<T>(self, items: impl IntoIterator<Item = T>) -> impl Iterator<Item = Option<T>> {
        let mut items = items.into_iter().peekable();
        let mut cycle = 0;
        std::iter::from_fn(move || {
            items.peek()?;
            cycle += 1;
            Some(if self.pattern >> (cycle % 8) & 1 == 1 {
                items.next()
            } else {
                None
            })
        })
    }
}

/// A frame that a port may carry: no mixed byte looks like a sync.
pub fn random_frame(rng: &mut StdRng) -> Frame {
    let mut frame: Frame = rng.random();
    for mixed in frame.iter_mut().take(FRAME_BYTES).step_by(2) {
        // A few IDs of each kind, so that they repeat and match.
        *mixed = *[0x21, 0x41, 0x01, 0xE1, 0xFB, *mixed, *mixed & 0xFE]
            .choose(rng)
            .unwrap();
        if *mixed == SYNC_BYTE {
            *mixed = 0x00;
        }
    }
    frame
}

/// Frames and syncs, and now and then something that is neither, in any half-word alignment.
pub fn random_words(rng: &mut StdRng, items: usize) -> Vec<u32> {
    let mut half_words = vec![FSYNC_FIRST, HSYNC];
    for _ in 0..items {
        match rng.random_range(0..40) {
            0..20 => {
                let frame = random_frame(rng);
                for pair in frame.chunks(2) {
                    if rng.random_ratio(1, 10) {
                        half_words.push(HSYNC);
                    }
                    half_words.push(u16::from_le_bytes([pair[0], pair[1]]));
                }
            }
            20..30 => half_words.extend([FSYNC_FIRST, HSYNC]),
            30..36 => half_words.push(HSYNC),
            36 => half_words.push(FSYNC_FIRST),
            37 => half_words.push(u16::from(SYNC_BYTE) | rng.random::<u16>() << 8),
            38 => half_words.push(rng.random::<u16>()),
            _ => half_words.extend(vec![0x2020; rng.random_range(1..8)]),
        }
    }
    words(&half_words)
}

/// Two half-words to a word, a half sync at the end if one is missing.
pub fn words(half_words: &[u16]) -> Vec<u32> {
    let pair = |pair: &[u16]| {
        let second = pair.get(1).copied().unwrap_or(HSYNC);
        u32::from(second) << 16 | u32::from(pair[0])
    };
    half_words.chunks(2).map(pair).collect()
}
