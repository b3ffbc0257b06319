// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Distributor`: entries in, segments for two walkers out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: walker 0 is the next, no flow waits for its end |
//! | `returns` | in | the trace unit leaves out the targets of returns; steady: one walker gets everything |
//! | `valid`, `entry` | in | an [`Entry`](super::Entry) |
//! | `taken[2]` | in | this walker takes a segment from its FIFO in this cycle |
//! | `m_valid[2]`, `segment[2]` | out | a [`Segment`](super::Segment) for the FIFO of this walker |
//!
//! An address begins a segment. It goes to the walker with fewer segments in its FIFO, in turns where they
//! have the same; what follows up to the next address goes to the same walker. The address of a segment
//! also ends the one before, and so goes to the walker of that one too: in front of the next segment of
//! this walker, so that it costs no cycle. Where counters are read and at gaps it goes at once, and a
//! read-out goes to both walkers: each has then walked all that is before it.
//!
//! The address behind a Trace Info is where the program is, as a rule, and begins none; nor does the one
//! of an exception.
//!
//! `N` is 2; `P` bits of the difference between the FIFOs, two more than of a place in one.
//!
//! Latency 1 cycle. Throughput one entry per cycle.

use super::item::{ENTRY_W, Entry, MOST_SITE_W, REASON_W};
use super::segment::{SEGMENT_W, Segment, whole};
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, join, layout, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// Distributes segments; see the module text.
    pub struct Distributor;
    inputs DistributorInputs { reset: Bit, returns: Bit, valid: Bit, entry: Bus<ENTRY_W>, }
    lane_inputs { taken: Bit, }
    outputs DistributorOutputs {}
    lane_outputs { m_valid: Bit, segment: Bus<SEGMENT_W>, }
    pair_outputs {}
    kernel distributor;
}

layout! {
    /// What ends a flow.
    struct End {
        loaded: 1,
        damaged: 1,
        is_jump: 1,
        site: MOST_SITE_W,
    }
}

#[named]
fn distributor<T: Word, const N: usize, const P: usize>(
    i: DistributorInputs<T::Port, N>,
) -> DistributorOutputs<T, N, P> {
    let live = T::field(&i.reset, 0, 1).not();
    let returns = T::field(&i.returns, 0, 1);
    let valid = T::field(&i.valid, 0, 1).and(live);
    let word = T::field(&i.entry, 0, ENTRY_W as u32);
    let entry = Entry::split(word);
    let now = valid.stage();
    let flag = || T::register(1, now);

    // Segments that wait for walker 0, less those for walker 1.
    let bits = P as u32;
    let (ahead, ahead_next) = T::register(bits, now);
    let (sent_0, sent_0_next) = flag();
    let (sent_1, sent_1_next) = flag();
    let [taken_0, taken_1] = [&i.taken[0], &i.taken[1]].map(|port| T::field(port, 0, 1));
    let more = sent_0.extend(bits).add(taken_1.extend(bits));
    let fewer = sent_1.extend(bits).add(taken_0.extend(bits));
    // The complement is one less than the negative.
    let sum = ahead.add(more).add(fewer.not()).add_const(1);
    T::set_next(ahead_next, sum.mask(live));
    let (has_fewer_1, has_fewer_1_next) = flag();
    let (has_fewer_0, has_fewer_0_next) = flag();
    let is_negative = ahead.bit(bits - 1);
    T::set_next(has_fewer_0_next, is_negative);
    T::set_next(has_fewer_1_next, ahead.any().and(is_negative.not()));

    // The walker of the segment that goes on, and what the other one does not know.
    let (current, current_next) = flag();
    let (owes, owes_next) = flag();
    let (owed, owed_next) = T::register(End::WIDTH as u32, now);
    let own = End {
        loaded: entry.loaded,
        damaged: entry.damaged,
        is_jump: entry.is_jump,
        site: entry.site,
    };
    let begins = all(&[
        entry.has_address,
        entry.forgets.not(),
        entry.pops.not(),
        returns.not(),
    ]);
    let chosen = has_fewer_1.or(has_fewer_0.not().and(current.not()));
    let walker = begins.mux(chosen, current);
    let changes = walker.xor(current);

    let end = End::mux(changes, End::split(owed), own);
    let of_entry = Segment {
        entry: join(
            Entry {
                damaged: end.damaged,
                is_jump: end.is_jump,
                ..entry
            }
            .pack(),
        ),
        ends: changes.mux(owes, entry.has_address),
        cuts: begins,
        end_loaded: end.loaded,
        end_site: end.site,
    };
    let left_over = End::mux(changes, own, End::split(owed));
    let remains = changes.or(owes);
    let informs = entry.reads_out.or(entry.gap.any());
    let zero = |width: usize| T::constant(0, width as u32);
    let nothing = Entry::split(zero(ENTRY_W));
    let alone = Entry {
        has_address: remains,
        damaged: left_over.damaged,
        is_jump: left_over.is_jump,
        reads_out: entry.reads_out,
        gap: zero(REASON_W),
        ..nothing
    };
    let of_end = Segment {
        ends: remains,
        cuts: T::constant(1, 1),
        end_loaded: left_over.loaded,
        end_site: left_over.site,
        ..whole(join(alone.pack()))
    };
    let ends_alone = all(&[valid, informs, any(&[remains, entry.reads_out])]);
    T::set_next(current_next, valid.mux(walker, current).and(live));
    let owes_behind = valid.mux(remains.and(informs.not()), owes);
    T::set_next(owes_next, owes_behind.and(live));
    let owed_behind = valid.and(changes).mux(join(own.pack()), owed);
    T::set_next(owed_next, owed_behind);

    let valids = [walker.mux(ends_alone, valid), walker.mux(valid, ends_alone)];
    T::set_next(sent_0_next, valids[0]);
    T::set_next(sent_1_next, valids[1]);
    let is_entry = [walker.not(), walker];
    DistributorOutputs {
        m_valid: std::array::from_fn(|lane| vec![valids[lane]]),
        segment: std::array::from_fn(|lane| Segment::mux(is_entry[lane], of_entry, of_end).pack()),
    }
}
