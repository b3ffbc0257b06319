// SPDX-License-Identifier: MIT OR Apache-2.0
//! The STM decoder.

use coretrace_decode::Policy;
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_software::stp::layouts::{LaneResult, Packet, TraceState};
use coretrace_hdl_software::stp::{NIBBLES, StpDecoder};
use coretrace_software_trace::{Protocol, StmDecoder};
use coretrace_stm::{Kind, Record};
use coretrace_test_gen::{rng, rounds, stm_stream};
use coretrace_test_simulate::software::stp::{Records, Results, state};
use rand::RngExt;
use rust_hdl::prelude::*;

use crate::{Cycle, captures, cycles, damage_of};

const LATENCY: usize = 6;

/// The decoder in simulation.
struct Bench {
    decoder: StpDecoder<NIBBLES, 1>,
}

impl Bench {
    fn new(is_lenient: bool) -> Bench {
        let mut decoder = StpDecoder::default();
        decoder.connect_all();
        decoder.lenient.next = is_lenient;
        let mut bench = Bench { decoder };
        bench.clock(None, true);
        bench
    }

    /// A cycle, and the results that come out.
    fn clock(&mut self, input: Cycle, reset: bool) -> Option<Results> {
        let decoder = &mut self.decoder;
        decoder.reset.next = reset;
        decoder.s_valid.next = input.is_some();
        let (octet, lost) = input.unwrap_or_default();
        decoder.s_octet.next = octet.to_bits();
        decoder.s_discontinuity.next = lost;
        cycle(decoder, |uut, clock| uut.clock.next = clock);
        decoder.m_valid.val().then(|| Results {
            lost: decoder.m_discontinuity.val(),
            pending: decoder.m_pending.val().to_u64(),
            lanes: decoder
                .m_lane
                .iter()
                .map(|lane| LaneResult::of_wide(&lane.val().to_wide()))
                .collect(),
            packet: Packet::of_wide(&decoder.m_packet.val().to_wide()),
            state: state(&TraceState::of_wide(&decoder.m_state.val().to_wide())),
        })
    }
}

/// The records of the hardware.
fn in_hardware(cycles: &[Cycle], is_lenient: bool) -> Vec<Record> {
    let mut bench = Bench::new(is_lenient);
    let mut records = Records::new(is_lenient);
    let flush = [None; LATENCY];
    for &input in cycles.iter().chain(&flush) {
        if let Some(results) = bench.clock(input, false) {
            records.take(&results);
        }
    }
    records.records
}

/// The records of the model.
fn in_model(cycles: &[Cycle], is_lenient: bool) -> Vec<Record> {
    let policy = if is_lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    };
    let mut decoder = StmDecoder::new(policy);
    let mut records = Vec::new();
    for &(byte, lost) in cycles.iter().flatten() {
        if lost {
            decoder.discontinuity(|record| records.push(*record));
        }
        decoder.feed(&[byte], |record| records.push(*record));
    }
    records
}

fn assert_equal(cycles: &[Cycle], what: &str) -> Vec<Record> {
    let mut all = Vec::new();
    for is_lenient in [false, true] {
        let model = in_model(cycles, is_lenient);
        let hardware = in_hardware(cycles, is_lenient);
        for (number, (got, want)) in hardware.iter().zip(&model).enumerate() {
            assert_eq!(got, want, "{what}, lenient {is_lenient}, record {number}");
        }
        assert_eq!(hardware.len(), model.len(), "{what}, lenient {is_lenient}");
        all.extend(model);
    }
    all
}

#[test]
fn captures_of_an_stm_give_the_records_of_the_model() {
    for (name, _, bytes) in captures::streams(|protocol| protocol == Protocol::Stm) {
        let cycles = cycles(&mut rng(1), &bytes, 0.0, false);
        assert_equal(&cycles, &name);
    }
}

#[test]
fn streams_of_an_stm_give_the_records_of_the_model() {
    let mut kinds: Vec<Kind> = Vec::new();
    for seed in 0..rounds(1000, 20_000) {
        let rng = &mut rng(seed);
        let bytes = stm_stream(rng, 30, damage_of(seed));
        let losses = if seed % 3 == 0 { 0.01 } else { 0.0 };
        let cycles = cycles(rng, &bytes, losses, seed % 5 == 0);
        kinds.extend(
            assert_equal(&cycles, &format!("seed {seed}"))
                .iter()
                .map(|it| it.kind),
        );
    }
    kinds.sort();
    kinds.dedup();
    let all = Kind::ALL.iter().filter(|kind| **kind != Kind::Incomplete);
    assert!(kinds.iter().eq(all), "{kinds:?}");
}

#[test]
fn any_bytes_behind_an_async_give_the_records_of_the_model() {
    for seed in 0..rounds(100, 2000) {
        let rng = &mut rng(seed);
        let mut bytes = stm_stream(rng, 2, None);
        bytes.extend((0..300).map(|_| match rng.random_range(0..4) {
            0 => 0xFF,
            1 => 0,
            _ => rng.random::<u8>(),
        }));
        assert_equal(&cycles(rng, &bytes, 0.001, false), &format!("seed {seed}"));
    }
}

#[test]
fn a_byte_comes_out_six_cycles_later_in_every_cycle() {
    let mut bench = Bench::new(false);
    let outputs = (0..100).map(|_| bench.clock(Some((0, false)), false).is_some());
    let outputs: Vec<bool> = outputs.collect();
    assert!(
        outputs
            .iter()
            .enumerate()
            .all(|(cycle, out)| *out == (cycle + 1 >= LATENCY))
    );
}

#[test]
fn a_reset_begins_again_behind_what_came_before() {
    let bytes = stm_stream(&mut rng(3), 30, None);
    let mut bench = Bench::new(false);
    let mut runs = [(); 2].map(|()| Records::new(false));
    for (run, records) in runs.iter_mut().enumerate() {
        for &byte in &bytes {
            if let Some(results) = bench.clock(Some((byte, false)), false) {
                records.take(&results);
            }
        }
        for cycle in 0..LATENCY {
            if let Some(results) = bench.clock(None, run == 0 && cycle == 0) {
                records.take(&results);
            }
        }
    }
    assert!(runs[0].records.len() > 30);
    assert_eq!(runs[0].records, runs[1].records);
}
