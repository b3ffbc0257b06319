// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 guess`: how bare trace may be framed, and whose it may be.

mod candidates;
mod score;

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use coretrace_capture::{
    BareTrace, Format, Pass, SourceDescription, TraceBytes, bytes_of_ids, ensure_bytes, open_bare,
};
use coretrace_coresight::TraceId;
use coretrace_decode::{Policy, tpiu};

use crate::error::Outcome;
use crate::output::Output;
use candidates::{Candidate, candidates};
use score::Score;

/// The formats that are tried.
const FORMATS: [Format; 5] = [
    Format::Framed(tpiu::Format::TpiuHsync),
    Format::Framed(tpiu::Format::TpiuFsync),
    Format::Framed(tpiu::Format::Dstream),
    Format::Framed(tpiu::Format::Frames),
    Format::Raw,
];

const EXAMPLES: &str = "\
Every format, every trace ID in it and the registers of some common trace units are tried. The best
guess comes first: score is the part of the bytes that are packets without errors, in per cent. Trace
does not hold the registers of its trace unit: where two sets of them read it alike, both are right so
far.

Examples:
  etm4 guess testbench/traces/framed/trace.bin
  etm4 guess port.bin --top 3";

/// Guess the format, the trace IDs and the trace unit of bare trace
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct GuessArgs {
    /// A file of bare trace
    file: PathBuf,

    /// Guesses to show for each trace ID
    #[arg(long, value_name = "N", default_value_t = 2)]
    top: usize,

    /// Bytes at the start of the file that are tried
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    bytes: usize,
}

/// A way to read the bytes, and how well it does.
struct Guess {
    format: Format,
    id: Option<TraceId>,
    candidate: Candidate,
    score: Score,
}

/// Runs the command.
///
/// # Errors
/// If the file cannot be read or is empty.
pub fn run(args: &GuessArgs) -> Result<Outcome> {
    let start = TraceBytes::of_file(&args.file)?.start(args.bytes)?;
    ensure_bytes(&args.file.display().to_string(), &start)?;
    let mut by_format = Vec::new();
    for format in FORMATS {
        by_format.push(guesses(format, &start)?);
    }
    // Equal formats: the one that is tried first has more to check.
    by_format.sort_by(|a, b| total(b).total_cmp(&total(a)));
    let mut output = Output::new();
    let best = by_format.first().map(Vec::as_slice).unwrap_or_default();
    let is_decoded = best.iter().any(|guess| guess.score.is_decoded());
    if is_decoded {
        put(&mut output.text, best, args)?;
    } else {
        output
            .text
            .push_str("no format gives any packet: is it ETMv4 or ETE trace?\n");
    }
    output.finish();
    Ok(if is_decoded {
        Outcome::Complete
    } else {
        Outcome::Incomplete
    })
}

/// The guesses of a format, by trace ID and then from the best on.
fn guesses(format: Format, start: &[u8]) -> Result<Vec<Guess>> {
    let bytes = TraceBytes::memory(whole_frames(format, start).to_vec());
    let ids: Vec<Option<TraceId>> = match format {
        Format::Raw => vec![None],
        Format::Framed(framing) => {
            let found = bytes_of_ids(framing, &bytes, u64::MAX)?;
            found.into_iter().map(|(id, _)| Some(id)).collect()
        }
    };
    let mut guesses = Vec::new();
    for id in ids {
        let mut of_id = Vec::new();
        for candidate in candidates() {
            let source = candidate.source(id);
            let score = score(format, &bytes, &source)?;
            of_id.push(Guess {
                format,
                id,
                candidate,
                score,
            });
        }
        of_id.sort_by(|a, b| b.score.percent().total_cmp(&a.score.percent()));
        guesses.extend(of_id);
    }
    Ok(guesses)
}

/// The bytes without a frame that is cut off.
fn whole_frames(format: Format, bytes: &[u8]) -> &[u8] {
    match format {
        Format::Framed(tpiu::Format::Frames) => {
            &bytes[..bytes.len() - bytes.len() % coretrace_coresight::FRAME_BYTES]
        }
        _ => bytes,
    }
}

fn score(format: Format, bytes: &TraceBytes, source: &SourceDescription) -> Result<Score> {
    let mut score = Score::default();
    if bytes.len()? == Some(0) {
        return Ok(score);
    }
    let bare = BareTrace {
        format,
        source: source.clone(),
        scan_limit: u64::MAX,
    };
    let trace = open_bare(String::new(), bytes.clone(), &bare)?;
    let pass = Pass {
        buffer: trace.only_buffer()?,
        sources: &[0],
        policy: Policy::Resync,
        sync_limit: u64::MAX,
    };
    let statistics = pass.run(&mut score)?;
    score.add_port(&statistics);
    Ok(score)
}

/// How well a format reads all bytes: the best guess of each trace ID, by its bytes.
fn total(guesses: &[Guess]) -> f64 {
    let best = guesses
        .chunk_by(|a, b| a.id == b.id)
        .filter_map(<[Guess]>::first);
    let scores: Vec<&Score> = best.map(|guess| &guess.score).collect();
    score::together(&scores)
}

fn put(out: &mut String, guesses: &[Guess], args: &GuessArgs) -> Result<()> {
    writeln!(out, "format      ID  score  packets  errors  trace unit")?;
    for of_id in guesses.chunk_by(|a, b| a.id == b.id) {
        for guess in of_id.iter().take(args.top) {
            let id = guess
                .id
                .map_or("-".to_owned(), |id| format!("{:02x}", id.value()));
            writeln!(
                out,
                "{:<10}  {id:>2}  {:>5.1}  {:>7}  {:>6}  {}",
                guess.format.to_string(),
                guess.score.percent(),
                guess.score.packets,
                guess.score.errors,
                guess.candidate.name
            )?;
        }
    }
    // Of equal ones the first.
    let decoded = guesses
        .iter()
        .rev()
        .filter(|guess| guess.score.is_decoded());
    let Some(best) = decoded.max_by(|a, b| a.score.weight().total_cmp(&b.score.weight())) else {
        return Ok(());
    };
    let id = best
        .id
        .map_or(String::new(), |id| format!(" --id {:02x}", id.value()));
    writeln!(
        out,
        "\nTo list the packets, with the registers of your trace unit where you know them:\n  \
         etm4 packets {} --raw-format {}{id} {}",
        args.file.display(),
        best.format,
        best.candidate.options()
    )?;
    Ok(())
}
