// SPDX-License-Identifier: MIT OR Apache-2.0
//! `JumpResults`: from the stream state before a word to the results of its lanes.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: nothing from before it comes out |
//! | `cfg`, `lenient` | in | [`DecoderConfig`]; error policy: 0 resync, 1 lenient |
//! | `flags`, `octet[N]`, `lane[N]`, `predecode[N]` | in | a word, as from the jump table |
//! | `state` | in | stream state before it |
//! | `valid`, `discontinuity`, `pending`, `keep[N]` | out | as of the chained decoder |
//! | `result[N]`, `pair[P]` | out | [`LaneResult`] of each lane, [`PairResult`] of each pair |
//!
//! `P` is half of `N`. Feed-forward but for registers that one multiplexer separates from
//! themselves. The stream state is stepped lane after lane, one lane per cycle; then the values
//! are put together.

use super::address::{newest, selects};
use super::context::{context, timestamps};
use super::index::indices;
use super::lane::{Byte, Known, byte};
use super::lane_registers::{WordControl, Write, after_lanes};
use super::layouts::{LANE_FLAGS_W, LaneFlags, PREDECODE_W, Predecode, WORD_FLAGS_W, WordFlags};
use super::pending;
use super::predecode::Lane;
use super::state::{self, STATE_W};
use super::step::{NextStates, Step};
use super::{lanes_of, payload};
use crate::encodings::is_ete_exception;
use crate::header_class;
use crate::layouts::{
    CONFIG_W, DecoderConfig, LANE_RESULT_W, LaneResult, PAIR_RESULT_W, PairResult, outcome,
};
use crate::reset::valid_after_reset;
use coretrace_hdl_dataflow::{Bus, Word, any, clocked_block, join, latest, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// Results of a word; see the module text.
    pub struct JumpResults;
    inputs ResultInputs {
        reset: Bit,
        cfg: Bus<CONFIG_W>,
        lenient: Bit,
        flags: Bus<WORD_FLAGS_W>,
        resume: Bit,
        state: Bits<6>,
    }
    lane_inputs { octet: Bits<8>, lane: Bus<LANE_FLAGS_W>, predecode: Bus<PREDECODE_W>, }
    outputs ResultOutputs { valid: Bit, discontinuity: Bit, pending: Bits<32>, }
    lane_outputs { keep: Bit, result: Bus<LANE_RESULT_W>, }
    pair_outputs { pair: Bus<PAIR_RESULT_W>, }
    kernel jump_results;
}

/// The state before lane 0: a loss leaves waiting for an A-Sync or, by the policy, for a header.
#[named]
fn first_state<T: Word>(state: T, resume: T) -> T {
    let code = |value: u64| T::constant(value, STATE_W as u32);
    let restarted = resume.mux(code(state::HEADER), code(state::UNSYNC));
    state.is(state::RESTART).mux(restarted, state).reg()
}

#[named]
fn jump_results<T: Word, const N: usize, const P: usize>(
    i: ResultInputs<T::Port, N>,
) -> ResultOutputs<T, N, P> {
    let config = DecoderConfig::unpack(&i.cfg).map(T::steady);
    let lenient = T::field(&i.lenient, 0, 1).steady();
    let flags = WordFlags::<T>::unpack(&i.flags);
    let resume = T::field(&i.resume, 0, 1);
    let octets: Vec<T> = i.octet.iter().map(|port| T::field(port, 0, 8)).collect();
    let lane = |lane: usize| Lane {
        octet: octets[lane],
        flags: LaneFlags::unpack(&i.lane[lane]),
        predecode: Predecode::unpack(&i.predecode[lane]),
    };
    let lanes: Vec<Lane<T>> = (0..N).map(lane).collect();
    let control = WordControl {
        valid: flags.valid,
        commit: flags.update,
        reset: flags.restart,
    };

    let mut state = first_state(T::field(&i.state, 0, STATE_W as u32), resume);
    let mut states = Vec::new();
    let mut steps: Vec<Step<T>> = Vec::new();
    for lane in &lanes {
        // The byte waits for its state, not what it can lead to: that is wider.
        let step = NextStates::new(&lane.at_stage(state.stage() - 1), lenient).step(state);
        states.push(state);
        state = step.after;
        steps.push(step);
    }

    let latched = |write: &dyn Fn(usize) -> T, value: &dyn Fn(usize) -> T, start| {
        let write = |lane| Write {
            write: write(lane),
            value: value(lane),
        };
        after_lanes(&(0..N).map(write).collect::<Vec<_>>(), control, start)
    };
    let is = |lane: usize, code: u64| states[lane].is(code);
    let octet = |lane: usize| octets[lane];
    let (_, headers) = latched(&|lane| steps[lane].is_header, &octet, None);
    let announces = |lane: usize| octets[lane].bit(7).and(config.has_cid);
    let (_, has_cid) = latched(&|lane| is(lane, state::bytes_info(0)), &announces, None);
    // Whether the byte before an exception's second one makes it an ETE's special one.
    let special =
        |lane: usize| is(lane, state::EXCEPTION).and(is_ete_exception(&config, octets[lane]));
    let specials: Vec<T> = (0..N).map(special).collect();
    let special = control.before(specials[N - 1]);
    let error = |lane: usize| {
        let outcome = steps[lane].outcome;
        outcome
            .is(outcome::RESERVED)
            .or(outcome.is(outcome::BAD_SEQUENCE))
    };
    let after_loss = Write {
        write: flags.lost,
        value: resume,
    };
    let (suspect, suspects) = latched(
        &|lane| error(lane).or(steps[lane].outcome.is(outcome::ASYNC)),
        &error,
        Some(after_loss),
    );
    let part_ends: Vec<T> = steps.iter().map(|step| step.part_ends).collect();
    let indices = indices(&part_ends, control);

    let known = |lane: usize| Known {
        octet: octets[lane],
        state: states[lane],
        header: header_class::of(headers[lane]).map(T::reg),
        ends: steps[lane].outcome.is(outcome::PACKET),
        index: indices[lane],
        is_header: is(lane, state::HEADER).and(lanes[lane].predecode.error.not()),
        more_time: lanes[lane].predecode.more_time,
        special_before: lane
            .checked_sub(1)
            .map_or(special, |before| specials[before]),
        has_cid: has_cid[lane],
        live: lanes[lane].flags.live,
    };
    let bytes: Vec<Byte<T>> = (0..N).map(|lane| byte(&known(lane))).collect();

    // Controls first, data last: the values are put together when everything is known that selects
    // them, so that nothing wide waits.
    let clear: Vec<T> = bytes.iter().map(|byte| byte.clear).collect();
    let selects = selects(&bytes, &clear);
    let end = selects.stage();
    let at = |time: u32| -> Vec<Byte<T>> { bytes.iter().map(|byte| byte.at_stage(time)).collect() };
    let late = at(end - payload::value_latency(N));
    let leads = payload::leads(N, at, end - payload::lead_lateness(N), control);
    let fields = payload::fields(&late, control);
    let timestamps = timestamps(&late, &leads, control);
    let context = context(&late, config.vmid_last, control);
    let addresses = newest(&late, &leads, &selects, control);

    let fresh: Vec<T> = lanes
        .iter()
        .map(|lane| lane.flags.fresh.and(flags.valid))
        .collect();
    let ended = |lane: usize| steps[lane].outcome.mask(fresh[lane]).reg();
    let ended: Vec<T> = (0..N).map(ended).collect();
    let start = end - pending::latency(N);
    let ends: Vec<T> = ended
        .iter()
        .map(|outcome| outcome.any().at_stage(start))
        .collect();
    let shown: Vec<T> = fresh.iter().map(|fresh| fresh.at_stage(start)).collect();
    let report_loss = flags.report_loss.and(flags.valid);
    let pending = pending::pending(&shown, &ends, flags.valid, report_loss, control);

    let result = |lane: usize| {
        let suspect = lane
            .checked_sub(1)
            .map_or(suspect, |before| suspects[before]);
        let result = LaneResult {
            outcome: ended[lane],
            suspect: suspect.and(ended[lane].is(outcome::ASYNC).not()).reg(),
            header: headers[lane],
            octet: octets[lane],
            field_ends: late[lane].field.and(octets[lane].bit(7).not()),
            field_is_short: late[lane].index.is(0),
            is1: addresses[lane].is1,
            address: addresses[lane].value,
        };
        result.pack()
    };
    let results: Vec<Vec<T>> = (0..N).map(result).collect();
    let pair = |pair: usize| {
        let lead = &leads[pair];
        let result = PairResult {
            timestamp: timestamps[pair],
            info: context.info[pair],
            vmid: context.vmid[pair],
            cid: context.cid[pair],
            lead_low: join(lead[..8].iter().copied()),
            lead_high: lead[8],
            field: fields[pair],
        };
        result.pack()
    };
    let pairs: Vec<Vec<T>> = (0..P).map(pair).collect();

    let says = flags.valid.and(any(&fresh).or(flags.report_loss)).reg();
    let outputs = results.iter().chain(&pairs).flatten().copied();
    let end = latest(outputs.chain([pending]));
    let reset = T::field(&i.reset, 0, 1);
    let valid = valid_after_reset(says, reset, flags.restart, end);
    ResultOutputs {
        valid: vec![valid],
        discontinuity: vec![report_loss],
        pending: vec![pending],
        keep: lanes_of(fresh.into_iter().map(|fresh| vec![fresh]).collect()),
        result: lanes_of(results),
        pair: lanes_of(pairs),
    }
}
