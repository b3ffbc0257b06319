// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of an ITM to those of the stream, and back.

use coretrace_abi::software_stream::{SoftwareRecord, ending};
use coretrace_itm::packet::PAYLOAD_BYTES;
use coretrace_itm::{HEADERS, Kind, Packet, Record, State};

use super::following::Following;

/// Whether the time of a record is the global one.
fn is_global(ending: u64, header: u8) -> bool {
    let kind = HEADERS[usize::from(header)].kind;
    ending == ending::PACKET && matches!(kind, Kind::GlobalTimestamp1 | Kind::GlobalTimestamp2)
}

/// The record of the stream for a record that was read; `unread` bytes before it were not.
pub(super) fn written(record: &Record, unread: u64) -> Option<SoftwareRecord> {
    let ending = match record.kind {
        Kind::NotSync | Kind::Incomplete => return None,
        Kind::Sync => ending::SYNC,
        Kind::Reserved => ending::RESERVED,
        Kind::BadSequence => ending::BAD_SEQUENCE,
        _ => ending::PACKET,
    };
    let Record { packet, state, .. } = record;
    let payload = packet.payload.iter().rev();
    let saturated = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    Some(SoftwareRecord {
        ending,
        is_suspect: record.suspect,
        header: packet.header,
        size: packet.len,
        coding: state.is_global_complete.into(),
        master: state.page,
        last: record.last,
        data: match ending {
            ending::SYNC => saturated(record.len - 1).into(),
            _ => payload.fold(0, |data, byte| data << 8 | u64::from(*byte)),
        },
        time: if is_global(ending, packet.header) {
            state.global_time
        } else {
            state.local_time
        },
        length: saturated(unread + record.len),
        ..SoftwareRecord::default()
    })
}

/// Makes records of those of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Records {
    following: Following,
    state: State,
}

impl Records {
    /// At the start of a stream.
    pub fn new(is_lenient: bool) -> Records {
        Records {
            following: Following::new(is_lenient),
            state: State::default(),
        }
    }

    /// Takes a record of the stream; false if it is none.
    pub fn take(&mut self, written: &SoftwareRecord, mut sink: impl FnMut(Record)) -> bool {
        let length = u64::from(written.length);
        if length == 0 && written.ending != ending::LOST {
            return false;
        }
        let unread = match written.ending {
            ending::LOST => length,
            ending::SYNC => length.saturating_sub(written.data.saturating_add(1)),
            ending::PACKET | ending::RESERVED | ending::BAD_SEQUENCE => 0,
            _ => return false,
        };
        if unread > 0 {
            let packet = Packet::new(Kind::NotSync, 0);
            sink(self.record(Kind::NotSync, packet, unread, 0));
        }
        if written.ending != ending::LOST {
            self.read(written);
            let packet = packet(written);
            let kind = match written.ending {
                ending::RESERVED => Kind::Reserved,
                ending::BAD_SEQUENCE => Kind::BadSequence,
                _ => packet.kind,
            };
            sink(self.record(kind, packet, length - unread, written.last));
        }
        self.following.end(written);
        true
    }

    /// The state after a record, which is in it but for one of the times.
    fn read(&mut self, written: &SoftwareRecord) {
        self.following.begin(written);
        self.state.page = written.master;
        self.state.is_global_complete = written.coding & 1 == 1;
        if is_global(written.ending, written.header) {
            self.state.global_time = written.time;
        } else {
            self.state.local_time = written.time;
        }
    }

    fn record(&mut self, kind: Kind, packet: Packet, len: u64, last: u8) -> Record {
        Record {
            offset: self.following.advance(len),
            len,
            kind,
            packet,
            last,
            suspect: self.following.is_suspect,
            state: self.state,
        }
    }
}

/// The packet of a record; of an error what was read of it.
fn packet(written: &SoftwareRecord) -> Packet {
    if written.ending == ending::SYNC {
        return Packet::new(Kind::Sync, 0);
    }
    let header = written.header;
    let mut packet = Packet::new(HEADERS[usize::from(header)].kind, header);
    packet.len = written.size.min(PAYLOAD_BYTES as u8);
    let bytes = written.data.to_le_bytes();
    packet.payload.copy_from_slice(&bytes[..PAYLOAD_BYTES]);
    packet
}
