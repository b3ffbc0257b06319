// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target device-tree`: the topology of a chip by the device tree of its Linux.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use coretrace_target::Topology;

use crate::error::Outcome;
use crate::output::Output;

/// Bytes of a device tree, at most.
const LIMIT: u64 = 1 << 24;

/// Write the topology of a chip by its device tree, to be completed by its clocks
#[derive(Debug, Args)]
pub struct DeviceTreeArgs {
    /// A flattened device tree: a .dtb, or /sys/firmware/fdt of a Linux that runs
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The name of the chip
    #[arg(long, value_name = "NAME", default_value = "chip")]
    name: String,
}

/// Runs the command.
///
/// # Errors
/// If the file cannot be read, or has no topology.
pub fn run(args: &DeviceTreeArgs) -> Result<Outcome> {
    let name = args.file.display();
    let blob = read(&args.file).with_context(|| format!("cannot read {name}"))?;
    let topology = Topology::of_device_tree(&args.name, &blob);
    let topology = topology.with_context(|| format!("{name} cannot be used as a topology"))?;
    let mut output = Output::new();
    output.text = topology.toml();
    output.finish();
    Ok(Outcome::Complete)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let mut blob = Vec::new();
    let bytes = File::open(path)?.take(LIMIT + 1).read_to_end(&mut blob)?;
    ensure!(bytes as u64 <= LIMIT, "it has more than {LIMIT} bytes");
    Ok(blob)
}
