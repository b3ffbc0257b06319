// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask captures`: the snapshots of an OpenCSD checkout as capture folders with packet
//! lists, and the model against the lists.

mod conformance;
mod manifest;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use conformance::{Captured, Original};
use coretrace_test_opencsd::Lister;
use manifest::Manifest;

/// The folder with the folders of snapshots.
const TESTS: &str = "decoder/tests";

/// What the user can say.
#[derive(Debug, Args)]
pub struct Options {
    /// A checkout of OpenCSD's sources
    #[arg(long, value_name = "CHECKOUT")]
    opencsd: PathBuf,
    /// OpenCSD's packet lister; the installed one unless given
    #[arg(long, value_name = "PROGRAM")]
    lister: Option<PathBuf>,
}

/// Makes the captures and compares them.
///
/// # Errors
/// If the checkout has no snapshots, the lister cannot be started, the model gives other packets
/// than the lister, or a capture of the manifest is not there or another one.
pub fn run(root: &Path, target: &Path, options: &Options) -> Result<()> {
    let manifest = Manifest::open(root)?;
    let lister = Lister::open(options.lister.as_deref())?;
    let snapshots = snapshots(&options.opencsd)?;
    let out = target.join("captures");
    if out.exists() {
        fs::remove_dir_all(&out)
            .with_context(|| format!("cannot remove the old {}", out.display()))?;
    }
    let mut failed = Vec::new();
    let mut captured = Vec::new();
    for snapshot in &snapshots {
        for result in Original::new(&options.opencsd, snapshot).capture(&lister, &out) {
            println!("{}", result.line());
            if let Captured::Different { name, .. } = &result {
                failed.push(format!("{name}: the model gives other packets"));
            }
            captured.push(result);
        }
    }
    failed.extend(manifest.missing(&captured));
    println!(
        "{} packets of {} captures are as OpenCSD lists them; the captures are in {}",
        captured.iter().map(Captured::packets).sum::<usize>(),
        captured.iter().filter(|c| c.packets() > 0).count(),
        out.display()
    );
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

/// The folders with a snapshot, by their path in the checkout.
fn snapshots(checkout: &Path) -> Result<Vec<PathBuf>> {
    let tests = checkout.join(TESTS);
    let folders = |folder: &Path| -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(folder).with_context(|| {
            let folder = folder.display();
            format!("cannot read {folder}: is this a checkout of OpenCSD?")
        })?;
        Ok(entries
            .collect::<std::io::Result<Vec<_>>>()?
            .into_iter()
            .map(|entry| entry.path())
            .collect())
    };
    let mut found = Vec::new();
    for group in folders(&tests)? {
        let name = group.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("snapshots") && group.is_dir() {
            let all = folders(&group)?.into_iter();
            found.extend(all.filter(|folder| folder.join("snapshot.ini").is_file()));
        }
    }
    ensure!(
        !found.is_empty(),
        "there is no snapshot in {}: is this a checkout of OpenCSD?",
        tests.display()
    );
    found.sort();
    Ok(found)
}

#[cfg(test)]
#[path = "captures/tests.rs"]
mod tests;
