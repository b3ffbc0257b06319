// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks in a file of any length.

use std::path::Path;

use anyhow::Result;
use coretrace_abi::compressed::block::SIZES;
use coretrace_replay::{Block, Blocks};

use crate::stream_file::{open, read_stream};

/// Passes the blocks of a file, in order, to `sink`, with the bytes between each and the one before. Returns
/// the bytes behind the last one.
///
/// # Errors
/// If the file cannot be read, or `sink` fails.
pub fn read_blocks(
    path: &Path,
    mut sink: impl FnMut(&Block<'_>, u64) -> Result<()>,
) -> Result<u64> {
    let [.., most] = SIZES;
    let mut waiting = Waiting::default();
    read_stream(path, open(path)?, |bytes| {
        waiting.bytes.extend_from_slice(bytes);
        match waiting.bytes.len().checked_sub(most) {
            Some(end) => waiting.take(end, &mut sink),
            None => Ok(()),
        }
    })?;
    waiting.take(waiting.bytes.len(), &mut sink)?;
    Ok(waiting.skipped)
}

/// Bytes that may be of a block.
#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Bytes behind the last block that are of none.
    skipped: u64,
}

impl Waiting {
    /// Takes the blocks that begin in front of a place, and the bytes in front of it.
    fn take(
        &mut self,
        end: usize,
        mut sink: impl FnMut(&Block<'_>, u64) -> Result<()>,
    ) -> Result<()> {
        // Blocks begin at words.
        let end = end.next_multiple_of(4).min(self.bytes.len());
        let mut taken = 0;
        for block in Blocks::new(&self.bytes).take_while(|block| block.offset < end) {
            sink(&block, self.skipped + (block.offset - taken) as u64)?;
            self.skipped = 0;
            taken = block.offset + block.bytes();
        }
        self.skipped += end.saturating_sub(taken) as u64;
        self.bytes.drain(..end.max(taken));
        Ok(())
    }
}
