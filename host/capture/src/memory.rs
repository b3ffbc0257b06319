// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory images: what was in the memory of the traced system.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use liblzma::read::XzDecoder;
use serde::Deserialize;

/// Bytes of an image, at most.
const LIMIT: u64 = 1 << 30;

/// A part of the memory of the traced system: a `[[memory]]` of a `capture.toml`, or a memory dump of
/// a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryImage {
    /// The file: in a description relative to the folder. One that ends in `.xz` is unpacked.
    pub file: PathBuf,
    /// Address of its first byte.
    pub address: u64,
    /// Number of bytes; to the end of the file if absent.
    pub length: Option<u64>,
    /// Place of the first byte in the file; 0 if absent.
    pub offset: Option<u64>,
    /// The memory space that it is in, such as `EL1N`; all of them if absent.
    pub space: Option<String>,
    /// The VMID that it belongs to, if it does to one.
    pub vmid: Option<u32>,
    /// The context ID that it belongs to, if it does to one.
    pub cid: Option<u32>,
}

impl MemoryImage {
    /// Reads its bytes.
    ///
    /// # Errors
    /// If the file cannot be read or unpacked, is shorter than the description says, or has more
    /// than a gigabyte.
    pub fn read(&self) -> Result<Vec<u8>> {
        let name = self.file.display();
        self.bytes()
            .with_context(|| format!("cannot read the memory image {name}"))
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        let mut file = File::open(&self.file)?;
        let offset = self.offset.unwrap_or(0);
        if is_packed(&self.file) {
            let mut unpacked = XzDecoder::new(file);
            let skipped = std::io::copy(&mut (&mut unpacked).take(offset), &mut std::io::sink())?;
            ensure!(skipped == offset, "it ends in front of offset {offset:#x}");
            self.take(unpacked)
        } else {
            file.seek(SeekFrom::Start(offset))?;
            self.take(file)
        }
    }

    fn take(&self, file: impl Read) -> Result<Vec<u8>> {
        let length = self.length;
        let mut bytes = Vec::new();
        file.take(length.unwrap_or(u64::MAX).min(LIMIT + 1))
            .read_to_end(&mut bytes)?;
        let found = bytes.len() as u64;
        ensure!(
            found <= LIMIT,
            "it has more than {LIMIT} bytes: give a length"
        );
        ensure!(
            length.is_none_or(|length| length == found),
            "it has only {found:#x} bytes behind its offset"
        );
        Ok(bytes)
    }
}

/// Whether a file is to be unpacked.
pub(crate) fn is_packed(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "xz")
}
