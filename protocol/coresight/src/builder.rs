// SPDX-License-Identifier: MIT OR Apache-2.0
//! The other direction: bytes of several trace IDs, packed into frames.

use crate::{AUX_BYTE, FRAME_BYTES, Frame, TraceId};

/// Place of the last mixed byte: an ID there is never late.
const LAST_MIXED: usize = AUX_BYTE - 1;

/// A greedy formatter: every byte goes into the next free place.
///
/// An ID change at an even place is *early*: the ID takes that place. A change at an odd place is
/// *late*: the byte in the mixed place moves one place up, beside the new ID. So the caller chooses
/// early or late by the place at which it asks for a change, with [`push`](Self::push) or with
/// [`announce`](Self::announce).
///
/// ```
/// use coretrace_coresight::{FrameBuilder, TraceId};
///
/// let id = TraceId::new(0x10).unwrap();
/// let mut builder = FrameBuilder::new();
/// let frames: Vec<_> = (1..=14).filter_map(|byte| builder.push(id, byte)).collect();
/// assert_eq!(frames[0], [0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct FrameBuilder {
    frame: Frame,
    position: usize,
    current: Option<TraceId>,
    frames_since_id: u32,
    announce_every: Option<u32>,
}

impl Default for FrameBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl FrameBuilder {
    /// A builder that announces an ID only where it changes.
    pub const fn new() -> Self {
        Self {
            frame: [0; FRAME_BYTES],
            position: 0,
            current: None,
            frames_since_id: 0,
            announce_every: None,
        }
    }

    /// A builder that repeats the current ID after this many frames without one, as formatters do
    /// for readers that start late. Zero repeats it before every byte that can follow an ID.
    pub const fn announcing_every(frames: u32) -> Self {
        Self {
            announce_every: Some(frames),
            ..Self::new()
        }
    }

    /// Adds one byte of `id`, after an ID change if needed. Returns a frame when one is full.
    ///
    /// The ID 0x7F makes frames that look like syncs; no receiver takes them.
    pub fn push(&mut self, id: TraceId, byte: u8) -> Option<Frame> {
        let due = self
            .announce_every
            .is_some_and(|every| self.frames_since_id >= every);
        let before = if self.current != Some(id) || due {
            self.announce(id)
        } else {
            None
        };
        let after = self.put(byte);
        // Only one of the two can fill the frame.
        before.or(after)
    }

    /// Announces an ID here, even if it is the current one or no byte of it follows. Returns a
    /// frame when one is full.
    pub fn announce(&mut self, id: TraceId) -> Option<Frame> {
        self.current = Some(id);
        self.frames_since_id = 0;
        if self.position.is_multiple_of(2) {
            self.frame[self.position] = id.announcement();
            return self.advance();
        }
        let mixed = self.position - 1;
        if TraceId::announced_by(self.frame[mixed]).is_some() {
            // No byte has used the ID in this place: the new ID replaces it.
            self.frame[mixed] = id.announcement();
            return None;
        }
        let aux = 1 << (mixed / 2);
        let old = self.frame[mixed] | u8::from(self.frame[AUX_BYTE] & aux != 0);
        self.frame[mixed] = id.announcement();
        self.frame[AUX_BYTE] |= aux;
        self.frame[self.position] = old;
        self.advance()
    }

    /// Pads the current frame with the null ID and returns it; `None` if it is empty.
    pub fn flush(&mut self) -> Option<Frame> {
        if self.position == 0 {
            return None;
        }
        if let Some(frame) = self.announce(TraceId::NULL) {
            return Some(frame);
        }
        loop {
            if let Some(frame) = self.put(0) {
                return Some(frame);
            }
        }
    }

    fn put(&mut self, byte: u8) -> Option<Frame> {
        if self.position.is_multiple_of(2) {
            self.frame[self.position] = byte & 0xFE;
            self.frame[AUX_BYTE] |= (byte & 1) << (self.position / 2);
        } else {
            self.frame[self.position] = byte;
        }
        self.advance()
    }

    fn advance(&mut self) -> Option<Frame> {
        self.position += 1;
        if self.position <= LAST_MIXED {
            return None;
        }
        self.position = 0;
        self.frames_since_id = self.frames_since_id.saturating_add(1);
        Some(core::mem::take(&mut self.frame))
    }
}

#[cfg(test)]
mod tests {
    use crate::*;
    use crate::{FrameItem, decode_frame};

    fn id(value: u8) -> TraceId {
        TraceId::new(value).unwrap()
    }

    /// Pushes `count` bytes of one ID and expects no frame to be full.
    fn fill(builder: &mut FrameBuilder, of: TraceId, count: u8) {
        for byte in 0..count {
            assert_eq!(builder.push(of, byte | 0x80), None);
        }
    }

    #[test]
    fn a_change_at_an_odd_place_is_late_and_keeps_the_old_byte_whole() {
        let mut builder = FrameBuilder::new();
        fill(&mut builder, id(0x10), 4);
        builder.push(id(0x20), 0x55);
        let frame = builder.flush().unwrap();
        // 0x83 was in place 4 and moves to place 5.
        assert_eq!(frame[4..6], [0x41, 0x83]);
        let mut current = None;
        let items = decode_frame(&frame, &mut current);
        assert_eq!(items[4], FrameItem::Byte(Some(id(0x10)), 0x83));
        assert_eq!(items[5], FrameItem::Id(id(0x20)));
    }

    #[test]
    fn a_change_at_an_even_place_is_early() {
        let mut builder = FrameBuilder::new();
        fill(&mut builder, id(0x10), 3);
        builder.push(id(0x20), 0x55);
        let frame = builder.flush().unwrap();
        assert_eq!(frame[4..6], [0x41, 0x55]);
        assert_eq!(frame[AUX_BYTE] >> 2 & 1, 0);
    }

    #[test]
    fn a_change_in_byte_14_is_early_and_fills_the_frame() {
        let mut builder = FrameBuilder::new();
        fill(&mut builder, id(0x10), 13);
        let frame = builder.push(id(0x20), 0x55).unwrap();
        assert_eq!(frame[14], 0x41);
        assert_eq!(frame[AUX_BYTE] >> 7, 0);
        // The byte went into place 0, and the padding moved it on.
        assert_eq!(builder.flush().unwrap()[..2], [0x01, 0x55]);
    }

    #[test]
    fn an_announcement_without_bytes_is_replaced_by_the_next() {
        let mut builder = FrameBuilder::new();
        builder.announce(id(0x10));
        builder.announce(id(0x20));
        builder.push(id(0x20), 1);
        assert_eq!(builder.flush().unwrap()[..2], [0x41, 1]);
    }

    #[test]
    fn an_id_is_repeated_after_so_many_frames_without_one() {
        let mut builder = FrameBuilder::announcing_every(2);
        let mut with_id = [false; 8];
        let mut frames = 0;
        for _ in 0..200 {
            let Some(frame) = builder.push(id(0x10), 0x33) else {
                continue;
            };
            if frames < with_id.len() {
                let items = decode_frame(&frame, &mut None);
                with_id[frames] = items.iter().any(|i| matches!(i, FrameItem::Id(_)));
            }
            frames += 1;
        }
        assert_eq!(
            with_id,
            [true, false, true, false, true, false, true, false]
        );
    }

    #[test]
    fn an_empty_builder_has_nothing_to_flush() {
        assert_eq!(FrameBuilder::new().flush(), None);
    }

    #[test]
    fn flush_leaves_nothing_behind() {
        for count in 1..15 {
            let mut builder = FrameBuilder::new();
            let full = (0..count).any(|byte| builder.push(id(0x10), byte).is_some());
            assert_eq!(builder.flush().is_some(), !full, "{count} bytes");
            assert_eq!(builder.flush(), None, "{count} bytes");
        }
    }
}
