// SPDX-License-Identifier: MIT OR Apache-2.0
//! Damage to bytes between the port and the decoder.

use crate::{Rng, StreamOptions, legal_stream};
use coretrace_etm::Config;
use rand::RngExt;

/// One kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// A bit is inverted.
    BitFlip,
    /// A byte is missing.
    LostByte,
    /// A byte is repeated.
    DoubledByte,
    /// Four bytes are missing, at a multiple of four.
    LostWord,
}

impl Damage {
    /// Every kind.
    pub const ALL: [Damage; 4] = [
        Damage::BitFlip,
        Damage::LostByte,
        Damage::DoubledByte,
        Damage::LostWord,
    ];
}

/// Damages bytes, each place with probability `rate` (per byte, or per word for lost words).
pub fn damage(rng: &mut Rng, bytes: &[u8], kind: Damage, rate: f64) -> Vec<u8> {
    if kind == Damage::LostWord {
        return bytes
            .chunks(4)
            .filter(|_| !rng.random_bool(rate))
            .flatten()
            .copied()
            .collect();
    }
    let mut out = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if !rng.random_bool(rate) {
            out.push(byte);
            continue;
        }
        match kind {
            Damage::BitFlip => out.push(byte ^ 1 << rng.random_range(0..8)),
            Damage::DoubledByte => out.extend([byte, byte]),
            Damage::LostByte | Damage::LostWord => {}
        }
    }
    out
}

/// The bytes of a legal stream; if `broken`, with that damage at one place in a hundred.
pub fn stream_bytes(
    rng: &mut Rng,
    config: &Config,
    options: &StreamOptions,
    broken: Option<Damage>,
) -> Vec<u8> {
    let bytes = legal_stream(rng, config, options).bytes;
    match broken {
        Some(kind) => damage(rng, &bytes, kind, 0.01),
        None => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng;

    #[test]
    fn damage_changes_as_many_places_as_asked_for() {
        let bytes = vec![0x55; 10_000];
        for kind in Damage::ALL {
            assert_eq!(damage(&mut rng(1), &bytes, kind, 0.0), bytes, "{kind:?}");
        }
        let flipped = damage(&mut rng(1), &bytes, Damage::BitFlip, 0.01);
        let wrong = flipped.iter().filter(|&&byte| byte != 0x55).count();
        assert!((60..140).contains(&wrong), "{wrong} flips");
        assert_eq!(
            damage(&mut rng(1), &bytes, Damage::LostWord, 0.5).len() % 4,
            0
        );
    }
}
