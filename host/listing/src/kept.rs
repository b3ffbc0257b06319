// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of packets, with the fixed parts of frequent ones kept: most packets are atoms and
//! addresses, and their lines differ in few values.

use super::lines::{CHUNK, Lines};
use super::offsets::Offsets;
use super::text::{ADDRESS_DIGITS, OFFSET_WIDTH};
use super::{Line, json, text, tsv, write};

/// An offset that no line has, in place of those that vary. All its digits are in a line.
const OFFSET_MARK: u64 = u64::MAX;

/// An address whose digits are nowhere else in a line that is kept.
const ADDRESS_MARK: u64 = 0xFEDC_BA98_7654_3210;

/// Bytes whose digits are nowhere else in a line that is kept.
const RAW_MARK: [u8; 4] = [0xFE, 0xED, 0xFA, 0xCE];

/// A format of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Text,
    Tsv,
    Json,
}

/// A value that varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Offset,
    Address,
    Raw,
}

/// A value, if there is one, and the fixed text behind it.
#[derive(Clone, Copy, Debug)]
struct Part {
    slot: Option<Slot>,
    text: [u8; CHUNK],
    len: usize,
}

impl Part {
    /// A value and the text behind it, in several parts if that is long.
    fn all(slot: Option<Slot>, text: &str) -> impl Iterator<Item = Part> {
        let mut chunks = text.as_bytes().chunks(CHUNK);
        let first = chunks.next().unwrap_or_default();
        let slots = core::iter::once(slot).chain(core::iter::repeat(None));
        let texts = core::iter::once(first).chain(chunks);
        slots.zip(texts).map(|(slot, chunk)| {
            let mut text = [b' '; CHUNK];
            text[..chunk.len()].copy_from_slice(chunk);
            Part {
                slot,
                text,
                len: chunk.len(),
            }
        })
    }

    /// Length of its text, at most, in the line of a packet of `bytes` bytes.
    fn longest(&self, bytes: u64) -> usize {
        let value = match self.slot {
            Some(Slot::Offset) => Offsets::LONGEST,
            Some(Slot::Address) => ADDRESS_DIGITS,
            Some(Slot::Raw) => 2 * bytes as usize,
            None => 0,
        };
        value + self.len
    }
}

/// The lines of packets of this length.
#[derive(Clone, Debug)]
struct Kept {
    len: u64,
    parts: Vec<Part>,
    /// Length of a line, at most.
    longest: usize,
}

/// Writes the lines of the packets of one source, as [`text`], [`tsv`] or [`json`] do.
#[derive(Clone, Debug)]
pub struct PacketLines {
    format: Format,
    offsets: Offsets,
    /// The last line that is not of a kept one.
    made: String,
    /// By what the fixed parts depend on; see [`place()`].
    kept: Vec<Option<Box<Kept>>>,
}

/// Where the lines of a packet are kept: by header, whether it is suspect, IS of the address and
/// the lowest bit of the length, which short addresses of two and three bytes differ in.
fn place(line: &Line<'_>) -> usize {
    let record = line.record;
    usize::from(record.header) << 3
        | usize::from(record.suspect) << 2
        | usize::from(record.address.is1) << 1
        | (record.len & 1) as usize
}

impl PacketLines {
    /// Lines as [`text`] writes them.
    pub fn text() -> PacketLines {
        PacketLines::new(Format::Text)
    }

    /// Lines as [`tsv`] writes them.
    pub fn tsv() -> PacketLines {
        PacketLines::new(Format::Tsv)
    }

    /// Lines as [`json`] writes them.
    pub fn json() -> PacketLines {
        PacketLines::new(Format::Json)
    }

    fn new(format: Format) -> PacketLines {
        PacketLines {
            format,
            offsets: Offsets::new(format.offset_width()),
            made: String::new(),
            kept: vec![None; 1 << 11],
        }
    }

    /// Appends a line. All lines must be of the same source.
    #[inline]
    pub fn line(&mut self, out: &mut Lines, line: &Line<'_>) {
        let record = line.record;
        let varies = record.kind.is_atoms() || record.kind.is_address();
        if !varies || record.offset < Offsets::LEAST {
            return self.make(out, line);
        }
        let format = self.format;
        let kept = self.kept[place(line)].get_or_insert_with(|| Box::new(format.keep(line)));
        if kept.len != record.len || kept.len != line.raw.len() as u64 {
            return self.make(out, line);
        }
        out.append(kept.longest, |place| {
            for part in &kept.parts {
                match part.slot {
                    Some(Slot::Offset) => self.offsets.put(place, record.offset),
                    Some(Slot::Address) => place.hex(record.address.value, format.address_digits()),
                    Some(Slot::Raw) => place.bytes(line.raw),
                    None => {}
                }
                place.put(&part.text, part.len);
            }
        });
    }

    fn make(&mut self, out: &mut Lines, line: &Line<'_>) {
        self.made.clear();
        self.format.line(&mut self.made, line);
        out.push(self.made.as_bytes());
    }
}

impl Format {
    fn line(self, out: &mut String, line: &Line<'_>) {
        match self {
            Format::Text => text(out, line),
            Format::Tsv => tsv(out, line),
            Format::Json => json(out, line),
        }
    }

    /// Places of an offset, right-aligned.
    fn offset_width(self) -> usize {
        match self {
            Format::Text => OFFSET_WIDTH,
            Format::Tsv | Format::Json => 0,
        }
    }

    /// Digits of an address, at least.
    fn address_digits(self) -> usize {
        match self {
            Format::Text => ADDRESS_DIGITS,
            Format::Tsv | Format::Json => 1,
        }
    }

    /// The parts of a line like this one.
    fn keep(self, line: &Line<'_>) -> Kept {
        let mut record = *line.record;
        record.offset = OFFSET_MARK;
        record.address.value = ADDRESS_MARK;
        // An atom packet is its header.
        let raw = if record.kind.is_atoms() {
            line.raw
        } else {
            &RAW_MARK
        };
        let mut marked = String::new();
        let line = Line {
            record: &record,
            raw,
            ..*line
        };
        self.line(&mut marked, &line);
        let (mut address, mut raw) = (String::new(), String::new());
        write::hex(&mut address, ADDRESS_MARK, self.address_digits());
        write::bytes(&mut raw, &RAW_MARK);
        let marks = [
            (OFFSET_MARK.to_string(), Slot::Offset),
            (address, Slot::Address),
            (raw, Slot::Raw),
        ];
        let (mut parts, mut slot, mut rest) = (Vec::new(), None, &marked[..]);
        loop {
            let found = marks.iter().filter_map(|(mark, slot)| {
                let at = rest.find(mark)?;
                Some((at, mark.len(), *slot))
            });
            let next = found.min_by_key(|(at, ..)| *at);
            let fixed = next.map_or(rest, |(at, ..)| &rest[..at]);
            if slot.is_some() || !fixed.is_empty() {
                parts.extend(Part::all(slot, fixed));
            }
            let Some((at, len, behind)) = next else { break };
            (slot, rest) = (Some(behind), &rest[at + len..]);
        }
        Kept {
            len: record.len,
            longest: parts.iter().map(|part| part.longest(record.len)).sum(),
            parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_decode::{Decoder, Policy};
    use coretrace_etm::{ArchProfile, Config, Protocol, Registers};

    #[test]
    fn kept_lines_are_those_that_are_made() {
        let registers = Registers {
            trcidr1: 0x4100_F403,
            trcidr2: 0x488,
            ..Registers::default()
        };
        let config = Config::new(Protocol::Etm4, ArchProfile::A, &registers);
        let mut bytes = vec![0; 11];
        bytes.extend([0x80, 0x01, 0x00]);
        for lap in 0..3 {
            bytes.extend(0xC0..=0xFF);
            bytes.extend([
                0x95,
                lap,
                0x95,
                0x80 | lap,
                0x47,
                0x96,
                lap,
                0x96,
                0xC7,
                lap,
                0x04,
            ]);
            bytes.extend([0x9A, 1, 2, lap, 4, 0x9B, 1, 2, 3, lap, 0x90, 0x91, 0x92]);
            bytes.extend([0x9D, 1, 2, 3, 4, 5, 6, 7, lap]);
        }
        let mut decoder = Decoder::new(config, Policy::Lenient);
        let mut lines = [PacketLines::text(), PacketLines::tsv(), PacketLines::json()];
        let mut count = 0;
        decoder.feed(&bytes, |record| {
            let raw = &bytes[record.offset as usize..][..record.len as usize];
            for (lines, far) in lines.iter_mut().zip([0, 1_000_000_000, 99_999_999_999]) {
                let mut record = *record;
                record.offset += far;
                let line = Line {
                    id: 0x10,
                    record: &record,
                    raw,
                    config: &config,
                };
                let (mut kept, mut made) = (Lines::default(), Lines::default());
                lines.line(&mut kept, &line);
                lines.make(&mut made, &line);
                assert_eq!(kept.as_bytes(), made.as_bytes());
                count += 1;
            }
        });
        assert!(count > 600, "{count} lines");
    }
}
