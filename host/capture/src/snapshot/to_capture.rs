// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a snapshot to capture folders.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use toml::Value;

use super::contents::{Snapshot, SnapshotBuffer};
use crate::MemoryImage;
use crate::copy::{copy, new_folder, open, write_text};

/// Name of the trace file.
const TRACE: &str = "trace.bin";

/// Writes a snapshot as capture folders, one for each buffer: `folder` itself for the only one,
/// otherwise a folder in it with the name of the buffer. Each gets the memory dumps. Returns the
/// folders. Files are copied block by block.
///
/// # Errors
/// If a folder exists, a file cannot be copied, or the name of a buffer cannot be that of a folder.
pub fn write_capture(snapshot: &Snapshot, folder: &Path) -> Result<Vec<PathBuf>> {
    let folders: Vec<PathBuf> = match snapshot.buffers.as_slice() {
        [_] => vec![folder.to_owned()],
        buffers => buffers
            .iter()
            .map(|buffer| Ok(folder.join(folder_name(&buffer.name)?)))
            .collect::<Result<_>>()?,
    };
    for (folder, buffer) in folders.iter().zip(&snapshot.buffers) {
        new_folder(folder)?;
        write_buffer(snapshot, buffer, folder)
            .with_context(|| format!("buffer {} cannot be written", buffer.name))?;
    }
    Ok(folders)
}

/// The name of a buffer, which comes from a file, as the name of a folder.
fn folder_name(buffer: &str) -> Result<&str> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    ensure!(
        buffer.chars().all(plain) && !buffer.starts_with('.') && !buffer.is_empty(),
        "buffer {buffer:?} would be the name of a folder: rename it in the snapshot"
    );
    Ok(buffer)
}

fn write_buffer(snapshot: &Snapshot, buffer: &SnapshotBuffer, folder: &Path) -> Result<()> {
    let files = buffer.files.iter().map(|file| open(file));
    let trace = copy(files, &folder.join(TRACE))?;
    let format = buffer.framing.format(&trace.start);
    let mut text = String::new();
    let mut line = |key: &str, value: Value| writeln!(text, "{key} = {value}").expect("a string");
    line("name", snapshot.name.clone().into());
    let origin = format!("buffer {} of a snapshot", buffer.name);
    line("origin", origin.into());
    line("file", TRACE.into());
    line("format", format.to_string().into());
    line("bytes", i64::try_from(trace.bytes)?.into());
    line("sha256", trace.sha256.into());
    for source in &buffer.sources {
        text.push('\n');
        text.push_str(&source.toml());
    }
    let mut copies = BTreeMap::new();
    for dump in &snapshot.dumps {
        let next = format!("image{}.bin", copies.len());
        let name = copies.entry(&dump.file).or_insert_with(|| next.clone());
        if *name == next {
            copy([open(&dump.file)], &folder.join(&next))?;
        }
        text.push_str(&memory_table(name, dump));
    }
    write_text(&folder.join("capture.toml"), &text)
}

fn memory_table(file: &str, dump: &MemoryImage) -> String {
    let mut text = format!(
        "\n[[memory]]\nfile = \"{file}\"\naddress = {:#x}\n",
        dump.address
    );
    for (key, value) in [("length", dump.length), ("offset", dump.offset)] {
        if let Some(value) = value {
            writeln!(text, "{key} = {value:#x}").expect("a string");
        }
    }
    if let Some(space) = &dump.space {
        writeln!(text, "space = {}", Value::from(space.as_str())).expect("a string");
    }
    text
}
