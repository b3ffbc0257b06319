// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks behind an AXI4-Lite bus, with any values on it: also a master that breaks the rules
//! has to meet the same block in Verilog.

use crate::SEED;
use crate::bench::{Bench, check};
use crate::mixer::Mixer;
use coretrace_hdl_parts::axi::master::{AxiSlave, MasterPins};
use coretrace_hdl_parts::axi::{AxiLite, RegisterBank};
use coretrace_hdl_verilog::verilog;
use coretrace_pipelines::ControlRegisters;
use coretrace_pipelines::registers::ADDRESS_W;
use coretrace_test_gen::{Rng, rng};
use coretrace_test_verilog::lint::lint;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rand::RngExt;
use rust_hdl::prelude::*;
use std::sync::LazyLock;

/// Cycles of a run.
const RUN: usize = 3000;
/// Counters of the control registers.
const COUNTERS: usize = 13;

/// What the blocks get to see in a cycle.
pub struct BusCycle {
    reset: bool,
    pins: MasterPins,
    /// One input bit that is no part of the bus, and words.
    flag: bool,
    words: [u32; COUNTERS],
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

bus_block!(RegisterBank<6, 3>, |uut, cycle, mixer| {
    uut.reset.next = cycle.reset;
    uut.write_strobe.next = cycle.flag;
    uut.write_index.next = mixer.mix((cycle.words[0] & 7).to_bits());
    uut.write_data.next = mixer.mix(cycle.words[1].to_bits());
    uut.write_strb.next = (cycle.words[2] & 0xF).to_bits();
    uut.read_index.next = (cycle.words[3] & 7).to_bits();
    uut.snapshot.next = cycle.pins.b_ready;
    for (status, word) in uut.status.iter_mut().zip(cycle.words) {
        status.next = word.to_bits();
    }
});

bus_block!(ControlRegisters, |uut, cycle, _mixer| {
    uut.reset.next = cycle.reset;
    uut.set(&cycle.pins);
    uut.sts_in_sync.next = cycle.flag;
    uut.is_busy.next = cycle.words[0] & 1 == 1;
    let counters: [_; COUNTERS] = [
        &mut uut.sts_frames,
        &mut uut.sts_sync_losses,
        &mut uut.sts_sync_acquisitions,
        &mut uut.sts_null_drops,
        &mut uut.sts_reserved_drops,
        &mut uut.sts_unclaimed_drops,
        &mut uut.sts_lost_words,
        &mut uut.sts_bytes,
        &mut uut.sts_packets,
        &mut uut.sts_asyncs,
        &mut uut.sts_losses,
        &mut uut.sts_reserved_headers,
        &mut uut.sts_bad_sequences,
    ];
    for (counter, word) in counters.into_iter().zip(cycle.words) {
        counter.next = word.to_bits();
    }
});

#[test]
fn the_control_registers_in_verilator_equal_their_simulation() {
    check::<ControlRegisters>("control_registers");
}

#[test]
fn the_control_registers_are_lint_clean() {
    const TOP: &str = "control_registers";
    let text = verilog(ControlRegisters::default(), TOP).expect("no finding");
    for tool in [Tool::Verilator, Tool::Icarus, Tool::Yosys] {
        if !skip_or_fail(tool) {
            let findings = lint(tool, &text, TOP).expect("the linter runs");
            assert_eq!(findings, [""; 0], "{}", tool.program());
        }
    }
}
