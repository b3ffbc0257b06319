// SPDX-License-Identifier: MIT OR Apache-2.0
//! Result words of a decoder in, the words of the record stream out.
//!
//! `cargo run -p coretrace-hdl-sink --example results_to_words` gives a `RecordEncoder` two result
//! words, and prints the beats of its AXI4-Stream.

use coretrace_abi::record_filter::Filter;
use coretrace_etm::SourceConfig;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier};
use coretrace_hdl_etm::layouts::outcome;
use coretrace_hdl_etm::{LaneResult, SourceSettings};
use coretrace_hdl_sink::records::{RecordEncoder, RecordSettings};
use rust_hdl::prelude::*;

/// Cycles for everything to come out: a packet ends after 512 without a
/// result.
const DRAIN_CYCLES: usize = 600;

/// One cycle, with the header and address of a packet that ends in lane 0, or without a word.
/// Prints the beat at the output, if there is one.
fn step(encoder: &mut RecordEncoder<0>, packet: Option<(u64, u64)>) {
    encoder.s_valid.next = packet.is_some();
    if let Some((header, address)) = packet {
        let result: LaneResult<u64> = LaneResult {
            outcome: outcome::PACKET,
            suspect: 0,
            header,
            octet: 0,
            field_ends: 0,
            field_is_short: 0,
            is1: 0,
            address,
        };
        encoder.s_keep[0].next = true;
        encoder.s_lane[0].next = Bus(result.wide());
    }
    // A beat is taken with the next rising edge.
    encoder.m_axis_tready.next = true;
    if encoder.m_axis_tvalid.val() {
        let beat = encoder.m_axis_tdata.val().to_wide();
        let word = |index: u32| format!("{:08x}", beat.field(32 * index, 32));
        let last = if encoder.m_axis_tlast.val() {
            "  last"
        } else {
            ""
        };
        println!("{}{last}", [0, 1, 2, 3].map(word).join(" "));
    }
    cycle(encoder, |encoder, clock| encoder.clock.next = clock);
}

fn main() {
    let mut encoder = RecordEncoder::<0>::default();
    encoder.connect_all();
    encoder.enable.next = true;
    encoder.source.next = Bus(SourceSettings::of(0x10, &SourceConfig::default()).wide());
    encoder.settings.next = Bus(RecordSettings::of(&Filter::default(), false).wide());
    encoder.reset.next = true;
    (0..4).for_each(|_| step(&mut encoder, None));
    encoder.reset.next = false;

    // The head of the first packet says how the source was set up.
    encoder.active.next = true;
    encoder.start.next = true;
    step(&mut encoder, None);
    encoder.start.next = false;
    // A 64-bit address packet, then an Atom packet.
    step(&mut encoder, Some((0x9D, 0x0040_1258)));
    step(&mut encoder, Some((0xF7, 0x0040_1258)));
    (0..DRAIN_CYCLES).for_each(|_| step(&mut encoder, None));
}
