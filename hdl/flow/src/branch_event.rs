// SPDX-License-Identifier: MIT OR Apache-2.0
//! Branch events between the parts of `BranchPlace`.

use coretrace_abi::branch_table::{ADDRESS_BITS, KIND_BITS};
use coretrace_hdl_dataflow::{Word, all, layout, named};

/// Bits of an address.
const ADDRESS_W: usize = ADDRESS_BITS as usize;
/// Bits of a number of instructions.
pub const INSTRUCTIONS_W: usize = 32;

layout! {
    /// An event, as compressors take it. The model is `BranchStep` of `coretrace-sites`.
    pub struct BranchEvent {
        valid: 1,
        /// The program begins at `next_pc`.
        begins: 1,
        pc: ADDRESS_W,
        next_pc: ADDRESS_W,
        kind: KIND_BITS as usize,
        taken: 1,
        is_discontinuity: 1,
        instructions: INSTRUCTIONS_W,
    }
}

impl<T: Word> BranchEvent<T> {
    /// Of its fields, in their order.
    fn of(fields: &[T]) -> Self {
        let [
            valid,
            begins,
            pc,
            next_pc,
            kind,
            taken,
            is_discontinuity,
            instructions,
        ] = *fields
        else {
            panic!("{} fields", fields.len());
        };
        BranchEvent {
            valid,
            begins,
            pc,
            next_pc,
            kind,
            taken,
            is_discontinuity,
            instructions,
        }
    }
}

/// Puts one event out in a cycle: the second one of a cycle waits for a cycle without one. `live`: there is no
/// reset.
#[named]
pub fn one_at_a_time<T: Word>(
    first: BranchEvent<T>,
    second: BranchEvent<T>,
    live: T,
) -> BranchEvent<T> {
    let now = first.valid.stage();
    let registers = first
        .pack()
        .into_iter()
        .map(|field| T::register(field.width(), now));
    let (waiting, waiting_next): (Vec<T>, Vec<T::RegisterHandle>) = registers.unzip();
    let waits = BranchEvent::of(&waiting);
    let newest = BranchEvent::mux(first.valid, first, second);
    let both = first.valid.and(second.valid);
    let kept = BranchEvent::mux(both, second, newest);
    let stays = both.or(waits.valid.and(newest.valid));
    let kept = BranchEvent {
        valid: stays.and(live),
        ..kept
    };
    for (next, field) in waiting_next.into_iter().zip(kept.pack()) {
        T::set_next(next, field);
    }
    let sent = BranchEvent::mux(waits.valid, waits, newest);
    BranchEvent {
        valid: all(&[sent.valid, live]),
        ..sent
    }
}
