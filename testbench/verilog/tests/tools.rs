// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lint, co-simulation and engine on small blocks, and on deliberately wrong Verilog.

use std::path::Path;
use std::process::Command;

use coretrace_hdl_verilog::{ports, verilog};
use coretrace_pipelines::package::{package, write_package};
use coretrace_pipelines::{DecoderTop, Preset};
use coretrace_test_verilog::cosim::{Simulator, cosim, record, replay};
use coretrace_test_verilog::engine::{Engine, Sample};
use coretrace_test_verilog::lint::{lint, lint_all};
use coretrace_test_verilog::recording::Phase;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rust_hdl::prelude::*;

/// Counts the cycles with `enable`, and reports when it has wrapped.
#[derive(LogicBlock, Default)]
struct Counter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub count: Signal<Out, Bits<5>>,
    pub wrapped: Signal<Out, Bit>,
    value: DFF<Bits<5>>,
    flag: DFF<Bit>,
}

impl Logic for Counter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, value, flag);
        self.flag.d.next = false;
        if self.enable.val() {
            self.value.d.next = self.value.q.val() + 1;
            self.flag.d.next = self.value.q.val() + 1 == 0;
        }
        if self.reset.val() {
            self.value.d.next = 0.into();
        }
        self.count.next = self.value.q.val();
        self.wrapped.next = self.flag.q.val();
    }
}

/// A 200-bit shift register by odd amounts, with three counters of one kind below.
#[derive(LogicBlock, Default)]
struct Wide {
    pub clock: Signal<In, Clock>,
    pub data: Signal<In, Bits<77>>,
    pub shift: Signal<In, Bits<7>>,
    pub word: Signal<Out, Bits<200>>,
    pub high: Signal<Out, Bits<33>>,
    pub counts: Signal<Out, Bits<15>>,
    state: DFF<Bits<200>>,
    counter: [Counter; 3],
}

impl Logic for Wide {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        self.state.d.next =
            (self.state.q.val() << self.shift.val()) ^ bit_cast::<200, 77>(self.data.val());
        self.word.next = self.state.q.val() + 1;
        self.high.next = self.state.q.val().get_bits::<33>(167);
        self.counts.next = 0.into();
        for i in 0..3 {
            self.counter[i].clock.next = self.clock.val();
            self.counter[i].reset.next = self.shift.val().get_bit(i + 4);
            self.counter[i].enable.next = self.shift.val().get_bit(i);
        }
        self.counts.next = bit_cast::<15, 5>(self.counter[0].count.val())
            | (bit_cast::<15, 5>(self.counter[1].count.val()) << 5)
            | (bit_cast::<15, 5>(self.counter[2].count.val()) << 10);
    }
}

/// A table and a memory, one behind the other.
#[derive(LogicBlock)]
struct Memory {
    pub clock: Signal<In, Clock>,
    pub address: Signal<In, Bits<6>>,
    pub write: Signal<In, Bit>,
    pub data: Signal<Out, Bits<11>>,
    rom: ROM<Bits<11>, 6>,
    ram: RAM<Bits<11>, 6>,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            clock: Signal::default(),
            address: Signal::default(),
            write: Signal::default(),
            data: Signal::default(),
            rom: (0..50u64).map(|n| Bits::from(37 * n)).into(),
            ram: (0..64u64).map(Bits::from).into(),
        }
    }
}

impl Logic for Memory {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.read_clock.next = self.clock.val();
        self.ram.write_clock.next = self.clock.val();
        self.rom.address.next = self.address.val();
        self.ram.read_address.next = self.address.val() + 1;
        self.ram.write_address.next = self.address.val();
        self.ram.write_data.next = self.rom.data.val() ^ self.ram.read_data.val();
        self.ram.write_enable.next = self.write.val();
        self.data.next = self.ram.read_data.val();
    }
}

const SEED: u64 = 0xc0_51;

fn random() -> impl FnMut() -> u64 {
    let mut state = SEED;
    move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state >> 33
    }
}

fn drive_counter(next: &mut impl FnMut() -> u64, uut: &mut Counter) {
    uut.enable.next = next() & 7 != 0;
    uut.reset.next = next() & 63 == 0;
}

fn drive_wide(next: &mut impl FnMut() -> u64, uut: &mut Wide) {
    let mut data = Bits::<77>::default();
    for i in 0..77 {
        data = data.replace_bit(i, next() & 1 == 1);
    }
    uut.data.next = data;
    uut.shift.next = (next() & 0x7f).into();
}

fn clock_counter(uut: &mut Counter, clock: Clock) {
    uut.clock.next = clock;
}

#[test]
fn exported_blocks_pass_all_linters() {
    for (verilog, top) in [
        (verilog(Counter::default(), "lint_counter"), "lint_counter"),
        (verilog(Wide::default(), "lint_wide"), "lint_wide"),
        (verilog(Memory::default(), "lint_memory"), "lint_memory"),
    ] {
        let verilog = verilog.unwrap_or_else(|findings| panic!("{findings}"));
        for tool in [Tool::Verilator, Tool::Icarus, Tool::Yosys] {
            if skip_or_fail(tool) {
                continue;
            }
            let findings = lint(tool, &verilog, top).expect("the linter runs");
            assert!(findings.is_empty(), "{}\n{verilog}", findings.join("\n"));
        }
    }
}

#[test]
fn an_exported_folder_is_lint_clean_with_its_waivers_and_not_without() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lint");
    let files = package(Preset::Decoder(DecoderTop::Etm4Byte)).expect("the preset exports");
    write_package(files, &folder).expect("the folder can be written");
    let findings = |waivers: &[&str]| {
        let output = Command::new(Tool::Verilator.program())
            .current_dir(&folder)
            .args(["--lint-only", "-Wall", "--top-module", "etm4_byte"])
            .args(waivers)
            .args(["-f", "files.f"])
            .output()
            .expect("the linter runs");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    assert_eq!(findings(&["etm4_byte.vlt"]), "");
    assert!(findings(&[]).contains("%Warning-"));
}

#[test]
fn a_latch_and_a_loop_are_found() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let latch = "module t(input wire k, input wire a, output reg y);\n\
                 always @(*) if (k) y = a;\nendmodule\n";
    let combinational_loop = "module t(input wire a, output wire y);\n\
                              wire b;\nassign b = y & a;\nassign y = b | a;\nendmodule\n";
    for text in [latch, combinational_loop] {
        assert!(
            !lint(Tool::Yosys, text, "t").expect("yosys runs").is_empty(),
            "{text}"
        );
        assert!(
            !lint_all(text, "t").expect("linters run").is_empty(),
            "{text}"
        );
    }
}

#[test]
fn rust_and_icarus_agree() {
    if skip_or_fail(Tool::Icarus) {
        return;
    }
    let mut next = random();
    let drive = |uut: &mut Counter, _| drive_counter(&mut next, uut);
    let counter = cosim(
        "ic",
        Counter::default,
        500,
        drive,
        Some(clock_counter),
        Simulator::Icarus,
    );
    let counter = counter.expect("the counter is replayed");
    assert!(counter.agrees(), "seed {SEED:#x}: {counter}");

    let mut next = random();
    let drive = |uut: &mut Wide, _| drive_wide(&mut next, uut);
    let set_clock = Some(|uut: &mut Wide, clock| uut.clock.next = clock);
    let wide = cosim(
        "iw",
        Wide::default,
        300,
        drive,
        set_clock,
        Simulator::Icarus,
    );
    let wide = wide.expect("the wide register is replayed");
    assert!(wide.agrees(), "seed {SEED:#x}: {wide}");
}

#[test]
fn rust_and_verilator_agree() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let mut next = random();
    let drive = |uut: &mut Wide, _| drive_wide(&mut next, uut);
    let set_clock = Some(|uut: &mut Wide, clock| uut.clock.next = clock);
    let wide = cosim(
        "vw",
        Wide::default,
        300,
        drive,
        set_clock,
        Simulator::Verilator,
    );
    let wide = wide.expect("the wide register is replayed");
    assert!(wide.agrees(), "seed {SEED:#x}: {wide}");

    let mut next = random();
    let drive = |uut: &mut Memory, _| {
        uut.address.next = (next() & 63).into();
        uut.write.next = next() & 1 == 1;
    };
    let set_clock = Some(|uut: &mut Memory, clock| uut.clock.next = clock);
    let memory = cosim(
        "vm",
        Memory::default,
        2000,
        drive,
        set_clock,
        Simulator::Verilator,
    );
    let memory = memory.expect("the memory is replayed");
    assert!(memory.agrees(), "seed {SEED:#x}: {memory}");
}

#[test]
fn wrong_verilog_is_caught_with_cycle_port_and_values() {
    let right = verilog(Counter::default(), "wrong").expect("the counter is exported");
    let wrong = right.replace("value__q + 5'd1) == 5'd0", "value__q + 5'd1) == 5'd2");
    assert_ne!(right, wrong);
    let drive = |uut: &mut Counter, cycle| {
        uut.enable.next = cycle > 0;
    };
    let recording = record(Counter::default(), 40, drive, Some(clock_counter));
    for (tool, simulator) in [
        (Tool::Icarus, Simulator::Icarus),
        (Tool::Verilator, Simulator::Verilator),
    ] {
        if skip_or_fail(tool) {
            continue;
        }
        let outcome = replay(&recording, &wrong, "wrong", simulator).expect("it is replayed");
        // Wrongly set after the count of 1 and of 33, for two samples each; missing after 31.
        assert_eq!(outcome.total, 6, "{simulator:?}: {outcome}");
        let first = &outcome.mismatches[0];
        assert_eq!(
            (first.cycle, first.phase),
            (2, Phase::AfterEdge),
            "{outcome}"
        );
        assert_eq!(first.port, "wrapped");
        assert_eq!((first.verilog.as_str(), first.rust.as_str()), ("1", "0"));
    }
}

#[test]
fn the_engine_is_compiled_once_and_keeps_cycles_with_the_chosen_output() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let text = verilog(Counter::default(), "engine_counter").expect("the counter is exported");
    let engine = Engine::new(&text, "engine_counter", &ports(&Counter::default()));
    let engine = engine.expect("the counter is compiled");
    let enable = engine.input("enable").expect("a port");
    let count = engine.output("count").expect("a port");
    let wrapped = engine.output("wrapped").expect("a port");
    assert!(engine.input("clock").is_err() && engine.output("carry").is_err());
    let mut seen = vec![];
    let cycles = 1_000_000;
    let drive = |cycle, frame: &mut [u8]| {
        enable.set(frame, u64::from(cycle % 2 == 0));
        cycle < cycles
    };
    let ran = engine.run(Sample::BeforeEdge, Some(wrapped), drive, |cycle, record| {
        seen.push((cycle, count.get(record)));
    });
    ran.expect("the engine runs");
    // Enabled in every second cycle, the counter wraps every 64 cycles.
    let expected: Vec<_> = (0..cycles / 64).map(|n| (64 * n + 63, 0)).collect();
    assert_eq!(seen, expected);

    let compiled = || {
        let program = std::fs::metadata(engine.program()).expect("the program is kept");
        program.modified().expect("files have times")
    };
    let first = compiled();
    let again = Engine::new(&text, "engine_counter", &ports(&Counter::default()));
    assert_eq!(again.expect("it is found").program(), engine.program());
    assert_eq!(compiled(), first, "compiled a second time");
}
