// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decodes a trace port with the model and with a preset.

use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::Format;
use coretrace_decode::{Decoder, TracePort};
use coretrace_etm::{Kind, Record};
use coretrace_pipelines::sim::{PortSource, ResultDecoder};
use coretrace_test_simulate::Backend;

use crate::DecoderSetup;

/// The words of a port, all of them whole.
pub fn words_of(port: &[u8]) -> Vec<u32> {
    let words = port.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

/// The model from the port on: the records of each source.
pub fn port_model(sources: &[(TraceId, DecoderSetup)], port: &[u8]) -> Vec<Vec<Record>> {
    let decoder = |setup: &DecoderSetup| Decoder::new(setup.set.config(), setup.policy());
    let decoders = sources.iter().map(|(id, setup)| (*id, decoder(setup)));
    let mut records = vec![Vec::new(); sources.len()];
    TracePort::new(Format::TpiuHsync, decoders).feed(port, |source, record| {
        records[source].push(*record);
    });
    records
}

/// Compares a preset with a trace port with the model, record by record. The port has whole words.
///
/// # Panics
/// If they differ, or the preset has no trace port; `place` names the input.
pub fn check_port(
    backend: &Backend,
    sources: &[(TraceId, DecoderSetup)],
    port: &[u8],
    place: &str,
) {
    let port_sources: Vec<PortSource> = sources
        .iter()
        .map(|(id, setup)| PortSource {
            trace_id: id.value(),
            config: setup.source_config(),
        })
        .collect();
    let result_decoder =
        |setup: &DecoderSetup| ResultDecoder::new(setup.set.config(), setup.lenient);
    let mut result_decoders: Vec<ResultDecoder> =
        sources.iter().map(|(_, l)| result_decoder(l)).collect();
    let mut records = vec![Vec::new(); sources.len()];
    let words = words_of(port).into_iter().map(Some);
    backend
        .run_port(&port_sources, words, |source, _, word| {
            result_decoders[source].word(word, |record| records[source].push(*record));
        })
        .expect("the preset runs");
    let want = port_model(sources, port);
    for (source, (got, want)) in records.iter().zip(&want).enumerate() {
        let place = format!("{}, {place}, source {source}", backend.preset().name());
        for (index, (got, want)) in got.iter().zip(want).enumerate() {
            assert_eq!(got, want, "record {index}, {place}");
        }
        // No word follows a loss after the last frame, so only the model reports it.
        let is_at_end = want.last().is_some_and(|last| last.kind == Kind::NotSync);
        let reported = want.len() - usize::from(is_at_end);
        assert!((reported..=want.len()).contains(&got.len()), "{place}");
    }
}
