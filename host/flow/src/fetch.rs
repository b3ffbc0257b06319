// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions from images.

use coretrace_isa::{Instruction, Isa, decode};

use crate::images::{ImageSet, Images};

/// Fetches instructions one after the other.
pub struct Fetch<'i> {
    images: &'i Images,
    set: ImageSet,
    isa: Isa,
    address: u64,
    /// What is left of the image at the address.
    bytes: &'i [u8],
}

impl Images {
    /// The instructions from an address on.
    pub fn fetch(&self, set: ImageSet, isa: Isa, address: u64) -> Fetch<'_> {
        Fetch {
            images: self,
            set,
            isa,
            address,
            bytes: self.at(set, address),
        }
    }
}

impl Fetch<'_> {
    /// The next four bytes, and how many of them there are: they may be in several images.
    fn split_bytes(&self) -> ([u8; 4], usize) {
        let mut all = [0; 4];
        let mut count = 0;
        while count < all.len() {
            let address = self.address.wrapping_add(count as u64);
            let Some(byte) = self.images.at(self.set, address).first() else {
                break;
            };
            all[count] = *byte;
            count += 1;
        }
        (all, count)
    }
}

impl Iterator for Fetch<'_> {
    type Item = Instruction;

    /// The next instruction; none if an image with all of it is missing.
    fn next(&mut self) -> Option<Instruction> {
        let found = instruction(self.bytes, self.isa, self.address).or_else(|| {
            let (bytes, count) = self.split_bytes();
            instruction(&bytes[..count], self.isa, self.address)
        })?;
        self.address = self.address.wrapping_add(found.size.into());
        self.bytes = match self.bytes.get(found.size.into()..) {
            Some(rest) if !rest.is_empty() => rest,
            _ => self.images.at(self.set, self.address),
        };
        Some(found)
    }
}

/// The instruction at the beginning of some bytes, if all of it is there.
fn instruction(bytes: &[u8], isa: Isa, address: u64) -> Option<Instruction> {
    let word = match isa {
        Isa::A64 | Isa::A32 => u32::from_le_bytes(*bytes.first_chunk()?),
        Isa::T32 => {
            let halfword = |at: usize| {
                let half = bytes.get(at..)?.first_chunk()?;
                Some(u32::from(u16::from_le_bytes(*half)))
            };
            let first = halfword(0)? << 16;
            if isa.size(first) == 2 {
                first
            } else {
                first | halfword(2)?
            }
        }
    };
    Some(decode(isa, word, address))
}
