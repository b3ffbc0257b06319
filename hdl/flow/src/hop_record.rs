// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HopRecord`: hops in, records of a ring out, up to the trigger that freezes it.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high; as `arm` |
//! | `arm` | in | record, and count events from 0 |
//! | `freeze_after[31:0]` | in | freeze at so many events; 0: never; steady from `arm` on |
//! | `hop`, `at[N-1:0]`, `base[N-1:0]`, `indirect`, `atoms[31:0]` | in | as [`WalkReport`](super::WalkReport) puts them out |
//! | `armed` | out | for one cycle: it has been armed |
//! | `writes`, `record` | out | a new [`Record`] |
//! | `events[1:0]` | out | triggers that are events |
//! | `freezes` | out | for one cycle: the newest record is the last one |
//! | `frozen`, `frozen_atoms[31:0]` | out | there are no more records; atoms up to the trigger |
//!
//! A record goes from the site to which something led last up to the branch that is taken. A trigger at the
//! site itself comes in front of the branch: then the record ends there.
//!
//! Latency 2 cycles. Throughput one hop per cycle.

use super::item::MOST_SITE_W;
use super::walk_report::{HOP_W, Hop, INDIRECT_W, IndirectBranch};
use coretrace_abi::flow_table::Trigger;
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, layout, minus, named};
use rust_hdl::prelude::*;

layout! {
    /// A hop in the ring; see `Hop` of `coretrace_abi::flow_stream`.
    pub struct Record {
        begins: 1,
        is_taken: 1,
        site: MOST_SITE_W,
        branch: MOST_SITE_W,
    }
}

/// Bits of a record.
pub const RECORD_W: usize = Record::WIDTH;
/// Bits of the number of events of a hop.
pub const EVENTS_W: usize = 2;
/// Bits of a number of events.
const COUNT_W: u32 = 32;

clocked_block! {
    /// The records of hops; see the module text.
    pub struct HopRecord;
    inputs RecordInputs {
        reset: Bit,
        arm: Bit,
        freeze_after: Bits<32>,
        hop: Bus<HOP_W>,
        at: Bits<N>,
        base: Bits<N>,
        indirect: Bus<INDIRECT_W>,
        atoms: Bits<32>,
    }
    lane_inputs {}
    outputs RecordOutputs {
        armed: Bit,
        writes: Bit,
        record: Bus<RECORD_W>,
        events: Bits<EVENTS_W>,
        freezes: Bit,
        frozen: Bit,
        frozen_atoms: Bits<32>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel hop_record;
}

#[named]
fn hop_record<T: Word, const N: usize, const P: usize>(
    i: RecordInputs<T::Port, N>,
) -> RecordOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let sites = |port: &T::Port| T::field(port, 0, N as u32);
    let live = bit(&i.reset).not();
    let (at, base) = (sites(&i.at), sites(&i.base));
    let hop = Hop::<T>::unpack(&i.hop);
    let branch = IndirectBranch::<T>::unpack(&i.indirect);

    // Where an indirect branch led since something led to a site.
    let (target, target_next) = T::register(N as u32, at.stage());
    let (has_target, has_target_next) = T::register(1, at.stage());
    let target = branch.valid.mux(branch.target.slice(0, N as u32), target);
    let has_target = branch.valid.or(has_target);
    T::set_next(target_next, target);
    T::set_next(has_target_next, all(&[has_target, hop.arrives.not(), live]));
    let is_led = has_target.and(target.eq(base));

    let (from, from_next) = T::register(N as u32, at.stage());
    let (begins, begins_next) = T::register(1, at.stage());
    let from = hop.arrives.mux(base, from);
    let begins = hop.arrives.mux(hop.enters.and(is_led.not()), begins);
    T::set_next(from_next, from);
    T::set_next(begins_next, begins);

    // A cycle later: the event of the site, then the one of the branch.
    let is_event = |trigger: T| trigger.is(Trigger::Event as u64).and(live).reg();
    let (event_at, event_behind) = (is_event(hop.trigger_at), is_event(hop.trigger_behind));
    let taken = hop.taken.and(live).reg();
    let (at, from, begins) = (at.reg(), from.reg(), begins.reg());
    let atoms = T::field(&i.atoms, 0, 32).reg();
    let freeze_after = T::field(&i.freeze_after, 0, COUNT_W).reg();
    let arms = bit(&i.arm).or(live.not()).reg();
    let (left, left_next) = T::register(COUNT_W, arms.stage());
    let (frozen, frozen_next) = T::register(1, arms.stage());
    let (frozen_atoms, frozen_atoms_next) = T::register(32, arms.stage());
    let records = frozen.not();
    let freezes_at = all(&[event_at, left.is(1), records]);
    let is_last = event_at.mux(left.is(2), left.is(1));
    let freezes_behind = all(&[event_behind, is_last, records]);
    let freezes = freezes_at.or(freezes_behind).and(arms.not());
    let events_w = EVENTS_W as u32;
    let events = event_at.extend(events_w).add(event_behind.extend(events_w));
    let counted = events.mask(left.any()).extend(COUNT_W);
    T::set_next(left_next, arms.mux(freeze_after, minus(left, counted)));
    T::set_next(frozen_next, any(&[frozen, freezes]).and(arms.not()));
    let frozen_atoms = freezes.mux(atoms, frozen_atoms);
    T::set_next(frozen_atoms_next, frozen_atoms);
    let wide = |site: T| site.extend(MOST_SITE_W as u32);
    let record = Record {
        begins,
        is_taken: freezes_at.not(),
        site: wide(from),
        branch: wide(freezes_at.mux(from, at)),
    };
    RecordOutputs {
        armed: vec![arms],
        writes: vec![all(&[records, taken.or(freezes_at), arms.not()])],
        record: record.pack(),
        events: vec![events],
        freezes: vec![freezes],
        frozen: vec![frozen.or(freezes).and(arms.not())],
        frozen_atoms: vec![frozen_atoms],
    }
}
