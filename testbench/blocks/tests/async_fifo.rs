// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported `AsyncFifo` between two clocks: it passes words unchanged at unrelated periods, in
//! Icarus Verilog, and its Gray codes change by one bit, by Yosys' SAT solver.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use coretrace_hdl_parts::stream::AsyncFifo;
use coretrace_hdl_verilog::verilog;
use coretrace_test_verilog::lint::lint;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

/// Name of the exported module.
const TOP: &str = "async_fifo";
const BENCH: &str = include_str!("async_fifo.v");
const GRAY_STEP: &str = include_str!("../proofs/gray_step.v");

fn exported() -> String {
    verilog(AsyncFifo::<32>::default(), TOP).expect("no finding")
}

/// The text with a string replaced, which must be present.
fn with(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "no {old} in\n{text}");
    text.replace(old, new)
}

/// A directory of files, removed at the end.
struct Work(PathBuf);

impl Work {
    fn new(files: [(&str, &str); 2]) -> Work {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{TOP}-{}-{count}", std::process::id());
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&dir).expect("a directory");
        for (file, text) in files {
            fs::write(dir.join(file), text).expect("a file");
        }
        Work(dir)
    }

    /// The output of a program that must succeed.
    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(program);
        let output = command.current_dir(&self.0).args(arguments).output();
        let output = output.expect("the program starts");
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program}: {log}{errors}");
        log
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // A directory left over does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The bench's result for a stream.
#[derive(Debug)]
struct Stream {
    taken: u64,
    gaps: u64,
    overflows: u64,
    errors: u64,
}

/// The two streams of the bench, before and after a reset, at clocks with periods in ps.
fn streams(text: &str, write_period: u32, read_period: u32) -> Vec<Stream> {
    let work = Work::new([("bench.v", BENCH), ("top.v", text)]);
    let write = format!("-Pasync_fifo_bench.WRITE_PERIOD={write_period}");
    let read = format!("-Pasync_fifo_bench.READ_PERIOD={read_period}");
    let files = ["-o", "bench.vvp", "bench.v", "top.v"];
    let options = ["-g2005", "-s", "async_fifo_bench", &write, &read];
    work.run(Tool::Icarus.program(), &[&options[..], &files].concat());
    let log = work.run("vvp", &["-n", "bench.vvp"]);
    let lines = log.lines().filter_map(|line| line.strip_prefix("STREAM "));
    let streams = lines.map(|line| {
        let numbers: Vec<u64> = line.split(' ').filter_map(|n| n.parse().ok()).collect();
        let [taken, gaps, overflows, errors] = numbers[..] else {
            panic!("no four numbers: {line}");
        };
        Stream {
            taken,
            gaps,
            overflows,
            errors,
        }
    });
    streams.collect()
}

/// Periods of the writer and the reader: the same, nearly the same, and far apart.
const PERIODS: [(u32, u32); 6] = [
    (10_000, 10_000),
    (10_002, 10_000),
    (9_334, 7_770),
    (10_000, 2_468),
    (7_770, 9_334),
    (2_468, 10_000),
];

#[test]
fn words_in_are_words_out_and_counted_drops_at_unrelated_periods() {
    if skip_or_fail(Tool::Icarus) {
        return;
    }
    let text = exported();
    for (write, read) in PERIODS {
        let streams = streams(&text, write, read);
        println!("periods {write} and {read} ps: {streams:?}");
        assert_eq!(streams.len(), 2, "the bench ends");
        for stream in streams {
            assert_eq!(stream.errors, 0, "periods {write} and {read}");
            assert_eq!(stream.gaps, stream.overflows, "periods {write} and {read}");
            // There are words in seven of eight cycles.
            let is_too_slow = u64::from(read) * 7 > u64::from(write) * 8;
            assert_eq!(stream.overflows > 0, is_too_slow, "{write} and {read}");
            assert!(stream.taken > 500, "{stream:?}");
        }
    }
}

#[test]
fn a_wrong_fifo_is_noticed() {
    if skip_or_fail(Tool::Icarus) {
        return;
    }
    let text = exported();
    let wrong = [
        // A full memory is overwritten.
        with(
            &text,
            "stores = write_valid & has_room",
            "stores = write_valid",
        ),
        // A loss is not reported with the next word.
        with(
            &text,
            "flags__write_data = lost__q",
            "flags__write_data = 1'b0",
        ),
        // The write side ignores the reset.
        with(&text, "write_reset__d = asks__q", "write_reset__d = 1'b0"),
    ];
    for text in wrong {
        let streams = streams(&text, 2_468, 10_000);
        let is_good = |stream: &Stream| stream.errors == 0 && stream.gaps == stream.overflows;
        assert!(
            streams.len() < 2 || !streams.iter().all(is_good),
            "{streams:?}"
        );
    }
}

/// Whether Yosys proves `proofs/gray_step.v` of a counter of the FIFO.
fn steps_by_one_bit(text: &str, counter: &str, width: u32) -> bool {
    let work = Work::new([("gray_step.v", GRAY_STEP), ("top.v", text)]);
    let script = format!(
        "read_verilog -noautowire top.v; \
         read_verilog -noautowire -DCOUNTER={TOP}__{counter} -DW={width} gray_step.v; \
         hierarchy -check -top gray_step; proc; flatten; check -assert; opt_clean; \
         sat -tempinduct -prove holds 1 gray_step"
    );
    let log = work.run(Tool::Yosys.program(), &["-p", &script]);
    let proven = log.contains("Induction step proven: SUCCESS!");
    let refuted = log.contains("SAT temporal induction proof finished - model found for base case");
    assert!(proven != refuted, "no verdict on {counter}:\n{log}");
    proven
}

#[test]
fn gray_codes_change_by_one_bit_at_most() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let text = exported();
    // Equal modules are printed once: the pointer of the reader is that of the writer.
    assert!(!text.contains("module async_fifo__read_pointer "));
    assert!(steps_by_one_bit(&text, "write_pointer", 4));
    assert!(steps_by_one_bit(&text, "drops", 16));
    // A count is no code: many of its bits change at a time.
    let binary = with(&text, "sum_code = sum ^ (sum >> 1)", "sum_code = sum");
    assert!(!steps_by_one_bit(&binary, "write_pointer", 4));
}

#[test]
fn the_fifo_is_lint_clean() {
    let text = exported();
    for tool in [Tool::Verilator, Tool::Icarus, Tool::Yosys] {
        if !skip_or_fail(tool) {
            let findings = lint(tool, &text, TOP).expect("the linter runs");
            assert_eq!(findings, [""; 0], "{}", tool.program());
        }
    }
}
