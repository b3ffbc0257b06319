// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every command takes every kind of trace, and standard input.

mod common;

use std::fs;

use common::{etm4, etm4_with, good, refused, refused_in_one_line, root, store_bytes};
use tempfile::TempDir;

const FRAMED: &str = "testbench/traces/framed";
const RAW: &str = "testbench/traces/sort-a64";
const REGISTERS: [&str; 8] = [
    "--reg",
    "TRCCONFIGR=0x1001",
    "--reg",
    "TRCIDR0=0x28000ea1",
    "--reg",
    "TRCIDR1=0x4100f403",
    "--reg",
    "TRCIDR2=0x488",
];

fn with<'a>(first: &[&'a str]) -> Vec<&'a str> {
    [first, &REGISTERS[..]].concat()
}

fn bytes_of(capture: &str) -> Vec<u8> {
    fs::read(root().join(capture).join("trace.bin")).expect("a trace")
}

#[test]
fn a_capture_is_the_same_by_folder_description_snapshot_and_bytes() {
    let folder = TempDir::new().expect("a folder");
    let snapshot = folder.path().join("snapshot").display().to_string();
    let index = format!("{snapshot}/snapshot.ini");
    let again = folder.path().join("again").display().to_string();
    let toml = format!("{RAW}/capture.toml");
    let bare = format!("{RAW}/trace.bin");
    good(&["convert", RAW, &snapshot]);
    good(&["convert", &index, &again]);
    let listed = good(&["packets", RAW]);
    for path in [&toml, &snapshot, &index, &again] {
        assert!(good(&["packets", path]) == listed, "{path}");
    }
    assert!(good(&with(&["packets", &bare])) == listed);
    let piped = etm4_with(&with(&["packets", "-"]), &bytes_of(RAW));
    assert!(
        piped.code == 0 && piped.stdout == listed,
        "{}",
        piped.stderr
    );
}

#[test]
fn frames_without_an_id_give_all_sources_from_a_file_and_from_a_pipe() {
    let bare = format!("{FRAMED}/trace.bin");
    let listed = good(&with(&["packets", &bare, "--raw-format", "tpiu-hsync"]));
    let of_id = |id: &str| {
        let args = ["packets", &bare, "--raw-format", "tpiu-hsync", "--id", id];
        good(&with(&args))
    };
    assert!(listed == of_id("10") + &of_id("21"));
    let args = with(&["packets", "-", "--raw-format", "tpiu-hsync"]);
    let piped = etm4_with(&args, &bytes_of(FRAMED));
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert!(sorted(&piped.stdout) == sorted(&listed), "{}", piped.stderr);
}

#[test]
fn an_endless_stream_of_nothing_ends_with_an_error() {
    let limit = ["--sync-limit", "1000000"];
    let bare = [&["packets", "/dev/zero"], &limit[..]].concat();
    refused_in_one_line(&with(&bare), &["no A-Sync", "--sync-limit"]);
    let framed = [
        &["packets", "/dev/zero", "--raw-format", "frames"],
        &limit[..],
    ]
    .concat();
    refused_in_one_line(&with(&framed), &["no A-Sync", "--sync-limit"]);
    let demux = [
        &["demux", "/dev/zero", "--raw-format", "tpiu-fsync"],
        &limit[..],
    ]
    .concat();
    refused_in_one_line(&demux, &["no frame", "--sync-limit"]);
    let info = [&["info", "/dev/zero"], &limit[..]].concat();
    refused_in_one_line(&with(&info), &["no A-Sync"]);
}

#[test]
fn other_files_are_refused_with_what_to_do() {
    let folder = TempDir::new().expect("a folder");
    for (bytes, words) in [
        (&b"\x1f\x8b\x08\0\0\0\0\0"[..], ["compressed", "gzip -dc"]),
        (b"\xfd7zXZ\0\0\0", ["compressed", "xz -dc"]),
        (b"2ELIFREP\0\0\0\0\0\0\0\0", ["big-endian", "not read"]),
        (b"PERFILE2\0", ["too short", "perf.data"]),
        (b"\x7fELF\x02", ["program", "--elf"]),
        (b"hello", ["bare trace", "--reg"]),
    ] {
        let path = store_bytes(folder.path(), "file", bytes);
        refused_in_one_line(&["packets", &path], &words);
        refused_in_one_line(&["info", &path], &words);
        let piped = etm4_with(&["packets", "-"], bytes);
        assert_eq!(
            (piped.code, piped.stderr.lines().count()),
            (2, 1),
            "{}",
            piped.stderr
        );
    }
}

#[test]
fn filters_choose_lines_and_nothing_else() {
    let all = good(&["packets", FRAMED, "--format", "tsv"]);
    let lines = |args: &[&str]| -> Vec<String> {
        let listed = good(&[&["packets", FRAMED, "--format", "tsv"], args].concat());
        listed.lines().map(str::to_owned).collect()
    };
    let chosen = |wanted: &dyn Fn(u64, &str) -> bool| -> Vec<String> {
        let parts = |line: &str| {
            let mut columns = line.split('\t');
            let offset = columns
                .next()
                .expect("an offset")
                .parse()
                .expect("a number");
            (offset, columns.nth(1).expect("a name").to_owned())
        };
        let fits = |line: &&str| {
            let (offset, name) = parts(line);
            wanted(offset, &name)
        };
        all.lines().filter(fits).map(str::to_owned).collect()
    };
    let exceptions = chosen(&|_, name| name == "I_EXCEPT");
    assert!(exceptions.len() > 9);
    assert_eq!(lines(&["--kind", "I_EXCEPT"]), exceptions);
    let range = chosen(&|offset, _| (100..200).contains(&offset));
    assert_eq!(lines(&["--from", "100", "--to", "200"]), range);
    assert_eq!(
        lines(&["--limit", "7"]),
        all.lines().take(7).collect::<Vec<_>>()
    );
    let late = good(&[
        "packets",
        FRAMED,
        "--from",
        "ts=0x12345678a000",
        "--format",
        "json",
    ]);
    assert!(late.lines().count() > 100);
    assert!(
        late.lines().all(|line| line.contains("\"id\":33")),
        "only one source has timestamps"
    );
    refused(
        &["packets", FRAMED, "--from", "soon"],
        &["4096", "ts=0x1000"],
    );
    refused(&["packets", FRAMED, "--kind", "ATOM"], &["I_ATOM_F1"]);
}

#[test]
fn damage_changes_the_exit_status_only_if_that_is_wanted() {
    let folder = TempDir::new().expect("a folder");
    let mut bytes = bytes_of(RAW);
    assert_eq!(etm4(&["packets", RAW, "--strict"]).code, 0);
    bytes[5000..5020].fill(0x08);
    let path = store_bytes(folder.path(), "damaged.bin", &bytes);
    assert_eq!(etm4(&with(&["packets", &path])).code, 0);
    assert_eq!(etm4(&with(&["packets", &path, "--strict"])).code, 1);
    let nothing = store_bytes(folder.path(), "nothing.bin", &[0xFF; 1000]);
    let ran = etm4(&with(&["packets", &nothing]));
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("nothing was decoded"), "{}", ran.stderr);
}

#[test]
fn the_core_decides_the_profile_and_an_unknown_one_is_named() {
    let bare = format!("{RAW}/trace.bin");
    let ran = etm4(&with(&[
        "packets",
        &bare,
        "--core",
        "Cortex-Z99",
        "--limit",
        "1",
    ]));
    assert_eq!(ran.code, 0);
    assert!(
        ran.stderr.contains("Cortex-Z99") && ran.stderr.contains("application"),
        "{}",
        ran.stderr
    );
    refused_in_one_line(
        &with(&["packets", &bare, "--core", "Cortex-M99"]),
        &["Cortex-M99", "ARMv7-M"],
    );
}

#[test]
fn info_counts_what_packets_lists() {
    for capture in [FRAMED, RAW] {
        let listed = good(&["packets", capture, "--format", "tsv"]);
        let info: serde_json::Value =
            serde_json::from_str(&good(&["info", capture, "--format", "json"])).expect("JSON");
        let sources = info["buffers"][0]["sources"].as_array().expect("sources");
        let packets: u64 = sources.iter().filter_map(|s| s["packets"].as_u64()).sum();
        assert_eq!(packets, listed.lines().count() as u64, "{capture}");
    }
    let text = good(&["info", FRAMED]);
    for words in [
        "RS (return stack)",
        "timestamps 0x123456789abc",
        "I_EXCEPT",
        "ID 21",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
}

#[test]
fn a_guess_names_the_format_and_the_ids() {
    let guessed = good(&["guess", &format!("{FRAMED}/trace.bin")]);
    let first = guessed.lines().nth(1).expect("a guess");
    assert!(
        first.starts_with("tpiu-hsync") && first.contains(" 10 "),
        "{guessed}"
    );
    assert!(guessed.contains(" 21  100.0"), "{guessed}");
    let command = guessed.lines().last().expect("a command").trim();
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    assert!(good(&words).lines().count() > 1000, "{command}");
    let guessed = good(&["guess", &format!("{RAW}/trace.bin")]);
    assert!(
        guessed.lines().nth(1).expect("a guess").starts_with("raw"),
        "{guessed}"
    );
    let folder = TempDir::new().expect("a folder");
    let no_trace = store_bytes(folder.path(), "trace.bin", &[0xC3; 4096]);
    assert_eq!(etm4(&["guess", &no_trace]).code, 1);
}

#[test]
fn the_program_prints_its_version_completions_and_manual() {
    let version = good(&["-V"]);
    assert!(
        version.contains("perf.data") && version.contains("ETE"),
        "{version}"
    );
    for shell in ["bash", "zsh", "fish"] {
        assert!(good(&["completions", shell]).contains("packets"), "{shell}");
    }
    assert!(good(&["man"]).contains(".TH etm4"));
    assert!(good(&["man", "packets"]).contains("sync"));
    refused_in_one_line(&["man", "nothing"], &["nothing"]);
}

#[test]
fn a_record_stream_is_taken_by_every_command_that_lists_or_counts() {
    let folder = TempDir::new().expect("a folder");
    let words = common::make_records(folder.path(), RAW, &[]);
    let listed = good(&["records", &words]);
    assert!(good(&["packets", &words]) == listed);
    assert!(good(&["records", RAW]) == listed);
    let bytes = fs::read(&words).expect("words");
    let piped = etm4_with(&["packets", "-"], &bytes);
    assert!(
        piped.code == 0 && piped.stdout == listed,
        "{}",
        piped.stderr
    );
    let info = good(&["info", &words]);
    assert!(
        info.contains("record stream") && info.contains("19532 packets"),
        "{info}"
    );
    refused_in_one_line(&["demux", &words], &["record stream", "etm4 records"]);
}

#[test]
fn the_profile_of_a_trace_is_that_of_its_record_stream() {
    let folder = TempDir::new().expect("a folder");
    let words = common::make_records(folder.path(), FRAMED, &["--id", "21"]);
    let sums = |text: &str| -> Vec<String> {
        let is_sum = |line: &&str| line.starts_with("address\t") || line.starts_with("exception\t");
        text.lines()
            .filter(is_sum)
            .filter(|line| line.contains("\t21\t"))
            .map(str::to_owned)
            .collect()
    };
    let of_words = sums(&good(&["profile", &words, "--format", "tsv"]));
    let of_trace = sums(&good(&["profile", FRAMED, "--format", "tsv"]));
    assert!(of_words.len() > 3, "{of_words:?}");
    assert_eq!(of_trace, of_words);
    let piped = etm4_with(
        &with(&[
            "profile",
            "-",
            "--raw-format",
            "tpiu-hsync",
            "--format",
            "tsv",
        ]),
        &bytes_of(FRAMED),
    );
    assert_eq!(sums(&piped.stdout), of_words, "{}", piped.stderr);
}

#[test]
fn a_program_is_where_the_recording_says_that_it_was_mapped() {
    let Some(folder) = common::shared("corpus-perf/simpleperf") else {
        return;
    };
    let path = |name: &str| folder.join(name).display().to_string();
    let (recording, program) = (path("perf_etm.data"), path("etm_test_loop"));
    let ran = etm4(&["profile", &recording, "--elf", &program]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let ran = etm4(&["profile", &recording, "--elf", &path("NOTICE")]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}
