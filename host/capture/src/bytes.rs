// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bytes of a trace buffer: where they are, and how they are read in blocks.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// Bytes read at a time.
const BLOCK_BYTES: usize = 1 << 16;

/// How long to wait for more bytes of a growing file.
const WAIT: Duration = Duration::from_millis(100);

/// A stretch of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its first byte in the file.
    pub offset: u64,
    /// Its bytes.
    pub len: u64,
    /// Whether bytes of the trace before it were lost. Framing starts again there.
    pub lost_before: bool,
}

/// The bytes of a trace buffer. They are read in blocks, never as a whole.
#[derive(Clone)]
pub enum TraceBytes {
    /// In memory: stretches, between which bytes were lost.
    Memory(Rc<[Vec<u8>]>),
    /// Files, one after the other.
    Files(Vec<PathBuf>),
    /// Stretches of a file.
    Pieces(Rc<File>, Vec<Piece>),
    /// A file that grows: it is read until the reader breaks off.
    Growing(PathBuf),
    /// A stream that can be read once, such as standard input.
    Once(Rc<RefCell<Option<Box<dyn Read>>>>),
}

/// What a reader of trace bytes gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block<'a> {
    /// The next bytes.
    Bytes(&'a [u8]),
    /// Bytes were lost here, and framing starts again.
    Lost,
}

impl fmt::Debug for TraceBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceBytes::Memory(stretches) => write!(f, "Memory({} bytes)", total(stretches)),
            TraceBytes::Files(files) => f.debug_tuple("Files").field(files).finish(),
            TraceBytes::Pieces(_, pieces) => write!(f, "Pieces({})", pieces.len()),
            TraceBytes::Growing(path) => f.debug_tuple("Growing").field(path).finish(),
            TraceBytes::Once(_) => f.write_str("Once"),
        }
    }
}

impl TraceBytes {
    /// Bytes in memory.
    pub fn memory(bytes: Vec<u8>) -> TraceBytes {
        TraceBytes::Memory(Rc::from([bytes]))
    }

    /// A stream that can be read once.
    pub fn once(reader: Box<dyn Read>) -> TraceBytes {
        TraceBytes::Once(Rc::new(RefCell::new(Some(reader))))
    }

    /// The bytes of a file; a device or a pipe is read once.
    ///
    /// # Errors
    /// If it cannot be opened, or is a folder.
    pub fn of_file(path: &Path) -> Result<TraceBytes> {
        let file = open(path)?;
        if file.metadata()?.is_file() {
            return Ok(TraceBytes::Files(vec![path.to_owned()]));
        }
        Ok(TraceBytes::once(Box::new(file)))
    }

    /// Whether the bytes can be read again.
    pub fn is_repeatable(&self) -> bool {
        !matches!(self, TraceBytes::Once(_) | TraceBytes::Growing(_))
    }

    /// The number of bytes, if it is known before they are read.
    ///
    /// # Errors
    /// If a file is not there.
    pub fn len(&self) -> Result<Option<u64>> {
        Ok(match self {
            TraceBytes::Memory(stretches) => Some(total(stretches)),
            TraceBytes::Files(files) => {
                let sizes = files.iter().map(|file| Ok(open(file)?.metadata()?.len()));
                Some(sizes.sum::<Result<u64>>()?)
            }
            TraceBytes::Pieces(_, pieces) => Some(pieces.iter().map(|piece| piece.len).sum()),
            TraceBytes::Growing(_) | TraceBytes::Once(_) => None,
        })
    }

    /// Passes all bytes to `sink` in order, until it breaks off.
    ///
    /// # Errors
    /// If a file cannot be read, a stream is read a second time, or `sink` fails.
    pub fn read(
        &self,
        mut sink: impl FnMut(Block<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        match self {
            TraceBytes::Memory(stretches) => {
                for (number, stretch) in stretches.iter().enumerate() {
                    let lost = (number > 0).then_some(Block::Lost);
                    let blocks = stretch.chunks(BLOCK_BYTES).map(Block::Bytes);
                    for block in lost.into_iter().chain(blocks) {
                        if sink(block)?.is_break() {
                            return Ok(ControlFlow::Break(()));
                        }
                    }
                }
                Ok(ControlFlow::Continue(()))
            }
            TraceBytes::Files(files) => {
                for path in files {
                    let mut file = open(path)?;
                    if blocks(&mut file, path, &mut sink)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok(ControlFlow::Continue(()))
            }
            TraceBytes::Pieces(file, pieces) => {
                for piece in pieces {
                    let mut file: &File = file;
                    file.seek(SeekFrom::Start(piece.offset))?;
                    if piece.lost_before && sink(Block::Lost)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                    let name = Path::new("the file");
                    if blocks(&mut file.take(piece.len), name, &mut sink)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok(ControlFlow::Continue(()))
            }
            TraceBytes::Growing(path) => growing(path, &mut sink),
            TraceBytes::Once(reader) => {
                let Some(mut reader) = reader.borrow_mut().take() else {
                    bail!(
                        "the trace comes from a pipe, which can be read once: store it in a file"
                    );
                };
                blocks(&mut reader, Path::new("the trace"), &mut sink)
            }
        }
    }

    /// The first bytes, at most `most`.
    ///
    /// # Errors
    /// As [`TraceBytes::read`].
    pub fn start(&self, most: usize) -> Result<Vec<u8>> {
        let mut start = Vec::new();
        let _ = self.read(|block| {
            if let Block::Bytes(bytes) = block {
                start.extend_from_slice(&bytes[..bytes.len().min(most - start.len())]);
            }
            Ok(if start.len() == most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        Ok(start)
    }

    /// All bytes, and the offsets before which bytes were lost.
    ///
    /// # Errors
    /// As [`TraceBytes::read`].
    pub fn load(&self) -> Result<(Vec<u8>, Vec<u64>)> {
        let (mut bytes, mut losses) = (Vec::new(), Vec::new());
        let _ = self.read(|block| {
            match block {
                Block::Bytes(more) => bytes.extend_from_slice(more),
                Block::Lost => losses.push(bytes.len() as u64),
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((bytes, losses))
    }
}

/// How many bytes there are in all stretches.
fn total(stretches: &[Vec<u8>]) -> u64 {
    stretches.iter().map(|stretch| stretch.len() as u64).sum()
}

fn open(path: &Path) -> Result<File> {
    let file = File::open(path)
        .with_context(|| format!("cannot read {}: is the name right?", path.display()))?;
    if file.metadata()?.is_dir() {
        bail!("{} is a folder: name a file", path.display());
    }
    Ok(file)
}

/// Passes the bytes of a growing file to `sink`, an empty block where there are no more yet.
fn growing(
    path: &Path,
    sink: &mut impl FnMut(Block<'_>) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let mut file = open(path)?;
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        let read = file.read(&mut block);
        let read = read.with_context(|| format!("cannot read {}", path.display()))?;
        if sink(Block::Bytes(&block[..read]))?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        if read == 0 {
            std::thread::sleep(WAIT);
        }
    }
}

/// Passes the bytes of a reader to `sink` in blocks. All but the last block are full.
fn blocks(
    reader: &mut impl Read,
    name: &Path,
    sink: &mut impl FnMut(Block<'_>) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let mut block = Vec::with_capacity(BLOCK_BYTES);
    loop {
        block.clear();
        let read = reader
            .by_ref()
            .take(BLOCK_BYTES as u64)
            .read_to_end(&mut block);
        read.with_context(|| format!("cannot read {}", name.display()))?;
        if block.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        if sink(Block::Bytes(&block))?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn pieces_are_read_in_order_and_losses_are_reported() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        let piece = |offset, len, lost_before| Piece {
            offset,
            len,
            lost_before,
        };
        let pieces = vec![piece(7, 2, false), piece(0, 3, true), piece(9, 5, true)];
        let bytes = TraceBytes::Pieces(Rc::new(file), pieces);
        assert_eq!(bytes.load().unwrap(), (b"780129".to_vec(), vec![2, 5]));
        assert_eq!(bytes.len().unwrap(), Some(10));
    }

    #[test]
    fn a_stream_is_read_once_and_says_so() {
        let bytes = TraceBytes::once(Box::new(&[1u8, 2][..]));
        assert_eq!(bytes.load().unwrap().0, [1, 2]);
        assert!(bytes.load().unwrap_err().to_string().contains("read once"));
    }

    #[test]
    fn a_growing_file_is_read_on_at_its_end() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"0123").unwrap();
        let bytes = TraceBytes::Growing(file.path().to_owned());
        let mut read = Vec::new();
        let done = bytes.read(|block| {
            match block {
                Block::Bytes([]) if read == b"01234" => return Ok(ControlFlow::Break(())),
                Block::Bytes([]) => file.write_all(b"4")?,
                Block::Bytes(more) => read.extend_from_slice(more),
                Block::Lost => {}
            }
            Ok(ControlFlow::Continue(()))
        });
        assert!(done.unwrap().is_break());
        assert_eq!(read, b"01234");
    }

    #[test]
    fn reading_stops_where_the_reader_breaks_off() {
        let bytes = TraceBytes::once(Box::new(std::io::repeat(0)));
        let mut read = 0;
        let done = bytes.read(|block| {
            if let Block::Bytes(block) = block {
                read += block.len();
            }
            Ok(if read > 1 << 20 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        });
        assert!(done.unwrap().is_break());
        assert_eq!(read, (1 << 20) + BLOCK_BYTES);
    }
}
