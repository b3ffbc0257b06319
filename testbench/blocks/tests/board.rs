// SPDX-License-Identifier: MIT OR Apache-2.0
//! The probe of the board equals its simulation cycle by cycle in Verilator, and works in Icarus
//! Verilog from pins to characters with unrelated clocks. It passes every linter.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use coretrace_coresight::{FSYNC, TraceId};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Record;
use coretrace_hdl_verilog::verilog;
use coretrace_pipelines::alchitry_cu::CORTEX_M33;
use coretrace_pipelines::{AlchitryCu, TraceProbe};
use coretrace_streams::{Item, Reader, as_transmitted};
use coretrace_test_gen::{Framing, RegisterSet, StreamOptions, frame_streams, legal_stream, rng};
use coretrace_test_verilog::cosim::{Simulator, cosim};
use coretrace_test_verilog::lint::lint;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rust_hdl::prelude::*;

const BENCH: &str = include_str!("board.v");

/// Cycles of the probe's clock in a bit of the serial line.
const CYCLES_PER_BIT: u16 = 2;

/// The bytes of a source, and those of the port that carries them.
fn port(packets: usize) -> (Vec<u8>, Vec<u8>) {
    let set = RegisterSet::by_name("v8m").expect("a set");
    let mut rng = rng(7);
    let options = StreamOptions {
        packets,
        ..StreamOptions::default()
    };
    let bytes = legal_stream(&mut rng, &set.config(), &options).bytes;
    let id = TraceId::new(CORTEX_M33.trace_id).expect("an ID");
    let mut port = frame_streams(&mut rng, &[(id, &bytes)], &Framing::PORT);
    port.extend(FSYNC.to_le_bytes().repeat(3));
    (bytes, port)
}

/// The samples of a port's bytes.
fn samples(port: &[u8]) -> Vec<u8> {
    port.iter()
        .flat_map(|byte| [byte & 0xF, byte >> 4])
        .collect()
}

type SmallProbe = TraceProbe<4, 8>;

#[test]
fn the_probe_in_verilog_equals_its_simulation() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    // The line that sends `1`, and then one sample of the port in each cycle.
    let command = u32::from(b'1') << 1 | 1 << 9;
    let bits = (0..10).map(|bit| command >> bit & 1 == 1);
    let line: Vec<bool> = bits
        .flat_map(|bit| [bit; CYCLES_PER_BIT as usize])
        .collect();
    let samples = samples(&port(20).1);
    let cycles = 4 * samples.len();
    let outcome = cosim(
        "trace_probe",
        || SmallProbe::new(CORTEX_M33, CYCLES_PER_BIT),
        cycles,
        |probe, cycle| {
            probe.rx.next = line.get(cycle.wrapping_sub(20)).copied().unwrap_or(true);
            // It changes at the falling edge; there Verilator and the simulation sample the current
            // value.
            let sample = samples[cycle / 2 % samples.len()];
            probe.trace_data.next = u64::from(sample).into();
        },
        Some(|probe: &mut SmallProbe, clock: Clock| {
            probe.clock.next = clock;
            probe.trace_clock.next = clock;
        }),
        Simulator::Verilator,
    )
    .expect("the probe exports and runs");
    assert!(outcome.agrees(), "{:?}", outcome.mismatches.first());
}

/// The output of the bench for samples: the characters, and the LEDs from the last to the first.
fn board(samples: &[u8], edge: u32) -> (Vec<u8>, String) {
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("board-{edge}"));
    fs::create_dir_all(&work).expect("a directory");
    let board = AlchitryCu::with_source(CORTEX_M33, CYCLES_PER_BIT);
    let text = verilog(board, "alchitry_cu").expect("the board exports");
    let memory: String = samples
        .iter()
        .map(|sample| format!("{sample:x}\n"))
        .collect();
    for (file, text) in [
        ("top.v", &text[..]),
        ("bench.v", BENCH),
        ("samples.mem", &memory),
    ] {
        fs::write(work.join(file), text).expect("a file");
    }
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .current_dir(&work)
            .args(arguments)
            .output();
        let output = output.expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program}: {errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let count = format!("-Pboard_bench.SAMPLES={}", samples.len());
    let edge = format!("-Pboard_bench.EDGE={edge}");
    let files = ["-o", "bench.vvp", "bench.v", "top.v"];
    run(
        "iverilog",
        &[&["-g2005", "-s", "board_bench", &count, &edge], &files[..]].concat(),
    );
    let printed = run("vvp", &["-n", "bench.vvp"]);
    fs::remove_dir_all(&work).expect("the directory");
    assert!(printed.contains("DONE"), "{printed}");
    let (mut characters, mut leds) = (vec![], String::new());
    for line in printed.lines() {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["RX", character, stop] => {
                assert_eq!(stop, "1", "a stop bit");
                characters.push(u8::from_str_radix(character, 16).expect("a character"));
            }
            ["LEDS", levels] => leds = levels.to_owned(),
            _ => {}
        }
    }
    (characters, leds)
}

#[test]
fn the_boards_line_sends_the_models_records_at_unrelated_clocks() {
    if skip_or_fail(Tool::Icarus) {
        return;
    }
    let (bytes, port) = port(40);
    let set = RegisterSet::by_name("v8m").expect("a set");
    let mut records = vec![];
    Decoder::new(set.config(), Policy::Resync).feed(&bytes, |record| records.push(*record));
    let expected: Vec<Record> = as_transmitted(records);
    assert!(expected.len() > 30, "{} records", expected.len());
    // A port of 7 MHz, and one of 75 MHz, whose words wait in the memory.
    for edge in [70_013, 6_701] {
        let (characters, leds) = board(&samples(&port), edge);
        let mut found = vec![];
        let mut reader = Reader::new();
        reader.bytes(&characters, |item| match item {
            Item::Record(record) => found.push(*record),
            Item::Start(start) => assert_eq!(start.trace_id, CORTEX_M33.trace_id),
            other => panic!("{other:?}"),
        });
        reader.finish(|item| panic!("{item:?}"));
        assert_eq!(found, expected, "an edge in {edge} ps");
        // Error, lost, waiting, active, aligned, synced, running; the last is the port's clock.
        assert_eq!(&leds[..7], "0001111", "an edge in {edge} ps");
    }
}

#[test]
fn the_boards_probe_is_lint_clean() {
    let text = verilog(AlchitryCu::default(), "alchitry_cu").expect("the board exports");
    for tool in [Tool::Verilator, Tool::Icarus, Tool::Yosys] {
        if !skip_or_fail(tool) {
            let findings = lint(tool, &text, "alchitry_cu").expect("the linter runs");
            assert!(findings.is_empty(), "{findings:?}");
        }
    }
}
