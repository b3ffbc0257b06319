// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask memory`: the most memory that the commands of `etm4` take of a long trace.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

/// The most that a command may take, in KiB.
const LIMIT_KIB: u64 = 64 << 10;

/// How often a running command is looked at. Linux keeps the peak, so the last look counts.
const LOOK: Duration = Duration::from_millis(20);

/// Captures that are repeated to the length wanted.
const RAW: &str = "testbench/traces/sort-a64";
const FRAMED: &str = "testbench/traces/framed";

/// The commands. `RAW` and `FRAMED` stand for long captures, `WORDS` for the record stream that the
/// third command makes, `ROWS` for Parquet files.
const COMMANDS: [&str; 17] = [
    "packets RAW",
    "info RAW",
    "records --make RAW --out WORDS",
    "records WORDS",
    "profile WORDS",
    "packets FRAMED",
    "info FRAMED",
    "demux FRAMED",
    "elements RAW --format count",
    "elements RAW --check",
    "elements RAW --threads 2 --shard 1/16",
    "elements RAW --threads 4 --shard 1/16",
    "elements RAW --threads 4 --format json --shard 1/16",
    "elements RAW --threads 8 --format json --shard 1/64",
    "flow RAW --format tree --threads 8 --shard 1/256",
    "profile RAW --threads 4 --format part --shard 1/16",
    "elements RAW --threads 4 --format parquet --out ROWS --shard 1/64",
];

/// Runs every command on a trace of at least this many bytes, and prints what it takes.
///
/// # Errors
/// If a command fails or takes more than the limit, or there is no place for the trace.
pub fn run(root: &Path, target: &Path, bytes: u64) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "-p", "etm4"])
        .current_dir(root)
        .status()?;
    ensure!(built.success(), "etm4 cannot be built");
    let place = target.join("memory");
    let raw = lengthen(&root.join(RAW), &place.join("raw"), bytes)?;
    let framed = lengthen(&root.join(FRAMED), &place.join("framed"), bytes)?;
    println!("| command | trace | peak memory |\n|---|---:|---:|");
    let mut exceeded = Vec::new();
    for command in COMMANDS {
        let of = if command.contains("FRAMED") {
            framed
        } else {
            raw
        };
        let peak = peak_of(&target.join("release/etm4"), command, &place)?;
        println!(
            "| `etm4 {command}` | {} MiB | {} MiB |",
            of >> 20,
            peak.div_ceil(1 << 10)
        );
        if peak > LIMIT_KIB {
            exceeded.push(command);
        }
    }
    fs::remove_dir_all(&place)?;
    ensure!(
        exceeded.is_empty(),
        "more than {LIMIT_KIB} KiB: {}",
        exceeded.join(", ")
    );
    Ok(())
}

/// Makes a capture folder whose trace is that of another one many times; its bytes.
fn lengthen(capture: &Path, folder: &Path, bytes: u64) -> Result<u64> {
    fs::create_dir_all(folder)?;
    // Among them are memory images.
    for file in fs::read_dir(capture)? {
        let file = file?;
        fs::copy(file.path(), folder.join(file.file_name()))?;
    }
    let trace = fs::read(capture.join("trace.bin"))?;
    let text = fs::read_to_string(capture.join("capture.toml"))?;
    let is_identity = |line: &&str| line.starts_with("bytes") || line.starts_with("sha256");
    let lines: Vec<&str> = text.lines().filter(|line| !is_identity(line)).collect();
    fs::write(folder.join("capture.toml"), lines.join("\n"))?;
    let mut file = BufWriter::new(File::create(folder.join("trace.bin"))?);
    let laps = bytes.div_ceil(trace.len() as u64);
    for _ in 0..laps {
        file.write_all(&trace)?;
    }
    file.flush()?;
    Ok(laps * trace.len() as u64)
}

/// Runs a command to its end; its peak memory in KiB.
fn peak_of(program: &Path, command: &str, place: &Path) -> Result<u64> {
    let path = |name: &str| place.join(name).display().to_string();
    let arguments = command.split(' ').map(|word| match word {
        "RAW" => path("raw"),
        "FRAMED" => path("framed"),
        "WORDS" => path("words"),
        "ROWS" => path("rows"),
        word => word.to_owned(),
    });
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))?;
    let mut peak = 0;
    let status = loop {
        peak = peak.max(resident(&child).unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        sleep(LOOK);
    };
    ensure!(status.success(), "etm4 {command} failed");
    ensure!(
        peak > 0,
        "the memory of a process can be read on Linux only"
    );
    Ok(peak)
}

/// The peak of the memory of a running process so far, in KiB.
fn resident(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
