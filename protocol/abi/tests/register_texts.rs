// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of registers is consistent, and every text made from it agrees with it.

use coretrace_abi::registers::{
    Access, Field, GLOBAL, Register, SOURCE, SOURCE_BASE, SOURCE_STRIDE, SOURCES, placed,
};
use coretrace_abi::text::{c_header, ip_xact, markdown, rust_accessors, system_rdl};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn registers() -> impl Iterator<Item = &'static Register> {
    GLOBAL.iter().chain(SOURCE)
}

/// Name without a prefix, and value, of every definition in the C header except offsets.
fn values() -> Vec<(String, u32)> {
    let mut values = Vec::new();
    for register in registers() {
        values.push((format!("{}_RESET", register.name), register.reset()));
        for field in register.fields {
            let name = format!("{}_{}", register.name, field.name);
            values.push((format!("{name}_SHIFT"), field.low));
            values.push((format!("{name}_MASK"), field.mask()));
        }
    }
    values
}

/// Compiles files; returns their folder, or nothing if there is no such compiler.
fn compiled(compiler: &str, arguments: &[&str], files: &[(&str, String)]) -> Option<PathBuf> {
    let version = Command::new(compiler)
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if version.is_err() {
        println!("SKIPPED: {compiler} not found");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("registers-{compiler}"));
    fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file");
    }
    let output = Command::new(compiler)
        .args(arguments)
        .current_dir(&folder)
        .output();
    let output = output.expect("the compiler runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler}: {message}");
    Some(folder)
}

#[test]
fn no_two_registers_and_no_two_fields_overlap() {
    let mut offsets: Vec<u32> = placed().map(|(offset, _)| offset).collect();
    assert!(offsets.is_sorted());
    offsets.dedup();
    assert_eq!(offsets.len(), GLOBAL.len() + SOURCES * SOURCE.len());
    assert!(offsets.iter().all(|offset| offset % 4 == 0));
    assert!(GLOBAL.iter().all(|register| register.offset < SOURCE_BASE));
    assert!(
        SOURCE
            .iter()
            .all(|register| register.offset < SOURCE_STRIDE)
    );
    for register in registers() {
        let mut free = 0;
        for field in register.fields {
            assert!(
                field.low >= free && field.high() < 32,
                "{}.{}",
                register.name,
                field.name
            );
            assert_eq!(
                field.mask() & (field.reset << field.low),
                field.reset << field.low
            );
            free = field.high() + 1;
        }
    }
}

#[test]
fn the_first_word_is_etm4_in_ascii() {
    assert_eq!((GLOBAL[0].offset, GLOBAL[0].reset()), (0, 0x4554_4D34));
}

/// Demands that a file of the tree, by its path from this crate, has a text that the table makes.
fn is_kept(path: &str, text: &str) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&place, text).expect("the file can be written");
    }
    assert!(
        fs::read_to_string(&place).unwrap_or_default() == text,
        "{path} is stale: `UPDATE=1 cargo test -p coretrace-abi` makes it"
    );
}

#[test]
fn the_rust_module_in_the_tree_is_that_of_the_table() {
    is_kept("src/registers/csr.rs", &rust_accessors());
}

#[test]
fn the_document_of_the_registers_is_that_of_the_table() {
    is_kept("../../docs/csr.md", &markdown());
    let found = markdown();
    for register in registers() {
        let heading = format!("\n### {}\n", register.name);
        assert_eq!(found.matches(&heading).count(), 1, "{heading}");
    }
}

#[test]
fn the_c_header_has_every_value_once() {
    let header = c_header();
    for (name, value) in values() {
        let start = format!("#define ETM4_{name} ");
        let mut lines = header.lines().filter_map(|line| line.strip_prefix(&start));
        let text = lines
            .next()
            .unwrap_or_else(|| panic!("no {name}"))
            .trim_end_matches('u');
        let found = match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => text.parse(),
        };
        assert_eq!(found, Ok(value), "{name}");
        assert_eq!(lines.next(), None, "{name}");
    }
    let mut check = String::from("#include \"etm4_csr.h\"\n");
    let mut expect = |left: String, right: u32| {
        check += &format!("_Static_assert(({left}) == {right}u, \"{left}\");\n");
    };
    for (name, value) in values() {
        expect(format!("ETM4_{name}"), value);
    }
    for register in GLOBAL {
        expect(format!("ETM4_{}_OFFSET", register.name), register.offset);
    }
    for (index, register) in SOURCE.iter().enumerate() {
        for source in 0..SOURCES {
            let (offset, _) = placed()
                .nth(GLOBAL.len() + source * SOURCE.len() + index)
                .unwrap();
            expect(format!("ETM4_{}_OFFSET({source})", register.name), offset);
        }
    }
    let flags = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-pedantic",
        "-Werror",
        "-fsyntax-only",
        "check.c",
    ];
    compiled("gcc", &flags, &[("etm4_csr.h", header), ("check.c", check)]);
}

/// Checks of all that a register's type has.
fn checks_of(register: &Register) -> String {
    let kind = type_name(register);
    let reset = register.reset();
    let mut text = format!("    assert_eq!({kind}::RESET.0, {reset:#x});\n");
    for field in register.fields {
        let (name, mask) = (field.name.to_lowercase(), field.mask());
        let (none, all) = match field.width {
            1 => ("false".to_owned(), "true".to_owned()),
            _ => ("0".to_owned(), format!("{:#x}", mask >> field.low)),
        };
        if field.access != Access::Pulse {
            text += &format!(
                "    assert_eq!({kind}({mask:#x}).{name}(), {all});\n    \
                 assert_eq!({kind}(!{mask:#x}).{name}(), {none});\n"
            );
        }
        if matches!(field.access, Access::ReadWrite | Access::Pulse) {
            text += &format!(
                "    assert_eq!({kind}(0).with_{name}({all}).0, {mask:#x});\n    \
                 assert_eq!({kind}(!0).with_{name}({none}).0, !{mask:#x});\n"
            );
        }
    }
    text
}

/// Checks of how a register is read and written, at an offset.
fn access_checks_of(register: &Register, offset: u32, source: &str) -> String {
    let (kind, name) = (type_name(register), register.name.to_lowercase());
    let place = if source.is_empty() {
        format!("{kind}::OFFSET")
    } else {
        format!("{kind}::offset({source})")
    };
    let mut text = format!(
        "    assert_eq!({place}, {offset:#x});\n    \
         assert_eq!(Registers(Echo(0, 0)).{name}({source}), {kind}(!{offset:#x}));\n"
    );
    let written = register.bits(Access::ReadWrite) | register.bits(Access::Pulse);
    if written != 0 {
        let arguments = [source, &format!("{kind}(0x12345678)")].join(", ");
        let arguments = arguments.trim_start_matches(", ");
        text += &format!(
            "    let mut registers = Registers(Echo(0, 0));\n    \
             registers.set_{name}({arguments});\n    \
             assert_eq!(registers.0, Echo({offset:#x}, 0x12345678));\n"
        );
    }
    text
}

fn type_name(register: &Register) -> String {
    let mut name = String::new();
    let mut is_first = true;
    for letter in register.name.chars() {
        match (letter, is_first) {
            ('_', _) => {}
            (letter, true) => name.push(letter),
            (letter, false) => name.push(letter.to_ascii_lowercase()),
        }
        is_first = letter == '_';
    }
    name
}

#[test]
fn the_rust_accessors_reach_every_field_of_every_register() {
    let mut main = String::from(
        "mod csr;
use csr::*;

/// Answers with an offset whose bits are inverted, and keeps what is written last.
#[derive(Debug, PartialEq)]
struct Echo(u32, u32);

impl Bus for Echo {
    fn read(&mut self, offset: u32) -> u32 {
        !offset
    }
    fn write(&mut self, offset: u32, value: u32) {
        *self = Echo(offset, value);
    }
}

fn main() {
",
    );
    main.extend(registers().map(checks_of));
    for register in GLOBAL {
        main += &access_checks_of(register, register.offset, "");
    }
    for (index, (offset, register)) in placed().skip(GLOBAL.len()).enumerate() {
        main += &access_checks_of(register, offset, &(index / SOURCE.len()).to_string());
    }
    main += "}\n";
    let folder = compiled(
        "rustc",
        &["--edition", "2024", "main.rs"],
        &[("csr.rs", rust_accessors()), ("main.rs", main)],
    );
    let program = folder.expect("rustc is there").join("main");
    let output = Command::new(program).output().expect("the program runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
}

#[test]
fn the_system_rdl_has_every_register_and_field_once() {
    let text = system_rdl();
    let mut fields = Vec::new();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some((_, place)) = line.rsplit_once("\"; } ") {
            fields.push(place.trim_end_matches(';').to_owned());
        } else if let Some(place) = line.strip_prefix("} ").filter(|_| !line.contains("+=")) {
            let place = place.trim_end_matches(';').to_owned();
            found.push((place, std::mem::take(&mut fields)));
        }
    }
    let expected: Vec<(String, Vec<String>)> = registers()
        .map(|register| {
            let field = |field: &Field| {
                let (name, high, low) = (field.name, field.high(), field.low);
                format!("{name}[{high}:{low}] = {:#x}", field.reset)
            };
            let fields = register.fields.iter().map(field).collect();
            (
                format!("{} @ {:#x}", register.name, register.offset),
                fields,
            )
        })
        .collect();
    assert_eq!(found, expected);
    assert!(text.contains("SOURCE[1] @ 0x100 += 0x80;"));
    assert_eq!(text.matches('{').count(), text.matches('}').count());
}

#[test]
fn the_ip_xact_has_every_register_and_field_once() {
    let text = ip_xact();
    let value = |line: &str, tag: &str| {
        let inside = line.trim().strip_prefix(&format!("<ipxact:{tag}>"))?;
        inside
            .strip_suffix(&format!("</ipxact:{tag}>"))
            .map(str::to_owned)
    };
    let all = |tag: &str| -> Vec<String> {
        let values = text.lines().filter_map(|line| value(line, tag));
        values.collect()
    };
    let hex = |number: u32| format!("'h{number:x}");
    let mut names = vec!["etm4".to_owned(), "registers".to_owned()];
    let mut offsets = Vec::new();
    let mut bits = Vec::new();
    for (block, table) in [(None, GLOBAL), (Some("SOURCE"), SOURCE)] {
        names.extend(block.map(str::to_owned));
        offsets.extend(block.map(|_| hex(SOURCE_BASE)));
        for register in table {
            names.push(register.name.to_owned());
            offsets.push(hex(register.offset));
            for field in register.fields {
                names.push(field.name.to_owned());
                bits.push((field.low.to_string(), field.width.to_string()));
            }
        }
    }
    assert_eq!(all("name"), names);
    assert_eq!(all("addressOffset"), offsets);
    let found: Vec<_> = all("bitOffset").into_iter().zip(all("bitWidth")).collect();
    assert_eq!(found, bits);
    assert_eq!(all("dim"), [SOURCES.to_string()]);
    for tag in ["register", "registerFile", "field", "addressBlock"] {
        let count = |edge: &str| text.matches(&format!("{edge}ipxact:{tag}>")).count();
        assert_eq!(count("<"), count("</"), "{tag}");
    }
}
