// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers and reserved memory of the chip that the program runs on.
//!
//! | module | what it holds |
//! |---|---|
//! | `access` | whether words are written |
//! | `words` | words of a file in memory: all that is `unsafe` |
//! | `uio` | which UIO node has a range |
//! | `system` | what the C library says: flags of files, the size of a page |
//! | `kernel` | drivers that use components, cores that are online, the bitstream, its own memory, idle states |
//!
//! A range comes from the UIO node that has all of it, and from `/dev/mem` otherwise. An access that the chip
//! answers with an error ends the program by SIGBUS.
//!
//! Source: Linux, `Documentation/driver-api/uio-howto.rst` and `mem(4)`.

mod access;
mod kernel;
mod system;
mod uio;
mod words;

pub use access::Access;
pub use kernel::{Awake, driver_of, has_memory, is_online, is_programmed};

use std::fmt;
use std::io::{Error, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};

use coretrace_target::{Bus, BusError};

use uio::Node;
use words::Words;

/// Ranges of addresses in memory.
pub struct Linux(Vec<Window>);

/// A range of addresses in memory, behind so many bytes of its map.
struct Window {
    range: Range<u64>,
    words: Words,
    skipped: u64,
}

/// Why a range could not be mapped.
#[derive(Debug)]
pub struct MapError {
    path: PathBuf,
    range: Range<u64>,
    cause: Error,
}

impl MapError {
    /// What to do, in a sentence.
    pub fn advice(&self) -> &'static str {
        match self.cause.kind() {
            ErrorKind::PermissionDenied => {
                "run it as root; a kernel with STRICT_DEVMEM keeps what a driver uses: unbind the driver, or give the range a UIO node"
            }
            _ => {
                "check the addresses of the topology, and that the kernel has /dev/mem or a UIO node"
            }
        }
    }
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, Range { start, end }) = (self.path.display(), &self.range);
        write!(
            f,
            "{path}: cannot map {start:#X} to {end:#X}: {}",
            self.cause
        )
    }
}

impl std::error::Error for MapError {}

impl Linux {
    /// Maps ranges of addresses that begin and end at words, by the files below a root: `/`, but for tests.
    ///
    /// # Errors
    /// If a range cannot be mapped.
    pub fn open(root: &Path, ranges: &[Range<u64>], access: Access) -> Result<Linux, MapError> {
        let nodes = uio::nodes(root);
        let window = |range: &Range<u64>| {
            let node = nodes.iter().find(|node| node.has(range));
            let place = match node {
                Some(node) => Place::of_node(node, range),
                None => Place {
                    path: root.join("dev/mem"),
                    first: range.start,
                    skipped: 0,
                },
            };
            let bytes = place.skipped + (range.end - range.start);
            let words = Words::map(&place.path, place.first, bytes, access);
            let words = words.map_err(|cause| MapError {
                path: place.path,
                range: range.clone(),
                cause,
            })?;
            Ok(Window {
                range: range.clone(),
                words,
                skipped: place.skipped,
            })
        };
        ranges
            .iter()
            .map(window)
            .collect::<Result<_, _>>()
            .map(Linux)
    }

    fn find(&self, address: u64) -> Result<(&Words, u64), BusError> {
        let mut windows = self.0.iter();
        match windows.find(|window| window.range.contains(&address)) {
            Some(window) => Ok((
                &window.words,
                window.skipped + (address - window.range.start),
            )),
            None => Err(BusError::Refused(format!("{address:#X} is not mapped"))),
        }
    }
}

/// Where the bytes of a range are in a file.
struct Place {
    path: PathBuf,
    first: u64,
    skipped: u64,
}

impl Place {
    /// A map of a UIO node begins with the map, not within it.
    fn of_node(node: &Node, range: &Range<u64>) -> Place {
        Place {
            path: node.device.clone(),
            first: node.number * system::page_bytes(),
            skipped: range.start - node.range.start,
        }
    }
}

impl Bus for Linux {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        let (words, place) = self.find(address)?;
        words.read(place).ok_or_else(|| no_word(address))
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        let (words, place) = self.find(address)?;
        words.write(place, value).ok_or_else(|| no_word(address))
    }
}

fn no_word(address: u64) -> BusError {
    BusError::Refused(format!("{address:#X} is no word that may be accessed so"))
}
