// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Ingress`: blocks of instructions that a RISC-V hart retires, up to `N` in a cycle, to branch events. `P` is 1.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: nothing is known of the execution |
//! | `iretire[N][7:0]` | in | halfwords that retired in a block, the oldest block in lane 0; 0 is no block, unless a trap ends it |
//! | `itype[N][3:0]` | in | what ends the block, see [`coretrace_abi::compressed::retired_block`]; a port of three bits has a 0 above them |
//! | `ilastsize[N]` | in | the last instruction has two halfwords, not one |
//! | `iaddr[N][61:0]` | in | address of the first instruction, divided by 2; without an instruction that of the exception, and without a meaning for an interrupt |
//! | `event_valid[N]` | out | an event, the oldest one in lane 0 |
//! | `begins[N]` to `instructions[N]` | out | the event, as at [`RaptorCompressor`](super::RaptorCompressor); an instruction is a halfword |
//!
//! An event waits for the block behind it, which says where it led. If an interrupt comes first, nothing says it: the
//! branch counts as not executed, and the interrupt is in front of it.
//!
//! The encoders have no record for `cause`, `tval`, `priv`, `context`, `time` and `ctype`, and a replayer follows no
//! sequence that `sijump` marks: it has the target of such a jump.
//!
//! Latency 2 cycles behind the block that says where the event led. Throughput `N` blocks per cycle; there is no TREADY.
//!
//! Source: RISC-V Efficient Trace, hart to encoder interface, instruction trace interface.

use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W};
use coretrace_abi::compressed::retired_block::{BlockEnd, ENDS, EXCEPTION, INTERRUPT};
use coretrace_hdl_dataflow::{Bus, Word, all, clocked_block, join, layout, minus, mux_tree, named};
use rust_hdl::prelude::*;
use std::array::from_fn;

/// Bits of a number of halfwords.
pub const IRETIRE_W: usize = 8;
/// Bits of what ends a block.
pub const ITYPE_W: usize = ENDS.len().ilog2() as usize;

layout! {
    /// An event that waits.
    struct WaitingEvent {
        valid: 1,
        /// Execution begins; nothing was executed.
        begins: 1,
        is_discontinuity: 1,
        taken: 1,
        kind: KIND_W,
        pc: ADDRESS_W,
        instructions: INSTRUCTIONS_W,
        /// Halfwords of its instruction.
        size: 2,
    }
}

clocked_block! {
    /// See the module text.
    pub struct Ingress;
    inputs IngressInputs { reset: Bit, }
    lane_inputs {
        iretire: Bits<IRETIRE_W>,
        itype: Bits<ITYPE_W>,
        ilastsize: Bit,
        iaddr: Bus<ADDRESS_W>,
    }
    outputs IngressOutputs {}
    lane_outputs {
        event_valid: Bit,
        begins: Bit,
        pc: Bus<ADDRESS_W>,
        next_pc: Bus<ADDRESS_W>,
        kind: Bits<KIND_W>,
        taken: Bit,
        is_discontinuity: Bit,
        instructions: Bits<INSTRUCTIONS_W>,
    }
    pair_outputs {}
    kernel ingress;
}

#[named]
fn ingress<T: Word, const N: usize, const P: usize>(
    i: IngressInputs<T::Port, N>,
) -> IngressOutputs<T, N, P> {
    let blocks: [RetiredBlock<T>; N] = from_fn(|lane| RetiredBlock::new(&i, lane));
    let now = blocks[0].ends.stage();
    let lives = T::field(&i.reset, 0, 1).not().at_stage(now);
    let (sum, sum_next) = T::register(INSTRUCTIONS_W as u32, now);
    let (is_known, is_known_next) = T::register(1, now);
    let mut nexts = Vec::new();
    let mut register = |width: usize| {
        let (word, next) = T::register(width as u32, now);
        nexts.push(next);
        word
    };
    let held = WaitingEvent {
        valid: register(1),
        begins: register(1),
        is_discontinuity: register(1),
        taken: register(1),
        kind: register(KIND_W),
        pc: register(ADDRESS_W),
        instructions: register(INSTRUCTIONS_W),
        size: register(2),
    };

    // Behind a reset the first block says where execution begins.
    let mut waits = WaitingEvent {
        valid: held.valid.or(is_known.not()),
        begins: held.begins.or(is_known.not()),
        ..held
    };
    let mut amount = sum;
    let lanes: [(T, WaitingEvent<T>); N] = from_fn(|lane| {
        let block = &blocks[lane];
        let out = (all(&[waits.valid, block.is_placed, lives]), waits);
        let total = amount.add(block.halfwords);
        waits = block.behind(waits, total);
        amount = total.mask(block.ends.not());
        out
    });
    waits.valid = waits.valid.and(lives);
    for (next, field) in nexts.into_iter().zip(waits.pack()) {
        T::set_next(next, field);
    }
    T::set_next(sum_next, amount.mask(lives));
    T::set_next(is_known_next, lives);

    let of = |field: fn(&WaitingEvent<T>) -> T| -> [Vec<T>; N] {
        from_fn(|lane| vec![field(&lanes[lane].1)])
    };
    IngressOutputs {
        event_valid: from_fn(|lane| vec![lanes[lane].0]),
        begins: of(|event| event.begins),
        pc: of(|event| event.pc),
        next_pc: from_fn(|lane| vec![blocks[lane].first]),
        kind: of(|event| event.kind),
        taken: of(|event| event.taken),
        is_discontinuity: of(|event| event.is_discontinuity),
        instructions: of(|event| event.instructions),
    }
}

/// A block, or none.
struct RetiredBlock<T> {
    halfwords: T,
    /// Its address is where execution is.
    is_placed: T,
    first: T,
    /// It makes an event.
    ends: T,
    is_trap: T,
    taken: T,
    kind: T,
    /// The place of its last halfword.
    last: T,
    size: T,
}

#[named]
impl<T: Word> RetiredBlock<T> {
    /// A cycle later.
    fn new<const N: usize>(i: &IngressInputs<T::Port, N>, lane: usize) -> RetiredBlock<T> {
        let retired = T::field(&i.iretire[lane], 0, IRETIRE_W as u32);
        let itype = T::field(&i.itype[lane], 0, ITYPE_W as u32);
        let first = T::field(&i.iaddr[lane], 0, ADDRESS_W as u32);
        let by_type = |width: usize, of: fn(BlockEnd) -> u64| {
            let words = ENDS.map(|end| T::constant(of(end), width as u32));
            mux_tree(&words, itype, ITYPE_W as u32)
        };
        let kind = by_type(KIND_W, |end| match end {
            BlockEnd::Branch { kind, .. } => kind.0.into(),
            BlockEnd::Sequential | BlockEnd::Trap => 0,
        });
        let taken = by_type(1, |end| match end {
            BlockEnd::Branch { taken, .. } => taken.into(),
            BlockEnd::Sequential | BlockEnd::Trap => 0,
        });
        let ends_sequence = by_type(1, |end| u64::from(end != BlockEnd::Sequential));
        let is_exception = itype.is(EXCEPTION.into());
        let is_trap = is_exception.or(itype.is(INTERRUPT.into()));
        let has_instructions = retired.any();
        let ends = ends_sequence.and(has_instructions.or(is_trap));
        let two = T::field(&i.ilastsize[lane], 0, 1);
        let up_to_last = retired.add_const((1 << IRETIRE_W) - 1);
        RetiredBlock {
            halfwords: retired.extend(INSTRUCTIONS_W as u32).reg(),
            is_placed: has_instructions.or(is_exception).reg(),
            first: first.reg(),
            ends: ends.reg(),
            is_trap: is_trap.reg(),
            taken: taken.reg(),
            kind: kind.reg(),
            last: first.add(up_to_last.extend(ADDRESS_W as u32)).reg(),
            size: join([two.not(), two]).reg(),
        }
    }

    /// What waits behind it, so many halfwords behind the event before. What waited in front of it is in `waits`; it
    /// is cut short by an interrupt that retires nothing, and that makes no event of its own then.
    fn behind(&self, waits: WaitingEvent<T>, instructions: T) -> WaitingEvent<T> {
        let event = WaitingEvent {
            valid: self.ends,
            begins: T::constant(0, 1),
            is_discontinuity: self.is_trap,
            taken: self.taken,
            kind: self.kind,
            pc: self.last,
            instructions,
            size: self.size,
        };
        let stays = waits.valid.and(self.is_placed.not());
        let ended = WaitingEvent::mux(stays, cut_short(waits), event);
        let left = WaitingEvent {
            valid: stays,
            ..waits
        };
        WaitingEvent::mux(self.ends, ended, left)
    }
}

/// An event behind which an interrupt comes before an instruction retires.
#[named]
fn cut_short<T: Word>(event: WaitingEvent<T>) -> WaitingEvent<T> {
    let is_branch = event.begins.or(event.is_discontinuity).not();
    let size = event.size.extend(INSTRUCTIONS_W as u32).mask(is_branch);
    WaitingEvent {
        is_discontinuity: event.begins.not(),
        instructions: minus(event.instructions, size),
        ..event
    }
}
