// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device tree of an exported core, as the compiler of device trees takes it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use coretrace_pipelines::package::core::ETM4_CORE;
use tempfile::TempDir;

/// What a board has that the nodes refer to.
const BOARD: &str = "/dts-v1/;
/ {
\t#address-cells = <2>;
\t#size-cells = <2>;
\tgic: interrupt-controller@f9010000 {
\t\t#interrupt-cells = <3>;
\t\t#address-cells = <0>;
\t\tinterrupt-controller;
\t\treg = <0x0 0xf9010000 0x0 0x10000>;
\t};
};
";

fn skip_or_fail() -> bool {
    let mut dtc = Command::new("dtc");
    if dtc.arg("--version").stdout(Stdio::null()).status().is_ok() {
        return false;
    }
    assert_ne!(
        std::env::var("ETM4_REQUIRE_TOOLS").as_deref(),
        Ok("1"),
        "dtc not found, and ETM4_REQUIRE_TOOLS=1 requires it"
    );
    println!("SKIPPED: dtc not found");
    true
}

/// The file of the core with a name.
fn file(name: &str) -> String {
    let files = ETM4_CORE.files().expect("the core exports");
    let found = files.into_iter().find(|(of, _)| of == name);
    found.expect(name).1
}

/// Runs a program of dtc; its output.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.expect(program);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    assert_eq!(errors, "", "{arguments:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Compiles a source into a tree with symbols; its path.
fn compile(folder: &Path, name: &str, source: &str) -> String {
    let path = |name: &str| folder.join(name).to_str().expect("text").to_owned();
    let (source_file, tree) = (path(name), path(&format!("{name}.dtb")));
    fs::write(&source_file, source).expect("written");
    // The root of an overlay has no children with addresses of their own.
    let quiet = "-Wno-avoid_unnecessary_addr_size";
    run(
        "dtc",
        &[
            "-@",
            quiet,
            "-I",
            "dts",
            "-O",
            "dtb",
            "-o",
            &tree,
            &source_file,
        ],
    );
    tree
}

#[test]
fn a_board_with_the_include_is_the_board_with_the_overlay() {
    if skip_or_fail() {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let board = compile(folder.path(), "board.dts", BOARD);
    let overlay = compile(folder.path(), "etm4.dtso", &file("etm4.dtso"));
    let included = BOARD.to_owned() + &file("etm4.dtsi");
    let included = compile(folder.path(), "included.dts", &included);
    let applied = folder.path().join("applied.dtb");
    let applied = applied.to_str().expect("text");
    run("fdtoverlay", &["-i", &board, "-o", applied, &overlay]);
    let [included, applied] =
        [&included, applied].map(|tree| run("dtc", &["-q", "-s", "-I", "dtb", "-O", "dts", tree]));
    for line in ["etm4-core@a0000000 {", "etm4-memory@70000000 {", "no-map;"] {
        assert!(included.contains(line), "no {line} in {included}");
    }
    assert_eq!(included, applied);
}

#[test]
fn the_overlay_has_the_nodes_of_the_include_and_is_a_plugin() {
    let (include, overlay) = (file("etm4.dtsi"), file("etm4.dtso"));
    let nodes = |text: &str, root: &str| {
        let (_, nodes) = text.split_once(root).expect("a root node");
        nodes.to_owned()
    };
    let nodes_of_overlay = nodes(&overlay, "\t#size-cells = <2>;\n\n");
    assert_eq!(nodes(&include, "\n/ {\n"), nodes_of_overlay);
    assert!(overlay.contains("\n/dts-v1/;\n/plugin/;\n"), "{overlay}");
}
