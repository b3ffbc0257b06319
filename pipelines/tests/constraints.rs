// SPDX-License-Identifier: MIT OR Apache-2.0
//! The constraint files name ports that every exported preset has.

use etm4_pipelines::Preset;
use std::path::Path;

/// The port names in `[get_ports ...]`, with `*` as they are written.
fn named_ports(text: &str) -> Vec<&str> {
    let code = text.lines().filter(|line| !line.starts_with('#'));
    code.flat_map(|line| line.split("[get_ports ").skip(1))
        .flat_map(|rest| rest.split(']').next())
        .flat_map(|names| names.trim_matches(['{', '}']).split_whitespace())
        .collect()
}

#[test]
fn every_port_named_in_the_constraints_exists() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../constraints/etm4_ooc.xdc");
    let text = std::fs::read_to_string(path).expect("the constraint file");
    let names = named_ports(&text);
    assert!(names.contains(&"aclk"), "{names:?}");
    for preset in Preset::ALL {
        let ports = preset.ports();
        for name in &names {
            let found = ports.iter().any(|port| match name.strip_suffix('*') {
                Some(start) => port.name.starts_with(start),
                None => port.name == *name,
            });
            assert!(found, "{} has no port {name}", preset.name());
        }
    }
}
