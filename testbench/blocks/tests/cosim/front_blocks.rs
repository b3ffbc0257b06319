// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks before the frame generator: for narrow ports and for ports with their own clock. Here
//! both clocks are the same; `testbench/blocks/tests/async_fifo.rs` has two.

use crate::SEED;
use crate::bench::Bench;
use crate::mixer::Mixer;
use crate::port_words::{PortWord, port_words};
use coretrace_coresight::FSYNC;
use coretrace_hdl_coresight::NarrowPort;
use coretrace_hdl_parts::stream::{AsyncFifo, GrayCounter, Synchroniser};
use coretrace_test_gen::rng;
use rand::RngExt;
use rust_hdl::prelude::*;

/// Words of a narrow port before samples are lost.
const STRETCH: usize = 20;
/// Samples of a narrow port.
const SAMPLES: usize = 8000;
/// Cycles of the parts of a FIFO.
const CYCLES: usize = 1000;

/// The input of a narrow port in a cycle.
pub struct PortSample {
    reset: bool,
    valid: bool,
    data: u64,
}

/// The words as samples of `width` bits, with syncs and losses in between.
fn samples(width: usize) -> Vec<PortSample> {
    let mut rng = rng(SEED);
    let words = port_words();
    let count = SAMPLES / STRETCH * width / 32;
    let stretches = words.chunks(STRETCH).step_by(words.len() / STRETCH / count);
    let mut samples = Vec::new();
    for stretch in stretches {
        let is_reset = rng.random_ratio(1, 8);
        let lost = rng.random_range(0..32 / width);
        let words = stretch.iter().map(|word| word.data);
        let all = [FSYNC, FSYNC].into_iter().chain(words);
        let parts = all.flat_map(|word| {
            let part = move |at| u64::from(word) >> at & ((1_u64 << width) - 1);
            (0..32).step_by(width).map(part)
        });
        for data in parts.skip(lost) {
            samples.push(PortSample {
                reset: is_reset && rng.random_ratio(1, 100),
                valid: rng.random_ratio(7, 8),
                data,
            });
        }
    }
    samples
}

impl<const W: usize> Bench for NarrowPort<W> {
    type Cycle = PortSample;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[PortSample]> {
        samples(W)
    }

    fn drive(&mut self, sample: &PortSample, _: &mut Mixer) {
        self.reset.next = sample.reset;
        self.s_axis_tvalid.next = sample.valid;
        self.s_axis_tdata.next = sample.data.into();
    }
}

impl<const W: usize, const A: usize> Bench for AsyncFifo<W, A> {
    type Cycle = PortWord;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| {
        uut.clock.next = clock;
        uut.write_clock.next = clock;
    });

    fn cycles() -> impl AsRef<[PortWord]> {
        port_words()
    }

    fn drive(&mut self, word: &PortWord, mixer: &mut Mixer) {
        self.reset.next = word.reset;
        self.enable.next = mixer.mix(true);
        self.write_valid.next = word.valid;
        self.write_data.next = u64::from(word.data).into();
    }
}

impl<const W: usize> Bench for GrayCounter<W> {
    type Cycle = (bool, bool);
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[(bool, bool)]> {
        let mut rng = rng(SEED);
        let mut cycle = || (rng.random_ratio(3, 4), rng.random_ratio(1, 100));
        (0..CYCLES).map(|_| cycle()).collect::<Vec<_>>()
    }

    fn drive(&mut self, (enable, clear): &(bool, bool), _: &mut Mixer) {
        self.enable.next = *enable;
        self.clear.next = *clear;
    }
}

impl<const W: usize> Bench for Synchroniser<W> {
    type Cycle = u64;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[u64]> {
        let mut rng = rng(SEED);
        let mut cycle = || rng.random_range(0..1 << W);
        (0..CYCLES).map(|_| cycle()).collect::<Vec<_>>()
    }

    fn drive(&mut self, bits: &u64, _: &mut Mixer) {
        self.d.next = (*bits).into();
    }
}
