// SPDX-License-Identifier: MIT OR Apache-2.0
//! The nibble-wise parser: the stream state that the hardware keeps, in software.

use crate::opcode::{Found, find};
use crate::{ASYNC_FS, Kind, Packet, Stamp};

/// What the parser reads next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Opcode,
    Data,
    Size,
    Stamp,
    Async,
}

/// What a nibble completed. After anything but [`Step::More`] the next nibble is an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    More,
    /// A packet.
    Packet,
    /// An opcode that the STM does not make.
    Reserved,
    /// A broken ASYNC, or a timestamp whose size is F.
    Broken,
}

/// The parser.
#[derive(Clone, Debug)]
pub struct Parser {
    mode: Mode,
    code: u16,
    nibbles: u8,
    /// Nibbles of the current part still to read.
    left: u8,
    packet: Packet,
    /// Nibbles F before the next one, across packets; saturates at those of an ASYNC.
    fs: u8,
    is_async: bool,
}

impl Default for Parser {
    fn default() -> Parser {
        Parser::new()
    }
}

impl Parser {
    /// A parser at a packet boundary.
    pub const fn new() -> Parser {
        Parser {
            mode: Mode::Opcode,
            code: 0,
            nibbles: 0,
            left: 0,
            packet: Packet::NULL,
            fs: 0,
            is_async: false,
        }
    }

    /// Nibbles were lost: the next one is an opcode, and no part of an ASYNC that began before.
    pub fn reset(&mut self) {
        *self = Parser::new();
    }

    /// The next nibble is an opcode.
    pub fn start_packet(&mut self) {
        self.mode = Mode::Opcode;
        self.code = 0;
        self.nibbles = 0;
    }

    /// Whether the next nibble is an opcode, and no part of an ASYNC that began before.
    pub fn is_clear(&self) -> bool {
        self.mode == Mode::Opcode && self.nibbles == 0 && self.fs == 0
    }

    /// Whole packets were read elsewhere: the last of them ends with so many nibbles F.
    pub fn resume(&mut self, fs: u8) {
        self.start_packet();
        self.fs = fs.min(ASYNC_FS);
    }

    /// The packet last completed, or the part of it read so far.
    pub fn packet(&self) -> &Packet {
        &self.packet
    }

    /// The kind of the packet read so far, once its opcode is complete.
    pub fn kind(&self) -> Option<Kind> {
        (self.mode != Mode::Opcode).then_some(self.packet.opcode.kind)
    }

    /// Whether the last nibble ended 21 F and 0, wherever they were.
    pub fn is_async(&self) -> bool {
        self.is_async
    }

    /// Takes a nibble that belongs to no packet; [`Parser::is_async`] is right after it.
    pub fn skip(&mut self, nibble: u8) {
        self.is_async = nibble == 0 && self.fs == ASYNC_FS;
        self.fs = match nibble {
            0xF => (self.fs + 1).min(ASYNC_FS),
            _ => 0,
        };
    }

    /// Takes a nibble; bits 7:4 are not used.
    pub fn step(&mut self, nibble: u8) -> Step {
        let nibble = nibble & 0xF;
        self.skip(nibble);
        let step = match self.mode {
            Mode::Opcode => self.opcode(nibble),
            Mode::Data => {
                self.packet.data = self.packet.data << 4 | u64::from(nibble);
                self.left -= 1;
                self.behind_data()
            }
            Mode::Size => self.size(nibble),
            Mode::Stamp => {
                let stamp = &mut self.packet.stamp;
                stamp.value = stamp.value << 4 | u64::from(nibble);
                self.left -= 1;
                self.behind_stamp()
            }
            Mode::Async if self.is_async => Step::Packet,
            Mode::Async if nibble == 0xF => Step::More,
            Mode::Async => Step::Broken,
        };
        if step != Step::More {
            self.start_packet();
        }
        step
    }

    fn opcode(&mut self, nibble: u8) -> Step {
        self.code = self.code << 4 | u16::from(nibble);
        self.nibbles += 1;
        match find(self.code, self.nibbles) {
            Found::Begun => Step::More,
            Found::Reserved => Step::Reserved,
            Found::Opcode(opcode) => {
                self.packet = Packet::new(opcode);
                self.left = opcode.data;
                match opcode.kind {
                    Kind::Async => {
                        self.mode = Mode::Async;
                        Step::More
                    }
                    _ => self.behind_data(),
                }
            }
        }
    }

    fn behind_data(&mut self) -> Step {
        self.mode = match (self.left, self.packet.opcode.is_stamped) {
            (0, false) => return Step::Packet,
            (0, true) => Mode::Size,
            _ => Mode::Data,
        };
        Step::More
    }

    fn size(&mut self, nibble: u8) -> Step {
        let Some(nibbles) = Stamp::nibbles_of(nibble) else {
            return Step::Broken;
        };
        self.packet.stamp.nibbles = nibbles;
        self.left = nibbles;
        self.behind_stamp()
    }

    fn behind_stamp(&mut self) -> Step {
        if self.left == 0 {
            return Step::Packet;
        }
        self.mode = Mode::Stamp;
        Step::More
    }
}
