// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes to records.

use crate::grammar::{ASYNC, EXTENSION, Grammar, Payload};
use crate::payload::{self, Read};
use crate::record::{Kind, Record, Value};

/// Zero bytes of an A-Sync, at least.
pub(crate) const ASYNC_ZEROS: u64 = 11;

/// The byte that ends an A-Sync.
pub(crate) const ASYNC_END: u8 = 0x80;

/// Where the parser is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// In a stretch that ends with an A-Sync.
    Until(Kind),
    /// At or in a packet, whose bytes are kept.
    Packet,
    /// In zeros that should be an A-Sync.
    Zeros,
}

/// A parser. An A-Sync is found everywhere: its zeros are counted over the borders of packets, because a packet of
/// a damaged stream may have taken the first of them.
#[derive(Clone, Debug)]
pub struct Parser {
    place: Place,
    /// The bytes of the packet so far.
    bytes: Vec<u8>,
    /// Place of the next byte, and of the first one that no record has.
    at: u64,
    start: u64,
    /// Zeros in front of the next byte.
    zeros: u64,
}

impl Default for Parser {
    fn default() -> Parser {
        Parser::new()
    }
}

impl Parser {
    /// A parser that looks for an A-Sync.
    pub fn new() -> Parser {
        Parser {
            place: Place::Until(Kind::NotSync),
            bytes: Vec::new(),
            at: 0,
            start: 0,
            zeros: 0,
        }
    }

    /// A parser at a header.
    pub fn synced() -> Parser {
        Parser {
            place: Place::Packet,
            ..Parser::new()
        }
    }

    /// Passes the records that end in these bytes to `sink`.
    pub fn feed(&mut self, grammar: &Grammar, bytes: &[u8], sink: &mut impl FnMut(&Record)) {
        for byte in bytes {
            self.byte(grammar, *byte, sink);
        }
    }

    /// Bytes were lost before the next one: what they cut is passed on, and an A-Sync is looked for.
    pub fn lose(&mut self, sink: &mut impl FnMut(&Record)) {
        self.cut(self.at, sink);
        self.place = Place::Until(Kind::NotSync);
        self.zeros = 0;
    }

    /// Passes what the end of the stream cuts.
    pub fn finish(&mut self, sink: &mut impl FnMut(&Record)) {
        self.cut(self.at, sink);
    }

    fn byte(&mut self, grammar: &Grammar, byte: u8, sink: &mut impl FnMut(&Record)) {
        let zeros = self.zeros;
        self.zeros = if byte == 0 { zeros + 1 } else { 0 };
        self.at += 1;
        if byte == ASYNC_END && zeros >= ASYNC_ZEROS {
            self.cut((self.at - 1 - ASYNC_ZEROS).max(self.start), sink);
            if let Some(index) = grammar.extension(ASYNC) {
                self.end(Kind::Packet(index), Vec::new(), sink);
            }
            return;
        }
        match self.place {
            Place::Until(_) => {}
            Place::Zeros if byte == 0 => {}
            Place::Zeros => self.place = Place::Until(Kind::Reserved),
            Place::Packet => {
                self.bytes.push(byte);
                self.packet(grammar, sink);
            }
        }
    }

    /// Looks whether the bytes are a packet.
    fn packet(&mut self, grammar: &Grammar, sink: &mut impl FnMut(&Record)) {
        let (header, known, rest) = match self.bytes[..] {
            [EXTENSION] | [] => return,
            [EXTENSION, ASYNC, ..] => {
                self.bytes.clear();
                self.place = Place::Zeros;
                return;
            }
            [EXTENSION, second, ref rest @ ..] => (second, grammar.extension(second), rest),
            [header, ref rest @ ..] => (header, grammar.header(header), rest),
        };
        let Some(index) = known else {
            return self.skip(Kind::Reserved);
        };
        let packet = &grammar.packets()[index];
        let Payload::Fields(fields) = &packet.payload else {
            return self.skip(Kind::Raw(index));
        };
        if let Read::Whole(fields) = payload::read(&packet.pattern, header, fields, rest) {
            self.end(Kind::Packet(index), fields, sink);
        }
    }

    fn skip(&mut self, kind: Kind) {
        self.bytes.clear();
        self.place = Place::Until(kind);
    }

    /// Ends what is not whole in front of a byte.
    fn cut(&mut self, end: u64, sink: &mut impl FnMut(&Record)) {
        let kind = match self.place {
            Place::Until(kind) => kind,
            Place::Packet | Place::Zeros => Kind::Incomplete,
        };
        if end > self.start {
            sink(&Record {
                kind,
                offset: self.start,
                len: end - self.start,
                fields: Vec::new(),
            });
        }
        self.start = end;
        self.bytes.clear();
        self.place = Place::Packet;
    }

    /// Ends a packet with the last byte.
    fn end(&mut self, kind: Kind, fields: Vec<Value>, sink: &mut impl FnMut(&Record)) {
        sink(&Record {
            kind,
            offset: self.start,
            len: self.at - self.start,
            fields,
        });
        self.start = self.at;
        self.bytes.clear();
    }
}
