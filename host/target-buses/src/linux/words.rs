// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of a file in memory. An access is one aligned word of 32 bits, which the compiler neither splits,
//! joins, repeats nor leaves out; the next access waits until it has reached the device.
#![expect(unsafe_code, reason = "registers are memory that others change")]

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

use memmap2::{MmapOptions, MmapRaw};

use super::access::Access;
use super::system;

/// Bytes of a word.
const WORD: usize = size_of::<u32>();

/// A part of a file in memory.
pub struct Words {
    map: MmapRaw,
    access: Access,
}

impl Words {
    /// Maps bytes of a file from a place on.
    ///
    /// # Errors
    /// If the file cannot be opened or mapped, or is a regular file that ends before.
    pub fn map(path: &Path, place: u64, bytes: u64, access: Access) -> Result<Words> {
        let file = system::options(access).open(path)?;
        let is_there = is_long_enough(&file, place.checked_add(bytes))?;
        let bytes = usize::try_from(bytes).ok().filter(|_| is_there);
        let bytes = bytes.ok_or(ErrorKind::UnexpectedEof)?;
        let mut options = MmapOptions::new();
        options.offset(place).len(bytes);
        let map = match access {
            Access::Read => options.map_raw_read_only(&file),
            Access::ReadWrite => options.map_raw(&file),
        };
        Ok(Words { map: map?, access })
    }

    /// Reads the word at a place; `None` if none begins there.
    pub fn read(&self, place: u64) -> Option<u32> {
        let word = self.word(place)?;
        // SAFETY: `word` is aligned, and its four bytes are in the map, which lives as long as `self`. Others
        // may change them at any time: they are read once, and no reference to them exists.
        let value = unsafe { word.read_volatile() };
        barrier();
        Some(value)
    }

    /// Writes the word at a place; `None` if none begins there, or nothing is written here.
    pub fn write(&self, place: u64, value: u32) -> Option<()> {
        let word = self
            .word(place)
            .filter(|_| self.access == Access::ReadWrite)?;
        // SAFETY: as for `read`, and the map was made for writing.
        unsafe { word.write_volatile(value) };
        barrier();
        Some(())
    }

    fn word(&self, place: u64) -> Option<*mut u32> {
        let place = usize::try_from(place).ok()?;
        let is_inside = place.checked_add(WORD)? <= self.map.len();
        let word = self.map.as_mut_ptr().wrapping_add(place).cast::<u32>();
        (is_inside && word.is_aligned()).then_some(word)
    }
}

/// Whether a regular file has so many bytes; devices do not say.
fn is_long_enough(file: &File, end: Option<u64>) -> Result<bool> {
    let found = file.metadata()?;
    let end = end.ok_or_else(|| Error::from(ErrorKind::InvalidInput))?;
    Ok(!found.is_file() || end <= found.len())
}

/// Accesses before are done before those behind, as devices and the DMA see them.
#[cfg(target_arch = "aarch64")]
fn barrier() {
    // SAFETY: the instruction waits, and changes neither memory nor registers.
    unsafe { std::arch::asm!("dsb sy", options(nostack, preserves_flags)) };
}

/// Accesses before are done before those behind.
#[cfg(not(target_arch = "aarch64"))]
fn barrier() {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}
