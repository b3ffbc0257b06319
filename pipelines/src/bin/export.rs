// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo export PRESET`: writes a preset's Verilog, lint waivers, file list and manifest.

use anyhow::{Context, Result, bail};
use coretrace_abi::registers::CORE;
use coretrace_abi::text::markdown;
use coretrace_pipelines::Preset;
use coretrace_pipelines::package::{BOARD, board_package, package, write_package};
use std::path::PathBuf;

const USAGE: &str = "\
usage: cargo export PRESET [DIRECTORY]
       cargo export --all
       cargo export --csr

Writes Verilog-2001, waivers of Verilator's lint, a file list and a manifest into
DIRECTORY (target/export/PRESET unless given). With --csr the control and status registers
go to standard output, as in docs/csr.md. Presets:";

/// The files of a preset, or of the board's probe.
fn files(name: &str) -> Result<Vec<(String, String)>> {
    match name {
        BOARD => board_package(),
        preset => package(preset.parse()?),
    }
}

fn export(name: &str, directory: Option<PathBuf>) -> Result<()> {
    let target = PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()));
    let directory = directory.unwrap_or_else(|| target.join("export").join(name));
    let written = write_package(files(name)?, &directory)
        .with_context(|| format!("writing {}", directory.display()))?;
    for file in written {
        println!("{}", directory.join(file).display());
    }
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--all"] => {
            Preset::ALL
                .iter()
                .try_for_each(|preset| export(preset.name(), None))?;
            export(BOARD, None)
        }
        ["--csr"] => {
            print!("{}", markdown(&CORE));
            Ok(())
        }
        ["--help" | "-h"] | [_, "--help" | "-h"] => {
            println!("{USAGE}");
            for preset in Preset::ALL {
                println!("  {:<18} {}", preset.name(), preset.summary());
            }
            println!("  {BOARD:<18} trace probe for the Alchitry Cu board: Verilog and pins");
            Ok(())
        }
        [name] => export(name, None),
        [name, directory] if !directory.starts_with('-') => export(name, Some(directory.into())),
        _ => bail!("one preset, please: see `cargo export --help`"),
    }
}
