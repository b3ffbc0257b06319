// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported core as a folder: complete, reproducible, and clean in three linters.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use coretrace_abi::registers::placed;
use coretrace_capture::sha256_hex;
use coretrace_hdl_verilog::{Direction, Port};
use coretrace_pipelines::package::core::{
    ADDRESS_W, CORE, ETM4_CORE, ETM4_CORE_ITM, ETM4_CORE_STM, FLOW_CORE, Product, RECOMPRESSOR,
    RECOMPRESSOR_XE, TRACE_COMPRESSOR, WRAPPER, buses, wrapper_verilog,
};
use coretrace_pipelines::package::write_package;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use serde_json::Value;

/// Files of device trees, which only `etm4_core` has.
const TREES: usize = 4;

fn files() -> BTreeMap<String, String> {
    let files = ETM4_CORE.files().expect("the core exports");
    let count = files.len();
    let files = BTreeMap::from_iter(files);
    assert_eq!(files.len(), count, "two files of one name");
    files
}

fn export(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("core-{test}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder can go");
    }
    write_package(ETM4_CORE.files().expect("the core exports"), &folder).expect("a folder");
    folder
}

#[test]
fn cores_at_a_trace_port_have_the_files_of_a_core_by_their_own_names() {
    has_the_files_of_a_core(&FLOW_CORE, "etm4_flow", "flow-csr.md");
    has_the_files_of_a_core(&RECOMPRESSOR, "etm4_recompressor", "recompressor-csr.md");
    has_the_files_of_a_core(
        &RECOMPRESSOR_XE,
        "etm4_recompressor_xe",
        "recompressor-xe-csr.md",
    );
}

fn has_the_files_of_a_core(product: &Product, map: &str, document: &str) {
    let core = product.name();
    let names = |name: &str| match name.strip_prefix("etm4_core") {
        Some(rest) => format!("{core}{rest}"),
        None => name.replace("etm4_", &format!("{map}_")),
    };
    let of_core = files();
    let files: BTreeMap<String, String> =
        product.files().expect("it exports").into_iter().collect();
    for name in of_core.keys().filter(|name| !name.contains(".dts")) {
        let name = match name.as_str() {
            "csr.md" => document.to_owned(),
            name => names(name),
        };
        assert!(files.contains_key(&name), "{core}: no {name}");
    }
    assert_eq!(files.len(), of_core.len() - TREES);
    let prose = ["integration.md", "records.md", "CHANGELOG.md"];
    for (name, text) in files
        .iter()
        .filter(|(name, _)| !prose.contains(&name.as_str()))
    {
        for other in ["etm4_core", "etm4_csr", "FIFO_WORDS"] {
            assert!(!text.contains(other), "{name}: {other}");
        }
    }
    // The FIFO is in the core itself: every crossing names its cells there.
    let crossings = &files[&format!("{core}.xdc")];
    assert!(crossings.contains("get_cells {fifo/write_pointer/"));
    assert!(!crossings.contains("fifo/*/"));
    let inside = &files[&format!("{core}_ip.xdc")];
    assert!(inside.contains("get_cells {core/fifo/write_pointer/"));
    assert!(files[&format!("{core}.v")].contains(&format!("  {core}__fifo fifo (")));
}

#[test]
fn a_core_with_two_sources_has_the_files_of_a_core_and_its_fifo_below_it() {
    let of_core = files();
    for product in [&ETM4_CORE_STM, &ETM4_CORE_ITM] {
        let core = product.name();
        let files = product.files().expect("it exports").into_iter();
        let files: BTreeMap<String, String> = files.collect();
        for name in of_core.keys().filter(|name| !name.contains(".dts")) {
            let name = match name.as_str() {
                "csr.md" => "software-csr.md".to_owned(),
                name => match name.strip_prefix("etm4_core") {
                    Some(rest) => format!("{core}{rest}"),
                    None => name.replace("etm4_", "etm4_software_"),
                },
            };
            assert!(files.contains_key(&name), "{core}: no {name}");
        }
        assert_eq!(files.len(), of_core.len() - TREES);
        let crossings = &files[&format!("{core}.xdc")];
        assert!(crossings.contains("get_cells {core/fifo/write_pointer/"));
        assert!(!crossings.contains("fifo/*/"));
        let inside = &files[&format!("{core}_ip.xdc")];
        assert!(inside.contains("get_cells {core/core/fifo/write_pointer/"));
        let fifo = format!("  {core}__core__fifo fifo (");
        assert!(files[&format!("{core}.v")].contains(&fifo));
        let wrapper = &files[&format!("{core}_ip.v")];
        assert!(wrapper.contains("m_axis_records:m_axis_profile:m_axis_software,"));
    }
}

#[test]
fn a_compressor_has_the_files_of_a_core_but_no_clock_crossings() {
    let of_core = files();
    let compressor = TRACE_COMPRESSOR.files().expect("it exports");
    let compressor: BTreeMap<String, String> = compressor.into_iter().collect();
    let crossings = [
        "check_crossings.tcl",
        "coresight.dtsi",
        "coresight.dtso",
        "etm4.dtsi",
        "etm4.dtso",
        "etm4_core.xdc",
        "etm4_core_ip.xdc",
    ];
    let expected = of_core
        .keys()
        .filter(|name| !crossings.contains(&name.as_str()));
    let named = expected.map(|name| match name.as_str() {
        "csr.md" => "compressor-csr.md".to_owned(),
        name => name
            .replace("etm4_core", "trace_compressor")
            .replace("etm4_", "etm4_compressor_"),
    });
    let named: BTreeSet<String> = named.collect();
    assert_eq!(compressor.keys().cloned().collect::<BTreeSet<_>>(), named);
    let prose = ["integration.md", "records.md", "CHANGELOG.md"];
    for (name, text) in compressor
        .iter()
        .filter(|(name, _)| !prose.contains(&name.as_str()))
    {
        for other in ["etm4_core", "etm4_csr", "FIFO_WORDS", "ETMv4"] {
            assert!(!text.contains(other), "{name}: {other}");
        }
    }
    assert!(!compressor["trace_compressor_ooc.xdc"].contains("trace_clk"));
    assert!(!compressor["trace_compressor.core"].contains("_ip.xdc"));
    let wrapper = &compressor["trace_compressor_ip.v"];
    for line in [
        "ASSOCIATED_BUSIF s_axi:s_axis_branches:m_axis_blocks,",
        "(* X_INTERFACE_MODE = \"slave s_axis_branches\" *)",
        "s_axis_branches, TDATA_NUM_BYTES 24, HAS_TREADY 0,",
        "assign m_axis_blocks_tkeep = {16{1'b1}};",
    ] {
        assert!(wrapper.contains(line), "no {line} in\n{wrapper}");
    }
    assert!(!wrapper.contains("s_axis_branches_tkeep"));
}

#[test]
fn every_file_that_is_named_is_there_and_has_its_digest() {
    let files = files();
    assert_eq!(files, self::files(), "a second export differs");
    let manifest: Value = serde_json::from_str(&files["manifest.json"]).expect("JSON");
    let listed = manifest["files"].as_array().expect("files");
    for file in listed {
        let name = file["name"].as_str().expect("a name");
        assert_eq!(file["sha256"], sha256_hex(files[name].as_bytes()), "{name}");
    }
    assert_eq!(listed.len(), files.len() - 1, "all but the manifest");
    let sources: Vec<&str> = files["files.f"].lines().collect();
    assert_eq!(sources, [format!("{CORE}.v"), format!("{WRAPPER}.v")]);
    let core_file = &files["etm4_core.core"];
    let named = core_file
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- "));
    let named: Vec<&str> = named.filter(|word| word.contains('.')).collect();
    assert!(sources.iter().all(|source| named.contains(source)));
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_./".contains(c);
    let words = files["package_ip.tcl"].split(|c| !is_name(c));
    let words = words.filter(|word| word.ends_with(".xdc") || word.ends_with(".json"));
    for name in words.chain(named) {
        let name = name.rsplit('/').next().unwrap_or(name);
        assert!(files.contains_key(name), "no file {name}");
    }
    for (name, text) in &files {
        let is_text = ![".f", ".json", ".md"].iter().any(|end| name.ends_with(end));
        assert!(
            !is_text || text.contains("SPDX-License-Identifier: MIT OR Apache-2.0"),
            "{name}"
        );
    }
}

#[test]
fn the_wrapper_has_the_ports_of_the_core_and_bus_attributes() {
    let text = &files()[&format!("{WRAPPER}.v")];
    for port in ETM4_CORE.ports() {
        let direction = match port.direction {
            Direction::Input => "input wire ",
            Direction::Output => "output wire ",
        };
        let is_address = port.name.ends_with("addr");
        let range = match port.width {
            _ if is_address => format!("[{}:0] ", ADDRESS_W - 1),
            1 => String::new(),
            width => format!("[{}:0] ", width - 1),
        };
        let declared = format!("  {direction}{range}{}", port.name);
        assert!(
            text.lines()
                .any(|line| line.trim_end_matches(',') == declared),
            "{declared}"
        );
        let connected = if is_address { "core_" } else { "" };
        let connection = format!("    .{0}({connected}{0})", port.name);
        assert!(
            text.lines()
                .any(|line| line.trim_end_matches(',') == connection),
            "{connection}"
        );
        if port.name.starts_with("s_axi_") || port.name.starts_with("m_axis_") {
            let (bus, signal) = port.name.rsplit_once('_').expect("a bus");
            let info = format!("{bus} {}\" *)", signal.to_uppercase());
            assert!(text.contains(&info), "no attribute {info}");
        }
    }
}

#[test]
#[ignore = "nightly: three linters"]
fn core_and_wrapper_are_lint_clean_with_the_exported_waivers() {
    let folder = export("lint");
    let sources = [format!("{CORE}.v"), format!("{WRAPPER}.v")];
    let yosys = format!(
        "read_verilog -noautowire {}; hierarchy -check -top {WRAPPER}",
        sources.join(" ")
    );
    let calls = [
        (
            Tool::Verilator,
            vec![
                "--lint-only",
                "-Wall",
                "--language",
                "1364-2005",
                "--top-module",
                WRAPPER,
                "etm4_core.vlt",
            ],
        ),
        (
            Tool::Icarus,
            vec![
                "-g2005",
                "-Wall",
                "-Wno-timescale",
                "-t",
                "null",
                "-s",
                WRAPPER,
            ],
        ),
        (Tool::Yosys, vec!["-q", "-p", &yosys]),
    ];
    for (tool, arguments) in calls {
        if skip_or_fail(tool) {
            continue;
        }
        let mut command = Command::new(tool.program());
        command.current_dir(&folder).args(arguments);
        if tool != Tool::Yosys {
            command.args(&sources);
        }
        let output = command.output().expect("the linter runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(
            output.status.success() && said.trim().is_empty(),
            "{}: {said}",
            tool.program()
        );
    }
}

#[test]
#[ignore = "nightly: minutes of synthesis"]
fn yosys_synthesises_the_wrapper_for_ultrascale_plus() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let folder = export("synthesis");
    let script = format!(
        "read_verilog {CORE}.v {WRAPPER}.v; synth_xilinx -family xcup -top {WRAPPER}; \
         tee -o stat.txt stat"
    );
    let mut command = Command::new(Tool::Yosys.program());
    command.current_dir(&folder).args(["-q", "-p", &script]);
    assert!(command.status().expect("Yosys runs").success());
    let stat = fs::read_to_string(folder.join("stat.txt")).expect("the statistics");
    println!("{stat}");
    assert!(
        stat.contains("RAMB36E2"),
        "the first memory is not block RAM"
    );
}

#[test]
fn an_address_beyond_the_core_is_no_register() {
    let is_address = |port: &&Port| port.name == "s_axi_awaddr";
    let ports = ETM4_CORE.ports();
    let width = ports.iter().find(is_address).expect("an address").width;
    assert!(width < ADDRESS_W);
    let hole = (1 << width) - 4;
    assert!(placed().all(|(offset, _)| offset != hole));
}

#[test]
fn a_further_stream_becomes_an_interface_by_its_name_alone() {
    let mut ports = ETM4_CORE.ports();
    let profile = |port: &Port| Port {
        name: port.name.replace("records", "profile"),
        ..port.clone()
    };
    let records = ports.iter().filter(|port| port.name.contains("records"));
    let more: Vec<Port> = records.map(profile).collect();
    assert_eq!(more.len(), 4);
    ports.retain(|port| !port.name.contains("_profile_"));
    ports.extend(more);
    let text = wrapper_verilog(&ETM4_CORE, &ports, &buses(&ports));
    for line in [
        "ASSOCIATED_BUSIF s_axi:m_axis_records:m_axis_profile,",
        "\"xilinx.com:interface:axis:1.0 m_axis_profile TLAST\"",
        "(* X_INTERFACE_MODE = \"master m_axis_profile\" *)",
        "assign m_axis_profile_tkeep = {16{1'b1}};",
        "    .m_axis_profile_tready(m_axis_profile_tready)",
    ] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
}

#[test]
fn the_interrupt_of_the_core_is_an_interface_of_the_ip() {
    let ports = ETM4_CORE.ports();
    let text = wrapper_verilog(&ETM4_CORE, &ports, &buses(&ports));
    for line in [
        "\"xilinx.com:signal:interrupt:1.0 irq INTERRUPT\"",
        "\"XIL_INTERFACENAME irq, SENSITIVITY LEVEL_HIGH\"",
        "  output wire irq",
        "    .irq(irq)",
    ] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
}
