// SPDX-License-Identifier: MIT OR Apache-2.0
//! `CountWindow`: hops in, those of them that are to be counted out: between a trigger that starts and one that
//! stops. The model is `CountWindow` of `coretrace-sites`.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: nothing has started |
//! | `windowed` | in | without it, all hops are counted; steady |
//! | `hop`, `at[N-1:0]`, ..., `indirect`, `cycles` | in | as [`WalkReport`](super::WalkReport) and [`CycleQueue`](super::CycleQueue) put them out |
//! | `m_hop`, `m_at[N-1:0]`, `m_base[N-1:0]`, `m_left_at[N-1:0]`, `m_ended_at[N-1:0]`, `m_indirect`, `m_cycles` | out | the same, with what is to be counted alone |
//! | `counting` | out | what comes next is counted |
//!
//! What arrives at a site departs from it all the same: counting that starts is a flow that begins, and
//! counting that stops is one that ends. So no trigger comes between an arrival and its departure, and
//! the sums of each site agree.
//!
//! The state is three bits: it has started, a flow is counted and goes on, the last branch was counted.
//!
//! Latency 1 cycle. Throughput one hop per cycle.

use super::cycle_queue::{SITE_CYCLES_W, SiteCycles};
use super::item::TRIGGER_W;
use super::walk_report::{HOP_W, Hop, INDIRECT_W, IndirectBranch};
use coretrace_abi::flow_table::Trigger;
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// What of a hop is counted; see the module text.
    pub struct CountWindow;
    inputs WindowInputs {
        reset: Bit,
        windowed: Bit,
        hop: Bus<HOP_W>,
        at: Bits<N>,
        base: Bits<N>,
        left_at: Bits<N>,
        ended_at: Bits<N>,
        indirect: Bus<INDIRECT_W>,
        cycles: Bus<SITE_CYCLES_W>,
    }
    lane_inputs {}
    outputs WindowOutputs {
        m_hop: Bus<HOP_W>,
        m_at: Bits<N>,
        m_base: Bits<N>,
        m_left_at: Bits<N>,
        m_ended_at: Bits<N>,
        m_indirect: Bus<INDIRECT_W>,
        m_cycles: Bus<SITE_CYCLES_W>,
        counting: Bit,
    }
    lane_outputs {}
    pair_outputs {}
    kernel count_window;
}

#[named]
fn count_window<T: Word, const N: usize, const P: usize>(
    i: WindowInputs<T::Port, N>,
) -> WindowOutputs<T, N, P> {
    let live = T::field(&i.reset, 0, 1).not();
    let always = T::field(&i.windowed, 0, 1).not();
    let sites = |port: &T::Port| T::field(port, 0, N as u32);
    let (base, left_at) = (sites(&i.base), sites(&i.left_at));
    let hop = Hop::<T>::unpack(&i.hop);
    let branch = IndirectBranch::<T>::unpack(&i.indirect);
    let cycles = SiteCycles::<T>::unpack(&i.cycles);
    let flag = || T::register(1, base.stage());
    let (started, started_next) = flag();
    let (open, open_next) = flag();
    let (taken, taken_next) = flag();

    // In front of the atoms, and behind the E.
    let after = |trigger: T, before: T| {
        let is = |code: Trigger| trigger.is(code as u64);
        is(Trigger::Start).or(before.and(is(Trigger::Stop).not()))
    };
    let started_at = after(hop.trigger_at, started);
    let started_behind = after(hop.trigger_behind, started_at);
    let counts = always.or(started_at);
    let counts_behind = always.or(started_behind);

    // A branch that leads elsewhere ends a flow, too.
    let still_open = all(&[open, hop.left.not(), hop.enters.not()]);
    let closes = all(&[hop.walks, counts.not(), still_open]);
    let opens = all(&[hop.walks, counts, still_open.not()]);
    let open_behind = hop.walks.mux(counts, still_open);
    let counted = hop.taken.and(counts);
    T::set_next(started_next, started_behind.and(live));
    T::set_next(open_next, all(&[open_behind, hop.leaves.not(), live]));
    T::set_next(taken_next, hop.taken.mux(counted, taken).and(live));

    let no_trigger = T::constant(0, TRIGGER_W as u32);
    let to_count = Hop {
        left: any(&[hop.left.and(open), closes]),
        enters: opens,
        taken: counted,
        leaves: hop.leaves.and(open_behind),
        trigger_at: no_trigger,
        trigger_behind: no_trigger,
        ..hop
    };
    let branch_counted = IndirectBranch {
        valid: branch.valid.and(taken),
        ..branch
    };
    let cycles_counted = SiteCycles {
        valid: cycles.valid.and(counts_behind),
        ..cycles
    };
    WindowOutputs {
        m_hop: to_count.pack(),
        m_at: vec![sites(&i.at)],
        m_base: vec![base],
        m_left_at: vec![closes.mux(base, left_at)],
        m_ended_at: vec![sites(&i.ended_at)],
        m_indirect: branch_counted.pack(),
        m_cycles: cycles_counted.pack(),
        counting: vec![counts_behind],
    }
}
