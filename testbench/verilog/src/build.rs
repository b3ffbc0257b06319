// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilator's translation of a top, compiled.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::Result;

use crate::tools::{Tool, demand};
use crate::work::{Work, home};

/// Keeps compiled files: Verilator's own library is the same for all tops.
const COMPILER_CACHE: &str = "ccache";
/// The compiler of Verilator's makefiles, and those of its options that change a header.
const COMPILER: &str = "g++";
const COMPILER_OPTIONS: [&str; 4] = [
    "-faligned-new",
    "-fcf-protection=none",
    "-DVM_SC=0",
    "-DVM_TRACE=0",
];
/// Set where all programs run for long.
const LONG_RUNS: &str = "ETM4_LONG_RUNS";

/// For how many cycles a program is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Runs {
    /// So few that an optimising compiler takes longer.
    Short,
    /// More.
    Long,
}

impl Runs {
    /// Short ones, where nobody says that all are long.
    pub fn short() -> Runs {
        match std::env::var_os(LONG_RUNS) {
            Some(_) => Runs::Long,
            None => Runs::Short,
        }
    }

    /// The compiler's option. More would take minutes for the longest tops.
    fn optimisation(self) -> &'static str {
        match self {
            Runs::Short => "-O0",
            Runs::Long => "-O1",
        }
    }
}

/// The program that a build makes.
pub(crate) const ENGINE: &str = "engine";
/// What [`library_header`] holds, and the compiler's file beside it.
const LIBRARY_HEADER: &str = "#include <memory>\n#include \"verilated.h\"\n";
const PRECOMPILED: &str = "library.h.gch";

fn has_compiler_cache() -> bool {
    static HAS: LazyLock<bool> = LazyLock::new(|| {
        let mut command = Command::new(COMPILER_CACHE);
        command.arg("--version").output().is_ok()
    });
    *HAS
}

/// Builds the program [`ENGINE`] in the new directory `home` from the Verilog of a top and the C++
/// around it. Other processes may do the same concurrently.
///
/// # Errors
/// If Verilator or the compiler refuses the text.
pub(crate) fn build(home: &Path, verilog: &str, top: &str, main: &str, runs: Runs) -> Result<()> {
    let optimisation = runs.optimisation();
    let header = library_header(optimisation)?;
    let work = Work::new(&format!("build-{top}"))?;
    work.write("top.v", verilog)?;
    work.write("main.cpp", main)?;
    let mut command = Command::new(Tool::Verilator.program());
    if has_compiler_cache() {
        command.env("OBJCACHE", COMPILER_CACHE);
        // What lets it keep files that include a precompiled header, known by a digest of its own.
        command.env("CCACHE_SLOPPINESS", "pch_defines,time_macros");
        command.env("CCACHE_PCH_EXTSUM", "1");
    }
    demand(
        command
            .current_dir(work.path())
            .args(["--cc", "--exe", "--build", "-j", "0", "-O3"])
            // Long functions take the compiler minutes, and each file some time for the class of the top.
            .args(["--output-split-cfuncs", "300", "--output-split", "100000"])
            .arg("-MAKEFLAGS")
            .arg(format!("OPT_FAST={optimisation}"))
            .arg("-MAKEFLAGS")
            .arg(format!("OPT_GLOBAL={optimisation}"))
            .arg("-CFLAGS")
            .arg(format!("-include {}", header.display()))
            .args(["--x-assign", "0", "--x-initial", "0", "--noassert"])
            .args([
                "--language",
                "1364-2005",
                "-Wno-fatal",
                "-Wno-lint",
                "-Wno-style",
            ])
            .args(["--top-module", top, "--prefix", "Vtop", "--Mdir", "obj"])
            .args(["-o", "../engine", "top.v", "main.cpp"]),
    )?;
    std::fs::remove_dir_all(work.path().join("obj"))?;
    work.install(home, ENGINE)
}

/// A header that includes Verilator's, which the compiler reads precompiled: reading the text is
/// most of the time that a small top takes. A compiler with other options reads the text.
fn library_header(optimisation: &str) -> Result<PathBuf> {
    let version = Tool::Verilator.version().unwrap_or_default();
    let options = (COMPILER_OPTIONS, optimisation);
    let home = home("header", (version, LIBRARY_HEADER, options));
    if !home.join(PRECOMPILED).is_file() {
        let mut verilator = Command::new(Tool::Verilator.program());
        let library = demand(verilator.args(["--getenv", "VERILATOR_ROOT"]))?;
        let work = Work::new("build-header")?;
        work.write("library.h", LIBRARY_HEADER)?;
        work.write("library.h.gch.sum", version)?;
        demand(
            Command::new(COMPILER)
                .current_dir(work.path())
                .arg(format!("-I{}/include", library.trim()))
                .args(COMPILER_OPTIONS)
                .args([optimisation, "-x", "c++-header", "library.h"]),
        )?;
        work.install(&home, PRECOMPILED)?;
    }
    Ok(home.join("library.h"))
}
