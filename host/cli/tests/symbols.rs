// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 profile --elf`: programs with debug information, which may be damaged or name other files.
#![cfg(target_os = "linux")]

mod common;
mod entries;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Ran, for_arm, store_bytes};
use entries::{store_entries, target};
use object::{CompressionFormat, Object, ObjectSection, ObjectSymbol};
use proptest::prelude::*;
use tempfile::TempDir;

/// The file name of the source, as in the debug information.
const SOURCE: &str = "blink.c";

const TEXT: &str = "
    struct led { unsigned port, pin; };
    static unsigned toggle(struct led *led, unsigned times) { return led->pin ^= times; }
    unsigned blink(struct led *led, unsigned times) { return times ? toggle(led, times) : 0; }
    int main(void) { struct led led = {1, 2}; return (int)blink(&led, 3); }
";

/// Compiles in a folder, with the C compiler that links this test, a program that says it is for Arm.
fn compile(folder: &Path, options: &[&str]) -> Vec<u8> {
    fs::write(folder.join(SOURCE), TEXT).expect("written");
    let cc = |args: &[&str]| {
        let mut command = Command::new("cc");
        let ran = command.current_dir(folder).args(args).status();
        assert!(ran.expect("a C compiler").success(), "{args:?}");
    };
    cc(&[&["-g", "-O1", "-c", "-o", "blink.o", SOURCE], options].concat());
    let link = ["-nostdlib", "-static", "-Wl,-e,main", "-o", "blink.elf"];
    cc(&[&link[..], &["blink.o"], options].concat());
    let mut program = fs::read(folder.join("blink.elf")).expect("linked");
    for_arm(&mut program);
    store_bytes(folder, "blink.elf", &program);
    program
}

/// Where the function `blink` is.
fn address(program: &[u8]) -> u64 {
    let elf = object::File::parse(program).expect("an ELF file");
    let mut symbols = elf.symbols();
    let blink = symbols.find(|symbol| symbol.name() == Ok("blink"));
    blink.expect("a symbol").address()
}

/// Lists a profile stream of one address of a program. The tool must end by itself.
fn profile(folder: &Path, elf: &str, address: u64) -> Ran {
    let file = store_entries(folder, &[target(address, 1)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_etm4"))
        .args(["profile", &file, "--elf", elf, "--format", "tsv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let begin = Instant::now();
    while child.try_wait().expect("it is a child").is_none() {
        if begin.elapsed() > Duration::from_secs(30) {
            child.kill().expect("it is a child");
            panic!("no end");
        }
        sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().expect("it has ended");
    Ran {
        code: output.status.code().expect("an exit code"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

#[test]
fn other_files_that_a_program_names_are_not_opened() {
    let folder = TempDir::new().expect("a folder");
    let program = compile(folder.path(), &["-gsplit-dwarf"]);
    // Opening one of these blocks forever.
    fs::remove_file(folder.path().join("blink.dwo")).expect("debug information in its own file");
    for name in ["blink.dwo", "blink.elf.dwp"] {
        let made = Command::new("mkfifo")
            .arg(folder.path().join(name))
            .status();
        assert!(made.expect("mkfifo").success());
    }
    let elf = folder.path().join("blink.elf").display().to_string();
    let ran = profile(folder.path(), &elf, address(&program));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for word in ["symbol=blink\t", SOURCE] {
        assert!(ran.stdout.contains(word), "no {word} in {}", ran.stdout);
    }
}

#[test]
fn a_program_of_another_kind_may_name_files_and_is_refused() {
    let folder = TempDir::new().expect("a folder");
    // The header of a Mach-O executable for Arm, whose symbols name object files.
    let words: [u32; 8] = [0xFEED_FACF, 0x0100_000C, 0, 2, 0, 0, 0, 0];
    let elf = common::store(folder.path(), "mach-o", &words);
    let ran = profile(folder.path(), &elf, 0x20);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("is it the ELF file"), "{}", ran.stderr);
}

#[test]
fn a_compressed_section_is_read_unless_it_says_that_it_fills_the_memory() {
    let folder = TempDir::new().expect("a folder");
    let mut program = compile(folder.path(), &["-gz=zlib"]);
    let address = address(&program);
    let path = folder.path().join("blink.elf").display().to_string();
    let ran = profile(folder.path(), &path, address);
    assert!(ran.stdout.contains(SOURCE), "{}{}", ran.stdout, ran.stderr);

    let size = {
        let elf = object::File::parse(&program[..]).expect("an ELF file");
        let mut sections = elf.sections();
        let section = sections.find(|section| {
            let range = section.compressed_file_range().expect("bytes");
            range.format == CompressionFormat::Zlib
        });
        // After the kind of compression and a reserved word.
        section.expect("compressed").file_range().expect("bytes").0 as usize + 8
    };
    program[size..size + 8].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    let path = store_bytes(folder.path(), "huge.elf", &program);
    let ran = profile(folder.path(), &path, address);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("1099511627776 bytes"), "{}", ran.stderr);
}

/// Programs with debug information, plain and compressed.
static PROGRAMS: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a folder");
    ["-gz=none", "-gz=zlib"].map(|packing| compile(folder.path(), &[packing]))
});

/// The places of all bytes of debug information.
fn debug_bytes(program: &[u8]) -> Vec<usize> {
    let elf = object::File::parse(program).expect("an ELF file");
    let sections = elf.sections().filter(|section| {
        let name = section.name().expect("a name");
        name.starts_with(".debug_")
    });
    let ranges = sections.map(|section| section.file_range().expect("bytes"));
    ranges
        .flat_map(|(start, len)| start as usize..(start + len) as usize)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_debug_information_is_used_or_refused(
        packing in 0..PROGRAMS.len(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let folder = TempDir::new().expect("a folder");
        let mut program = PROGRAMS[packing].clone();
        let address = address(&program);
        let places = debug_bytes(&program);
        for (at, value) in flips {
            program[*at.get(&places)] = value;
        }
        if let Some(cut) = cut {
            program.truncate(cut.index(program.len()));
        }
        let elf = store_bytes(folder.path(), "damaged.elf", &program);
        let ran = profile(folder.path(), &elf, address);
        prop_assert!(matches!(ran.code, 0 | 2), "{}", ran.stderr);
        prop_assert_eq!(ran.code == 2, ran.stderr.contains("error: "), "{}", ran.stderr);
    }
}
