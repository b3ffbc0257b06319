// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ITM decoder.

use coretrace_decode::Policy;
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_software::itm::ItmDecoder;
use coretrace_hdl_software::itm::layouts::{LaneResult, Packet, TraceState};
use coretrace_itm::{Config, Kind, Record};
use coretrace_software_trace::{self as software_trace, Protocol};
use coretrace_test_gen::{itm_stream, rng, rounds};
use coretrace_test_simulate::software::itm::{Records, Results};
use rand::RngExt;
use rust_hdl::prelude::*;

use crate::{Cycle, captures, cycles, damage_of};

const LATENCY: usize = 5;

/// The decoder in simulation.
struct Bench {
    decoder: ItmDecoder<1, 1>,
}

impl Bench {
    fn new(config: Config, is_lenient: bool) -> Bench {
        let mut decoder = ItmDecoder::default();
        decoder.connect_all();
        decoder.lenient.next = is_lenient;
        decoder.itm_tcr.next = config.itm_tcr.to_bits();
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
            lanes: vec![LaneResult::of_wide(&decoder.m_lane.val().to_wide())],
            packet: Packet::of_wide(&decoder.m_packet.val().to_wide()),
            state: TraceState::of_wide(&decoder.m_state.val().to_wide()),
        })
    }
}

/// The records of the hardware.
fn in_hardware(config: Config, cycles: &[Cycle], is_lenient: bool) -> Vec<Record> {
    let mut bench = Bench::new(config, is_lenient);
    let mut records = Records::new(config, is_lenient);
    let flush = [None; LATENCY];
    for &input in cycles.iter().chain(&flush) {
        if let Some(results) = bench.clock(input, false) {
            records.take(&results);
        }
    }
    records.records
}

/// The records of the model.
fn in_model(config: Config, cycles: &[Cycle], is_lenient: bool) -> Vec<Record> {
    let policy = if is_lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    };
    let mut decoder = software_trace::ItmDecoder::new(config, policy);
    let mut records = Vec::new();
    for &(byte, lost) in cycles.iter().flatten() {
        if lost {
            decoder.discontinuity(|record| records.push(*record));
        }
        decoder.feed(&[byte], |record| records.push(*record));
    }
    records
}

fn assert_equal(config: Config, cycles: &[Cycle], what: &str) -> Vec<Record> {
    let mut all = Vec::new();
    for is_lenient in [false, true] {
        let model = in_model(config, cycles, is_lenient);
        let hardware = in_hardware(config, cycles, is_lenient);
        for (number, (got, want)) in hardware.iter().zip(&model).enumerate() {
            assert_eq!(got, want, "{what}, lenient {is_lenient}, record {number}");
        }
        assert_eq!(hardware.len(), model.len(), "{what}, lenient {is_lenient}");
        all.extend(model);
    }
    all
}

#[test]
fn captures_of_an_itm_give_the_records_of_the_model() {
    for (name, protocol, bytes) in captures::streams(|it| matches!(it, Protocol::Itm(_))) {
        let Protocol::Itm(config) = protocol else {
            continue;
        };
        let cycles = cycles(&mut rng(1), &bytes, 0.0, false);
        assert_equal(config, &cycles, &name);
    }
}

#[test]
fn streams_of_an_itm_give_the_records_of_the_model() {
    let mut kinds: Vec<Kind> = Vec::new();
    for seed in 0..rounds(1000, 20_000) {
        let rng = &mut rng(seed);
        let bytes = itm_stream(rng, 60, damage_of(seed));
        let losses = if seed % 3 == 0 { 0.01 } else { 0.0 };
        let cycles = cycles(rng, &bytes, losses, seed % 5 == 0);
        let itm_tcr = rng.random_range(0..64) << 4;
        let all = assert_equal(Config { itm_tcr }, &cycles, &format!("seed {seed}"));
        kinds.extend(all.iter().map(|it| it.kind));
    }
    kinds.sort();
    kinds.dedup();
    let all = Kind::ALL.iter().filter(|kind| **kind != Kind::Incomplete);
    assert!(kinds.iter().eq(all), "{kinds:?}");
}

#[test]
fn any_bytes_behind_a_sync_give_the_records_of_the_model() {
    for seed in 0..rounds(100, 2000) {
        let rng = &mut rng(seed);
        let mut bytes = itm_stream(rng, 2, None);
        bytes.extend((0..300).map(|_| match rng.random_range(0..4) {
            0 => 0x80,
            1 => 0,
            _ => rng.random::<u8>(),
        }));
        let cycles = cycles(rng, &bytes, 0.001, false);
        assert_equal(Config::default(), &cycles, &format!("seed {seed}"));
    }
}

#[test]
fn a_byte_comes_out_five_cycles_later_in_every_cycle() {
    let mut bench = Bench::new(Config::default(), false);
    let outputs = (0..100).map(|_| bench.clock(Some((0, false)), false).is_some());
    let outputs: Vec<bool> = outputs.collect();
    assert!(
        outputs
            .iter()
            .enumerate()
            .all(|(cycle, out)| *out == (cycle + 1 >= LATENCY))
    );
}
