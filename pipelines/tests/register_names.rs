// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of the exported text can be found in the source.

use coretrace_pipelines::package::{board_package, package};
use coretrace_pipelines::{DecoderTop, Preset};

/// The text of every exported top, and of the baselines, by its name.
fn texts() -> Vec<(String, String)> {
    let presets = Preset::ALL
        .into_iter()
        .map(|preset| package(preset).expect("a package"));
    let boards = std::iter::once(board_package().expect("a package"));
    let files = presets.chain(boards).flatten();
    let baselines = DecoderTop::BASELINES.iter().map(|top| {
        let text = top.verilog().expect("no findings");
        (format!("{}.v", top.name()), text)
    });
    let is_logic = |name: &str| name.ends_with(".v") && !name.ends_with("_ip.v");
    let verilog = files.filter(|(name, _)| is_logic(name));
    verilog.chain(baselines).collect()
}

/// What is assigned at clock edges.
fn registers(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(target)
}

fn target(line: &str) -> Option<&str> {
    let (target, _) = line.split_once(" <= ")?;
    target.rsplit(' ').next()?.split('[').next()
}

/// Whether a name is a letter and a number.
fn is_generated(name: &str) -> bool {
    let number = name.strip_prefix('n');
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

#[test]
fn every_register_of_the_exported_text_has_a_name_of_the_source() {
    for (file, text) in texts() {
        let generated: Vec<&str> = registers(&text).filter(|name| is_generated(name)).collect();
        assert!(generated.is_empty(), "{file}: {generated:?}");
        assert!(registers(&text).count() > 10, "{file} has registers");
    }
}

#[test]
fn generated_names_are_found_in_every_form_of_assignment() {
    let text = "always @(posedge clock) n12 <= n3;\n  n4[3:0] <= a;\n  key_s2 <= n5;\n";
    let found: Vec<&str> = registers(text).filter(|name| is_generated(name)).collect();
    assert_eq!(found, ["n12", "n4"]);
}
