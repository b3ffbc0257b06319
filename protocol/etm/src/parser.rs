// SPDX-License-Identifier: MIT OR Apache-2.0
//! The byte-wise parser: the stream state that the hardware keeps, in software.

use crate::config::Config;
use crate::header::{ASYNC_END, ASYNC_ZEROS, DISCARD, OVERFLOW};
use crate::header::{Lead, Part, Parts, keeps_lead_bytes, layout};
use crate::kind::Kind;
use crate::packet::{NUM_FIELDS, Packet, ete_exception_kind};

/// When zero bytes after header 0x00 stop being an A-Sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsyncRule {
    /// Exactly eleven zeros, then 0x80.
    Exact,
    /// At least eleven zeros, then 0x80.
    AtLeast,
}

/// What the parser reads next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Header,
    Extension,
    Async,
    Lead,
    Tail(Part),
}

/// The parser. Feed it bytes; after a byte that ends a packet (or an error), [`Parser::packet`]
/// holds it, and the next byte is taken as a header.
#[derive(Clone, Debug)]
pub struct Parser {
    config: Config,
    rule: AsyncRule,
    mode: Mode,
    lead: Lead,
    /// Bytes of the current lead or tail part read so far; saturates.
    index: u8,
    /// Tail parts still to read, after the current one.
    todo: Parts,
    packet: Packet,
}

/// A part of a packet that has just been completed by a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    /// None.
    Nothing,
    /// The last byte that names an address or timestamp, or the header of a packet without a lead.
    Lead,
    /// A tail part.
    Tail(Part),
}

impl Parser {
    /// A parser at a packet boundary.
    pub fn new(config: Config, rule: AsyncRule) -> Parser {
        Parser {
            config,
            rule,
            mode: Mode::Header,
            lead: Lead::None,
            index: 0,
            todo: Parts::NONE,
            packet: Packet::new(Kind::Incomplete, 0),
        }
    }

    /// Drops an incomplete packet: the next byte is a header.
    pub fn reset(&mut self) {
        self.mode = Mode::Header;
    }

    /// Whether the next byte is a header.
    pub fn at_boundary(&self) -> bool {
        self.mode == Mode::Header
    }

    /// The packet last completed, or the part of it read so far.
    pub fn packet(&self) -> &Packet {
        &self.packet
    }

    /// Takes a byte. Returns the part that it completed, and whether it completed the packet.
    #[inline]
    pub fn step(&mut self, byte: u8) -> (Completed, bool) {
        let completed = match self.mode {
            Mode::Header => return self.header(byte),
            Mode::Extension => {
                self.keep(byte);
                match byte {
                    0x00 => {
                        self.mode = Mode::Async;
                        self.index = 2;
                    }
                    DISCARD => return self.end(Kind::Discard),
                    OVERFLOW => return self.end(Kind::Overflow),
                    _ => return self.end(Kind::BadSequence),
                }
                return (Completed::Nothing, false);
            }
            Mode::Async => return self.async_body(byte),
            Mode::Lead => self.lead_byte(byte),
            Mode::Tail(part) => self.tail_byte(part, byte),
        };
        if completed == Completed::Nothing {
            return (completed, false);
        }
        (completed, self.next_part())
    }

    fn header(&mut self, byte: u8) -> (Completed, bool) {
        let row = layout(byte, &self.config);
        self.packet = Packet::new(row.kind, byte);
        if !self.config.allows(row.gate) {
            return self.end(row.closed_kind());
        }
        self.lead = row.lead;
        self.todo = row.tail;
        self.packet.tail = row.tail;
        self.index = 0;
        match row.lead {
            Lead::None => (Completed::Lead, self.next_part()),
            Lead::Extension => {
                self.mode = Mode::Extension;
                (Completed::Nothing, false)
            }
            _ => {
                self.mode = Mode::Lead;
                (Completed::Nothing, false)
            }
        }
    }

    fn async_body(&mut self, byte: u8) -> (Completed, bool) {
        if byte == 0 {
            if self.rule == AsyncRule::Exact && usize::from(self.index) == ASYNC_ZEROS {
                return self.end(Kind::BadSequence);
            }
            self.index = (self.index + 1).min(ASYNC_ZEROS as u8);
            return (Completed::Nothing, false);
        }
        let sync = byte == ASYNC_END && usize::from(self.index) == ASYNC_ZEROS;
        self.end(if sync { Kind::Async } else { Kind::BadSequence })
    }

    fn lead_byte(&mut self, byte: u8) -> Completed {
        let more = byte & 0x80 != 0;
        if keeps_lead_bytes(self.lead) {
            self.keep(byte);
        }
        let first = self.index == 0;
        self.index = self.index.saturating_add(1);
        let ends = match self.lead {
            Lead::Plctl => {
                if first {
                    self.todo = Parts::of_plctl(byte);
                    self.packet.tail = self.todo;
                }
                !more
            }
            Lead::Exception => {
                let special = if self.config.is_ete() && first {
                    ete_exception_kind(byte)
                } else {
                    None
                };
                if let Some(kind) = special {
                    self.packet.kind = kind;
                }
                !(first && (more || special.is_some()))
            }
            Lead::Short | Lead::Timestamp => !more || self.index >= self.lead.max_bytes(),
            lead => self.index >= lead.max_bytes(),
        };
        if ends {
            Completed::Lead
        } else {
            Completed::Nothing
        }
    }

    fn tail_byte(&mut self, part: Part, byte: u8) -> Completed {
        let index = u32::from(self.index);
        self.index = self.index.saturating_add(1);
        let ends = match part {
            Part::Info => {
                self.packet.info = byte;
                self.todo = Parts::of_info(byte, &self.config);
                self.packet.tail.0 |= self.todo.0;
                true
            }
            Part::Vmid => {
                self.packet.vmid |= u32::from(byte) << (8 * index);
                self.index == self.config.vmid_bytes
            }
            Part::Cid => {
                self.packet.cid |= u32::from(byte) << (8 * index);
                self.index == self.config.cid_bytes
            }
            _ => {
                let field = part.field_index().unwrap_or(0).min(NUM_FIELDS - 1);
                if index < 5 {
                    self.packet.fields[field] |= u32::from(byte & 0x7F) << (7 * index);
                }
                byte & 0x80 == 0
            }
        };
        if ends {
            Completed::Tail(part)
        } else {
            Completed::Nothing
        }
    }

    /// Advances to the next part; true if there is none.
    fn next_part(&mut self) -> bool {
        self.index = 0;
        match self.todo.take_first() {
            Some(part) => self.mode = Mode::Tail(part),
            None => self.mode = Mode::Header,
        }
        self.mode == Mode::Header
    }

    fn keep(&mut self, byte: u8) {
        if let Some(slot) = self.packet.lead.get_mut(usize::from(self.packet.lead_len)) {
            *slot = byte;
            self.packet.lead_len += 1;
        }
    }

    fn end(&mut self, kind: Kind) -> (Completed, bool) {
        self.packet.kind = kind;
        self.mode = Mode::Header;
        (Completed::Nothing, true)
    }
}

/// Why [`parse`] returns no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// The bytes end inside a packet of this kind.
    Incomplete(Kind),
    /// The first bytes are no packet: the kind of error, and how many bytes it takes.
    Bad(Kind, usize),
}

/// Parses the packet at the start of `bytes`: the packet and its length.
///
/// # Errors
/// If the bytes end too early, or do not start with a packet.
pub fn parse(bytes: &[u8], config: &Config) -> Result<(Packet, usize), ParseError> {
    let mut parser = Parser::new(*config, AsyncRule::Exact);
    for (index, &byte) in bytes.iter().enumerate() {
        if parser.step(byte).1 {
            let packet = parser.packet;
            let len = index + 1;
            return if packet.kind.is_error() {
                Err(ParseError::Bad(packet.kind, len))
            } else {
                Ok((packet, len))
            };
        }
    }
    Err(ParseError::Incomplete(parser.packet.kind))
}
