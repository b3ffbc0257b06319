// SPDX-License-Identifier: MIT OR Apache-2.0
//! Directories for generated files, below the cargo target directory.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};

/// The root of generated files: the target directory of the running program, or the system's
/// temporary directory for an installed one.
pub(crate) fn root() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    // Cargo marks its target directory with this file.
    let target = program
        .ancestors()
        .find(|dir| dir.join("CACHEDIR.TAG").is_file());
    match target {
        Some(target) => target.join("etm4-verilog"),
        None => std::env::temp_dir().join("etm4-verilog"),
    }
}

/// A directory for one piece of work, removed at the end unless kept.
pub(crate) struct Work {
    path: PathBuf,
    keep: bool,
}

impl Work {
    /// A new directory, unlike those of other threads and processes.
    pub fn new(name: &str) -> Result<Work> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = root().join(format!("{name}-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&path)
            .with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Work { path, keep: false })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file into the directory.
    pub fn write(&self, file: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let path = self.path.join(file);
        std::fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Leaves the directory to the caller and returns its path.
    pub fn keep(mut self) -> PathBuf {
        self.keep = true;
        self.path.clone()
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if !self.keep {
            // A directory left over does no harm.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
