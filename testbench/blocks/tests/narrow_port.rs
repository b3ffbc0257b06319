// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported `NarrowPort` of every width: in Icarus Verilog it equals its simulation, and it
//! passes every linter.

use coretrace_coresight::FSYNC;
use coretrace_hdl_coresight::NarrowPort;
use coretrace_hdl_verilog::verilog;
use coretrace_test_verilog::cosim::{Simulator, cosim};
use coretrace_test_verilog::lint::lint;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::{Clock, ToBits};

const SEED: u64 = 1;
/// Samples of a run.
const CYCLES: usize = 2000;

/// Samples of `width` bits: many full syncs, some cut short, some other bits between them.
fn samples(rng: &mut ChaCha8Rng, width: usize) -> Vec<u64> {
    let mut samples = vec![];
    while samples.len() < CYCLES {
        let word = if rng.random_ratio(1, 3) {
            FSYNC
        } else {
            rng.random()
        };
        let count = if rng.random_ratio(1, 10) {
            rng.random_range(0..32 / width)
        } else {
            32 / width
        };
        let sample = |part| u64::from(word) >> (part * width) & ((1 << width) - 1);
        samples.extend((0..count).map(sample));
    }
    samples
}

fn check<const W: usize>() {
    let top = format!("narrow_port_w{W}");
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let samples = samples(&mut rng, W);
    let drive = |uut: &mut NarrowPort<W>, cycle: usize| {
        uut.s_axis_tdata.next = samples[cycle].to_bits();
        uut.s_axis_tvalid.next = rng.random_ratio(7, 8);
        uut.reset.next = rng.random_ratio(1, 500);
    };
    let set_clock = |uut: &mut NarrowPort<W>, clock: Clock| uut.clock.next = clock;
    let outcome = cosim(
        &top,
        NarrowPort::<W>::default,
        CYCLES,
        drive,
        Some(set_clock),
        Simulator::Icarus,
    );
    let outcome = outcome.expect("it exports and runs");
    assert!(outcome.agrees(), "{top}, seed {SEED}: {outcome}");
}

#[test]
fn every_width_in_verilog_equals_its_simulation() {
    if skip_or_fail(Tool::Icarus) {
        return;
    }
    check::<1>();
    check::<2>();
    check::<4>();
    check::<8>();
    check::<16>();
}

#[test]
fn every_width_is_lint_clean() {
    let ports = [
        (
            "narrow_port_w1",
            verilog(NarrowPort::<1>::default(), "narrow_port_w1"),
        ),
        (
            "narrow_port_w2",
            verilog(NarrowPort::<2>::default(), "narrow_port_w2"),
        ),
        (
            "narrow_port_w4",
            verilog(NarrowPort::<4>::default(), "narrow_port_w4"),
        ),
        (
            "narrow_port_w8",
            verilog(NarrowPort::<8>::default(), "narrow_port_w8"),
        ),
        (
            "narrow_port_w16",
            verilog(NarrowPort::<16>::default(), "narrow_port_w16"),
        ),
    ];
    for (top, text) in ports {
        let text = text.expect("no finding");
        for tool in [Tool::Verilator, Tool::Icarus, Tool::Yosys] {
            if !skip_or_fail(tool) {
                let findings = lint(tool, &text, top).expect("the linter runs");
                assert_eq!(findings, [""; 0], "{top}, {}", tool.program());
            }
        }
    }
}
