// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values to text, without `core::fmt`: a listing is mostly numbers, and this is faster.

use super::Value;

/// The two hexadecimal digits of every byte.
pub const PAIRS: [[u8; 2]; 256] = pairs(16);

/// The two digits of every number below 100.
pub const DECIMALS: [[u8; 2]; 100] = pairs(10);

/// The two digits of the first numbers.
const fn pairs<const NUMBERS: usize>(base: usize) -> [[u8; 2]; NUMBERS] {
    let digits = b"0123456789abcdef";
    let (mut pairs, mut number) = ([[0; 2]; NUMBERS], 0);
    while number < NUMBERS {
        pairs[number] = [digits[number / base], digits[number % base]];
        number += 1;
    }
    pairs
}

/// Appends a decimal number.
pub fn decimal(out: &mut String, value: u64) {
    out.push_str(itoa::Buffer::new().format(value));
}

/// Appends a decimal number, right-aligned in a column of `width` places, at most 20.
pub fn column(out: &mut String, value: u64, width: usize) {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(value);
    spaces(out, width.saturating_sub(digits.len()));
    out.push_str(digits);
}

/// Appends spaces, at most 20.
#[inline]
pub fn spaces(out: &mut String, count: usize) {
    const SPACES: &str = "                    ";
    out.push_str(&SPACES[..count.min(SPACES.len())]);
}

/// Appends a hexadecimal number of at least `width` digits, at most 16.
pub fn hex(out: &mut String, value: u64, width: usize) {
    let (digits, count) = hex_digits(value, width);
    // The digits are ASCII, so this never fails.
    out.push_str(core::str::from_utf8(&digits[..count]).unwrap_or_default());
}

/// The digits of a hexadecimal number of at least `width` digits, from the first one, and how many they are.
#[inline]
pub fn hex_digits(value: u64, width: usize) -> ([u8; 16], usize) {
    let [high, low] = [value >> 32, value & u64::from(u32::MAX)].map(all_digits);
    let needed = (u64::BITS - value.leading_zeros()).div_ceil(4) as usize;
    let count = needed.max(width).clamp(1, 16);
    let digits = (u128::from(high) << 64 | u128::from(low)) << (8 * (16 - count));
    (digits.to_be_bytes(), count)
}

/// The eight digits of a 32-bit number, all at once: a byte for each, the first one on top.
#[inline]
fn all_digits(value: u64) -> u64 {
    let pairs = (value | value << 16) & 0x0000_FFFF_0000_FFFF;
    let bytes = (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF;
    let nibbles = (bytes | bytes << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    // 1 in the bytes that are letters.
    let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    nibbles + 0x3030_3030_3030_3030 + letters * u64::from(b'a' - b'0' - 10)
}

/// Appends bytes, two digits each.
pub fn bytes(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        out.extend(PAIRS[usize::from(*byte)].map(char::from));
    }
}

/// Appends a value; `width` is the minimum number of digits of a [`Value::Wide`].
pub fn value(out: &mut String, value: Value, width: usize) {
    match value {
        Value::Number(number) => decimal(out, u64::from(number)),
        Value::Bits(bits) => prefixed(out, u64::from(bits), 1),
        Value::Wide(bits) => prefixed(out, bits, width),
        Value::Word(word) => out.push_str(word),
        Value::Flag(flag) => out.push(if flag { '1' } else { '0' }),
        Value::Atoms(atoms) => out.extend(atoms.iter().map(|e| if e { 'E' } else { 'N' })),
        Value::Interrupt(number) => {
            out.push_str("IRQ");
            decimal(out, u64::from(number));
        }
    }
}

/// Appends `0x` and a hexadecimal number of at least `width` digits.
pub fn prefixed(out: &mut String, value: u64, width: usize) {
    out.push_str("0x");
    hex(out, value, width);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_standard_formatter() {
        for value in [0, 1, 9, 10, 15, 16, 255, 0x1234_5678_9ABC_DEF0, u64::MAX] {
            let mut out = String::new();
            decimal(&mut out, value);
            out.push(' ');
            hex(&mut out, value, 1);
            out.push(' ');
            hex(&mut out, value, 16);
            column(&mut out, value, 6);
            assert_eq!(out, format!("{value} {value:x} {value:016x}{value:6}"));
        }
        let mut out = String::new();
        bytes(&mut out, &[0x00, 0x9D, 0xFF]);
        assert_eq!(out, "009dff");
    }
}
