// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole session on each bus: behind its files, or behind its server, is the simulated chip.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread::spawn;
use std::time::Duration;

use coretrace_target::topology::Index;
use coretrace_target::wrappers::Guarded;
use coretrace_target::{
    Bus, BusError, Ending, Journal, Options, Plan, Preset, Topology, Wanted, execute, undo,
};
use coretrace_target_buses::linux::Access;
use coretrace_target_buses::{Linux, OpenOcd};
use coretrace_target_sim::{Ticks, World};
use tempfile::TempDir;

/// Addresses below 4 GiB.
const MEMORY: u64 = 1 << 32;

const PAGE: u64 = 0x1000;

/// The bus, and a chip that sees what was written to the files, and puts there what is read.
struct Chip {
    linux: Linux,
    world: World,
    memory: File,
    /// The page that a UIO node has, and its file.
    page: u64,
    node: File,
}

impl Chip {
    /// A chip after reset; `in_node` is a component with a UIO node.
    fn new(root: &Path, topology: &Topology, in_node: Index) -> Chip {
        let page = topology.components[in_node].base;
        let map = root.join("sys/class/uio/uio0/maps/map0");
        for folder in [&root.join("dev"), &map] {
            fs::create_dir_all(folder).expect("made");
        }
        for (name, value) in [("addr", page), ("size", PAGE)] {
            fs::write(map.join(name), format!("{value:#x}\n")).expect("written");
        }
        let file = |name: &str, bytes: u64| {
            let mut options = File::options();
            let options = options.read(true).write(true).create_new(true);
            let file = options.open(root.join("dev").join(name)).expect("a file");
            file.set_len(bytes).expect("room");
            file
        };
        Chip {
            memory: file("mem", MEMORY),
            node: file("uio0", PAGE),
            linux: Linux::open(root, &topology.ranges(), Access::ReadWrite).expect("mapped"),
            world: World::cold(topology),
            page,
        }
    }

    fn place(&self, address: u64) -> (&File, u64) {
        match address.checked_sub(self.page) {
            Some(place) if place < PAGE => (&self.node, place),
            _ => (&self.memory, address),
        }
    }
}

impl Bus for Chip {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        let value = self.world.read32(address)?;
        let (file, place) = self.place(address);
        file.write_all_at(&value.to_le_bytes(), place)
            .expect("written");
        self.linux.read32(address)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        self.linux.write32(address, value)?;
        let (file, place) = self.place(address);
        let mut bytes = [0; 4];
        file.read_exact_at(&mut bytes, place).expect("read");
        self.world.write32(address, u32::from_le_bytes(bytes))
    }
}

/// What a session does, with the chip that it did it to.
struct Session {
    topology: Topology,
    plan: Plan,
}

impl Session {
    /// Core 0 to a buffer.
    fn new() -> Session {
        let topology = Preset::find("zynqmp").expect("a preset").topology();
        let topology = topology.expect("a topology");
        let wanted = Wanted {
            sources: vec![topology.trace_unit(0).expect("a core")],
            sinks: vec![topology.find("etf2").expect("a component")],
            via: vec![],
        };
        let plan = Plan::start(&topology, &wanted, &Options::default()).expect("a plan");
        Session { topology, plan }
    }

    fn start(&self, bus: &mut dyn Bus) -> Journal {
        let (time, mut journal) = (&mut Ticks::default(), Journal::default());
        let mut bus = Guarded::new(&self.topology, bus);
        let ending = execute(
            &self.topology,
            &self.plan.steps,
            &mut bus,
            time,
            &mut journal,
        );
        assert_eq!(ending, Ending::Done);
        journal
    }

    fn stop(&self, bus: &mut dyn Bus, mut journal: Journal) {
        let mut bus = Guarded::new(&self.topology, bus);
        let failures = undo(
            &self.topology,
            &mut journal,
            &mut bus,
            &mut Ticks::default(),
        );
        assert_eq!(failures, []);
    }

    /// It broke no rule, every byte arrived, and nothing is left of it.
    fn check(&self, world: &World) {
        let findings = &world.findings;
        assert!(findings.violations.is_empty(), "{findings:?}");
        assert!(findings.lost.is_empty(), "{findings:?}");
        assert_eq!(world.at_rest(), World::cold(&self.topology).at_rest());
        let hops = &self.plan.route.hops;
        let sink = hops.iter().find(|hop| hop.outputs.is_empty());
        let received = world.received(sink.expect("a sink").component);
        let sent = world.sent(self.plan.trace_ids[0].0);
        assert!(sent.len() > 500 && received.len() > sent.len());
    }
}

#[test]
fn a_session_on_files_starts_traces_and_leaves_the_chip_as_it_was() {
    let session = Session::new();
    let root = TempDir::new().expect("a folder");
    let in_node = session.topology.find("etf1").expect("a component");
    let mut chip = Chip::new(root.path(), &session.topology, in_node);
    let journal = session.start(&mut chip);
    chip.world.run(1000);
    // Another process ends it.
    chip.world.forget();
    session.stop(&mut chip, journal);
    session.check(&chip.world);
}

/// Answers the commands of OpenOCD for its target `axi` with the words of a chip, until the connection ends.
fn serve(listener: &TcpListener, mut world: World) -> World {
    let (mut stream, _) = listener.accept().expect("a connection");
    let reader = BufReader::new(stream.try_clone().expect("a stream"));
    for command in reader.split(0x1A).map_while(Result::ok) {
        let command = String::from_utf8(command).expect("text");
        let inner = command.strip_prefix("list [catch {axi ").expect("a catch");
        let inner = inner.strip_suffix("} answer] $answer").expect("a list");
        let words: Vec<&str> = inner.split(' ').collect();
        let number = |text: &str| u64::from_str_radix(&text[2..], 16).expect("a number");
        let answer = match words[0] {
            "read_memory" => world
                .read32(number(words[1]))
                .map(|word| format!("{word:#x}")),
            _ => {
                let done = world.write32(number(words[1]), number(words[3]) as u32);
                done.map(|()| "{}".to_owned())
            }
        };
        let answer = match answer {
            Ok(value) => format!("0 {value}\u{1A}"),
            Err(_) => "1 {it aborted}\u{1A}".to_owned(),
        };
        stream.write_all(answer.as_bytes()).expect("answered");
    }
    world
}

#[test]
fn a_session_by_openocd_starts_traces_and_leaves_the_chip_as_it_was() {
    let session = Session::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let world = World::cold(&session.topology);
    let server = spawn(move || serve(&listener, world));
    let mut bus = OpenOcd::connect(&address, "axi", Duration::from_secs(30)).expect("connected");
    let journal = session.start(&mut bus);
    // The time of the chip is accesses.
    for _ in 0..1000 {
        let clock = session.topology.clocks[0].address;
        bus.read32(clock).expect("a word");
    }
    session.stop(&mut bus, journal);
    drop(bus);
    session.check(&server.join().expect("the chip"));
}
