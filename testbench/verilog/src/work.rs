// SPDX-License-Identifier: MIT OR Apache-2.0
//! Directories for generated files, below the cargo target directory.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};

/// The root of generated files: the target directory of the running program, or the system's
/// temporary directory for an installed one.
fn root() -> PathBuf {
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

/// Where files made of `input` are kept.
pub(crate) fn home(name: &str, input: impl Hash) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    root().join(format!("{name}-{:016x}", hasher.finish()))
}

/// A directory for one piece of work, removed at the end unless installed.
pub(crate) struct Work {
    path: PathBuf,
    is_moved: bool,
}

impl Work {
    /// A new directory, unlike those of other threads and processes.
    pub fn new(name: &str) -> Result<Work> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = root().join(format!("{name}-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&path)
            .with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Work {
            path,
            is_moved: false,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file into the directory.
    pub fn write(&self, file: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let path = self.path.join(file);
        std::fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Moves the directory to `home`, unless another process has put one with this file there.
    pub fn install(mut self, home: &Path, file: &str) -> Result<()> {
        match std::fs::rename(&self.path, home) {
            Ok(()) => self.is_moved = true,
            Err(_) if home.join(file).is_file() => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot create {}", home.display()));
            }
        }
        Ok(())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if !self.is_moved {
            // A directory left over does no harm.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
