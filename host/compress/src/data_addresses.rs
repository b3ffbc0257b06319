// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data address encoder: a cache of addresses and strides by instruction.

use coretrace_abi::compressed::data_address::{ADDRESS_BITS, PLACES};

use crate::bits::Bits;
use crate::repeats::Repeats;

/// The access before at a place of the cache, and the low bits of how far it moved.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    address: u64,
    stride: i8,
}

/// What a reader needs.
#[derive(Clone, Debug)]
pub struct DataTrace {
    /// How many accesses there were.
    pub accesses: u64,
    /// Which of them were hits.
    pub hits: Bits,
    /// The addresses of the others.
    pub misses: Bits,
}

/// Encodes the addresses of loads and stores; [`coretrace_abi::compressed::data_address`] has the fields.
#[derive(Clone, Debug)]
pub struct DataAddresses {
    address_bits: u32,
    places: Vec<Place>,
    accesses: u64,
    hits: Repeats,
    misses: Bits,
}

impl DataAddresses {
    /// An encoder that has not seen an access; the addresses of A64 are wide.
    pub fn new(is_wide: bool) -> DataAddresses {
        DataAddresses {
            address_bits: ADDRESS_BITS[usize::from(is_wide)],
            places: vec![Place::default(); PLACES],
            accesses: 0,
            hits: Repeats::default(),
            misses: Bits::default(),
        }
    }

    /// The instruction at `pc` loads or stores at an address, which has no more bits than all.
    pub fn access(&mut self, pc: u64, address: u64) {
        self.accesses += 1;
        let place = &mut self.places[(pc >> 2) as usize % PLACES];
        let moved = address.wrapping_sub(place.address);
        let is_hit = moved.cast_signed() == i64::from(place.stride);
        self.hits.put(is_hit);
        if !is_hit {
            self.misses.put(address, self.address_bits);
        }
        *place = Place {
            address,
            stride: moved as i8,
        };
    }

    /// Ends the trace.
    pub fn finish(self) -> DataTrace {
        DataTrace {
            accesses: self.accesses,
            hits: self.hits.finish(),
            misses: self.misses,
        }
    }
}
