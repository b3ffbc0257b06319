// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text that software writes: bytes of each channel or port, as lines.

use std::collections::BTreeMap;
use std::fmt;

use coretrace_itm as itm;
use coretrace_stm as stm;

use crate::Record;

/// The longest line; a longer one is cut into several.
const MOST_BYTES: usize = 4096;

/// The most lines without an end; with one more, all of them end.
const MOST_LINES: usize = 256;

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// A channel of a master of an STM.
    Stm(u8, u16),
    /// A stimulus port of an ITM.
    Itm(u8),
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Channel::Stm(master, channel) => write!(f, "{master}:{channel}"),
            Channel::Itm(port) => write!(f, "{port}"),
        }
    }
}

/// Collects the bytes that software writes into lines. A line ends with a line feed, and in an STM also
/// with a FLAG, with which drivers end a message. Writes of 4 bits are no text.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    lines: BTreeMap<Channel, Vec<u8>>,
}

impl Messages {
    /// Takes a record; `sink` gets the lines that it ends, without line feeds.
    pub fn record(&mut self, record: &Record, mut sink: impl FnMut(Channel, &[u8])) {
        let Some((channel, bytes, len)) = written(record) else {
            return;
        };
        if !self.lines.contains_key(&channel) && self.lines.len() == MOST_LINES {
            self.finish(&mut sink);
        }
        let line = self.lines.entry(channel).or_default();
        for byte in &bytes[..len] {
            if *byte != b'\n' {
                line.push(*byte);
            }
            if *byte == b'\n' || line.len() == MOST_BYTES {
                sink(channel, line);
                line.clear();
            }
        }
        if len == 0 && !line.is_empty() {
            sink(channel, line);
            line.clear();
        }
        if line.is_empty() {
            self.lines.remove(&channel);
        }
    }

    /// The trace ends, and all lines with it.
    pub fn finish(&mut self, mut sink: impl FnMut(Channel, &[u8])) {
        for (channel, line) in std::mem::take(&mut self.lines) {
            sink(channel, &line);
        }
    }
}

/// Who wrote, the bytes in the order of memory, and how many; none of them for a FLAG.
fn written(record: &Record) -> Option<(Channel, [u8; 8], usize)> {
    match record {
        Record::Stm(it) => {
            let bytes = match it.kind {
                stm::Kind::Flag => 0,
                kind => kind.data_bits().filter(|bits| *bits >= 8)? / 8,
            };
            let channel = Channel::Stm(it.state.master, it.state.channel);
            Some((channel, it.packet.data.to_le_bytes(), bytes as usize))
        }
        Record::Itm(it) if it.kind == itm::Kind::Software => {
            let channel = Channel::Itm(it.state.port(&it.packet));
            let bytes = it.packet.value().to_le_bytes();
            Some((channel, bytes, usize::from(it.packet.len)))
        }
        Record::Itm(_) => None,
    }
}
