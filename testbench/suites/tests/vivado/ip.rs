// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Tcl and the constraints of an exported core.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use coretrace_pipelines::package::core::{Kind, WRAPPER, buses, core_package, core_ports};
use coretrace_pipelines::package::write_package;

use crate::tclsh::{Outcome, call_with, evaluate, skip_or_fail};

/// The exported core in an empty folder for a test.
fn export(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ip-{test}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder can go");
    }
    write_package(core_package().expect("the core exports"), &folder).expect("a folder");
    folder
}

/// Calls a script of the folder.
fn run(folder: &Path, script: &str, differences: &str, arguments: &[&str]) -> Outcome {
    call_with("ip_stubs.tcl", &folder.join(script), differences, arguments)
}

#[test]
fn the_folder_is_packaged_with_scoped_constraints_and_a_segment_of_4_kib() {
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
        "SCOPED_TO_REF etm4_core",
        "PROCESSING_ORDER LATE",
        "USED_IN {synthesis implementation out_of_context}",
        "base_address 0 range 4096",
    ] {
        assert!(properties.contains(expected), "no {expected}: {properties}");
    }
    let looked_for = outcome.words_of("ipx::get_bus_interfaces").join("\n");
    for bus in buses(&core_ports()) {
        assert!(looked_for.contains(bus.name), "{}", bus.name);
    }
    let calls = &outcome.calls;
    let place = |start: &str| calls.iter().position(|call| call.starts_with(start));
    assert!(place("ipx::update_checksums") < place("ipx::save_core"));
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
    let ports = core_ports();
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
        (&["zcu104", "-cores", "9"][..], 1),
    ] {
        let outcome = run(&folder, "block_design.tcl", "", arguments);
        assert_eq!(outcome.code, code, "{arguments:?}: {}", outcome.errors);
        assert_eq!(outcome.words_of("create_project"), [""; 0]);
    }
}

/// Instances and registers of the modules of an exported text.
#[derive(Default)]
struct Module<'a> {
    /// Module and name.
    instances: Vec<(&'a str, &'a str)>,
    registers: BTreeSet<&'a str>,
    is_synchroniser: bool,
}

fn modules(verilog: &str) -> BTreeMap<&str, Module<'_>> {
    let mut modules = BTreeMap::new();
    let mut name = "";
    for line in verilog.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["module", module, ..] = words[..] {
            name = module;
        }
        let module: &mut Module<'_> = modules.entry(name).or_default();
        match words[..] {
            [kind, instance, "("] if kind.starts_with("etm4_core") => {
                module.instances.push((kind, instance));
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

#[test]
fn constraints_name_each_synchroniser_and_its_source_once() {
    if skip_or_fail() {
        return;
    }
    let folder = export("crossings");
    let verilog = fs::read_to_string(folder.join("etm4_core.v")).expect("the core");
    let modules = modules(&verilog);
    let mut names = Vec::new();
    cells(&modules, "etm4_core", "", &mut names);
    assert!(names.len() > 100);
    let ports: Vec<String> = core_ports().into_iter().map(|port| port.name).collect();
    // As in Vivado, a * does not match across levels of the hierarchy. A call prints `FROM TO NS`.
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
             if {{$name ni {{{2}}}}} {{error \"no port $name\"}}
             return $name
         }}
         proc get_clocks args {{return [lindex $args end]}}
         proc get_property args {{
             return [dict get {{trace_clk 4.000 aclk 3.333}} [lindex $args end]]
         }}
         proc create_clock args {{}}
         proc set_max_delay args {{
             foreach {{- - from - to time}} $args break
             append ::calls \"[join $from ,] [join $to ,] $time\\n\"
         }}
         source {{{1}/etm4_core.xdc}}
         source {{{1}/etm4_core_ooc.xdc}}
         set calls",
        names.join(" "),
        folder.display(),
        ports.join(" ")
    );
    let calls = evaluate(&script).expect("the constraints run");
    let calls: Vec<Vec<&str>> = calls
        .lines()
        .map(|line| line.split(' ').collect())
        .collect();
    let from_of = |to: &str| {
        let mut calls = calls.iter().filter(|call| call[1] == to);
        let call = calls
            .next()
            .unwrap_or_else(|| panic!("no constraint to {to}"));
        assert!(calls.next().is_none(), "two constraints to {to}");
        (call[0], call[2])
    };
    let counter = |name: &str| {
        ["binary", "code", "ahead"]
            .map(|part| format!("fifo/{name}/{part}/q_reg"))
            .join(",")
    };
    let expected = [
        ("write_pointer_seen", counter("write_pointer"), "4.000"),
        ("read_pointer_seen", counter("read_pointer"), "3.333"),
        ("drops_seen", counter("drops"), "4.000"),
        ("write_reset", "fifo/asks/q_reg".to_owned(), "3.333"),
        (
            "is_cleared",
            "fifo/write_reset/second_reg".to_owned(),
            "4.000",
        ),
    ];
    for (synchroniser, from, period) in &expected {
        let to = format!("fifo/{synchroniser}/first_reg");
        assert_eq!(from_of(&to), (from.as_str(), *period), "{to}");
    }
    assert_eq!(calls.len(), expected.len());
    let in_fifo = &modules["etm4_core__fifo"].instances;
    let is_synchroniser = |(kind, _): &&(&str, &str)| modules[*kind].is_synchroniser;
    assert_eq!(
        in_fifo.iter().filter(is_synchroniser).count(),
        expected.len()
    );
    let elsewhere = modules.iter().filter(|(_, module)| module.is_synchroniser);
    assert!(
        elsewhere
            .into_iter()
            .all(|(name, _)| name.starts_with("etm4_core__fifo__"))
    );
}
