// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Tcl and the constraints of an exported core.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use coretrace_abi::registers::placed;
use coretrace_pipelines::package::core::{
    ETM4_CORE, Kind, Product, TRACE_COMPRESSOR, WRAPPER, buses,
};
use coretrace_pipelines::package::write_package;

use crate::tclsh::{Outcome, call_with, evaluate, skip_or_fail};

/// The exported core in an empty folder for a test.
fn export(test: &str) -> PathBuf {
    export_of(&ETM4_CORE, test)
}

/// The same of any core.
fn export_of(product: &Product, test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ip-{test}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder can go");
    }
    write_package(product.files().expect("the core exports"), &folder).expect("a folder");
    folder
}

/// Calls a script of the folder.
fn run(folder: &Path, script: &str, differences: &str, arguments: &[&str]) -> Outcome {
    call_with("ip_stubs.tcl", &folder.join(script), differences, arguments)
}

#[test]
fn the_folder_is_packaged_with_constraints_and_a_segment_of_4_kib() {
    if skip_or_fail() {
        return;
    }
    let folder = export("package");
    let outcome = run(&folder, "package_ip.tcl", "", &[]);
    assert_eq!(outcome.code, 0, "{}{}", outcome.output, outcome.errors);
    assert!(outcome.output.contains("PACKAGED etm4:trace:etm4_core:"));
    let properties = outcome.words_of("set_property").join("\n");
    let top = format!("top {WRAPPER} sources_1");
    for expected in [
        top.as_str(),
        "PROCESSING_ORDER LATE",
        "USED_IN {synthesis implementation out_of_context}",
        "base_address 0 range 4096",
    ] {
        assert!(properties.contains(expected), "no {expected}: {properties}");
    }
    // Synthesis may rename the modules of an IP.
    assert!(!properties.contains("SCOPED_TO_REF"), "{properties}");
    let documents = outcome.words_of("ipx::add_file").join("\n");
    for expected in [
        "integration.md xilinx_productguide",
        "CHANGELOG.md xilinx_versioninformation",
        "etm4_core.v xilinx_anylanguagebehavioralsimulation",
    ] {
        assert!(documents.contains(expected), "no {expected}: {documents}");
    }
    let looked_for = outcome.words_of("ipx::get_bus_interfaces").join("\n");
    for bus in buses(&ETM4_CORE.ports()) {
        assert!(looked_for.contains(bus.name), "{}", bus.name);
    }
    let calls = &outcome.calls;
    let place = |start: &str| calls.iter().position(|call| call.starts_with(start));
    assert!(place("ipx::update_checksums") < place("ipx::save_core"));
}

#[test]
fn the_component_has_every_register_and_field_of_the_table() {
    if skip_or_fail() {
        return;
    }
    let folder = export("registers");
    let outcome = run(&folder, "package_ip.tcl", "", &[]);
    let registers = outcome.words_of("ipx::add_register");
    let fields = outcome.words_of("ipx::add_field");
    let properties: BTreeSet<&str> = outcome.words_of("set_property").into_iter().collect();
    let mut count = 0;
    for ((offset, register), line) in placed().zip(&registers) {
        let name = register.name;
        assert_eq!(*line, format!("{name} reg0"));
        let start = format!("-dict {{address_offset 0x{offset:x} size 32 description ");
        let is_of = |line: &&&str| line.starts_with(&start) && line.ends_with(name);
        assert!(properties.iter().any(|line| is_of(&line)), "{name}");
        for field in register.fields {
            assert_eq!(fields[count], format!("{} {name}", field.name));
            count += 1;
            let (low, width) = (field.low, field.width);
            let start = format!("-dict {{bit_offset {low} bit_width {width} access read-");
            let is_of = |line: &&&str| line.starts_with(&start) && line.ends_with(field.name);
            assert!(properties.iter().any(|line| is_of(&line)), "{}", field.name);
        }
    }
    assert_eq!(registers.len(), placed().count());
    assert_eq!(fields.len(), count);
}

#[test]
fn a_vivado_that_is_too_old_is_named_and_does_nothing() {
    if skip_or_fail() {
        return;
    }
    let folder = export("old");
    for (script, arguments) in [
        ("package_ip.tcl", &[][..]),
        ("block_design.tcl", &["zcu104"][..]),
    ] {
        for (version, code) in [("2020.2", 1), ("2021.1", 0), ("2023.2.2_AR1", 0)] {
            let outcome = run(&folder, script, &format!("version {version}"), arguments);
            assert_eq!(outcome.code, code, "{version}: {}", outcome.errors);
            let is_named = outcome.errors.contains("needs 2021.1 or newer");
            assert_eq!(is_named, code == 1, "{}", outcome.errors);
            let projects = outcome.words_of("create_project").len();
            assert_eq!(projects, usize::from(code == 0));
        }
    }
}

#[test]
fn an_interface_that_is_not_recognised_ends_the_packaging() {
    if skip_or_fail() {
        return;
    }
    let folder = export("missing");
    let outcome = run(&folder, "package_ip.tcl", "missing m_axis_records", &[]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.errors.contains("m_axis_records"),
        "{}",
        outcome.errors
    );
    assert_eq!(outcome.words_of("ipx::save_core"), [""; 0]);
}

#[test]
fn every_input_of_every_core_and_dma_of_a_block_design_is_connected() {
    if skip_or_fail() {
        return;
    }
    let folder = export("design");
    let ports = ETM4_CORE.ports();
    let buses = buses(&ports);
    let streams = buses.iter().filter(|bus| bus.kind == Kind::Stream).count();
    let boards = [
        ("zcu104", "xczu7ev-ffvc1156-2-e"),
        ("kv260", "xck26-sfvc784-2LV-c"),
        ("xu5", "xczu5ev-sfvc784-2-i"),
    ];
    for ((board, part), cores) in boards.into_iter().zip([1, 2, 3]) {
        let cores_flag = cores.to_string();
        let flags = [board, "-cores", &cores_flag, "-out", "somewhere"];
        let outcome = run(&folder, "block_design.tcl", "", &flags);
        assert_eq!(outcome.code, 0, "{}{}", outcome.output, outcome.errors);
        let project = format!("-force -part {part} trace somewhere");
        assert_eq!(outcome.words_of("create_project"), [project]);
        let nets = outcome.words_of("connect_bd_net").join(" ");
        let links = outcome.words_of("connect_bd_intf_net").join(" ");
        let connected: BTreeSet<&str> = nets.split(' ').chain(links.split(' ')).collect();
        for core in 0..cores {
            let inputs = ports.iter().filter(|port| {
                port.direction == coretrace_hdl_verilog::Direction::Input
                    && !buses.iter().any(|bus| port.name.starts_with(bus.name))
            });
            let names = inputs.map(|port| port.name.as_str());
            for name in names.chain(buses.iter().map(|bus| bus.name)) {
                let pin = format!("core_{core}/{name}");
                assert!(connected.contains(pin.as_str()), "{pin}");
            }
        }
        let dmas = connected.iter().filter(|pin| pin.ends_with("/S_AXIS_S2MM"));
        assert_eq!(dmas.count(), cores * streams);
        assert_eq!(outcome.words_of("validate_bd_design"), [""]);
        // Segments do not overlap: all start at different addresses.
        let words = outcome.words_of("assign_bd_address");
        let offsets: BTreeSet<&str> = words
            .iter()
            .filter_map(|words| words.split(' ').nth(1))
            .collect();
        assert_eq!(offsets.len(), cores + cores * streams);
        assert!(outcome.output.contains("WARNING: no files of this board"));
        let outcome = run(&folder, "block_design.tcl", "board a:board", &flags);
        assert!(!outcome.output.contains("WARNING"), "{}", outcome.output);
        assert_eq!(outcome.words_of("apply_bd_automation").len(), 1);
    }
}

#[test]
fn branches_are_an_interface_of_a_design_with_compressors() {
    if skip_or_fail() {
        return;
    }
    let folder = export_of(&TRACE_COMPRESSOR, "branches");
    let outcome = run(&folder, "package_ip.tcl", "", &[]);
    assert_eq!(outcome.code, 0, "{}{}", outcome.output, outcome.errors);
    assert!(
        outcome
            .output
            .contains("PACKAGED etm4:trace:trace_compressor:")
    );
    let properties = outcome.words_of("set_property").join("\n");
    assert!(properties.contains("display_name {Branch trace compressor}"));

    let flags = ["zcu104", "-cores", "2"];
    let outcome = run(&folder, "block_design.tcl", "", &flags);
    assert_eq!(outcome.code, 0, "{}{}", outcome.output, outcome.errors);
    let outside = outcome.words_of("make_bd_intf_pins_external");
    let name = |core| format!("core_{core}_s_axis_branches");
    let expected = [0, 1].map(|core| format!("-name {} core_{core}/s_axis_branches", name(core)));
    assert_eq!(outside, expected);
    let pins = outcome.words_of("make_bd_pins_external");
    assert_eq!(
        pins,
        [
            "-name clock ps/pl_clk0",
            "-name resetn reset/peripheral_aresetn"
        ]
    );
    let clock = format!("CONFIG.ASSOCIATED_BUSIF {}:{} clock", name(0), name(1));
    assert!(outcome.words_of("set_property").contains(&clock.as_str()));
    let calls = outcome.calls.join("\n");
    assert!(!calls.contains("TRACE__") && !calls.contains("pl_clk1"));
    for core in 0..2 {
        let link = format!("core_{core}/m_axis_blocks dma_{core}_blocks/S_AXIS_S2MM");
        let links = outcome.words_of("connect_bd_intf_net");
        assert!(links.contains(&link.as_str()), "no {link}");
    }

    let outcome = run(
        &folder,
        "block_design.tcl",
        "",
        &["zcu104", "-until", "synthesis"],
    );
    assert_eq!(outcome.code, 1);
    assert!(outcome.errors.contains("outside the design"));
    assert_eq!(outcome.words_of("create_project"), [""; 0]);
}

#[test]
fn the_device_tree_has_the_addresses_of_a_block_design_with_one_core() {
    if skip_or_fail() {
        return;
    }
    let folder = export("tree");
    let outcome = run(&folder, "block_design.tcl", "", &["zcu104"]);
    let tree = fs::read_to_string(folder.join("etm4.dtsi")).expect("the device tree");
    let mut segments = 0;
    for words in outcome.words_of("assign_bd_address") {
        let words: Vec<&str> = words.split(' ').collect();
        let ["-offset", offset, "-range", range, ..] = words[..] else {
            continue;
        };
        segments += 1;
        let offset = offset.trim_start_matches("0x").to_lowercase();
        let kib: u32 = range.trim_end_matches('K').parse().expect("KiB");
        let reg = format!("reg = <0x0 0x{offset} 0x0 {:#x}>", kib * 1024);
        assert!(tree.contains(&reg), "no {reg}");
        assert!(
            tree.contains(&format!("@{offset} {{")),
            "no node at {offset}"
        );
    }
    let (_, nodes) = tree.split_once("etm4_bus:").expect("the bus");
    assert_eq!(nodes.matches("reg = <").count(), segments);
    let lines = outcome.words_of("connect_bd_net");
    let lines: Vec<&&str> = lines
        .iter()
        .filter(|net| net.contains("/s2mm_introut"))
        .collect();
    assert_eq!(tree.matches("interrupts = <0 ").count() - 1, lines.len());
    for (index, net) in lines.iter().enumerate() {
        assert!(net.ends_with(&format!("interrupts/In{index}")), "{net}");
        assert!(tree.contains(&format!("\t\t\tinterrupts = <0 {} 4>;", 89 + index)));
    }
}

#[test]
fn the_interrupts_of_cores_have_an_input_of_their_own() {
    if skip_or_fail() {
        return;
    }
    let folder = export("interrupt");
    let outcome = run(&folder, "block_design.tcl", "", &["xu5", "-cores", "4"]);
    assert_eq!(outcome.code, 0, "{}", outcome.errors);
    let nets = outcome.words_of("connect_bd_net");
    assert!(nets.contains(&"core_interrupts/dout ps/pl_ps_irq1"));
    for core in 0..4 {
        let net = format!("core_{core}/irq core_interrupts/In{core}");
        assert!(nets.contains(&net.as_str()), "no {net}: {nets:?}");
    }
}

#[test]
fn a_wrong_call_of_the_block_design_builds_nothing() {
    if skip_or_fail() {
        return;
    }
    let folder = export("wrong");
    for (arguments, code) in [
        (&[][..], 2),
        (&["zcu999"][..], 2),
        (&["zcu104", "-cores"][..], 2),
        (&["zcu104", "-cores", "0"][..], 2),
        (&["zcu104", "-speed", "1"][..], 2),
        (&["zcu104", "-until", "silicon"][..], 2),
        (&["zcu104", "-jobs", "many"][..], 2),
        (&["zcu104", "-cores", "9"][..], 1),
    ] {
        let outcome = run(&folder, "block_design.tcl", "", arguments);
        assert_eq!(outcome.code, code, "{arguments:?}: {}", outcome.errors);
        assert_eq!(outcome.words_of("create_project"), [""; 0]);
    }
}

#[test]
fn a_design_goes_on_to_its_reports_and_its_bitstream_as_far_as_asked() {
    if skip_or_fail() {
        return;
    }
    let folder = export("until");
    for (until, runs, reports, platforms) in [
        ("design", 0, 0, 0),
        ("synthesis", 1, 1, 0),
        ("bitstream", 2, 2, 1),
    ] {
        let flags = ["zcu104", "-until", until, "-out", "somewhere", "-jobs", "7"];
        let outcome = run(&folder, "block_design.tcl", "", &flags);
        assert_eq!(outcome.code, 0, "{}{}", outcome.output, outcome.errors);
        let launched = outcome.words_of("launch_runs");
        assert_eq!(launched.len(), runs);
        assert!(launched.iter().all(|words| words.contains("-jobs 7")));
        for report in [
            "report_timing_summary",
            "report_cdc",
            "report_bus_skew",
            "report_utilization",
        ] {
            assert_eq!(outcome.words_of(report).len(), reports, "{report}");
        }
        let checks = outcome.output.matches("CROSSINGS 5 of each of 1 cores");
        assert_eq!(checks.count(), reports);
        let written = outcome.words_of("write_hw_platform");
        assert_eq!(written.len(), platforms);
        assert!(written.iter().all(|words| words.contains("-include_bit")));
    }
}

#[test]
fn a_design_that_fails_leaves_no_platform_and_says_why() {
    if skip_or_fail() {
        return;
    }
    let folder = export("fails");
    let flags = ["zcu104", "-until", "bitstream"];
    for (difference, reason) in [
        ("progress 50%", "synth_1 has failed: a status"),
        (
            "slack -0.2",
            "timing is missed: the worst max slack is -0.2",
        ),
        ("absent core", "no cell of etm4_core"),
        (
            "absent drops_seen",
            "no cell is fifo/*/drops_seen/first_reg*",
        ),
        (
            "unconnected asks",
            "no path from fifo/*/asks/q_reg* to fifo/*/write_reset/first_reg*",
        ),
        ("unclocked trace_clk", "there is no clock at trace_clk"),
        (
            "exception {False Path}",
            "set_max_delay from fifo/*/write_pointer/*/q_reg*",
        ),
    ] {
        let outcome = run(&folder, "block_design.tcl", difference, &flags);
        assert_eq!(outcome.code, 1, "{difference}: {}", outcome.output);
        assert!(outcome.errors.contains(reason), "{}", outcome.errors);
        assert_eq!(outcome.words_of("write_hw_platform"), [""; 0]);
    }
}

#[test]
fn inline_hdl_replaces_the_ips_that_a_new_vivado_lacks() {
    if skip_or_fail() {
        return;
    }
    let folder = export("inline");
    for (difference, kinds) in [("", [3, 0]), ("inline 1", [0, 3])] {
        let outcome = run(&folder, "block_design.tcl", difference, &["zcu104"]);
        assert_eq!(outcome.code, 0, "{}", outcome.errors);
        let cells = outcome.words_of("create_bd_cell").join("\n");
        let found = [":ip:xlcon", ":inline_hdl:ilcon"].map(|kind| cells.matches(kind).count());
        assert_eq!(found, kinds, "{cells}");
    }
}

/// Instances and registers of the modules of an exported text.
#[derive(Default)]
struct Module<'a> {
    /// Module and name.
    instances: Vec<(&'a str, String)>,
    registers: BTreeSet<&'a str>,
    is_synchroniser: bool,
}

fn modules(verilog: &str) -> BTreeMap<&str, Module<'_>> {
    let mut modules = BTreeMap::new();
    let mut name = "";
    let mut branch = String::new();
    for line in verilog.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["module", module, ..] = words[..] {
            name = module;
        }
        let module: &mut Module<'_> = modules.entry(name).or_default();
        match words[..] {
            [kind, instance, "("] if kind.starts_with("etm4_core") => {
                module.instances.push((kind, format!("{branch}{instance}")));
            }
            [kind, value, instance, "("] if value.starts_with("#(") => {
                module.instances.push((kind, instance.to_owned()));
            }
            // A branch that is not the default one is not there.
            [.., "begin", ":", name] => {
                branch = format!("{name}.");
            }
            ["endgenerate"] => {
                let is_chosen = |(_, name): &(&str, String)| name.starts_with(&branch);
                module.instances.retain(is_chosen);
                branch.clear();
            }
            [register, "<=", ..] => {
                module.registers.insert(register);
            }
            _ => {}
        }
        module.is_synchroniser |= line.contains("ASYNC_REG");
    }
    modules
}

/// The names of all registers below an instance as Vivado builds them, without their bits.
fn cells(modules: &BTreeMap<&str, Module<'_>>, module: &str, path: &str, out: &mut Vec<String>) {
    let module = &modules[module];
    let names = module.registers.iter();
    out.extend(names.map(|name| format!("{path}{name}_reg")));
    for (kind, name) in &module.instances {
        cells(modules, kind, &format!("{path}{name}/"), out);
    }
}

/// The cell of the FIFO below the module that chooses its size.
const SIZE: &str = "value_8192.fifo";

/// What a constraint file asks for, each as the command, FROM, TO and nanoseconds. The design has
/// cells of these names, and clocks of 4.000 and 3.333 ns at its ports if it has clocks.
fn asked(file: &Path, names: &[String], has_clocks: bool) -> Vec<[String; 4]> {
    let ports: Vec<String> = ETM4_CORE
        .ports()
        .into_iter()
        .map(|port| port.name)
        .collect();
    let folder = file.parent().expect("a folder").display();
    // As in Vivado, a * does not match across levels of the hierarchy.
    let script = format!(
        "set names {{{}}}
         proc get_cells pattern {{
             set found {{}}
             foreach name $::names {{
                 if {{[llength [split $name /]] == [llength [split $pattern /]]
                     && [string match $pattern $name]}} {{lappend found $name}}
             }}
             if {{$found eq {{}}}} {{error \"no cell $pattern\"}}
             return $found
         }}
         proc get_ports name {{
             if {{$name ni {{{}}}}} {{error \"no port $name\"}}
             return $name
         }}
         proc get_clocks args {{return [expr {{{} ? [lindex $args end] : {{}}}}]}}
         proc get_property args {{
             return [dict get {{trace_clk 4.000 aclk 3.333}} [lindex $args end]]
         }}
         proc create_clock args {{}}
         proc set_max_delay args {{
             foreach {{- - from - to time}} $args break
             append ::calls \"set_max_delay [join $from ,] [join $to ,] $time\\n\"
         }}
         proc set_bus_skew args {{
             foreach {{- from - to time}} $args break
             append ::calls \"set_bus_skew [join $from ,] [join $to ,] $time\\n\"
         }}
         source {{{}}}
         source {{{folder}/etm4_core_ooc.xdc}}
         set calls",
        names.join(" "),
        ports.join(" "),
        u8::from(has_clocks),
        file.display(),
    );
    let calls = evaluate(&script).expect("the constraints run");
    let words = |line: &str| {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        words.try_into().expect("four words")
    };
    calls.lines().map(words).collect()
}

/// The names of the cells of the exported core, below `prefix`.
fn core_cells(verilog: &str, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    cells(&modules(verilog), "etm4_core", prefix, &mut names);
    assert!(names.len() > 100);
    names
}

#[test]
fn constraints_name_each_synchroniser_and_its_source_once() {
    if skip_or_fail() {
        return;
    }
    let folder = export("crossings");
    let verilog = fs::read_to_string(folder.join("etm4_core.v")).expect("the core");
    let modules = modules(&verilog);
    let names = core_cells(&verilog, "");
    let calls = asked(&folder.join("etm4_core.xdc"), &names, true);
    let is_delay = |call: &&[String; 4]| call[0] == "set_max_delay";
    let delays: Vec<&[String; 4]> = calls.iter().filter(is_delay).collect();
    let from_of = |to: &str| {
        let mut calls = delays.iter().filter(|call| call[2] == to);
        let call = calls
            .next()
            .unwrap_or_else(|| panic!("no constraint to {to}"));
        assert!(calls.next().is_none(), "two constraints to {to}");
        (call[1].as_str(), call[3].as_str())
    };
    let counter = |name: &str| {
        ["binary", "code", "ahead"]
            .map(|part| format!("fifo/{SIZE}/{name}/{part}/q_reg"))
            .join(",")
    };
    let expected = [
        ("write_pointer_seen", counter("write_pointer"), "4.0"),
        ("read_pointer_seen", counter("read_pointer"), "3.333"),
        ("drops_seen", counter("drops"), "4.0"),
        ("write_reset", format!("fifo/{SIZE}/asks/q_reg"), "3.333"),
        (
            "is_cleared",
            format!("fifo/{SIZE}/write_reset/second_reg"),
            "4.0",
        ),
    ];
    for (synchroniser, from, period) in &expected {
        let to = format!("fifo/{SIZE}/{synchroniser}/first_reg");
        assert_eq!(from_of(&to), (from.as_str(), *period), "{to}");
    }
    assert_eq!(delays.len(), expected.len());
    // All bits of a Gray code, within the shorter period.
    let is_skew = |call: &&[String; 4]| call[0] == "set_bus_skew";
    let skews: Vec<&[String; 4]> = calls.iter().filter(is_skew).collect();
    assert_eq!(skews.len(), 3);
    for call in skews {
        assert!(from_of(&call[2]).0.contains("/code/"), "{}", call[2]);
        assert_eq!(from_of(&call[2]).0, call[1]);
        assert_eq!(call[3], "3.333");
    }
    // Without clocks the periods are those of the out-of-context run.
    assert_eq!(asked(&folder.join("etm4_core.xdc"), &names, false), calls);
    let in_fifo = &modules["etm4_core__fifo_8192"].instances;
    let is_synchroniser = |(kind, _): &&(&str, String)| modules[*kind].is_synchroniser;
    assert_eq!(
        in_fifo.iter().filter(is_synchroniser).count(),
        expected.len()
    );
    let elsewhere = modules.iter().filter(|(_, module)| module.is_synchroniser);
    assert!(
        elsewhere
            .into_iter()
            .all(|(name, _)| name.starts_with("etm4_core__fifo_"))
    );
}

#[test]
fn the_constraints_of_the_ip_hold_when_synthesis_renames_its_modules() {
    if skip_or_fail() {
        return;
    }
    let folder = export("renamed");
    let verilog = fs::read_to_string(folder.join("etm4_core.v")).expect("the core");
    // As in a block design: each module of the IP has the name of its instance before its own.
    let renamed = verilog.replace("etm4_core", "trace_core_0_0_etm4_core");
    assert!(!renamed.contains("module etm4_core "));
    let outcome = run(&folder, "package_ip.tcl", "", &[]);
    let packaged = outcome.words_of("add_files").join("\n");
    assert!(packaged.contains("etm4_core_ip.xdc") && !packaged.contains("etm4_core.xdc"));
    // Names below the top of the IP do not change: the wrapper has the core as `core`.
    let wrapper = fs::read_to_string(folder.join(format!("{WRAPPER}.v"))).expect("the wrapper");
    assert!(wrapper.contains("\n  ) core (\n"));
    let within = asked(
        &folder.join("etm4_core.xdc"),
        &core_cells(&verilog, ""),
        true,
    );
    let below = asked(
        &folder.join("etm4_core_ip.xdc"),
        &core_cells(&verilog, "core/"),
        true,
    );
    let moved = within.into_iter().map(|[call, from, to, time]| {
        let place = |names: String| names.replace("fifo/value", "core/fifo/value");
        [call, place(from), place(to), time]
    });
    assert_eq!(below, moved.collect::<Vec<_>>());
}
