// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks in a file of any length.

use std::io::{Cursor, Read};
use std::path::Path;

use anyhow::Result;
use coretrace_abi::compressed::block::SIZES;
use coretrace_capture::ensure_bytes;
use coretrace_replay::{Block, Blocks, Sequences};

use crate::error::say;
use crate::stream_file::{beginning, open, read_stream};

/// Passes the blocks of a file, in order, to `sink`. Returns what is not there.
///
/// # Errors
/// If the file cannot be read, or `sink` fails.
pub fn read_blocks(path: &Path, mut sink: impl FnMut(&Block<'_>) -> Result<()>) -> Result<Gaps> {
    let [.., most] = SIZES;
    let mut waiting = Waiting::default();
    let (head, rest) = beginning(open(path)?)?;
    ensure_bytes(&path.display().to_string(), &head)?;
    read_stream(path, Cursor::new(head).chain(rest), |bytes| {
        waiting.bytes.extend_from_slice(bytes);
        match waiting.bytes.len().checked_sub(most) {
            Some(end) => waiting.take(end, &mut sink),
            None => Ok(()),
        }
    })?;
    waiting.take(waiting.bytes.len(), &mut sink)?;
    Ok(waiting.gaps)
}

/// What is not in a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gaps {
    /// Bytes that are of no block.
    pub bytes: u64,
    /// Blocks that are missing, by their numbers.
    pub blocks: u64,
}

impl Gaps {
    /// Whether there is a gap.
    pub fn is_any(&self) -> bool {
        self.bytes > 0 || self.blocks > 0
    }

    /// Says on standard error what is not there, if anything is not.
    pub fn say(&self) {
        let Gaps { bytes, blocks } = self;
        if self.is_any() {
            say(&format!(
                "warning: {bytes} bytes are of no block, and {blocks} blocks are missing"
            ));
        }
    }
}

/// Bytes that may be of a block.
#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    gaps: Gaps,
    /// Of the blocks so far: the bytes come in pieces.
    sequences: Sequences,
}

impl Waiting {
    /// Takes the blocks that begin in front of a place, and the bytes in front of it.
    fn take(&mut self, end: usize, mut sink: impl FnMut(&Block<'_>) -> Result<()>) -> Result<()> {
        // Blocks begin at words.
        let end = end.next_multiple_of(4).min(self.bytes.len());
        let mut taken = 0;
        for block in Blocks::new(&self.bytes).take_while(|block| block.offset < end) {
            self.gaps.bytes += (block.offset - taken) as u64;
            self.gaps.blocks += u64::from(self.sequences.missing(&block.header));
            sink(&block)?;
            taken = block.offset + block.bytes();
        }
        self.gaps.bytes += end.saturating_sub(taken) as u64;
        self.bytes.drain(..end.max(taken));
        Ok(())
    }
}
