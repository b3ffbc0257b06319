// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every bad capture is one error that names the place and says what to do.

use std::fs;
use std::path::Path;

use coretrace_capture::{BareTrace, Capture, Format, SourceDescription, open};
use coretrace_decode::tpiu;
use coretrace_etm::ArchProfile;
use tempfile::TempDir;

const FRAMES: Format = Format::Framed(tpiu::Format::Frames);
const HEAD: &str = "name = \"x\"\nfile = \"trace.bin\"\n";
const SOURCE: &str = r#"
[[source]]
name = "ETM_0"
protocol = "ETM4.2"
trace_id = 0x10
core = "Cortex-M33"
[source.registers]
TRCCONFIGR = 0xc1
TRCTRACEIDR = 0x10
TRCIDR0 = 0x28000ea1
TRCIDR1 = 0x4100f423
TRCIDR2 = 0x488
"#;

fn folder(toml: &str, bytes: &[u8]) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("capture.toml"), toml).unwrap();
    fs::write(folder.path().join("trace.bin"), bytes).unwrap();
    folder
}

fn error(toml: &str, bytes: &[u8]) -> String {
    let folder = folder(toml, bytes);
    let error = Capture::open(folder.path()).unwrap_err();
    format!("{error:#}")
}

fn frames(more: &str) -> String {
    format!("{HEAD}format = \"frames\"\n{more}{SOURCE}")
}

fn assert_says(error: &str, words: &[&str]) {
    for word in words {
        assert!(error.contains(word), "no {word:?} in: {error}");
    }
}

#[test]
fn a_good_folder_is_loaded() {
    let folder = folder(&frames("bytes = 32\n"), &[0; 32]);
    let capture = Capture::open(folder.path()).unwrap();
    assert_eq!((capture.format, capture.bytes.len()), (FRAMES, 32));
    let source = capture.source(0x10).unwrap();
    assert_eq!(source.profile, ArchProfile::M8);
    assert_eq!(source.config.unwrap().vmid_bytes, 1);
    assert_eq!(capture.source(0x11), None);
}

#[test]
fn missing_files_are_named() {
    let missing = Capture::open(Path::new("no/such/folder")).unwrap_err();
    assert_says(&format!("{missing:#}"), &["no/such/folder", "capture.toml"]);
    let toml = frames("").replace("trace.bin", "other.bin");
    assert_says(&error(&toml, &[0; 16]), &["other.bin", "is the name right"]);
}

#[test]
fn a_trace_that_is_not_the_one_described_is_refused() {
    assert_says(
        &error(&frames("bytes = 16\n"), &[0; 32]),
        &["32", "16", "correct `bytes`"],
    );
    let sha = format!("sha256 = \"{}\"\n", "0".repeat(64));
    assert_says(
        &error(&frames(&sha), &[0; 16]),
        &["SHA-256", "correct `sha256`"],
    );
}

#[test]
fn an_empty_trace_and_a_cut_frame_are_refused() {
    assert_says(&error(&frames(""), &[]), &["empty"]);
    assert_says(
        &error(&frames(""), &[0; 37]),
        &["at offset 32", "5 of 16 bytes", "cut the trace to 32 bytes"],
    );
}

#[test]
fn trace_ids_must_be_present_legal_and_different() {
    let twice = format!("{}{}", frames(""), SOURCE.replace("ETM_0", "ETM_1"));
    assert_says(&error(&twice, &[0; 16]), &["ETM_0", "ETM_1", "0x10"]);
    let programmed = frames("").replace("trace_id = 0x10\n", "");
    let capture = Capture::open(folder(&programmed, &[0; 16]).path()).expect("TRCTRACEIDR has it");
    assert_eq!(capture.sources[0].trace_id, Some(0x10));
    let none = programmed.replace("TRCTRACEIDR = 0x10\n", "");
    assert_says(&error(&none, &[0; 16]), &["ETM_0", "no trace_id"]);
    let reserved = frames("").replace("trace_id = 0x10", "trace_id = 0x70");
    assert_says(&error(&reserved, &[0; 16]), &["0x70", "0x6f"]);
    let other = frames("").replace("trace_id = 0x10", "trace_id = 0x12");
    assert_says(&error(&other, &[0; 16]), &["0x12", "TRCTRACEIDR", "0x10"]);
}

#[test]
fn registers_must_be_present_and_agree() {
    let missing = frames("").replace("TRCIDR2 = 0x488\n", "");
    assert_says(&error(&missing, &[0; 16]), &["ETM_0", "TRCIDR2"]);
    let wrong = frames("").replace("TRCCONFIGR = 0xc1", "TRCCONFIGR = 0x100");
    assert_says(&error(&wrong, &[0; 16]), &["ETM_0", "TRCCONFIGR.COND"]);
}

#[test]
fn a_raw_capture_has_one_source() {
    let raw = frames("").replace("\"frames\"", "\"raw\"");
    let two = format!("{raw}{}", SOURCE.replace("0x10", "0x11"));
    assert_says(&error(&two, &[0; 5]), &["one source", "2 are given"]);
    let none = format!("{HEAD}format = \"raw\"\n");
    assert_says(&error(&none, &[0; 5]), &["one source", "0 are given"]);
}

#[test]
fn a_bare_file_takes_the_same_facts_from_the_caller() {
    let folder = folder("", &[0; 5]);
    let file = folder.path().join("trace.bin");
    let registers = [
        ("TRCCONFIGR", 1),
        ("TRCIDR0", 0x2800_0EA1),
        ("TRCIDR1", 0x4100_F403),
        ("TRCIDR2", 0x488),
    ];
    let source = SourceDescription {
        name: "ETM".into(),
        protocol: "ETM4".into(),
        registers: registers.map(|(name, value)| (name.into(), value)).into(),
        ..SourceDescription::default()
    };
    let mut bare = BareTrace {
        format: Format::Raw,
        source,
        scan_limit: 1 << 20,
    };
    let trace = open(&file, Some(&bare)).unwrap();
    assert_eq!(trace.name, "trace");
    assert!(trace.buffers[0].sources[0].config.is_some());
    bare.format = FRAMES;
    bare.source.trace_id = Some(0x10);
    let error = open(&file, Some(&bare)).unwrap_err();
    assert_says(&format!("{error:#}"), &["trace.bin", "5 of 16 bytes"]);
}
