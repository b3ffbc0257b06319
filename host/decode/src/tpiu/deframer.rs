// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of bytes from a capture in any of the known formats.

use super::{FrameBlocks, FrameDecoder, FrameEvent, FrameGenerator, RunEvent, SyncStatistics};
use std::{error::Error, fmt, str::FromStr};

/// The layout of frames in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A buffer: frames from the first byte on, without syncs.
    Frames,
    /// A port: frames with full syncs between them.
    TpiuFsync,
    /// A port in continuous mode: full syncs, and half syncs inside frames as well.
    TpiuHsync,
    /// A port as a DSTREAM probe stores it: each block of 512 bytes ends with 8 bytes added by the
    /// probe.
    Dstream,
}

impl Format {
    /// The formats with their names.
    const NAMES: [(Self, &'static str); 4] = [
        (Self::Frames, "frames"),
        (Self::TpiuFsync, "tpiu-fsync"),
        (Self::TpiuHsync, "tpiu-hsync"),
        (Self::Dstream, "dstream"),
    ];
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Self::NAMES.iter().find(|(format, _)| format == self);
        f.write_str(named.map_or("", |(_, name)| name))
    }
}

/// The text that names no [`Format`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Format::NAMES.map(|(_, name)| name).join(", ");
        write!(f, "no such capture format: {}; known are {names}", self.0)
    }
}

impl Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let named = Self::NAMES.iter().find(|(_, name)| *name == text);
        named
            .map(|(format, _)| *format)
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

/// Bytes in a block of a DSTREAM capture, and how many of them come from the port.
const DSTREAM_BLOCK: usize = 512;
const DSTREAM_PORT: usize = 504;

/// The source of frames.
#[derive(Clone, Debug)]
enum Source {
    Buffer(FrameBlocks),
    Port(FrameGenerator),
}

/// Bytes of a capture in, runs of bytes of one trace ID out.
#[derive(Clone, Debug)]
pub struct Deframer {
    source: Source,
    deformatter: FrameDecoder,
    /// Place in the probe's block; `None` without a probe.
    in_block: Option<usize>,
    footer_bytes: u64,
}

impl Deframer {
    /// At the start of a capture.
    pub fn new(format: Format) -> Self {
        Self {
            source: match format {
                Format::Frames => Source::Buffer(FrameBlocks::new()),
                _ => Source::Port(FrameGenerator::new()),
            },
            deformatter: FrameDecoder::new(),
            in_block: (format == Format::Dstream).then_some(0),
            footer_bytes: 0,
        }
    }

    /// Takes a chunk of the capture. Offsets in the events count only the port's bytes.
    pub fn feed(&mut self, mut bytes: &[u8], mut sink: impl FnMut(RunEvent<'_>)) {
        let Some(mut place) = self.in_block else {
            return self.feed_port(bytes, &mut sink);
        };
        while !bytes.is_empty() {
            let is_port = place < DSTREAM_PORT;
            let end = if is_port { DSTREAM_PORT } else { DSTREAM_BLOCK };
            let (now, later) = bytes.split_at(bytes.len().min(end - place));
            if is_port {
                self.feed_port(now, &mut sink);
            } else {
                self.footer_bytes += now.len() as u64;
            }
            place = (place + now.len()) % DSTREAM_BLOCK;
            bytes = later;
        }
        self.in_block = Some(place);
    }

    /// Ends the capture: an incomplete frame is dropped and counted.
    pub fn finish(&mut self) {
        match &mut self.source {
            Source::Buffer(blocks) => blocks.finish(),
            Source::Port(sync) => sync.finish(),
        }
        self.deformatter = FrameDecoder::new();
        self.in_block = self.in_block.map(|_| 0);
    }

    /// The counts so far.
    pub fn statistics(&self) -> SyncStatistics {
        let statistics = match &self.source {
            Source::Buffer(blocks) => blocks.statistics(),
            Source::Port(sync) => sync.statistics(),
        };
        SyncStatistics {
            footer_bytes: self.footer_bytes,
            ..statistics
        }
    }

    fn feed_port(&mut self, bytes: &[u8], sink: &mut impl FnMut(RunEvent<'_>)) {
        let deformatter = &mut self.deformatter;
        let runs = |event: FrameEvent| deformatter.feed(&event, &mut *sink);
        match &mut self.source {
            Source::Buffer(blocks) => blocks.feed(bytes, runs),
            Source::Port(sync) => sync.feed(bytes, runs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_the_name_it_is_found_by() {
        for (format, name) in Format::NAMES {
            assert_eq!(name.parse(), Ok(format));
            assert_eq!(format.to_string(), name);
        }
        assert!("tpiu".parse::<Format>().is_err());
    }

    #[test]
    fn the_footer_of_a_probe_is_dropped_whatever_the_chunks() {
        let capture: Vec<u8> = (0..1100)
            .map(|i| if i % 512 < 504 { 0 } else { 0xFF })
            .collect();
        for chunk in [1, 3, 504, 508, 512, 1100] {
            let mut deframer = Deframer::new(Format::Dstream);
            for bytes in capture.chunks(chunk) {
                deframer.feed(bytes, |event| panic!("{event:?}"));
            }
            deframer.finish();
            let statistics = deframer.statistics();
            assert_eq!(statistics.footer_bytes, 16, "chunks of {chunk}");
            assert_eq!(statistics.unsynchronised_bytes, 1084, "chunks of {chunk}");
        }
    }
}
