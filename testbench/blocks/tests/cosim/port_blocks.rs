// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks after a trace port: each gets the output of the previous one in the Rust simulation.

use crate::bench::Bench;
use crate::mixer::Mixer;
use crate::port_words::{PortWord, port_words};
use coretrace_hdl_coresight::SOURCES;
use coretrace_hdl_coresight::{Demux, FrameDecoder, FrameGenerator, RowPlace};
use coretrace_hdl_coresight::{RowSerialiser, TpiuFront};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_parts::stream::SaturatingCounter;
use rust_hdl::prelude::*;
use std::sync::LazyLock;

/// The inputs of the blocks in a cycle.
#[derive(Clone)]
pub struct PortCycle {
    word: PortWord,
    frame: Bits<128>,
    frame_valid: Bit,
    frame_lost: Bit,
    data: Bits<32>,
    ids: Bits<28>,
    keep: Bits<4>,
    row_valid: Bit,
    row_lost: Bit,
}

/// The run that all blocks share.
static CYCLES: LazyLock<Vec<PortCycle>> = LazyLock::new(port_cycles);

fn port_cycles() -> Vec<PortCycle> {
    let mut generator = FrameGenerator::default();
    let mut decoder = FrameDecoder::default();
    generator.connect_all();
    decoder.connect_all();
    let step = |word| {
        let now = PortCycle {
            word,
            frame: generator.m_frame_tdata.val(),
            frame_valid: generator.m_frame_tvalid.val(),
            frame_lost: generator.m_frame_discontinuity.val(),
            data: decoder.m_axis_tdata.val(),
            ids: decoder.m_axis_tid.val(),
            keep: decoder.m_axis_tkeep.val(),
            row_valid: decoder.m_axis_tvalid.val(),
            row_lost: decoder.m_axis_discontinuity.val(),
        };
        generator.drive(&now, &mut Mixer::none());
        decoder.drive(&now, &mut Mixer::none());
        cycle(&mut generator, |uut, clock| uut.clock.next = clock);
        cycle(&mut decoder, |uut, clock| uut.clock.next = clock);
        now
    };
    port_words().into_iter().map(step).collect()
}

/// A block with the inputs of the shared run.
macro_rules! port_block {
    ($block:ty, |$uut:ident, $cycle:ident, $mixer:ident| $drive:block) => {
        impl Bench for $block {
            type Cycle = PortCycle;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> =
                Some(|uut, clock| uut.clock.next = clock);

            fn cycles() -> impl AsRef<[PortCycle]> {
                CYCLES.as_slice()
            }

            fn drive(&mut self, $cycle: &PortCycle, $mixer: &mut Mixer) {
                let $uut = self;
                $drive
            }
        }
    };
}

port_block!(FrameGenerator, |uut, cycle, mixer| {
    uut.reset.next = cycle.word.reset;
    uut.s_axis_tdata.next = cycle.word.data.to_bits();
    uut.s_axis_tvalid.next = cycle.word.valid;
    uut.s_axis_tuser.next = cycle.word.lost;
    uut.clear.next = mixer.mix(false);
});

port_block!(FrameDecoder, |uut, cycle, mixer| {
    uut.reset.next = cycle.word.reset;
    uut.s_frame_tdata.next = cycle.frame;
    uut.s_frame_tvalid.next = mixer.mix(cycle.frame_valid);
    uut.s_frame_discontinuity.next = mixer.mix(cycle.frame_lost);
});

port_block!(Demux<SOURCES>, |uut, cycle, mixer| {
    let config = &cycle.word.config;
    uut.reset.next = cycle.word.reset;
    uut.s_axis_tdata.next = mixer.mix(cycle.data);
    uut.s_axis_tid.next = mixer.mix(cycle.ids);
    uut.s_axis_tkeep.next = mixer.mix(cycle.keep);
    uut.s_axis_tvalid.next = mixer.mix(cycle.row_valid);
    uut.s_axis_discontinuity.next = mixer.mix(cycle.row_lost);
    uut.enables.next = config.enables.to_bits();
    uut.clear.next = cycle.word.lost;
    for source in 0..SOURCES {
        uut.ids[source].next = config.ids[source].to_bits();
    }
});

port_block!(TpiuFront, |uut, cycle, _mixer| {
    let config = &cycle.word.config;
    uut.reset.next = cycle.word.reset;
    uut.s_axis_tdata.next = cycle.word.data.to_bits();
    uut.s_axis_tvalid.next = cycle.word.valid;
    uut.s_axis_tuser.next = cycle.word.lost;
    uut.enables.next = config.enables.to_bits();
    for source in 0..SOURCES {
        uut.ids[source].next = config.ids[source].to_bits();
    }
});

port_block!(RowPlace, |uut, cycle, _mixer| {
    uut.reset.next = cycle.word.reset;
    uut.s_axis_tvalid.next = cycle.row_valid;
});

// There are rows while it is idle, as in a decoder that waits for it.
port_block!(RowSerialiser, |uut, cycle, mixer| {
    uut.reset.next = cycle.word.reset;
    uut.s_axis_tdata.next = mixer.mix(cycle.data);
    uut.s_axis_tkeep.next = mixer.mix(cycle.keep);
    uut.s_axis_tvalid.next = cycle.row_valid && !uut.is_busy.val();
    uut.s_axis_discontinuity.next = cycle.row_lost;
});

// The amounts are the dropped bytes of a row, and random ones.
port_block!(SaturatingCounter, |uut, cycle, mixer| {
    uut.reset.next = cycle.word.reset;
    uut.clear.next = cycle.word.lost;
    let bytes: u32 = (0..4).map(|lane| u32::from(cycle.keep.get_bit(lane))).sum();
    uut.amount.next = mixer.mix(bytes.to_bits());
});
