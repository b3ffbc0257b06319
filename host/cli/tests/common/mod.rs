// SPDX-License-Identifier: MIT OR Apache-2.0
//! The built program, run as a user runs it.
#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use coretrace_capture::Description;
use coretrace_coresight::TraceId;
use coretrace_test_gen::{Framing, frame_streams, rng};

/// The program of the crate that is tested: `etm4`, or `etm4-lab`, which has its commands.
pub const PROGRAM: &str = match (
    option_env!("CARGO_BIN_EXE_etm4"),
    option_env!("CARGO_BIN_EXE_etm4-lab"),
) {
    (Some(program), _) | (_, Some(program)) => program,
    _ => panic!("cargo names the program"),
};

/// The outcome of a run.
pub struct Ran {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs the program in the root of the repository.
pub fn etm4(args: &[&str]) -> Ran {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(PROGRAM)
        .args(args)
        .current_dir(root())
        .output()
        .expect("the program starts");
    Ran {
        code: status.code().expect("an exit code"),
        stdout: String::from_utf8(stdout).expect("text"),
        stderr: String::from_utf8(stderr).expect("text"),
    }
}

/// Runs the program with bytes on standard input.
pub fn etm4_with(args: &[&str], input: &[u8]) -> Ran {
    let mut child = Command::new(PROGRAM)
        .args(args)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let Output {
        status,
        stdout,
        stderr,
    } = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("it ends")
    });
    Ran {
        code: status.code().expect("an exit code"),
        stdout: String::from_utf8(stdout).expect("text"),
        stderr: String::from_utf8(stderr).expect("text"),
    }
}

/// Runs the program and returns its results.
///
/// # Panics
/// If it fails.
pub fn good(args: &[&str]) -> String {
    let ran = etm4(args);
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
    ran.stdout
}

/// Runs the program and expects one line of error that holds all of `words`.
///
/// # Panics
/// If it does anything else.
pub fn refused(args: &[&str], words: &[&str]) {
    let ran = etm4(args);
    assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
    assert_eq!(ran.stdout, "", "{args:?}");
    let errors: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| line.starts_with("error: "))
        .collect();
    assert_eq!(errors.len(), 1, "{args:?}: {}", ran.stderr);
    assert!(!ran.stderr.contains("panicked"), "{args:?}: {}", ran.stderr);
    for word in words {
        assert!(
            ran.stderr.contains(word),
            "{args:?}: no {word:?} in {}",
            ran.stderr
        );
    }
}

/// As [`refused`], where nothing but the error is written.
pub fn refused_in_one_line(args: &[&str], words: &[&str]) {
    refused(args, words);
    assert_eq!(etm4(args).stderr.lines().count(), 1, "{args:?}");
}

/// Writes words as DMA stores them; the path of the file.
pub fn store(folder: &Path, name: &str, words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    store_bytes(folder, name, &bytes)
}

/// Writes bytes; the path of the file.
pub fn store_bytes(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("written");
    path.to_str().expect("text").to_owned()
}

/// Makes the record stream of a capture; the path of the file.
pub fn make_records(folder: &Path, capture: &str, more: &[&str]) -> String {
    let out = folder.join("made.words");
    let out = out.to_str().expect("text").to_owned();
    let args = ["records", "--make", capture, "--out", &out];
    assert_eq!(good(&[&args, more].concat()), "");
    out
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of captures beside the repository.
///
/// # Panics
/// As [`shared`].
pub fn corpus() -> Option<PathBuf> {
    shared("corpus")
}

/// A folder of what lies beside the repository.
///
/// # Panics
/// If it is absent and the environment says `CI=true`: there a skip hides a failure.
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = root().join("../shared").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    assert_ne!(
        std::env::var("CI").as_deref(),
        Ok("true"),
        "{name} is absent, and CI=true"
    );
    eprintln!("SKIPPED: {name} beside the repository is absent");
    None
}

/// Makes an ELF file say that it is for AArch64. Names and lines do not depend on the instructions.
pub fn for_arm(elf: &mut [u8]) {
    const MACHINE: usize = 18;
    const AARCH64: u16 = 183;
    elf[MACHINE..MACHINE + 2].copy_from_slice(&AARCH64.to_le_bytes());
}

/// A capture and an ITM with trace ID 30 in frames; the path of its folder. The ITM writes "early", which has no
/// time, a global timestamp, then "Hi", and exception 15 begins.
pub fn beside_itm(folder: &Path, capture: &str, time: u64) -> String {
    let bits = |low: u32| (time >> low) as u8 & 0x7F;
    let itm = [
        &[0, 0, 0, 0, 0, 0x80][..],
        &[2, b'e', b'a', 2, b'r', b'l', 2, b'y', b'\n'],
        &[0xB4, bits(26) | 0x80, bits(33) | 0x80, bits(40) | 0x80, 0],
        &[
            0x94,
            bits(0) | 0x80,
            bits(7) | 0x80,
            bits(14) | 0x80,
            bits(21) & 0x1F,
        ],
        &[2, b'H', b'i', 1, b'\n'],
        &[0x0E, 0x0F, 0x10],
    ]
    .concat();
    let of = root().join(capture);
    for entry in fs::read_dir(&of).expect("a capture") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("a copy");
    }
    let description = fs::read_to_string(of.join("capture.toml")).expect("a description");
    let trace = fs::read(of.join("trace.bin")).expect("a trace");
    let source = Description::parse(&description).expect("a description");
    let id = source.sources[0].trace_id.expect("an ID");
    let ids = [id, 0x30].map(|id| TraceId::new(id).expect("an ID"));
    let streams = [(ids[0], &trace[..]), (ids[1], &itm[..])];
    let framed = frame_streams(&mut rng(0), &streams, &Framing::PORT);
    fs::write(folder.join("trace.bin"), framed).expect("a file");
    let is_kept = |line: &&str| !line.starts_with("bytes") && !line.starts_with("sha256");
    let lines: Vec<&str> = description.lines().filter(is_kept).collect();
    let text = lines.join("\n").replace("\"raw\"", "\"tpiu-hsync\"");
    let itm = "[[source]]\nname = \"ITM\"\nprotocol = \"ITM\"\ntrace_id = 0x30\n";
    fs::write(folder.join("capture.toml"), format!("{text}\n{itm}")).expect("a file");
    folder.to_str().expect("text").to_owned()
}
