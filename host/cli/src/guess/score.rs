// SPDX-License-Identifier: MIT OR Apache-2.0
//! How well bytes are read.

use coretrace_capture::{PassStatistics, RecordSink};
use coretrace_etm::{Kind, Record};

/// Bytes that an error costs besides its own: packets behind an error that came out by chance.
const ERROR_BYTES: u64 = 16;

/// Counts of a pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// Packets without error.
    pub packets: u64,
    /// Errors.
    pub errors: u64,
    /// Bytes of packets without error.
    good_bytes: u64,
    /// Bytes of the source, and of the port that are in no frame.
    bytes: u64,
    asyncs: u64,
}

impl Score {
    /// Whether there is an A-Sync.
    pub fn is_decoded(&self) -> bool {
        self.asyncs > 0
    }

    /// The part of the bytes that are packets, less what errors cost, in per cent.
    pub fn percent(&self) -> f64 {
        percent(self.weight(), self.bytes)
    }

    /// The bytes of packets, less what errors cost.
    pub fn weight(&self) -> f64 {
        if !self.is_decoded() {
            return 0.0;
        }
        self.good_bytes.saturating_sub(ERROR_BYTES * self.errors) as f64
    }

    /// Counts what the frames of the pass say: bytes in no frame and under reserved IDs.
    pub fn add_port(&mut self, statistics: &PassStatistics) {
        self.bytes += statistics.sync.unsynchronised_bytes
            + statistics.sync.corrupt_bytes
            + statistics.demux.reserved_bytes;
    }
}

/// How well several sources are read together.
pub fn together(scores: &[&Score]) -> f64 {
    let weight = scores.iter().map(|score| score.weight()).sum();
    percent(weight, scores.iter().map(|score| score.bytes).sum())
}

fn percent(weight: f64, bytes: u64) -> f64 {
    if bytes == 0 {
        0.0
    } else {
        100.0 * weight / bytes as f64
    }
}

impl RecordSink for Score {
    fn record(&mut self, _source: usize, record: &Record, _raw: &[u8]) {
        self.bytes += record.len;
        match record.kind {
            // A trace may begin in the middle.
            Kind::NotSync if record.offset == 0 => self.bytes -= record.len.min(4096),
            Kind::NotSync | Kind::Incomplete => {}
            kind if kind.is_error() => self.errors += 1,
            kind => {
                self.asyncs += u64::from(kind == Kind::Async);
                self.packets += 1;
                self.good_bytes += record.len;
            }
        }
    }
}
