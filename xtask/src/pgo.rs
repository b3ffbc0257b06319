// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask pgo`: programs made faster by their traces.
//!
//! Each program runs in qemu-user under a recorder, the trace unit model makes a capture of the run,
//! `etm4 profile` follows it, and clang and BOLT rebuild the program with the profile; then again with
//! that of the counts of branches which a core would make of the capture. The same recorder counts what
//! the rebuilt programs execute.

mod count;
mod recording;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use coretrace_capture::SourceDescription;
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::trace_unit::TraceUnit;
use count::{Counts, change};

/// The program that must become faster, and by how much its taken branches must fall, in percent.
const LARGE: &str = "large";
const LEAST_FALL: f64 = 10.0;

/// Tools that rebuild a program, and what their names are followed by if they do it by counts.
const TOOLS: [&str; 2] = ["AutoFDO", "BOLT"];
const FROM_COUNTERS: &str = "from counters";

/// How programs are compiled: as those of the workloads, with debug information and relocations.
const FLAGS: [&str; 11] = [
    "--target=aarch64-linux-gnu",
    "-fuse-ld=lld",
    "-O2",
    "-g",
    "-fdebug-info-for-profiling",
    "-static",
    "-nostdlib",
    "-ffreestanding",
    "-fno-stack-protector",
    "-Wl,-q",
    "-w",
];

/// Rebuilds programs with the profiles of their traces, and prints what they execute before and
/// after.
///
/// # Errors
/// If a tool is missing or fails, a program computes something else than before, too many of the branches
/// of the large program are still taken, or counts of branches make a slower program than the trace.
pub fn run(root: &Path, target: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build
        .args(["build", "--quiet", "-p", "etm4"])
        .current_dir(root);
    output(&mut build)?;
    let place = target.join("pgo");
    fs::create_dir_all(&place)?;
    let bench = Bench {
        etm4: target.join("debug/etm4"),
        recorder: place.join("recorder.so"),
        place,
    };
    let source = root.join("testbench/pgo");
    let mut compile = Command::new("cc");
    compile.args(["-shared", "-fPIC", "-O2", "-o"]);
    output(compile.arg(&bench.recorder).arg(source.join("recorder.c")))?;
    println!("| program | built with | instructions | taken branches | to another page |");
    println!("|---|---|---:|---:|---:|");
    let mut falls = Vec::new();
    for program in programs(root)? {
        let rows = bench.rebuild(&program)?;
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        let before = rows[0].1;
        for (number, (build, counts)) in rows.iter().enumerate() {
            let before = (number > 0).then_some(&before);
            println!("| {name} | {build} | {} |", counts.row(before));
            if name == LARGE && number > 0 {
                falls.push(-change(counts.taken, rows[0].1.taken));
            }
        }
        check_counters(&name, &rows)?;
    }
    ensure!(
        falls.iter().all(|fall| *fall >= LEAST_FALL),
        "the taken branches of {LARGE} fall by less than {LEAST_FALL} %"
    );
    Ok(())
}

/// The sources: our own program, and the workloads beside the repository.
fn programs(root: &Path) -> Result<Vec<PathBuf>> {
    let mut programs = vec![root.join("testbench/pgo/large.c")];
    let workloads = root.join("../shared/workloads/own/src");
    if !workloads.is_dir() {
        eprintln!("SKIPPED: the workloads beside the repository are absent");
        return Ok(programs);
    }
    let mut sources = Vec::new();
    for entry in fs::read_dir(workloads)? {
        sources.push(entry?.path());
    }
    sources.sort();
    sources.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    programs.extend(sources);
    Ok(programs)
}

/// What a command writes to standard output.
fn output(command: &mut Command) -> Result<Vec<u8>> {
    let program = command.get_program().to_string_lossy().into_owned();
    let run = command.output().with_context(|| {
        format!("cannot start {program}: the Debian packages clang-19, lld-19, llvm-19, bolt-19 and qemu-user have all that is needed")
    })?;
    ensure!(
        run.status.success(),
        "{program} failed:\n{}",
        String::from_utf8_lossy(&run.stderr)
    );
    Ok(run.stdout)
}

/// With the counts of a core no more branches are taken, and no more of them to another page, than with the
/// whole trace.
fn check_counters(name: &str, rows: &[(String, Counts)]) -> Result<()> {
    let of = |build: &str| {
        let row = rows.iter().find(|(known, _)| known == build);
        row.with_context(|| format!("there is no row {build}"))
    };
    for tool in TOOLS {
        let (_, by_trace) = of(tool)?;
        let (_, by_counts) = of(&format!("{tool} {FROM_COUNTERS}"))?;
        ensure!(
            by_counts.taken <= by_trace.taken && by_counts.crossing <= by_trace.crossing,
            "{name} is slower with {tool} {FROM_COUNTERS} than from its trace"
        );
    }
    Ok(())
}

/// Tools, and the folder for all files.
struct Bench {
    etm4: PathBuf,
    recorder: PathBuf,
    place: PathBuf,
}

impl Bench {
    /// Builds a program as it is, with AutoFDO, and with BOLT, by its trace and by the counts of a core;
    /// what each executes.
    fn rebuild(&self, source: &Path) -> Result<Vec<(String, Counts)>> {
        let name = source.file_stem().unwrap_or_default();
        let place = self.place.join(name);
        fs::create_dir_all(&place)?;
        let base = place.join("base");
        compile(source, &base, &[])?;
        let (trace, result) = self.record(&base)?;
        let capture = capture(&place, &trace)?;
        let counted = self.count(&capture, &base)?;
        let mut rows = vec![("clang -O2".to_owned(), Counts::of(&trace))];
        let [autofdo, bolt] = TOOLS;
        for (build, rebuilt) in [
            (autofdo.to_owned(), self.autofdo(source, &base, &capture)?),
            (bolt.to_owned(), self.bolt(&base, &capture)?),
            (
                format!("{autofdo} {FROM_COUNTERS}"),
                self.autofdo(source, &base, &counted)?,
            ),
            (
                format!("{bolt} {FROM_COUNTERS}"),
                self.bolt(&base, &counted)?,
            ),
        ] {
            let (trace, now) = self.record(&rebuilt)?;
            ensure!(
                now == result,
                "{} computes something else",
                rebuilt.display()
            );
            rows.push((build, Counts::of(&trace)));
        }
        Ok(rows)
    }

    /// Runs a program; its branch trace, and what it prints.
    fn record(&self, program: &Path) -> Result<(BranchTrace, Vec<u8>)> {
        let recording = program.with_extension("recording");
        let plugin = format!("{},out={}", self.recorder.display(), recording.display());
        let printed = output(
            Command::new("qemu-aarch64")
                .arg("-plugin")
                .arg(plugin)
                .arg(program),
        )?;
        let trace = recording::read(&recording, program)?;
        fs::remove_file(&recording)?;
        Ok((trace, printed))
    }

    /// The counts that a core would make of a capture.
    fn count(&self, capture: &Path, base: &Path) -> Result<PathBuf> {
        let file = base.with_file_name("counted.flow");
        let mut command = Command::new(&self.etm4);
        command.arg("flow-counts").arg(capture);
        output(command.arg("--elf").arg(base).arg("--out").arg(&file))?;
        Ok(file)
    }

    /// The profile of a capture, or of counts, in a format.
    fn profile(&self, from: &Path, base: &Path, format: &str) -> Result<PathBuf> {
        let file = from.with_extension(format);
        let mut command = Command::new(&self.etm4);
        command.arg("profile").arg(from).arg("--elf").arg(base);
        output(command.args(["--format", format, "--out"]).arg(&file))?;
        Ok(file)
    }

    /// The program compiled again by clang with a sample profile.
    fn autofdo(&self, source: &Path, base: &Path, from: &Path) -> Result<PathBuf> {
        let counts = self.profile(from, base, "autofdo")?;
        let profile = from.with_extension("prof");
        let mut command = Command::new("llvm-profgen-19");
        command.arg(with("--unsymbolized-profile=", &counts));
        command.arg(with("--binary=", base)).arg("--use-offset=0");
        output(command.arg(with("--output=", &profile)))?;
        let rebuilt = from.with_extension("with-autofdo");
        compile(source, &rebuilt, &[with("-fprofile-sample-use=", &profile)])?;
        Ok(rebuilt)
    }

    /// The program with its blocks and functions in another order.
    fn bolt(&self, base: &Path, from: &Path) -> Result<PathBuf> {
        let counts = self.profile(from, base, "bolt")?;
        let profile = from.with_extension("fdata");
        let mut command = Command::new("perf2bolt-19");
        // Without the first option it writes a program, as the name of this package has a number.
        command.args(["-aggregate-only", "-pa", "-p"]).arg(&counts);
        output(command.arg("-o").arg(&profile).arg(base))?;
        let rebuilt = from.with_extension("with-bolt");
        let mut command = Command::new("llvm-bolt-19");
        command
            .arg(base)
            .arg("-o")
            .arg(&rebuilt)
            .arg("-data")
            .arg(&profile);
        command.args(["-reorder-blocks=ext-tsp", "-reorder-functions=cdsort"]);
        output(command.args(["-split-functions", "-split-all-cold"]))?;
        Ok(rebuilt)
    }
}

fn with(option: &str, file: &Path) -> String {
    format!("{option}{}", file.display())
}

fn compile(source: &Path, program: &Path, more: &[String]) -> Result<()> {
    let mut command = Command::new("clang-19");
    command.args(FLAGS).args(more).arg("-o").arg(program);
    output(command.arg(source)).map(drop)
}

/// A folder with the trace of a run.
fn capture(place: &Path, trace: &BranchTrace) -> Result<PathBuf> {
    let unit = TraceUnit {
        return_stack: 3,
        sync_bytes: Some(4096),
        ..TraceUnit::default()
    };
    let folder = place.join("capture");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("trace.bin"), unit.trace(trace, &mut ()))?;
    let registers = unit.registers();
    let source = SourceDescription {
        name: "ETM_10".to_owned(),
        protocol: "ETM4".to_owned(),
        trace_id: Some(0x10),
        core: Some("Cortex-A53".to_owned()),
        registers: BTreeMap::from_iter(
            registers
                .named()
                .map(|(name, value)| (name.to_owned(), value)),
        ),
    };
    let text = format!(
        "name = \"pgo\"\nfile = \"trace.bin\"\nformat = \"raw\"\n\n{}",
        source.toml()
    );
    fs::write(folder.join("capture.toml"), text)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_make_a_slower_program_than_the_trace_are_an_error() {
        let rows = |taken: [u64; 5]| -> Vec<(String, Counts)> {
            let builds = ["clang -O2", "AutoFDO", "BOLT"].map(str::to_owned);
            let counted = TOOLS.map(|tool| format!("{tool} {FROM_COUNTERS}"));
            let counts = taken.map(|taken| Counts {
                taken,
                ..Counts::default()
            });
            builds.into_iter().chain(counted).zip(counts).collect()
        };
        assert!(check_counters("large", &rows([90, 70, 80, 70, 79])).is_ok());
        assert!(check_counters("large", &rows([90, 70, 80, 70, 81])).is_err());
        assert!(check_counters("large", &rows([90, 70, 80, 71, 80])).is_err());
        assert!(check_counters("large", &rows([90, 70, 80, 70, 80])[..4]).is_err());
    }
}
