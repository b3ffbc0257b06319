// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fields of a payload, read and written.

use crate::grammar::{Count, Field, Form};
use crate::pattern::Pattern;
use crate::record::{Value, last};

/// What bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// The begin of a payload.
    Part,
    /// All of it: the fields, those of the header first.
    Whole(Vec<Value>),
}

/// The last value with this name; 0 if there is none.
pub fn value(values: &[Value], name: &str) -> u64 {
    last(values, name).map_or(0, |field| field.value)
}

fn is_there(values: &[Value], field: &Field) -> bool {
    field
        .when
        .as_ref()
        .is_none_or(|when| value(values, when) == 1)
}

/// Bytes of a field of bytes.
fn count_of(count: &Count, values: &[Value]) -> usize {
    match count {
        Count::Fixed(count) => *count,
        Count::By { field, table } => {
            let index = usize::try_from(value(values, field)).unwrap_or(usize::MAX);
            table.get(index).copied().unwrap_or(0)
        }
    }
}

/// Reads the payload behind a header.
pub fn read(pattern: &Pattern, header: u8, fields: &[Field], bytes: &[u8]) -> Read {
    let mut values: Vec<Value> = bits_of(pattern, header).collect();
    let mut rest = bytes;
    for field in fields {
        if !is_there(&values, field) {
            continue;
        }
        let (taken, found) = match &field.form {
            Form::Bytes { count, to } => {
                let count = count_of(count, &values);
                let Some(taken) = rest.get(..count) else {
                    return Read::Part;
                };
                (count, vec![named(to, little_endian(taken, 8), 8 * count)])
            }
            Form::Continued { most, to } => {
                let ends = rest.iter().take(*most).position(|byte| byte & 0x80 == 0);
                let count = match ends {
                    Some(last) => last + 1,
                    None if rest.len() >= *most => *most,
                    None => return Read::Part,
                };
                let last = rest[count - 1] & if count == 9 { 0xFF } else { 0x7F };
                let low = little_endian(&rest[..count - 1], 7);
                let value = low | u64::from(last) << (7 * (count - 1));
                (
                    count,
                    vec![named(to, value, if count == 9 { 64 } else { 7 * count })],
                )
            }
            Form::Bits(pattern) => {
                let Some(byte) = rest.first() else {
                    return Read::Part;
                };
                (1, bits_of(pattern, *byte).collect())
            }
        };
        values.extend(found);
        rest = &rest[taken..];
    }
    Read::Whole(values)
}

/// Writes a payload whose fields have these values; a field without one is 0. The inverse of [`read`], but for
/// the length of a continued field: that is the least one of its value.
pub fn write(fields: &[Field], values: &[Value], out: &mut Vec<u8>) {
    for field in fields {
        if !is_there(values, field) {
            continue;
        }
        match &field.form {
            Form::Bytes { count, to } => {
                let bytes = value(values, to).to_le_bytes();
                out.extend(bytes.iter().take(count_of(count, values)));
            }
            Form::Continued { most, to } => {
                let mut left = value(values, to);
                for byte in 0..*most {
                    let low = if byte == 8 {
                        left as u8
                    } else {
                        left as u8 & 0x7F
                    };
                    left = if byte == 8 { 0 } else { left >> 7 };
                    let goes_on = left > 0 && byte + 1 < *most;
                    out.push(low | if goes_on { 0x80 } else { 0 });
                    if !goes_on {
                        break;
                    }
                }
            }
            Form::Bits(pattern) => {
                let fields = pattern.fields().iter();
                let byte = fields.fold(pattern.value(), |byte, field| {
                    field.put(byte, value(values, &field.name.to_string()))
                });
                out.push(byte);
            }
        }
    }
}

fn bits_of(pattern: &Pattern, byte: u8) -> impl Iterator<Item = Value> {
    let fields = pattern.fields().iter();
    fields.map(move |field| named(&field.name.to_string(), field.of(byte), field.width()))
}

/// A field.
pub fn named(name: &str, value: u64, bits: usize) -> Value {
    Value {
        name: name.to_owned(),
        value,
        bits: bits as u32,
    }
}

/// The value of bytes with so many bits each, at most eight bytes.
fn little_endian(bytes: &[u8], bits: usize) -> u64 {
    let mask = (1u64 << bits) - 1;
    let bytes = bytes.iter().enumerate();
    bytes.fold(0, |value, (index, byte)| {
        value | (u64::from(*byte) & mask) << (bits * index)
    })
}
