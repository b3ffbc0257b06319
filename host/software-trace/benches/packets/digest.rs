// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets folded into one number.

/// A number of packets, and the sum of what they are.
#[derive(Clone, Copy, Default)]
pub struct Digest {
    pub packets: u64,
    pub value: u64,
}

impl Digest {
    /// Folds the fields of a packet in. Its number gives every packet its place, so the sums of packets do
    /// not wait for each other.
    #[inline(always)]
    pub fn fold(&mut self, fields: [u64; 4]) {
        let [first, second, third, fourth] = fields;
        let all = first ^ second.rotate_left(16) ^ third.rotate_left(32) ^ fourth.rotate_left(48);
        let all = (all ^ self.packets.rotate_left(24)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.value = self.value.wrapping_add(all ^ all >> 32);
        self.packets += 1;
    }
}
