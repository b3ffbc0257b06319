// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which bits of a half are those of the trace bus (ATB).

use core::fmt;

use super::HALF_BITS;

/// Bits of ATDATA.
const DATA_BITS: usize = 32;
/// Bits of ATBYTES.
const BYTES_BITS: usize = 2;

/// Which bits of a half are ATDATA, ATBYTES and ATVALID of a trace unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfTable {
    /// Where each bit of ATDATA is.
    pub data: [u8; DATA_BITS],
    /// Where each bit of ATBYTES is: the number of bytes less one.
    pub bytes: [u8; BYTES_BITS],
    /// Where ATVALID is.
    pub valid: u8,
}

/// Why bits are no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadTable {
    /// A half has no such bit.
    Outside(u8),
    /// It is used twice.
    Twice(u8),
}

impl fmt::Display for BadTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadTable::Outside(bit) => write!(f, "bit {bit} is not in a half of {HALF_BITS} bits"),
            BadTable::Twice(bit) => write!(f, "bit {bit} is used twice"),
        }
    }
}

impl core::error::Error for BadTable {}

impl HalfTable {
    /// ATDATA in the lowest bits, then ATBYTES, then ATVALID: a guess, and the order that tests use.
    pub const IN_ORDER: HalfTable = {
        let (mut data, mut bit) = ([0; DATA_BITS], 0);
        while bit < DATA_BITS {
            data[bit] = bit as u8;
            bit += 1;
        }
        HalfTable {
            data,
            bytes: [32, 33],
            valid: 34,
        }
    };

    /// Checks that every bit is there, and used once.
    ///
    /// # Errors
    /// The first bit that is not.
    pub fn check(&self) -> Result<(), BadTable> {
        let mut used = 0_u64;
        for bit in self.places() {
            if u32::from(bit) >= HALF_BITS {
                return Err(BadTable::Outside(bit));
            }
            if used >> bit & 1 == 1 {
                return Err(BadTable::Twice(bit));
            }
            used |= 1 << bit;
        }
        Ok(())
    }

    /// The places of ATDATA, ATBYTES and ATVALID.
    fn places(&self) -> impl Iterator<Item = u8> {
        self.data.into_iter().chain(self.bytes).chain([self.valid])
    }

    /// The bytes of a half, the first one in the lowest place, and how many there are: 0 without ATVALID.
    pub fn bytes_of(&self, half: u64) -> (u32, usize) {
        let bits = |places: &[u8]| {
            let bits = places.iter().enumerate();
            bits.fold(0, |all, (bit, place)| all | (half >> place & 1) << bit)
        };
        let count = 1 + bits(&self.bytes) as usize;
        let is_valid = bits(&[self.valid]) == 1;
        (bits(&self.data) as u32, if is_valid { count } else { 0 })
    }

    /// The half with these bytes, 0 to 4: the inverse of [`HalfTable::bytes_of`]. Bits that the table does not name
    /// are 0.
    pub fn half_of(&self, data: u32, bytes: usize) -> u64 {
        let bits = |value: u64, places: &[u8]| {
            let bits = places.iter().enumerate();
            bits.fold(0, |all, (bit, place)| all | (value >> bit & 1) << place)
        };
        let count = bytes.saturating_sub(1) as u64;
        bits(data.into(), &self.data)
            | bits(count, &self.bytes)
            | bits(u64::from(bytes > 0), &[self.valid])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits in the opposite order.
    const TURNED: HalfTable = {
        let mut table = HalfTable::IN_ORDER;
        let mut bit = 0;
        while bit < DATA_BITS {
            table.data[bit] = HALF_BITS as u8 - 1 - bit as u8;
            bit += 1;
        }
        table.bytes = [2, 0];
        table.valid = 1;
        table
    };

    #[test]
    fn a_half_has_the_bytes_that_were_put_in_it() {
        for table in [HalfTable::IN_ORDER, TURNED] {
            assert_eq!(table.check(), Ok(()));
            for bytes in 0..=4 {
                let data = 0x8421_C37E;
                let half = table.half_of(data, bytes);
                assert!(half >> HALF_BITS == 0);
                assert_eq!(table.bytes_of(half), (data, bytes));
            }
        }
        assert_eq!(HalfTable::IN_ORDER.half_of(0x1234_5678, 4), 0x7_1234_5678);
        assert_eq!(TURNED.half_of(1, 2), 1 << 35 | 0b110);
    }

    /// The echo of a DTX drives the half with a mask that software chooses: what a table makes of it is known.
    #[test]
    fn an_echo_of_each_bit_is_found_where_the_table_has_it() {
        for table in [HalfTable::IN_ORDER, TURNED] {
            for (bit, place) in table.data.into_iter().enumerate() {
                let echo = 1 << place | 1 << table.valid;
                assert_eq!(table.bytes_of(echo), (1 << bit, 1));
            }
        }
    }

    #[test]
    fn bits_that_are_used_twice_or_absent_are_refused() {
        let mut table = HalfTable::IN_ORDER;
        table.valid = 7;
        assert_eq!(table.check(), Err(BadTable::Twice(7)));
        table.valid = 36;
        assert_eq!(table.check(), Err(BadTable::Outside(36)));
    }
}
