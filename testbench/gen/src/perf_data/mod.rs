// SPDX-License-Identifier: MIT OR Apache-2.0
//! perf.data files of every shape around random legal streams, with what a reader must find.

mod ring;
mod sideband;
mod writer;

use std::collections::{BTreeMap, BTreeSet};

use coretrace_capture::perf::constants::hw_id::{MINOR, SINK};
use coretrace_capture::perf::constants::info::{
    CS_ETM, ETE, ETE_PARAMETERS, ETM4, ETM4_PARAMETERS, TRACE_ID_UNUSED,
};
use coretrace_capture::perf::constants::{record, sample};
use coretrace_coresight::TraceId;
use coretrace_etm::Protocol;
use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::{Framing, RegisterSet, Rng, StreamOptions, frame_streams, legal_stream};
use ring::Ring;
use sideband::Sideband;
pub use sideband::{WrittenMapping, WrittenProcesses};
pub use writer::{Event, Origin, Writer};

/// The shape of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerfShape {
    /// The pipe form.
    pub pipe: bool,
    /// Version of AUXTRACE_INFO, 0 to 2; from 2 on HW_ID records have the trace IDs.
    pub version: u64,
    /// Raw trace in place of frames.
    pub raw: bool,
    /// ETE in place of ETMv4; not in version 0.
    pub ete: bool,
    /// The buffers belong to threads and not to CPUs.
    pub threads: bool,
    /// Each buffer holds the last bytes only.
    pub snapshot: bool,
    /// Trace IDs hold in one of two sinks; from version 2 on.
    pub sinks: bool,
    /// A second event, whose records have other fields.
    pub two_events: bool,
    /// The most sessions.
    pub sessions: usize,
}

impl PerfShape {
    /// Any shape.
    pub fn random(rng: &mut Rng) -> PerfShape {
        let version = rng.random_range(0..=2);
        PerfShape {
            pipe: rng.random(),
            version,
            raw: rng.random(),
            ete: version > 0 && rng.random(),
            threads: rng.random_bool(0.3),
            snapshot: rng.random_bool(0.3),
            sinks: version == 2 && rng.random(),
            two_events: rng.random(),
            sessions: rng.random_range(1..12),
        }
    }
}

/// A recording and what is in it.
#[derive(Clone, Debug)]
pub struct PerfFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// The places of its records.
    pub records: Vec<usize>,
    /// The buffers with trace, in no order.
    pub buffers: Vec<WrittenBuffer>,
    /// What could be executed.
    pub mappings: Vec<WrittenMapping>,
    /// The processes and threads.
    pub processes: WrittenProcesses,
    /// The number of AUX records with the flag TRUNCATED.
    pub truncated: usize,
}

/// The trace of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenBuffer {
    /// The CPU.
    pub cpu: Option<u32>,
    /// Raw, or frames.
    pub raw: bool,
    /// The sources by CPU.
    pub sources: Vec<WrittenSource>,
    /// The bytes of each session, as far as they are in the file.
    pub sessions: Vec<Vec<u8>>,
}

/// A trace unit with a trace ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenSource {
    /// The CPU.
    pub cpu: u32,
    /// The trace ID.
    pub trace_id: u8,
    /// Protocol and registers.
    pub set: RegisterSet,
}

/// The trace unit of a CPU as AUXTRACE_INFO describes it.
struct Unit {
    cpu: u32,
    set: RegisterSet,
    /// `None` in version 2 if the CPU has no HW_ID record.
    trace_id: Option<u8>,
    sink: Option<u32>,
}

/// Writes a recording.
pub fn perf_file(rng: &mut Rng, shape: &PerfShape) -> PerfFile {
    let mut writer = Writer::new(shape.pipe, events(rng, shape));
    let units = units(rng, shape);
    let info = info(rng, shape, &units);
    let is_first = rng.random();
    if is_first {
        writer.record(record::AUXTRACE_INFO, 0, &info);
    }
    let mut sideband = Sideband::default();
    sideband.write(rng, &mut writer);
    write_hw_ids(rng, shape, &mut writer, &units);
    let (buffers, truncated) = write_trace(rng, shape, &mut writer, &units);
    sideband.write(rng, &mut writer);
    if !is_first {
        writer.record(record::AUXTRACE_INFO, 0, &info);
    }
    let (bytes, records) = writer.finish();
    PerfFile {
        bytes,
        records,
        buffers,
        mappings: sideband.mappings,
        processes: sideband.processes,
        truncated,
    }
}

/// With two events records are distinguished by their IDs alone.
fn events(rng: &mut Rng, shape: &PerfShape) -> Vec<Event> {
    let fields = sample::TID | sample::TIME | sample::CPU;
    let id = if shape.two_events || rng.random() {
        sample::IDENTIFIER
    } else {
        *[0, sample::ID, sample::ID | sample::STREAM_ID]
            .choose(rng)
            .expect("fields")
    };
    let mut events = vec![Event {
        sample_type: fields | id,
        ids: (100..rng.random_range(101..110)).collect(),
    }];
    if shape.two_events {
        events.push(Event {
            sample_type: sample::TID | sample::ID | sample::IDENTIFIER,
            ids: (200..rng.random_range(201..210)).collect(),
        });
    }
    events
}

fn units(rng: &mut Rng, shape: &PerfShape) -> Vec<Unit> {
    let protocol = if shape.ete {
        Protocol::Ete
    } else {
        Protocol::Etm4
    };
    let set = |rng: &mut Rng| loop {
        let set = RegisterSet::any(rng);
        if set.protocol == protocol {
            return set;
        }
    };
    let cpus: BTreeSet<u32> = (0..rng.random_range(1..5))
        .map(|_| rng.random_range(0..9))
        .collect();
    let mut units: Vec<Unit> = Vec::new();
    for cpu in cpus {
        let sink = shape.sinks.then_some(0x8000_0000 + cpu % 2);
        let id = match (shape.version, shape.sinks) {
            (0 | 1, _) => 0x10 + 2 * cpu,
            (_, false) => 0x20 + cpu,
            // The same IDs in both sinks.
            (_, true) => 0x30 + cpu / 2,
        };
        let has_id = shape.version < 2 || units.is_empty() || rng.random_bool(0.7);
        units.push(Unit {
            cpu,
            set: set(rng),
            trace_id: has_id.then_some(id as u8),
            sink,
        });
    }
    units
}

/// The body of AUXTRACE_INFO.
fn info(rng: &mut Rng, shape: &PerfShape, units: &[Unit]) -> Vec<u8> {
    let cpus = units.len() as u64;
    let mut words = vec![CS_ETM.into(), shape.version, 9 << 32 | cpus, rng.random()];
    for unit in units {
        let (magic, names) = match unit.set.protocol {
            Protocol::Etm4 => (ETM4, &ETM4_PARAMETERS[..]),
            Protocol::Ete => (ETE, &ETE_PARAMETERS[..]),
        };
        let in_registers = match (shape.version, unit.trace_id) {
            (0 | 1, id) => id.expect("an ID").into(),
            (_, Some(_)) => 0x10 | TRACE_ID_UNUSED,
            (_, None) => *[0x10 | TRACE_ID_UNUSED, 0x7F, 0, u64::MAX]
                .choose(rng)
                .expect("IDs"),
        };
        // A kernel may have more parameters than the reader knows.
        let more = if shape.version > 0 {
            rng.random_range(0..3)
        } else {
            0
        };
        words.extend([magic, unit.cpu.into()]);
        if shape.version > 0 {
            words.push((names.len() + more) as u64);
        }
        words.extend(names.iter().map(|&name| match name {
            "TRCTRACEIDR" => in_registers,
            "TRCAUTHSTATUS" => 0xCC,
            _ => register(&unit.set, name).into(),
        }));
        words.extend((0..more).map(|_| rng.random::<u64>()));
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A register by name.
fn register(set: &RegisterSet, name: &str) -> u32 {
    let mut named = set.registers.named();
    let found = named.find(|(known, _)| *known == name);
    found.expect("a register that decoding needs").1
}

fn write_hw_ids(rng: &mut Rng, shape: &PerfShape, writer: &mut Writer, units: &[Unit]) {
    if shape.version < 2 {
        return;
    }
    for unit in units {
        let Some(id) = unit.trace_id else { continue };
        let sink = unit
            .sink
            .map_or(0, |sink| 1 << MINOR | u64::from(sink) << SINK);
        let value = u64::from(id) | sink;
        let origin = Origin {
            tid: 77,
            cpu: unit.cpu,
            ..Origin::default()
        };
        // Each session of the event writes it again.
        for _ in 0..rng.random_range(1..3) {
            let body = value.to_le_bytes();
            writer.kernel(record::AUX_OUTPUT_HW_ID, 0, &body, false, origin);
        }
    }
}

/// Writes AUX and AUXTRACE records; returns the buffers and the number of truncated sessions.
fn write_trace(
    rng: &mut Rng,
    shape: &PerfShape,
    writer: &mut Writer,
    units: &[Unit],
) -> (Vec<WrittenBuffer>, usize) {
    let owners: Vec<&Unit> = units
        .iter()
        .filter(|unit| unit.trace_id.is_some())
        .collect();
    let mut rings: BTreeMap<(u32, u32), Ring> = BTreeMap::new();
    let mut truncated = 0;
    for _ in 0..shape.sessions {
        let unit = *owners.choose(rng).expect("a CPU");
        let tid = rng.random_range(50..53);
        let owner = if shape.threads {
            (tid, u32::MAX)
        } else {
            (0, unit.cpu)
        };
        let origin = Origin {
            tid,
            cpu: unit.cpu,
            ..Origin::default()
        };
        let cpu = (shape.raw || !shape.threads).then_some(unit.cpu);
        let sources = sources(shape, units, cpu);
        let bytes = session(rng, shape, &sources);
        let new = |rng: &mut Rng| Ring::new(rng, shape.snapshot);
        let ring = rings.entry(owner).or_insert_with(|| new(rng));
        let is_truncated = rng.random_bool(0.2);
        truncated += usize::from(is_truncated);
        let aux = ring.session(&bytes, cpu, is_truncated, shape.raw);
        let dump_first = !shape.snapshot && rng.random_bool(0.2);
        if dump_first {
            ring.dump(writer, owner);
        }
        writer.kernel(record::AUX, 0, &aux, false, origin);
        if !dump_first && rng.random_bool(0.3) {
            ring.dump(writer, owner);
        }
        if rng.random_bool(0.1) {
            writer.kernel(record::AUX, 0, &ring.empty(shape.raw), false, origin);
        }
    }
    let mut buffers = Vec::new();
    for (owner, ring) in &mut rings {
        ring.dump(writer, *owner);
        let of_cpu = |(cpu, sessions)| WrittenBuffer {
            cpu,
            raw: shape.raw,
            sources: sources(shape, units, cpu),
            sessions,
        };
        buffers.extend(ring.buffers().into_iter().map(of_cpu));
    }
    (buffers, truncated)
}

/// The sources whose trace is in the buffer of a CPU, or in one of a thread; each trace ID once.
fn sources(shape: &PerfShape, units: &[Unit], cpu: Option<u32>) -> Vec<WrittenSource> {
    let of_cpu = units.iter().find(|unit| Some(unit.cpu) == cpu);
    let mut known = BTreeSet::new();
    let source = |unit: &Unit| {
        let is_here = match of_cpu {
            Some(owner) if shape.raw => unit.cpu == owner.cpu,
            Some(owner) => unit.sink == owner.sink,
            None => true,
        };
        let trace_id = unit.trace_id.filter(|&id| is_here && known.insert(id))?;
        Some(WrittenSource {
            cpu: unit.cpu,
            trace_id,
            set: unit.set,
        })
    };
    units.iter().filter_map(source).collect()
}

/// The bytes of a session.
fn session(rng: &mut Rng, shape: &PerfShape, sources: &[WrittenSource]) -> Vec<u8> {
    let options = StreamOptions {
        packets: rng.random_range(1..40),
        ..StreamOptions::default()
    };
    let streams: Vec<(TraceId, Vec<u8>)> = sources
        .iter()
        .map(|source| {
            let id = TraceId::new(source.trace_id).expect("an ID");
            (id, legal_stream(rng, &source.set.config(), &options).bytes)
        })
        .collect();
    if shape.raw {
        return streams[0].1.clone();
    }
    let streams: Vec<(TraceId, &[u8])> = streams
        .iter()
        .map(|(id, bytes)| (*id, &bytes[..]))
        .collect();
    frame_streams(rng, &streams, &Framing::BUFFER)
}
