// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers in arguments: decimal, or hexadecimal behind `0x`.

/// Parses a number of 64 bits.
pub fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Parses an address.
///
/// # Errors
/// If it is none, in a sentence.
pub fn address(text: &str) -> Result<u64, String> {
    number(text).ok_or_else(|| format!("{text} is no address, such as 0xFE800000"))
}

/// Parses `ADDRESS:BYTES`.
///
/// # Errors
/// If it is something else, in a sentence.
pub fn memory(text: &str) -> Result<(u64, u32), String> {
    let parts = text.split_once(':');
    let parsed = parts
        .and_then(|(address, bytes)| Some((number(address)?, u32::try_from(number(bytes)?).ok()?)));
    parsed.ok_or_else(|| format!("{text} is not ADDRESS:BYTES, such as 0x6B300000:0x100000"))
}
