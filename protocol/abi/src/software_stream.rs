// SPDX-License-Identifier: MIT OR Apache-2.0
//! The software stream: packets of an STM or an ITM as records of 32 bytes, for software to read.
//!
//! Like the record stream it is a sequence of packets, each of which can be read alone: a [`head`], records, words of
//! 0 that fill the last beat, and the tail of [`record_stream`](crate::record_stream). `docs/records.md` describes the
//! format; the hardware that writes it and the software that reads it share [`FIELDS`].

pub use crate::beat_field::BeatField;

/// Version of the format: the last letter of [`MAGIC`].
pub const VERSION: u8 = 1;

/// The first word of a packet: "SWT1" in memory.
pub const MAGIC: u32 = u32::from_le_bytes([b'S', b'W', b'T', b'0' + VERSION]);

/// Positions of the words of a head, and of the bits of its flags.
pub mod head {
    pub use crate::record_stream::head::{LENIENT, START, TRACE_ID};

    /// [`MAGIC`](super::MAGIC).
    pub const MAGIC: usize = 0;
    /// The flags.
    pub const FLAGS: usize = 1;
    /// The number of the packet since reset, modulo 2^32.
    pub const NUMBER: usize = 2;
    /// ITM_TCR; 0 for an STM.
    pub const ITM_TCR: usize = 3;
    /// Words of a head: a beat.
    pub const WORDS: usize = ITM_TCR + 1;

    /// The source is an ITM, otherwise an STM.
    pub const ITM: u32 = 17;
}

/// Words of a record: two beats.
pub const RECORD_WORDS: usize = 8;
/// 64-bit words of a record.
const WIDE_WORDS: usize = RECORD_WORDS / 2;
/// The most records of a packet: its head, they and its tail fill the beats of the longest packet.
pub const MOST_RECORDS: usize =
    (crate::record_stream::MAX_PACKET_WORDS - 2 * head::WORDS) / RECORD_WORDS;

/// What a record is about, in [`ENDING`].
pub mod ending {
    /// A packet.
    pub const PACKET: u64 = 1;
    /// An ASYNC or a sync, and what was not read in front of it.
    pub const SYNC: u64 = 2;
    /// A reserved opcode or header.
    pub const RESERVED: u64 = 3;
    /// Another error: what was read of a packet.
    pub const BAD_SEQUENCE: u64 = 4;
    /// Bytes were lost here, and what was read in front of them is no packet.
    pub const LOST: u64 = 5;
}

/// Coding of timestamps of an STM, in [`CODING`].
pub mod coding {
    /// No VERSION came.
    pub const UNKNOWN: u64 = 0;
    /// Natural binary.
    pub const NATURAL: u64 = 1;
    /// Gray code.
    pub const GRAY: u64 = 2;
}

/// See [`ending`].
pub const ENDING: BeatField = BeatField {
    name: "ENDING",
    low: 0,
    width: 3,
    text: "1 a packet; 2 an ASYNC or a sync, with what was not read before it; 3 a reserved opcode or header; 4 another error; 5 a loss, with what was cut off before it.",
};
/// An error came before.
pub const SUSPECT: BeatField = BeatField::behind(
    ENDING,
    "SUSPECT",
    1,
    "Under the lenient policy: an error or a loss came before, since the last ASYNC or sync.",
);
/// What the packet is.
pub const HEADER: BeatField = BeatField::behind(
    SUSPECT,
    "HEADER",
    8,
    "STM: the number of the opcode in `coretrace_stm::OPCODES`. ITM: the header.",
);
/// How long its variable part is.
pub const SIZE: BeatField = BeatField::behind(
    HEADER,
    "SIZE",
    5,
    "STM: nibbles of the timestamp, as it was sent. ITM: bytes of the payload.",
);
/// What is known of time.
pub const CODING: BeatField = BeatField::behind(
    SIZE,
    "CODING",
    2,
    "STM: timestamps are 1 natural binary, 2 Gray code, 0 no VERSION came. ITM: bit 0, all bits of the global timestamp are known.",
);
/// The master is known.
pub const MASTER_KNOWN: BeatField =
    BeatField::behind(CODING, "MASTER_KNOWN", 1, "STM: the master is known.");
/// Who writes.
pub const MASTER: BeatField = BeatField::behind(
    MASTER_KNOWN,
    "MASTER",
    8,
    "STM: the master after the packet. ITM: the page of stimulus ports.",
);
/// The end of the packet.
pub const LAST: BeatField = BeatField::behind(
    MASTER,
    "LAST",
    8,
    "STM: the last nibble. ITM: the last byte.",
);
/// Where it is written.
pub const CHANNEL: BeatField =
    BeatField::behind(LAST, "CHANNEL", 16, "STM: the channel after the packet.");
/// The lane of the last byte.
pub const LANE: BeatField = BeatField::behind(
    CHANNEL,
    "LANE",
    2,
    "The lane of the last byte in its row; of a loss, that of the first byte behind it.",
);
/// The data.
pub const DATA: BeatField = BeatField {
    name: "DATA",
    low: 64,
    width: 64,
    text: "STM: data, right-aligned. ITM: the payload, first byte lowest; of a sync, the bytes 00 directly before its last byte, saturating at 2^32-1. Of a loss: words of the trace port lost since reset, saturating.",
};
/// The time.
pub const TIME: BeatField = BeatField::behind(
    DATA,
    "TIME",
    64,
    "STM: the timestamp after the packet, natural binary; while CODING is 0, the value of a timestamp that cannot be read. ITM: of a global timestamp, the global time after it; of all others, the local time.",
);
/// The length.
pub const LENGTH: BeatField = BeatField::behind(
    TIME,
    "LENGTH",
    32,
    "Nibbles (STM) or bytes (ITM) since the record before it, saturating.",
);
/// The row.
pub const ROW: BeatField = BeatField::behind(
    LENGTH,
    "ROW",
    32,
    "The row of the trace port with that byte, modulo 2^32: rows of frames since reset, four in a frame, this one counted. All sources of a port share it.",
);

/// All fields, lowest bits first. Other bits are 0.
pub const FIELDS: [BeatField; 14] = [
    ENDING,
    SUSPECT,
    HEADER,
    SIZE,
    CODING,
    MASTER_KNOWN,
    MASTER,
    LAST,
    CHANNEL,
    LANE,
    DATA,
    TIME,
    LENGTH,
    ROW,
];

/// A record, field by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoftwareRecord {
    /// See [`ending`].
    pub ending: u64,
    /// [`SUSPECT`].
    pub is_suspect: bool,
    /// [`HEADER`].
    pub header: u8,
    /// [`SIZE`].
    pub size: u8,
    /// [`CODING`].
    pub coding: u64,
    /// [`MASTER_KNOWN`].
    pub is_master_known: bool,
    /// [`MASTER`].
    pub master: u8,
    /// [`LAST`].
    pub last: u8,
    /// [`CHANNEL`].
    pub channel: u16,
    /// [`LANE`].
    pub lane: u8,
    /// [`DATA`].
    pub data: u64,
    /// [`TIME`].
    pub time: u64,
    /// [`LENGTH`].
    pub length: u32,
    /// [`ROW`].
    pub row: u32,
}

impl SoftwareRecord {
    /// The fields with their values.
    fn values(&self) -> [(BeatField, u64); FIELDS.len()] {
        [
            (ENDING, self.ending),
            (SUSPECT, self.is_suspect.into()),
            (HEADER, self.header.into()),
            (SIZE, self.size.into()),
            (CODING, self.coding),
            (MASTER_KNOWN, self.is_master_known.into()),
            (MASTER, self.master.into()),
            (LAST, self.last.into()),
            (CHANNEL, self.channel.into()),
            (LANE, self.lane.into()),
            (DATA, self.data),
            (TIME, self.time),
            (LENGTH, self.length.into()),
            (ROW, self.row.into()),
        ]
    }

    /// Its words, lowest bits first. What a field has no room for is left out.
    pub fn words(&self) -> [u32; RECORD_WORDS] {
        let mut wide = [0; WIDE_WORDS];
        for (field, value) in self.values() {
            field.put(&mut wide, value & (u64::MAX >> (64 - field.width)));
        }
        core::array::from_fn(|word| (wide[word / 2] >> (32 * (word % 2))) as u32)
    }

    /// The record of these words; any words are one.
    pub fn of_words(words: &[u32; RECORD_WORDS]) -> SoftwareRecord {
        let wide: [u64; WIDE_WORDS] = core::array::from_fn(|word| {
            u64::from(words[2 * word]) | u64::from(words[2 * word + 1]) << 32
        });
        let get = |field: BeatField| field.get(&wide);
        SoftwareRecord {
            ending: get(ENDING),
            is_suspect: get(SUSPECT) == 1,
            header: get(HEADER) as u8,
            size: get(SIZE) as u8,
            coding: get(CODING),
            is_master_known: get(MASTER_KNOWN) == 1,
            master: get(MASTER) as u8,
            last: get(LAST) as u8,
            channel: get(CHANNEL) as u16,
            lane: get(LANE) as u8,
            data: get(DATA),
            time: get(TIME),
            length: get(LENGTH) as u32,
            row: get(ROW) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record_stream::{MAX_PACKET_WORDS, TAIL_WORDS};

    #[test]
    fn fields_of_a_record_do_not_overlap_and_cross_no_word() {
        let mut end = 0;
        for field in FIELDS {
            assert!(field.low >= end, "{}", field.name);
            end = field.low + field.width;
            assert_eq!(field.low / 64, (end - 1) / 64, "{}", field.name);
        }
        assert_eq!(end as usize, 32 * RECORD_WORDS);
    }

    #[test]
    fn words_of_a_record_are_read_as_they_were_written() {
        let mut state = 1_u64;
        for _ in 0..1000 {
            let words = core::array::from_fn(|_| {
                state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                (state >> 32) as u32
            });
            let record = SoftwareRecord::of_words(&words);
            let written = record.words();
            assert_eq!(SoftwareRecord::of_words(&written), record);
            // Ten bits belong to no field.
            assert_eq!(written[0], words[0]);
            assert_eq!(written[1], words[1] & (u32::MAX >> 10));
            assert_eq!(written[2..], words[2..]);
        }
    }

    #[test]
    fn the_longest_packet_fills_its_beats() {
        assert_eq!(MOST_RECORDS, 127);
        let before = head::WORDS + MOST_RECORDS * RECORD_WORDS;
        assert!(before + TAIL_WORDS <= MAX_PACKET_WORDS);
        assert_eq!(MAGIC.to_le_bytes(), *b"SWT1");
    }
}
