// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks of the jump-ahead and one-hot decoders: each gets the outputs of the previous ones in
//! the Rust simulation, with the registers between them.

use crate::bench::Bench;
use crate::mixer::Mixer;
use crate::source_words::{SourceWord, source_words};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_etm::ConfigDecode;
use coretrace_hdl_etm::baseline::StateChain;
use coretrace_hdl_etm::jump::layouts::{LANE_FLAGS_W, PREDECODE_W, ROWS_W, WORD_FLAGS_W};
use coretrace_hdl_etm::jump::{Gearbox, JumpResults, JumpTable, StateLookup};
use coretrace_hdl_etm::layouts::CONFIG_W;
use rust_hdl::prelude::*;
use std::array::from_fn;

/// A word after the gearbox.
#[derive(Clone, Copy)]
struct Squeezed<const N: usize> {
    flags: Bus<WORD_FLAGS_W>,
    octet: [Bits<8>; N],
    lane: [Bus<LANE_FLAGS_W>; N],
}

/// A word after the jump table.
#[derive(Clone, Copy)]
struct Tabled<const N: usize> {
    word: Squeezed<N>,
    rows: Bus<ROWS_W>,
    next_restarts: Bit,
    next_after_loss: Bit,
    resume: Bit,
    predecode: [Bus<PREDECODE_W>; N],
}

/// The inputs of the blocks in a cycle.
#[derive(Clone)]
pub struct JumpCycle<const N: usize> {
    input: SourceWord<N>,
    cfg: Bus<CONFIG_W>,
    squeezed: Squeezed<N>,
    /// The word in hand.
    hand: Tabled<N>,
    /// The state registers.
    state: Bits<6>,
    state_before: Bits<6>,
}

/// Runs the blocks together, one cycle for each word of the input.
fn jump_cycles<const N: usize, const P: usize>() -> Vec<JumpCycle<N>> {
    let mut config = ConfigDecode::<1>::default();
    let mut gearbox = Gearbox::<N, P>::default();
    let mut table = JumpTable::<N, P>::default();
    let mut lookup = StateLookup::<1>::default();
    config.connect_all();
    gearbox.connect_all();
    table.connect_all();
    lookup.connect_all();
    let squeezed = |gearbox: &Gearbox<N, P>| Squeezed {
        flags: gearbox.flags.val(),
        octet: from_fn(|lane| gearbox.octet_out[lane].val()),
        lane: from_fn(|lane| gearbox.lane[lane].val()),
    };
    let tabled = |table: &JumpTable<N, P>| Tabled {
        word: Squeezed {
            flags: table.flags.val(),
            octet: from_fn(|lane| table.octet_out[lane].val()),
            lane: from_fn(|lane| table.lane[lane].val()),
        },
        rows: table.rows.val(),
        next_restarts: table.next_restarts.val(),
        next_after_loss: table.next_after_loss.val(),
        resume: table.resume.val(),
        predecode: from_fn(|lane| table.predecode[lane].val()),
    };
    let (mut state, mut state_before) = Default::default();
    let step = |input: SourceWord<N>| {
        config.drive(&input.unit, &mut Mixer::none());
        settle(&mut config);
        let now = JumpCycle {
            input,
            cfg: config.cfg.val(),
            squeezed: squeezed(&gearbox),
            hand: tabled(&table),
            state,
            state_before,
        };
        gearbox.drive(&now.input, &mut Mixer::none());
        cycle(&mut gearbox, |uut, clock| uut.clock.next = clock);
        table.drive(&now, &mut Mixer::none());
        cycle(&mut table, |uut, clock| uut.clock.next = clock);
        set_lookup(&mut lookup, &now, &mut Mixer::none());
        settle(&mut lookup);
        (state, state_before) = (lookup.state_after.val(), lookup.state_before_after.val());
        now
    };
    source_words().into_iter().map(step).collect()
}

impl<const N: usize, const P: usize> Bench for Gearbox<N, P> {
    type Cycle = SourceWord<N>;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[SourceWord<N>]> {
        source_words()
    }

    fn drive(&mut self, word: &SourceWord<N>, _: &mut Mixer) {
        self.reset.next = word.reset;
        self.valid.next = word.valid;
        self.discontinuity.next = word.discontinuity;
        for lane in 0..N {
            self.octet[lane].next = word.octets[lane].to_bits();
            self.keep[lane].next = word.keep[lane];
        }
    }
}

/// A block that gets the output of the gearbox.
macro_rules! behind_gearbox {
    ($block:ident) => {
        impl<const N: usize, const P: usize> Bench for $block<N, P> {
            type Cycle = JumpCycle<N>;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> =
                Some(|uut, clock| uut.clock.next = clock);

            fn cycles() -> impl AsRef<[JumpCycle<N>]> {
                jump_cycles::<N, P>()
            }

            fn drive(&mut self, cycle: &JumpCycle<N>, mixer: &mut Mixer) {
                self.cfg.next = mixer.mix(cycle.cfg);
                self.lenient.next = cycle.input.lenient;
                self.flags_in.next = mixer.mix(cycle.squeezed.flags);
                for lane in 0..N {
                    self.octet[lane].next = mixer.mix(cycle.squeezed.octet[lane]);
                    self.lane_in[lane].next = mixer.mix(cycle.squeezed.lane[lane]);
                }
            }
        }
    };
}

behind_gearbox!(JumpTable);
behind_gearbox!(StateChain);

fn set_lookup<const N: usize>(uut: &mut StateLookup<1>, cycle: &JumpCycle<N>, mixer: &mut Mixer) {
    uut.rows.next = mixer.mix(cycle.hand.rows);
    uut.state.next = mixer.mix(cycle.state);
    uut.state_before.next = mixer.mix(cycle.state_before);
    uut.flags.next = mixer.mix(cycle.hand.word.flags);
    uut.next_restarts.next = mixer.mix(cycle.hand.next_restarts);
    uut.next_after_loss.next = mixer.mix(cycle.hand.next_after_loss);
}

impl Bench for StateLookup<1> {
    type Cycle = JumpCycle<4>;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = None;

    fn cycles() -> impl AsRef<[JumpCycle<4>]> {
        jump_cycles::<4, 2>()
    }

    fn drive(&mut self, cycle: &JumpCycle<4>, mixer: &mut Mixer) {
        set_lookup(self, cycle, mixer);
    }
}

impl<const N: usize, const P: usize> Bench for JumpResults<N, P> {
    type Cycle = JumpCycle<N>;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[JumpCycle<N>]> {
        jump_cycles::<N, P>()
    }

    fn drive(&mut self, cycle: &JumpCycle<N>, mixer: &mut Mixer) {
        let hand = &cycle.hand;
        self.reset.next = cycle.input.reset;
        self.cfg.next = mixer.mix(cycle.cfg);
        self.lenient.next = cycle.input.lenient;
        self.flags.next = mixer.mix(hand.word.flags);
        self.resume.next = mixer.mix(hand.resume);
        self.state.next = mixer.mix(cycle.state_before);
        for lane in 0..N {
            self.octet[lane].next = mixer.mix(hand.word.octet[lane]);
            self.lane[lane].next = mixer.mix(hand.word.lane[lane]);
            self.predecode[lane].next = mixer.mix(hand.predecode[lane]);
        }
    }
}
