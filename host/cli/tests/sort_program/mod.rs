// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program of `testbench/traces/sort-a64` as an ELF file: its code is beside the trace, its
//! functions are those of its source.

use std::path::Path;

use coretrace_capture::read_xz;
use object::Endianness;
use object::build::elf::{Builder, SectionData};
use object::elf;

use crate::common::{root, store_bytes};

/// Where the code is.
const TEXT: u64 = 0x40_0000;
/// Its bytes, the first ones in the image.
const SIZE: u64 = 0x1000;

/// The functions and where they begin. The name of the one that sorts is the caller's.
const FUNCTIONS: [(&str, u64); 8] = [
    ("c_up", 0x180),
    ("c_low", 0x1A0),
    ("ins", 0x1E0),
    ("", 0x280),
    ("walk", 0x3B4),
    ("memcpy", 0x830),
    ("run", 0x880),
    ("_start", 0x9B0),
];

/// Writes the program; the path of the file. `sorter` is the name of the function that sorts.
pub fn sort_program(folder: &Path, sorter: &str) -> String {
    let image = root().join("testbench/traces/sort-a64/sort.bin.xz");
    let image = read_xz(&image).expect("an image");
    let mut builder = Builder::new(Endianness::Little, true);
    builder.header.e_type = elf::ET_EXEC;
    builder.header.e_machine = elf::EM_AARCH64;
    builder.header.e_phoff = 64;
    let section = builder.sections.add();
    section.name = ".text".into();
    section.sh_type = elf::SHT_PROGBITS;
    section.sh_flags = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
    section.sh_addr = TEXT;
    section.sh_offset = SIZE;
    section.sh_size = SIZE;
    section.sh_addralign = 4;
    section.data = SectionData::Data(image[..SIZE as usize].to_vec().into());
    let text = section.id();
    let segment = builder.segments.add();
    segment.p_type = elf::PT_LOAD;
    segment.p_flags = elf::PF_R | elf::PF_X;
    segment.p_vaddr = TEXT;
    segment.p_offset = SIZE;
    segment.p_filesz = SIZE;
    segment.p_memsz = SIZE;
    segment.p_align = SIZE;
    segment.sections.push(text);
    for (name, data) in [
        (".symtab", SectionData::Symbol),
        (".strtab", SectionData::String),
        (".shstrtab", SectionData::SectionString),
    ] {
        let section = builder.sections.add();
        section.name = name.into();
        section.sh_type = match data {
            SectionData::Symbol => elf::SHT_SYMTAB,
            _ => elf::SHT_STRTAB,
        };
        section.sh_addralign = 8;
        section.data = data;
    }
    for (name, offset) in FUNCTIONS {
        let symbol = builder.symbols.add();
        let name = if name.is_empty() { sorter } else { name };
        symbol.name = name.as_bytes().to_vec().into();
        symbol.section = Some(text);
        symbol.set_st_info(elf::STB_GLOBAL, elf::STT_FUNC);
        symbol.st_value = TEXT + offset;
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes).expect("an ELF file");
    store_bytes(folder, "sort.elf", &bytes)
}
