// SPDX-License-Identifier: MIT OR Apache-2.0
//! An ELF file of an Arm core, in memory. Files that it names are not opened.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::gimli::DwarfSections;
use anyhow::{Context, Error, Result, anyhow, ensure};
use object::{
    Architecture, BinaryFormat, File, Object, ObjectSection, ObjectSegment, ObjectSymbol,
    SectionFlags, elf,
};

/// The largest expansion of a compressed section. A damaged one could otherwise fill the memory.
const MAX_RATIO: u64 = 100;

/// An ELF file.
pub struct Elf {
    /// Its name.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// The sections with debug information.
    pub debug: DwarfSections<Vec<u8>>,
    /// What is loaded.
    pub segments: Vec<Segment>,
    /// The build ID.
    pub build_id: Option<Vec<u8>>,
}

/// A part of a file that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The file address of the first byte: where it is linked to be.
    pub address: u64,
    /// Bytes in memory.
    pub size: u64,
    /// The place of the first byte in the file.
    pub offset: u64,
    /// Bytes in the file.
    pub file_size: u64,
}

impl Elf {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is no ELF file of an Arm core.
    pub fn open(path: &Path) -> Result<Elf> {
        let bytes = fs::read(path).map_err(|cause| refusal(path, &cause.into()))?;
        Elf::parse(path, bytes)
    }

    /// A file of these bytes.
    ///
    /// # Errors
    /// If it is no ELF file of an Arm core.
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Elf> {
        let read = || {
            let elf = File::parse(&bytes[..])?;
            // Another crate may let `object` read other formats.
            let format = elf.format();
            ensure!(format == BinaryFormat::Elf, "it is {format:?}");
            let architecture = elf.architecture();
            ensure!(
                matches!(
                    architecture,
                    Architecture::Aarch64 | Architecture::Aarch64_Ilp32 | Architecture::Arm
                ),
                "its machine is {architecture:?}, not AArch64 or Arm"
            );
            let debug = DwarfSections::load(|id| section(&elf, id.name()))?;
            let segments = segments(&elf);
            let build_id = elf.build_id().ok().flatten().map(<[u8]>::to_owned);
            anyhow::Ok(Elf {
                path: path.to_owned(),
                bytes: bytes.into(),
                debug,
                segments,
                build_id,
            })
        };
        read().map_err(|cause| refusal(path, &cause))
    }

    /// The file address of a symbol.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn symbol(&self, name: &str) -> Result<u64> {
        let elf = File::parse(&self.bytes[..])?;
        let symbol = elf.symbol_by_name(name);
        let path = self.path.display();
        Ok(symbol
            .with_context(|| format!("{path} has no symbol {name}: is it the kernel that ran?"))?
            .address())
    }

    /// The lowest file address that is loaded.
    pub fn lowest_address(&self) -> u64 {
        let addresses = self.segments.iter().map(|segment| segment.address);
        addresses.min().unwrap_or_default()
    }

    /// The segment with most bytes in a stretch of the file.
    pub fn segment_at(&self, offset: u64, len: u64) -> Option<&Segment> {
        let end = offset.saturating_add(len);
        let shared = |segment: &Segment| {
            let segment_end = segment.offset.saturating_add(segment.file_size);
            end.min(segment_end)
                .saturating_sub(offset.max(segment.offset))
        };
        let mapped = self.segments.iter().max_by_key(|segment| shared(segment))?;
        (shared(mapped) > 0).then_some(mapped)
    }
}

/// The error for a file that cannot be used.
pub fn refusal(path: &Path, cause: &Error) -> Error {
    let name = path.display();
    anyhow!("no symbols can be read from {name}: {cause}: is it the ELF file of the program?")
}

/// The segments; of a file without any, such as an object file, the sections that are loaded.
fn segments(elf: &File<'_>) -> Vec<Segment> {
    let segments: Vec<Segment> = elf
        .segments()
        .map(|segment| {
            let (offset, file_size) = segment.file_range();
            Segment {
                address: segment.address(),
                size: segment.size(),
                offset,
                file_size,
            }
        })
        .collect();
    if !segments.is_empty() {
        return segments;
    }
    elf.sections()
        .filter(is_loaded)
        .map(|section| {
            let (offset, file_size) = section.file_range().unwrap_or_default();
            Segment {
                address: section.address(),
                size: section.size(),
                offset,
                file_size,
            }
        })
        .collect()
}

/// Whether a section is in memory while the program runs.
pub fn is_loaded<'data>(section: &impl ObjectSection<'data>) -> bool {
    match section.flags() {
        SectionFlags::Elf { sh_flags, .. } => sh_flags.contains(elf::SHF_ALLOC),
        _ => false,
    }
}

/// The bytes of a section, none if it is absent.
fn section(elf: &File<'_>, name: &str) -> Result<Vec<u8>> {
    let Some(section) = elf.section_by_name(name) else {
        return Ok(Vec::new());
    };
    let stored = section.compressed_data()?;
    ensure!(
        stored.uncompressed_size / MAX_RATIO <= stored.data.len() as u64,
        "section {name} says that it is {} bytes",
        stored.uncompressed_size
    );
    Ok(stored.decompress()?.into_owned())
}
