// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stream of a core, as DMA stores it or a pipe carries it. It is read in pieces, never as a
//! whole.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coretrace_streams::{BEGINNING_BYTES, Damage};

use crate::error::say;

/// Bytes to read at a time.
const BUFFER_BYTES: usize = 1 << 18;

/// Takes the beginning of a stream off: its first 8 KiB, or less if it ends.
///
/// # Errors
/// If it cannot be read.
pub fn beginning<R: Read>(mut reader: R) -> io::Result<(Vec<u8>, R)> {
    let mut head = Vec::new();
    reader
        .by_ref()
        .take(BEGINNING_BYTES as u64)
        .read_to_end(&mut head)?;
    Ok((head, reader))
}

/// Passes the bytes of a stream to `sink`; returns their number. Messages call it `path`.
///
/// # Errors
/// If the stream cannot be read, or `sink` fails.
pub fn read_stream(
    path: &Path,
    mut file: impl Read,
    mut sink: impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    let name = path.display();
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut bytes = 0;
    loop {
        let read = read_some(path, &mut file, &mut buffer)?;
        if read == 0 {
            return Ok(bytes);
        }
        sink(&buffer[..read]).with_context(|| format!("cannot go on in {name}"))?;
        bytes += read as u64;
    }
}

/// Reads what is there of a stream, up to the size of a buffer; returns how much, 0 at its end. Messages call it `path`.
///
/// # Errors
/// If the stream cannot be read.
pub fn read_some(path: &Path, file: &mut impl Read, buffer: &mut [u8]) -> Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.with_context(|| format!("cannot read {}", path.display())),
        }
    }
}

/// Opens a file, or standard input if it is `-`.
///
/// # Errors
/// If it cannot be read.
pub fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    let name = path.display();
    let file =
        File::open(path).with_context(|| format!("cannot read {name}: is the name right?"))?;
    ensure!(
        !file.metadata()?.is_dir(),
        "{name} is a folder: name a file"
    );
    Ok(Box::new(file))
}

/// Reports on standard error what is missing in a record stream, if anything is.
pub fn say_damage(path: &Path, damage: &Damage) {
    if damage.is_any() {
        say(&format!("warning: {}: {damage}", path.display()));
    }
}

/// Reports on standard error that the last entry of a file is incomplete.
pub fn say_cut(path: &Path, bytes: u64) {
    say(&format!(
        "warning: {}: it ends after {bytes} bytes in the middle of an entry: the rest was not \
         stored, or the file was cut",
        path.display()
    ));
}
