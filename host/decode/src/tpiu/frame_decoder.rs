// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of bytes of one trace ID from frames.

use super::{FrameEvent, PAIRS};
use coretrace_coresight::{AUX_BYTE, FRAME_ITEMS, Frame, TraceId};

/// Consecutive bytes of one trace ID in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    /// Start of the frame plus place of the pair in which the run begins. Half syncs inside the
    /// frame are not counted.
    pub offset: u64,
    /// The ID; `None` before the first one, and after a discontinuity.
    pub id: Option<TraceId>,
    /// One to 15 bytes; empty if the frame ends before the first byte of the new ID.
    pub bytes: &'a [u8],
}

/// A run, or a loss of bytes before the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEvent<'a> {
    /// Bytes of one trace ID.
    Run(Run<'a>),
    /// Bytes of any ID were lost.
    Discontinuity {
        /// Where the loss was found.
        offset: u64,
    },
}

/// Keeps the current trace ID from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct FrameDecoder {
    current: Option<TraceId>,
}

impl FrameDecoder {
    /// A deformatter without a current ID.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next frame or discontinuity and passes on its runs, in order.
    pub fn feed(&mut self, event: &FrameEvent, mut sink: impl FnMut(RunEvent<'_>)) {
        match event {
            FrameEvent::Frame { offset, bytes } => {
                self.frame(*offset, bytes, |run| sink(RunEvent::Run(run)));
            }
            FrameEvent::Discontinuity { offset } => {
                self.current = None;
                sink(RunEvent::Discontinuity { offset: *offset });
            }
        }
    }

    fn frame(&mut self, frame_offset: u64, frame: &Frame, mut sink: impl FnMut(Run<'_>)) {
        let aux = aux_bits(frame[AUX_BYTE]);
        let word = u128::from_le_bytes(*frame);
        let mut bytes = (word | aux).to_le_bytes();
        // Bit 0 of an ID is 1.
        let mut ids = word & PAIRS;
        let (mut begin, mut last) = (0, FRAME_ITEMS);
        let (mut id, mut offset) = (self.current, frame_offset);
        while ids != 0 {
            let place = (ids.trailing_zeros() / 8) as usize;
            let new = TraceId::announced_by(frame[place]);
            self.current = new;
            // An ID in the last place starts no run: it is the first ID of the next frame.
            if place == FRAME_ITEMS - 1 {
                last = place;
                break;
            }
            // Where the run before ends: a late ID gives its place to the byte beside it.
            let end = place + (aux >> (8 * place) & 1) as usize;
            bytes[place] = bytes[end];
            if new == id {
                bytes.copy_within(begin..end, begin + 1);
                begin += 1;
            } else {
                if begin < end {
                    let bytes = &bytes[begin..end];
                    sink(Run { offset, id, bytes });
                    offset = frame_offset + place as u64;
                }
                begin = end + 1;
                id = new;
            }
            ids &= ids - 1;
        }
        let bytes = &bytes[begin..last];
        sink(Run { offset, id, bytes });
    }
}

/// The auxiliary bit of each pair, in the lowest bit of the pair.
#[inline]
fn aux_bits(aux: u8) -> u128 {
    let aux = u64::from(aux);
    let spread = |bits: u64| (bits | bits << 15 | bits << 30 | bits << 45) & PAIRS as u64;
    u128::from(spread(aux & 15)) | u128::from(spread(aux >> 4)) << 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_coresight::{FrameItem, decode_frame};
    use proptest::prelude::*;

    /// Offset, ID and bytes of every run of one frame.
    fn runs(deformatter: &mut FrameDecoder, bytes: Frame) -> Vec<(u64, Option<u8>, Vec<u8>)> {
        let mut runs = Vec::new();
        let offset = 1000;
        deformatter.feed(&FrameEvent::Frame { offset, bytes }, |event| {
            if let RunEvent::Run(run) = event {
                runs.push((run.offset, run.id.map(TraceId::value), run.bytes.to_vec()));
            }
        });
        runs
    }

    #[test]
    fn a_run_begins_at_the_pair_of_its_id() {
        let frame = [
            0x21, 0xAA, 0x02, 0x03, 0x41, 0x05, 0x06, 0x07, //
            0x21, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x41, 0x11,
        ];
        let mut deformatter = FrameDecoder::new();
        assert_eq!(
            runs(&mut deformatter, frame),
            [
                (1000, None, vec![0xAA]),
                (1000, Some(0x10), vec![0x02, 0x03]),
                (1004, Some(0x20), vec![0x05, 0x06, 0x07, 0x09]),
                (1008, Some(0x10), vec![0x0A, 0x0B, 0x0C, 0x0D]),
            ]
        );
        assert_eq!(runs(&mut deformatter, [0; 16])[0].1, Some(0x20));
    }

    #[test]
    fn a_frame_without_an_id_is_what_its_items_are() {
        let mut frame = [0; 16];
        for (place, byte) in frame.iter_mut().enumerate() {
            *byte = 0x50 + 2 * place as u8;
        }
        for aux in 0..=255 {
            frame[15] = aux;
            let items = decode_frame(&frame, &mut None);
            let bytes = items.map(|item| match item {
                FrameItem::Byte(_, byte) => byte,
                FrameItem::Id(_) => panic!("no ID here"),
            });
            let runs = runs(&mut FrameDecoder::new(), frame);
            assert_eq!(runs, [(1000, None, bytes.to_vec())], "{aux:#x}");
        }
    }

    proptest! {
        #[test]
        fn runs_have_the_bytes_and_ids_of_the_items(frames in prop::collection::vec(any::<Frame>(), 1..20)) {
            let (mut deformatter, mut current) = (FrameDecoder::new(), None);
            for frame in frames {
                let items = decode_frame(&frame, &mut current).into_iter();
                let due: Vec<_> = items.filter_map(|item| match item {
                    FrameItem::Byte(id, byte) => Some((id.map(TraceId::value), byte)),
                    FrameItem::Id(_) => None,
                }).collect();
                let runs = runs(&mut deformatter, frame).into_iter();
                let given: Vec<_> = runs.flat_map(|(_, id, bytes)| bytes.into_iter().map(move |byte| (id, byte))).collect();
                prop_assert_eq!(given, due);
            }
        }
    }

    #[test]
    fn an_id_without_bytes_gives_way_to_the_next() {
        // 0x20 comes late in the first pair, 0x30 early in the second.
        let mut frame = [0; 16];
        frame[..4].copy_from_slice(&[0x41, 0xAA, 0x61, 0xBB]);
        frame[15] = 1;
        let runs = runs(&mut FrameDecoder::new(), frame);
        assert_eq!(runs[0], (1000, None, vec![0xAA]));
        assert_eq!((runs[1].0, runs[1].1), (1000, Some(0x30)));
    }

    #[test]
    fn a_repeated_id_does_not_split_a_run() {
        let mut frame = [0; 16];
        (frame[0], frame[6]) = (0x21, 0x21);
        assert_eq!(runs(&mut FrameDecoder::new(), frame).len(), 1);
    }

    #[test]
    fn a_discontinuity_forgets_the_id() {
        let mut deformatter = FrameDecoder::new();
        let mut frame = [0; 16];
        frame[14] = 0x21;
        runs(&mut deformatter, frame);
        let mut reported = false;
        deformatter.feed(&FrameEvent::Discontinuity { offset: 7 }, |event| {
            reported = event == RunEvent::Discontinuity { offset: 7 };
        });
        assert!(reported);
        assert_eq!(runs(&mut deformatter, [0; 16])[0].1, None);
    }
}
