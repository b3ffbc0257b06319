// SPDX-License-Identifier: MIT OR Apache-2.0
//! CoreSight formatter frames as a TPIU, ETB or ETR outputs them: syncs, trace IDs and the 16-byte
//! frame.
//!
//! A frame is eight pairs of bytes. The first byte of a pair is *mixed*, data or a new trace ID;
//! the second is data, except in the last pair, where it is the *auxiliary byte* with one bit for
//! each mixed byte. For a data byte in a mixed place it holds bit 0 of that byte. For an ID it says
//! whether the other byte of the pair already belongs to the new ID (0) or still to the old one
//! (1).
//!
//! [`decode_frame`] reads a whole frame, pair by pair. [`decode_row`] is the same rule as equations
//! over four bytes, which is what hardware evaluates in one clock cycle. [`FrameBuilder`] writes
//! frames.
//!
//! Source: Arm CoreSight Architecture Specification (IHI 0029), trace formatter.

#![no_std]
#![forbid(unsafe_code)]

mod builder;
pub mod map;
pub mod ocla;

pub use builder::FrameBuilder;

/// Bytes in a frame.
pub const FRAME_BYTES: usize = 16;

/// Byte pairs in a frame; the formatter never splits a pair.
pub const FRAME_PAIRS: usize = FRAME_BYTES / 2;

/// Items that a frame holds: every byte but the auxiliary byte is an ID or a byte of data.
pub const FRAME_ITEMS: usize = FRAME_BYTES - 1;

/// Place of the auxiliary byte in a frame.
pub const AUX_BYTE: usize = FRAME_BYTES - 1;

/// Rows of four bytes in a frame.
pub const FRAME_ROWS: usize = FRAME_BYTES / 4;

/// Full sync: only between frames. On the port the low half comes first.
pub const FSYNC: u32 = 0x7FFF_FFFF;

/// Half sync: padding at any 16-bit boundary, inside frames as well. It is also the second half of
/// [`FSYNC`].
pub const HSYNC: u16 = 0x7FFF;

/// First half of [`FSYNC`].
pub const FSYNC_FIRST: u16 = 0xFFFF;

/// The value that no mixed byte of a frame has, because it would announce the ID 0x7F. A pair that
/// begins with it is a sync or is damaged.
pub const SYNC_BYTE: u8 = 0xFF;

/// One frame, in the order of the port.
pub type Frame = [u8; FRAME_BYTES];

/// A seven-bit trace ID (ATID on ATB).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId(u8);

impl TraceId {
    /// Padding: its bytes mean nothing.
    pub const NULL: Self = Self(0x00);
    /// Its bytes mark a flush.
    pub const FLUSH: Self = Self(0x7B);
    /// Its bytes mark a trigger.
    pub const TRIGGER: Self = Self(0x7D);
    /// The ID that cannot be announced, see [`SYNC_BYTE`]. The hardware uses it in a row for "no ID
    /// known yet".
    pub const UNKNOWN: Self = Self(0x7F);

    /// The ID of this value; `None` above 0x7F.
    pub const fn new(value: u8) -> Option<Self> {
        if value <= 0x7F {
            Some(Self(value))
        } else {
            None
        }
    }

    /// The value, 0 to 0x7F.
    pub const fn value(self) -> u8 {
        self.0
    }

    /// Whether this is the null source.
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// Whether the architecture reserves this ID, so that no trace source has it: 0x70 to 0x7F.
    pub const fn is_reserved(self) -> bool {
        self.0 >= 0x70
    }

    /// Whether a trace source may have this ID: 0x01 to 0x6F.
    pub const fn is_source(self) -> bool {
        !self.is_null() && !self.is_reserved()
    }

    /// The mixed byte that announces this ID.
    pub const fn announcement(self) -> u8 {
        self.0 << 1 | 1
    }

    /// The ID that this mixed byte announces; `None` if the byte is data.
    pub const fn announced_by(mixed: u8) -> Option<Self> {
        if mixed & 1 == 1 {
            Some(Self(mixed >> 1))
        } else {
            None
        }
    }
}

/// The meaning of one byte of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameItem {
    /// The bytes from here on belong to this ID.
    Id(TraceId),
    /// A byte of data and the ID it belongs to, `None` before the first ID.
    Byte(Option<TraceId>, u8),
}

/// Decodes one frame; `current` is the ID in force, kept from frame to frame.
///
/// The items come in the order in which they take effect: if the byte paired with an ID belongs to
/// the old ID, that byte comes first. Items `2k` and `2k + 1` are those of pair `k`.
///
/// ```
/// use coretrace_coresight::{FrameItem, TraceId, decode_frame};
///
/// let mut current = TraceId::new(0x10);
/// let frame = [
///     0x41, 0xAA, 0x02, 0x03, 0x21, 0x05, 0x06, 0x07, //
///     0x41, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x21, 0x11,
/// ];
/// let items = decode_frame(&frame, &mut current);
/// let new = TraceId::new(0x20).unwrap();
/// assert_eq!(items[0], FrameItem::Byte(TraceId::new(0x10), 0xAA));
/// assert_eq!(items[1], FrameItem::Id(new));
/// assert_eq!(items[2], FrameItem::Byte(Some(new), 0x02));
/// assert_eq!(current, TraceId::new(0x10));
/// ```
pub fn decode_frame(frame: &Frame, current: &mut Option<TraceId>) -> [FrameItem; FRAME_ITEMS] {
    let mut items = [FrameItem::Byte(None, 0); FRAME_ITEMS];
    for pair in 0..FRAME_PAIRS {
        let (mixed, beside) = (frame[2 * pair], frame[2 * pair + 1]);
        let aux = frame[AUX_BYTE] >> pair & 1;
        let old = *current;
        let (first, second) = match TraceId::announced_by(mixed) {
            None => (
                FrameItem::Byte(old, mixed | aux),
                FrameItem::Byte(old, beside),
            ),
            Some(new) => {
                *current = Some(new);
                // The last pair has no second byte of data, so its auxiliary bit has no meaning.
                if aux == 1 && pair < FRAME_PAIRS - 1 {
                    (FrameItem::Byte(old, beside), FrameItem::Id(new))
                } else {
                    (FrameItem::Id(new), FrameItem::Byte(Some(new), beside))
                }
            }
        };
        items[2 * pair] = first;
        if pair < FRAME_PAIRS - 1 {
            items[2 * pair + 1] = second;
        }
    }
    items
}

/// Four decoded bytes of a frame, each in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The data bytes; a byte whose `keep` is false is undefined.
    pub data: [u8; 4],
    /// The ID of each byte.
    pub ids: [Option<TraceId>; 4],
    /// Which bytes are data.
    pub keep: [bool; 4],
    /// The ID in force after the row.
    pub next: Option<TraceId>,
}

/// The equations for row `index` (0 to 3) of a frame, given the ID in force before the row.
///
/// With `F0`, `F1` "the mixed byte is an ID", `A0`, `A1` its auxiliary bit, `I0`, `I1` the ID in it,
/// and `L` the ID before the row, `M` is the ID in force after the first pair:
///
/// | signal | value |
/// |---|---|
/// | `M` | `F0 ? I0 : L` |
/// | `keep[0]`, `ids[0]` | `!F0`, `L` |
/// | `keep[1]`, `ids[1]` | 1, `F0 && !A0 ? I0 : L` |
/// | `keep[2]`, `ids[2]` | `!F1`, `M` |
/// | `keep[3]`, `ids[3]` | not the last row, `F1 && !A1 ? I1 : M` |
/// | `next` | `F1 ? I1 : M` |
///
/// `next` is not `ids[3]`: after a late change in the second pair byte 3 has the old ID and the next
/// row the new one.
///
/// # Panics
/// If `index` is above 3.
pub fn decode_row(frame: &Frame, index: usize, current: Option<TraceId>) -> Row {
    let bytes = [0, 1, 2, 3].map(|lane| frame[4 * index + lane]);
    let aux = [0, 1].map(|pair| frame[AUX_BYTE] >> (2 * index + pair) & 1);
    let announced = [
        TraceId::announced_by(bytes[0]),
        TraceId::announced_by(bytes[2]),
    ];
    let middle = announced[0].or(current);
    let early = |pair: usize| announced[pair].filter(|_| aux[pair] == 0);
    Row {
        data: [
            bytes[0] & 0xFE | aux[0],
            bytes[1],
            bytes[2] & 0xFE | aux[1],
            bytes[3],
        ],
        ids: [current, early(0).or(current), middle, early(1).or(middle)],
        keep: [
            announced[0].is_none(),
            true,
            announced[1].is_none(),
            index < FRAME_ROWS - 1,
        ],
        next: announced[1].or(middle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE_A: Frame = [
        0x21, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, //
        0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0xFE,
    ];

    /// The bytes that `frame` holds for `id`.
    fn bytes_of(
        frame: &Frame,
        current: &mut Option<TraceId>,
        id: u8,
    ) -> ([u8; FRAME_ITEMS], usize) {
        let (mut bytes, mut len) = ([0; FRAME_ITEMS], 0);
        for item in decode_frame(frame, current) {
            if let FrameItem::Byte(Some(of), byte) = item
                && of.value() == id
            {
                bytes[len] = byte;
                len += 1;
            }
        }
        (bytes, len)
    }

    /// Frames and IDs that reach every case of both decoders, from a fixed sequence.
    fn random_frames() -> impl Iterator<Item = (Frame, Option<TraceId>)> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        (0..20_000).map(move |_| {
            let (low, high) = (next().to_le_bytes(), next().to_le_bytes());
            let mut frame = [0; FRAME_BYTES];
            frame[..8].copy_from_slice(&low);
            frame[8..].copy_from_slice(&high);
            (frame, TraceId::new(next() as u8))
        })
    }

    #[test]
    fn an_id_in_byte_0_covers_the_frame_and_data_gets_its_bit_0_back() {
        let mut current = None;
        let (bytes, len) = bytes_of(&EXAMPLE_A, &mut current, 0x10);
        assert_eq!(
            bytes[..len],
            [1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15]
        );
        assert_eq!(current, TraceId::new(0x10));
    }

    #[test]
    fn an_id_in_byte_14_holds_from_the_next_frame_whatever_its_auxiliary_bit() {
        for aux in [0x00, 0x80] {
            let mut frame = [2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 0x41, aux];
            let mut current = TraceId::new(0x10);
            let (bytes, len) = bytes_of(&frame, &mut current, 0x10);
            assert_eq!(bytes[..len], [2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3]);
            assert_eq!(current, TraceId::new(0x20));
            frame[14] = 4;
            let (_, len) = bytes_of(&frame, &mut current, 0x20);
            assert_eq!(len, 15);
        }
    }

    #[test]
    fn null_and_reserved_ids_switch_like_any_other() {
        let frame = [
            0x01, 0x00, 0x00, 0x00, 0xFB, 0x99, 0xF7, 0x77, //
            0x02, 0x03, 0x21, 0x05, 0x06, 0x07, 0x08, 0x00,
        ];
        for (id, expected) in [
            (TraceId::NULL, &[0, 0, 0][..]),
            (TraceId::TRIGGER, &[0x99]),
            (TraceId::FLUSH, &[0x77, 2, 3]),
            (TraceId(0x10), &[5, 6, 7, 8]),
        ] {
            let (bytes, len) = bytes_of(&frame, &mut None, id.value());
            assert_eq!(bytes[..len], *expected, "{id:?}");
        }
    }

    #[test]
    fn bytes_before_the_first_id_have_none() {
        let frame = [2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 4, 0];
        let items = decode_frame(&frame, &mut None);
        assert!(items.iter().all(|i| matches!(i, FrameItem::Byte(None, _))));
    }

    #[test]
    fn a_late_change_in_the_second_pair_of_a_row_holds_in_the_next_row() {
        let mut frame = [0; FRAME_BYTES];
        frame[..4].copy_from_slice(&[0x02, 0x03, 0x41, 0x05]);
        frame[AUX_BYTE] = 0b10;
        let row = decode_row(&frame, 0, TraceId::new(0x10));
        assert_eq!(row.ids[3], TraceId::new(0x10));
        assert_eq!(row.next, TraceId::new(0x20));
    }

    #[test]
    fn the_row_equations_agree_with_the_pairs_on_random_frames() {
        for (frame, start) in random_frames() {
            let mut by_pair = start;
            let items = decode_frame(&frame, &mut by_pair);
            let mut bytes = items.iter().filter_map(|item| match *item {
                FrameItem::Byte(id, byte) => Some((id, byte)),
                FrameItem::Id(_) => None,
            });
            let mut by_row = start;
            for index in 0..FRAME_ROWS {
                let row = decode_row(&frame, index, by_row);
                for lane in (0..4).filter(|lane| row.keep[*lane]) {
                    assert_eq!(
                        bytes.next(),
                        Some((row.ids[lane], row.data[lane])),
                        "{frame:02x?}"
                    );
                }
                by_row = row.next;
            }
            assert_eq!(bytes.next(), None, "{frame:02x?}");
            assert_eq!(by_row, by_pair, "{frame:02x?}");
        }
    }

    #[test]
    fn every_id_is_null_or_reserved_or_a_source() {
        let count = |rule: fn(TraceId) -> bool| (0..=0x7F).filter(|v| rule(TraceId(*v))).count();
        assert_eq!(count(TraceId::is_null), 1);
        assert_eq!(count(TraceId::is_reserved), 16);
        assert_eq!(count(TraceId::is_source), 0x6F);
        assert_eq!(TraceId::new(0x80), None);
    }

    #[test]
    fn only_the_unknown_id_looks_like_a_sync() {
        let like_sync = |v: &u8| TraceId(*v).announcement() == SYNC_BYTE;
        assert!((0..=0x7F).filter(like_sync).eq([TraceId::UNKNOWN.value()]));
        assert_eq!(FSYNC as u16, FSYNC_FIRST);
        assert_eq!((FSYNC >> 16) as u16, HSYNC);
    }
}

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
