// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of registers is sound, and every text that is made of it says the same.

use etm4_pipelines::registers::{
    GLOBAL, Register, SOURCE, SOURCE_BASE, SOURCE_STRIDE, SOURCES, c_header, markdown, placed,
    rust_constants, system_rdl,
};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

fn registers() -> impl Iterator<Item = &'static Register> {
    GLOBAL.iter().chain(&SOURCE)
}

/// Name without a prefix, and value, of all that stands in the C header and in the Rust module,
/// but for offsets.
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

/// Compiles a text of checks that a compiler makes; `false` if there is no such compiler.
fn compiles(compiler: &str, arguments: &[&str], files: &[(&str, String)]) -> bool {
    let version = Command::new(compiler)
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if version.is_err() {
        println!("SKIPPED: {compiler} not found");
        return false;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("registers-{compiler}"));
    fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file");
    }
    let output = Command::new(compiler)
        .args(arguments)
        .current_dir(folder)
        .output();
    let output = output.expect("the compiler runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler}: {message}");
    true
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

#[test]
fn the_document_of_the_registers_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/csr.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, markdown()).expect("docs/csr.md can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == markdown(),
        "docs/csr.md is stale: make it again with `cargo export --csr > docs/csr.md`"
    );
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
    for register in &GLOBAL {
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
    compiles("gcc", &flags, &[("etm4_csr.h", header), ("check.c", check)]);
}

#[test]
fn the_rust_constants_have_every_value_once() {
    let mut text = rust_constants();
    for (name, _) in values() {
        assert_eq!(
            text.matches(&format!("const {name}: ")).count(),
            1,
            "{name}"
        );
    }
    let mut expect = |left: String, right: u32| {
        text += &format!("const _: () = assert!({left} == {right});\n");
    };
    for (name, value) in values() {
        expect(name, value);
    }
    for register in &GLOBAL {
        expect(format!("{}_OFFSET", register.name), register.offset);
    }
    for (index, (offset, register)) in placed().skip(GLOBAL.len()).enumerate() {
        let name = register.name.to_lowercase();
        expect(format!("{name}_offset({})", index / SOURCE.len()), offset);
    }
    let flags = [
        "--edition",
        "2024",
        "--crate-type",
        "lib",
        "--emit",
        "metadata",
        "csr.rs",
    ];
    assert!(compiles("rustc", &flags, &[("csr.rs", text)]));
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
            let field = |field: &etm4_pipelines::registers::Field| {
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
    assert!(text.contains("SOURCE[1] @ 0x100 += 0x40;"));
    assert_eq!(text.matches('{').count(), text.matches('}').count());
}
