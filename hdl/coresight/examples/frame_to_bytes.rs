// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formatter frame in, bytes with their trace IDs out.
//!
//! `cargo run -p coretrace-hdl-coresight --example frame_to_bytes` builds frames with bytes of two
//! sources, clocks them through a `FrameDecoder`, and prints each row.

use coretrace_coresight::{FRAME_ROWS, Frame, FrameBuilder, TraceId};
use coretrace_hdl_coresight::FrameDecoder;
use coretrace_hdl_dataflow::sim::cycle;
use rust_hdl::prelude::*;

/// Cycles from a frame to its first row.
const LATENCY: usize = 2;

/// One cycle, with or without a frame at the input. Prints the row at the output, if there is one.
fn step(decoder: &mut FrameDecoder, frame: Option<&Frame>) {
    decoder.s_frame_tvalid.next = frame.is_some();
    if let Some(frame) = frame {
        decoder.s_frame_tdata.next = u128::from_le_bytes(*frame).to_bits();
    }
    cycle(decoder, |decoder, clock| decoder.clock.next = clock);
    if !decoder.m_axis_tvalid.val() {
        return;
    }
    let data = decoder.m_axis_tdata.val().to_u32();
    let ids = decoder.m_axis_tid.val().to_u32();
    let keep = decoder.m_axis_tkeep.val().to_u32();
    let byte = |lane: u32| match keep >> lane & 1 {
        // The place held a trace ID or the auxiliary byte.
        0 => "   --".to_owned(),
        _ => format!(
            "{:02x}:{:02x}",
            ids >> (7 * lane) & 0x7F,
            data >> (8 * lane) & 0xFF
        ),
    };
    println!("{}", [0, 1, 2, 3].map(byte).join("  "));
}

fn main() {
    let source = |id: u8| TraceId::new(id).expect("a trace ID");
    let mut builder = FrameBuilder::new();
    let mut frames: Vec<Frame> = Vec::new();
    for (id, bytes) in [(0x10, 0..6), (0x21, 6..10), (0x10, 10..12)] {
        frames.extend(bytes.filter_map(|byte| builder.push(source(id), byte)));
    }
    frames.extend(builder.flush());

    let mut decoder = FrameDecoder::default();
    decoder.connect_all();
    for frame in &frames {
        println!("frame {frame:02x?}");
        step(&mut decoder, Some(frame));
        // A frame takes four words of the port, so there is one in four cycles at most.
        (1..FRAME_ROWS).for_each(|_| step(&mut decoder, None));
    }
    (0..LATENCY).for_each(|_| step(&mut decoder, None));
}
