// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copies of files, block by block, into folders that did not exist before.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Bytes copied at a time.
const BLOCK: usize = 1 << 16;

/// What was copied.
pub(crate) struct Copied {
    /// Number of bytes.
    pub(crate) bytes: u64,
    /// SHA-256, 64 hexadecimal digits.
    pub(crate) sha256: String,
    /// The first bytes, at most a block.
    pub(crate) start: Vec<u8>,
}

/// Makes a folder and the folders that it is in.
///
/// # Errors
/// If it exists or cannot be made.
pub(crate) fn new_folder(folder: &Path) -> Result<()> {
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    }
    fs::create_dir(folder).with_context(|| {
        let folder = folder.display();
        format!("cannot make {folder}: name a folder that does not exist")
    })
}

/// Writes a new text file.
///
/// # Errors
/// If it exists or cannot be written.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<()> {
    let mut file = create(path)?;
    file.write_all(text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Opens a file for reading.
///
/// # Errors
/// If that is not possible.
pub(crate) fn open(path: &Path) -> Result<File> {
    File::open(path).with_context(|| format!("cannot read {}: is it there?", path.display()))
}

/// Copies inputs, joined, to a new file.
///
/// # Errors
/// If an input cannot be read, or the file exists or cannot be written.
pub(crate) fn copy<R: Read>(
    inputs: impl IntoIterator<Item = Result<R>>,
    path: &Path,
) -> Result<Copied> {
    let mut file = create(path)?;
    let mut digest = Sha256::new();
    let (mut bytes, mut start) = (0, Vec::new());
    let mut block = vec![0; BLOCK];
    for input in inputs {
        let mut input = input?;
        loop {
            let length = input
                .read(&mut block)
                .with_context(|| format!("cannot copy to {}", path.display()))?;
            if length == 0 {
                break;
            }
            let block = &block[..length];
            digest.update(block);
            bytes += length as u64;
            start.extend_from_slice(&block[..length.min(BLOCK - start.len())]);
            file.write_all(block)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    let sha256 = digest.finalize();
    Ok(Copied {
        bytes,
        sha256: sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
        start,
    })
}

fn create(path: &Path) -> Result<File> {
    File::create_new(path).with_context(|| format!("cannot write {}", path.display()))
}
