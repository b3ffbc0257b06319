// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of one source in, a result for each lane out.
//!
//! `cargo run -p coretrace-hdl-etm --example bytes_to_results` clocks an A-Sync, a Trace Info, an
//! address and an Atom packet through a `JumpDecoder` of four bytes per cycle, and prints where
//! packets end.

use coretrace_etm::{Registers, SourceConfig};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier, Value};
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_etm::layouts::outcome;
use coretrace_hdl_etm::{LaneResult, SourceSettings};
use rust_hdl::prelude::*;

/// A decoder of four lanes, which are two pairs.
type Decoder = JumpDecoder<4, 2>;

/// The stream: 12 bytes of A-Sync, 2 of Trace Info, 9 of an address, 1 of atoms.
const STREAM: [u8; 24] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, // A-Sync
    0x01, 0x00, // Trace Info without a payload
    0x9D, 0x2C, 0x13, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, // 64-bit address, instruction set 0
    0xF7, // Atom
];

/// Cycles for the last results to come out.
const DRAIN_CYCLES: usize = 40;

/// One cycle, with or without a word at the input. Prints the packets that end in the word at the
/// output.
fn step(decoder: &mut Decoder, word: Option<&[u8]>) {
    decoder.s_valid.next = word.is_some();
    for (lane, byte) in word.into_iter().flatten().enumerate() {
        decoder.s_octet[lane].next = byte.to_bits();
        decoder.s_keep[lane].next = true;
    }
    cycle(decoder, |decoder, clock| decoder.clock.next = clock);
    if !decoder.m_valid.val() {
        return;
    }
    for lane in 0..4 {
        let result = LaneResult::<Value>::unpack(&decoder.m_lane[lane].val().to_wide());
        let ends = match result.outcome.bits() {
            _ if !decoder.m_keep[lane].val() => continue,
            outcome::NONE => continue,
            outcome::ASYNC => "A-Sync".to_owned(),
            outcome::PACKET => format!("packet with header {:#04x}", result.header.bits()),
            _ => "error".to_owned(),
        };
        println!("lane {lane}: {ends}, address {:#x}", result.address.bits());
    }
}

fn main() {
    let source = SourceConfig {
        registers: Registers {
            trcidr1: 0x4100_F403,
            trcidr2: 0x488,
            ..Registers::default()
        },
        ..SourceConfig::default()
    };
    let mut decoder = Decoder::default();
    decoder.connect_all();
    decoder.settings.next = Bus(SourceSettings::of(0x10, &source).wide());
    decoder.reset.next = true;
    (0..4).for_each(|_| step(&mut decoder, None));
    decoder.reset.next = false;

    STREAM
        .chunks(4)
        .for_each(|word| step(&mut decoder, Some(word)));
    (0..DRAIN_CYCLES).for_each(|_| step(&mut decoder, None));
}
