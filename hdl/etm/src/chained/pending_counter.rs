// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PendingCounter`: how many bytes have come in since the last record.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset`, `valid`, `discontinuity` | in | as of the word |
//! | `pending` | in | bytes without a record before the word |
//! | `action[N]`, `keep[N]` | in | [`Action`] of each lane: does a record end there; bytes that count |
//! | `after` | out | `pending` for the next word; saturates |
//!
//! Combinational; the caller keeps `pending` in a register and hands it out with the word, so that
//! the length of every record is known, and unread bytes are never lost silently. Bytes before
//! a discontinuity are in `pending` of the word that has the flag, and counted no further.

use crate::layouts::{ACTION_W, Action};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use rust_hdl::prelude::*;

kernel_block! {
    /// Counts bytes since the last record; see the module text.
    pub struct PendingCounter;
    inputs PendingInputs {
        reset: Bit,
        valid: Bit,
        discontinuity: Bit,
        pending: Bits<32>,
    }
    lane_inputs { action: Bus<ACTION_W>, keep: Bit, }
    outputs PendingOutputs { after: Bits<32>, }
    lane_outputs {}
    kernel pending_counter;
}

/// Bits of a count of lanes.
const LANES_W: u32 = 5;

fn pending_counter<T: Word, const N: usize>(i: PendingInputs<T::Port, N>) -> PendingOutputs<T, N> {
    let valid = T::field(&i.valid, 0, 1);
    let pending = T::field(&i.pending, 0, 32);
    let mut since = T::constant(0, LANES_W);
    let mut ended = T::constant(0, 1);
    for lane in 0..N {
        let keep = T::field(&i.keep[lane], 0, 1).and(valid);
        let ends = Action::<T>::unpack(&i.action[lane]).outcome.any().and(keep);
        since = since.add(keep.extend(LANES_W)).mask(ends.not());
        ended = ended.or(ends);
    }
    let restart = ended.or(valid.and(T::field(&i.discontinuity, 0, 1)));
    let sum = pending.mask(restart.not()).extend(33).add(since.extend(33));
    let next = sum
        .bit(32)
        .mux(T::constant(0xFFFF_FFFF, 32), sum.slice(0, 32));
    PendingOutputs {
        after: vec![next.mask(T::field(&i.reset, 0, 1).not())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::settle;

    #[test]
    fn the_count_stops_at_its_greatest_value() {
        let mut counter = PendingCounter::<4>::default();
        counter.connect_all();
        counter.valid.next = true;
        counter.keep.iter_mut().for_each(|keep| keep.next = true);
        for (pending, after) in [
            (0, 4),
            (0xFFFF_FFFB, 0xFFFF_FFFF),
            (0xFFFF_FFFE, 0xFFFF_FFFF),
        ] {
            counter.pending.next = Bits::from(pending);
            settle(&mut counter);
            assert_eq!(counter.after.val().to_u64(), after, "{pending:#x}");
        }
    }
}
