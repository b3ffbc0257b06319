// SPDX-License-Identifier: MIT OR Apache-2.0
//! Imports: between crates as drawn in ARCHITECTURE.md, and without circles between modules.
//!
//! | module | what it holds |
//! |---|---|
//! | `crates` | dependencies of the manifests, and the arrows that are drawn |
//! | `modules` | imports between the files of a crate |

mod crates;
mod modules;

use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Rust file below a folder, if there is one.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
