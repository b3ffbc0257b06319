// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places in tables.

/// The groups of so many bits of a value, one upon the other.
pub fn fold(value: u64, bits: u32) -> usize {
    let groups = (0..64).step_by(bits as usize).map(|low| value >> low);
    low(groups.fold(0, |all, group| all ^ group), bits) as usize
}

/// The low bits of a value.
pub const fn low(value: u64, bits: u32) -> u64 {
    value & ((1 << bits) - 1)
}
