// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device trees of an exported core, as the compiler of device trees takes them and its tools read them, against
//! the preset of the chip.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use coretrace_pipelines::package::core::ETM4_CORE;
use coretrace_target::{Preset, Topology};
use tempfile::TempDir;

/// What a board has that the nodes refer to. Handles are numbers that the include and the overlay both leave alone.
const BOARD: &str = "/dts-v1/;
/ {
\t#address-cells = <2>;
\t#size-cells = <2>;
\tcpus {
\t\t#address-cells = <1>;
\t\t#size-cells = <0>;
\t\tcpu0: cpu@0 { reg = <0>; phandle = <1>; };
\t\tcpu1: cpu@1 { reg = <1>; phandle = <2>; };
\t\tcpu2: cpu@2 { reg = <2>; phandle = <3>; };
\t\tcpu3: cpu@3 { reg = <3>; phandle = <4>; };
\t};
\tzynqmp_clk: clock-controller {
\t\t#clock-cells = <1>;
\t\tphandle = <5>;
\t};
\tgic: interrupt-controller@f9010000 {
\t\t#interrupt-cells = <3>;
\t\t#address-cells = <0>;
\t\tinterrupt-controller;
\t\tphandle = <6>;
\t\treg = <0x0 0xf9010000 0x0 0x10000>;
\t};
};
";

/// Clocks of a Zynq UltraScale+ by their numbers in Linux: include/dt-bindings/clock/xlnx-zynqmp-clk.h.
const DBG_FPD: u32 = 12;
const DBG_TRACE: u32 = 14;

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

/// A board with the overlay of a name; its path.
fn applied(folder: &Path, name: &str) -> String {
    let board = compile(folder, "board.dts", BOARD);
    let overlay = format!("{name}.dtso");
    let overlay = compile(folder, &overlay, &file(&overlay));
    let applied = folder.join("applied.dtb");
    let applied = applied.to_str().expect("text").to_owned();
    run("fdtoverlay", &["-i", &board, "-o", &applied, &overlay]);
    applied
}

/// The cells of a property.
fn cells(tree: &str, node: &str, property: &str) -> Vec<u32> {
    let text = run("fdtget", &["-t", "x", tree, node, property]);
    let cell = |cell: &str| u32::from_str_radix(cell, 16).expect("a cell");
    text.split_whitespace().map(cell).collect()
}

fn zynqmp() -> Topology {
    let preset = Preset::find("zynqmp").expect("a preset");
    preset.topology().expect("a topology")
}

#[test]
fn a_board_with_an_include_is_the_board_with_its_overlay() {
    if skip_or_fail() {
        return;
    }
    for (name, lines) in [
        (
            "etm4",
            &["etm4-core@a0000000 {", "etm4-memory@70000000 {", "no-map;"][..],
        ),
        ("coresight", &["etm@fef40000 {", "tpiu@fe980000 {"]),
    ] {
        let folder = TempDir::new().expect("a folder");
        let included = BOARD.to_owned() + &file(&format!("{name}.dtsi"));
        let included = compile(folder.path(), "included.dts", &included);
        let applied = applied(folder.path(), name);
        let [included, applied] = [&included, &applied]
            .map(|tree| run("dtc", &["-q", "-s", "-I", "dtb", "-O", "dts", tree]));
        for line in lines {
            assert!(included.contains(line), "no {line} in {included}");
        }
        assert_eq!(included, applied);
    }
}

#[test]
fn the_devices_of_a_core_are_where_the_preset_has_them() {
    if skip_or_fail() {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let tree = applied(folder.path(), "etm4");
    let core = &zynqmp().receivers[0];
    let [registers, dma] = core.ranges();
    let cells = |node: &str, property: &str| cells(&tree, node, property);
    let ranges = |node: &str| -> Vec<(u64, u64)> {
        let cells = cells(node, "reg");
        let wide = |halves: &[u32]| u64::from(halves[0]) << 32 | u64::from(halves[1]);
        let range = |range: &[u32]| (wide(&range[..2]), wide(&range[2..]));
        cells.chunks_exact(4).map(range).collect()
    };
    let memory = ranges("/reserved-memory/etm4-memory@70000000");
    let page = |of: &std::ops::Range<u64>| (of.start, of.end - of.start);
    assert_eq!(ranges("/etm4-bus/etm4-core@a0000000"), [page(&registers)]);
    assert_eq!(
        ranges("/etm4-bus/dma@a0010000"),
        [page(&dma), memory[0]],
        "map 1 is the memory"
    );
    let clocks = cells("/clock-controller", "phandle")[0];
    assert_eq!(
        cells("/etm4-bus", "clocks"),
        [clocks, DBG_TRACE, clocks, DBG_FPD]
    );
    // Without this driver the bus is a simple one, and its devices are there as well.
    let names = run("fdtget", &["-t", "s", &tree, "/etm4-bus", "compatible"]);
    assert_eq!(names.trim(), "simple-pm-bus simple-bus");
}

/// Components by address with their kinds and cores, and links by the addresses of their ends.
fn graph(topology: &Topology) -> (BTreeSet<String>, BTreeSet<String>) {
    let base = |index: usize| topology.components[index].base;
    let components = topology.components.iter();
    let links = topology.links.iter();
    (
        components
            .map(|of| format!("{:X} {} {:?}", of.base, of.kind.name(), of.cpu))
            .collect(),
        links
            .map(|of| {
                let ((from, output), (to, input)) = (of.from, of.to);
                format!("{:X}:{output} {:X}:{input}", base(from), base(to))
            })
            .collect(),
    )
}

#[test]
fn the_nodes_for_the_drivers_of_linux_are_the_graph_of_the_preset() {
    if skip_or_fail() {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let tree = applied(folder.path(), "coresight");
    let blob = fs::read(&tree).expect("a tree");
    let found = Topology::of_device_tree("zynqmp", &blob).expect("a topology");
    let preset = zynqmp();
    let (mut components, mut links) = graph(&preset);
    // Linux has no driver for the generator, and nothing traces a Cortex-R5 for it.
    let left_out = ["timestamp", "funnel0", "r5etm0", "r5etm1"];
    for name in left_out {
        let index = preset.find(name).expect("a component");
        let base = format!("{:X}", preset.components[index].base);
        components.retain(|line| !line.starts_with(&base));
        links.retain(|line| !line.contains(&base));
    }
    assert_eq!(graph(&found), (components, links));
    // A driver reads the identification of a component, so that it needs the clock of its registers.
    let clocks = cells(&tree, "/clock-controller", "phandle")[0];
    for component in &found.components {
        let name = component.kind.name().trim_end_matches('4');
        let node = format!("/coresight-bus/{name}@{:x}", component.base);
        let needed = cells(&tree, &node, "clocks");
        assert_eq!(needed[..2], [clocks, DBG_FPD], "{node}");
    }
    let port = cells(&tree, "/coresight-bus/tpiu@fe980000", "clocks");
    assert_eq!(port[2..], [clocks, DBG_TRACE]);
}
