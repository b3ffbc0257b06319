// SPDX-License-Identifier: MIT OR Apache-2.0
//! Golden lists and other compressed files beside a capture.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use liblzma::read::XzDecoder;
use sha2::{Digest, Sha256};

/// Reads and unpacks an `.xz` file.
///
/// # Errors
/// If it cannot be read or is damaged.
pub fn read_xz(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut bytes = Vec::new();
    XzDecoder::new(file)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{} is not a valid xz file: get it again", path.display()))?;
    Ok(bytes)
}

/// Reads and unpacks a text `.xz` file; split it with [`str::lines`].
///
/// # Errors
/// As [`read_xz`], and if it is not UTF-8.
pub fn read_xz_text(path: &Path) -> Result<String> {
    String::from_utf8(read_xz(path)?).with_context(|| format!("{} is not text", path.display()))
}

/// The SHA-256 of some bytes, 64 hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Two hexadecimal digits for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
