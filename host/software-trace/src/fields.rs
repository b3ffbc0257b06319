// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fields of a record: one list for all listings.

use std::fmt;

use coretrace_itm as itm;
use coretrace_stm as stm;

use crate::Record;

/// A value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Decimal.
    Number(u64),
    /// Hexadecimal.
    Bits(u64),
    /// A word.
    Word(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Bits(bits) => write!(f, "{bits:#x}"),
            Value::Word(word) => f.write_str(word),
        }
    }
}

/// The fields that OpenCSD prints, in its order.
pub fn fields(record: &Record, mut put: impl FnMut(&'static str, Value)) {
    match record {
        Record::Stm(record) => of_stm(record, &mut put),
        Record::Itm(record) => of_itm(record, &mut put),
    }
}

/// What the trace state adds, for people and programs.
pub fn more_fields(record: &Record, mut put: impl FnMut(&'static str, Value)) {
    match record {
        Record::Stm(it) if it.kind.data_bits().is_some() || it.kind == stm::Kind::Flag => {
            put("master", Value::Bits(it.state.master.into()));
            put("chan", Value::Bits(it.state.channel.into()));
        }
        Record::Itm(it) => more_of_itm(it, &mut put),
        Record::Stm(_) => {}
    }
    if record.is_suspect() {
        put("suspect", Value::Number(1));
    }
}

fn of_stm(record: &stm::Record, put: &mut impl FnMut(&'static str, Value)) {
    use stm::Kind;
    let data = record.packet.data;
    match record.kind {
        Kind::Version => put("ver", Value::Bits(data)),
        Kind::Master => put("master", Value::Bits(data)),
        Kind::Channel8 | Kind::Channel16 => put("chan", Value::Bits(record.state.channel.into())),
        Kind::Frequency => put("freq", Value::Number(data)),
        Kind::MasterError | Kind::GlobalError => put("data", Value::Bits(data)),
        Kind::Trigger => {
            put("data", Value::Bits(data));
            put("trig", Value::Bits(data));
        }
        kind if kind.data_bits().is_some() => put("data", Value::Bits(data)),
        _ => {}
    }
    if record.is_stamped() {
        put("ts", Value::Bits(record.state.timestamp));
        put("tsn", Value::Number(record.packet.stamp.nibbles.into()));
    }
    if let Some(cut) = record.cut {
        put("err", Value::Word(cut.name()));
    }
}

fn of_itm(record: &itm::Record, put: &mut impl FnMut(&'static str, Value)) {
    use itm::Kind;
    let packet = &record.packet;
    let value = Value::Bits(packet.value());
    match record.kind {
        Kind::Software | Kind::Hardware => {
            put("src", Value::Number(packet.source().into()));
            put("size", Value::Number(packet.len.into()));
            put("value", value);
        }
        Kind::LocalTimestamp => {
            put("tc", Value::Number(packet.delays().into()));
            put("value", value);
        }
        Kind::GlobalTimestamp1 => {
            put("value", value);
            put("freq", Value::Number(packet.frequency_changed().into()));
            put("wrap", Value::Number(packet.wrapped().into()));
        }
        Kind::GlobalTimestamp2 => put("value", value),
        Kind::Extension => {
            put("sh", Value::Number(packet.is_of_hardware().into()));
            put("bits", Value::Number(packet.extension_bits().into()));
            put("value", value);
        }
        Kind::Incomplete => put("err", Value::Word(packet.kind.name())),
        _ => {}
    }
}

fn more_of_itm(record: &itm::Record, put: &mut impl FnMut(&'static str, Value)) {
    use itm::Kind;
    match record.kind {
        Kind::Software => put(
            "port",
            Value::Number(record.state.port(&record.packet).into()),
        ),
        Kind::LocalTimestamp => put("time", Value::Number(record.state.local_time)),
        Kind::GlobalTimestamp1 | Kind::GlobalTimestamp2 => {
            put("time", Value::Number(record.state.global_time));
        }
        _ => {}
    }
    if let Some(event) = itm::Event::of(&record.packet).filter(|_| record.kind == Kind::Hardware) {
        of_dwt(event, put);
    }
}

fn of_dwt(event: itm::Event, put: &mut impl FnMut(&'static str, Value)) {
    use itm::Event;
    let (name, comparator) = match event {
        Event::Counters(_) => ("counters", None),
        Event::Exception { .. } => ("exception", None),
        Event::ProgramCounter(_) => ("pc-sample", None),
        Event::DataProgramCounter { comparator, .. } => ("data-pc", Some(comparator)),
        Event::DataAddress { comparator, .. } => ("data-address", Some(comparator)),
        Event::DataValue {
            comparator,
            is_write,
            ..
        } => (
            if is_write { "data-write" } else { "data-read" },
            Some(comparator),
        ),
        Event::Unknown => return,
    };
    put("dwt", Value::Word(name));
    if let Some(comparator) = comparator {
        put("comparator", Value::Number(comparator.into()));
    }
    match event {
        Event::Exception { number, action } => {
            put("number", Value::Number(number.into()));
            let action = ["reserved", "enter", "exit", "return"][usize::from(action & 3)];
            put("action", Value::Word(action));
        }
        Event::ProgramCounter(Some(pc)) => put("pc", Value::Bits(pc.into())),
        Event::ProgramCounter(None) => put("pc", Value::Word("sleep")),
        _ => {}
    }
}
