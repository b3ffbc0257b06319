// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the packets of a record stream begin and end, decided before the words of a row are
//! counted: a reader of a packet knows no address register of the packet before.

use coretrace_abi::record_stream::tag;
use coretrace_hdl_dataflow::{Word, all, any, named, priority_mux};

/// Bits of the number of cycles without a result after which a packet ends.
const REST_W: u32 = 9;

/// What is known when the tags of a word are.
pub(super) struct Now<T> {
    pub reset: T,
    /// The source was enabled.
    pub start: T,
    /// There is a result word; bytes were lost before it.
    pub valid: T,
    pub lost: T,
    /// The packet has many words.
    pub full: T,
    /// End the packet soon.
    pub flush: T,
    /// The source is enabled.
    pub active: T,
}

/// What becomes of the packet.
pub(super) struct Boundaries<T> {
    /// A packet begins with the records of this word, or of a later one.
    pub begins: T,
    /// The packet ends, in a cycle without a word.
    pub ends: T,
}

/// A bit that holds its value from cycle to cycle.
struct Bit<T: Word> {
    q: T,
    d: T::RegisterHandle,
}

impl<T: Word> Bit<T> {
    fn new(stage: u32) -> Self {
        let (q, d) = T::register(1, stage);
        Bit { q, d }
    }
}

/// The boundaries; `tags` are those of the lanes, before any filter. A packet of the stream never
/// ends between a continuation field and the record that it belongs to, unless the source is
/// disabled and there will be no such record.
#[named]
pub(super) fn boundaries<T: Word>(tags: &[T], now: &Now<T>) -> Boundaries<T> {
    let stage = tags[0].stage();
    let at = |word: T| word.at_stage(stage);
    let (start, valid, lost) = (at(now.start), at(now.valid), at(now.lost));
    let (full, flush, active) = (at(now.full), at(now.flush), at(now.active));
    let go = at(now.reset).not();
    let busy = valid.or(start);

    let field = Bit::<T>::new(stage);
    let last: Vec<(T, T)> = tags
        .iter()
        .rev()
        .map(|tag| (tag.any(), tag.is(tag::FIELD.into())))
        .collect();
    let after = priority_mux(&last, field.q.and(lost.not()));
    T::set_next(field.d, all(&[after, start.not(), go]));
    let inside = field.q.and(active);

    let (rest, rest_next) = T::register(REST_W, stage);
    let rested = rest.not().any().not();
    let counted = rested.mux(rest, rest.add_const(1));
    T::set_next(rest_next, counted.mask(busy.not().and(go)));

    let quiet = Bit::<T>::new(stage);
    let asked = Bit::<T>::new(stage);
    let wants = rested.or(asked.q);
    let ends = all(&[wants, busy.not(), quiet.q.not(), inside.not()]);
    T::set_next(quiet.d, all(&[quiet.q.or(ends), busy.not(), go]));
    T::set_next(
        asked.d,
        all(&[flush.or(asked.q), ends.not(), quiet.q.not(), go]),
    );

    let full_before = Bit::<T>::new(stage);
    T::set_next(full_before.d, full);
    let pending = Bit::<T>::new(stage);
    let begins = all(&[valid, pending.q, inside.not().or(lost)]);
    let new = any(&[ends, full.and(full_before.q.not())]);
    let stays = pending.q.and(begins.not());
    T::set_next(pending.d, all(&[new.or(stays), start.not(), go]));
    Boundaries { begins, ends }
}
