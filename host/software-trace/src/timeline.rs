// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a time line shows of software trace.

use std::fmt::{self, Write};

use coretrace_itm as itm;
use coretrace_stm as stm;

use crate::messages::{Channel, Messages};
use crate::record::Record;

/// A row of a time line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Row {
    /// What is written to a channel of an STM, hardware events among it, or to a port of an ITM.
    Channel(Channel),
    /// Exceptions that a DWT reports.
    Exceptions,
    /// What else a DWT reports.
    Dwt,
    /// Errors and overflows of the source.
    Losses,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Row::Channel(Channel::Stm(master, channel)) => {
                write!(f, "STM master {master}, channel {channel}")
            }
            Row::Channel(Channel::Itm(port)) => write!(f, "ITM port {port}"),
            Row::Exceptions => f.write_str("exceptions"),
            Row::Dwt => f.write_str("DWT"),
            Row::Losses => f.write_str("losses"),
        }
    }
}

/// What happens on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark<'a> {
    /// Something at one time.
    At(&'a str),
    /// Something begins.
    Begin(&'a str),
    /// What began last on this row ends.
    End,
}

/// Makes the marks of one source. The time of a mark is that of its record.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    messages: Messages,
    name: String,
}

impl Timeline {
    /// Takes a record; `sink` gets what it puts on rows. Printable text is one mark for each line, and is there
    /// when the line ends; other data are hexadecimal numbers.
    pub fn record(&mut self, record: &Record, mut sink: impl FnMut(Row, Mark<'_>)) {
        if record.is_error() {
            return sink(Row::Losses, Mark::At(record.name()));
        }
        match record {
            Record::Stm(it) => self.stm(record, it, sink),
            Record::Itm(it) => match it.kind {
                itm::Kind::Overflow => sink(Row::Losses, Mark::At("overflow")),
                itm::Kind::Software => {
                    let port = Channel::Itm(it.state.port(&it.packet));
                    let size = it.packet.len.into();
                    self.data(record, port, it.packet.value(), size, sink);
                }
                _ => self.dwt(it, sink),
            },
        }
    }

    /// The trace ends, and lines with it.
    pub fn finish(&mut self, mut sink: impl FnMut(Row, Mark<'_>)) {
        self.messages.finish(|channel, line| {
            put_line(&mut sink, channel, line);
        });
    }

    fn stm(&mut self, record: &Record, it: &stm::Record, mut sink: impl FnMut(Row, Mark<'_>)) {
        let channel = Channel::Stm(it.state.master, it.state.channel);
        match it.kind {
            stm::Kind::MasterError => sink(Row::Channel(channel), Mark::At("data was lost")),
            stm::Kind::GlobalError => sink(Row::Losses, Mark::At("data was lost")),
            stm::Kind::Trigger => {
                let name = self.named("trigger", it.packet.data);
                sink(Row::Channel(channel), Mark::At(name));
            }
            stm::Kind::Flag => {
                let mut is_end = false;
                self.messages.record(record, |channel, line| {
                    is_end = true;
                    put_line(&mut sink, channel, line);
                });
                if !is_end {
                    sink(Row::Channel(channel), Mark::At("flag"));
                }
            }
            kind => {
                if let Some(bits) = kind.data_bits() {
                    self.data(record, channel, it.packet.data, bits as usize / 8, sink);
                }
            }
        }
    }

    /// Data of `size` bytes that were written; no bytes of 4 bits.
    fn data(
        &mut self,
        record: &Record,
        channel: Channel,
        data: u64,
        size: usize,
        mut sink: impl FnMut(Row, Mark<'_>),
    ) {
        let is_text = |byte: &u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t'..=b'\r');
        let bytes = data.to_le_bytes();
        if size > 0 && bytes[..size].iter().all(is_text) {
            self.messages.record(record, |channel, line| {
                put_line(&mut sink, channel, line);
            });
        } else {
            sink(Row::Channel(channel), Mark::At(self.named("", data)));
        }
    }

    fn dwt(&mut self, it: &itm::Record, mut sink: impl FnMut(Row, Mark<'_>)) {
        use itm::Event;
        let Some(event) = itm::Event::of(&it.packet).filter(|_| it.kind == itm::Kind::Hardware)
        else {
            return;
        };
        let mut at = |name: &str| sink(Row::Dwt, Mark::At(name));
        match event {
            Event::Exception { number, action } => {
                let name = self.numbered("exception", number.into());
                match action {
                    1 => sink(Row::Exceptions, Mark::Begin(name)),
                    2 => sink(Row::Exceptions, Mark::End),
                    _ => {}
                }
            }
            Event::Counters(bits) => at(self.named("counters", bits.into())),
            Event::ProgramCounter(None) => at("sleep"),
            Event::ProgramCounter(Some(pc)) => at(self.named("pc", pc.into())),
            Event::DataProgramCounter { value, .. } => at(self.named("data pc", value.into())),
            Event::DataAddress { value, .. } => at(self.named("data address", value.into())),
            Event::DataValue {
                value, is_write, ..
            } => {
                let what = if is_write { "data write" } else { "data read" };
                at(self.named(what, value.into()));
            }
            Event::Unknown => {}
        }
    }

    /// A name with a hexadecimal number behind it.
    fn named(&mut self, name: &str, value: u64) -> &str {
        self.name.clear();
        self.name.push_str(name);
        if !name.is_empty() {
            self.name.push(' ');
        }
        let _ = write!(self.name, "{value:#x}");
        &self.name
    }

    /// A name with a decimal number behind it.
    fn numbered(&mut self, name: &str, value: u64) -> &str {
        self.name.clear();
        let _ = write!(self.name, "{name} {value}");
        &self.name
    }
}

/// A line of text, on the row of its channel.
fn put_line(sink: &mut impl FnMut(Row, Mark<'_>), channel: Channel, line: &[u8]) {
    let text = String::from_utf8_lossy(line);
    sink(Row::Channel(channel), Mark::At(&text));
}

#[cfg(test)]
mod tests {
    use coretrace_decode::Policy;

    use super::*;
    use crate::{Decoder, Protocol};

    /// The marks of a stream, a line each.
    fn marks(protocol: Protocol, stream: &[u8]) -> Vec<String> {
        let (mut timeline, mut marks) = (Timeline::default(), Vec::new());
        let mut put = |row: Row, mark: Mark<'_>| marks.push(format!("{row}: {mark:?}"));
        let mut decoder = Decoder::new(protocol, Policy::Resync);
        decoder.feed(stream, |record| timeline.record(record, &mut put));
        timeline.finish(&mut put);
        marks
    }

    #[test]
    fn an_itm_has_lines_numbers_exceptions_and_overflows() {
        let stream = [
            &[0, 0, 0, 0, 0, 0x80][..],
            &[0x02, b'H', b'i', 0x01, b'\n'], // text at port 0
            &[0x09, 0xFF],                    // a byte at port 1 that is no text
            &[0x0E, 0x0F, 0x10],              // exception 15 begins
            &[0x70],                          // overflow
            &[0x17, 0x10, 0, 0, 0x08],        // a sample of the program counter
            &[0x0E, 0x0F, 0x20],              // exception 15 ends
            &[0x01, b'x'],
        ];
        let want = [
            "ITM port 0: At(\"Hi\")",
            "ITM port 1: At(\"0xff\")",
            "exceptions: Begin(\"exception 15\")",
            "losses: At(\"overflow\")",
            "DWT: At(\"pc 0x8000010\")",
            "exceptions: End",
            "ITM port 0: At(\"x\")",
        ];
        let protocol = Protocol::Itm(crate::ItmConfig::default());
        assert_eq!(marks(protocol, &stream.concat()), want);
    }

    #[test]
    fn an_stm_has_lines_that_flags_end_and_flags_alone() {
        let nibbles = [
            &[0xF; 21][..],
            &[0, 0xF, 0, 0, 3],  // ASYNC, then VERSION 3
            &[1, 4, 0],          // master 40
            &[3, 0, 2],          // channel 2
            &[4, 4, 8, 4, 6, 9], // "H", "i"
            &[0xF, 0xE],         // FLAG
            &[0xF, 0xE],
            &[4, 0xF, 0xF], // a byte that is no text
            &[2, 0, 7],     // MERR
        ]
        .concat();
        let bytes: Vec<u8> = nibbles
            .chunks(2)
            .map(|pair| pair[0] | pair.get(1).map_or(0, |high| high << 4))
            .collect();
        let want = [(2, "Hi"), (2, "flag"), (2, "0xff"), (0, "data was lost")]
            .map(|(channel, name)| format!("STM master 64, channel {channel}: At({name:?})"));
        assert_eq!(marks(Protocol::Stm, &bytes), want);
    }
}
