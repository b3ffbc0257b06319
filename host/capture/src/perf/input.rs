// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file with a length and a place in it; and numbers in bytes.

use std::io::{BufReader, Read, Result, Seek, SeekFrom};

/// A file, read forwards for the most part.
pub struct Input<R> {
    reader: BufReader<R>,
    position: u64,
    len: u64,
}

impl<R: Read + Seek> Input<R> {
    /// At the start of the file.
    pub fn new(mut reader: R) -> Result<Input<R>> {
        let len = reader.seek(SeekFrom::End(0))?;
        reader.rewind()?;
        Ok(Input {
            reader: BufReader::new(reader),
            position: 0,
            len,
        })
    }

    /// Bytes of the file.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The place of the next byte.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Goes to a place, at most the end.
    pub fn seek(&mut self, to: u64) -> Result<()> {
        self.position = self.reader.seek(SeekFrom::Start(to.min(self.len)))?;
        Ok(())
    }

    /// Passes over bytes, at most to the end.
    pub fn skip(&mut self, bytes: u64) -> Result<()> {
        let bytes = bytes.min(self.len - self.position);
        self.reader.seek_relative(bytes as i64)?;
        self.position += bytes;
        Ok(())
    }

    /// Reads `N` bytes; `None` if there are fewer before `end`.
    pub fn array<const N: usize>(&mut self, end: u64) -> Result<Option<[u8; N]>> {
        let mut bytes = [0; N];
        Ok(self.fill(&mut bytes, end)?.then_some(bytes))
    }

    /// Reads up to 64 KiB into a buffer that is used again; `false` if there are fewer before `end`.
    pub fn read(&mut self, buffer: &mut Vec<u8>, bytes: u16, end: u64) -> Result<bool> {
        buffer.resize(bytes.into(), 0);
        self.fill(buffer, end)
    }

    fn fill(&mut self, bytes: &mut [u8], end: u64) -> Result<bool> {
        let len = bytes.len() as u64;
        if end.min(self.len).saturating_sub(self.position) < len {
            return Ok(false);
        }
        self.reader.read_exact(bytes)?;
        self.position += len;
        Ok(true)
    }
}

/// The little-endian number in two bytes.
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*bytes))
}

/// The little-endian number in four bytes.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// The little-endian number in eight bytes.
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}
