// SPDX-License-Identifier: MIT OR Apache-2.0
//! File names in a snapshot.

use std::path::{Component, Path, PathBuf};

use anyhow::{Result, ensure};

/// A file of the snapshot by its name.
///
/// # Errors
/// If it is not inside the folder.
pub(super) fn path_inside(folder: &Path, name: &str) -> Result<PathBuf> {
    let inside = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    ensure!(
        inside && !name.is_empty(),
        "{name:?} is not inside the folder: give a relative name without `..`"
    );
    Ok(folder.join(name))
}
