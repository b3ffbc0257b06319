// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses of loads and stores back from two strings of bits and the addresses of their instructions.

use coretrace_abi::compressed::data_address::{
    ADDRESS_BITS, BYTE_BITS, PLACES, REPEAT_BITS, STRIDE_BITS,
};

use crate::reader::{Damaged, Reader};

/// Replays the accesses of a trace.
pub struct DataAddressReplay<'r> {
    address_bits: u32,
    hits: Reader<'r>,
    misses: Reader<'r>,
    /// The byte that is being used, how many of its bits are left, and how often it comes again.
    byte: u64,
    left: u32,
    again: u64,
    /// The last address and the distance to it, by instruction.
    places: Vec<(u64, u64)>,
}

impl<'r> DataAddressReplay<'r> {
    /// Of the two strings.
    pub fn new(is_wide: bool, hits: Reader<'r>, misses: Reader<'r>) -> DataAddressReplay<'r> {
        DataAddressReplay {
            address_bits: ADDRESS_BITS[usize::from(is_wide)],
            hits,
            misses,
            byte: 0,
            left: 0,
            again: 0,
            places: vec![(0, 0); PLACES],
        }
    }

    /// Where the instruction at `pc`, which is the next load or store, does that.
    ///
    /// # Errors
    /// If the strings have no more accesses.
    pub fn access(&mut self, pc: u64) -> Result<u64, Damaged> {
        let number = (pc / 4 % PLACES as u64) as usize;
        let (last, stride) = self.places[number];
        let address = match self.is_hit()? {
            true => last.wrapping_add(stride),
            false => self.misses.field(self.address_bits)?,
        };
        let above = u64::BITS - STRIDE_BITS;
        let stride = (address.wrapping_sub(last) << above).cast_signed() >> above;
        self.places[number] = (address, stride.cast_unsigned());
        Ok(address)
    }

    fn is_hit(&mut self) -> Result<bool, Damaged> {
        if self.left == 0 {
            self.begin_byte()?;
        }
        self.left -= 1;
        Ok(self.byte >> (BYTE_BITS - 1 - self.left) & 1 == 1)
    }

    fn begin_byte(&mut self) -> Result<(), Damaged> {
        self.left = BYTE_BITS;
        if self.again > 0 {
            self.again -= 1;
            return Ok(());
        }
        let comes_again = self.hits.bit()?;
        self.byte = self.hits.field(BYTE_BITS)?;
        if comes_again {
            self.again = self.hits.field(REPEAT_BITS)?;
        }
        Ok(())
    }
}
