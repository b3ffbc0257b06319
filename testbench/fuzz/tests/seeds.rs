// SPDX-License-Identifier: MIT OR Apache-2.0
//! The committed seeds for a coverage-guided fuzzer. To regenerate them:
//! `UPDATE=1 cargo test -p coretrace-test-fuzz --test seeds`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use coretrace_abi::flow_table::Widths;
use coretrace_capture::ett::Case;
use coretrace_capture::perf::PerfData;
use coretrace_capture::snapshot::{Snapshot, SnapshotBuffer};
use coretrace_capture::{CoreCapture, Description};
use coretrace_counts::{Counter, Functions};
use coretrace_data_trace::{Grammar, Kind as DataKind, Parser, Payload};
use coretrace_decode::Policy;
use coretrace_etm::Kind;
use coretrace_profile::EntryReader;
use coretrace_program::DumpedFile;
use coretrace_sites::{FlowReader, FlowTable};
use coretrace_software_trace::{Decoder, ItmConfig, Protocol, Record};
use coretrace_streams::{Item, Reader};
use coretrace_target::{Journal, Preset, Topology, undo_steps};
use coretrace_test_fuzz::targets::seeds::{self, Seed};
use coretrace_test_fuzz::targets::{TARGETS, chip, written};
use coretrace_test_gen::btr::BranchTrace;

/// The most bytes of all seeds together.
const MAX_BYTES: usize = 60 * 1024;

/// Ends of the names of records that are no packets.
const NO_PACKETS: [&str; 4] = ["RESERVED", "BAD_SEQUENCE", "NOTSYNC", "INCOMPLETE_EOT"];

fn folder(target: &str) -> PathBuf {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("coverage/seeds");
    seeds.join(target)
}

/// The seeds of a target that are kept.
fn kept(target: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder(target)).expect("a folder of seeds");
    let seed = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name of text");
        (name, fs::read(entry.path()).expect("a seed"))
    };
    entries.map(seed).collect()
}

fn write(target: &str, seeds: &[Seed]) {
    let folder = folder(target);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("old seeds can go");
    }
    fs::create_dir_all(&folder).expect("a folder");
    for (name, bytes) in seeds {
        fs::write(folder.join(name), bytes).expect("written");
    }
}

#[test]
fn every_target_takes_its_seeds_and_they_are_those_that_are_made() {
    let mut sum = 0;
    for target in TARGETS {
        let made = (target.seeds)();
        if std::env::var_os("UPDATE").is_some() {
            write(target.name, &made);
        }
        let kept = kept(target.name);
        for bytes in kept.values() {
            (target.run)(bytes);
            sum += bytes.len();
        }
        assert!(
            kept == made.into_iter().collect(),
            "the seeds of {} are stale: run with UPDATE=1",
            target.name
        );
    }
    assert!(sum <= MAX_BYTES, "{sum} bytes");
}

#[test]
fn record_streams_have_packets_of_every_kind_and_are_read_to_their_ends() {
    let mut kinds = BTreeSet::new();
    for (name, bytes) in seeds::record_streams() {
        let mut reader = Reader::new();
        // Behind the size of the pieces.
        reader.bytes(&bytes[1..], |item| match item {
            Item::Record(record) => {
                kinds.insert(record.kind);
            }
            Item::Start(_) | Item::Lost(_) | Item::Place(_) => {}
            other => panic!("{name}: {other:?}"),
        });
        reader.finish(|item| panic!("{name}: {item:?}"));
    }
    let is_packet =
        |kind: &Kind| !kind.is_error() && !matches!(kind, Kind::NotSync | Kind::Incomplete);
    let all = Kind::ALL.iter().copied().filter(is_packet);
    assert_eq!(kinds, all.collect());
}

#[test]
fn software_trace_has_packets_of_every_kind() {
    let mut kinds: BTreeSet<&str> = BTreeSet::new();
    let itm = seeds::itm()
        .into_iter()
        .map(|(_, bytes)| bytes[1..].to_vec());
    let stm = seeds::stm().into_iter().map(|(_, bytes)| bytes);
    let itm = itm.map(|bytes| (Protocol::Itm(ItmConfig::default()), bytes));
    for (protocol, bytes) in stm.map(|bytes| (Protocol::Stm, bytes)).chain(itm) {
        let mut decoder = Decoder::new(protocol, Policy::Resync);
        // Behind the policy, the size of the pieces, and their number.
        decoder.feed(&bytes[3..], |record| {
            assert!(!record.is_error() && !record.is_unread(), "{record:?}");
            kinds.insert(record.name());
        });
    }
    let is_packet = |name: &&str| !NO_PACKETS.iter().any(|end| name.ends_with(end));
    let missing: Vec<&str> = Record::names()
        .filter(|name| is_packet(name) && !kinds.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn data_trace_has_packets_of_every_kind_whose_payload_is_known() {
    let grammar = Grammar::public().expect("a grammar");
    let mut kinds = BTreeSet::new();
    for (name, bytes) in seeds::data_trace() {
        if name == "public" {
            let instructions = usize::from(bytes[4]);
            let (mut parser, stream) = (Parser::new(), &bytes[5 + instructions..]);
            parser.feed(&grammar, stream, &mut |record| match record.kind {
                DataKind::Packet(index) => drop(kinds.insert(index)),
                other => panic!("{other:?} at {}", record.offset),
            });
        }
    }
    let packets = grammar.packets().iter().enumerate();
    let known = packets.filter(|(_, packet)| matches!(packet.payload, Payload::Fields(_)));
    assert_eq!(kinds, known.map(|(index, _)| index).collect());
}

#[test]
fn profiles_and_containers_are_read_to_their_ends() {
    for (name, bytes) in seeds::profile() {
        let mut reader = EntryReader::default();
        let read = reader.bytes(&bytes, |_| ());
        assert!(read.is_ok() && reader.is_complete(), "{name}: {read:?}");
    }
    for (name, bytes) in seeds::read_out() {
        let mut reader = FlowReader::new(Widths::new(5, 1).expect("widths"));
        reader.bytes(&bytes[1..]);
        let read = reader.finish();
        assert_eq!((read.whole, read.damage.is_any()), (2, false), "{name}");
    }
    for (name, bytes) in seeds::capture() {
        let text = String::from_utf8(bytes).expect("text");
        let description = Description::parse(&text);
        assert!(description.is_ok(), "{name}: {description:?}");
    }
    for (name, bytes) in seeds::case() {
        let text = String::from_utf8(bytes).expect("text");
        let case = Case::parse(&name, &text);
        assert!(case.is_ok(), "{name}: {case:?}");
    }
    for (name, bytes) in seeds::snapshot() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("snapshot.ini"), bytes).expect("a file");
        let snapshot = Snapshot::open(folder.path());
        let sources = |buffer: &SnapshotBuffer| buffer.sources.len();
        let sources = snapshot.map(|s| s.buffers.iter().map(sources).sum::<usize>());
        assert!(
            sources.as_ref().is_ok_and(|&n| n > 0),
            "{name}: {sources:?}"
        );
    }
    let programs = seeds::program();
    let has_build_id = |(_, bytes): &Seed| DumpedFile::of(&bytes[8..]).is_some();
    assert!(programs.iter().any(has_build_id));
    for (name, bytes) in seeds::btr() {
        let trace = BranchTrace::read(&bytes).expect(&name);
        assert!(trace.record_count() > 20, "{name}");
    }
    for (name, bytes) in seeds::perf() {
        let recording = PerfData::read(Cursor::new(bytes)).expect(&name);
        assert!(!recording.buffers.is_empty(), "{name}");
    }
}

#[test]
fn what_etm4_wrote_and_what_says_how_a_chip_is_built_is_read() {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    for (name, bytes) in written::seeds::functions() {
        let functions = Functions::of_json(&text(bytes)).expect(&name);
        assert_eq!(functions.instructions.len(), 2, "{name}");
    }
    for (name, bytes) in written::seeds::counters() {
        let mut parts: Vec<Counter> = serde_json::from_slice(&bytes).expect(&name);
        let [later, mut whole] = [parts.remove(1), parts.remove(0)];
        whole.append(later);
        let counts = whole.finish();
        let group = counts.groups.values().next().expect("a source");
        assert_eq!((group.ranges.len(), group.edges.len()), (3, 3), "{name}");
    }
    for (name, bytes) in written::seeds::flow_table() {
        let table = FlowTable::from_bytes(&bytes).expect(&name);
        assert!(table.used_sites() > 2, "{name}");
    }
    for (name, bytes) in written::seeds::core_capture() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("capture.toml"), bytes).expect("a file");
        let capture = CoreCapture::open(folder.path()).expect(&name);
        assert!(capture.is_some_and(|of| of.counters.between().count() > 0));
    }
    let chip = Preset::find("zynqmp").expect("a preset");
    let chip = chip.topology().expect("a topology");
    for (name, bytes) in chip::seeds::topology() {
        assert_eq!(Topology::parse(&text(bytes)).expect(&name), chip);
    }
    for (name, bytes) in chip::seeds::device_tree() {
        let topology = Topology::of_device_tree("chip", &bytes).expect(&name);
        assert_eq!((topology.components.len(), topology.links.len()), (2, 1));
    }
    for (name, bytes) in chip::seeds::journal() {
        let journal = Journal::read(&chip, &text(bytes)).expect(&name);
        let steps = undo_steps(&chip, &journal);
        assert!(journal.has_written() && !steps.is_empty(), "{name}");
    }
}
