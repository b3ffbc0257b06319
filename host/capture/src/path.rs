// SPDX-License-Identifier: MIT OR Apache-2.0
//! File names in a folder.

use std::path::{Component, Path, PathBuf};

use anyhow::{Result, ensure};

/// A file of the folder by its name.
///
/// # Errors
/// If it is not inside the folder.
pub(crate) fn path_inside(folder: &Path, name: impl AsRef<Path>) -> Result<PathBuf> {
    let name = name.as_ref();
    let mut parts = name.components();
    let inside = parts.all(|part| matches!(part, Component::Normal(_)));
    ensure!(
        inside && name.components().next().is_some(),
        "{name:?} is not inside the folder: give a relative name without `..`"
    );
    Ok(folder.join(name))
}
