// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ITM decoder: the bytes of one source in, records out.

use coretrace_decode::Policy;
use coretrace_itm::{Config, Kind, Packet, Parser, Record, Rule, State, Step, scan};

/// The decoder of one ITM with its DWT. Feed it chunks of any size; memory does not depend on the stream.
///
/// A sync is found in any state, except under [`Policy::OpenCsd`]: there, where a header is due.
#[derive(Clone, Debug)]
pub struct ItmDecoder {
    config: Config,
    policy: Policy,
    parser: Parser,
    state: State,
    is_synced: bool,
    is_suspect: bool,
    /// Bytes of all records so far.
    offset: u64,
    /// Bytes since the last record.
    pending: u64,
    /// The last byte.
    last: u8,
}

impl ItmDecoder {
    /// A decoder waiting for the first sync.
    pub fn new(config: Config, policy: Policy) -> ItmDecoder {
        let rule = match policy {
            Policy::OpenCsd => Rule::OpenCsd,
            Policy::Resync | Policy::Lenient => Rule::Arm,
        };
        ItmDecoder {
            config,
            policy,
            parser: Parser::new(rule),
            state: State::default(),
            is_synced: false,
            is_suspect: false,
            offset: 0,
            pending: 0,
            last: 0,
        }
    }

    /// Decodes the next bytes; `sink` gets every record that they complete.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(&Record)) {
        let mut at = 0;
        while at < bytes.len() {
            if self.is_synced && self.parser.is_clear() {
                at = self.packets(bytes, at, &mut sink);
            }
            if let Some(&byte) = bytes.get(at) {
                self.byte(byte, &mut sink);
                at += 1;
            }
        }
    }

    /// Reads whole packets, and gives the byte behind them. No sync ends among them: at most four zeros follow
    /// each other in packets.
    fn packets(&mut self, bytes: &[u8], start: usize, sink: &mut impl FnMut(&Record)) -> usize {
        let (rule, mut at) = (self.parser.rule(), start);
        while let Some(packet) = scan(&bytes[at..], rule) {
            let len = 1 + usize::from(packet.len);
            self.state.apply(&packet, &self.config);
            at += len;
            sink(&Record {
                offset: self.offset,
                len: len as u64,
                kind: packet.kind,
                packet,
                last: bytes[at - 1],
                suspect: self.is_suspect,
                state: self.state,
            });
            self.offset += len as u64;
        }
        let zeros = bytes[start..at].iter().rev().take_while(|&&byte| byte == 0);
        self.parser.resume(zeros.count() as u64);
        at
    }

    /// Bytes were lost before the next one: the bytes of an unfinished packet are reported as unread.
    pub fn discontinuity(&mut self, mut sink: impl FnMut(&Record)) {
        self.unread(self.pending, &mut sink);
        self.parser.reset();
        match self.policy {
            Policy::Lenient => self.is_suspect = self.is_synced,
            Policy::Resync | Policy::OpenCsd => self.is_synced = false,
        }
    }

    /// The stream ends: bytes without a record are reported as unread or as an incomplete packet.
    pub fn finish(&mut self, mut sink: impl FnMut(&Record)) {
        if self.is_synced && self.pending > 0 {
            self.record(Kind::Incomplete, &mut sink);
            self.parser.reset();
        } else {
            self.unread(self.pending, &mut sink);
        }
    }

    fn byte(&mut self, byte: u8, sink: &mut impl FnMut(&Record)) {
        self.pending += 1;
        self.last = byte;
        let step = if self.is_synced {
            self.parser.step(byte)
        } else {
            self.parser.skip(byte);
            Step::More
        };
        if let Some(bytes) = self.parser.sync_bytes()
            && (!self.is_synced || self.policy != Policy::OpenCsd)
        {
            return self.sync(bytes, sink);
        }
        match step {
            Step::More => {}
            Step::Packet => {
                let packet = *self.parser.packet();
                self.state.apply(&packet, &self.config);
                self.record(packet.kind, sink);
            }
            Step::Reserved => self.error(Kind::Reserved, sink),
            Step::Broken => self.error(Kind::BadSequence, sink),
        }
    }

    /// A sync of so many bytes ends here, whatever was being read. It is shorter if a packet before has
    /// some of its zeros.
    fn sync(&mut self, bytes: u64, sink: &mut impl FnMut(&Record)) {
        self.unread(self.pending.saturating_sub(bytes), sink);
        self.is_synced = true;
        self.is_suspect = false;
        self.parser.start_packet();
        self.record(Kind::Sync, sink);
    }

    fn error(&mut self, kind: Kind, sink: &mut impl FnMut(&Record)) {
        self.record(kind, sink);
        self.is_synced = self.policy != Policy::Resync;
        self.is_suspect = self.policy == Policy::Lenient;
    }

    /// The first bytes without a record were not read.
    fn unread(&mut self, len: u64, sink: &mut impl FnMut(&Record)) {
        let behind = self.pending - len;
        if len > 0 {
            self.pending = len;
            self.record(Kind::NotSync, sink);
        }
        self.pending = behind;
    }

    /// Reports all bytes without a record.
    fn record(&mut self, kind: Kind, sink: &mut impl FnMut(&Record)) {
        let packet = match kind {
            Kind::NotSync | Kind::Sync => Packet::new(kind, 0),
            _ => *self.parser.packet(),
        };
        let len = std::mem::take(&mut self.pending);
        sink(&Record {
            offset: self.offset,
            len,
            kind,
            packet,
            last: if kind == Kind::NotSync { 0 } else { self.last },
            suspect: self.is_suspect,
            state: self.state,
        });
        self.offset += len;
    }
}
