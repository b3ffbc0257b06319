// SPDX-License-Identifier: MIT OR Apache-2.0
//! The constraint files and the Vivado scripts name ports that every exported preset has.

use coretrace_pipelines::DecoderTop;
use std::fs;
use std::path::{Path, PathBuf};

/// The ports that a text names, with `*` as they are written: in `[get_ports ...]`, and as what
/// `NAME` is compared with in a filter.
fn named_ports(text: &str) -> Vec<&str> {
    let is_code = |line: &&str| !line.trim_start().starts_with('#');
    let code = || text.lines().filter(is_code);
    let listed = code()
        .flat_map(|line| line.split("[get_ports ").skip(1))
        .flat_map(|rest| rest.split(']').next())
        .filter(|names| !names.starts_with("-filter"))
        .flat_map(|names| names.trim_matches(['{', '}']).split_whitespace());
    // REF_NAME and others are names of cells.
    let compared = code()
        .filter(|line| !line.contains("_NAME "))
        .flat_map(|line| line.split("NAME ").skip(1))
        .flat_map(|rest| rest.split_whitespace().nth(1))
        .flat_map(|name| name.split(['}', ']']).next());
    listed.chain(compared).collect()
}

/// The constraint file and every script beside it.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../constraints");
    let scripts = fs::read_dir(folder.join("vivado")).expect("the scripts");
    let mut files = vec![folder.join("etm4_ooc.xdc")];
    files.extend(scripts.map(|script| script.expect("a script").path()));
    files
}

#[test]
fn every_port_named_in_the_constraints_exists() {
    for file in files() {
        let text = fs::read_to_string(&file).expect("a text");
        for preset in DecoderTop::ALL {
            let ports = preset.ports();
            for name in named_ports(&text) {
                let found = ports.iter().any(|port| match name.strip_suffix('*') {
                    Some(start) => port.name.starts_with(start),
                    None => port.name == name,
                });
                let file = file.display();
                assert!(found, "{file}: {} has no port {name}", preset.name());
            }
        }
    }
}

#[test]
fn names_of_ports_are_found_in_lists_and_filters() {
    let text = "set_false_path -from [get_ports {cfg_* b}]\n  # [get_ports c]\n\
                set_input_delay -clock d 1 [get_ports -filter {DIRECTION == IN && NAME != e}]\n\
                create_clock [get_ports f]\n";
    assert_eq!(named_ports(text), ["cfg_*", "b", "f", "e"]);
    let constraints = fs::read_to_string(&files()[0]).expect("the constraints");
    assert_eq!(named_ports(&constraints), ["aclk", "cfg_*", "aclk"]);
}
