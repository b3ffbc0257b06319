// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of registers is consistent, and every text made from it agrees with it.

use coretrace_abi::compressed::branch_beat;
use coretrace_abi::registers::{
    Access, COMPRESSOR, CORE, FLOW, Field, Map, RECOMPRESSOR, RECOMPRESSOR_XE, Register, SOFTWARE,
    SOFTWARE_CORE,
};
use coretrace_abi::software_stream::{self, BeatField};
use coretrace_abi::text::{c_header, ip_xact, markdown, rust_accessors, system_rdl};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The maps of all cores.
const MAPS: [&Map; 6] = [
    &CORE,
    &FLOW,
    &COMPRESSOR,
    &RECOMPRESSOR,
    &RECOMPRESSOR_XE,
    &SOFTWARE_CORE,
];

fn registers(map: &Map) -> impl Iterator<Item = &'static Register> {
    map.global.iter().chain(map.source)
}

/// Name without a prefix, and value, of every definition in the C header except offsets.
fn values(map: &Map) -> Vec<(String, u32)> {
    let mut values = Vec::new();
    for register in registers(map) {
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
        assert!(
            std::env::var("ETM4_REQUIRE_TOOLS").as_deref() != Ok("1"),
            "{compiler} not found, and ETM4_REQUIRE_TOOLS=1 requires it"
        );
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
    for map in MAPS {
        let mut offsets: Vec<u32> = map.placed().map(|(offset, _)| offset).collect();
        assert!(offsets.is_sorted());
        offsets.dedup();
        assert_eq!(
            offsets.len(),
            map.global.len() + map.sources * map.source.len()
        );
        assert!(offsets.iter().all(|offset| offset % 4 == 0));
        assert!(
            map.global
                .iter()
                .all(|register| register.offset < map.source_base)
        );
        assert!(
            map.source
                .iter()
                .all(|register| register.offset < map.source_stride)
        );
        for register in registers(map) {
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
}

#[test]
fn the_first_word_is_a_name_in_ascii() {
    let first = |map: &Map| (map.global[0].offset, map.global[0].reset());
    assert_eq!(first(&CORE), (0, 0x4554_4D34));
    assert_eq!(first(&FLOW), (0, 0x464C_4F57));
    assert_eq!(first(&COMPRESSOR), (0, 0x5443_4D50));
    assert_eq!(first(&RECOMPRESSOR), (0, 0x5243_4D50));
    assert_eq!(first(&RECOMPRESSOR_XE), (0, 0x5243_5845));
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
    is_kept("src/registers/csr.rs", &rust_accessors(&CORE));
    is_kept("src/registers/flow_csr.rs", &rust_accessors(&FLOW));
    is_kept(
        "src/registers/compressor_csr.rs",
        &rust_accessors(&COMPRESSOR),
    );
    is_kept(
        "src/registers/recompressor_csr.rs",
        &rust_accessors(&RECOMPRESSOR),
    );
    is_kept(
        "src/registers/recompressor_xe_csr.rs",
        &rust_accessors(&RECOMPRESSOR_XE),
    );
    is_kept("src/registers/software_csr.rs", &rust_accessors(&SOFTWARE));
}

#[test]
fn the_document_of_the_registers_is_that_of_the_table() {
    for map in MAPS {
        let found = markdown(map);
        is_kept(&format!("../../docs/{}", map.document), &found);
        for register in registers(map) {
            let heading = format!("\n### {}\n", register.name);
            assert_eq!(found.matches(&heading).count(), 1, "{heading}");
        }
    }
}

/// Checks the table of these fields in the document of the records.
fn check_fields(name: &str, fields: &[BeatField]) {
    let [begin, end] = [
        "begin, made by `UPDATE=1 cargo test -p coretrace-abi`",
        "end",
    ]
    .map(|edge| format!("<!-- {name}: {edge} -->\n"));
    let path = "../../docs/records.md";
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = fs::read_to_string(place).expect("the document");
    let (before, rest) = text.split_once(&begin).expect("the begin of the table");
    let (_, after) = rest.split_once(&end).expect("the end of the table");
    let mut table = String::from("| bits | field | meaning |\n|---|---|---|\n");
    for BeatField {
        name,
        low,
        width,
        text,
    } in fields
    {
        let bits = match width {
            1 => low.to_string(),
            _ => format!("{}:{low}", low + width - 1),
        };
        table += &format!("| {bits} | `{name}` | {text} |\n");
    }
    is_kept(path, &format!("{before}{begin}{table}{end}{after}"));
}

#[test]
fn the_tables_of_fields_in_the_records_are_those_of_the_formats() {
    check_fields("branch beats", &branch_beat::FIELDS);
    check_fields("software records", &software_stream::FIELDS);
}

#[test]
fn the_c_header_has_every_value_once() {
    for map in MAPS {
        let header = c_header(map);
        for (name, value) in values(map) {
            let start = format!("#define {}_{name} ", map.name.to_uppercase());
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
        let prefix = map.name.to_uppercase();
        let mut check = format!("#include \"{}_csr.h\"\n", map.name);
        let mut expect = |left: String, right: u32| {
            check += &format!("_Static_assert(({left}) == {right}u, \"{left}\");\n");
        };
        for (name, value) in values(map) {
            expect(format!("{prefix}_{name}"), value);
        }
        for register in map.global {
            expect(
                format!("{prefix}_{}_OFFSET", register.name),
                register.offset,
            );
        }
        for (index, register) in map.source.iter().enumerate() {
            for source in 0..map.sources {
                let (offset, _) = map
                    .placed()
                    .nth(map.global.len() + source * map.source.len() + index)
                    .unwrap();
                expect(
                    format!("{prefix}_{}_OFFSET({source})", register.name),
                    offset,
                );
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
        compiled(
            "gcc",
            &flags,
            &[(&format!("{}_csr.h", map.name), header), ("check.c", check)],
        );
    }
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
    MAPS.into_iter().for_each(accessors_reach_every_field);
}

fn accessors_reach_every_field(map: &Map) {
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
    main.extend(registers(map).map(checks_of));
    for register in map.global {
        main += &access_checks_of(register, register.offset, "");
    }
    for (index, (offset, register)) in map.placed().skip(map.global.len()).enumerate() {
        main += &access_checks_of(register, offset, &(index / map.source.len()).to_string());
    }
    main += "}\n";
    let folder = compiled(
        "rustc",
        &["--edition", "2024", "main.rs"],
        &[("csr.rs", rust_accessors(map)), ("main.rs", main)],
    );
    let program = folder.expect("rustc is there").join("main");
    let output = Command::new(program).output().expect("the program runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
}

#[test]
fn the_system_rdl_has_every_register_and_field_once() {
    for map in MAPS {
        let text = system_rdl(map);
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
        let expected: Vec<(String, Vec<String>)> = registers(map)
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
}

#[test]
fn the_ip_xact_has_every_register_and_field_once() {
    for map in MAPS {
        let text = ip_xact(map);
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
        let mut names = vec![map.name.to_owned(), "registers".to_owned()];
        let mut offsets = Vec::new();
        let mut bits = Vec::new();
        for (block, table) in [(None, map.global), (Some("SOURCE"), map.source)] {
            names.extend(block.map(str::to_owned));
            offsets.extend(block.map(|_| hex(map.source_base)));
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
        assert_eq!(all("dim"), [map.sources.to_string()]);
        for tag in ["register", "registerFile", "field", "addressBlock"] {
            let count = |edge: &str| text.matches(&format!("{edge}ipxact:{tag}>")).count();
            assert_eq!(count("<"), count("</"), "{tag}");
        }
    }
}
