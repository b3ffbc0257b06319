// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported core with each value of its parameters, against the simulation of the core, which
//! has none.

use crate::SEED;
use crate::bench::Bench;
use crate::core_block::CoreCycle;
use crate::mixer::Mixer;
use coretrace_abi::registers::csr::Control;
use coretrace_hdl_verilog::verilog;
use coretrace_pipelines::Etm4Core;
use coretrace_pipelines::package::core::{CORE, PARAMETERS, with_parameters};
use coretrace_test_verilog::cosim::{Simulator, record, replay};
use coretrace_test_verilog::recording::Recording;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

/// Cycles of a run: the first source and the start of the second one.
const CYCLES: usize = 2500;

/// The core with a parameter of another value.
fn text(name: &str, value: u32) -> String {
    let core = verilog(Etm4Core::default(), CORE).unwrap_or_else(|findings| panic!("{findings}"));
    let text = with_parameters(&core).expect("the parameters");
    let parameter = PARAMETERS.iter().find(|parameter| parameter.name == name);
    let default = format!("parameter {name} = {}", parameter.expect(name).default);
    assert_eq!(text.matches(&default).count(), 1, "{name}");
    text.replace(&default, &format!("parameter {name} = {value}"))
}

/// The core in the Rust simulation.
fn recorded(change: impl Fn(&mut CoreCycle)) -> Recording {
    let run = Etm4Core::cycles();
    let mut cycles = run.as_ref()[..CYCLES].to_vec();
    cycles.iter_mut().for_each(change);
    let mut mixer = Mixer::new(SEED);
    record(
        Etm4Core::default(),
        CYCLES,
        |uut, cycle| uut.drive(&cycles[cycle], &mut mixer),
        Etm4Core::SET_CLOCK,
    )
}

/// Writes of CONTROL without some of its bits, and no read of a counter.
fn without(bits: Control) -> impl Fn(&mut CoreCycle) {
    move |cycle| {
        if cycle.pins.aw == Some(Control::OFFSET) {
            cycle.pins.w = cycle
                .pins
                .w
                .map(|(value, strobes)| (value & !bits.0, strobes));
        }
        cycle.pins.ar = Some(0);
    }
}

fn check(name: &str, value: u32, change: impl Fn(&mut CoreCycle)) {
    let recording = recorded(change);
    let outcome = replay(&recording, &text(name, value), CORE, Simulator::Icarus);
    let outcome = outcome.unwrap_or_else(|error| panic!("{name} {value}: {error:#}"));
    assert!(
        outcome.agrees(),
        "{name} {value}, seed {SEED:#x}: {outcome}"
    );
}

#[test]
#[ignore = "nightly: simulations of the core in Icarus Verilog"]
fn the_core_with_a_fifo_of_any_size_equals_its_simulation() {
    if skip_or_fail(Tool::Icarus) {
        return;
    }
    let sizes = PARAMETERS
        .iter()
        .find(|parameter| parameter.name == "FIFO_WORDS");
    for &words in sizes.expect("the sizes").values {
        check("FIFO_WORDS", words, |_| {});
    }
}

#[test]
#[ignore = "nightly: a simulation of the core in Icarus Verilog"]
fn a_core_without_records_equals_one_that_has_them_disabled() {
    if !skip_or_fail(Tool::Icarus) {
        check("RECORDS", 0, without(Control::RESET.with_records(true)));
    }
}

#[test]
#[ignore = "nightly: a simulation of the core in Icarus Verilog"]
fn a_core_without_a_profile_equals_one_that_has_it_disabled() {
    if !skip_or_fail(Tool::Icarus) {
        check(
            "PROFILE",
            0,
            without(Control::RESET.with_profile(true).with_flush(true)),
        );
    }
}

#[test]
fn each_value_has_its_own_block_and_each_fifo_the_places_of_its_name() {
    let text = text("RECORDS", 1);
    // Two sinks that may be absent.
    assert_eq!(text.matches("if (VALUE == 0) begin : value_0").count(), 2);
    for &words in PARAMETERS[0].values {
        let choice = format!("etm4_core__fifo_{words} fifo (");
        assert_eq!(text.matches(&choice).count(), 1, "{choice}");
        let memory = format!("mem[{}:0];", words - 1);
        // Words and their flags.
        assert_eq!(text.matches(&memory).count(), 2, "{memory}");
    }
}
