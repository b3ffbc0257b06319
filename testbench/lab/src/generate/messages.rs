// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a program writes through an STM and an ITM while it runs: lines of text, numbers, a trigger, and what a DWT
//! reports. The same each time.

use coretrace_itm::{HEADERS, Kind, Packet as ItmPacket, Payload, emit as emit_itm};
use coretrace_stm::{OPCODES, Packet as StmPacket, Stamp, emit as emit_stm};

/// Lines that it writes.
pub const LINES: u64 = 32;

/// Ticks of the clock of all timestamps: at the first line, and from line to line. The trace `adpcm-a32` has as many.
const START: u64 = 0x1234_5678_9ABC;
const STEP: u64 = 468;
/// Lines from sync to sync.
const SYNC_LINES: u64 = 8;
/// The master of the STM, its channel for text, and the one for numbers of four bits, which are no text.
const MASTER: u64 = 0x41;
const TEXT: u64 = 1;
const NUMBERS: u64 = 2;
/// Where the program is, and the number of the exception that interrupts it, SysTick.
const PROGRAM: u64 = 0x1043C;
const SYSTICK: u64 = 15;
/// Bits of a global timestamp in its first packet.
const GLOBAL_LOW_W: u32 = 26;

/// What a DWT reports: exceptions, and samples of the program counter.
const EXCEPTIONS: u8 = 1;
const SAMPLES: u8 = 2;

/// What happens to an exception: it is entered, left, and the program before it goes on.
const ACTIONS: [u64; 3] = [1, 2, 3];

/// Text of line number `line`.
fn text(line: u64) -> Vec<u8> {
    format!("block {line} of {LINES}\n").into_bytes()
}

/// The bytes of a word as a number; missing ones are 0.
fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The bytes of an STM for each line.
pub fn stm() -> Vec<Vec<u8>> {
    let mut stm = Stm {
        nibbles: Vec::new(),
        time: 0,
    };
    (0..LINES).map(|line| stm.line(line)).collect()
}

struct Stm {
    /// The nibbles of a line.
    nibbles: Vec<u8>,
    /// The last timestamp.
    time: u64,
}

impl Stm {
    /// Writes the packet of this name; its timestamp has the nibbles that change.
    fn put(&mut self, name: &str, data: u64, time: Option<u64>) {
        let mut opcodes = OPCODES.iter();
        let opcode = opcodes.find(|it| it.name == name && it.is_stamped == time.is_some());
        let mut packet = StmPacket::new(*opcode.expect("a packet of this name"));
        packet.data = data;
        if let Some(time) = time {
            let changed = 64 - (time ^ self.time).leading_zeros();
            let mut sizes = changed.div_ceil(4) as u8..;
            let nibbles = sizes.find(|&nibbles| Stamp::size_of(nibbles).is_some());
            let nibbles = nibbles.expect("a size");
            let kept = u64::MAX.checked_shl(4 * u32::from(nibbles)).unwrap_or(0);
            packet.stamp = Stamp {
                nibbles,
                value: time & !kept,
            };
            self.time = time;
        }
        let is_emitted = emit_stm(&packet, |nibble| self.nibbles.push(nibble));
        assert!(is_emitted, "a size that can be sent");
    }

    fn line(&mut self, line: u64) -> Vec<u8> {
        let time = START + line * STEP;
        if line.is_multiple_of(SYNC_LINES) {
            self.put("ASYNC", 0, None);
            self.put("VERSION", 3, None);
            self.put("M8", MASTER, None);
        }
        self.put("C8", TEXT, None);
        for (place, bytes) in text(line).chunks(4).enumerate() {
            match (bytes.len(), place) {
                (4, 0) => self.put("D32MTS", number(bytes), Some(time)),
                (4, _) => self.put("D32", number(bytes), None),
                _ => bytes
                    .iter()
                    .for_each(|byte| self.put("D8", u64::from(*byte), None)),
            }
        }
        self.put("C8", NUMBERS, None);
        self.put("D4TS", line % 16, Some(time + STEP / 2));
        if line % SYNC_LINES == 5 {
            self.put("TRIGTS", line, Some(time + STEP / 2 + 8));
        }
        if !self.nibbles.len().is_multiple_of(2) {
            self.put("NULL", 0, None);
        }
        let bytes = self.nibbles.chunks(2).map(|two| two[0] | two[1] << 4);
        let bytes = bytes.collect();
        self.nibbles.clear();
        bytes
    }
}

/// The bytes of an ITM for each line.
pub fn itm() -> Vec<Vec<u8>> {
    (0..LINES).map(itm_line).collect()
}

/// The first header of this kind with such a payload: of a write that of port 0, of a DWT that of discriminator 0.
fn header(kind: Kind, payload: Payload) -> u8 {
    let mut rows = (0..=u8::MAX).zip(HEADERS);
    let row = rows.find(|(_, row)| (row.kind, row.payload) == (kind, payload));
    row.expect("a header of this kind").0
}

fn itm_line(line: u64) -> Vec<u8> {
    let time = START + line * STEP;
    let mut packets = Vec::new();
    let mut put = |header: u8, value: u64| {
        let packet = ItmPacket::of_value(header, value);
        packets.push(packet.expect("a value that fits"));
    };
    for bytes in text(line).chunks(4) {
        match bytes.len() {
            4 => put(header(Kind::Software, Payload::Fixed(4)), number(bytes)),
            _ => bytes.iter().for_each(|byte| {
                put(header(Kind::Software, Payload::Fixed(1)), u64::from(*byte));
            }),
        }
    }
    let local_timestamp = header(Kind::LocalTimestamp, Payload::Continued(4));
    put(local_timestamp, STEP / 2);
    if line % SYNC_LINES == 3 {
        for action in ACTIONS {
            let exception = header(Kind::Hardware, Payload::Fixed(2)) | EXCEPTIONS << 3;
            put(exception, action << 12 | SYSTICK);
        }
    }
    let sample = header(Kind::Hardware, Payload::Fixed(4)) | SAMPLES << 3;
    put(sample, PROGRAM + 4 * line);
    put(local_timestamp, STEP - STEP / 2);
    let global_timestamp = header(Kind::GlobalTimestamp1, Payload::Continued(4));
    put(global_timestamp, time % (1 << GLOBAL_LOW_W));

    let mut bytes = Vec::new();
    let mut emit = |packet: &ItmPacket| emit_itm(packet, |byte| bytes.push(byte));
    if line.is_multiple_of(SYNC_LINES) {
        emit(&ItmPacket::new(Kind::Sync, 0));
        let global_timestamp = header(Kind::GlobalTimestamp2, Payload::Continued(6));
        let high = ItmPacket::of_value(global_timestamp, time >> GLOBAL_LOW_W);
        emit(&of_48_bits(high.expect("a value that fits")));
    }
    packets.iter().for_each(emit);
    bytes
}

/// The second packet of a global timestamp of 48 bits has four bytes, whatever its value is.
fn of_48_bits(mut packet: ItmPacket) -> ItmPacket {
    packet.payload[..3]
        .iter_mut()
        .for_each(|byte| *byte |= 0x80);
    packet.len = 4;
    packet
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_decode::Policy;
    use coretrace_software_trace::{Decoder, ItmConfig, Messages, Protocol};

    #[test]
    fn what_is_written_is_read_without_an_error_and_ends_at_the_last_time() {
        for (protocol, bytes) in [
            (Protocol::Stm, stm()),
            (Protocol::Itm(ItmConfig::default()), itm()),
        ] {
            let (mut messages, mut lines) = (Messages::default(), Vec::new());
            let (mut is_good, mut time) = (true, None);
            Decoder::new(protocol, Policy::Resync).feed(&bytes.concat(), |record| {
                is_good &= !record.is_error() && !record.is_unread();
                time = record.common_time();
                messages.record(record, |_, line| lines.push([line, b"\n"].concat()));
            });
            assert!(is_good, "{protocol:?}");
            let last = START + (LINES - 1) * STEP;
            let is_last = |time| (last..last + STEP).contains(&time);
            assert!(time.is_some_and(is_last), "{protocol:?}: {time:?}");
            assert_eq!(
                lines,
                (0..LINES).map(text).collect::<Vec<_>>(),
                "{protocol:?}"
            );
        }
    }
}
