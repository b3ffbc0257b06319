// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes in words of four, with gaps, losses and pauses.

use coretrace_test_gen::Rng;
use rand::RngExt;

/// Lanes of a word.
pub const LANES: usize = 4;

/// A word: its bytes, which of them count, and whether bytes were lost before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Word {
    pub octets: [u8; LANES],
    pub keeps: [bool; LANES],
    pub lost: bool,
}

impl Word {
    /// The bytes that count.
    pub fn kept(&self) -> impl Iterator<Item = u8> {
        let both = self.octets.into_iter().zip(self.keeps);
        both.filter_map(|(octet, keep)| keep.then_some(octet))
    }

    /// Which lanes count, lane 0 in bit 0.
    pub fn mask(&self) -> usize {
        let lanes = self.keeps.iter().rev();
        lanes.fold(0, |mask, &keep| 2 * mask + usize::from(keep))
    }
}

/// How bytes are put into words.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The chance that a lane counts.
    pub keeps: f64,
    /// The chance of a loss before a word.
    pub losses: f64,
    /// The chance of a cycle without a word.
    pub pauses: f64,
}

/// Every lane of every word counts, in every cycle.
pub const FULL: Shape = Shape {
    keeps: 1.0,
    losses: 0.0,
    pauses: 0.0,
};

/// The cycles in which bytes come in; none in a pause. Lanes that do not count have any value.
pub fn words(rng: &mut Rng, bytes: &[u8], shape: Shape) -> Vec<Option<Word>> {
    let mut bytes = bytes.iter();
    let mut words = Vec::new();
    while bytes.len() > 0 {
        while rng.random_bool(shape.pauses) {
            words.push(None);
        }
        let mut word = Word {
            octets: rng.random(),
            keeps: [false; LANES],
            lost: rng.random_bool(shape.losses),
        };
        for (octet, keep) in word.octets.iter_mut().zip(&mut word.keeps) {
            if rng.random_bool(shape.keeps)
                && let Some(&byte) = bytes.next()
            {
                (*octet, *keep) = (byte, true);
            }
        }
        words.push(Some(word));
    }
    words
}

/// Gaps, losses and pauses of a seed: every third one has full words.
pub fn shape_of(seed: u64) -> Shape {
    match seed % 3 {
        0 => FULL,
        1 => Shape { keeps: 0.6, ..FULL },
        _ => Shape {
            keeps: 0.9,
            losses: 0.01,
            pauses: 0.2,
        },
    }
}
