// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StateChain`: the stream state stepped byte by byte, all bytes of a word in one cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `cfg`, `lenient` | in | [`DecoderConfig`](crate::layouts::DecoderConfig); error policy: 0 resync, 1 lenient |
//! | `flags_in`, `octet[N]`, `lane_in[N]` | in | a word, as from the gearbox |
//! | `state` | out | stream state before the word |
//! | `resume` | out | a loss before the word leaves the decoder in sync |
//! | `flags`, `octet_out[N]`, `lane[N]`, `predecode[N]` | out | the word, and [`Predecode`](super::layouts::Predecode) of each byte |
//!
//! What the jump table is measured against: the state has a flip-flop for each of its values, so
//! that a step is one or two levels of logic, and `N` of them stand in the loop.

use crate::jump::lanes_of;
use crate::jump::layouts::{LANE_FLAGS_W, PREDECODE_W, WORD_FLAGS_W};
use crate::jump::predecode::{self, Lane};
use crate::jump::state::{self, STATE_W, STATES};
use crate::jump::step::{self, more};
use crate::layouts::CONFIG_W;
use coretrace_hdl_dataflow::{Bus, Word, any, clocked_block, join, latest, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// The chain of steps; see the module text.
    pub struct StateChain;
    inputs ChainInputs { cfg: Bus<CONFIG_W>, lenient: Bit, flags_in: Bus<WORD_FLAGS_W>, }
    lane_inputs { octet: Bits<8>, lane_in: Bus<LANE_FLAGS_W>, }
    outputs ChainOutputs { state: Bits<6>, resume: Bit, flags: Bus<WORD_FLAGS_W>, }
    lane_outputs { octet_out: Bits<8>, lane: Bus<LANE_FLAGS_W>, predecode: Bus<PREDECODE_W>, }
    pair_outputs {}
    kernel state_chain;
}

/// What a byte does to each state, as conditions that are known before the state is.
struct Conditions<T> {
    hit: T,
    more: [T; 4],
    /// Each state that a header, context information, PLCTL or extension byte leads to.
    after: [Vec<(u64, T)>; 4],
}

#[named]
impl<T: Word> Conditions<T> {
    fn new(lane: &Lane<T>, lenient: T) -> Conditions<T> {
        let next_states = step::NextStates::new(lane, lenient);
        let decoded = |code: T| -> Vec<(u64, T)> {
            let is = |value: u64| (value, code.is(value).reg());
            (0..STATES as u64).map(is).collect()
        };
        Conditions {
            hit: lane.predecode.hit,
            more: next_states.more,
            after: next_states.after.map(decoded),
        }
    }

    /// One flag for each state, after the byte.
    fn step(&self, before: &[T], lenient: T) -> Vec<T> {
        let mut into: Vec<Vec<T>> = vec![Vec::new(); STATES];
        for (code, &here) in before.iter().enumerate() {
            let entry = step::entry(code as u64);
            if let Some(index) = state::by_byte(code as u64) {
                for &(after, leads) in &self.after[index] {
                    into[after as usize].push(here.and(leads));
                }
                continue;
            }
            let goes_on = match entry.more {
                more::NEVER => T::constant(0, 1),
                kind => self.more[kind as usize],
            };
            into[entry.goes_on as usize].push(here.and(goes_on));
            let ends = here.and(goes_on.not());
            if code as u64 == state::ASYNC {
                into[state::HEADER as usize].push(ends.and(lenient));
                into[state::UNSYNC as usize].push(ends.and(lenient.not()));
            } else {
                into[entry.ends as usize].push(ends);
            }
        }
        let reads = self.hit.not();
        let mut after: Vec<T> = into.iter().map(|ways| any(ways).and(reads)).collect();
        let header = &mut after[state::HEADER as usize];
        *header = header.or(self.hit);
        after
    }
}

#[named]
fn state_chain<T: Word, const N: usize, const P: usize>(
    i: ChainInputs<T::Port, N>,
) -> ChainOutputs<T, N, P> {
    let lenient = T::field(&i.lenient, 0, 1).steady();
    let word = predecode::word(&i.cfg, lenient, &i.flags_in, &i.octet, &i.lane_in);
    let conditions: Vec<Conditions<T>> = word
        .lanes
        .iter()
        .map(|lane| Conditions::new(lane, lenient))
        .collect();
    let known = conditions
        .iter()
        .flat_map(|lane| lane.after.iter().flatten().map(|&(_, leads)| leads));
    let now = latest(known.chain([word.resume]));
    let (held, handles): (Vec<T>, Vec<T::RegisterHandle>) =
        (0..STATES).map(|_| T::register(1, now)).unzip();
    let lost = word.flags.lost.and(word.flags.valid);
    let before: Vec<T> = held
        .iter()
        .enumerate()
        .map(|(code, &here)| {
            let restarted = match code as u64 {
                state::HEADER => word.resume,
                state::UNSYNC => word.resume.not(),
                _ => T::constant(0, 1),
            };
            lost.mux(restarted, here)
        })
        .collect();
    let step = |before: Vec<T>, lane: &Conditions<T>| lane.step(&before, lenient);
    let after = conditions.iter().fold(before.clone(), step);
    for ((handle, after), &here) in handles.into_iter().zip(after).zip(&held) {
        T::set_next(handle, word.flags.update.mux(after, here));
    }
    let bit = |bit: usize| {
        let set = (0..STATES).filter(|code| code >> bit & 1 == 1);
        any(&set.map(|code| before[code]).collect::<Vec<_>>())
    };
    let lanes = word.lanes;
    ChainOutputs {
        state: vec![join((0..STATE_W).map(bit))],
        resume: vec![word.resume],
        flags: word.flags.pack(),
        octet_out: lanes_of(lanes.iter().map(|lane| vec![lane.octet]).collect()),
        lane: lanes_of(lanes.iter().map(|lane| lane.flags.pack()).collect()),
        predecode: lanes_of(lanes.iter().map(|lane| lane.predecode.pack()).collect()),
    }
}
