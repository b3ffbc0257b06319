// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 gen`: captures made from a seed.

mod description;
mod messages;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use coretrace_capture::{Capture, Format, Source, SourceDescription};
use coretrace_coresight::{FRAME_BYTES, TraceId};
use coretrace_decode::tpiu;
use coretrace_etm::{HEADERS, Kind};
use coretrace_test_gen::{
    Damage, Framing, RegisterSet, Rng, StreamOptions, damage, frame_streams, legal_stream,
};

use etm4_cli::filter::kind;
use etm4_cli::output::Output;
use etm4_cli::selection::select;
use etm4_cli::trace_id;

const EXAMPLES: &str = "\
The same options give the same bytes. Register sets: a53, v46-all, commopt0, v7m, v8m, ete, random.
Kinds of packets are named as in listings; kinds that share a header, such as I_DISCARD and
I_OVERFLOW, are chosen together.

Examples:
  etm4-lab gen new-capture
  etm4-lab gen new-capture --seed 7 --set ete --packets 5000 --unusual
  etm4-lab gen new-capture --kind I_ADDR_S_IS0 --kind I_ATOM_F1
  etm4-lab gen new-port --format tpiu-hsync --id 10 --id 21 --damage bit-flip=0.001
  etm4-lab gen framed --format frames --from testbench/traces/sort-a64 \\
      --from testbench/traces/adpcm-a32
  etm4-lab gen messages --messages --format frames --from testbench/traces/adpcm-a32
  etm4-lab gen - --set a53 | xxd | head";

/// Make a capture from a seed: random legal packets, or other captures put into frames
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct GenArgs {
    /// The folder to make, or - to write the trace alone to standard output
    out: PathBuf,

    /// Chooses the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Registers of the trace units, by name
    #[arg(
        long,
        value_name = "NAME",
        default_value = "a53",
        conflicts_with = "from"
    )]
    set: String,

    /// Random packets of each source
    #[arg(long, value_name = "N", default_value_t = 200, conflicts_with = "from")]
    packets: usize,

    /// Only packets of this kind, besides A-Sync and Trace Info; may be repeated
    #[arg(long, value_name = "KIND", value_parser = kind, conflicts_with = "from")]
    kind: Vec<Kind>,

    /// Packets between two pairs of A-Sync and Trace Info
    #[arg(long, value_name = "N", default_value_t = 50, conflicts_with = "from")]
    sync_every: usize,

    /// Use longer encodings than needed, where they are legal
    #[arg(long, conflicts_with = "from")]
    unusual: bool,

    /// Trace ID of a source; repeat it for more sources [default: 10]
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse, conflicts_with = "from")]
    id: Vec<TraceId>,

    /// Take the sources of another capture, in place of random packets; may be repeated
    #[arg(long, value_name = "CAPTURE")]
    from: Vec<PathBuf>,

    /// Beside these sources an STM (trace ID 30) and an ITM (31), to which a program writes lines; needs frames
    #[arg(long)]
    messages: bool,

    /// How the trace is framed: raw, frames, tpiu-fsync or tpiu-hsync
    #[arg(long, default_value_t = Format::Raw)]
    format: Format,

    /// Damage the trace: bit-flip, lost-byte, doubled-byte or lost-word at a rate, such as
    /// bit-flip=0.001; may be repeated
    #[arg(long, value_name = "KIND=RATE", value_parser = damage_at)]
    damage: Vec<(Damage, f64)>,
}

/// The bytes of a source and its description.
struct Stream {
    source: SourceDescription,
    bytes: Vec<u8>,
}

/// Runs the command.
///
/// # Errors
/// If options contradict each other, a capture to take from cannot be used, or the results cannot
/// be written.
pub fn run(args: &GenArgs) -> Result<()> {
    let mut rng = coretrace_test_gen::rng(args.seed);
    let streams = if args.from.is_empty() {
        random_streams(args, &mut rng)?
    } else {
        taken_streams(&args.from)?
    };
    let parts = if args.messages {
        with_messages(&streams)
    } else {
        vec![streams]
    };
    let mut trace = Vec::new();
    for part in &parts {
        trace.extend(framed(args.format, part, &mut rng)?);
    }
    for &(kind, rate) in &args.damage {
        trace = damage(&mut rng, &trace, kind, rate);
    }
    if args.format == Format::Framed(tpiu::Format::Frames) {
        // A buffer holds whole frames only, also a damaged one.
        trace.truncate(trace.len() / FRAME_BYTES * FRAME_BYTES);
    }
    if args.out == Path::new("-") {
        let mut output = Output::new();
        output.bytes(&trace);
        output.finish();
        return Ok(());
    }
    let sources = parts[0].iter().map(|stream| stream.source.clone());
    let sources = sources.collect();
    write_folder(args, trace, sources)
}

fn random_streams(args: &GenArgs, rng: &mut Rng) -> Result<Vec<Stream>> {
    let set = match args.set.as_str() {
        "random" => RegisterSet::random(rng),
        name => RegisterSet::by_name(name).with_context(|| {
            let names = RegisterSet::ALL.map(|set| set.name).join(", ");
            format!("there is no register set {name:?}: the sets are {names}, random")
        })?,
    };
    let config = set.config();
    let options = StreamOptions {
        packets: args.packets,
        headers: headers(&args.kind, &set)?,
        sync_every: args.sync_every,
        unusual: args.unusual,
    };
    let default_id = TraceId::new(0x10);
    let ids = args
        .id
        .iter()
        .copied()
        .chain(default_id.filter(|_| args.id.is_empty()));
    Ok(ids
        .map(|id| Stream {
            source: description::of_set(&set, id),
            bytes: legal_stream(rng, &config, &options).bytes,
        })
        .collect())
}

/// The headers of the kinds; an empty list means all.
fn headers(kinds: &[Kind], set: &RegisterSet) -> Result<Vec<u8>> {
    let config = set.config();
    let mut headers = Vec::new();
    for &kind in kinds {
        let in_table = match kind {
            Kind::Discard | Kind::Overflow => Kind::Async,
            Kind::PeReset | Kind::TransactionFail => Kind::Exception,
            kind => kind,
        };
        let known = headers.len();
        headers.extend((0..=255u8).filter(|&header| {
            let row = HEADERS[usize::from(header)];
            row.kind == in_table && config.allows(row.gate)
        }));
        ensure!(
            headers.len() > known,
            "the trace unit {:?} has no {}: choose another --set",
            set.name,
            kind.listing_name()
        );
    }
    Ok(headers)
}

/// The sources of captures, with all their bytes.
fn taken_streams(folders: &[PathBuf]) -> Result<Vec<Stream>> {
    let mut streams = Vec::new();
    for folder in folders {
        let capture = Capture::open(folder)?;
        streams.extend(select(&capture, None)?.into_iter().map(|stream| Stream {
            source: describe(&stream.source),
            bytes: stream.bytes,
        }));
    }
    Ok(streams)
}

/// Streams in parts, one for each line that a program writes beside them.
fn with_messages(streams: &[Stream]) -> Vec<Vec<Stream>> {
    let all = messages::stm().into_iter().zip(messages::itm());
    let part = |(line, (stm, itm)): (usize, (Vec<u8>, Vec<u8>))| {
        let lines = messages::LINES as usize;
        let of = |stream: &Stream| {
            let at = |line: usize| stream.bytes.len() * line / lines;
            Stream {
                source: stream.source.clone(),
                bytes: stream.bytes[at(line)..at(line + 1)].to_vec(),
            }
        };
        let written = [("STM", 0x30, stm), ("ITM", 0x31, itm)];
        let written = written.map(|(protocol, trace_id, bytes)| Stream {
            source: SourceDescription {
                name: protocol.into(),
                protocol: protocol.into(),
                trace_id: Some(trace_id),
                core: None,
                registers: BTreeMap::new(),
            },
            bytes,
        });
        streams.iter().map(of).chain(written).collect()
    };
    all.enumerate().map(part).collect()
}

fn describe(source: &Source) -> SourceDescription {
    description::of_registers(
        source.name.clone(),
        source.protocol.to_string(),
        source.trace_id.and_then(TraceId::new),
        source.core.clone(),
        &source.registers,
    )
}

fn framed(format: Format, streams: &[Stream], rng: &mut Rng) -> Result<Vec<u8>> {
    let framing = match format {
        Format::Raw => {
            ensure!(
                streams.len() == 1,
                "a raw trace has one source and there are {}: choose --format frames",
                streams.len()
            );
            return Ok(streams[0].bytes.clone());
        }
        Format::Framed(tpiu::Format::Frames) => Framing::BUFFER,
        Format::Framed(tpiu::Format::TpiuFsync) => Framing {
            half_sync: 0.0,
            ..Framing::PORT
        },
        Format::Framed(tpiu::Format::TpiuHsync) => Framing::PORT,
        Format::Framed(tpiu::Format::Dstream) => {
            bail!("the blocks of a DSTREAM probe cannot be made: choose tpiu-fsync")
        }
    };
    let with_id = |stream: &'_ Stream| {
        stream
            .source
            .trace_id
            .and_then(TraceId::new)
            .with_context(|| {
                format!(
                    "source {:?} has no trace_id: add one to its capture.toml",
                    stream.source.name
                )
            })
    };
    let ids = streams.iter().map(with_id).collect::<Result<Vec<_>>>()?;
    let streams: Vec<_> = ids
        .into_iter()
        .zip(streams.iter().map(|s| s.bytes.as_slice()))
        .collect();
    Ok(frame_streams(rng, &streams, &framing))
}

/// Writes the folder, if the capture in it will be readable.
fn write_folder(args: &GenArgs, trace: Vec<u8>, sources: Vec<SourceDescription>) -> Result<()> {
    let out = args.out.display();
    let name = args
        .out
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let origin = format!("etm4 gen --seed {}", args.seed);
    let capture = Capture::new(name, args.format, trace, &sources)?;
    let text = description::toml(&capture, &sources, &origin);
    ensure!(
        !args.out.exists(),
        "{out} exists already: name a new folder"
    );
    let written = fs::create_dir_all(&args.out)
        .and_then(|()| fs::write(args.out.join(description::TRACE_FILE), &capture.bytes))
        .and_then(|()| fs::write(args.out.join("capture.toml"), text));
    written.with_context(|| format!("cannot write to {out}: is it a place for new folders?"))
}

fn damage_at(text: &str) -> Result<(Damage, f64), String> {
    let (name, rate) = text.split_once('=').ok_or("write it as KIND=RATE")?;
    let kind = match name {
        "bit-flip" => Damage::BitFlip,
        "lost-byte" => Damage::LostByte,
        "doubled-byte" => Damage::DoubledByte,
        "lost-word" => Damage::LostWord,
        _ => return Err("the kinds are bit-flip, lost-byte, doubled-byte and lost-word".into()),
    };
    match rate.parse() {
        Ok(rate) if (0.0..=1.0).contains(&rate) => Ok((kind, rate)),
        _ => Err("a rate is a number from 0 to 1".into()),
    }
}
