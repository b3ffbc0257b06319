// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target` on a Linux whose files are ordinary ones: memory has what it was given, and nothing acts.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use coretrace_abi::registers::csr::{Id, SourceControl};
use coretrace_coresight::map::common::{
    AUTHSTATUS, CIDR0, CIDR1, CIDR2, CIDR3, CORESIGHT_CLASS, DEVARCH, DEVID, DEVTYPE, LSR, PIDR0,
    PIDR1, cidr1, devarch, lsr, pidr0, pidr1,
};
use coretrace_coresight::map::{ARM, Register, rom, tmc, trace_unit};
use coretrace_target::topology::Component;
use coretrace_target::{Preset, Topology};

use crate::chip::{CORE_0, Chip};
use crate::common::{PROGRAM, etm4, root as project};

/// Addresses of a Zynq UltraScale+ that are below 4 GiB.
const MEMORY: u64 = 1 << 32;

/// A root with the memory of a Zynq UltraScale+ whose clocks run and whose components say what they are.
struct Root(PathBuf);

fn zynqmp() -> Topology {
    let preset = Preset::find("zynqmp").expect("a preset");
    preset.topology().expect("a topology")
}

impl Root {
    fn new(chip: &Chip) -> Root {
        let root = Root(chip.path("root"));
        fs::create_dir_all(root.0.join("dev")).expect("made");
        let memory = File::create(root.memory()).expect("made");
        memory.set_len(MEMORY).expect("room");
        let topology = zynqmp();
        for clock in &topology.clocks {
            put(&memory, clock.address, 1 << clock.bit);
        }
        for component in &topology.components {
            identify(&memory, component);
        }
        root
    }

    fn memory(&self) -> PathBuf {
        self.0.join("dev/mem")
    }

    fn bus(&self) -> String {
        format!("linux:{}", self.0.display())
    }

    fn word(&self, component: &str, register: &Register) -> u32 {
        let topology = zynqmp();
        let component = topology.find(component).expect("a component");
        let base = topology.components[component].base;
        word(&self.memory(), base + u64::from(register.offset))
    }

    /// Gives every range of the topology a UIO node, and takes the memory away.
    fn move_to_nodes(&self) {
        let memory = File::open(self.memory()).expect("memory");
        for (number, range) in zynqmp().ranges().into_iter().enumerate() {
            let mut bytes = vec![0; (range.end - range.start) as usize];
            memory.read_exact_at(&mut bytes, range.start).expect("read");
            let device = self.0.join(format!("dev/uio{number}"));
            fs::write(device, &bytes).expect("written");
            let map = self.folder(&format!("sys/class/uio/uio{number}/maps/map0"));
            for (name, value) in [("addr", range.start), ("size", bytes.len() as u64)] {
                fs::write(map.join(name), format!("{value:#x}\n")).expect("written");
            }
        }
        fs::remove_file(self.memory()).expect("removed");
    }

    /// A folder of the kernel.
    fn folder(&self, name: &str) -> PathBuf {
        let folder = self.0.join(name);
        fs::create_dir_all(&folder).expect("made");
        folder
    }
}

fn put(memory: &File, address: u64, value: u32) {
    memory
        .write_all_at(&value.to_le_bytes(), address)
        .expect("written");
}

fn word(memory: &Path, address: u64) -> u32 {
    let mut bytes = [0; 4];
    let file = File::open(memory).expect("memory");
    file.read_exact_at(&mut bytes, address).expect("read");
    u32::from_le_bytes(bytes)
}

/// What a component says of itself, and a lock that nothing opens.
fn identify(memory: &File, component: &Component) {
    let kind = component.kind;
    let part = kind.parts()[0];
    let set = |register: &Register, value: u32| {
        put(memory, component.base + u64::from(register.offset), value);
    };
    for register in [&CIDR0, &CIDR2, &CIDR3] {
        set(register, register.reset.unwrap_or(0));
    }
    set(&CIDR1, cidr1::CLASS.with(CORESIGHT_CLASS));
    set(&PIDR0, pidr0::PART_LOW.with(part));
    set(
        &PIDR1,
        pidr1::PART_HIGH.with(part >> 8) | pidr1::DESIGNER.with(ARM),
    );
    set(&AUTHSTATUS, 0xFF);
    set(&DEVTYPE, kind.devtype().unwrap_or(0));
    set(
        &DEVARCH,
        kind.archid().map_or(0, |id| id | devarch::PRESENT.mask()),
    );
    set(
        &DEVID,
        kind.memory().map_or(0, |config| tmc::CONFIG.with(config)),
    );
    set(&LSR, lsr::IMPLEMENTED.mask() | lsr::LOCKED.mask());
}

/// A capture by a core, into a ring of buffers.
const RING: &[&str] = &[
    "--sink",
    "core",
    "--ring",
    "0x70000000:0x20000",
    "--out",
    "/nowhere/x",
];

#[test]
fn a_status_reads_memory_and_the_guard_lets_only_known_components_through() {
    let chip = Chip::new();
    let root = Root::new(&chip);
    let status = chip.good("status", &root.bus(), &CORE_0[..2]);
    let line = |name: &str| {
        let found = status.lines().find(|line| line.starts_with(name));
        found.expect(name).to_owned()
    };
    assert!(
        line("etf1 ").contains(" LSR=3 CLAIMCLR=0 CTL=0 "),
        "{status}"
    );
    assert!(!status.contains("another component"), "{status}");
    let memory = File::options()
        .write(true)
        .open(root.memory())
        .expect("memory");
    put(&memory, 0xFE94_0FF4, 0);
    let status = chip.good("status", &root.bus(), &CORE_0[..2]);
    assert!(status.contains("another component is there"), "{status}");
}

#[test]
fn addresses_that_no_preset_has_are_accessed_only_if_the_user_knows_them() {
    let chip = Chip::new();
    let root = Root::new(&chip);
    let preset = Preset::find("zynqmp").expect("a preset");
    let text = preset.source.replace("0xFE940000", "0xFB940000");
    let file = chip.path("own.toml");
    fs::write(&file, text).expect("written");
    let own = ["--topology", file.to_str().expect("text")];
    for bus in [&root.bus()[..], "openocd:127.0.0.1:1,axi"] {
        for (command, more) in [
            ("status", &[][..]),
            ("discover", &[]),
            ("start", &CORE_0[2..]),
        ] {
            let ran = chip.run(command, bus, &[&own, more].concat());
            assert_eq!(ran.code, 2, "{command}: {}", ran.stderr);
            for said in ["0xFB940000 to 0xFB941000", "--i-know"] {
                assert!(ran.stderr.contains(said), "no {said} in {}", ran.stderr);
            }
            assert!(!chip.has_session());
        }
    }
    let status = chip.good("status", &root.bus(), &[&own[..], &["--i-know"]].concat());
    let etf = status.lines().find(|line| line.starts_with("etf1 "));
    assert!(etf.expect("etf1").contains("another component"), "{status}");
    // The simulator has what the file says.
    chip.good("status", "sim", &own);
}

#[test]
fn a_linux_maps_the_ranges_of_the_topology_and_of_the_ring_alone() {
    let chip = Chip::new();
    let root = Root::new(&chip);
    let status = chip.good("status", &root.bus(), &CORE_0[..2]);
    let started = chip.run("start", &root.bus(), CORE_0);
    // Whatever else is mapped is not there any more.
    root.move_to_nodes();
    assert_eq!(chip.good("status", &root.bus(), &CORE_0[..2]), status);
    let again = chip.run("start", &root.bus(), CORE_0);
    assert_eq!((again.code, &again.stderr), (started.code, &started.stderr));
    for (command, more, range) in [
        (
            "discover",
            ["--rom", "0xFEA00000"],
            "0xFEA00000 to 0xFEA01000",
        ),
        (
            "discover",
            ["--within", "0x80000000:0x2000"],
            "0x80000000 to 0x80002000",
        ),
    ] {
        let ran = chip.run(command, &root.bus(), &[&CORE_0[..2], &more].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        let said = format!("error: {}: cannot map {range}", root.memory().display());
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    }
    let ran = chip.run("capture", &root.bus(), &[CORE_0, RING].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("cannot map 0x70000000 to"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_start_that_fails_on_a_linux_leaves_memory_as_it_was() {
    let chip = Chip::new();
    let root = Root::new(&chip);
    let words = |root: &Root| {
        let topology = zynqmp();
        let pages = topology
            .components
            .iter()
            .flat_map(|c| (c.base..c.base + 0x1000).step_by(4));
        pages.map(|at| word(&root.memory(), at)).collect::<Vec<_>>()
    };
    let before = words(&root);
    let ran = chip.run("start", &root.bus(), CORE_0);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains(".LSR is 0x00000003"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("everything was undone"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("guard"), "{}", ran.stderr);
    assert!(!chip.has_session());
    assert!(words(&root) == before);
}

#[test]
fn what_linux_has_in_the_way_of_a_session_is_named_and_nothing_is_written() {
    for (command, more, said) in [
        ("start", &[][..], "coresight-tmc of Linux uses etf1"),
        ("start", &[], "the core of etm0 is offline"),
        ("capture", RING, "no bitstream is loaded"),
        (
            "capture",
            RING,
            "0x70000000 to 0x7001F7C0 is memory that Linux uses itself",
        ),
    ] {
        let chip = Chip::new();
        let root = Root::new(&chip);
        if said.contains("tmc") {
            let device = root.folder("sys/bus/amba/devices/fe940000.etf");
            symlink("../../drivers/coresight-tmc", device.join("driver")).expect("linked");
        } else if said.contains("offline") {
            fs::write(
                root.folder("sys/devices/system/cpu").join("online"),
                "1-3\n",
            )
            .expect("written");
        } else if said.contains("memory") {
            let list = "00000000-7fffffff : System RAM\n";
            fs::write(root.folder("proc").join("iomem"), list).expect("written");
        } else {
            fs::write(
                root.folder("sys/class/fpga_manager/fpga0").join("state"),
                "unknown\n",
            )
            .expect("written");
        }
        let ran = chip.run(command, &root.bus(), &[CORE_0, more].concat());
        assert_eq!(ran.code, 3, "{said}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        assert!(!chip.has_session());
    }
}

#[test]
fn memory_that_is_absent_and_sinks_that_nobody_reads_are_refused() {
    let chip = Chip::new();
    let ran = chip.run("status", "linux:/nowhere", &CORE_0[..2]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("/nowhere/dev/mem: cannot map"),
        "{}",
        ran.stderr
    );
    let ran = chip.run("status", "openocd:127.0.0.1:1,axi", &CORE_0[..2]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("cannot reach OpenOCD"),
        "{}",
        ran.stderr
    );
    let args = [CORE_0, &["--out", "/nowhere/x"]].concat();
    let ran = chip.run("capture", "linux:/nowhere", &args);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("--sink core"), "{}", ran.stderr);
}

#[test]
fn openocd_is_used_only_with_a_target() {
    let chip = Chip::new();
    for bus in ["openocd", "openocd:", "openocd:localhost:6666"] {
        let ran = chip.run("status", bus, &CORE_0[..2]);
        assert_eq!(ran.code, 2, "{bus}: {}", ran.stderr);
        assert!(ran.stderr.contains("names no target"), "{}", ran.stderr);
        assert!(ran.stderr.contains("openocd:uscale.axi"), "{}", ran.stderr);
    }
    // The server is the usual one if only a target is named.
    let ran = chip.run("stop", "openocd:uscale.axi", &[]);
    assert!(ran.stderr.contains("no session"), "{}", ran.stderr);
}

#[test]
fn a_session_is_stopped_on_its_own_chip_only() {
    let chip = Chip::new();
    let root = Root::new(&chip);
    let before = chip.at_rest();
    chip.good("start", "sim", CORE_0);
    let journal = || fs::read_to_string(chip.path("journal.jsonl")).expect("a journal");
    let begun = journal();
    for more in [&[][..], &["--stale"]] {
        let ran = chip.run("stop", &root.bus(), more);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(
            ran.stderr
                .contains("its bus is sim\n  stop it with --bus sim\n"),
            "{}",
            ran.stderr
        );
        assert_eq!(journal(), begun);
    }
    // Nor does it run there.
    let ran = chip.run("start", &root.bus(), CORE_0);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("another session"), "{}", ran.stderr);
    chip.good("stop", "sim", &[]);
    assert_eq!(chip.at_rest(), before);
}

#[test]
fn a_session_of_a_linux_is_in_its_folder_for_what_runs() {
    let chip = Chip::new();
    let root = Root::new(&chip);
    chip.good("start", "sim", CORE_0);
    // A session of this Linux, that has no process.
    let folder = root.folder("run/etm4");
    for name in ["journal.jsonl", "topology.toml", "plan.jsonl"] {
        fs::copy(chip.path(name), folder.join(name)).expect("copied");
    }
    fs::write(folder.join("bus"), root.bus()).expect("written");
    let ran = etm4(&[&["target", "start", "--bus", &root.bus()], CORE_0].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("runs already"), "{}", ran.stderr);
}

#[test]
fn a_component_that_moved_is_read_where_more_addresses_are_allowed() {
    let chip = Chip::new();
    let root = Root::new(&chip);
    let topology = zynqmp();
    let etf = topology.find("etf1").expect("a component");
    let etf = &topology.components[etf];
    let (table, moved) = (topology.rom.expect("a table"), 0xFE9A_3000);
    let memory = File::options()
        .write(true)
        .open(root.memory())
        .expect("memory");
    put(&memory, etf.base + u64::from(CIDR1.offset), 0);
    put(&memory, etf.base + u64::from(CIDR0.offset), 0);
    identify(
        &memory,
        &Component {
            base: moved,
            ..etf.clone()
        },
    );
    for register in [&CIDR0, &CIDR2, &CIDR3] {
        let value = register.reset.expect("a value");
        put(&memory, table + u64::from(register.offset), value);
    }
    let class = cidr1::CLASS.with(rom::CLASS);
    put(&memory, table + u64::from(CIDR1.offset), class);
    let entry = rom::entry::PRESENT.mask() | rom::entry::WIDE.mask();
    put(&memory, table, (moved - table) as u32 | entry);
    for (more, lines) in [
        (
            &[][..],
            [
                "00FE9A3000 0000 not of the topology -\n",
                "etf1 is to be a etf: nothing\n",
            ],
        ),
        (
            &["--within", "0xFE9A3000:0x1000"],
            [
                "00FE9A3000 B961 etf          etf1 locked\n",
                "etf1 is to be a etf: it is at 00FE9A3000\n",
            ],
        ),
    ] {
        let ran = chip.run("discover", &root.bus(), &[&CORE_0[..2], more].concat());
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        for line in lines {
            assert!(ran.stdout.contains(line), "no {line} in {}", ran.stdout);
        }
        assert_eq!(
            ran.stdout.matches("is to be a").count(),
            1,
            "{}",
            ran.stdout
        );
    }
}

/// A session with a core that was killed when all but its trace unit ran, as one of a Linux.
fn killed_session(root: &Root) -> Chip {
    let out = |chip: &Chip| chip.path("out").to_str().expect("text").to_owned();
    let run = |chip: &Chip, bus: &str| {
        let args = [CORE_0, &RING[..4], &["--seconds", "0.001", "--out"]].concat();
        chip.run("capture", bus, &[&args[..], &[&out(chip)]].concat());
    };
    let whole = Chip::new();
    run(&whole, "sim");
    let mut events = whole.events();
    events.retain(|event| event.starts_with(['R', 'W']));
    let is_last = |event: &String| event == "W 00fec40004 00000001";
    let last = events.iter().position(is_last).expect("an enabled unit");
    let chip = Chip::new();
    run(&chip, &format!("sim:killed@{last}"));
    fs::write(chip.path("bus"), root.bus()).expect("written");
    chip
}

#[test]
fn a_stop_does_not_access_a_core_while_no_bitstream_is_loaded() {
    let folder = Chip::new();
    let root = Root::new(&folder);
    let chip = killed_session(&root);
    let state = root.folder("sys/class/fpga_manager/fpga0").join("state");
    fs::write(state, "unknown\n").expect("written");
    let core = &zynqmp().receivers[0];
    let memory = File::options()
        .write(true)
        .open(root.memory())
        .expect("memory");
    let page = || {
        let words = (core.registers..core.registers + 0x1000).step_by(4);
        words.map(|at| word(&root.memory(), at)).collect::<Vec<_>>()
    };
    let words = [Id::OFFSET, SourceControl::offset(0)];
    for (offset, value) in words.into_iter().zip([Id::RESET.0, 0x11]) {
        put(&memory, core.registers + u64::from(offset), value);
    }
    put(&memory, 0xFE94_0020, 1);
    let before = page();
    let ran = chip.run("stop", &root.bus(), &[]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    let said = "not undone: core.ID: the access was refused: no bitstream is loaded";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(page() == before);
    // The rest is undone.
    assert_eq!(root.word("etf1", &tmc::CTL), 0);
}

/// Stops a session while the memory from an address on is taken away after it was mapped: the signal that ends it.
fn stop_without(chip: &Chip, root: &Root, end: u64) -> Option<i32> {
    // The stop asks which cores are online when it has mapped its memory, and waits for the answer.
    let online = root.folder("sys/devices/system/cpu").join("online");
    let made = Command::new("mkfifo").arg(&online).status();
    assert!(made.expect("a pipe").success());
    let mut stop = Command::new(PROGRAM)
        .args(["target", "stop", "--bus", &root.bus(), "--session"])
        .arg(chip.path(""))
        .spawn()
        .expect("a stop");
    let mut answer = File::options().write(true).open(&online).expect("a pipe");
    let memory = File::options().write(true).open(root.memory());
    let memory = memory.expect("memory");
    memory.set_len(end).expect("cut");
    answer.write_all(b"0-3\n").expect("written");
    drop(answer);
    let signal = stop.wait().expect("ended").signal();
    fs::remove_file(online).expect("removed");
    memory.set_len(MEMORY).expect("room");
    signal
}

/// The signal of an access that the bus refuses.
const SIGBUS: i32 = 7;

#[test]
fn a_component_whose_access_ends_a_stop_is_left_out_by_the_next() {
    let chip = Chip::new();
    let root = Root::new(&chip);
    chip.good("start", "sim", CORE_0);
    fs::write(chip.path("bus"), root.bus()).expect("written");
    let topology = zynqmp();
    let unit = &topology.components[topology.trace_unit(0).expect("a core")];
    let memory = File::options().write(true).open(root.memory());
    let memory = memory.expect("memory");
    put(&memory, 0xFE94_0020, 1);
    assert_eq!(stop_without(&chip, &root, unit.base), Some(SIGBUS));
    assert_eq!(root.word("etf1", &tmc::CTL), 1);
    identify(&memory, unit);
    let enable = unit.base + u64::from(trace_unit::TRCPRGCTLR.offset);
    put(&memory, enable, 1);
    let ran = chip.run("stop", &root.bus(), &[]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    let said = "the access was refused: an access to it ended the process of an undo";
    let lines = ran.stderr.lines().filter(|line| line.contains(said));
    let lines: Vec<&str> = lines.collect();
    assert!(
        lines.len() == 1 && lines[0].contains("not undone: etm0."),
        "{}",
        ran.stderr
    );
    assert_eq!(root.word("etm0", &trace_unit::TRCPRGCTLR), 1);
    assert_eq!(root.word("etf1", &tmc::CTL), 0);
    // The next one tries it again.
    let ran = chip.run("stop", &root.bus(), &[]);
    assert!(!ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!(root.word("etm0", &trace_unit::TRCPRGCTLR), 0);
}

#[test]
fn a_guard_whose_pipe_ends_undoes_the_session_on_its_machine() {
    let chip = Chip::new();
    let root = Root::new(&chip);
    // A session that was begun elsewhere has an enabled trace unit and a buffer that captures.
    chip.good("start", "sim", CORE_0);
    let memory = File::options()
        .write(true)
        .open(root.memory())
        .expect("memory");
    put(&memory, 0xFEC4_0004, 1);
    put(&memory, 0xFE94_0020, 1);
    let session = chip.path("");
    let guard = Command::new(PROGRAM)
        .args(["target", "guard", "--bus", &root.bus(), "--session"])
        .arg(&session)
        .current_dir(project())
        .stdin(Stdio::null())
        .output()
        .expect("a guard");
    let said = String::from_utf8_lossy(&guard.stderr);
    assert!(said.contains("its guard undoes what it did"), "{said}");
    // Nothing acts in this memory, so that flushes do not end: that is said, and the rest is done.
    assert_eq!(guard.status.code(), Some(5), "{said}");
    assert!(said.contains("not undone: etf1.FFCR"), "{said}");
    assert_eq!(root.word("etm0", &trace_unit::TRCPRGCTLR), 0);
    assert_eq!(root.word("etf1", &tmc::CTL), 0);
}
