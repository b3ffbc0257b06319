// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported core between third-party bus models: `testbench/cocotb/bench.py` under Icarus
//! Verilog, with a trace port at 250 MHz and a core at 250 to 400 MHz. This file makes the words
//! and checks the results, so the bench need not know the record format.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use coretrace_abi::record_filter::{Filter, FilterKind};
use coretrace_abi::registers::csr::Control;
use coretrace_abi::registers::{control, filter_writes, placed, source_writes};
use coretrace_capture::Capture;
use coretrace_capture::source_streams;
use coretrace_coresight::TraceId;
use coretrace_etm::SourceConfig;
use coretrace_etm::{Kind, Record};
use coretrace_pipelines::package::core::{ETM4_CORE, WRAPPER};
use coretrace_pipelines::package::write_package;
use coretrace_profile::{EntryReader, entry_of};
use coretrace_streams::{Item, Reader, Start, as_transmitted};
use coretrace_test_simulate::port_words;
use coretrace_test_support::python::{Missing, environment, or_skip, output, testbench};
use coretrace_test_support::{DecoderSetup, port_model};
use serde_json::{Value, json};

/// Picoseconds of the core's clock: 300, 250 and 400 MHz, rounded to even numbers. The trace port
/// has 250 MHz.
const PERIODS: [u32; 3] = [3334, 4000, 2500];
/// No filter, and a filter that drops atoms.
const NONE: Filter = Filter {
    drop: 0,
    range: None,
};
const NO_ATOMS: Filter = Filter {
    drop: 1 << FilterKind::Atoms as u16,
    range: None,
};
/// Words of the runs with a consumer that is fast enough.
const WORDS: usize = 1000;
/// Words sent while the stream is stalled: more than the core can buffer.
const STALLED: usize = 10500;
/// Words after those: they have A-Syncs, each followed by a Trace Info.
const BEHIND: usize = 6500;

/// A Python environment with the packages of the bench.
fn tools() -> Result<PathBuf, Missing> {
    output(Command::new("iverilog").arg("-V"))?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cocotb-tools");
    let pins = testbench("cocotb").join("requirements.txt");
    environment(&folder, &pins).map(|()| folder)
}

/// Runs a plan: the results of the bench, one for each run.
fn simulate(tools: &Path, plan: &Value) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cocotb-run");
    let _ = fs::remove_dir_all(&folder);
    write_package(ETM4_CORE.files().expect("the core exports"), &folder).expect("a folder");
    fs::write(folder.join("plan.json"), plan.to_string()).expect("a file");
    fs::write(folder.join("precision.f"), "+timescale+1ns/1ps\n").expect("a file");
    let mut compile = Command::new("iverilog");
    compile.args(["-g2005", "-o", "core.vvp", "-s", WRAPPER]);
    compile.args(["-c", "precision.f", "-c", "files.f"]);
    let compiled = output(compile.current_dir(&folder));
    compiled.unwrap_or_else(|Missing(why)| panic!("{why}"));
    let config = |flags: &[&str]| {
        let said = output(Command::new(tools.join("bin/cocotb-config")).args(flags));
        said.unwrap_or_else(|Missing(why)| panic!("{why}"))
    };
    let mut simulation = Command::new("vvp");
    simulation
        .args(["-n", "-M", &config(&["--lib-dir"])])
        .args(["-m", &config(&["--lib-name", "vpi", "icarus"]), "core.vvp"])
        .env("LIBPYTHON_LOC", config(&["--libpython"]))
        .env("VIRTUAL_ENV", tools)
        .env("PYTHONPATH", testbench("cocotb"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("MODULE", "bench")
        .env("TOPLEVEL", WRAPPER)
        .env("TOPLEVEL_LANG", "verilog")
        .env("COCOTB_ANSI_OUTPUT", "0")
        .current_dir(&folder);
    let log = simulation
        .stdin(Stdio::null())
        .output()
        .expect("vvp starts");
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    let results = fs::read_to_string(folder.join("results.json"));
    let results = results.unwrap_or_else(|_| panic!("the bench fails:\n{log}"));
    assert!(log.contains("PASS=1 FAIL=0"), "{log}");
    serde_json::from_str(&results).expect("JSON")
}

/// The byte offset of a register.
fn offset(name: &str) -> u32 {
    let mut all = placed().filter(|(_, register)| register.name == name);
    all.next().expect("a register of this name").0
}

/// The framed capture of the repository, and its first source.
fn capture() -> (Vec<u32>, u8, SourceConfig) {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/framed");
    let capture = Capture::open(&traces).expect("the capture");
    let stream = &source_streams(&capture)[0];
    let config = SourceConfig {
        protocol: stream.protocol,
        profile: stream.source.profile,
        registers: stream.source.registers,
        lenient: false,
    };
    (port_words(&capture), stream.id, config)
}

/// The model's records of a source, as the record stream transmits them under a filter.
fn model(words: &[u32], trace_id: u8, config: &SourceConfig, filter: &Filter) -> Vec<Record> {
    let setup = DecoderSetup::of(config);
    let port: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let id = TraceId::new(trace_id).expect("a trace ID");
    let records = port_model(&[(id, setup)], &port).swap_remove(0);
    let passing = records
        .into_iter()
        .filter(|record| filter.passes_record(record));
    as_transmitted(passing)
}

/// The words of the packets of a stream.
fn words_of(packets: &Value) -> Vec<u32> {
    let mut words = Vec::new();
    for packet in packets.as_array().expect("packets") {
        let hex = packet.as_str().expect("hexadecimal digits");
        assert!(hex.len() % 32 == 0 && hex.len() <= 2 * 4096, "{hex}");
        words.extend(hex.as_bytes().chunks(8).map(|word| {
            let digits = std::str::from_utf8(word).expect("ASCII");
            let word = u32::from_str_radix(digits, 16).expect("a word");
            word.swap_bytes()
        }));
    }
    words
}

/// The contents of the record stream of a run.
#[derive(Default)]
struct StreamContents {
    starts: Vec<Start>,
    losses: Vec<u32>,
    records: Vec<Record>,
    /// The sums of its items.
    profile: coretrace_profile::Profile,
}

fn read(run: &Value) -> StreamContents {
    let mut reader = Reader::new();
    let mut contents = StreamContents::default();
    let words = words_of(&run["records"]);
    reader.words(&words, |item| {
        match item {
            Item::Start(start) => contents.starts.push(*start),
            Item::Lost(total) => contents.losses.push(total),
            Item::Record(record) => contents.records.push(*record),
            other => panic!("{other:?}"),
        }
        // A START comes first.
        if let Some(entry) = entry_of(contents.starts[0].trace_id, &item) {
            contents.profile.add(&entry);
        }
    });
    reader.finish(|item| panic!("{item:?}"));
    contents
}

/// The sums of the profile stream of a run.
fn sums(run: &Value) -> coretrace_profile::Profile {
    let mut reader = EntryReader::default();
    let mut sums = coretrace_profile::Profile::default();
    for word in words_of(&run["profile"]) {
        if let Some(entry) = reader.word(word).expect("a profile stream") {
            sums.add(&entry);
        }
    }
    assert!(reader.is_complete());
    sums
}

/// The value of the register at a place of the bench's read list.
fn value(run: &Value, place: usize) -> u64 {
    assert_eq!(run["reads"][place]["okay"], true, "read {place}");
    run["reads"][place]["value"].as_u64().expect("a number")
}

fn assert_equal(got: &[Record], want: &[Record]) {
    for (index, (got, want)) in got.iter().zip(want).enumerate() {
        assert_eq!(got, want, "record {index}");
    }
    assert_eq!(got.len(), want.len());
}

/// The records since the last Trace Info, which ends any uncertainty after a loss.
fn since_last_trace_info(records: &[Record]) -> &[Record] {
    let is_trace_info = |record: &Record| record.kind == Kind::TraceInfo;
    let last = records.iter().rposition(is_trace_info);
    &records[last.expect("a Trace Info")..]
}

#[test]
#[ignore = "nightly: cocotb from PyPI"]
fn the_exported_core_sends_the_models_records_to_cocotbext_axi() {
    let Some(tools) = or_skip(tools()) else {
        return;
    };
    let (words, trace_id, config) = capture();
    // There are no registers beyond the core's, whatever the low bits are.
    let nowhere = 0x200 + offset("ID");
    let reads = ["ID", "TRCCONFIGR", "LOST_WORDS", "PACKETS", "BYTES"].map(offset);
    let reads: Vec<u32> = reads.into_iter().chain([nowhere]).collect();
    let after = control(&config).with_flush(true).with_snapshot(true);
    let run = |period: u32, words: &[u32], filter: &Filter, stalled: usize| {
        let source = source_writes(trace_id, &config, stalled > 0);
        json!({
            "core_period": period,
            "writes": filter_writes(filter).into_iter().chain(source).collect::<Vec<_>>(),
            "words": words,
            "gaps": 0.0,
            "stalled_words": stalled,
            "pauses": 0.3,
            "idle_cycles": 1200,
            "writes_after": [[Control::OFFSET, after.0]],
            "reads": reads,
        })
    };
    let (calm, flood) = (&words[..WORDS], &words[..STALLED + BEHIND]);
    let calm_runs = PERIODS.into_iter().zip([NONE, NONE, NO_ATOMS]);
    let mut runs: Vec<Value> = calm_runs
        .clone()
        .map(|(period, filter)| run(period, calm, &filter, 0))
        .collect();
    runs.push(run(PERIODS[0], flood, &NONE, STALLED));
    let seed = 1;
    println!("seed {seed}");
    let results = simulate(&tools, &json!({ "seed": seed, "runs": runs }));
    assert_eq!(results.len(), runs.len());
    for run in &results {
        assert_eq!(value(run, 0), 0x4554_4d34);
        assert_eq!(value(run, 1), u64::from(config.registers.trcconfigr));
        assert_eq!(
            run["reads"][5]["okay"], false,
            "{nowhere:#x} is not a register"
        );
    }

    let all = model(calm, trace_id, &config, &NONE);
    let profile = read(&results[0]).profile;
    for ((period, filter), result) in calm_runs.zip(&results) {
        println!("a core with {period} ps, {filter:?}");
        let got = read(result);
        assert_eq!(got.starts.len(), 1);
        assert_eq!(got.starts[0].trace_id, trace_id);
        assert_eq!(got.starts[0].registers, config.registers);
        assert_eq!(got.losses, [0_u32; 0]);
        assert_equal(&got.records, &model(calm, trace_id, &config, &filter));
        assert_eq!(value(result, 2), 0);
        assert_eq!(value(result, 3), all.len() as u64);
        assert_eq!(sums(result), profile);
    }

    let result = results.last().expect("a run");
    let got = read(result);
    let want = model(flood, trace_id, &config, &NONE);
    assert_eq!(got.starts.len(), 1);
    let lost = value(result, 2);
    assert!(lost > 0, "nothing was lost");
    assert_eq!(got.losses.last().map(|&words| u64::from(words)), Some(lost));
    assert!(got.records.len() < want.len());
    assert_eq!(value(result, 3), got.records.len() as u64);
    assert!(value(result, 4) > 0);
    assert_eq!(sums(result), got.profile);
    assert_equal(
        since_last_trace_info(&got.records),
        since_last_trace_info(&want),
    );
}
