// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream state as "what is left to read", in six bits.
//!
//! Neither packet type nor index is in the state: both are found later, where nothing must be
//! fast. `coretrace_etm::HEADERS` says which state follows a header.
//!
//! The codes were found by a search for little logic: few LUTs from a header to the state after it,
//! and from a state to the next one, among codes where [`by_byte`] is a matter of two fields and
//! [`HEADER`] and [`UNSYNC`] differ in one bit.

use coretrace_etm::{HEADERS, Lead, Parts};

/// Bits of a state.
pub const STATE_W: usize = 6;

/// Not a state of the stream: what the state register holds while the word in front of it starts
/// again from the start, after a loss or because it holds an A-Sync.
pub const RESTART: u64 = 0;
/// The zeros of an A-Sync.
pub const ASYNC: u64 = 34;
/// No A-Sync yet, or an error came: nothing is read.
pub const UNSYNC: u64 = 2;
/// PLCTL.
pub const PLCTL: u64 = 5;
/// A header.
pub const HEADER: u64 = 6;
/// The byte after header 0x00.
pub const EXTENSION: u64 = 4;
/// Timestamp.
pub const TIMESTAMP: u64 = 13;
/// One or two bytes, then a continuation field.
pub const SHORT_FIELD: u64 = 24;
/// Timestamp, then a continuation field.
pub const TIMESTAMP_FIELD: u64 = 9;
/// One or two bytes.
pub const SHORT: u64 = 31;
/// One or two bytes of an exception.
pub const EXCEPTION: u64 = 15;
/// The greatest number of continuation fields in a state: five sections of a Trace Info and what
/// is left of its PLCTL.
pub const MAX_FIELDS: usize = 6;
/// The greatest number of bytes before a continuation field.
pub const MAX_BYTES_FIELD: usize = 4;
/// The greatest number of bytes in a state.
pub const MAX_BYTES: usize = 9;
/// The greatest number of bytes before a context information byte.
pub const MAX_BYTES_INFO: usize = 8;

const FIELDS: [u64; MAX_FIELDS + 1] = [HEADER, 8, 12, 38, 37, 32, 28];
const BYTES_FIELD: [u64; MAX_BYTES_FIELD + 1] = [FIELDS[1], 25, 21, 17, 29];
const BYTES: [u64; MAX_BYTES + 1] = [HEADER, 14, 18, 11, 30, 23, 36, 27, 22, 3];
const BYTES_INFO: [u64; MAX_BYTES_INFO + 1] = [7, 26, 35, 16, 19, 20, 1, 33, 10];

/// This many continuation fields; none: a header.
pub const fn fields(count: usize) -> u64 {
    FIELDS[count]
}

/// This many bytes, then a continuation field.
pub const fn bytes_field(count: usize) -> u64 {
    BYTES_FIELD[count]
}

/// This many bytes; none: a header.
pub const fn bytes(count: usize) -> u64 {
    BYTES[count]
}

/// This many bytes, then the context information byte.
pub const fn bytes_info(count: usize) -> u64 {
    BYTES_INFO[count]
}

/// Which of the four states this is after which the byte alone decides the next one: a header,
/// context information, PLCTL, or the byte after header 0x00.
pub fn by_byte(code: u64) -> Option<usize> {
    (code >> 2 == 1).then_some(code as usize & 3)
}

/// Number of codes.
pub const STATES: usize = 39;

/// The state after a header that is legal, while COMMOPT is 0.
pub const fn after_header(header: u8) -> u64 {
    let row = &HEADERS[header as usize];
    let has_info = row.tail.contains(coretrace_etm::Part::Info);
    let has_field = !has_info && row.tail.0 != Parts::NONE.0;
    match row.lead {
        Lead::Extension => EXTENSION,
        Lead::Plctl => PLCTL,
        Lead::Timestamp if has_field => TIMESTAMP_FIELD,
        Lead::Timestamp => TIMESTAMP,
        Lead::Short if has_field => SHORT_FIELD,
        Lead::Short => SHORT,
        Lead::Exception => EXCEPTION,
        Lead::None if has_info => bytes_info(0),
        Lead::None => fields(row.tail.0.count_ones() as usize),
        Lead::Byte | Lead::Long32 | Lead::Long64 | Lead::Instrumentation => {
            let count = row.lead.max_bytes() as usize;
            if has_info {
                bytes_info(count)
            } else if has_field {
                bytes_field(count)
            } else {
                bytes(count)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_states_have_the_same_code() {
        let mut codes = vec![
            RESTART,
            UNSYNC,
            HEADER,
            EXTENSION,
            ASYNC,
            PLCTL,
            SHORT,
            EXCEPTION,
            SHORT_FIELD,
            TIMESTAMP,
            TIMESTAMP_FIELD,
        ];
        codes.extend((1..=MAX_FIELDS).map(fields));
        codes.extend((1..=MAX_BYTES_FIELD).map(bytes_field));
        codes.extend((1..=MAX_BYTES).map(bytes));
        codes.extend((0..=MAX_BYTES_INFO).map(bytes_info));
        codes.sort_unstable();
        assert_eq!(codes, (0..STATES as u64).collect::<Vec<_>>());
    }

    #[test]
    fn headers_lead_to_what_follows_them() {
        assert_eq!(after_header(0x86), bytes_info(8));
        assert_eq!(after_header(0xAA), bytes_field(4));
        assert_eq!(after_header(0x0E), fields(2));
        assert_eq!(after_header(0xF7), HEADER);
    }
}
