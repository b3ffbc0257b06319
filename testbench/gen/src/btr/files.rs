// SPDX-License-Identifier: MIT OR Apache-2.0
//! Branch traces of programs in files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use coretrace_capture::read_xz;

use super::BranchTrace;

/// The folder of workloads beside the repository.
pub const WORKLOADS: &str = "../shared/workloads";

/// Reads a branch trace; one that ends in .xz is unpacked.
pub fn read(path: &Path) -> Result<BranchTrace> {
    let file = if path.extension().is_some_and(|ending| ending == "xz") {
        read_xz(path)?
    } else {
        fs::read(path).with_context(|| format!("cannot read {}", path.display()))?
    };
    BranchTrace::read(&file).with_context(|| format!("cannot use {}", path.display()))
}

/// The name of a program: the file without its endings, behind its folder.
pub fn name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".xz").unwrap_or(&name);
    let name = name.strip_suffix(".btr").unwrap_or(name);
    format!("{}/{name}", folder.display())
}

/// The branch traces in a folder and in its folders, by name.
pub fn traces(folder: &Path) -> Result<Vec<PathBuf>> {
    let paths = |folder: &Path| -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(folder);
        let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
        entries.map(|entry| Ok(entry?.path())).collect()
    };
    let mut files = paths(folder)?;
    let folders: Vec<PathBuf> = files.iter().filter(|path| path.is_dir()).cloned().collect();
    for folder in folders {
        files.extend(paths(&folder)?);
    }
    let is_trace = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(".btr") || name.ends_with(".btr.xz")
    };
    files.retain(is_trace);
    files.sort();
    ensure!(
        !files.is_empty(),
        "{} has no branch traces (.btr or .btr.xz)",
        folder.display()
    );
    Ok(files)
}
