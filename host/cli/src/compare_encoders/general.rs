// SPDX-License-Identifier: MIT OR Apache-2.0
//! What gzip, zstd and xz make of the bytes of a trace.

use std::io::{self, Write};

use anyhow::{Context, Result};
use coretrace_capture::{StreamSink, Trace};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use flate2::Compression;
use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;
use zstd::stream::write::Encoder as ZstdEncoder;

use super::results::Size;
use crate::progress::Progress;
use crate::selection::select_sources;

/// Levels: the best that take at most some hundred megabytes of memory.
const ZSTD_LEVEL: i32 = 19;
/// See [`ZSTD_LEVEL`].
const XZ_LEVEL: u32 = 9;

/// The bytes of all sources, and what general compressors make of them.
///
/// # Errors
/// If the trace cannot be read.
pub fn sizes(trace: &Trace, id: Option<TraceId>, sync_limit: u64) -> Result<Vec<Size>> {
    let mut total = [0; 4];
    for selected in select_sources(trace, id)? {
        let mut progress = selected.progress("compress")?;
        for pass in selected.passes(Policy::Resync, sync_limit) {
            let streams = pass.sources.iter().map(|_| Stream::new());
            let mut streams = Streams {
                streams: streams.collect::<io::Result<_>>()?,
                progress: &mut progress,
                written: Ok(()),
            };
            pass.run_streams(&mut streams)?;
            streams.written.context("cannot compress")?;
            for stream in streams.streams {
                for (total, bytes) in total.iter_mut().zip(stream.finish()?) {
                    *total += bytes;
                }
            }
        }
    }
    let names = ["trace", "gzip -9", "zstd -19", "xz -9"];
    let sizes = names.into_iter().zip(total);
    Ok(sizes.map(|(name, bytes)| Size { name, bytes }).collect())
}

/// Counts bytes.
#[derive(Default)]
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes of a source.
struct Stream {
    trace: Count,
    gzip: GzEncoder<Count>,
    zstd: ZstdEncoder<'static, Count>,
    xz: XzEncoder<Count>,
}

impl Stream {
    fn new() -> io::Result<Stream> {
        Ok(Stream {
            trace: Count::default(),
            gzip: GzEncoder::new(Count::default(), Compression::best()),
            zstd: ZstdEncoder::new(Count::default(), ZSTD_LEVEL)?,
            xz: XzEncoder::new(Count::default(), XZ_LEVEL),
        })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.trace.write_all(bytes)?;
        self.gzip.write_all(bytes)?;
        self.zstd.write_all(bytes)?;
        self.xz.write_all(bytes)
    }

    fn finish(self) -> io::Result<[u64; 4]> {
        let (gzip, zstd, xz) = (self.gzip.finish()?, self.zstd.finish()?, self.xz.finish()?);
        Ok([self.trace.0, gzip.0, zstd.0, xz.0])
    }
}

/// The bytes of the sources of a pass.
struct Streams<'p> {
    streams: Vec<Stream>,
    progress: &'p mut Option<Progress>,
    /// The first failure.
    written: io::Result<()>,
}

impl StreamSink for Streams<'_> {
    fn bytes(&mut self, source: usize, bytes: &[u8]) {
        if self.written.is_ok() {
            self.written = self.streams[source].write(bytes);
        }
    }

    fn lost(&mut self) {}

    fn finish(&mut self) {}

    fn is_synced(&self) -> bool {
        true
    }

    fn progress(&mut self, bytes: u64) {
        if let Some(progress) = &mut self.progress {
            progress.part(bytes);
        }
    }

    fn is_done(&self) -> bool {
        self.written.is_err()
    }
}
