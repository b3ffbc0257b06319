// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace port through the model and through a preset.

use coretrace_coresight::TraceId;
use coretrace_decode::Decoder;
use coretrace_decode::tpiu::{Deframer, Demux, Format, RunEvent};
use coretrace_etm::{Kind, Record};
use coretrace_pipelines::sim::{PortSource, ResultDecoder};
use coretrace_test_simulate::Backend;

use crate::DecoderSetup;

/// The words of a port, of which it has whole ones.
pub fn words_of(port: &[u8]) -> Vec<u32> {
    let words = port.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

/// The model from the port on: the records of each source.
pub fn port_model(sources: &[(TraceId, DecoderSetup)], port: &[u8]) -> Vec<Vec<Record>> {
    let decoder = |setup: &DecoderSetup| Decoder::new(setup.set.config(), setup.policy());
    let mut decoders: Vec<Decoder> = sources.iter().map(|(_, l)| decoder(l)).collect();
    let mut records = vec![Vec::new(); sources.len()];
    let mut demux = Demux::new(sources.iter().map(|(id, _)| *id));
    Deframer::new(Format::TpiuHsync).feed(port, |event| match event {
        RunEvent::Run(run) => {
            if let Some(index) = demux
                .route(&run)
                .and_then(|id| sources.iter().position(|(known, _)| *known == id))
            {
                decoders[index].feed(run.bytes, |record| records[index].push(*record));
            }
        }
        RunEvent::Discontinuity { .. } => {
            for (decoder, records) in decoders.iter_mut().zip(&mut records) {
                decoder.discontinuity(|record| records.push(*record));
            }
        }
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
        // A loss behind the last frame has no word to travel with: the model tells of it.
        let is_at_end = want.last().is_some_and(|last| last.kind == Kind::NotSync);
        let told = want.len() - usize::from(is_at_end);
        assert!((told..=want.len()).contains(&got.len()), "{place}");
    }
}
