// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames from a trace buffer: one in every 16 bytes, without syncs.

use super::{FrameEvent, SyncStatistics};
use coretrace_coresight::{FRAME_BYTES, FSYNC, Frame};

/// Four full syncs.
const BARRIER: Frame = {
    let sync = FSYNC as u128;
    (sync | sync << 32 | sync << 64 | sync << 96).to_le_bytes()
};

/// Cuts a buffer into frames.
///
/// Where Linux perf joins two buffers it writes a *barrier* of four full syncs in place of a frame.
/// It is reported as a discontinuity.
#[derive(Clone, Debug, Default)]
pub struct FrameBlocks {
    frame: Frame,
    filled: usize,
    offset: u64,
    statistics: SyncStatistics,
}

impl FrameBlocks {
    /// At the start of a buffer, which is the start of a frame.
    pub fn new() -> Self {
        Self::default()
    }

    /// The counts so far.
    pub fn statistics(&self) -> SyncStatistics {
        self.statistics
    }

    /// Takes a chunk of the buffer.
    pub fn feed(&mut self, mut bytes: &[u8], mut sink: impl FnMut(FrameEvent)) {
        while !bytes.is_empty() {
            if let (0, Some((frame, later))) = (self.filled, bytes.split_first_chunk()) {
                self.frame = *frame;
                sink(self.whole());
                bytes = later;
                continue;
            }
            let (now, later) = bytes.split_at(bytes.len().min(FRAME_BYTES - self.filled));
            self.frame[self.filled..self.filled + now.len()].copy_from_slice(now);
            self.filled += now.len();
            if self.filled == FRAME_BYTES {
                sink(self.whole());
            }
            bytes = later;
        }
    }

    /// Ends the buffer: an incomplete frame is dropped and counted.
    pub fn finish(&mut self) {
        self.statistics.partial_bytes += self.filled as u64;
        *self = Self {
            statistics: self.statistics,
            ..Self::default()
        };
    }

    fn whole(&mut self) -> FrameEvent {
        self.filled = 0;
        let offset = self.offset;
        self.offset += FRAME_BYTES as u64;
        if self.frame == BARRIER {
            self.statistics.full_syncs += 4;
            return FrameEvent::Discontinuity { offset };
        }
        self.statistics.frames += 1;
        FrameEvent::Frame {
            offset,
            bytes: self.frame,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_16_bytes_are_a_frame_whatever_the_chunks() {
        let buffer: Vec<u8> = (0..40).collect();
        for chunk in 1..=40 {
            let (mut blocks, mut offsets) = (FrameBlocks::new(), Vec::new());
            for bytes in buffer.chunks(chunk) {
                blocks.feed(bytes, |event| match event {
                    FrameEvent::Frame { offset, bytes } => offsets.push((offset, bytes[0])),
                    FrameEvent::Discontinuity { .. } => panic!("no barrier here"),
                });
            }
            blocks.finish();
            assert_eq!(offsets, [(0, 0), (16, 16)], "chunks of {chunk}");
            assert_eq!(blocks.statistics().partial_bytes, 8);
        }
    }

    #[test]
    fn a_barrier_is_a_discontinuity_and_no_frame() {
        let mut buffer = FSYNC.to_le_bytes().repeat(4);
        buffer.extend([0; 16]);
        let (mut blocks, mut events) = (FrameBlocks::new(), Vec::new());
        blocks.feed(&buffer, |event| events.push(event));
        assert_eq!(events[0], FrameEvent::Discontinuity { offset: 0 });
        assert!(matches!(events[1], FrameEvent::Frame { offset: 16, .. }));
        assert_eq!(blocks.statistics().total_bytes(), 32);
    }
}
