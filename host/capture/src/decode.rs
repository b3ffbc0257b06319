// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decoding with the software model.

use crate::SourceStream;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Record;

/// Bytes given to the model at a time, between two reports of progress.
const CHUNK: usize = 1 << 16;

/// Decodes a source with the model. `progress` gets the number of bytes decoded so far.
pub fn decode_in_model(
    stream: &SourceStream,
    policy: Policy,
    mut progress: impl FnMut(u64),
    mut sink: impl FnMut(&Record),
) {
    let mut decoder = Decoder::new(stream.config, policy);
    let mut done = 0;
    for (lost, bytes) in stream.stretches() {
        if lost {
            decoder.discontinuity(&mut sink);
        }
        for chunk in bytes.chunks(CHUNK) {
            decoder.feed(chunk, &mut sink);
            done += chunk.len() as u64;
            progress(done);
        }
    }
    decoder.finish(&mut sink);
}
