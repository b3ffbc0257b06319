// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast packets are listed to a file, beside OpenCSD's `trc_pkt_lister`: CPU time, of user and
//! system, of both programs on the same snapshots.
//!
//! `cargo bench -p etm4 --bench listing`. Each trace is repeated up to [`BYTES`], so that the time does
//! not go into starting a program. The programs take turns, and the least time of each counts.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use wait4::Wait4;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const ETM4: &str = env!("CARGO_BIN_EXE_etm4");
/// OpenCSD's program, in the package `libopencsd-bin`.
const LISTER: &str = "trc_pkt_lister";
/// The captures.
const SETS: [&str; 3] = [
    "testbench/traces/sort-a64",
    "../shared/corpus/juno-uname-002",
    "../shared/corpus/juno_r1_1",
];
/// Bytes of a trace, at least.
const BYTES: usize = 8 << 20;
/// Turns of each program.
const TURNS: usize = 4;

/// CPU time of a program that succeeds.
fn cpu_time(command: &mut Command) -> Result<Duration> {
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let spent = child.wait4()?;
    ensure!(spent.status.success(), "{command:?} fails");
    Ok(spent.rusage.utime + spent.rusage.stime)
}

/// Makes a snapshot of a capture, with its trace repeated.
fn repeat(capture: &Path, snapshot: &Path) -> Result<()> {
    let mut convert = Command::new(ETM4);
    convert.arg("convert").arg(capture).arg(snapshot);
    ensure!(
        convert.stderr(Stdio::null()).status()?.success(),
        "{convert:?} fails"
    );
    let trace = snapshot.join("trace.bin");
    let bytes = fs::read(&trace)?;
    fs::write(&trace, bytes.repeat(BYTES.div_ceil(bytes.len())))?;
    Ok(())
}

/// Times both programs on a capture; nothing of a capture that is not there.
fn print_set(name: &str) -> Result<()> {
    let capture = Path::new(ROOT).join(name);
    if !capture.is_dir() {
        println!("SKIPPED: {name} is not there");
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let snapshot = folder.path().join("snapshot");
    repeat(&capture, &snapshot)?;
    let listing = folder.path().join("listing");
    let mut times = [Duration::MAX; 3];
    for _ in 0..TURNS {
        for (time, program) in times.iter_mut().zip(["text", "tsv", LISTER]) {
            let mut command = Command::new(if program == LISTER { LISTER } else { ETM4 });
            if program == LISTER {
                command.arg("-ss_dir").arg(&snapshot);
                command.arg("-logfilename").arg(&listing);
                command.stdout(Stdio::null());
            } else {
                command
                    .arg("packets")
                    .arg(&snapshot)
                    .args(["--format", program]);
                command.stdout(File::create(&listing)?);
            }
            *time = cpu_time(command.stderr(Stdio::null()))?.min(*time);
            fs::remove_file(&listing)?;
        }
    }
    let [text, tsv, theirs] = times.map(|time| time.as_secs_f64());
    println!(
        "{name}: text {text:.3} s, TSV {tsv:.3} s, {LISTER} {theirs:.2} s, ratio {:.1} and {:.1}",
        theirs / text,
        theirs / tsv
    );
    Ok(())
}

fn main() -> Result<()> {
    SETS.iter().try_for_each(|name| print_set(name))
}
