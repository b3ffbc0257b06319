// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values to text, without `core::fmt`: a listing is mostly numbers, and this is faster.

use super::Value;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends a decimal number.
pub fn decimal(out: &mut String, value: u64) {
    digits(out, value, 10, 1, b'0');
}

/// Appends a decimal number, right-aligned in a column of `width` places, at most 20.
pub fn column(out: &mut String, value: u64, width: usize) {
    digits(out, value, 10, width, b' ');
}

/// Appends a hexadecimal number of at least `width` digits, at most 20.
pub fn hex(out: &mut String, value: u64, width: usize) {
    digits(out, value, 16, width, b'0');
}

/// Appends bytes, two digits each.
pub fn bytes(out: &mut String, bytes: &[u8]) {
    out.reserve(2 * bytes.len());
    for &byte in bytes {
        out.push(digit(byte >> 4));
        out.push(digit(byte & 15));
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

fn prefixed(out: &mut String, value: u64, width: usize) {
    out.push_str("0x");
    hex(out, value, width);
}

fn digit(value: u8) -> char {
    char::from(DIGITS[usize::from(value & 15)])
}

fn digits(out: &mut String, mut value: u64, base: u64, width: usize, fill: u8) {
    let mut buffer = [fill; 20];
    let mut start = buffer.len();
    loop {
        start -= 1;
        buffer[start] = DIGITS[(value % base) as usize];
        value /= base;
        if value == 0 {
            break;
        }
    }
    start = start.min(buffer.len().saturating_sub(width));
    // The digits are ASCII, so this never fails.
    out.push_str(core::str::from_utf8(&buffer[start..]).unwrap_or_default());
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
