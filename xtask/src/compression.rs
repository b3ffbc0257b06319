// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask compression`: what each encoder makes of the branch traces, beside what papers print.

mod accesses;
mod published;
mod sizes;
mod tables;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coretrace_test_estimate::report::document_block;
use coretrace_test_gen::btr::files;
use sizes::Sizes;

/// The document with the tables.
const DOCUMENT: &str = "docs/compression.md";

/// The folders of branch traces.
const FOLDERS: [&str; 3] = ["a32-mibench", "a64-debian", "own"];

/// Compresses all branch traces with all encoders, and puts the tables into the document.
///
/// # Errors
/// If a trace or the document cannot be read or written.
pub fn run(root: &Path) -> Result<()> {
    let workloads = root.join("../shared/workloads");
    let mut measured = Vec::new();
    for path in files::traces(&workloads)? {
        let name = files::name(&path);
        println!("{name}");
        measured.push(Sizes::of(name, &files::read(&path)?)?);
    }
    ensure!(!measured.is_empty(), "there are no branch traces");
    let accesses = accesses::of_folder(&root.join("../shared/nstrace"))?;
    let path = root.join(DOCUMENT);
    let mut text = fs::read_to_string(&path).context(DOCUMENT)?;
    for (marker, table) in [
        ("sizes", tables::sizes(&FOLDERS, &measured)?),
        ("published predictors", tables::predictors(&measured)?),
        ("published stream caches", tables::stream_caches(&measured)?),
        ("slides", tables::slides(&measured)?),
        ("accesses", tables::accesses(&accesses)),
    ] {
        text = document_block::replace(&text, marker, &table);
    }
    fs::write(&path, text).context(DOCUMENT)
}
