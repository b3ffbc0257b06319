// SPDX-License-Identifier: MIT OR Apache-2.0
//! The columns of packets of software trace.

use coretrace_software_trace::{Record, Value, all_fields};

use super::{
    ACTION, ADDRESS, CHANNEL, COMPARATOR, DATA, DWT, EXCEPTION, ID, KIND, LENGTH, MASTER, OFFSET,
    PORT, PROTOCOL, SIZE, SUSPECT, TIMESTAMP,
};
use crate::table::Row;

/// Fills the row of a packet.
pub fn fill(row: &mut Row<'_>, id: u8, record: &Record) {
    row.wide(OFFSET, record.offset());
    row.id(ID, id);
    row.text(
        PROTOCOL,
        match record {
            Record::Stm(_) => "STM",
            Record::Itm(_) => "ITM",
        },
    );
    row.wide(LENGTH, record.len());
    row.text(KIND, record.name());
    let mut suspect = false;
    all_fields(record, |key, value| match (key, value) {
        ("suspect", _) => suspect = true,
        ("data" | "value" | "ver", Value::Bits(data)) => row.wide(DATA, data),
        ("freq", Value::Number(hertz)) if matches!(record, Record::Stm(_)) => row.wide(DATA, hertz),
        ("ts", Value::Bits(time)) | ("time", Value::Number(time)) => row.wide(TIMESTAMP, time),
        ("pc", Value::Bits(address)) => row.wide(ADDRESS, address),
        ("dwt", Value::Word(what)) => row.text(DWT, what),
        ("action", Value::Word(action)) => row.text(ACTION, action),
        (_, Value::Bits(value) | Value::Number(value)) => {
            if let Some(column) = number(key) {
                row.number(column, value as u32);
            }
        }
        _ => {}
    });
    row.flag(SUSPECT, suspect);
}

/// The column of a number.
fn number(key: &str) -> Option<usize> {
    Some(match key {
        "master" => MASTER,
        "chan" => CHANNEL,
        "port" => PORT,
        "size" => SIZE,
        "comparator" => COMPARATOR,
        "number" => EXCEPTION,
        _ => return None,
    })
}
