// SPDX-License-Identifier: MIT OR Apache-2.0
//! The board self-test: passes on the stored trace, and its light goes out on another one.

use etm4_hdl::etm4::record_signature::signature;
use etm4_hdl::sim::cycle;
use etm4_model::{Decoder, Policy};
use etm4_pipelines::alchitry_cu::{REGISTERS, SIGNATURE, self_test_trace};
use etm4_pipelines::{AlchitryCu, package};
use etm4_protocol::{Config, Profile, Protocol, Record};
use rust_hdl::prelude::*;

/// Cycles of a few passes over the trace.
const CYCLES: usize = 400;

fn run(mut board: AlchitryCu) -> u64 {
    board.connect_all();
    for _ in 0..CYCLES {
        cycle(&mut board, |board, clock| board.clock.next = clock);
    }
    board.leds.val().to_u64()
}

#[test]
fn the_signature_is_that_of_the_models_records() {
    let config = Config::new(Protocol::Etm4, Profile::A, &REGISTERS);
    let mut records: Vec<Record> = Vec::new();
    let mut decoder = Decoder::new(config, Policy::Resync);
    decoder.feed(&self_test_trace(), |record| records.push(*record));
    decoder.finish(|record| panic!("the trace ends with a packet: {record:?}"));
    assert_eq!(signature(&records), SIGNATURE);
}

#[test]
fn the_board_finds_the_trace_aligned_and_good() {
    assert_eq!(
        run(AlchitryCu::default()) & 7,
        0b011,
        "aligned, good, not bad"
    );
}

#[test]
fn the_board_shows_a_wrong_trace() {
    let mut trace = self_test_trace();
    trace[16] ^= 0x10;
    assert_eq!(
        run(AlchitryCu::with_trace(&trace)) & 6,
        0b100,
        "bad, not good"
    );
}

#[test]
fn the_board_package_names_every_pin() {
    let files = package::board_package().expect("the board exports");
    let (_, pins) = files
        .iter()
        .find(|(name, _)| name.ends_with(".pcf"))
        .expect("pins");
    assert!(pins.contains("clock P7"), "{pins}");
    assert_eq!(
        pins.lines().filter(|line| line.contains("leds[")).count(),
        8,
        "{pins}"
    );
}
