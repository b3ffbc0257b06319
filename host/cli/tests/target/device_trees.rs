// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device tree of a chip as its topology.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::chip::{Chip, plan};
use crate::common::{good, refused};

/// Whether the compiler of device trees is missing.
fn skip_or_fail() -> bool {
    let mut dtc = Command::new("dtc");
    if dtc.arg("--version").stdout(Stdio::null()).status().is_ok() {
        return false;
    }
    let needed = std::env::var("ETM4_REQUIRE_TOOLS").as_deref() == Ok("1");
    assert!(
        !needed,
        "dtc not found, and ETM4_REQUIRE_TOOLS=1 requires it"
    );
    println!("SKIPPED: dtc not found");
    true
}

#[test]
fn a_session_by_a_device_tree_is_that_of_the_preset_without_clocks() {
    if skip_or_fail() {
        return;
    }
    let chip = Chip::new();
    let path = |name: &str| chip.path(name).to_str().expect("text").to_owned();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/target/zynqmp.dts");
    let blob = path("zynqmp.dtb");
    let mut dtc = Command::new("dtc");
    dtc.args(["-q", "-O", "dtb", "-o", &blob]).arg(&source);
    assert!(dtc.status().expect("dtc").success());
    let topology = path("zynqmp.toml");
    let text = good(&["target", "device-tree", &blob, "--name", "zynqmp"]);
    fs::write(&topology, &text).expect("written");
    assert!(
        text.contains("name = \"etm0\"\nkind = \"etm4\"\nbase = 0xFEC40000\n"),
        "{text}"
    );
    assert!(text.contains("name = \"funnel-fe920000\"\n"), "{text}");
    // The accesses are those of the preset, but for its clocks.
    let accesses = |topology: &str| -> Vec<String> {
        let steps = plan(&["--topology", topology, "--cpu", "0"]).into_iter();
        let unnamed = steps.map(|mut step| {
            let step = step.as_object_mut().expect("a step");
            step.retain(|name, _| name != "step" && name != "place");
            format!("{step:?}")
        });
        let mut unnamed: Vec<String> = unnamed.collect();
        unnamed.sort_unstable();
        unnamed
    };
    let (found, mut golden) = (accesses(&topology), accesses("zynqmp"));
    let all = golden.len();
    golden.retain(|step| !step.contains("CLOCK"));
    assert_eq!(golden.len(), all - 2);
    assert_eq!(found, golden);
}

#[test]
fn a_file_that_is_no_device_tree_is_refused() {
    refused(
        &["target", "device-tree", "Cargo.toml"],
        &["Cargo.toml", "magic"],
    );
    refused(
        &["target", "device-tree", "/nowhere"],
        &["cannot read /nowhere"],
    );
}
