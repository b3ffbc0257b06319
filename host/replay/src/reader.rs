// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields out of a string of bits.

use bitvec::prelude::{BitSlice, Lsb0};

/// The bits are not those of an encoder: they end early, or say what cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// Reads fields, each least significant bit first.
#[derive(Clone, Debug)]
pub struct Reader<'b> {
    left: &'b BitSlice<u8, Lsb0>,
}

impl<'b> Reader<'b> {
    /// Of so many bits; the first one is bit 0 of the first byte.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn new(bytes: &'b [u8], bits: u64) -> Result<Reader<'b>, Damaged> {
        let bits = usize::try_from(bits).map_err(|_| Damaged)?;
        let all = BitSlice::from_slice(bytes);
        let left = all.get(..bits).ok_or(Damaged)?;
        Ok(Reader { left })
    }

    /// Whether all bits have been read.
    pub fn is_at_end(&self) -> bool {
        self.left.is_empty()
    }

    /// Leaves out so many bits.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn skip(&mut self, bits: u64) -> Result<(), Damaged> {
        let bits = usize::try_from(bits).map_err(|_| Damaged)?;
        self.left = self.left.get(bits..).ok_or(Damaged)?;
        Ok(())
    }

    /// The next bit.
    ///
    /// # Errors
    /// If there is none.
    pub fn bit(&mut self) -> Result<bool, Damaged> {
        let (bit, rest) = self.left.split_first().ok_or(Damaged)?;
        self.left = rest;
        Ok(*bit)
    }

    /// A field of at most 64 bits.
    ///
    /// # Errors
    /// If there are fewer bits.
    pub fn field(&mut self, width: u32) -> Result<u64, Damaged> {
        let mut value = 0;
        for place in 0..width {
            value |= u64::from(self.bit()?) << place;
        }
        Ok(value)
    }

    /// A value in chunks: behind each one a bit says whether another one follows.
    ///
    /// # Errors
    /// If it has no end, or more than 64 bits.
    pub fn chunks(&mut self, sizes: &[u32]) -> Result<u64, Damaged> {
        let (mut value, mut bits, mut number) = (0, 0, 0);
        loop {
            let size = sizes[number.min(sizes.len() - 1)];
            let chunk = self.field(size)?;
            if chunk > 0 {
                let moved = chunk.checked_shl(bits).ok_or(Damaged)?;
                if moved >> bits != chunk {
                    return Err(Damaged);
                }
                value |= moved;
            }
            if !self.bit()? {
                return Ok(value);
            }
            bits = bits.saturating_add(size);
            number += 1;
        }
    }
}
