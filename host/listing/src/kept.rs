// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of packets, with those of atoms kept: most packets are atoms, and there are few different
//! ones.

use super::{Line, json, text, tsv, write};

/// An offset that no line has, in place of those that vary. All its digits are in a line.
const MARK: u64 = u64::MAX;

/// Columns of the offset, in text.
const TEXT_WIDTH: usize = 10;

/// A format of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Text,
    Tsv,
    Json,
}

/// The parts of a line between its offsets.
type Parts = Box<[Box<str>]>;

/// Writes the lines of the packets of one source, as [`text`], [`tsv`] or [`json`] do.
#[derive(Clone, Debug)]
pub struct PacketLines {
    format: Format,
    /// By header, and whether it is suspect.
    atoms: Vec<Option<Parts>>,
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
            atoms: vec![None; 512],
        }
    }

    /// Appends a line. All lines must be of the same source.
    #[inline]
    pub fn line(&mut self, out: &mut String, line: &Line<'_>) {
        let record = line.record;
        if !record.kind.is_atoms() || line.raw != [record.header] || record.offset == MARK {
            self.format.line(out, line);
            return;
        }
        let place = usize::from(record.header) << 1 | usize::from(record.suspect);
        let parts = self.atoms[place].get_or_insert_with(|| self.format.parts(line));
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(record.offset);
        if self.format == Format::Text {
            write::spaces(out, TEXT_WIDTH.saturating_sub(digits.len()));
        }
        if let Some((first, rest)) = parts.split_first() {
            out.push_str(first);
            for part in rest {
                out.push_str(digits);
                out.push_str(part);
            }
        }
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

    fn parts(self, line: &Line<'_>) -> Parts {
        let mut record = *line.record;
        record.offset = MARK;
        let mut out = String::new();
        let line = Line {
            record: &record,
            ..*line
        };
        self.line(&mut out, &line);
        let mark = MARK.to_string();
        let parts = out.split(&mark).map(Box::from);
        parts.collect()
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
            bytes.extend([0x95, lap, 0x47, 0x04]);
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
                let (mut kept, mut made) = (String::new(), String::new());
                lines.line(&mut kept, &line);
                lines.format.line(&mut made, &line);
                assert_eq!(kept, made);
                count += 1;
            }
        });
        assert!(count > 500, "{count} lines");
    }
}
