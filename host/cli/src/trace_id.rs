// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trace IDs on the command line: hexadecimal, as listings show them.

use coretrace_coresight::TraceId;

/// Reads `10` or `0x10` as the trace ID 0x10.
///
/// # Errors
/// If it is not a hexadecimal number, or not the ID of a source.
pub fn parse(text: &str) -> Result<TraceId, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u8::from_str_radix(digits, 16)
        .ok()
        .and_then(TraceId::new)
        .filter(|id| id.is_source())
        .ok_or_else(|| "a trace source has a hexadecimal ID from 01 to 6f".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_hexadecimal_and_those_of_sources() {
        assert_eq!(parse("10"), parse("0x10"));
        assert_eq!(parse("6F").map(TraceId::value), Ok(0x6F));
        for text in ["0", "70", "xyz", "110", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
