// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture through the simulated hardware, or through its Verilog in Verilator.
#![forbid(unsafe_code)]

pub mod branch_case;
pub mod flow;
pub mod flow_case;
pub mod flow_path;
pub mod flow_queue;
pub mod flow_verilog;
pub mod flow_walk;
pub mod software;

use anyhow::{Result, ensure};
use coretrace_capture::SourceStream;
use coretrace_capture::{Capture, Format};
use coretrace_coresight::{FSYNC, HSYNC};
use coretrace_decode::tpiu;
use coretrace_etm::Record;
use coretrace_etm::SourceConfig;
use coretrace_hdl_coresight::SOURCES;
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::{InputWord, PortSource, ResultDecoder, ResultWord};
use coretrace_pipelines::sim::{full_words, simulate_port, simulate_source};
use coretrace_test_verilog::preset::PresetEngine;

/// How the hardware is run.
pub enum Backend {
    /// The rust-hdl simulation of a preset.
    Simulation(DecoderTop),
    /// The exported Verilog of a preset in Verilator.
    Verilog(PresetEngine),
}

impl Backend {
    /// The preset.
    pub fn preset(&self) -> DecoderTop {
        match self {
            Backend::Simulation(preset) => *preset,
            Backend::Verilog(engine) => engine.preset(),
        }
    }

    /// As `coretrace_pipelines::sim::simulate_source`.
    ///
    /// # Errors
    /// If Verilator's program fails.
    ///
    /// # Panics
    /// If the preset has no single source at its input.
    pub fn run_source(
        &self,
        config: &SourceConfig,
        words: impl Iterator<Item = Option<InputWord>> + Send,
        sink: impl FnMut(u64, &ResultWord),
    ) -> Result<()> {
        match self {
            Backend::Simulation(preset) => simulate_source(*preset, config, words, sink),
            Backend::Verilog(engine) => engine.run_source(config, words, sink)?,
        }
        Ok(())
    }

    /// As `coretrace_pipelines::sim::simulate_port`, except for the status.
    ///
    /// # Errors
    /// If Verilator's program fails.
    ///
    /// # Panics
    /// If the preset has no trace port.
    pub fn run_port(
        &self,
        sources: &[PortSource],
        words: impl Iterator<Item = Option<u32>> + Send,
        sink: impl FnMut(usize, u64, &ResultWord),
    ) -> Result<()> {
        match self {
            Backend::Simulation(preset) => {
                simulate_port(*preset, sources, words, sink);
            }
            Backend::Verilog(engine) => engine.run_port(sources, words, sink)?,
        }
        Ok(())
    }
}

fn config_of(stream: &SourceStream, lenient: bool) -> SourceConfig {
    SourceConfig {
        protocol: stream.protocol,
        profile: stream.source.profile,
        registers: stream.source.registers,
        lenient,
    }
}

/// The names of the presets that take the bytes of one source.
fn presets_of_one_source() -> String {
    let presets = DecoderTop::ALL
        .iter()
        .filter(|preset| !preset.takes_frames());
    let names: Vec<&str> = presets.map(|preset| preset.name()).collect();
    names.join(" or ")
}

/// Decodes the sources of a capture in hardware. A preset with a trace port gets the port's words,
/// with up to four sources at a time; any other preset gets one source after the other. `sink` gets
/// the index of the stream and the record; `progress` the cycles done.
///
/// # Errors
/// If the preset has a trace port and the capture has no frames, or if Verilator fails.
pub fn decode_in_hardware(
    backend: &Backend,
    capture: &Capture,
    streams: &[SourceStream],
    lenient: bool,
    mut progress: impl FnMut(u64) + Send,
    mut sink: impl FnMut(usize, &Record),
) -> Result<()> {
    let preset = backend.preset();
    if !preset.takes_frames() {
        for (index, stream) in streams.iter().enumerate() {
            decode_source(backend, stream, lenient, &mut progress, |record| {
                sink(index, record)
            })?;
        }
        return Ok(());
    }
    ensure!(
        capture.format != Format::Raw,
        "{} reads the frames of a trace port, and this capture is the raw bytes of one source: \
         use {}",
        preset.name(),
        presets_of_one_source()
    );
    let words = port_words(capture);
    for (turn, group) in streams.chunks(SOURCES).enumerate() {
        let first = turn * SOURCES;
        decode_group(
            backend,
            &words,
            group,
            lenient,
            &mut progress,
            |index, record| {
                sink(first + index, record);
            },
        )?;
    }
    Ok(())
}

/// The words of one source: full words, except the last one before each loss.
fn source_words(lanes: usize, stream: &SourceStream) -> impl Iterator<Item = Option<InputWord>> {
    stream.stretches().flat_map(move |(lost, bytes)| {
        let loss = InputWord {
            discontinuity: true,
            ..InputWord::default()
        };
        lost.then_some(Some(loss))
            .into_iter()
            .chain(full_words(lanes, bytes).map(Some))
    })
}

fn decode_source(
    backend: &Backend,
    stream: &SourceStream,
    lenient: bool,
    progress: &mut (impl FnMut(u64) + Send),
    mut sink: impl FnMut(&Record),
) -> Result<()> {
    let config = config_of(stream, lenient);
    let mut result_decoder = ResultDecoder::new(stream.config, lenient);
    let words = source_words(backend.preset().bytes_per_cycle(), stream);
    let words = (1..).zip(words).map(|(cycle, word)| {
        progress(cycle);
        word
    });
    let take = |_, word: &ResultWord| result_decoder.word(word, &mut sink);
    backend.run_source(&config, words, take)?;
    result_decoder.finish(
        |offset| stream.bytes.get(offset as usize).copied().unwrap_or(0),
        &mut sink,
    );
    Ok(())
}

fn decode_group(
    backend: &Backend,
    words: &[u32],
    group: &[SourceStream],
    lenient: bool,
    progress: &mut (impl FnMut(u64) + Send),
    mut sink: impl FnMut(usize, &Record),
) -> Result<()> {
    let sources: Vec<PortSource> = group
        .iter()
        .map(|stream| PortSource {
            trace_id: stream.id,
            config: config_of(stream, lenient),
        })
        .collect();
    let mut result_decoders: Vec<ResultDecoder> = group
        .iter()
        .map(|stream| ResultDecoder::new(stream.config, lenient))
        .collect();
    let words = (1..).zip(words).map(|(cycle, &word)| {
        progress(cycle);
        Some(word)
    });
    let take = |source: usize, _, word: &ResultWord| {
        if let Some(result_decoder) = result_decoders.get_mut(source) {
            result_decoder.word(word, |record| sink(source, record));
        }
    };
    backend.run_port(&sources, words, take)?;
    for (index, (result_decoder, stream)) in result_decoders.iter_mut().zip(group).enumerate() {
        result_decoder.finish(
            |offset| stream.bytes[offset as usize],
            |record| sink(index, record),
        );
    }
    Ok(())
}

/// The words of the trace port for a framed capture. A buffer without syncs gets one full sync in
/// front. A partial last word is padded with a half sync, or dropped if it is less than a
/// half-word.
pub fn port_words(capture: &Capture) -> Vec<u32> {
    let mut port: Vec<u8> = Vec::with_capacity(capture.bytes.len() + 4);
    match capture.format {
        Format::Raw | Format::Framed(tpiu::Format::Frames) => {
            port.extend(FSYNC.to_le_bytes());
            port.extend(&capture.bytes);
        }
        Format::Framed(tpiu::Format::TpiuFsync | tpiu::Format::TpiuHsync) => {
            port.extend(&capture.bytes)
        }
        Format::Framed(tpiu::Format::Dstream) => {
            port.extend(
                capture
                    .bytes
                    .chunks(512)
                    .flat_map(|block| block.iter().take(504)),
            );
        }
    }
    port.truncate(port.len() / 2 * 2);
    if !port.len().is_multiple_of(4) {
        port.extend(HSYNC.to_le_bytes());
    }
    port.chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}
