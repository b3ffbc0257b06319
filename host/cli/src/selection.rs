// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which sources of a trace are decoded.

use anyhow::{Context, Result, bail, ensure};
use coretrace_capture::{Capture, Pass, Source, SourceStream, Trace, TraceBuffer, source_streams};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;

use crate::error::say;
use crate::progress::Progress;

/// A buffer and the sources in it that are decoded.
#[derive(Clone, Debug)]
pub struct Selected<'a> {
    /// The buffer.
    pub buffer: &'a TraceBuffer,
    /// Indices of the sources, at least one.
    pub sources: Vec<usize>,
    /// The bytes of each of them, if the buffer is split.
    split: Vec<TraceBuffer>,
}

impl Selected<'_> {
    /// The passes that decode the sources: one for each, or one for all of them where the bytes can be read
    /// only once.
    pub fn passes(&self, policy: Policy, sync_limit: u64) -> Vec<Pass<'_>> {
        let pass = |(sources, buffer)| Pass {
            buffer,
            sources,
            policy,
            sync_limit,
        };
        let one_by_one = self.sources.chunks(1);
        if !self.split.is_empty() {
            one_by_one.zip(&self.split).map(pass).collect()
        } else if self.buffer.bytes.is_repeatable() {
            one_by_one.map(|one| pass((one, self.buffer))).collect()
        } else {
            vec![self.together(policy, sync_limit)]
        }
    }

    /// The pass that decodes all sources at once.
    pub fn together(&self, policy: Policy, sync_limit: u64) -> Pass<'_> {
        Pass {
            buffer: self.buffer,
            sources: &self.sources,
            policy,
            sync_limit,
        }
    }

    /// The progress over all passes; none of a pipe.
    ///
    /// # Errors
    /// If the size of the trace cannot be found out.
    pub fn progress(&self, what: &'static str) -> Result<Option<Progress>> {
        let passes = self.passes(Policy::default(), 0).into_iter();
        let bytes = passes.map(|pass| pass.buffer.bytes.len());
        let bytes: Option<u64> = bytes.sum::<Result<_>>()?;
        Ok(bytes.map(|bytes| Progress::new(what, bytes)))
    }
}

/// Which protocols a command decodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocols {
    /// Instruction trace.
    Instructions,
    /// Trace of software: STM and ITM.
    Software,
    /// Both.
    All,
}

impl Protocols {
    /// Whether a source is one of them.
    pub fn has(self, source: &Source) -> bool {
        match self {
            Protocols::Instructions => source.config.is_some(),
            Protocols::Software => source.software.is_some(),
            Protocols::All => source.has_decoder(),
        }
    }

    /// Their names, with this word before the last one.
    fn names(self, word: &str) -> String {
        match self {
            Protocols::Instructions => format!("ETM4 {word} ETE"),
            Protocols::Software => format!("STM {word} ITM"),
            Protocols::All => format!("ETM4, ETE, STM {word} ITM"),
        }
    }
}

/// Whether a trace has a source of these protocols, with this trace ID if there is one.
pub fn has_source(trace: &Trace, id: Option<TraceId>, protocols: Protocols) -> bool {
    let mut sources = trace.buffers.iter().flat_map(|buffer| &buffer.sources);
    sources.any(|source| {
        protocols.has(source) && id.is_none_or(|id| source.trace_id == Some(id.value()))
    })
}

/// As [`select_protocols`], of instruction trace.
///
/// # Errors
/// If there is none, or a buffer cannot be read.
pub fn select_sources(trace: &Trace, id: Option<TraceId>) -> Result<Vec<Selected<'_>>> {
    select_protocols(trace, id, Protocols::Instructions)
}

/// The source with this trace ID in every buffer, or without an ID all sources of these protocols; the others
/// are named in a note. Never empty.
///
/// # Errors
/// If there is none, or a buffer cannot be read.
pub fn select_protocols(
    trace: &Trace,
    id: Option<TraceId>,
    protocols: Protocols,
) -> Result<Vec<Selected<'_>>> {
    select_beside(trace, id, protocols, protocols)
}

/// As [`select_protocols`], beside `shown`: sources of these are not skipped, because the command decodes them
/// elsewhere.
///
/// # Errors
/// If there is none, or a buffer cannot be read.
pub fn select_beside(
    trace: &Trace,
    id: Option<TraceId>,
    protocols: Protocols,
    shown: Protocols,
) -> Result<Vec<Selected<'_>>> {
    let mut selected = select_together(trace, id, protocols, shown)?;
    for part in &mut selected {
        if part.sources.len() > 1 {
            part.split = part.buffer.split(&part.sources)?.unwrap_or_default();
        }
    }
    Ok(selected)
}

/// As [`select_beside`], for one pass over all sources of a buffer.
///
/// # Errors
/// If there is none.
pub fn select_together(
    trace: &Trace,
    id: Option<TraceId>,
    protocols: Protocols,
    shown: Protocols,
) -> Result<Vec<Selected<'_>>> {
    let all: Vec<&Source> = trace.buffers.iter().flat_map(|b| &b.sources).collect();
    check(&trace.name, &all, id, protocols)?;
    if id.is_none() {
        name_skipped(&all, shown);
    }
    let mut selected = Vec::new();
    for buffer in &trace.buffers {
        let is_wanted = |source: &Source| {
            protocols.has(source) && id.is_none_or(|id| source.trace_id == Some(id.value()))
        };
        let sources = buffer.sources.iter().enumerate();
        let wanted = sources.filter(|(_, source)| is_wanted(source));
        let sources: Vec<usize> = wanted.map(|(index, _)| index).collect();
        if !sources.is_empty() {
            let split = Vec::new();
            selected.push(Selected {
                buffer,
                sources,
                split,
            });
        }
    }
    Ok(selected)
}

/// The only source of a trace that has one of these protocols: of one buffer, and with this trace ID if there are
/// several. `what` needs it.
///
/// # Errors
/// If there is none, or there are several.
pub fn select_one<'t>(
    trace: &'t Trace,
    id: Option<TraceId>,
    protocols: Protocols,
    what: &str,
) -> Result<(Selected<'t>, &'t Source)> {
    let mut selected = select_protocols(trace, id, protocols)?;
    ensure!(
        selected.len() == 1,
        "{what} has one buffer and there are {}: choose one",
        selected.len()
    );
    let selected = selected.remove(0);
    let sources = selected.sources.iter();
    let sources: Vec<&Source> = sources
        .map(|&index| &selected.buffer.sources[index])
        .collect();
    let [source] = sources[..] else {
        let ids = sources.iter().filter_map(|source| source.trace_id);
        let ids: Vec<String> = ids.map(|id| format!("{id:02x}")).collect();
        bail!(
            "{what} has one source at a time: choose one with --id, of {}",
            ids.join(", ")
        );
    };
    Ok((selected, source))
}

/// As [`select_sources`], of a capture in memory.
///
/// # Errors
/// If there is none.
pub fn select(capture: &Capture, id: Option<TraceId>) -> Result<Vec<SourceStream>> {
    let all: Vec<&Source> = capture.sources.iter().collect();
    check(&capture.name, &all, id, Protocols::Instructions)?;
    let mut streams = source_streams(capture);
    streams.retain(|stream| id.is_none_or(|id| stream.source.trace_id == Some(id.value())));
    Ok(streams)
}

fn check(name: &str, all: &[&Source], id: Option<TraceId>, protocols: Protocols) -> Result<()> {
    let Some(id) = id.map(TraceId::value) else {
        ensure!(
            all.iter().any(|source| protocols.has(source)),
            "no source of {name:?} speaks {}, it has {}: `etm4 demux` gives their bytes",
            protocols.names("or"),
            list(all)
        );
        return Ok(());
    };
    let source = all.iter().find(|source| source.trace_id == Some(id));
    let source = source.with_context(|| {
        format!(
            "no source of {name:?} has the trace ID {id:02x}: it has {}",
            list(all)
        )
    })?;
    ensure!(
        protocols.has(source),
        "trace ID {id:02x} speaks {}: this decodes {} only",
        source.protocol,
        protocols.names("and")
    );
    Ok(())
}

fn name_skipped(all: &[&Source], protocols: Protocols) {
    let skipped: Vec<&Source> = all.iter().copied().filter(|s| !protocols.has(s)).collect();
    if !skipped.is_empty() {
        say(&format!(
            "note: only {} are decoded, skipped is {}",
            protocols.names("and"),
            list(&skipped)
        ));
    }
}

/// The list of sources, for a message.
fn list(sources: &[&Source]) -> String {
    let names = sources.iter().map(|source| match source.trace_id {
        Some(id) => format!("{id:02x} ({})", source.protocol),
        None => format!("{} without a trace ID", source.protocol),
    });
    let mut names: Vec<String> = names.collect();
    names.dedup();
    if names.is_empty() {
        "none".into()
    } else {
        names.join(", ")
    }
}
