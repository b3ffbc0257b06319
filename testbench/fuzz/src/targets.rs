// SPDX-License-Identifier: MIT OR Apache-2.0
//! Targets of a coverage-guided fuzzer. Each takes any bytes, and panics if a check fails.
//! `testbench/fuzz/coverage` runs them under libFuzzer.

pub mod chip;
mod data;
pub mod seeds;
mod software;
pub mod written;

pub use chip::{device_tree, journal, topology};
pub use data::{data_trace, grammar};
pub use software::{itm, stm};
pub use written::{core_capture, counters, flow_table, functions};

use std::fs;
use std::io::Cursor;
use std::path::{Component, Path};

use coretrace_abi::compressed::block::{Header, SIZES, TRAILER_WORDS};
use coretrace_abi::flow_table::Widths;
use coretrace_capture::ett;
use coretrace_capture::perf::PerfData;
use coretrace_capture::snapshot::{Snapshot, write_capture};
use coretrace_capture::{Capture, Description};
use coretrace_decode::tpiu::{Deframer, Format, RunEvent};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Record;
use coretrace_flow::{Element, Flow, Image, Images, Outcome, Range, Reported, StreamFlow};
use coretrace_isa::Isa;
use coretrace_profile::{EntryReader, Profile, StreamReader};
use coretrace_program::{DumpedFile, Program};
use coretrace_replay::{Block, Blocks, DataAddressReplay, Reader as BitReader};
use coretrace_sites::{
    Balance, Compiler, Executed, FlowReader, Module, ReadOuts, Section, SpaceMask,
};
use coretrace_streams::Reader;
use coretrace_streams::software::Reader as SoftwareReader;
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::{RegisterSet, rng};
use coretrace_test_opencsd::OpenCsd;

use crate::case::Stream;
use crate::opencsd::ModelAndOpenCsd;
use crate::{Case, Pair, Verdict, units};

/// A target.
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Takes an input.
    pub run: fn(&[u8]),
    /// Makes the inputs that a fuzzer starts with.
    pub seeds: fn() -> Vec<seeds::Seed>,
}

/// Every target.
pub const TARGETS: [Target; 25] = [
    target("decoder", decoder, seeds::decoder),
    target("generated", generated, seeds::generated),
    target("flow", flow, seeds::flow),
    target("program", program, seeds::program),
    target("frames", frames, seeds::frames),
    target("records", records, seeds::records),
    target("profile", profile, seeds::profile),
    target("read_out", read_out, seeds::read_out),
    target("compressed", compressed, seeds::compressed),
    target("capture", capture, seeds::capture),
    target("snapshot", snapshot, seeds::snapshot),
    target("perf", perf, seeds::perf),
    target("case", case, seeds::case),
    target("btr", btr, seeds::btr),
    target("stm", stm, seeds::stm),
    target("itm", itm, seeds::itm),
    target("data_trace", data_trace, seeds::data_trace),
    target("grammar", grammar, seeds::grammar),
    target("functions", functions, written::seeds::functions),
    target("counters", counters, written::seeds::counters),
    target("flow_table", flow_table, written::seeds::flow_table),
    target("core_capture", core_capture, written::seeds::core_capture),
    target("topology", topology, chip::seeds::topology),
    target("device_tree", device_tree, chip::seeds::device_tree),
    target("journal", journal, chip::seeds::journal),
];

const fn target(name: &'static str, run: fn(&[u8]), seeds: fn() -> Vec<seeds::Seed>) -> Target {
    Target { name, run, seeds }
}

const POLICIES: [Policy; 3] = [Policy::Resync, Policy::Lenient, Policy::OpenCsd];
const FORMATS: [Format; 4] = [
    Format::Frames,
    Format::TpiuFsync,
    Format::TpiuHsync,
    Format::Dstream,
];

/// The trace unit selected by a byte.
fn unit(number: u8) -> RegisterSet {
    units::any(&mut rng(number.into()))
}

/// The packet decoder: a unit, a policy, a size of chunks, then a stream. Every byte is in one
/// record, whatever the chunks.
pub fn decoder(data: &[u8]) {
    let &[number, policy, chunk, ref stream @ ..] = data else {
        return;
    };
    let config = unit(number).config();
    let policy = POLICIES[usize::from(policy) % POLICIES.len()];
    let decode = |chunk: usize| {
        let mut decoder = Decoder::new(config, policy);
        let mut records: Vec<Record> = Vec::new();
        for bytes in stream.chunks(chunk.max(1)) {
            decoder.feed(bytes, |record| records.push(*record));
        }
        decoder.finish(|record| records.push(*record));
        records
    };
    let records = decode(chunk.into());
    assert_eq!(records, decode(stream.len()));
    let mut end = 0;
    for record in &records {
        assert_eq!(record.offset, end, "{record:?}");
        end += record.len;
    }
    assert_eq!(end, stream.len() as u64);
}

/// A generated stream with edits, which reaches more of the grammar than random bytes: two bytes of
/// seed, then edits of a place (two bytes) and a value. The model is compared with OpenCSD, if
/// installed.
pub fn generated(data: &[u8]) {
    let Some((seed, edits)) = data.split_first_chunk() else {
        return;
    };
    let mut case = Case::from_seed(u16::from_le_bytes(*seed).into());
    case.stream = Stream::Given;
    for edit in edits.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([edit[0], edit[1]]));
        if let Some(byte) = case.bytes.get_mut(place) {
            *byte = edit[2];
        }
    }
    if let Some(library) = OpenCsd::open() {
        let pair = ModelAndOpenCsd::new(library);
        if let Verdict::Different(text) = pair.compare(&case).expect("OpenCSD reads on") {
            panic!("{text}");
        }
    }
}

/// Where the program of [`flow`] is.
const PROGRAM: u64 = 0x40_0000;

/// The program flow: a unit, a policy, a size of pieces, the number of words of the program, these,
/// then a stream. The elements from its bytes are those of its records, whatever the pieces.
pub fn flow(data: &[u8]) {
    let &[number, policy, piece, words, ref rest @ ..] = data else {
        return;
    };
    let (program, stream) = rest.split_at(rest.len().min(4 * usize::from(words)));
    let set = unit(number);
    let source = set.source();
    let policy = POLICIES[usize::from(policy) % POLICIES.len()];
    let images = Images::new(vec![Image::new(PROGRAM, program)]);

    let mut of_records: Vec<(u64, Element)> = Vec::new();
    let mut sink = |offset: u64, element: &Element| of_records.push((offset, *element));
    let mut flow = Flow::new(&source, images.clone(), policy == Policy::OpenCsd);
    let mut decoder = Decoder::new(set.config(), policy);
    decoder.feed(stream, |record| flow.record(record, &mut sink));
    decoder.finish(|record| flow.record(record, &mut sink));
    flow.finish(stream.len() as u64, &mut sink);

    let mut of_bytes: Vec<(u64, Element)> = Vec::new();
    let mut sink = |offset: u64, element: &Element| of_bytes.push((offset, *element));
    let mut flow = StreamFlow::new(&source, images, policy);
    for bytes in stream.chunks(usize::from(piece).max(1)) {
        flow.feed(bytes, &mut sink);
    }
    flow.finish(&mut sink);
    assert_eq!(of_bytes, of_records);
}

/// The reader of programs: where it is in memory, then a file. Every image is a part of the file, and
/// every address may have a name. The file may be a memory dump as well.
pub fn program(data: &[u8]) {
    let Some((&place, file)) = data.split_first_chunk() else {
        return;
    };
    let dumped = DumpedFile::of(file);
    assert!(dumped.is_none_or(|dumped| dumped.build_id.len() < file.len()));
    let mut program = Program::default();
    let name = Path::new("program");
    let added = program.add_bytes(name, file.to_vec(), Some(u64::from_le_bytes(place)));
    let Ok(symbols) = added.and_then(|()| program.symbols()) else {
        return;
    };
    for file in symbols.files() {
        for function in file.functions().into_iter().take(100) {
            let address = function.start;
            let _ = (
                file.frames(address),
                file.lines(address, address.wrapping_add(64)),
            );
        }
    }
    for image in program.images().take(100) {
        let (address, bytes) = (image.address, image.bytes());
        assert!(bytes.len() <= file.len());
        for offset in [0, 4, bytes.len() / 2, bytes.len()] {
            let _ = symbols
                .place(address.wrapping_add(offset as u64))
                .to_string();
        }
    }
}

/// The frames of a trace port or a buffer: a format, a size of chunks, then bytes. The runs are
/// the same whatever the chunks.
pub fn frames(data: &[u8]) {
    let &[format, chunk, ref port @ ..] = data else {
        return;
    };
    let format = FORMATS[usize::from(format) % FORMATS.len()];
    let deframe = |chunk: usize| {
        let mut deframer = Deframer::new(format);
        let mut runs = Vec::new();
        for bytes in port.chunks(chunk.max(1)) {
            deframer.feed(bytes, |event| {
                runs.push(match event {
                    RunEvent::Run(run) => (run.offset, Some((run.id, run.bytes.to_vec()))),
                    RunEvent::Discontinuity { offset } => (offset, None),
                });
            });
        }
        deframer.finish();
        (runs, deframer.statistics())
    };
    assert_eq!(deframe(chunk.into()), deframe(port.len()));
}

/// The readers of record streams and of software streams: a size of pieces, then a stream. The items are the same
/// whatever the pieces.
pub fn records(data: &[u8]) {
    let &[piece, ref stream @ ..] = data else {
        return;
    };
    let read = |piece: usize| {
        let (mut reader, mut software) = (Reader::new(), SoftwareReader::new());
        let (mut items, mut of_software) = (Vec::new(), Vec::new());
        for bytes in stream.chunks(piece.max(1)) {
            reader.bytes(bytes, |item| items.push(format!("{item:?}")));
            software.bytes(bytes, |item| of_software.push(format!("{item:?}")));
        }
        reader.finish(|item| items.push(format!("{item:?}")));
        software.finish(|item| of_software.push(format!("{item:?}")));
        (items, of_software)
    };
    assert_eq!(read(piece.into()), read(stream.len()));
}

/// The readers of profile streams, which add up what they read.
pub fn profile(data: &[u8]) {
    let _ = EntryReader::default().bytes(data, |_| ());
    let mut profile = Profile::default();
    let mut reader = StreamReader::new(&mut profile);
    let _ = reader.bytes(data).and_then(|()| reader.finish());
}

/// A table for the words of a program, and its module.
fn compiled(words: &[u32]) -> (Compiler, Module) {
    let module = Module {
        isa: Isa::A64,
        spaces: SpaceMask::ANY,
        sections: vec![Section {
            address: PROGRAM,
            bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        }],
    };
    let widths = Widths::new(5, 1).expect("widths");
    let mut compiler = Compiler::new(widths, Reported::default());
    compiler.add(&module).expect("room");
    (compiler, module)
}

/// The reader of flow streams: a size of pieces, then a stream. The sums are the same whatever the
/// pieces. What they say of a program has as many taken branches as they have.
pub fn read_out(data: &[u8]) {
    let &[piece, ref stream @ ..] = data else {
        return;
    };
    let (compiler, module) = compiled(&seeds::PROGRAM);
    let read = |piece: usize| -> ReadOuts {
        let mut reader = FlowReader::new(compiler.table().widths());
        for bytes in stream.chunks(piece.max(1)) {
            reader.bytes(bytes);
        }
        reader.finish()
    };
    let got = read(piece.into());
    assert_eq!(got, read(stream.len()));
    let balance = Balance::new(compiler.table(), &got.counts);
    let executed = Executed::new(
        &compiler,
        &[module],
        &got.counts,
        &balance,
        &got.found,
        got.windowed,
        |_, _| None,
    );
    let sites = compiler.sites().iter();
    let taken: u64 = sites.map(|it| got.counts.taken[it.number as usize]).sum();
    let is_taken = |(range, _): &&(Range, u64)| range.outcome == Outcome::E;
    let ranges = executed.ranges.iter().filter(is_taken);
    assert_eq!(ranges.map(|(_, count)| count).sum::<u64>(), taken);
}

/// Events that are read of a block, at most.
const MOST_EVENTS: usize = 10_000;

/// The reader of compressed traces: an encoder, bits of records, then bits, as a block. Whatever they
/// are, the block is found, and its events or elements come or an error does. The same bits are taken for
/// addresses of loads and stores.
pub fn compressed(data: &[u8]) {
    Blocks::new(data).for_each(drop);
    let &[kind, preset, low, high, ref bits @ ..] = data else {
        return;
    };
    let [size, ..] = SIZES;
    let header = Header {
        encoder: (kind & 0xF, preset),
        address: PROGRAM,
        ..Header::default()
    };
    let words = header.words();
    let mut block: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    block.extend(bits);
    block.resize(size - 4 * TRAILER_WORDS, 0);
    block.extend(u32::from(u16::from_le_bytes([low, high])).to_le_bytes());
    block.extend(crc32fast::hash(&block).to_le_bytes());
    let found: Vec<Block<'_>> = Blocks::new(&block).collect();
    assert_eq!(found.len(), 1);
    let code = seeds::branches();
    if let Ok(items) = found[0].items(&code) {
        items.take(MOST_EVENTS).for_each(drop);
    }
    if let Ok(elements) = found[0].elements() {
        elements.take(MOST_EVENTS).for_each(drop);
    }
    let (hits, misses) = bits.split_at(bits.len() / 2);
    let reader = |bytes| BitReader::new(bytes, 8 * bytes.len() as u64).expect("bits");
    let mut accesses = DataAddressReplay::new(kind & 1 == 1, reader(hits), reader(misses));
    let pcs = (0..MOST_EVENTS as u64).map(|number| 4 * number);
    pcs.map_while(|pc| accesses.access(pc).ok()).for_each(drop);
}

/// The description of a capture.
pub fn capture(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(description) = Description::parse(text) {
        // Refusing it is right as well; panicking is not.
        let _ = Capture::new(
            description.name,
            description.format,
            vec![0; 16],
            &description.sources,
        );
    }
}

/// A case. Its bytes are a capture, and its own expectation is met.
pub fn case(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(case) = ett::Case::parse("case", text) else {
        return;
    };
    assert_eq!(Capture::of_case(&case).is_err(), case.bytes.is_empty());
    let expected = case.expected.iter().flatten();
    let met = case.check(expected.map(String::as_str));
    met.expect("what is expected is equal to itself");
}

/// A snapshot of one file, which can name itself in every place. No path leaves the folder, and what
/// was read can be written as captures or is refused.
pub fn snapshot(data: &[u8]) {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("snapshot");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("snapshot.ini"), data).expect("a file");
    let Ok(snapshot) = Snapshot::open(&folder) else {
        return;
    };
    let files = snapshot.buffers.iter().flat_map(|buffer| &buffer.files);
    for file in files.chain(snapshot.dumps.iter().map(|dump| &dump.file)) {
        let mut parts = file.strip_prefix(&folder).expect("inside").components();
        assert!(parts.all(|part| matches!(part, Component::Normal(_))));
    }
    if let Ok(captures) = write_capture(&snapshot, &place.path().join("captures")) {
        for capture in captures {
            let _ = Capture::open(&capture);
        }
    }
}

/// The reader of perf.data: every piece of trace that it finds is in the file, and every address space
/// is made of mappings.
pub fn perf(data: &[u8]) {
    let Ok(recording) = PerfData::read(Cursor::new(data)) else {
        return;
    };
    for piece in recording.buffers.iter().flat_map(|buffer| &buffer.pieces) {
        let end = piece.offset.checked_add(piece.len);
        assert!(piece.len > 0 && end.is_some_and(|end| end <= data.len() as u64));
    }
    let spaces = recording.processes.address_spaces();
    for &index in spaces.iter().flatten() {
        assert!((index as usize) < recording.mappings.len());
    }
    for (_, thread) in recording.processes.threads() {
        let process = recording.processes.process(thread.pid);
        let space = process.and_then(|process| process.address_space);
        assert!(space.is_none_or(|space| space < spaces.len()));
    }
}

/// The reader of branch traces. What it takes has all its records, and is read again as it is written.
pub fn btr(data: &[u8]) {
    let Ok(trace) = BranchTrace::read(data) else {
        return;
    };
    assert_eq!(trace.records().count() as u64, trace.record_count());
    let sum: u64 = trace.records().map(|record| record.instructions).sum();
    assert_eq!(sum, trace.instructions);
    assert_eq!(BranchTrace::read(&trace.write()), Ok(trace.clone()));
    let prefix = trace.prefix(trace.instructions / 2);
    assert_eq!(BranchTrace::read(&prefix.write()), Ok(prefix));
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_test_gen::Rng;
    use rand::RngExt;
    use rand::seq::IndexedRandom;

    /// Inputs of each target.
    const SEEDS: u64 = 500;

    /// A seed, a stream or noise, each with some bytes replaced.
    fn input(rng: &mut Rng, seeds: &[seeds::Seed], seed: u64) -> Vec<u8> {
        let mut bytes = match seed % 3 {
            0 => seeds.choose(rng).expect("there are seeds").1.clone(),
            1 => [&[1, 2, 3][..], &Case::from_seed(seed).bytes].concat(),
            _ => (0..rng.random_range(0..400))
                .map(|_| rng.random())
                .collect(),
        };
        for _ in 0..rng.random_range(0..4) {
            if !bytes.is_empty() {
                let place = rng.random_range(0..bytes.len());
                bytes[place] = rng.random();
            }
        }
        bytes
    }

    #[test]
    fn every_target_takes_any_bytes() {
        for target in TARGETS {
            let seeds = (target.seeds)();
            for seed in 0..SEEDS {
                let bytes = input(&mut rng(seed), &seeds, seed);
                println!("{}, seed {seed}", target.name);
                (target.run)(&bytes);
            }
        }
    }

    /// A text with some lines removed, doubled, moved, or with another value.
    fn with_other_lines(rng: &mut Rng, text: &str) -> String {
        const VALUES: [&str; 9] = [
            "",
            "0",
            "-1",
            "0x",
            "1e9",
            "../x",
            "/",
            ",;",
            "99999999999999999999",
        ];
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..rng.random_range(1..8) {
            let from = rng.random_range(0..lines.len());
            let to = rng.random_range(0..lines.len());
            match rng.random_range(0..4) {
                0 if lines.len() > 1 => drop(lines.remove(from)),
                1 => lines.insert(to, lines[from].clone()),
                2 => lines.swap(from, to),
                _ => {
                    let key = lines[from].split(['=', ' ']).next().unwrap_or_default();
                    let value = VALUES.choose(rng).expect("a value");
                    lines[from] = format!("{key}={value}");
                }
            }
        }
        lines.join("\n")
    }

    /// Targets of texts with a line for each thing that they say.
    const TEXTS: [&str; 8] = [
        "capture",
        "snapshot",
        "case",
        "core_capture",
        "topology",
        "journal",
        "functions",
        "counters",
    ];

    #[test]
    fn texts_with_other_lines_are_read_or_refused() {
        let is_text = |target: &&Target| TEXTS.contains(&target.name);
        let all: Vec<Target> = TARGETS.into();
        for target in all.iter().filter(is_text) {
            let seeds = (target.seeds)();
            for seed in 0..200 {
                let mut rng = rng(seed);
                let (_, text) = seeds.choose(&mut rng).expect("there are seeds");
                let text = str::from_utf8(text).expect("a text");
                println!("{}, seed {seed}", target.name);
                (target.run)(with_other_lines(&mut rng, text).as_bytes());
            }
        }
    }

    #[test]
    fn every_target_is_given_to_the_fuzzer() {
        let coverage = Path::new(env!("CARGO_MANIFEST_DIR")).join("coverage");
        let manifest = fs::read_to_string(coverage.join("Cargo.toml")).expect("a manifest");
        for Target { name, .. } in TARGETS {
            let program = format!("fuzz_targets/{name}.rs");
            let text = fs::read_to_string(coverage.join(&program)).expect("a program");
            assert!(text.contains(&format!("targets::{name}(data)")), "{name}");
            assert!(manifest.contains(&program), "{name}");
        }
    }
}
