// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StreamCuts`: which branch events end a stream, and where a stream is cut because it is long.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `start`, `start_address[61:0]` | in | the first stream begins there; no event comes with it |
//! | `valid`, `ready` | in, out | the event is taken if both are high |
//! | `next_pc[61:0]` to `is_discontinuity` | in | an event, as in [`StreamCacheEncoder`](super::StreamCacheEncoder) |
//! | `instructions[13:0]` | in | its instructions |
//! | `step` | out | a [`StreamStep`] |
//! | `led[61:0]` | out | where the event of the step led; with a start, its address |
//!
//! An event is one step, and one more for each 254 instructions that have no end of a stream among them. No step
//! comes behind one with a stream that may have an address or a number of executed instructions in its record.
//!
//! Latency 1 cycle. Throughput one step per cycle. `N` and `P` are 1. The model is that of
//! `coretrace_compress::StreamCache`.

use super::branch_bits::{ADDRESS_W, KIND_W, has};
use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::compressed::stream_cache::{LENGTH_BITS, MOST_INSTRUCTIONS};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, layout, named};
use rust_hdl::prelude::*;

/// Bits of the instructions of an event.
pub(crate) const STREAM_INSTRUCTIONS_W: usize = 14;
/// Bits of a length.
pub(crate) const LENGTH_W: usize = LENGTH_BITS as usize;
/// Bits of the instructions of a stream less 255: negative if there are at most 254.
const EXCESS_W: u32 = STREAM_INSTRUCTIONS_W as u32 + 1;
/// An excess without an instruction.
const NONE: u64 = (1 << EXCESS_W) - MOST_INSTRUCTIONS as u64 - 1;
/// What a cut adds to an excess.
const CUT: u64 = (1 << EXCESS_W) - MOST_INSTRUCTIONS as u64;

layout! {
    /// A piece of an event.
    pub struct StreamStep {
        /// A block begins: there is no step.
        is_start: 1,
        valid: 1,
        /// The first step of an event, and the last one.
        is_first: 1,
        is_last: 1,
        /// A stream ends; because it is long, with a discontinuity, or with a branch.
        is_stream: 1,
        is_cut: 1,
        is_discontinuity: 1,
        /// Another one begins where the event led.
        begins: 1,
        /// The image does not say where the stream starts.
        is_explicit: 1,
        /// Instructions of the event.
        instructions: STREAM_INSTRUCTIONS_W,
        /// Instructions up to a cut, of the first step.
        up_to_cut: LENGTH_W,
        /// One more than the instructions of the stream that ends, and than those behind it.
        executed: LENGTH_W,
        rest: LENGTH_W,
    }
}

/// Bits of a [`StreamStep`].
pub const STREAM_STEP_W: usize = StreamStep::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct StreamCuts;
    inputs CutsInputs {
        start: Bit,
        start_address: Bus<ADDRESS_W>,
        valid: Bit,
        next_pc: Bus<ADDRESS_W>,
        kind: Bits<KIND_W>,
        taken: Bit,
        is_discontinuity: Bit,
        instructions: Bits<STREAM_INSTRUCTIONS_W>,
    }
    lane_inputs {}
    outputs CutsOutputs { ready: Bit, step: Bus<STREAM_STEP_W>, led: Bus<ADDRESS_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel stream_cuts;
}

#[named]
fn stream_cuts<T: Word, const N: usize, const P: usize>(
    i: CutsInputs<T::Port, N>,
) -> CutsOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let start = bit(&i.start);
    let kind = T::field(&i.kind, 0, KIND_W as u32);
    let instructions = T::field(&i.instructions, 0, STREAM_INSTRUCTIONS_W as u32);
    let (excess, excess_next) = T::register(EXCESS_W, 0);
    let (is_cutting, is_cutting_next) = T::register(1, 0);
    let (waits, waits_next) = T::register(1, 0);
    let is_busy = is_cutting.or(waits);
    let takes = bit(&i.valid).and(is_busy.not());
    let goes_on = is_cutting.and(waits.not());
    let valid = takes.or(goes_on);

    // What the event is, for as long as its steps take.
    let held = |new: T| {
        let (old, next) = T::register(new.width(), 0);
        let now = takes.mux(new, old);
        T::set_next(next, now);
        now
    };
    let discontinuity = bit(&i.is_discontinuity);
    let is_open = has(kind, BranchKind::INDIRECT).or(has(kind, BranchKind::EXCEPTION));
    let has_end = is_open.or(has(kind, BranchKind::CONDITIONAL));
    let leads = held(discontinuity.or(is_open));
    let ends = held(discontinuity.or(has_end.and(bit(&i.taken))));
    let discontinuity = held(discontinuity);

    let amount = is_cutting.mux(T::constant(CUT, EXCESS_W), instructions.extend(EXCESS_W));
    let sum = excess.add(amount);
    let is_over = sum.bit(EXCESS_W - 1).not();
    let is_cut = valid.and(is_over);
    let is_last = valid.and(is_over.not());
    let begins = is_last.and(ends);
    let is_stream = is_cut.or(begins);
    let is_discontinuity = begins.and(discontinuity);
    let counted = valid.mux(sum, excess);
    let is_new = begins.or(start);
    let none = T::constant(NONE, EXCESS_W);
    let next_excess = is_new.mux(none, counted);
    T::set_next(excess_next, next_excess);
    let cuts = start.not().and(valid.mux(is_over, is_cutting));
    T::set_next(is_cutting_next, cuts);

    let (explicit, explicit_next) = T::register(1, 0);
    let is_anywhere = begins.and(leads);
    let of_next = is_stream.mux(is_anywhere, explicit);
    T::set_next(explicit_next, start.or(of_next));
    let is_explicit = is_stream.and(explicit);
    let is_long = start.not().and(is_explicit.or(is_discontinuity));
    T::set_next(waits_next, is_long);

    let (behind, behind_next) = T::register(ADDRESS_W as u32, 0);
    let address = |port: &T::Port| T::field(port, 0, ADDRESS_W as u32);
    let led = takes.mux(address(&i.next_pc), behind);
    let next = start.mux(address(&i.start_address), led);
    T::set_next(behind_next, next);

    let step = StreamStep {
        is_start: start,
        valid,
        is_first: takes,
        is_last,
        is_stream,
        is_cut,
        is_discontinuity,
        begins,
        is_explicit,
        instructions,
        up_to_cut: excess.slice(0, LENGTH_BITS).not(),
        executed: sum.slice(0, LENGTH_BITS),
        rest: next_excess.slice(0, LENGTH_BITS),
    };
    CutsOutputs {
        ready: vec![cuts.or(is_long).not()],
        step: step.pack(),
        led: vec![next],
    }
}
