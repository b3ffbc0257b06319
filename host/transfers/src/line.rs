// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets and transfers as text: columns for people, tab-separated columns, JSON for programs.

use std::fmt::Write;

use coretrace_data_trace::{Element, Grammar, Kind, Record};

use crate::associate::Found;

/// The value of `schema` in the JSON objects of packets.
pub const PACKET_SCHEMA: &str = "etm4.data-packet.1";
/// The value of `schema` in the JSON objects of transfers.
pub const SCHEMA: &str = "etm4.transfer.1";

/// A line: a name, a place and fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Offset in the data trace.
    pub offset: u64,
    /// What it is.
    pub name: String,
    /// Names and values.
    pub fields: Vec<(String, Value)>,
}

/// A value in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Decimal.
    Number(u64),
    /// Hexadecimal.
    Bits(u64),
}

impl Line {
    /// The line of a packet.
    pub fn of_packet(grammar: &Grammar, record: &Record) -> Line {
        let packet = |index: usize| grammar.packets()[index].name.clone();
        let name = match record.kind {
            Kind::Packet(index) => packet(index),
            Kind::Raw(index) => format!("RAW:{}", packet(index)),
            Kind::Reserved => "RESERVED".to_owned(),
            Kind::Incomplete => "INCOMPLETE_EOT".to_owned(),
            Kind::NotSync => "NOTSYNC".to_owned(),
        };
        let mut fields = vec![("len".to_owned(), Value::Number(record.len))];
        let values = record.fields.iter();
        fields.extend(values.map(|field| (field.name.clone(), Value::Bits(field.value))));
        Line {
            offset: record.offset,
            name,
            fields,
        }
    }

    /// The line of a transfer or a value, or of what is between them.
    pub fn of_found(found: &Found) -> Line {
        let (offset, name, fields) = match *found {
            Found::Transfer {
                number,
                offset,
                address,
                parent,
            } => {
                let mut fields = vec![
                    ("transfer", Value::Number(number)),
                    ("p0key", Value::Number(address.parent)),
                ];
                if let Some(parent) = parent {
                    fields.push(("p0off", Value::Number(parent.offset)));
                    fields.push(("p0atom", Value::Number(u64::from(parent.atom))));
                }
                fields.extend([
                    ("key", Value::Number(address.key)),
                    ("index", Value::Number(address.index)),
                ]);
                fields.extend(
                    address
                        .address
                        .map(|address| ("addr", Value::Bits(address))),
                );
                (offset, "TRANSFER", fields)
            }
            Found::Value {
                offset,
                key,
                value,
                transfer,
            } => {
                let mut fields = vec![("key", Value::Number(key)), ("value", Value::Bits(value))];
                fields.extend(transfer.map(|number| ("transfer", Value::Number(number))));
                (offset, "VALUE", fields)
            }
            Found::Other(offset, element) => {
                let (name, fields) = match element {
                    Element::Mark(number) => ("MARK", vec![("number", Value::Number(number))]),
                    Element::Pin => ("MARK", vec![]),
                    Element::Timestamp(time) => ("TIMESTAMP", vec![("ts", Value::Bits(time))]),
                    Element::Sync => ("A_SYNC", vec![]),
                    Element::Lost => ("LOST", vec![]),
                    Element::Address(_) | Element::Value { .. } => ("ELEMENT", vec![]),
                };
                (offset, name, fields)
            }
        };
        Line {
            offset,
            name: name.to_owned(),
            fields: fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        }
    }

    /// Appends columns for people: offset, trace ID, name, and every field as `key=value`.
    pub fn text(&self, out: &mut String, id: u8) {
        let _ = write!(out, "{:>10}  {id:02x}  {:<25}", self.offset, self.name);
        self.put(out, ' ');
    }

    /// Appends the tab-separated columns offset, trace ID, name and fields.
    pub fn tsv(&self, out: &mut String, id: u8) {
        let _ = write!(out, "{}\t{id:02x}\t{}", self.offset, self.name);
        self.put(out, '\t');
    }

    /// Appends one object and a line end: `schema`, `id`, `off`, `type`, and every field; bit patterns are strings.
    pub fn json(&self, out: &mut String, id: u8, schema: &str) {
        let Line {
            offset,
            name,
            fields,
        } = self;
        let _ = write!(
            out,
            "{{\"schema\":\"{schema}\",\"id\":{id},\"off\":{offset},\"type\":\"{name}\""
        );
        for (name, value) in fields {
            let _ = match value {
                Value::Number(number) => write!(out, ",\"{name}\":{number}"),
                Value::Bits(bits) => write!(out, ",\"{name}\":\"{bits:#x}\""),
            };
        }
        out.push_str("}\n");
    }

    fn put(&self, out: &mut String, separator: char) {
        for (name, value) in &self.fields {
            let _ = match value {
                Value::Number(number) => write!(out, "{separator}{name}={number}"),
                Value::Bits(bits) => write!(out, "{separator}{name}={bits:#x}"),
            };
        }
        out.push('\n');
    }
}
