// SPDX-License-Identifier: MIT OR Apache-2.0
//! `CountEvents`: hops in, events of the counters out, in one of two banks of them.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: bank 0 counts |
//! | `hop`, `at[N-1:0]`, ..., `cycles` | in | as [`WalkReport`](super::WalkReport) and [`CycleQueue`](super::CycleQueue) put them out |
//! | `done` | in | for one cycle: the bank that does not count has been read |
//! | `counts` | out | there is an event |
//! | `taken`, `entered`, `left`, `timed`, `..._place[P-1:0]` | out | events, each with its place: the site and above it the bank |
//! | `amount[21:0]` | out | what `timed` adds |
//! | `bank` | out | the one that counts |
//! | `flips` | out | for one cycle: the other bank counts from now on, and this one is to be read |
//!
//! A hop that reads out changes the bank behind its own events. It does nothing before the bank of the
//! hop before has been read: what is counted then stays in the bank it is in.
//!
//! A token may leave twice, at an address and behind it: the second leave is counted a cycle later.
//! The token behind it cannot leave twice.
//!
//! `N` bits of a site, `P` = `N` + 1. Latency 1 cycle. Throughput one hop per cycle.

use super::cycle_queue::{SITE_CYCLES_W, SiteCycles};
use super::item::CYCLES_W;
use super::walk_report::{HOP_W, Hop};
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// What a hop counts; see the module text.
    pub struct CountEvents;
    inputs EventInputs {
        reset: Bit,
        hop: Bus<HOP_W>,
        at: Bits<N>,
        base: Bits<N>,
        left_at: Bits<N>,
        ended_at: Bits<N>,
        cycles: Bus<SITE_CYCLES_W>,
        done: Bit,
    }
    lane_inputs {}
    outputs EventOutputs {
        counts: Bit,
        taken: Bit,
        taken_place: Bits<P>,
        entered: Bit,
        entered_place: Bits<P>,
        left: Bit,
        left_place: Bits<P>,
        timed: Bit,
        timed_place: Bits<P>,
        amount: Bits<CYCLES_W>,
        bank: Bit,
        flips: Bit,
    }
    lane_outputs {}
    pair_outputs {}
    kernel count_events;
}

#[named]
fn count_events<T: Word, const N: usize, const P: usize>(
    i: EventInputs<T::Port, N>,
) -> EventOutputs<T, N, P> {
    let live = T::field(&i.reset, 0, 1).not();
    let hop = Hop::<T>::unpack(&i.hop);
    let sites = |port: &T::Port| T::field(port, 0, N as u32);
    let (at, base) = (sites(&i.at), sites(&i.base));
    let (left_at, ended_at) = (sites(&i.left_at), sites(&i.ended_at));
    let timed = SiteCycles::<T>::unpack(&i.cycles);
    let flag = || T::register(1, at.stage());

    let (bank, bank_next) = flag();
    let (is_read, is_read_next) = flag();
    let flips = all(&[hop.reads_out, is_read.not(), live]);
    let done = T::field(&i.done, 0, 1);
    T::set_next(is_read_next, flips.or(is_read.and(done.not())).and(live));
    T::set_next(bank_next, bank.xor(flips).and(live));

    let (waits, waits_next) = flag();
    let (waiting_place, waiting_place_next) = T::register(P as u32, at.stage());
    let first = waits.or(hop.left);
    T::set_next(waits_next, all(&[hop.leaves, first, live]));
    T::set_next(waiting_place_next, bank.concat(ended_at));
    let left = any(&[hop.left, hop.leaves, waits]);
    let left_place = bank.concat(hop.left.mux(left_at, ended_at));
    EventOutputs {
        counts: vec![any(&[hop.taken, hop.enters, left, timed.valid])],
        taken: vec![hop.taken],
        taken_place: vec![bank.concat(at)],
        entered: vec![hop.enters],
        entered_place: vec![bank.concat(base)],
        left: vec![left],
        left_place: vec![waits.mux(waiting_place, left_place)],
        timed: vec![timed.valid],
        timed_place: vec![bank.concat(timed.site.slice(0, N as u32))],
        amount: vec![timed.cycles],
        bank: vec![bank],
        flips: vec![flips],
    }
}
