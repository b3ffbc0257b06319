// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields of beats, in tables that hardware, software and documents read.

/// Some bits of a beat or of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeatField {
    /// Name in upper case.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Bits.
    pub width: u32,
    /// One line for documents.
    pub text: &'static str,
}

impl BeatField {
    /// Of a width, behind the field before.
    pub(crate) const fn behind(
        before: BeatField,
        name: &'static str,
        width: u32,
        text: &'static str,
    ) -> Self {
        BeatField {
            name,
            low: before.low + before.width,
            width,
            text,
        }
    }

    /// The field in the 64-bit words of a beat; no field crosses a word.
    pub(crate) const fn get(self, beat: &[u64]) -> u64 {
        let bits = beat[self.low as usize / 64] >> (self.low % 64);
        bits & (u64::MAX >> (64 - self.width))
    }

    /// Puts a value into the words of a beat that has zeros there.
    pub(crate) const fn put(self, beat: &mut [u64], value: u64) {
        beat[self.low as usize / 64] |= value << (self.low % 64);
    }
}
