// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong use and bad input: one line that says what to do, and exit code 2.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{etm4, refused, refused_in_one_line, shared};
use tempfile::TempDir;

const FRAMED: &str = "testbench/traces/framed";
const RAW: &str = "testbench/traces/sort-a64";
const PROGRAM: &str = "testbench/traces/sort-a64/sort.elf";

/// A copy of the framed capture with its description changed.
fn changed(from: &str, to: &str) -> (TempDir, String) {
    let folder = TempDir::new().expect("a folder");
    let original = common::root().join(FRAMED);
    let text = fs::read_to_string(original.join("capture.toml")).expect("a description");
    assert!(text.contains(from), "no {from:?} in the description");
    fs::write(folder.path().join("capture.toml"), text.replace(from, to)).expect("written");
    fs::copy(original.join("trace.bin"), folder.path().join("trace.bin")).expect("copied");
    let path = folder.path().to_str().expect("text").to_owned();
    (folder, path)
}

fn file(bytes: &[u8]) -> (TempDir, String) {
    let folder = TempDir::new().expect("a folder");
    let path: PathBuf = folder.path().join("trace.bin");
    fs::write(&path, bytes).expect("written");
    let path = path.to_str().expect("text").to_owned();
    (folder, path)
}

#[test]
fn a_capture_that_is_not_there() {
    refused_in_one_line(
        &["packets", "no/such/thing"],
        &["no/such/thing", "is the name right"],
    );
    refused_in_one_line(&["demux", "no/such/thing"], &["no/such/thing"]);
    let args = ["packets", "no-such-file", "--reg", "TRCIDR0=1"];
    refused_in_one_line(&args, &["no-such-file", "is the name right"]);
    let (_folder, path) = changed("file = \"trace.bin\"", "file = \"other.bin\"");
    refused_in_one_line(&["packets", &path], &["other.bin", "is the name right"]);
}

#[test]
fn a_description_that_is_not_well_formed() {
    let (_folder, path) = changed("format = ", "format ");
    refused_in_one_line(&["packets", &path], &["capture.toml", "line 3"]);
    let (_folder, path) = changed("tpiu-hsync", "tpiu-gsync");
    refused_in_one_line(&["packets", &path], &["line 3", "tpiu-gsync", "tpiu-fsync"]);
    let (_folder, path) = changed("core = ", "kernel = ");
    refused_in_one_line(&["demux", &path], &["kernel", "unknown field"]);
}

#[test]
fn a_trace_that_is_empty_or_cut_or_another() {
    let (_folder, path) = file(&[]);
    let args = ["demux", &path, "--raw-format", "frames"];
    refused_in_one_line(&args, &["empty"]);
    let (_folder, path) = file(&[0x21; 37]);
    let args = ["demux", &path, "--raw-format", "frames"];
    refused_in_one_line(
        &args,
        &["offset 32", "5 of 16 bytes", "cut the trace to 32"],
    );
    let (_folder, path) = changed("bytes = ", "bytes = 1");
    refused_in_one_line(&["packets", &path], &["correct `bytes`"]);
}

#[test]
fn a_trace_id_that_no_source_has() {
    let args = ["packets", FRAMED, "--id", "33"];
    refused_in_one_line(&args, &["33", "10 (ETM4)", "21 (ETM4)"]);
    refused(&["packets", FRAMED, "--id", "7f"], &["--id", "01 to 6f"]);
    let (_folder, path) = changed("protocol = \"ETM4\"", "protocol = \"ETM3\"");
    refused_in_one_line(&["packets", &path], &["ETM3", "etm4 demux"]);
    refused_in_one_line(
        &["packets", &path, "--id", "10"],
        &["speaks ETM3", "ETM4, ETE, STM and ITM"],
    );
}

#[test]
fn registers_that_are_missing_or_contradict_each_other() {
    let (_folder, path) = changed("TRCCONFIGR = 0x8d9", "TRCCONFIGR = 0x100");
    refused_in_one_line(
        &["packets", &path],
        &["ETM_21", "TRCCONFIGR.COND", "TRCIDR0.TRCCOND"],
    );
    let (_folder, path) = changed("TRCIDR2 = 0x488\n", "");
    refused_in_one_line(&["packets", &path], &["ETM_10", "needs register TRCIDR2"]);
    let (_folder, path) = changed("TRCTRACEIDR = 0x10", "TRCTRACEIDR = 0x12");
    refused_in_one_line(&["packets", &path], &["0x10", "TRCTRACEIDR", "0x12"]);
}

#[test]
fn a_bare_file_without_its_facts() {
    let (_folder, path) = file(&[0; 32]);
    refused_in_one_line(&["packets", &path], &["bare trace", "--reg"]);
    refused_in_one_line(&["demux", &path], &["--raw-format"]);
    refused_in_one_line(
        &["packets", &path, "--reg", "TRCIDR0=0"],
        &["needs register TRCCONFIGR"],
    );
    let framed = [
        "packets",
        &path,
        "--raw-format",
        "frames",
        "--reg",
        "TRCIDR0=0",
    ];
    refused_in_one_line(&framed, &["frames", "--id"]);
    refused(
        &["packets", &path, "--reg", "TRCIDRO=0"],
        &["TRCIDRO", "TRCDEVARCH"],
    );
    refused(
        &["packets", &path, "--raw-format", "tpiu"],
        &["tpiu", "tpiu-hsync", "raw"],
    );
    refused_in_one_line(
        &["packets", RAW, "--core", "Cortex-M33"],
        &["is a folder", "--core"],
    );
}

#[test]
fn frames_of_a_capture_without_frames() {
    refused_in_one_line(&["demux", RAW], &["raw capture", "etm4 packets"]);
}

/// Commands that read a trace, with what they need besides.
const OF_TRACE: [&[&str]; 11] = [
    &["packets"],
    &["elements"],
    &["flow"],
    &["report", "--out", "-"],
    &["profile"],
    &["info"],
    &["demux"],
    &["messages"],
    &["transfers"],
    &["flow-counts", "--elf", PROGRAM, "--out", "-"],
    &["diff", RAW],
];

/// Those that read bytes without any description.
const OF_BYTES: [&[&str]; 3] = [
    &["guess"],
    &["replay", "--elf", PROGRAM],
    &["decompress", "--out", "-"],
];

#[test]
fn a_file_that_is_no_trace_is_named_for_what_it_is() {
    let compressed = [
        (&b"\x1f\x8b\x08\0\0\0\0\0"[..], "gzip -dc"),
        (b"\xfd7zXZ\0\0\x04", "xz -dc"),
    ];
    let texts: [(&[u8], &str); 3] = [
        (b"# A text\n", "is text and no trace"),
        (b"{\"schema\":\"etm4.counts.1\"}\n", "`etm4 diff`"),
        (b"1\n1000-1004:1\n0\n", "inject"),
    ];
    let files = [&compressed[..], &texts].concat();
    for (bytes, words) in files {
        let (_folder, path) = file(bytes);
        for &command in OF_TRACE.iter().chain(&OF_BYTES) {
            // A profile is what it compares.
            if command[0] == "diff" && words == "`etm4 diff`" {
                continue;
            }
            refused_in_one_line(&[command, &[&path[..]]].concat(), &[&path, words]);
        }
    }
    for &command in OF_TRACE.iter().chain(&OF_BYTES) {
        let words = [PROGRAM, "is a program and no trace", "--elf"];
        refused_in_one_line(&[command, &[PROGRAM]].concat(), &words);
    }
}

#[test]
fn an_empty_file_and_a_folder_without_a_capture() {
    let (folder, path) = file(&[]);
    for &command in OF_TRACE.iter().chain(&OF_BYTES) {
        // A core may have stored nothing.
        if !matches!(command[0], "profile" | "diff") {
            refused_in_one_line(&[command, &[&path[..]]].concat(), &[&path, "is empty"]);
        }
    }
    let folder = folder.path().to_str().expect("text");
    for command in OF_TRACE {
        let args = [command, &[folder]].concat();
        refused_in_one_line(&args, &[folder, "capture.toml", "snapshot.ini"]);
    }
    for command in OF_BYTES {
        refused_in_one_line(&[command, &[folder]].concat(), &["name a file"]);
    }
}

#[test]
fn a_recording_without_trace_is_refused_with_what_to_record() {
    let Some(folder) = shared("corpus-perf/simpleperf") else {
        return;
    };
    let injected = folder.join("perf_inject.data").display().to_string();
    for command in OF_TRACE {
        let args = [command, &[&injected[..]]].concat();
        refused_in_one_line(&args, &["inject", "the recording"]);
    }
    // In front of the record that describes its trace are 720 bytes of others; it has no features then.
    let mut recording = fs::read(folder.join("perf_etm.data")).expect("a recording");
    recording[48..56].copy_from_slice(&720_u64.to_le_bytes());
    recording[72..104].fill(0);
    let (_folder, path) = file(&recording);
    for command in OF_TRACE {
        let args = [command, &[&path[..]]].concat();
        refused_in_one_line(
            &args,
            &["no CoreSight trace", "perf record -e cs_etm//", "inject"],
        );
    }
}

#[test]
fn garbage_is_read_to_its_end() {
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let (_folder, path) = file(&(0..65536).map(|_| noise()).collect::<Vec<u8>>());
    for format in ["raw", "frames", "tpiu-fsync", "tpiu-hsync", "dstream"] {
        for on_error in ["resync", "lenient", "opencsd"] {
            let mut args = vec!["packets", &path, "--raw-format", format, "--id", "10"];
            args.extend(["--on-error", on_error, "--reg", "TRCCONFIGR=0xc1"]);
            args.extend(["--reg", "TRCIDR0=0x28000ea1", "--reg", "TRCIDR1=0x4100f403"]);
            args.extend(["--reg", "TRCIDR2=0x488"]);
            let ran = etm4(&args);
            // 1: there may be no A-Sync.
            assert!(ran.code < 2, "{args:?}: {}", ran.stderr);
            assert_eq!(
                ran.code == 1,
                ran.stderr.contains("nothing was decoded"),
                "{args:?}: {}",
                ran.stderr
            );
        }
        if format != "raw" {
            let ran = etm4(&["demux", &path, "--raw-format", format]);
            assert!(ran.code < 2, "{format}: {}", ran.stderr);
        }
    }
}

#[test]
fn options_that_do_not_go_together() {
    refused(&["packets", RAW, "--engine", "card"], &["card", "model"]);
    refused(&["packets"], &["<CAPTURE>"]);
}

#[test]
fn hardware_is_refused_and_the_program_that_has_it_is_named() {
    for engine in ["hw", "verilog"] {
        refused_in_one_line(&["packets", RAW, "--engine", engine], &["etm4-lab"]);
    }
    refused_in_one_line(&["packets", RAW, "--preset", "etm4_x4"], &["--engine hw"]);
    let model = common::good(&["packets", RAW, "--engine", "model"]);
    assert_eq!(model, common::good(&["packets", RAW]));
}
