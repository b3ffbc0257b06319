// SPDX-License-Identifier: MIT OR Apache-2.0
//! A folder that one process uses at a time. The lock ends with the process, however that ends.

use std::fs::{DirBuilder, File, OpenOptions};
use std::path::Path;

use anyhow::{Context, Result};
use fs4::{FileExt, TryLockError};

/// The file that is locked. It has no content, and stays.
const LOCK: &str = "lock";

/// A lock that is held as long as this lives.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of a folder.
    ///
    /// # Errors
    /// As [`Lock::take`].
    pub fn wait(folder: &Path) -> Result<Lock> {
        let file = open(folder)?;
        let locked = FileExt::lock(&file);
        locked.with_context(|| format!("cannot lock {}", folder.display()))?;
        Ok(Lock { _file: file })
    }

    /// Takes the lock of a folder; `None` while another process has it.
    ///
    /// # Errors
    /// If the folder cannot be made, or its file cannot be locked.
    pub fn take(folder: &Path) -> Result<Option<Lock>> {
        let file = open(folder)?;
        match FileExt::try_lock(&file) {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock {}", folder.display()))
            }
        }
    }
}

/// Makes folders for their owner alone.
pub fn private() -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn open(folder: &Path) -> Result<File> {
    let made = private().recursive(true).create(folder);
    made.with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(LOCK);
    let file = OpenOptions::new().append(true).create(true).open(&path);
    file.with_context(|| format!("cannot write {}", path.display()))
}
