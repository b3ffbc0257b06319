// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every engine on captures from real programs: those of the repository, and one of the corpus.

#[path = "../../../host/cli/tests/common/mod.rs"]
mod common;

use common::{corpus, etm4, good};
use coretrace_capture::read_xz_text;
use coretrace_pipelines::DecoderTop;
use coretrace_test_gen::rounds;
use coretrace_test_support::in_parallel;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

/// The captures of the repository, and whether they have frames.
const TRACES: [(&str, bool); 3] = [("sort-a64", false), ("adpcm-a32", false), ("framed", true)];

/// Lists a capture of the repository, without errors.
fn clean_listing(name: &str, engine: &[&str]) -> String {
    let path = format!("testbench/traces/{name}");
    let mut args = vec!["packets", &path, "--format", "json"];
    args.extend(engine);
    let ran = etm4(&args);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    ran.stdout
}

/// Lists a capture with an engine and the model and compares line by line.
fn lists_as_the_model(name: &str, engine: &[&str]) {
    let want = clean_listing(name, &[]);
    let got = clean_listing(name, engine);
    for (got, want) in got.lines().zip(want.lines()) {
        assert_eq!(got, want, "{name}, {engine:?}");
    }
    assert_eq!(
        got.lines().count(),
        want.lines().count(),
        "{name}, {engine:?}"
    );
}

#[test]
fn every_preset_lists_the_traces_as_the_model_does_and_in_its_order() {
    let mut runs = Vec::new();
    for (name, framed) in TRACES {
        // All of them decode the framed one; the others are long, and one or two are enough for them.
        let quick = [DecoderTop::Etm4JumpX4, DecoderTop::Etm4Byte];
        let quick = &quick[..rounds(1, 2)];
        let fitting = |preset: &DecoderTop| framed || quick.contains(preset);
        let presets = DecoderTop::ALL.into_iter().filter(fitting);
        runs.extend(presets.map(|preset| (name, preset.name())));
    }
    in_parallel(runs, |(name, preset)| {
        lists_as_the_model(name, &["--engine", "hw", "--preset", preset]);
    });
}

#[test]
fn verilog_lists_the_traces_as_the_model_does() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    for (name, _) in TRACES {
        lists_as_the_model(name, &["--engine", "verilog", "--preset", "etm4_jump_x8"]);
    }
}

#[test]
fn hardware_lists_a_capture_of_silicon_as_opencsd_does() {
    let Some(corpus) = corpus() else {
        return;
    };
    // Real trace without damage and with one source, so that OpenCSD lists it in its order.
    let folder = corpus.join("a57_single_step");
    let path = folder.to_str().expect("text");
    let golden = read_xz_text(&folder.join("packets.tsv.xz")).expect("a golden list");
    // The first column is OpenCSD's own count of input bytes.
    let rows = |text: &str| -> Vec<String> {
        let row = |line: &str| line.split_once('\t').map(|(_, row)| row.to_owned());
        text.lines().filter_map(row).collect()
    };
    assert_eq!(rows(&golden).len(), 9, "rows of OpenCSD");
    for preset in DecoderTop::ALL.map(DecoderTop::name) {
        let engine = [
            "packets", path, "--format", "tsv", "--engine", "hw", "--preset", preset,
        ];
        assert_eq!(rows(&good(&engine)), rows(&golden), "{preset}");
    }
}
