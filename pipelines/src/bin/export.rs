// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo export PRESET`: writes a preset's Verilog, file list and manifest.

use anyhow::{Context, Result, bail};
use etm4_pipelines::Preset;
use etm4_pipelines::package::write_package;
use std::path::PathBuf;

const USAGE: &str = "\
usage: cargo export PRESET [DIRECTORY]
       cargo export --all

Writes Verilog-2001, a file list and a manifest into DIRECTORY
(target/export/PRESET unless given). Presets:";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let target = PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()));
    let default_directory = |preset: Preset| target.join("export").join(preset.name());
    let jobs: Vec<(Preset, PathBuf)> =
        match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["--all"] => Preset::ALL
                .map(|preset| (preset, default_directory(preset)))
                .to_vec(),
            ["--help" | "-h"] => {
                println!("{USAGE}");
                for preset in Preset::ALL {
                    println!("  {:<14} {}", preset.name(), preset.summary());
                }
                return Ok(());
            }
            [name] => {
                let preset: Preset = name.parse()?;
                vec![(preset, default_directory(preset))]
            }
            [name, directory] => vec![(name.parse()?, directory.into())],
            _ => bail!("one preset, please: see `cargo export --help`"),
        };
    for (preset, directory) in jobs {
        let files = write_package(preset, &directory)
            .with_context(|| format!("exporting {} to {}", preset.name(), directory.display()))?;
        for file in files {
            println!("{}", directory.join(file).display());
        }
    }
    Ok(())
}
