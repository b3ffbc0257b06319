// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a core makes of the bytes of a port: frames, and of one source the words of records.

use coretrace_decode::tpiu::{FrameDecoder, FrameGenerator, RunEvent};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Record;
use coretrace_streams::{Start, Writer};

/// Ticks after the last byte until a packet is sent, and from an enable until the source runs.
const PAUSE: u32 = 3;

/// Words that a core holds when nobody reads it, and how many are left when it goes on.
const FULL: usize = 4095;
const HALF_FULL: usize = FULL / 2;

/// What a core has counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Words of the port that were dropped.
    pub lost_words: u32,
    /// Packets and errors.
    pub packets: u32,
    /// Frames.
    pub frames: u32,
    /// Losses of synchronisation.
    pub losses: u32,
    /// Acquisitions of synchronisation.
    pub acquisitions: u32,
}

/// Finds frames, whether a source is decoded or not.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    generator: FrameGenerator,
    decoder: FrameDecoder,
}

impl Frames {
    /// Whether frames are taken, as opposed to searching for a full sync.
    pub fn in_sync(&self) -> bool {
        self.generator.in_sync()
    }

    /// Takes bytes of the port, and hands on those of trace IDs.
    pub fn feed(&mut self, bytes: &[u8], counts: &mut Counts, mut sink: impl FnMut(RunEvent<'_>)) {
        let before = self.generator.statistics();
        let decoder = &mut self.decoder;
        self.generator
            .feed(bytes, |event| decoder.feed(&event, &mut sink));
        let after = self.generator.statistics();
        counts.frames += (after.frames - before.frames) as u32;
        counts.losses += (after.losses - before.losses) as u32;
        counts.acquisitions += (after.acquisitions - before.acquisitions) as u32;
    }

    /// Words of the port were lost.
    fn lose(&mut self, counts: &mut Counts) {
        counts.losses += u32::from(self.in_sync());
        let event = self.generator.discontinuity();
        self.decoder.feed(&event, |_| ());
    }
}

/// A source that is decoded.
#[derive(Clone, Debug)]
pub struct Source {
    decoder: Decoder,
    writer: Writer,
    trace_id: u8,
    /// Ticks until it runs, and since it took a byte.
    starts_in: u32,
    quiet: u32,
    is_lossy: bool,
}

impl Source {
    /// A source that was enabled.
    pub fn new(start: Start) -> Source {
        Source {
            decoder: Decoder::new(start.config(), Policy::Resync),
            writer: Writer::new(start),
            trace_id: start.trace_id,
            starts_in: PAUSE,
            quiet: 0,
            is_lossy: false,
        }
    }

    /// Whether its bytes are decoded.
    pub fn is_running(&self) -> bool {
        self.starts_in == 0
    }

    /// Whether all that came so far was given out.
    pub fn is_quiet(&self) -> bool {
        self.quiet >= PAUSE
    }

    /// Takes the bytes of a tick while so many words wait for the DMA, and gives packets for it.
    pub fn take(
        &mut self,
        bytes: &[u8],
        waiting: usize,
        frames: &mut Frames,
        counts: &mut Counts,
    ) -> Vec<u32> {
        let mut words = Vec::new();
        if self.starts_in > 0 {
            self.starts_in -= 1;
            return words;
        }
        if waiting > FULL || self.is_lossy && waiting > HALF_FULL {
            self.is_lossy = true;
            counts.lost_words = counts.lost_words.saturating_add(bytes.len() as u32 / 4);
            return words;
        }
        if std::mem::take(&mut self.is_lossy) {
            frames.lose(counts);
            self.go_on(counts.lost_words, &mut words);
        }
        self.decode(bytes, frames, counts, &mut words);
        self.quiet = match bytes {
            [] => self.quiet.saturating_add(1),
            _ => 0,
        };
        if self.quiet == PAUSE {
            self.writer.flush(&mut words);
        }
        words
    }

    /// What follows a loss is exact from the next full sync and A-Sync on.
    fn go_on(&mut self, lost_words: u32, words: &mut Vec<u32>) {
        let writer = &mut self.writer;
        self.decoder
            .discontinuity(|record| writer.record(record, words));
        self.writer.lost(lost_words, words);
    }

    fn decode(
        &mut self,
        bytes: &[u8],
        frames: &mut Frames,
        counts: &mut Counts,
        words: &mut Vec<u32>,
    ) {
        let (decoder, writer) = (&mut self.decoder, &mut self.writer);
        let mut packets = counts.packets;
        let mut write = |record: &Record| {
            packets = packets.saturating_add(1);
            writer.record(record, words);
        };
        let id = self.trace_id;
        frames.feed(bytes, counts, |event| match event {
            RunEvent::Run(run) if run.id.is_some_and(|of| of.value() == id) => {
                decoder.feed(run.bytes, &mut write);
            }
            RunEvent::Run(_) => {}
            RunEvent::Discontinuity { .. } => decoder.discontinuity(&mut write),
        });
        counts.packets = packets;
    }
}
