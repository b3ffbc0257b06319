// SPDX-License-Identifier: MIT OR Apache-2.0
//! The byte-wise parser: the stream state that the hardware keeps, in software.

use crate::{Kind, Packet, Payload, Rule, SYNC_END, SYNC_ZEROS, header};

/// What the parser reads next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Header,
    Payload(Payload),
}

/// What a byte completed. After anything but [`Step::More`] the next byte is a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    More,
    /// A packet.
    Packet,
    /// A reserved header.
    Reserved,
    /// A broken sync, or a payload without an end.
    Broken,
}

/// The parser.
#[derive(Clone, Debug)]
pub struct Parser {
    rule: Rule,
    mode: Mode,
    packet: Packet,
    /// Zero bytes of the sync that is read.
    sync: u64,
    /// Zero bytes before the next one, across packets.
    zeros: u64,
    /// Bytes of the sync that the last byte ended.
    ended: Option<u64>,
}

impl Parser {
    /// A parser at a packet boundary.
    pub const fn new(rule: Rule) -> Parser {
        Parser {
            rule,
            mode: Mode::Header,
            packet: Packet::new(Kind::Sync, 0),
            sync: 0,
            zeros: 0,
            ended: None,
        }
    }

    /// Bytes were lost: the next one is a header, and no part of a sync that began before.
    pub fn reset(&mut self) {
        *self = Parser::new(self.rule);
    }

    /// The next byte is a header.
    pub fn start_packet(&mut self) {
        self.mode = Mode::Header;
    }

    /// The packet last completed, or the part of it read so far.
    pub fn packet(&self) -> &Packet {
        &self.packet
    }

    /// Whether the next byte is a header, and no part of a sync that began before.
    pub fn is_clear(&self) -> bool {
        self.mode == Mode::Header && self.zeros == 0
    }

    /// Whole packets were read elsewhere: the last of them ends with so many zero bytes.
    pub fn resume(&mut self, zeros: u64) {
        self.start_packet();
        self.zeros = zeros;
    }

    /// The rule of headers.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The bytes of a sync that the last byte ended, wherever it was.
    pub fn sync_bytes(&self) -> Option<u64> {
        self.ended
    }

    /// Takes a byte that belongs to no packet; [`Parser::sync_bytes`] is right after it.
    pub fn skip(&mut self, byte: u8) {
        let is_end = byte == SYNC_END && self.zeros >= SYNC_ZEROS;
        self.ended = is_end.then_some(self.zeros + 1);
        self.zeros = if byte == 0 { self.zeros + 1 } else { 0 };
    }

    /// Takes a byte.
    pub fn step(&mut self, byte: u8) -> Step {
        self.skip(byte);
        let step = match self.mode {
            Mode::Header => self.header(byte),
            Mode::Payload(Payload::Sync) => self.sync(byte),
            Mode::Payload(payload) => self.payload(byte, payload),
        };
        if step != Step::More {
            self.start_packet();
        }
        step
    }

    fn header(&mut self, byte: u8) -> Step {
        let row = header(byte, self.rule);
        self.packet = Packet::new(row.kind, byte);
        self.sync = 1;
        match row.payload {
            Payload::None if row.kind == Kind::Reserved => Step::Reserved,
            Payload::None => Step::Packet,
            payload => {
                self.mode = Mode::Payload(payload);
                Step::More
            }
        }
    }

    fn sync(&mut self, byte: u8) -> Step {
        match byte {
            0 => {
                self.sync += 1;
                Step::More
            }
            SYNC_END if self.sync >= SYNC_ZEROS => Step::Packet,
            _ => Step::Broken,
        }
    }

    fn payload(&mut self, byte: u8, payload: Payload) -> Step {
        self.packet.push(byte);
        match payload {
            Payload::Fixed(bytes) if self.packet.len < bytes => Step::More,
            Payload::Continued(_) if byte & 0x80 == 0 => Step::Packet,
            Payload::Continued(most) if self.packet.len == most => Step::Broken,
            Payload::Continued(_) => Step::More,
            _ => Step::Packet,
        }
    }
}
