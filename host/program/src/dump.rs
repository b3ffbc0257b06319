// SPDX-License-Identifier: MIT OR Apache-2.0
//! A memory dump that begins with a loaded ELF file.

use object::elf::{FileHeader32, FileHeader64, NT_GNU_BUILD_ID, PT_LOAD, PT_NOTE};
use object::read::elf::{FileHeader, NoteIterator, ProgramHeader};
use object::{Endianness, elf};

/// The ELF file at the beginning of a memory dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpedFile {
    /// Bytes that the file takes in memory.
    pub size: u64,
    /// Its build ID.
    pub build_id: Vec<u8>,
}

impl DumpedFile {
    /// The file at the beginning of a dump; none if there is none with a build ID.
    pub fn of(dump: &[u8]) -> Option<DumpedFile> {
        let of_64_bits = || dumped::<FileHeader64<Endianness>>(dump);
        dumped::<FileHeader32<Endianness>>(dump).or_else(of_64_bits)
    }
}

fn dumped<Elf: FileHeader<Endian = Endianness>>(dump: &[u8]) -> Option<DumpedFile> {
    let header = Elf::parse(dump).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, dump).ok()?;
    let of_type = |kind: elf::ProgramType| {
        let is_kind = move |segment: &&Elf::ProgramHeader| segment.p_type(endian) == kind;
        segments.iter().filter(is_kind)
    };
    let address = |segment: &Elf::ProgramHeader| -> u64 { segment.p_vaddr(endian).into() };
    let end = |segment: &Elf::ProgramHeader| {
        let size: u64 = segment.p_memsz(endian).into();
        address(segment).checked_add(size)
    };
    // The first segment has the header in front.
    let first = of_type(PT_LOAD).min_by_key(|segment| address(segment))?;
    let base = address(first).checked_sub(first.p_offset(endian).into())?;
    let note = |segment: &Elf::ProgramHeader| {
        let start = usize::try_from(address(segment).checked_sub(base)?).ok()?;
        let end = usize::try_from(end(segment)?.checked_sub(base)?).ok()?;
        let bytes = dump.get(start..end)?;
        let notes = NoteIterator::<Elf>::new(endian, segment.p_align(endian), bytes).ok()?;
        let mut read = notes.map_while(Result::ok);
        let is_build_id = |note: &object::read::elf::Note<'_, Elf>| {
            note.name() == elf::ELF_NOTE_GNU && note.n_type(endian) == NT_GNU_BUILD_ID
        };
        Some(read.find(is_build_id)?.desc().to_owned())
    };
    Some(DumpedFile {
        size: of_type(PT_LOAD).filter_map(end).max()?.checked_sub(base)?,
        build_id: of_type(PT_NOTE).find_map(note)?,
    })
}
