// SPDX-License-Identifier: MIT OR Apache-2.0
//! A decoder behind a trace port: four sources in frames.

use anyhow::{Result, ensure};
use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::Format;
use coretrace_decode::{Decoder, Policy, TracePort};
use coretrace_hdl_coresight::SOURCES;
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::simulate_port;
use coretrace_pipelines::sim::{PortSource, ResultDecoder};
use coretrace_test_gen::{Framing, Rng, WorstCase, frame_streams};

use super::row::{Row, check, register_set, source_config, words_of};
use etm4_cli::progress::Progress;

/// Four sources of the mix in frames, words at the port without a gap.
pub fn port_row(
    preset: DecoderTop,
    stream: &'static str,
    mix: WorstCase,
    rng: &mut Rng,
    bytes: usize,
) -> Result<Row> {
    let set = register_set();
    let ids = [0x10, 0x11, 0x12, 0x13].map(|id| TraceId::new(id).expect("an ID"));
    let streams = ids.map(|_| mix.stream(rng, &set.config(), bytes / SOURCES).bytes);
    let parts: Vec<(TraceId, &[u8])> = ids
        .into_iter()
        .zip(streams.iter().map(Vec::as_slice))
        .collect();
    let port = frame_streams(
        rng,
        &parts,
        &Framing {
            full_sync: 0.05,
            ..Framing::BUFFER
        },
    );

    let mut want = vec![Vec::new(); SOURCES];
    let models = ids.map(|id| (id, Decoder::new(set.config(), Policy::Resync)));
    TracePort::new(Format::TpiuFsync, models).feed(&port, |source, record| {
        want[source].push(*record);
    });

    let sources: Vec<PortSource> = ids
        .iter()
        .map(|id| PortSource {
            trace_id: id.value(),
            config: source_config(&set),
        })
        .collect();
    let words = words_of(&port);
    let mut got = vec![Vec::new(); SOURCES];
    let mut result_decoders = vec![ResultDecoder::new(set.config(), false); SOURCES];
    let mut progress = Progress::new(stream, words.len() as u64);
    let status = simulate_port(
        preset,
        &sources,
        words.iter().copied().map(Some),
        |source, cycle, word| {
            progress.part(cycle);
            result_decoders[source].word(word, |record| got[source].push(*record));
        },
    );
    ensure!(
        status.sync_losses == 0,
        "{stream}: the frame generator lost sync"
    );
    for (got, want) in got.iter().zip(&want) {
        check(stream, got, want)?;
    }
    let put_in: u64 = streams.iter().map(|stream| stream.len() as u64).sum();
    let accounted: u64 = got.iter().flatten().map(|record| record.len).sum();
    Ok(Row {
        name: preset.name(),
        stream,
        bytes: port.len() as u64,
        cycles: words.len() as u64,
        packets: got.iter().map(|records| records.len() as u64).sum(),
        dropped: put_in - accounted,
    })
}
