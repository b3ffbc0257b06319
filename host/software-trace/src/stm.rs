// SPDX-License-Identifier: MIT OR Apache-2.0
//! The STM decoder: the nibbles of one source in, records out.

use coretrace_decode::Policy;
use coretrace_stm::{
    ASYNC_FS, ASYNC_NIBBLES, Kind, Packet, Parser, RawNibbles, Record, Scanned, State, Step,
    is_async, nibbles, scan,
};

/// The decoder of one STM. Feed it chunks of any size; memory does not depend on the stream.
///
/// An ASYNC is found in any state, except under [`Policy::OpenCsd`]: there, where an opcode is due.
#[derive(Clone, Debug)]
pub struct StmDecoder {
    policy: Policy,
    parser: Parser,
    state: State,
    is_synced: bool,
    is_suspect: bool,
    /// Nibbles of all records so far.
    offset: u64,
    /// Nibbles since the last record.
    pending: u64,
    raw: RawNibbles,
}

impl StmDecoder {
    /// A decoder waiting for the first ASYNC.
    pub fn new(policy: Policy) -> StmDecoder {
        StmDecoder {
            policy,
            parser: Parser::new(),
            state: State::default(),
            is_synced: false,
            is_suspect: false,
            offset: 0,
            pending: 0,
            raw: RawNibbles::EMPTY,
        }
    }

    /// Decodes the next bytes; `sink` gets every record that they complete.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(&Record)) {
        let (mut at, end) = (0, 2 * bytes.len());
        while at < end {
            if self.is_synced && self.parser.is_clear() {
                at = self.packets(bytes, at, &mut sink);
                if is_async(bytes, at) {
                    self.parser.reset();
                    self.pending = ASYNC_NIBBLES;
                    self.sync(&mut sink);
                    at += ASYNC_NIBBLES as usize;
                    continue;
                }
            }
            if at < end {
                self.nibble(nibble_at(bytes, at), &mut sink);
                at += 1;
            }
        }
    }

    /// Reads whole packets, and gives the nibble behind them. No ASYNC ends among them: at most 17 nibbles F
    /// follow each other in packets.
    #[inline(always)]
    fn packets(&mut self, bytes: &[u8], start: usize, sink: &mut impl FnMut(&Record)) -> usize {
        let (mut at, mut state) = (start, self.state);
        let offset = self.offset - start as u64;
        while let Some(scanned) = scan(bytes, at) {
            let Scanned { packet, len, .. } = scanned;
            if state.apply(&packet).is_err() {
                break;
            }
            sink(&Record {
                offset: offset + at as u64,
                len: len as u64,
                kind: packet.opcode.kind,
                packet,
                cut: None,
                suspect: self.is_suspect,
                state,
                raw: scanned.raw(),
            });
            at += len;
        }
        (self.offset, self.state) = (offset + at as u64, state);
        let read = (start..at).rev().take(usize::from(ASYNC_FS));
        let fs = read.take_while(|&place| nibble_at(bytes, place) == 0xF);
        self.parser.resume(fs.count() as u8);
        at
    }

    /// Bytes were lost before the next one: the nibbles of an unfinished packet are reported as unread.
    pub fn discontinuity(&mut self, mut sink: impl FnMut(&Record)) {
        self.unread(self.pending, &mut sink);
        self.parser.reset();
        match self.policy {
            Policy::Lenient => self.is_suspect = self.is_synced,
            Policy::Resync | Policy::OpenCsd => self.is_synced = false,
        }
    }

    /// The stream ends: nibbles without a record are reported as unread or as an incomplete packet.
    pub fn finish(&mut self, mut sink: impl FnMut(&Record)) {
        if self.is_synced && self.pending > 0 {
            self.record(Kind::Incomplete, self.parser.kind(), &mut sink);
            self.parser.reset();
        } else {
            self.unread(self.pending, &mut sink);
        }
    }

    fn nibble(&mut self, nibble: u8, sink: &mut impl FnMut(&Record)) {
        self.pending += 1;
        if !self.is_synced {
            self.parser.skip(nibble);
            if self.parser.is_async() {
                self.sync(sink);
            }
            return;
        }
        self.raw.push(nibble);
        let kind = self.parser.kind();
        let step = self.parser.step(nibble);
        if self.parser.is_async() && self.policy != Policy::OpenCsd {
            return self.sync(sink);
        }
        match step {
            Step::More => {}
            Step::Packet => self.packet(sink),
            Step::Reserved => self.error(Kind::Reserved, None, sink),
            Step::Broken => self.error(Kind::BadSequence, kind, sink),
        }
    }

    /// An ASYNC ends here, whatever was being read. It is shorter if a packet before has some of its F.
    fn sync(&mut self, sink: &mut impl FnMut(&Record)) {
        self.unread(self.pending.saturating_sub(ASYNC_NIBBLES), sink);
        self.is_synced = true;
        self.is_suspect = false;
        self.parser.start_packet();
        self.raw = RawNibbles::of_async(self.pending, 0);
        self.record(Kind::Async, None, sink);
    }

    fn packet(&mut self, sink: &mut impl FnMut(&Record)) {
        let packet = *self.parser.packet();
        let kind = packet.opcode.kind;
        match self.state.apply(&packet) {
            Ok(()) => self.record(kind, None, sink),
            Err(_) => self.error(Kind::BadSequence, Some(kind), sink),
        }
    }

    fn error(&mut self, kind: Kind, cut: Option<Kind>, sink: &mut impl FnMut(&Record)) {
        self.record(kind, cut, sink);
        self.is_synced = self.policy != Policy::Resync;
        self.is_suspect = self.policy == Policy::Lenient;
    }

    /// The first nibbles without a record were not read.
    fn unread(&mut self, len: u64, sink: &mut impl FnMut(&Record)) {
        let behind = self.pending - len;
        if len > 0 {
            self.pending = len;
            self.raw = RawNibbles::EMPTY;
            self.record(Kind::NotSync, None, sink);
        }
        self.pending = behind;
    }

    /// Reports all nibbles without a record.
    fn record(&mut self, kind: Kind, cut: Option<Kind>, sink: &mut impl FnMut(&Record)) {
        let packet = match kind {
            Kind::NotSync | Kind::Async | Kind::Reserved => Packet::NULL,
            Kind::Incomplete if cut.is_none() => Packet::NULL,
            _ => *self.parser.packet(),
        };
        let len = std::mem::take(&mut self.pending);
        let raw = std::mem::replace(&mut self.raw, RawNibbles::EMPTY);
        sink(&Record {
            offset: self.offset,
            len,
            kind,
            packet,
            cut,
            suspect: self.is_suspect,
            state: self.state,
            raw,
        });
        self.offset += len;
    }
}

/// A nibble of bytes.
fn nibble_at(bytes: &[u8], at: usize) -> u8 {
    nibbles(bytes[at / 2])[at % 2]
}
