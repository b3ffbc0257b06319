// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of an STM to those of the stream, and back.

use coretrace_abi::software_stream::{SoftwareRecord, coding, ending};
use coretrace_stm::packet::BAD_SIZE;
use coretrace_stm::state::gray;
use coretrace_stm::{
    ASYNC_NIBBLES, Coding, Kind, OPCODES, Packet, RawNibbles, Record, Stamp, State, emit,
};

use super::following::Following;

/// The record of the stream for a record that was read; `unread` nibbles before it were not.
pub(super) fn written(record: &Record, unread: u64) -> Option<SoftwareRecord> {
    let ending = match record.kind {
        Kind::NotSync | Kind::Incomplete => return None,
        Kind::Async => ending::SYNC,
        Kind::Reserved => ending::RESERVED,
        Kind::BadSequence => ending::BAD_SEQUENCE,
        _ => ending::PACKET,
    };
    let Record { packet, state, .. } = record;
    let opcode = OPCODES.iter().position(|row| *row == packet.opcode)?;
    Some(SoftwareRecord {
        ending,
        is_suspect: record.suspect,
        header: opcode as u8,
        size: packet.stamp.nibbles,
        coding: match state.coding {
            None => coding::UNKNOWN,
            Some(Coding::Natural) => coding::NATURAL,
            Some(Coding::Gray) => coding::GRAY,
        },
        is_master_known: state.is_master_known,
        master: state.master,
        last: record.raw.iter().last().unwrap_or(0),
        channel: state.channel,
        data: packet.data,
        time: match state.coding {
            None => packet.stamp.value,
            Some(_) => state.timestamp,
        },
        length: u32::try_from(unread + record.len).unwrap_or(u32::MAX),
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
        if written.ending == ending::LOST {
            self.unread(length, &mut sink);
            self.following.end(written);
            return true;
        }
        let of_async = length.min(ASYNC_NIBBLES);
        let (kind, packet, cut, raw) = match written.ending {
            ending::SYNC => {
                self.unread(length - of_async, &mut sink);
                let raw = RawNibbles::of_async(of_async, 0);
                (Kind::Async, Packet::NULL, None, raw)
            }
            ending::RESERVED => {
                let raw = raw_of(if length > 2 { &[0xF, 0] } else { &[0xF] }, written.last);
                (Kind::Reserved, Packet::NULL, None, raw)
            }
            ending::PACKET | ending::BAD_SEQUENCE => {
                let Some(packet) = packet(written) else {
                    return false;
                };
                let kind = packet.opcode.kind;
                if written.ending == ending::PACKET {
                    (kind, packet, None, raw_of_packet(&packet))
                } else {
                    let raw = raw_of_error(written, &packet);
                    (Kind::BadSequence, packet, Some(kind), raw)
                }
            }
            _ => return false,
        };
        if raw.is_empty() {
            return false;
        }
        self.following.begin(written);
        self.state = State {
            frequency: match kind {
                Kind::Frequency => Some(packet.data as u32),
                _ => self.state.frequency,
            },
            ..state(written)
        };
        let offset = self.following.advance(raw.len());
        sink(Record {
            offset,
            len: raw.len(),
            kind,
            packet,
            cut,
            suspect: self.following.is_suspect,
            state: self.state,
            raw,
        });
        self.following.end(written);
        true
    }

    /// So many nibbles were not read.
    fn unread(&mut self, len: u64, sink: &mut impl FnMut(Record)) {
        if len > 0 {
            sink(Record {
                offset: self.following.advance(len),
                len,
                kind: Kind::NotSync,
                packet: Packet::NULL,
                cut: None,
                suspect: self.following.is_suspect,
                state: self.state,
                raw: RawNibbles::EMPTY,
            });
        }
    }
}

/// The state after a record, which is in it but for the frequency.
fn state(written: &SoftwareRecord) -> State {
    let coding = coding_of(written);
    State {
        master: written.master,
        is_master_known: written.is_master_known,
        channel: written.channel,
        timestamp: coding.map_or(0, |_| written.time),
        coding,
        frequency: None,
    }
}

fn coding_of(written: &SoftwareRecord) -> Option<Coding> {
    match written.coding {
        coding::NATURAL => Some(Coding::Natural),
        coding::GRAY => Some(Coding::Gray),
        _ => None,
    }
}

/// The packet of a record, of an error what was read of it; none if there is no such opcode.
fn packet(written: &SoftwareRecord) -> Option<Packet> {
    let opcode = *OPCODES.get(usize::from(written.header))?;
    let mut packet = Packet {
        data: written.data,
        ..Packet::new(opcode)
    };
    if opcode.is_stamped {
        let kept = 4 * u32::from(written.size);
        let low = u64::MAX.checked_shl(kept).map_or(u64::MAX, |high| !high);
        let value = match coding_of(written) {
            None => written.time,
            Some(_) if written.ending == ending::BAD_SEQUENCE => 0,
            Some(Coding::Natural) => written.time & low,
            Some(Coding::Gray) => gray(written.time) & low,
        };
        packet.stamp = Stamp {
            nibbles: written.size,
            value,
        };
    }
    Some(packet)
}

/// Some nibbles and a last one.
fn raw_of(first: &[u8], last: u8) -> RawNibbles {
    let mut raw = RawNibbles::EMPTY;
    first.iter().for_each(|nibble| raw.push(*nibble));
    raw.push(last);
    raw
}

fn raw_of_packet(packet: &Packet) -> RawNibbles {
    let mut raw = RawNibbles::EMPTY;
    emit(packet, |nibble| raw.push(nibble));
    raw
}

fn raw_of_error(written: &SoftwareRecord, packet: &Packet) -> RawNibbles {
    let opcode = packet.opcode;
    if opcode.kind == Kind::Async {
        return RawNibbles::of_async(written.length.into(), written.last);
    }
    let before_stamp = u32::from(opcode.nibbles + opcode.data);
    if opcode.is_stamped && written.length == before_stamp + 1 && written.last == BAD_SIZE {
        let mut raw = RawNibbles::EMPTY;
        let size_is_last = Packet {
            stamp: Stamp::default(),
            ..*packet
        };
        let mut left = before_stamp;
        emit(&size_is_last, |nibble| {
            raw.push(if left == 0 { BAD_SIZE } else { nibble });
            left = left.saturating_sub(1);
        });
        return raw;
    }
    raw_of_packet(packet)
}
