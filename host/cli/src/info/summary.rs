// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is counted of a trace.

use std::collections::BTreeMap;

use coretrace_capture::{RecordSink, Source};
use coretrace_etm::{Kind, Record};
use coretrace_software_trace as software_trace;
use serde::Serialize;

use crate::progress::Progress;

/// The value of `schema` in the JSON form.
pub const SCHEMA: &str = "etm4.info.1";

/// A trace.
#[derive(Clone, Debug, Serialize)]
pub struct TraceSummary {
    pub schema: &'static str,
    pub name: String,
    /// What is wrong with the container, a sentence each.
    pub damage: Vec<String>,
    /// What a core counted in the session, if one did.
    pub counters: Vec<(String, u32)>,
    pub buffers: Vec<BufferSummary>,
}

impl TraceSummary {
    /// Whether any source has an A-Sync.
    pub fn is_decoded(&self) -> bool {
        let mut sources = self.buffers.iter().flat_map(|buffer| &buffer.sources);
        sources.any(|source| source.asyncs > 0)
    }
}

/// A trace buffer.
#[derive(Clone, Debug, Serialize)]
pub struct BufferSummary {
    pub name: Option<String>,
    pub format: String,
    pub bytes: u64,
    pub frames: u64,
    pub sync_losses: u64,
    pub bytes_without_frame: u64,
    /// Filling of frames.
    pub null_bytes: u64,
    pub sources: Vec<SourceSummary>,
    /// Trace IDs without a decoder and their bytes.
    pub other_ids: Vec<(u8, u64)>,
}

/// A source.
#[derive(Clone, Debug, Serialize)]
pub struct SourceSummary {
    pub name: String,
    pub trace_id: Option<u8>,
    pub protocol: String,
    pub core: Option<String>,
    /// Whether there is a decoder for it.
    pub is_decoded: bool,
    pub registers: Vec<(&'static str, u32)>,
    pub bytes: u64,
    pub packets: u64,
    pub asyncs: u64,
    pub errors: u64,
    pub unread_bytes: u64,
    /// Bytes before the first A-Sync.
    pub lead_in_bytes: u64,
    /// Values of the first and the last timestamp packet.
    pub timestamps: Option<(u64, u64)>,
    /// Packets by kind, the most frequent first.
    pub kinds: Vec<(&'static str, u64)>,
}

impl SourceSummary {
    /// The summary of a source.
    pub fn new(source: &Source, sums: Summary) -> SourceSummary {
        let counted = Kind::ALL.iter().zip(sums.kinds);
        let mut kinds: Vec<(&'static str, u64)> = counted
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| (kind.listing_name(), count))
            .collect();
        kinds.extend(sums.software);
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        SourceSummary {
            name: source.name.clone(),
            trace_id: source.trace_id,
            protocol: source.protocol.to_string(),
            core: source.core.clone(),
            is_decoded: source.has_decoder(),
            registers: source.registers.named().collect(),
            bytes: sums.bytes,
            packets: sums.packets,
            asyncs: sums.asyncs,
            errors: sums.errors,
            unread_bytes: sums.unread_bytes,
            lead_in_bytes: sums.lead_in_bytes,
            timestamps: sums.timestamps,
            kinds,
        }
    }
}

/// Counts of the records of a source.
#[derive(Clone, Debug)]
pub struct Summary {
    bytes: u64,
    packets: u64,
    errors: u64,
    unread_bytes: u64,
    lead_in_bytes: u64,
    timestamps: Option<(u64, u64)>,
    /// In the order of [`Kind::ALL`].
    kinds: [u64; Kind::ALL.len()],
    asyncs: u64,
    /// Packets of software trace, by name.
    software: BTreeMap<&'static str, u64>,
    /// Nibbles of an STM so far.
    units: u64,
}

impl Default for Summary {
    fn default() -> Summary {
        Summary {
            bytes: 0,
            packets: 0,
            errors: 0,
            unread_bytes: 0,
            lead_in_bytes: 0,
            timestamps: None,
            kinds: [0; Kind::ALL.len()],
            asyncs: 0,
            software: BTreeMap::new(),
            units: 0,
        }
    }
}

impl Summary {
    /// Counts a record.
    pub fn count(&mut self, record: &Record) {
        self.bytes += record.len;
        self.kinds[record.kind as usize] += 1;
        self.asyncs += u64::from(record.kind == Kind::Async);
        match record.kind {
            Kind::NotSync if record.offset == 0 => self.lead_in_bytes += record.len,
            Kind::NotSync => self.unread_bytes += record.len,
            kind if kind.is_error() => self.errors += 1,
            Kind::Timestamp => {
                let first = self.timestamps.map_or(record.timestamp, |(first, _)| first);
                self.timestamps = Some((first, record.timestamp));
                self.packets += 1;
            }
            _ => self.packets += 1,
        }
    }

    /// Counts a record of software trace.
    pub fn count_software(&mut self, record: &software_trace::Record) {
        self.units += record.len();
        self.bytes = self.units.div_ceil(record.units());
        *self.software.entry(record.name()).or_default() += 1;
        if record.is_unread() {
            let bytes = record.len().div_ceil(record.units());
            match self.asyncs {
                0 => self.lead_in_bytes += bytes,
                _ => self.unread_bytes += bytes,
            }
            return;
        }
        self.errors += u64::from(record.is_error());
        self.packets += u64::from(!record.is_error());
        self.asyncs += u64::from(record.is_sync());
        if let Some(time) = record.timestamp() {
            let first = self.timestamps.map_or(time, |(first, _)| first);
            self.timestamps = Some((first, time));
        }
    }
}

/// Counts the records of a buffer.
pub struct Summing {
    /// The sums of each source.
    pub sources: Vec<Summary>,
    /// How far the work is.
    pub progress: Option<Progress>,
}

impl RecordSink for Summing {
    fn record(&mut self, source: usize, record: &Record, _raw: &[u8]) {
        self.sources[source].count(record);
    }

    fn software(&mut self, source: usize, record: &software_trace::Record) {
        self.sources[source].count_software(record);
    }

    fn progress(&mut self, bytes: u64) {
        if let Some(progress) = &mut self.progress {
            progress.part(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_in_the_order_of_their_list() {
        for (place, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, place, "{kind:?}");
        }
    }

    #[test]
    fn timestamps_are_those_of_their_packets() {
        let mut summary = Summary::default();
        for (kind, timestamp) in [
            (Kind::AtomF1, 0),
            (Kind::Timestamp, 7),
            (Kind::AtomF1, 7),
            (Kind::Timestamp, 9),
        ] {
            summary.count(&Record {
                timestamp,
                len: 1,
                ..Record::blank(kind)
            });
        }
        assert_eq!(summary.timestamps, Some((7, 9)));
        assert_eq!((summary.packets, summary.bytes, summary.asyncs), (4, 4, 0));
    }
}
