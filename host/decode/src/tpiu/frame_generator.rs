// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames from the bytes of a trace port.

use super::{PAIRS, SyncStatistics};
use coretrace_coresight::{FRAME_BYTES, FSYNC_FIRST, Frame, HSYNC, SYNC_BYTE};

/// A frame, or a loss of data before the next frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameEvent {
    /// A whole frame.
    Frame {
        /// Where it starts in the stream: after the previous frame or full sync.
        offset: u64,
        /// The 16 bytes, without syncs.
        bytes: Frame,
    },
    /// Bytes were lost; the current ID is unknown.
    Discontinuity {
        /// Where the loss was found.
        offset: u64,
    },
}

/// Finds frames between full syncs and half syncs.
///
/// # The state machine
///
/// The port is a sequence of half-words `x` of 16 bits, the byte that comes first in bits 7 to 0.
/// The state is `synced`; `held`, the last half-word was 0xFFFF; and `n`, the half-words of a frame
/// taken so far, 0 to 7. It begins with neither `synced` nor `held`, and `n` is 0. The rows are
/// tried in order.
///
/// | if | and `x` is | then |
/// |---|---|---|
/// | `held` | 0x7FFF | full sync. If `synced` and `n > 0` it is a *loss*. Now `synced`, `n = 0`, not `held` |
/// | `held` | anything else | if `synced`, a *loss*, and no longer `synced`; not `held`; then go on below |
/// | | 0xFFFF | `held` |
/// | not `synced` | | drop `x` |
/// | | 0x7FFF | half sync, skip `x` |
/// | | 0xFF in bits 7 to 0 | *loss*, no longer `synced` |
/// | | | take `x`; with eight of them the frame is whole, and `n = 0` |
///
/// A *loss* drops the `n` half-words taken so far, sets `n = 0`, and reports a discontinuity, which
/// clears the current ID of the [`FrameDecoder`](super::FrameDecoder). A full sync between two
/// frames is not a loss and keeps the ID. So a half-word causes at most one event, and two cause at
/// most one frame.
#[derive(Clone, Debug, Default)]
pub struct FrameGenerator {
    synced: bool,
    held: bool,
    frame: Frame,
    taken: usize,
    frame_offset: u64,
    offset: u64,
    odd: Option<u8>,
    statistics: SyncStatistics,
}

impl FrameGenerator {
    /// A synchroniser at the start of a stream, in search of a full sync.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether frames are being taken, as opposed to searching for a full sync.
    pub fn in_sync(&self) -> bool {
        self.synced
    }

    /// The counts so far.
    pub fn statistics(&self) -> SyncStatistics {
        self.statistics
    }

    /// Takes a chunk of the stream. Half-words are counted from the first byte of the first chunk.
    pub fn feed(&mut self, mut bytes: &[u8], mut sink: impl FnMut(FrameEvent)) {
        while let Some((&byte, rest)) = bytes.split_first() {
            if let Some((frame, later)) = bytes.split_first_chunk()
                && self.is_next(frame)
            {
                self.offset += FRAME_BYTES as u64;
                sink(self.whole(*frame));
                bytes = later;
                continue;
            }
            bytes = rest;
            match self.odd.take() {
                None => self.odd = Some(byte),
                Some(first) => {
                    if let Some(event) = self.step(u16::from_le_bytes([first, byte])) {
                        sink(event);
                    }
                }
            }
        }
    }

    /// Whether the next eight half-words are a frame: no sync is among them, and no damage.
    #[inline]
    fn is_next(&self, frame: &Frame) -> bool {
        const FIRST: u128 = PAIRS * 0xFF;
        let at_start = self.synced && !self.held && self.taken == 0 && self.odd.is_none();
        // The carry of a byte that is 0xFF.
        let first = u128::from_le_bytes(*frame) & FIRST;
        at_start && (first + PAIRS) & !FIRST == 0
    }

    /// A frame ends here.
    #[inline]
    fn whole(&mut self, bytes: Frame) -> FrameEvent {
        self.statistics.frames += 1;
        let offset = std::mem::replace(&mut self.frame_offset, self.offset);
        FrameEvent::Frame { offset, bytes }
    }

    /// Ends the stream: an incomplete frame is dropped and counted, and the next byte starts a new
    /// stream.
    pub fn finish(&mut self) {
        if self.held {
            self.drop_held();
        }
        self.drop_partial();
        if self.odd.take().is_some() {
            if self.synced {
                self.statistics.partial_bytes += 1;
            } else {
                self.statistics.unsynchronised_bytes += 1;
            }
        }
        *self = Self {
            statistics: self.statistics,
            ..Self::default()
        };
    }

    /// Words of the port were lost before the next half-word: search for a full sync again. This
    /// counts as a loss if frames were being taken.
    pub fn discontinuity(&mut self) -> FrameEvent {
        self.statistics.losses += u64::from(self.synced);
        if self.held {
            self.drop_held();
        }
        self.lose_sync();
        FrameEvent::Discontinuity {
            offset: self.offset,
        }
    }

    /// One step of the state machine.
    pub fn step(&mut self, half_word: u16) -> Option<FrameEvent> {
        let here = self.offset;
        self.offset += 2;
        let mut loss = false;
        if self.held {
            if half_word == HSYNC {
                return self.full_sync(here);
            }
            loss = self.synced;
            self.drop_held();
            self.lose_sync();
        }
        if half_word == FSYNC_FIRST {
            self.held = true;
        } else if !self.synced {
            self.statistics.unsynchronised_bytes += 2;
        } else if half_word == HSYNC {
            self.statistics.half_syncs += 1;
        } else if half_word as u8 == SYNC_BYTE {
            loss = true;
            self.statistics.corrupt_bytes += 2;
            self.lose_sync();
        } else {
            return self.take(half_word);
        }
        loss.then(|| self.loss(here))
    }

    fn full_sync(&mut self, here: u64) -> Option<FrameEvent> {
        let loss = self.taken > 0;
        self.drop_partial();
        self.statistics.full_syncs += 1;
        self.statistics.acquisitions += u64::from(!self.synced);
        self.synced = true;
        self.held = false;
        self.frame_offset = self.offset;
        loss.then(|| self.loss(here))
    }

    fn take(&mut self, half_word: u16) -> Option<FrameEvent> {
        self.frame[self.taken..self.taken + 2].copy_from_slice(&half_word.to_le_bytes());
        self.taken += 2;
        if self.taken < FRAME_BYTES {
            return None;
        }
        self.taken = 0;
        Some(self.whole(self.frame))
    }

    fn loss(&mut self, offset: u64) -> FrameEvent {
        self.statistics.losses += 1;
        FrameEvent::Discontinuity { offset }
    }

    fn lose_sync(&mut self) {
        self.drop_partial();
        self.synced = false;
    }

    /// The held 0xFFFF is not the start of a full sync.
    fn drop_held(&mut self) {
        self.held = false;
        if self.synced {
            self.statistics.corrupt_bytes += 2;
        } else {
            self.statistics.unsynchronised_bytes += 2;
        }
    }

    fn drop_partial(&mut self) {
        self.statistics.partial_bytes += self.taken as u64;
        self.taken = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of a whole stream, frames by their first byte and losses as `None`, and the
    /// synchroniser.
    fn run(half_words: &[u16]) -> (Vec<Option<u8>>, FrameGenerator) {
        let mut sync = FrameGenerator::new();
        let events = half_words.iter().filter_map(|x| sync.step(*x));
        let events = events
            .map(|event| match event {
                FrameEvent::Frame { bytes, .. } => Some(bytes[0]),
                FrameEvent::Discontinuity { .. } => None,
            })
            .collect();
        (events, sync)
    }

    const FULL: [u16; 2] = [FSYNC_FIRST, HSYNC];
    const DATA: [u16; 8] = [
        0x1110, 0x1312, 0x1514, 0x1716, 0x1918, 0x1B1A, 0x1D1C, 0x1F1E,
    ];

    #[test]
    fn nothing_is_taken_before_the_first_full_sync() {
        let (events, sync) = run(&[&DATA[..], &[HSYNC], &FULL, &DATA].concat());
        assert_eq!(events, [Some(0x10)]);
        assert_eq!(sync.statistics().unsynchronised_bytes, 18);
        assert_eq!(sync.statistics().acquisitions, 1);
    }

    #[test]
    fn a_full_sync_between_frames_is_no_loss() {
        let (events, sync) = run(&[&FULL[..], &DATA, &FULL, &FULL, &DATA].concat());
        assert_eq!(events, [Some(0x10); 2]);
        assert_eq!(sync.statistics().acquisitions, 1);
    }

    #[test]
    fn half_syncs_are_skipped_at_every_place_of_a_frame() {
        for place in 0..=8 {
            let (before, after) = DATA.split_at(place);
            let (events, sync) = run(&[&FULL[..], before, &[HSYNC; 3], after].concat());
            assert_eq!(events, [Some(0x10)], "in front of half-word {place}");
            assert_eq!(sync.statistics().half_syncs, 3);
        }
    }

    #[test]
    fn a_full_sync_inside_a_frame_is_a_loss_and_frames_go_on_from_there() {
        for place in 1..8 {
            let (events, sync) = run(&[&FULL[..], &DATA[..place], &FULL, &DATA].concat());
            assert_eq!(events, [None, Some(0x10)]);
            assert_eq!(sync.statistics().partial_bytes, 2 * place as u64);
            assert_eq!(sync.statistics().acquisitions, 1);
        }
    }

    #[test]
    fn a_pair_that_begins_with_ff_is_a_loss_until_the_next_full_sync() {
        for damaged in [0x00FF, 0x7EFF, 0xFEFF] {
            let (events, sync) = run(&[&FULL[..], &[damaged], &DATA, &FULL, &DATA].concat());
            assert_eq!(events, [None, Some(0x10)], "{damaged:04x}");
            assert_eq!(sync.statistics().corrupt_bytes, 2);
            assert_eq!(sync.statistics().unsynchronised_bytes, 16);
            assert_eq!(sync.statistics().acquisitions, 2);
        }
    }

    #[test]
    fn half_a_full_sync_is_a_loss_even_between_frames() {
        let (events, sync) = run(&[&FULL[..], &DATA, &[FSYNC_FIRST], &DATA, &FULL, &DATA].concat());
        assert_eq!(events, [Some(0x10), None, Some(0x10)]);
        assert_eq!(sync.statistics().corrupt_bytes, 2);
    }

    #[test]
    fn a_full_sync_behind_a_stray_ffff_is_found() {
        let (events, _) = run(&[&FULL[..], &[FSYNC_FIRST], &FULL, &DATA].concat());
        assert_eq!(events, [None, Some(0x10)]);
    }

    #[test]
    fn a_loss_is_reported_once() {
        let (events, sync) = run(&[&FULL[..], &[0x00FF, 0x00FF, FSYNC_FIRST, 0x00FF]].concat());
        assert_eq!(events, [None]);
        assert_eq!(sync.statistics().losses, 1);
    }

    #[test]
    fn the_end_drops_what_is_incomplete_and_searches_again() {
        let mut sync = FrameGenerator::new();
        let stream = [&FULL[..], &DATA[..3], &[FSYNC_FIRST]].concat();
        let mut bytes: Vec<u8> = stream.iter().flat_map(|x| x.to_le_bytes()).collect();
        bytes.push(0x33);
        sync.feed(&bytes, |event| panic!("{event:?}"));
        sync.finish();
        let statistics = sync.statistics();
        assert_eq!((statistics.partial_bytes, statistics.corrupt_bytes), (7, 2));
        assert_eq!(statistics.total_bytes(), bytes.len() as u64);
        sync.feed(&bytes[4..], |event| panic!("{event:?}"));
        assert!(!sync.in_sync());
    }
}
