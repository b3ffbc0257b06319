// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults at a port of an STM and an ITM.
//!
//! What must hold under any fault: behind the next full sync, the next ID and then the next ASYNC or sync, every
//! packet is that of the port without faults. Between an error or a loss and the next ASYNC or sync, no packet is
//! reported under resync, and under lenient each is suspect. The trace state is not compared: a packet replaces
//! only the low bits of a timestamp, so a wrong one stays wrong until all bits are sent.

use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_decode::tpiu::{Deframer, Demux, Format, RunEvent};
use coretrace_itm::{Config as ItmConfig, Kind as ItmKind, Record as ItmRecord, State as ItmState};
use coretrace_software_trace::{Decoder, Protocol, Record};
use coretrace_stm::{Kind as StmKind, RawNibbles, Record as StmRecord, State as StmState};
use coretrace_test_gen::{Rng, itm_stream, rng, stm_stream};
use rand::RngExt;

use crate::invariants::is_found_again;
use crate::share::share;
use crate::sweep::{POLICIES, SEED};
use crate::{Fault, Port};

/// Packets of each source of a port.
const PACKETS: usize = 400;
/// Ports without faults.
const PORTS: usize = 16;
/// Ports with a single fault of each kind.
const SINGLES: usize = 1000;

/// A source of software trace.
#[derive(Clone, Copy, Debug)]
pub struct SoftwareSource {
    /// Its ID.
    pub id: TraceId,
    /// Its protocol.
    pub protocol: Protocol,
}

impl Port<SoftwareSource> {
    /// A port of an STM and an ITM, with random legal packets.
    ///
    /// # Panics
    /// If an ID does not exist.
    pub fn of_software(rng: &mut Rng) -> Port<SoftwareSource> {
        let itm = Protocol::Itm(ItmConfig::default());
        let sources = [(0x20, Protocol::Stm), (0x30, itm)].map(|(id, protocol)| SoftwareSource {
            id: TraceId::new(id).expect("an ID"),
            protocol,
        });
        let streams = [
            (sources[0].id, stm_stream(rng, PACKETS, None)),
            (sources[1].id, itm_stream(rng, PACKETS, None)),
        ];
        Port::framed(rng, sources.into(), &streams)
    }
}

/// A report of a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// A record, and a lower bound of the place of its first byte in the port.
    Record(Record, usize),
    /// Bytes were lost here.
    Loss,
}

impl Report {
    /// The packet without its place in the stream, if it is one, and whether it is suspect.
    fn packet(&self) -> Option<(Record, bool)> {
        match *self {
            Report::Record(Record::Stm(record), _) if !is_stm_notice(record.kind) => {
                let is_suspect = record.suspect;
                let packet = StmRecord {
                    offset: 0,
                    len: 0,
                    suspect: false,
                    state: StmState::default(),
                    raw: RawNibbles::EMPTY,
                    ..record
                };
                Some((Record::Stm(packet), is_suspect))
            }
            Report::Record(Record::Itm(record), _) if !is_itm_notice(record.kind) => {
                let is_suspect = record.suspect;
                let packet = ItmRecord {
                    offset: 0,
                    len: 0,
                    suspect: false,
                    state: ItmState::default(),
                    ..record
                };
                Some((Record::Itm(packet), is_suspect))
            }
            _ => None,
        }
    }

    fn is_sync(&self) -> bool {
        matches!(self, Report::Record(record, _) if record.is_sync())
    }
}

fn is_stm_notice(kind: StmKind) -> bool {
    kind.is_error() || matches!(kind, StmKind::NotSync | StmKind::Incomplete)
}

fn is_itm_notice(kind: ItmKind) -> bool {
    kind.is_error() || matches!(kind, ItmKind::NotSync | ItmKind::Incomplete)
}

/// What the decoder of each source of a port reports.
pub fn observe(port: &[u8], sources: &[SoftwareSource], policy: Policy) -> Vec<Vec<Report>> {
    let mut decoders: Vec<(Decoder, Vec<usize>)> = sources
        .iter()
        .map(|source| (Decoder::new(source.protocol, policy), Vec::new()))
        .collect();
    let mut reports = vec![Vec::new(); sources.len()];
    let mut demux = Demux::new(sources.iter().map(|source| source.id));
    let mut deframer = Deframer::new(Format::TpiuHsync);
    let put = |reports: &mut Vec<Report>, places: &[usize], record: &Record| {
        reports.push(Report::Record(*record, places[record.offset() as usize]));
    };
    deframer.feed(port, |event| match event {
        RunEvent::Run(run) => {
            let id = demux.route(&run);
            if let Some(index) = sources.iter().position(|source| Some(source.id) == id) {
                let (decoder, places) = &mut decoders[index];
                places.resize(places.len() + run.bytes.len(), run.offset as usize);
                decoder.feed(run.bytes, |record| put(&mut reports[index], places, record));
            }
        }
        RunEvent::Discontinuity { .. } => {
            for ((decoder, places), reports) in decoders.iter_mut().zip(&mut reports) {
                decoder.discontinuity(|record| put(reports, places, record));
                reports.push(Report::Loss);
            }
        }
    });
    for ((decoder, places), reports) in decoders.iter_mut().zip(&mut reports) {
        decoder.finish(|record| put(reports, places, record));
    }
    reports
}

/// A port, and what is reported of it without faults under each policy.
struct Clean {
    port: Port<SoftwareSource>,
    reports: [Vec<Vec<Report>>; 2],
}

impl Clean {
    fn new(rng: &mut Rng) -> Clean {
        let port = Port::of_software(rng);
        let reports = POLICIES.map(|(policy, _)| observe(&port.bytes, &port.sources, policy));
        Clean { port, reports }
    }
}

/// The effect of single faults under one policy.
#[derive(Clone, Debug, Default)]
struct Figures {
    /// Ports that reported exactly the same as without faults.
    unchanged: usize,
    /// Ports with other packets, but no error and no loss.
    unreported: usize,
    broken: Vec<String>,
}

/// The section of the document about software trace, and the broken invariants.
pub fn section() -> (String, Vec<String>) {
    let mut text = include_str!("software.md").to_owned();
    let mut broken = Vec::new();
    let mut rng = rng(SEED);
    let ports: Vec<Clean> = (0..PORTS).map(|_| Clean::new(&mut rng)).collect();
    for fault in Fault::ALL {
        let rows = single(&ports, fault, SINGLES);
        for (figures, (_, policy)) in rows.into_iter().zip(POLICIES) {
            let reported = SINGLES - figures.unchanged - figures.unreported;
            let [unchanged, reported, unreported] =
                [figures.unchanged, reported, figures.unreported]
                    .map(|count| share(count as u64, SINGLES as u64));
            text += &format!(
                "| {} | {policy} | {SINGLES} | {unchanged} | {reported} | {unreported} |\n",
                fault.name()
            );
            broken.extend(figures.broken);
        }
    }
    text += &format!("\nThe invariants failed {} times.\n", broken.len());
    (text, broken)
}

/// Hits one place of a port, in so many ports.
fn single(ports: &[Clean], fault: Fault, count: usize) -> [Figures; 2] {
    let mut rng = rng(SEED);
    let mut figures = [Figures::default(), Figures::default()];
    for (index, Clean { port, reports }) in ports.iter().enumerate().cycle().take(count) {
        let places = fault.places(port);
        let place = places[rng.random_range(0..places.len())];
        let (bytes, hits) = fault.inject(&mut rng, &port.bytes, &[place]);
        let figures = figures.iter_mut().zip(reports);
        for ((figures, clean), (policy, name)) in figures.zip(POLICIES) {
            let seen = observe(&bytes, &port.sources, policy);
            let is_changed = clean
                .iter()
                .zip(&seen)
                .any(|(clean, seen)| packets(clean) != packets(seen));
            let is_reported = seen
                .iter()
                .flatten()
                .any(|report| report.packet().is_none());
            figures.unchanged += usize::from(!is_changed && !is_reported);
            figures.unreported += usize::from(is_changed && !is_reported);
            for (clean, seen) in clean.iter().zip(&seen) {
                let broken = broken(port, clean, seen, hits[0].end);
                let place = format!("{}, port {index}, {name}, at {place}", fault.name());
                figures
                    .broken
                    .extend(broken.iter().map(|what| format!("{place}: {what}")));
            }
        }
    }
    figures
}

fn packets(reports: &[Report]) -> Vec<(Record, bool)> {
    reports.iter().filter_map(Report::packet).collect()
}

/// The broken invariants of a source behind a fault that ends at a place of the port.
pub fn broken(
    port: &Port<SoftwareSource>,
    clean: &[Report],
    seen: &[Report],
    fault_end: usize,
) -> Vec<String> {
    let mut broken = Vec::new();
    let is_right_from = |report: &Report| {
        matches!(report, Report::Record(record, place)
            if record.is_sync() && is_found_again(port, fault_end, *place))
    };
    if let Some(first) = clean.iter().position(is_right_from) {
        let right = packets(&clean[first..]);
        let seen = packets(seen);
        if !seen.ends_with(&right) {
            broken.push("not right again behind the next sync".to_owned());
        }
    }
    let mut is_reported = false;
    for report in seen {
        match report.packet() {
            None => is_reported = true,
            Some(_) if report.is_sync() => is_reported = false,
            Some((packet, is_suspect)) if is_reported && !is_suspect => {
                broken.push(format!("no mark behind an error: {packet:?}"));
            }
            Some(_) => {}
        }
    }
    broken
}
