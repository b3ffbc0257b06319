// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every field of every packet of an STM, by both decoders.

use anyhow::Result;
use coretrace_decode::Policy;
use coretrace_software_trace::StmDecoder;
use coretrace_stm::Record;
use coretrace_test_opencsd::{OpenCsd, StmMonitor, StmPacket, StmProcessor, StmRow};

use crate::digest::Digest;
use crate::{Decode, Decoded};

/// Folds a row in, if there is one.
#[inline(always)]
fn fold(digest: &mut Digest, row: Option<StmRow>) {
    let Some(row) = row else { return };
    let head = u64::from(row.code)
        | u64::from(row.is_marked) << 8
        | u64::from(row.stamp_bits.map_or(0xFF, |bits| bits)) << 16
        | u64::from(row.master) << 24
        | u64::from(row.channel) << 32;
    digest.fold([head, row.value, row.timestamp, row.offset]);
}

/// Decodes a stream with the model, as OpenCSD.
pub fn model(bytes: &[u8]) -> Decoded {
    let mut digest = Digest::default();
    let mut sink = |record: &Record| fold(&mut digest, StmRow::of_record(record));
    let mut decoder = StmDecoder::new(Policy::OpenCsd);
    decoder.feed(bytes, &mut sink);
    decoder.finish(sink);
    (digest.packets, digest.value)
}

impl StmMonitor for Digest {
    fn packet(&mut self, offset: u32, packet: &StmPacket) {
        fold(self, StmRow::of_opencsd(offset, packet));
    }
}

/// OpenCSD's decoder.
pub fn opencsd(library: OpenCsd) -> Result<Decode> {
    let mut processor = StmProcessor::new(library, Digest::default())?;
    Ok(Box::new(move |bytes| {
        *processor.monitor() = Digest::default();
        processor.run(bytes)?;
        let digest = *processor.monitor();
        Ok((digest.packets, digest.value))
    }))
}
