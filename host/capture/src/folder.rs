// SPDX-License-Identifier: MIT OR Apache-2.0
//! Capture folders: `capture.toml` and the trace file that it names.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::bytes::Block;
use crate::golden::hex;
use crate::path::path_inside;
use crate::{Description, MemoryImage, Trace, TraceBuffer, TraceBytes};

/// Name of the description in a capture folder.
pub const DESCRIPTION: &str = "capture.toml";

/// Opens a capture folder.
///
/// # Errors
/// If a file cannot be read, `capture.toml` is not well-formed, the trace file is not the one
/// described, or [`TraceBuffer::of_whole_frames`] refuses the contents.
pub fn open_folder(folder: &Path) -> Result<Trace> {
    let path = folder.join(DESCRIPTION);
    let text = fs::read_to_string(&path).with_context(|| {
        format!(
            "cannot read {}: a capture is a folder with a {DESCRIPTION} or a snapshot.ini in it",
            path.display()
        )
    })?;
    let cannot = || format!("{} cannot be used", path.display());
    let description = Description::parse(&text).with_context(cannot)?;
    let file = folder.join(&description.file);
    let bytes = TraceBytes::of_file(&file)?;
    check_identity(&description, &bytes)
        .with_context(|| format!("{} is not the file described", file.display()))?;
    let buffer = TraceBuffer::of_whole_frames(description.format, bytes, &description.sources)
        .with_context(cannot)?;
    let memory = description.memory.into_iter().map(|image| {
        let file = path_inside(folder, &image.file)?;
        Ok(MemoryImage { file, ..image })
    });
    let memory = memory.collect::<Result<_>>().with_context(cannot)?;
    Ok(Trace {
        memory,
        ..Trace::of_buffer(description.name, buffer)
    })
}

fn check_identity(description: &Description, bytes: &TraceBytes) -> Result<()> {
    if let (Some(want), Some(len)) = (description.bytes, bytes.len()?) {
        ensure!(
            want == len,
            "it has {len} bytes and should have {want}: get it again or correct `bytes`"
        );
    }
    if let Some(want) = &description.sha256 {
        let mut hash = Sha256::new();
        let _ = bytes.read(|block| {
            if let Block::Bytes(bytes) = block {
                hash.update(bytes);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let found = hex(&hash.finalize());
        ensure!(
            found.eq_ignore_ascii_case(want),
            "its SHA-256 is {found} and should be {want}: get it again or correct `sha256`"
        );
    }
    Ok(())
}
