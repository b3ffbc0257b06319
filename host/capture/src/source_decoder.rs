// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model, with the bytes of each record.

use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Kind, Record};

/// Bytes that are decoded together, if nothing else is asked for.
const BATCH_BYTES: usize = 1 << 16;

/// The most bytes that are kept for a record that is not complete. No packet is longer; only bytes
/// that are not read are, and these are not printed.
const KEPT_BYTES: usize = 1 << 12;

/// Decodes a source and gives out each record with its bytes. Memory does not depend on the length
/// of the trace.
#[derive(Clone, Debug)]
pub struct SourceDecoder {
    decoder: Decoder,
    kept: Kept,
    /// How many of these bytes are decoded.
    fed: usize,
    /// Bytes that are decoded together.
    batch_bytes: usize,
    is_synced: bool,
}

impl SourceDecoder {
    /// A decoder waiting for the first A-Sync.
    pub fn new(config: Config, policy: Policy) -> SourceDecoder {
        SourceDecoder {
            decoder: Decoder::new(config, policy),
            kept: Kept::default(),
            fed: 0,
            batch_bytes: BATCH_BYTES,
            is_synced: false,
        }
    }

    /// The same with batches of one byte or more: so a record comes with its last byte, and decoding takes longer.
    pub fn without_batches(self) -> SourceDecoder {
        SourceDecoder {
            batch_bytes: 1,
            ..self
        }
    }

    /// Takes bytes. Records come when there are enough bytes for a batch.
    pub fn push(&mut self, bytes: &[u8], sink: impl FnMut(&Record, &[u8])) {
        self.kept.bytes.extend_from_slice(bytes);
        if self.kept.bytes.len() - self.fed >= self.batch_bytes {
            self.decode(sink);
        }
    }

    /// Bytes were lost before the next one.
    pub fn discontinuity(&mut self, mut sink: impl FnMut(&Record, &[u8])) {
        self.decode(&mut sink);
        let SourceDecoder { decoder, kept, .. } = self;
        decoder.discontinuity(|record| sink(record, kept.of(record)));
        self.kept.drop_first(self.kept.bytes.len());
        self.fed = 0;
    }

    /// The source ends.
    pub fn finish(&mut self, mut sink: impl FnMut(&Record, &[u8])) {
        self.decode(&mut sink);
        let SourceDecoder { decoder, kept, .. } = self;
        decoder.finish(|record| sink(record, kept.of(record)));
    }

    /// Whether an A-Sync was found.
    pub fn is_synced(&self) -> bool {
        self.is_synced
    }

    /// Number of bytes taken.
    pub fn position(&self) -> u64 {
        self.kept.start + self.kept.bytes.len() as u64
    }

    fn decode(&mut self, mut sink: impl FnMut(&Record, &[u8])) {
        let SourceDecoder {
            decoder,
            kept,
            fed,
            is_synced,
            ..
        } = self;
        let mut end = kept.start;
        decoder.feed(&kept.bytes[*fed..], |record| {
            end = record.offset + record.len;
            *is_synced |= record.kind == Kind::Async;
            sink(record, kept.of(record));
        });
        let complete = end.saturating_sub(kept.start) as usize;
        kept.drop_first(complete.max(kept.bytes.len().saturating_sub(KEPT_BYTES)));
        *fed = kept.bytes.len();
    }
}

/// Bytes that are not decoded yet, and before them those of the record that is not complete.
#[derive(Clone, Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    /// Offset of the first of these bytes in the source.
    start: u64,
}

impl Kept {
    /// The bytes of a record, as far as they are kept.
    fn of(&self, record: &Record) -> &[u8] {
        let place = |offset: u64| {
            let place = offset.saturating_sub(self.start) as usize;
            place.min(self.bytes.len())
        };
        &self.bytes[place(record.offset)..place(record.offset + record.len)]
    }

    fn drop_first(&mut self, bytes: usize) {
        self.bytes.drain(..bytes);
        self.start += bytes as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_etm::{ArchProfile, Protocol, Registers};

    fn decoder() -> SourceDecoder {
        let registers = Registers::from_values(&[0, 0x0800_0EA1, 0x4100_F403, 0x488]);
        let config = Config::new(Protocol::Etm4, ArchProfile::A, &registers);
        SourceDecoder::new(config, Policy::Resync)
    }

    /// A-Sync, Trace Info and two 64-bit addresses.
    const STREAM: &[u8] = &[
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, //
        0x9D, 1, 2, 3, 4, 5, 6, 7, 8, 0x9D, 1, 2, 3, 4, 5, 6, 7, 8,
    ];

    #[test]
    fn each_record_comes_with_its_bytes_whatever_the_chunks() {
        let long: Vec<u8> = STREAM
            .iter()
            .copied()
            .cycle()
            .take(STREAM.len() * 5000)
            .collect();
        for chunk in [1, 7, 4096, 65_535, 65_537, long.len()] {
            let mut decoder = decoder();
            let mut joined = Vec::new();
            let mut sink = |record: &Record, raw: &[u8]| {
                assert_eq!(
                    record.len,
                    raw.len() as u64,
                    "chunks of {chunk}: {record:?}"
                );
                joined.extend_from_slice(raw);
            };
            for bytes in long.chunks(chunk) {
                decoder.push(bytes, &mut sink);
            }
            decoder.finish(&mut sink);
            assert!(joined == long, "chunks of {chunk}");
            assert!(decoder.is_synced());
            assert_eq!(decoder.position(), long.len() as u64);
        }
    }

    #[test]
    fn a_loss_ends_the_packet_and_the_offsets_go_on() {
        let mut decoder = decoder();
        let mut ends = Vec::new();
        let mut sink = |record: &Record, _: &[u8]| ends.push((record.kind, record.offset));
        decoder.push(&STREAM[..20], &mut sink);
        decoder.discontinuity(&mut sink);
        decoder.push(STREAM, &mut sink);
        decoder.finish(&mut sink);
        assert_eq!(ends[2], (Kind::NotSync, 14));
        assert_eq!(ends[3], (Kind::Async, 20));
        assert_eq!(ends.len(), 7);
    }

    #[test]
    fn unread_bytes_take_no_memory() {
        let mut decoder = decoder();
        for _ in 0..100 {
            decoder.push(&[0xFF; 100_000], |record, _| panic!("{record:?}"));
            assert!(decoder.kept.bytes.capacity() < 1 << 20);
        }
        let mut unread = 0;
        decoder.finish(|record, _| unread = record.len);
        assert_eq!(unread, 10_000_000);
    }
}
