// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks of the unrolled decoder: each gets what the ones before it put out in the Rust
//! simulation.

use crate::bench::Bench;
use crate::mixer::Mixer;
use crate::source_words::{SourceWord, source_words};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_etm::ConfigDecode;
use coretrace_hdl_etm::layouts::CONFIG_W;
use coretrace_hdl_etm::unrolled::layouts::{
    ACTION_W, ENABLES_W, PREDECODE_W, ROLE_W, WORD_FLAGS_W,
};
use coretrace_hdl_etm::unrolled::{
    HeaderPreprocess, UnrolledActionCode, UnrolledActionProcess, UnrolledStreamState,
};
use rust_hdl::prelude::*;
use std::array::from_fn;
use std::sync::LazyLock;

/// Lanes of the blocks.
const LANES: usize = 4;
/// Pairs of lanes.
const PAIRS: usize = 2;

/// A word on its way from one block to the next, with what is said of each byte.
#[derive(Clone, Copy)]
struct Stage<const W: usize> {
    flags: Bus<WORD_FLAGS_W>,
    octets: [Bits<8>; LANES],
    bytes: [Bus<W>; LANES],
}

/// What the blocks get to see in a cycle.
#[derive(Clone)]
pub struct UnrolledCycle {
    word: SourceWord<LANES>,
    cfg: Bus<CONFIG_W>,
    enabled: Stage<ENABLES_W>,
    predecode: [Bus<PREDECODE_W>; LANES],
    next_after_loss: Bit,
    resume_next: Bit,
    roles: Stage<ROLE_W>,
    actions: Stage<ACTION_W>,
}

/// The run that all blocks share.
static CYCLES: LazyLock<Vec<UnrolledCycle>> = LazyLock::new(unrolled_cycles);

fn unrolled_cycles() -> Vec<UnrolledCycle> {
    let mut config = ConfigDecode::<1>::default();
    let mut preprocess = HeaderPreprocess::<LANES, PAIRS>::default();
    let mut chain = UnrolledStreamState::<LANES, PAIRS>::default();
    let mut decode = UnrolledActionCode::<LANES, PAIRS>::default();
    config.connect_all();
    preprocess.connect_all();
    chain.connect_all();
    decode.connect_all();
    let step = |word: SourceWord<LANES>| {
        config.drive(&word.unit, &mut Mixer::none());
        settle(&mut config);
        let now = UnrolledCycle {
            word,
            cfg: config.cfg.val(),
            enabled: Stage {
                flags: preprocess.flags.val(),
                octets: from_fn(|lane| preprocess.octet_out[lane].val()),
                bytes: from_fn(|lane| preprocess.enables[lane].val()),
            },
            predecode: from_fn(|lane| preprocess.predecode[lane].val()),
            next_after_loss: preprocess.next_after_loss.val(),
            resume_next: preprocess.resume_next.val(),
            roles: Stage {
                flags: chain.flags_out.val(),
                octets: from_fn(|lane| chain.octet_out[lane].val()),
                bytes: from_fn(|lane| chain.role[lane].val()),
            },
            actions: Stage {
                flags: decode.flags_out.val(),
                octets: from_fn(|lane| decode.octet_out[lane].val()),
                bytes: from_fn(|lane| decode.action[lane].val()),
            },
        };
        preprocess.drive(&now, &mut Mixer::none());
        cycle(&mut preprocess, |uut, clock| uut.clock.next = clock);
        chain.drive(&now, &mut Mixer::none());
        cycle(&mut chain, |uut, clock| uut.clock.next = clock);
        decode.drive(&now, &mut Mixer::none());
        cycle(&mut decode, |uut, clock| uut.clock.next = clock);
        now
    };
    source_words().into_iter().map(step).collect()
}

/// A block with the inputs of the shared run.
macro_rules! unrolled_block {
    ($block:ident, |$uut:ident, $cycle:ident, $mixer:ident| $drive:block) => {
        impl Bench for $block<LANES, PAIRS> {
            type Cycle = UnrolledCycle;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> =
                Some(|uut, clock| uut.clock.next = clock);

            fn cycles() -> impl AsRef<[UnrolledCycle]> {
                CYCLES.as_slice()
            }

            fn drive(&mut self, $cycle: &UnrolledCycle, $mixer: &mut Mixer) {
                let $uut = self;
                $drive
            }
        }
    };
}

unrolled_block!(HeaderPreprocess, |uut, cycle, mixer| {
    uut.reset.next = cycle.word.reset;
    uut.cfg.next = mixer.mix(cycle.cfg);
    uut.lenient.next = cycle.word.lenient;
    uut.valid.next = cycle.word.valid;
    uut.discontinuity.next = cycle.word.discontinuity;
    for lane in 0..LANES {
        uut.octet[lane].next = cycle.word.octets[lane].to_bits();
        uut.keep[lane].next = cycle.word.keep[lane];
    }
});

unrolled_block!(UnrolledStreamState, |uut, cycle, mixer| {
    uut.flags.next = mixer.mix(cycle.enabled.flags);
    uut.next_after_loss.next = cycle.next_after_loss;
    uut.resume_next.next = cycle.resume_next;
    for lane in 0..LANES {
        uut.octet[lane].next = cycle.enabled.octets[lane];
        uut.enables[lane].next = mixer.mix(cycle.enabled.bytes[lane]);
        uut.predecode[lane].next = mixer.mix(cycle.predecode[lane]);
    }
});

unrolled_block!(UnrolledActionCode, |uut, cycle, mixer| {
    uut.cfg.next = mixer.mix(cycle.cfg);
    uut.flags.next = mixer.mix(cycle.roles.flags);
    for lane in 0..LANES {
        uut.octet[lane].next = cycle.roles.octets[lane];
        uut.role[lane].next = mixer.mix(cycle.roles.bytes[lane]);
    }
});

unrolled_block!(UnrolledActionProcess, |uut, cycle, mixer| {
    uut.reset.next = cycle.word.reset;
    uut.flags.next = mixer.mix(cycle.actions.flags);
    for lane in 0..LANES {
        uut.octet[lane].next = cycle.actions.octets[lane];
        uut.action[lane].next = mixer.mix(cycle.actions.bytes[lane]);
    }
});
