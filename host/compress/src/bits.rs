// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields of any width one behind the other, each least significant bit first.

use bitvec::prelude::{BitVec, Lsb0};
use bitvec::view::BitView;

/// A string of bits; the first one is bit 0 of the first byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits(BitVec<u8, Lsb0>);

impl Bits {
    /// How many there are.
    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes; zeros fill the last one.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.0.set_uninitialized(false);
        self.0.into_vec()
    }

    /// Adds the low bits of a value, at most 64.
    pub fn put(&mut self, value: u64, width: u32) {
        let bits = &value.view_bits::<Lsb0>()[..width as usize];
        self.0.extend(bits.iter().by_vals());
    }

    /// Adds a bit.
    pub fn put_bit(&mut self, bit: bool) {
        self.0.push(bit);
    }

    /// Adds a value in chunks of these sizes; the last one is that of all further chunks. Behind each
    /// chunk a bit says whether another one follows.
    pub fn put_chunks(&mut self, value: u64, sizes: &[u32]) {
        let mut left = value;
        let last = sizes[sizes.len() - 1];
        for size in sizes.iter().copied().chain(std::iter::repeat(last)) {
            self.put(left, size);
            left = left.checked_shr(size).unwrap_or_default();
            self.put_bit(left > 0);
            if left == 0 {
                return;
            }
        }
    }
}
