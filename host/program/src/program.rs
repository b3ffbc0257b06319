// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which files are where in memory.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail, ensure};

use crate::elf::{Elf, Segment};
use crate::loaded::Part;
use crate::memory::Memory;
use crate::symbols::Symbols;

/// ELF files, and where they are in memory: in that of every process, or of one.
#[derive(Default)]
pub struct Program {
    files: Vec<Elf>,
    memory: Memory,
}

/// Bytes of a file in memory.
pub struct LoadedBytes<'a> {
    /// The file.
    pub path: &'a Path,
    /// The process that has them; `None` if every one does.
    pub process: Option<u32>,
    /// The address of the first byte.
    pub address: u64,
    /// The bytes of the file.
    pub file: &'a Arc<[u8]>,
    /// Which of them they are.
    pub range: Range<usize>,
}

impl<'a> LoadedBytes<'a> {
    /// The bytes.
    pub fn bytes(&self) -> &'a [u8] {
        &self.file[self.range.clone()]
    }
}

/// A part of a file in memory, as a recording of the system describes it.
#[derive(Clone, Copy, Debug)]
pub struct FileMapping<'a> {
    /// The first address.
    pub address: u64,
    /// Bytes.
    pub len: u64,
    /// The place of the first byte in the file.
    pub offset: u64,
    /// The build ID of the file, if it is known; zeros may follow it.
    pub build_id: Option<&'a [u8]>,
    /// The process that mapped it; `None` if every process has it.
    pub process: Option<u32>,
}

impl Program {
    /// Adds a file with all its segments: where they are linked to be, or moved so that the segment
    /// with the lowest address begins at `address`. Where files overlap the last one counts.
    ///
    /// # Errors
    /// If the file cannot be read, or is no ELF file for AArch64 or Arm, or too much is in memory.
    pub fn add_file(&mut self, path: &Path, address: Option<u64>) -> Result<()> {
        let file = self.file(path)?;
        self.load(file, address)
    }

    /// As [`Program::add_file`], a file that is in memory and has this name.
    ///
    /// # Errors
    /// If it is no ELF file for AArch64 or Arm.
    pub fn add_bytes(&mut self, name: &Path, bytes: Vec<u8>, address: Option<u64>) -> Result<()> {
        self.files.push(Elf::parse(name, bytes)?);
        self.load(self.files.len() - 1, address)
    }

    fn load(&mut self, file: usize, address: Option<u64>) -> Result<()> {
        let elf = &self.files[file];
        let bias = address.map_or(0, |address| address.wrapping_sub(elf.lowest_address()));
        for segment in &elf.segments {
            let start = segment.address.wrapping_add(bias);
            let end = start.saturating_add(segment.size);
            let process = None;
            self.memory.add(
                start,
                Part {
                    end,
                    bias,
                    file,
                    process,
                },
            )?;
        }
        Ok(())
    }

    /// Adds a part of a file. Where parts overlap the last one counts, as in memory.
    ///
    /// # Errors
    /// As [`Program::add_file`], and if it has another build ID or nothing of it is loaded from there.
    pub fn add_mapping(&mut self, path: &Path, mapping: &FileMapping<'_>) -> Result<()> {
        let file = self.file(path)?;
        let elf = &self.files[file];
        check_build(elf, mapping)?;
        let name = path.display();
        let Some(segment) = elf.segment_at(mapping.offset, mapping.len) else {
            let offset = mapping.offset;
            bail!("{name} has no segment at offset {offset:#x}: name the file that was traced");
        };
        let bias = mapping
            .address
            .wrapping_sub(mapping.offset)
            .wrapping_add(segment.offset)
            .wrapping_sub(segment.address);
        let end = mapping.address.saturating_add(mapping.len);
        self.memory.add(
            mapping.address,
            Part {
                end,
                bias,
                file,
                process: mapping.process,
            },
        )
    }

    /// Adds a kernel with all its segments. `mapping` is how the system describes it: its offset is the
    /// address at which `symbol` was. Without a symbol the kernel is where it is linked to be.
    ///
    /// # Errors
    /// As [`Program::add_file`], and if it has another build ID or no such symbol.
    pub fn add_kernel(
        &mut self,
        path: &Path,
        mapping: &FileMapping<'_>,
        symbol: &str,
    ) -> Result<()> {
        let file = self.file(path)?;
        let elf = &self.files[file];
        check_build(elf, mapping)?;
        let linked = match symbol {
            "" => mapping.offset,
            name => elf.symbol(name)?,
        };
        let moved = mapping.offset.wrapping_sub(linked);
        let address = elf.lowest_address().wrapping_add(moved);
        self.add_file(path, Some(address))
    }

    /// What is in memory: the parts of segments that are in their files. What a process has comes behind
    /// what every process has, and counts where they overlap.
    pub fn images(&self) -> impl Iterator<Item = LoadedBytes<'_>> {
        self.memory.parts().flat_map(|(start, part)| {
            let elf = &self.files[part.file];
            let loaded = start.wrapping_sub(part.bias)..part.end.wrapping_sub(part.bias);
            let of_segment = move |segment: &Segment| {
                let stored = segment.address.saturating_add(segment.file_size);
                let first = loaded.start.max(segment.address);
                let len = loaded.end.min(stored).checked_sub(first)?;
                let offset = segment.offset.checked_add(first - segment.address)?;
                let start = usize::try_from(offset).ok()?;
                let range = start..start.checked_add(usize::try_from(len).ok()?)?;
                elf.bytes.get(range.clone())?;
                Some(LoadedBytes {
                    path: elf.path.as_path(),
                    process: part.process,
                    address: first.wrapping_add(part.bias),
                    file: &elf.bytes,
                    range,
                })
            };
            elf.segments.iter().filter_map(of_segment)
        })
    }

    /// The files with a build ID, and the addresses of each part of them that is in memory.
    pub fn builds(&self) -> impl Iterator<Item = (&Path, Range<u64>, &[u8])> {
        self.memory.parts().filter_map(|(start, part)| {
            let elf = &self.files[part.file];
            let build_id = elf.build_id.as_deref()?;
            Some((elf.path.as_path(), start..part.end, build_id))
        })
    }

    /// The number of a file, which is read once.
    fn file(&mut self, path: &Path) -> Result<usize> {
        if let Some(known) = self.files.iter().position(|file| file.path == path) {
            return Ok(known);
        }
        self.files.push(Elf::open(path)?);
        Ok(self.files.len() - 1)
    }

    /// Its symbols, in the memory that every process has.
    ///
    /// # Errors
    /// If the debug information of a file has no list of units.
    pub fn symbols(&self) -> Result<Symbols<'_>> {
        Symbols::new(&self.files, &self.memory)
    }
}

/// An error if a file is another build than the one that was mapped.
fn check_build(elf: &Elf, mapping: &FileMapping<'_>) -> Result<()> {
    if let (Some(want), Some(found)) = (mapping.build_id, &elf.build_id) {
        ensure!(
            is_same_build(want, found),
            "{} has build ID {} and the traced one had {}: name the file that was traced",
            elf.path.display(),
            hex(found),
            hex(want)
        );
    }
    Ok(())
}

/// Whether two build IDs are the same but for zeros behind one of them.
pub fn is_same_build(a: &[u8], b: &[u8]) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    long.starts_with(short) && long[short.len()..].iter().all(|&byte| byte == 0)
}

/// A build ID as people write it.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
