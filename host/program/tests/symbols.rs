// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of addresses in programs that are linked, moved, mapped, or for another machine.

use std::fs;
use std::path::{Path, PathBuf};

use coretrace_program::{FileMapping, Program};
use object::Endianness;
use object::build::elf::{Builder, SectionData};
use object::elf;
use tempfile::TempDir;

/// A symbol: name, type, address, size.
type Symbol = (&'static str, elf::SymbolType, u64, u64);

/// Where the section with the code is linked to be, and where it is in the file.
const TEXT: u64 = 0x1_1000;
const TEXT_OFFSET: u64 = 0x1000;
const TEXT_SIZE: u64 = 0x100;
const BUILD_ID: [u8; 16] = *b"0123456789abcdef";

const SYMBOLS: [Symbol; 7] = [
    ("$x", elf::STT_NOTYPE, TEXT, 0),
    ("sized", elf::STT_FUNC, TEXT, 0x20),
    ("label", elf::STT_NOTYPE, TEXT + 0x40, 0),
    ("function", elf::STT_FUNC, TEXT + 0x80, 0),
    ("inner", elf::STT_FUNC, TEXT + 0xC8, 8),
    ("huge", elf::STT_FUNC, TEXT + 0xC0, 1 << 40),
    ("__end__", elf::STT_NOTYPE, TEXT + TEXT_SIZE, 0),
];

/// Writes a position-independent program: headers and a note at 0, code at [`TEXT`].
fn program(folder: &Path, machine: elf::Machine, symbols: &[Symbol]) -> PathBuf {
    let mut builder = Builder::new(Endianness::Little, true);
    builder.header.e_type = elf::ET_DYN;
    builder.header.e_machine = machine;
    builder.header.e_phoff = 64;
    let note = [4_u32, 16, 3].map(u32::to_le_bytes).concat();
    let note = [&note[..], b"GNU\0", &BUILD_ID].concat();
    let loaded = [
        (".note.gnu.build-id", elf::SHT_NOTE, 0x200, 0x200, note),
        (
            ".text",
            elf::SHT_PROGBITS,
            TEXT,
            TEXT_OFFSET,
            vec![0; TEXT_SIZE as usize],
        ),
    ];
    for (name, kind, address, offset, bytes) in loaded {
        let section = builder.sections.add();
        section.name = name.into();
        section.sh_type = kind;
        section.sh_flags = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
        section.sh_addr = address;
        section.sh_offset = offset;
        section.sh_size = bytes.len() as u64;
        section.sh_addralign = 4;
        section.data = match kind {
            elf::SHT_NOTE => SectionData::Note(bytes.into()),
            _ => SectionData::Data(bytes.into()),
        };
        let (id, size) = (section.id(), section.sh_size);
        let segment = builder.segments.add();
        segment.p_type = elf::PT_LOAD;
        segment.p_flags = elf::PF_R | elf::PF_X;
        // The first segment has the headers too.
        let before = if name == ".text" { 0 } else { address };
        segment.p_vaddr = address - before;
        segment.p_offset = offset - before;
        segment.p_filesz = size + before;
        segment.p_memsz = size + before;
        segment.p_align = 0x1000;
        segment.sections.push(id);
    }
    let text = builder.segments.iter().last().expect("a segment").sections[0];
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
    for &(name, kind, address, size) in symbols {
        let symbol = builder.symbols.add();
        symbol.name = name.into();
        symbol.section = Some(text);
        symbol.set_st_info(elf::STB_GLOBAL, kind);
        symbol.st_value = address;
        symbol.st_size = size;
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes).expect("an ELF file");
    let path = folder.join("program.elf");
    fs::write(&path, bytes).expect("written");
    path
}

fn aarch64(folder: &TempDir) -> PathBuf {
    program(folder.path(), elf::EM_AARCH64, &SYMBOLS)
}

/// The names of addresses.
fn names(program: &Program, addresses: &[u64]) -> Vec<String> {
    let symbols = program.symbols().expect("symbols");
    let name = |&address: &u64| symbols.place(address).to_string();
    addresses.iter().map(name).collect()
}

/// Offsets in the code with their names.
const PLACES: [(u64, &str); 11] = [
    (0, "sized+0x0"),
    (0x1C, "sized+0x1c"),
    // No symbol is there.
    (0x20, ""),
    (0x3C, ""),
    (0x40, "label+0x0"),
    (0x7C, "label+0x3c"),
    (0x80, "function+0x0"),
    (0xBC, "function+0x3c"),
    (0xC4, "huge+0x4"),
    (0xCC, "inner+0x4"),
    (0xFC, "huge+0x3c"),
];

fn check(program: &Program, text: u64) {
    for (offset, want) in PLACES {
        let found = names(program, &[text + offset]);
        assert_eq!(found, [want], "{offset:#x}");
    }
    let outside = [text - 4, text + TEXT_SIZE, text + 0x1_0000, 0, u64::MAX];
    assert_eq!(names(program, &outside), [""; 5]);
}

#[test]
fn a_symbol_ends_at_its_size_the_next_one_or_its_section() {
    let folder = TempDir::new().expect("a folder");
    let mut program = Program::default();
    program
        .add_file(&aarch64(&folder), None)
        .expect("a program");
    check(&program, TEXT);
}

#[test]
fn a_program_is_named_where_it_was_loaded() {
    let folder = TempDir::new().expect("a folder");
    let mut program = Program::default();
    let path = aarch64(&folder);
    program
        .add_file(&path, Some(0x58_2B2B_0000))
        .expect("a program");
    check(&program, 0x58_2B2B_0000 + TEXT);
    assert_eq!(names(&program, &[TEXT]), [""]);
    // The same file in another place, and the first one stays.
    program.add_file(&path, Some(0x1000)).expect("a program");
    check(&program, 0x1000 + TEXT);
    check(&program, 0x58_2B2B_0000 + TEXT);
}

#[test]
fn a_mapping_names_a_part_of_a_file_where_it_was_mapped() {
    let folder = TempDir::new().expect("a folder");
    let path = aarch64(&folder);
    let build_id = [&BUILD_ID[..], &[0; 4]].concat();
    let mapping = FileMapping {
        address: 0x7F_0000_2000,
        len: 0x1000,
        offset: TEXT_OFFSET,
        build_id: Some(&build_id),
        process: None,
    };
    let mut program = Program::default();
    program.add_mapping(&path, &mapping).expect("mapped");
    check(&program, mapping.address);
    // Mapped again over its middle.
    let over = FileMapping {
        address: mapping.address + 0x40,
        len: 0x40,
        ..mapping
    };
    program.add_mapping(&path, &over).expect("mapped");
    let addresses = [0, 0x40, 0x80].map(|offset| mapping.address + offset);
    let want = ["sized+0x0", "sized+0x0", "function+0x0"];
    assert_eq!(names(&program, &addresses), want);
}

#[test]
fn processes_have_files_of_their_own_at_one_address() {
    let folder = TempDir::new().expect("a folder");
    let names = ["one", "two", "kernel"];
    let file = |name: &&'static str| {
        let place = folder.path().join(name);
        std::fs::create_dir(&place).expect("a folder");
        let symbols = [(*name, elf::STT_FUNC, TEXT, 0x100)];
        program(&place, elf::EM_AARCH64, &symbols)
    };
    let [one, two, kernel] = names.each_ref().map(file);
    let mapping = |address: u64, process: Option<u32>| FileMapping {
        address,
        len: 0x1000,
        offset: TEXT_OFFSET,
        build_id: None,
        process,
    };
    let mut program = Program::default();
    let mut add = |path: &Path, address: u64, process: Option<u32>| {
        let added = program.add_mapping(path, &mapping(address, process));
        added.expect("mapped");
    };
    add(&one, 0x10_0000, Some(1));
    add(&two, 0x10_0000, Some(2));
    add(&one, 0x20_0000, Some(3));
    add(&kernel, 0x80_0000, None);
    // What every process has may be in the place of what one had, and the other way round.
    add(&kernel, 0x20_0000, None);
    add(&two, 0x80_0000, Some(4));
    let symbols = program.symbols().expect("symbols");
    for (process, at_program, at_kernel) in [
        (None, None, Some("kernel")),
        (Some(1), Some("one"), Some("kernel")),
        (Some(2), Some("two"), Some("kernel")),
        (Some(3), None, Some("kernel")),
        (Some(4), None, Some("two")),
        (Some(5), None, Some("kernel")),
    ] {
        let symbols = symbols.of(process);
        let name = |address: u64| symbols.function_name(address);
        assert_eq!(name(0x10_0000).as_deref(), at_program, "{process:?}");
        assert_eq!(name(0x80_0000).as_deref(), at_kernel, "{process:?}");
        assert_eq!(name(0x20_0000).as_deref(), Some("kernel"), "{process:?}");
    }
    assert_eq!(
        symbols.functions_named("two"),
        [(Some(2), 0x10_0000), (Some(4), 0x80_0000)]
    );
    let images: Vec<_> = program
        .images()
        .map(|it| (it.process, it.address))
        .collect();
    let shared = [(None, 0x20_0000), (None, 0x80_0000)];
    let own = [
        (Some(1), 0x10_0000),
        (Some(2), 0x10_0000),
        (Some(4), 0x80_0000),
    ];
    assert_eq!(images, [&shared[..], &own].concat());
    let of_two = |it: &coretrace_program::LoadedBytes<'_>| it.path == two;
    let bytes: Vec<_> = program
        .images()
        .filter(of_two)
        .map(|it| it.bytes().as_ptr())
        .collect();
    assert_eq!(bytes[0], bytes[1], "the bytes of a file are there once");
}

#[test]
fn a_kernel_is_where_its_symbol_was() {
    let folder = TempDir::new().expect("a folder");
    let path = aarch64(&folder);
    let moved = 0xFFFF_8000_0000_0000;
    let mapping = FileMapping {
        address: moved,
        len: 0x1000,
        offset: moved + TEXT + 0x80,
        build_id: Some(&BUILD_ID),
        process: None,
    };
    let mut kernel = Program::default();
    kernel
        .add_kernel(&path, &mapping, "function")
        .expect("a kernel");
    check(&kernel, moved + TEXT);
    let mut linked = Program::default();
    linked.add_kernel(&path, &mapping, "").expect("a kernel");
    check(&linked, TEXT);
    let error = linked
        .add_kernel(&path, &mapping, "_stext")
        .expect_err("no such symbol");
    assert!(error.to_string().contains("has no symbol _stext"));
}

#[test]
fn a_mapping_of_another_build_or_of_nothing_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let path = aarch64(&folder);
    let mapping = FileMapping {
        address: 0x1000,
        len: 0x1000,
        offset: TEXT_OFFSET,
        build_id: None,
        process: None,
    };
    let other = [&BUILD_ID[..15], b"x"].concat();
    let of_other_build = FileMapping {
        build_id: Some(&other),
        ..mapping
    };
    let of_nothing = FileMapping {
        offset: 0x10_0000,
        ..mapping
    };
    for (mapping, want) in [
        (of_other_build, "has build ID 3031323334353637383961"),
        (of_nothing, "no segment at offset 0x100000"),
    ] {
        let mut program = Program::default();
        let error = program.add_mapping(&path, &mapping).expect_err("refused");
        let error = error.to_string();
        assert!(error.contains(want), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert_eq!(names(&program, &[0x1000]), [""]);
    }
}

#[test]
fn a_program_of_another_machine_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let path = program(folder.path(), elf::EM_X86_64, &SYMBOLS);
    let refused = Program::default().add_file(&path, None);
    let error = refused.expect_err("refused").to_string();
    assert!(error.contains("X86_64, not AArch64 or Arm"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[test]
fn t32_functions_are_where_their_symbols_are_without_bit_0() {
    let folder = TempDir::new().expect("a folder");
    let symbols = [("blink", elf::STT_FUNC, TEXT + 0x41, 0x10)];
    let path = program(folder.path(), elf::EM_ARM, &symbols);
    let mut program = Program::default();
    program.add_file(&path, None).expect("a program");
    let addresses = [0x3F, 0x40, 0x41, 0x4F, 0x51].map(|offset| TEXT + offset);
    let want = ["", "blink+0x0", "blink+0x0", "blink+0xe", ""];
    assert_eq!(names(&program, &addresses), want);
}
