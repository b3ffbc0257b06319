// SPDX-License-Identifier: MIT OR Apache-2.0
//! The traces of the repository, and captures that the program generates.

#[path = "../../../host/cli/tests/common/mod.rs"]
mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use common::{etm4, good, root};
use serde_json::Value;
use tempfile::TempDir;

const TRACES: &str = "testbench/traces";
const RAW: [(&str, &str); 2] = [("sort-a64", "10"), ("adpcm-a32", "21")];

fn packets(name: &str, more: &[&str]) -> String {
    let path = format!("{TRACES}/{name}");
    let mut args = vec!["packets", &path, "--format", "tsv"];
    args.extend(more);
    good(&args)
}

/// A listing with its ID column replaced.
fn with_id(text: &str, id: &str) -> String {
    let renamed = text.lines().map(|line| {
        let columns: Vec<&str> = line.splitn(3, '\t').collect();
        format!("{}\t{id}\t{}\n", columns[0], columns[2])
    });
    renamed.collect()
}

#[test]
fn the_traces_have_no_error_and_as_many_packets_as_their_table_says() {
    let readme = fs::read_to_string(root().join(TRACES).join("README.md")).expect("a README");
    for name in ["sort-a64", "adpcm-a32", "framed", "messages"] {
        let ran = etm4(&["packets", &format!("{TRACES}/{name}"), "--format", "tsv"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{name}");
        let bytes = fs::metadata(root().join(TRACES).join(name).join("trace.bin"))
            .expect("a trace")
            .len();
        let row = readme
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}`")));
        let numbers = format!("| {bytes} | {} |", ran.stdout.lines().count());
        assert!(
            row.expect("a row").contains(&numbers),
            "{name}: the table should say {numbers}"
        );
    }
}

#[test]
fn the_framed_trace_holds_the_packets_of_the_raw_ones() {
    for (name, id) in RAW {
        assert_eq!(
            packets("framed", &["--id", id]),
            with_id(&packets(name, &[]), id),
            "{name}"
        );
    }
}

/// `etm4 gen` with these options makes the trace of this name.
fn assert_made_again(name: &str, options: &[&str]) {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join(name);
    let mut args = vec!["gen", out.to_str().expect("text"), "--seed", "1"];
    args.extend(["--format", "tpiu-hsync"]);
    args.extend(options);
    good(&args);
    for file in ["trace.bin", "capture.toml"] {
        let kept = fs::read(root().join(TRACES).join(name).join(file)).expect("kept");
        assert!(
            fs::read(out.join(file)).expect("made") == kept,
            "{file} differs"
        );
    }
}

#[test]
fn framed_traces_are_made_again_byte_for_byte() {
    let [sort, adpcm] = RAW.map(|(name, _)| format!("{TRACES}/{name}"));
    assert_made_again("framed", &["--from", &sort, "--from", &adpcm]);
    assert_made_again("messages", &["--messages", "--from", &adpcm]);
}

#[test]
fn the_trace_with_messages_has_a_line_of_each_source_after_the_other() {
    let path = format!("{TRACES}/messages");
    let messages = good(&["messages", &path]);
    let lines: Vec<&str> = messages.lines().collect();
    let want = (0..32).flat_map(|line| {
        ["30 65:1", "31 0"].map(|channel| format!("{channel}: block {line} of 32"))
    });
    let by_source = |lines: Vec<String>| {
        let mut lines = lines;
        lines.sort_by_key(|line| line[..2].to_owned());
        lines
    };
    let lines = lines.into_iter().map(str::to_owned).collect();
    assert_eq!(by_source(lines), by_source(want.collect()));
    let packets = good(&["packets", &path, "--id", "21", "--format", "tsv"]);
    assert_eq!(packets, with_id(&self::packets("adpcm-a32", &[]), "21"));
}

#[test]
fn every_json_line_is_an_object_with_a_schema() {
    let listed = good(&[
        "packets",
        &format!("{TRACES}/adpcm-a32"),
        "--format",
        "json",
    ]);
    let mut end = 0;
    for line in listed.lines() {
        let object: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(object["schema"], "etm4.packet.1");
        assert_eq!(object["off"].as_u64(), Some(end), "a gap before {line}");
        end += object["len"].as_u64().expect("a length");
    }
    assert_eq!(end, 30841);
}

#[test]
fn made_captures_decode_without_an_error_for_every_register_set() {
    let folder = TempDir::new().expect("a folder");
    for set in ["a53", "v46-all", "commopt0", "v7m", "v8m", "ete", "random"] {
        for format in ["raw", "frames", "tpiu-fsync", "tpiu-hsync"] {
            let out = folder.path().join(format!("{set}-{format}"));
            let out = out.to_str().expect("text");
            good(&[
                "gen",
                out,
                "--set",
                set,
                "--format",
                format,
                "--seed",
                "3",
                "--unusual",
            ]);
            let ran = etm4(&["packets", out, "--format", "tsv"]);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{out}");
            assert!(ran.stdout.lines().count() > 200, "{out}");
        }
    }
}

#[test]
fn a_made_capture_has_the_kinds_that_were_asked_for() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("kinds");
    let out = out.to_str().expect("text");
    good(&["gen", out, "--kind", "I_ADDR_S_IS0", "--kind", "i_atom_f3"]);
    let listed = good(&["packets", out, "--format", "tsv"]);
    let kinds: BTreeSet<&str> = listed
        .lines()
        .filter_map(|line| line.split('\t').nth(2))
        .collect();
    let want = ["I_ADDR_S_IS0", "I_ASYNC", "I_ATOM_F3", "I_TRACE_INFO"];
    assert!(kinds.into_iter().eq(want), "{listed}");
}

#[test]
fn damage_is_reported_on_standard_error_and_is_no_failure() {
    let folder = TempDir::new().expect("a folder");
    for kind in ["bit-flip", "lost-byte", "doubled-byte", "lost-word"] {
        for format in ["raw", "frames", "tpiu-hsync"] {
            let out = folder.path().join(format!("{kind}-{format}"));
            let out = out.to_str().expect("text");
            let rate = format!("{kind}=0.02");
            good(&[
                "gen",
                out,
                "--format",
                format,
                "--damage",
                &rate,
                "--packets",
                "1000",
            ]);
            let ran = etm4(&["packets", out]);
            // Without an A-Sync nothing is decoded.
            let is_decoded = !ran.stderr.contains("nothing was decoded");
            assert_eq!(ran.code, i32::from(!is_decoded), "{out}: {}", ran.stderr);
            assert!(
                ran.stderr.starts_with("warning: ID "),
                "{out}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn the_trace_alone_goes_to_standard_output() {
    let run = || {
        let output = Command::new(common::PROGRAM)
            .args(["gen", "-", "--seed", "9"])
            .output();
        output.expect("the program starts").stdout
    };
    let trace = run();
    assert_eq!(trace[..12], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80]);
    assert_eq!(run(), trace);
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let mut child = Command::new(common::PROGRAM)
        .args(["packets", &format!("{TRACES}/framed")])
        .current_dir(root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut stderr)
        .expect("text");
    assert_eq!(
        (child.wait().expect("it ends").code(), stderr.as_str()),
        (Some(0), "")
    );
}

#[test]
fn every_command_has_help_with_examples() {
    let host = ["packets", "demux", "records", "profile"].map(|command| ("etm4", command));
    let lab = ["gen", "throughput"].map(|command| ("etm4-lab", command));
    for (program, command) in host.into_iter().chain(lab) {
        let help = good(&[command, "--help"]);
        assert!(
            help.contains(&format!("Examples:\n  {program} {command} ")),
            "{help}"
        );
        assert!(!help.contains('\u{1b}'), "no colours into a pipe");
    }
}

#[test]
fn simulated_hardware_lists_what_the_model_lists() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("port");
    let out = out.to_str().expect("text");
    let ids = ["--id", "10", "--id", "21"];
    let mut make = vec![
        "gen",
        out,
        "--format",
        "tpiu-hsync",
        "--damage",
        "bit-flip=0.001",
    ];
    make.extend(ids);
    good(&make);
    for on_error in ["resync", "lenient"] {
        for id in [&["--id", "10"][..], &["--id", "21"], &[]] {
            let list = |engine: &[&str]| {
                let common = ["packets", out, "--on-error", on_error];
                good(&[&common, id, engine].concat())
            };
            let model = list(&[]);
            for preset in
                coretrace_pipelines::DecoderTop::ALL.map(coretrace_pipelines::DecoderTop::name)
            {
                let hardware = list(&["--engine", "hw", "--preset", preset]);
                assert_eq!(hardware, model, "{preset}, {on_error}, {id:?}");
            }
        }
    }
}
