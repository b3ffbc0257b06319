// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks behind an AXI4-Lite bus, with any values on it: Rust and Verilog must be equal even
//! if the master breaks the protocol.

use crate::SEED;
use crate::bench::Bench;
use crate::mixer::Mixer;
use coretrace_hdl_dataflow::{Bus, Wide};
use coretrace_hdl_parts::axi::master::{AxiSlave, MasterPins};
use coretrace_hdl_parts::axi::{self, AxiLite, Interrupts};
use coretrace_hdl_verilog::verilog;
use coretrace_pipelines::registers::CoreRegisters;
use coretrace_pipelines::registers::core::{ADDRESS_W, CoreMap, PULSES_W, SETTINGS_W, STATUS_W};
use coretrace_test_gen::{Rng, rng};
use coretrace_test_verilog::lint::lint;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rand::RngExt;
use rust_hdl::prelude::*;
use std::sync::LazyLock;

/// Cycles of a run.
const RUN: usize = 3000;
/// Random words in a cycle.
const WORDS: usize = 14;

/// The inputs of the blocks in a cycle.
pub struct BusCycle {
    reset: bool,
    pins: MasterPins,
    /// One input bit that is not part of the bus, and words.
    flag: bool,
    words: [u32; WORDS],
}

/// The run that all blocks share.
static CYCLES: LazyLock<Vec<BusCycle>> = LazyLock::new(|| {
    let mut rng = rng(SEED);
    (0..RUN).map(|_| bus_cycle(&mut rng)).collect()
});

fn bus_cycle(rng: &mut Rng) -> BusCycle {
    // Half of the addresses are those of CONTROL and of registers around it.
    let mut address = || match rng.random() {
        true => rng.random_range(0..0x20),
        false => rng.random_range(0..1 << ADDRESS_W),
    };
    let (aw, ar) = (address(), address());
    BusCycle {
        reset: rng.random_ratio(1, 200),
        pins: MasterPins {
            aw: rng.random::<bool>().then_some(aw),
            w: rng
                .random::<bool>()
                .then(|| (rng.random(), rng.random_range(0..16))),
            b_ready: rng.random(),
            ar: rng.random::<bool>().then_some(ar),
            r_ready: rng.random(),
        },
        flag: rng.random(),
        words: rng.random(),
    }
}

/// A block with the inputs of the shared run.
macro_rules! bus_block {
    ($block:ty, |$uut:ident, $cycle:ident, $mixer:ident| $drive:block) => {
        impl Bench for $block {
            type Cycle = BusCycle;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> =
                Some(|uut, clock| uut.clock.next = clock);

            fn cycles() -> impl AsRef<[BusCycle]> {
                CYCLES.as_slice()
            }

            fn drive(&mut self, $cycle: &BusCycle, $mixer: &mut Mixer) {
                let $uut = self;
                $drive
            }
        }
    };
}

bus_block!(AxiLite<9, 7>, |uut, cycle, _mixer| {
    uut.reset.next = cycle.reset;
    uut.set(&cycle.pins);
    uut.write_known.next = cycle.flag;
    uut.read_known.next = !cycle.flag;
    uut.read_data.next = cycle.words[0].to_bits();
});

/// The registers of the core, as any block of registers.
pub type RegisterBlock = CoreRegisters;
/// One cycle of them.
pub type RegisterStep = axi::RegisterStep<CoreMap, INDEX_W, SETTINGS_W, PULSES_W, STATUS_W>;

const INDEX_W: usize = ADDRESS_W - 2;

impl Bench for RegisterStep {
    type Cycle = BusCycle;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = None;

    fn cycles() -> impl AsRef<[BusCycle]> {
        CYCLES.as_slice()
    }

    fn drive(&mut self, cycle: &BusCycle, mixer: &mut Mixer) {
        self.reset.next = cycle.reset;
        self.write_strobe.next = cycle.flag;
        self.write_index.next = u64::from(cycle.pins.aw.unwrap_or(0) / 4).into();
        self.write_data.next = cycle.words[1].to_bits();
        self.write_strb.next = (cycle.words[2] & 0xF).to_bits();
        self.read_index.next = u64::from(cycle.pins.ar.unwrap_or(0) / 4).into();
        self.snapshot.next = cycle.pins.b_ready;
        self.status.next = status(cycle);
        self.stored.next = mixer.mix(self.stored_next.val());
        self.sampled.next = mixer.mix(self.sampled_next.val());
    }
}

bus_block!(RegisterBlock, |uut, cycle, _mixer| {
    uut.reset.next = cycle.reset;
    uut.set(&cycle.pins);
    uut.snapshot.next = cycle.flag;
    uut.status.next = status(cycle);
});

bus_block!(Interrupts<3>, |uut, cycle, _mixer| {
    uut.reset.next = cycle.reset;
    for event in 0..3 {
        let [happens, clears, enables] =
            [0, 3, 6].map(|low| cycle.words[0] >> (low + event) & 1 == 1);
        uut.events[event].next = happens && cycle.words[1].is_multiple_of(4);
        uut.clears[event].next = clears && cycle.words[1] % 8 == 1;
        uut.enables[event].next = enables;
    }
});

/// Any status.
fn status(cycle: &BusCycle) -> Bus<STATUS_W> {
    let mut wide = Wide::default();
    for low in (0..STATUS_W).step_by(32) {
        let width = (STATUS_W - low).min(32);
        let word = cycle.words[low / 32 % cycle.words.len()] >> (32 - width);
        wide.or_field(low as u32, width as u32, word.into());
    }
    Bus(wide)
}

#[test]
fn the_registers_are_lint_clean() {
    const TOP: &str = "registers";
    let text = verilog(CoreRegisters::default(), TOP).expect("no finding");
    for tool in [Tool::Verilator, Tool::Icarus, Tool::Yosys] {
        if !skip_or_fail(tool) {
            let findings = lint(tool, &text, TOP).expect("the linter runs");
            assert_eq!(findings, [""; 0], "{}", tool.program());
        }
    }
}
