// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder of captures and workloads beside the repository.

use std::path::{Path, PathBuf};

/// The folder `shared` beside the repository, with the corpus and the workloads. They are too
/// large to be kept with the sources, so a test that needs them is skipped where they are absent.
///
/// # Panics
/// If the folder is absent and the environment says `CI=true`: there a skip hides a failure.
pub fn shared_dir() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var("CI").as_deref() != Ok("true"),
        "the folder shared beside the repository is absent, and CI=true"
    );
    eprintln!("SKIPPED: the folder shared beside the repository is absent");
    None
}
