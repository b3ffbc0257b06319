// SPDX-License-Identifier: MIT OR Apache-2.0
//! The columns of software trace, which files of packets and of elements have.

use coretrace_software_trace::{Record, Value, all_fields};

use crate::table::Row;

/// Numbers of the columns.
pub struct Columns {
    pub data: usize,
    pub timestamp: usize,
    pub address: usize,
    pub master: usize,
    pub channel: usize,
    pub port: usize,
    pub size: usize,
    pub dwt: usize,
    pub comparator: usize,
    pub exception: usize,
    pub action: usize,
}

/// The columns of a table, by the constants with their numbers.
macro_rules! columns_here {
    () => {
        crate::software::Columns {
            data: DATA,
            timestamp: TIMESTAMP,
            address: ADDRESS,
            master: MASTER,
            channel: CHANNEL,
            port: PORT,
            size: SIZE,
            dwt: DWT,
            comparator: COMPARATOR,
            exception: EXCEPTION,
            action: ACTION,
        }
    };
}

pub(crate) use columns_here;

impl Columns {
    /// Sets what a packet has of them.
    pub fn fill(&self, row: &mut Row<'_>, record: &Record) {
        let is_stm = matches!(record, Record::Stm(_));
        all_fields(record, |key, value| match (key, value) {
            ("data" | "value" | "ver", Value::Bits(data)) => row.wide(self.data, data),
            ("freq", Value::Number(hertz)) if is_stm => row.wide(self.data, hertz),
            ("ts", Value::Bits(time)) | ("time", Value::Number(time)) => {
                row.wide(self.timestamp, time);
            }
            ("pc", Value::Bits(address)) => row.wide(self.address, address),
            ("dwt", Value::Word(what)) => row.text(self.dwt, what),
            ("action", Value::Word(action)) => row.text(self.action, action),
            (_, Value::Bits(value) | Value::Number(value)) => {
                if let Some(column) = self.number(key) {
                    row.number(column, value as u32);
                }
            }
            _ => {}
        });
    }

    /// The column of a number.
    fn number(&self, key: &str) -> Option<usize> {
        Some(match key {
            "master" => self.master,
            "chan" => self.channel,
            "port" => self.port,
            "size" => self.size,
            "comparator" => self.comparator,
            "number" => self.exception,
            _ => return None,
        })
    }
}
