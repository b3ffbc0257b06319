// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported files: lint of their Verilog, and equal bytes at every export.

use std::collections::BTreeMap;

use coretrace_capture::sha256_hex;
use coretrace_pipelines::Preset;
use coretrace_pipelines::package::package;
use coretrace_test_support::in_parallel;
use coretrace_test_verilog::lint::lint;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

/// Each half of the presets has a linter at a time: more of them take too much memory.
fn check_lint(tool: Tool, presets: &[Preset]) {
    in_parallel([0, 1], |half| {
        for preset in presets.iter().skip(half).step_by(2) {
            let text = preset.verilog().expect("no finding");
            let findings = lint(tool, &text, preset.name()).expect("the linter runs");
            assert_eq!(findings, [""; 0], "{}, {}", preset.name(), tool.program());
        }
    });
}

/// All presets take minutes. These have every kernel of a decoder.
fn has_kernels(preset: &Preset) -> bool {
    ["etm4_byte", "etm4_x4", "etm4_jump_x4"].contains(&preset.name())
}

#[test]
fn presets_with_every_kernel_and_all_cores_are_clean_for_verilator() {
    check_those(Tool::Verilator, |preset| {
        has_kernels(preset) || is_core(preset)
    });
}

#[test]
fn presets_with_every_kernel_are_clean_for_icarus_verilog() {
    check_those(Tool::Icarus, has_kernels);
}

#[test]
fn presets_with_every_kernel_are_clean_for_yosys() {
    check_those(Tool::Yosys, has_kernels);
}

fn is_core(preset: &Preset) -> bool {
    let cores = Preset::CORES.map(Preset::name);
    cores.contains(&preset.name())
}

/// Demands that a tool finds nothing in any preset.
fn check_all(tool: Tool) {
    check_those(tool, |_| true);
}

fn check_those(tool: Tool, which: impl FnMut(&Preset) -> bool) {
    if !skip_or_fail(tool) {
        let presets: Vec<Preset> = Preset::ALL.into_iter().filter(which).collect();
        check_lint(tool, &presets);
    }
}

#[test]
#[ignore = "nightly: minutes"]
fn every_preset_is_clean_for_verilator() {
    check_all(Tool::Verilator);
}

#[test]
#[ignore = "nightly: minutes"]
fn every_preset_is_clean_for_icarus_verilog() {
    check_all(Tool::Icarus);
}

#[test]
#[ignore = "nightly: minutes"]
fn every_core_is_clean_for_yosys() {
    check_those(Tool::Yosys, is_core);
}

#[test]
#[ignore = "nightly: minutes"]
fn every_preset_but_the_cores_is_clean_for_yosys() {
    check_those(Tool::Yosys, |preset| !is_core(preset));
}

#[test]
fn an_export_is_reproducible() {
    for preset in Preset::ALL {
        let name = preset.name();
        let files = package(preset).expect("an export");
        assert_eq!(files, package(preset).expect("an export"), "{name}");
        let files: BTreeMap<_, _> = files.into_iter().collect();
        let manifest: String = files["manifest.json"].split_whitespace().collect();
        let mut digests = 0;
        for (file, text) in &files {
            if file != "manifest.json" {
                let digest = sha256_hex(text.as_bytes());
                let entry = format!(r#"{{"name":"{file}","sha256":"{digest}"}}"#);
                assert!(manifest.contains(&entry), "{name}: no {entry}");
                digests += 1;
            }
        }
        assert_eq!(manifest.matches("\"sha256\"").count(), digests, "{name}");
    }
}
