// SPDX-License-Identifier: MIT OR Apache-2.0
//! One byte of the stream state, once the state before it is known.

use super::layouts::Predecode;
use super::predecode::{self, Lane};
use super::state::{self, STATE_W};
use crate::layouts::outcome;
use coretrace_hdl_dataflow::{Table, Word, any, layout, mux4, named, priority_mux};
use std::sync::LazyLock;

/// Which bit says whether the item goes on.
pub(crate) mod more {
    pub const BIT7: u64 = 0;
    pub const TIME: u64 = 1;
    pub const EXCEPTION: u64 = 2;
    pub const ZERO: u64 = 3;
    pub const NEVER: u64 = 4;
}

layout! {
    struct StepEntry {
        /// Next state if the item ends, and if it goes on.
        ends: STATE_W,
        goes_on: STATE_W,
        /// Which bit says so.
        more: 3,
        /// A byte of a packet behind its header, and not behind header 0x00.
        payload: 1,
        /// Failing to go on is an error.
        strict: 1,
        /// A part of the packet ends with the item.
        part: 1,
    }
}

/// What can follow a state whose next state the byte alone does not decide.
pub(crate) struct Follows {
    /// Next state if the item ends, and if it goes on.
    pub ends: u64,
    pub goes_on: u64,
    /// Which bit says so.
    pub more: u64,
}

/// What follows a state.
pub(crate) fn entry(code: u64) -> Follows {
    let table = |ends, goes_on, more| Follows {
        ends,
        goes_on,
        more,
    };
    let fixed = |after| table(after, after, more::NEVER);
    match code {
        state::ASYNC => return table(state::UNSYNC, state::ASYNC, more::ZERO),
        state::SHORT => return table(state::HEADER, state::bytes(1), more::BIT7),
        state::EXCEPTION => return table(state::HEADER, state::bytes(1), more::EXCEPTION),
        state::SHORT_FIELD => {
            return table(state::fields(1), state::bytes_field(1), more::BIT7);
        }
        state::TIMESTAMP => return table(state::HEADER, state::TIMESTAMP, more::TIME),
        state::TIMESTAMP_FIELD => {
            return table(state::fields(1), state::TIMESTAMP_FIELD, more::TIME);
        }
        _ => {}
    }
    let found = |list: &dyn Fn(usize) -> u64, max: usize| (1..=max).find(|&k| list(k) == code);
    if let Some(count) = found(&state::fields, state::MAX_FIELDS) {
        table(state::fields(count - 1), code, more::BIT7)
    } else if let Some(count) = found(&state::bytes_field, state::MAX_BYTES_FIELD) {
        fixed(state::bytes_field(count - 1))
    } else if let Some(count) = found(&state::bytes, state::MAX_BYTES) {
        fixed(state::bytes(count - 1))
    } else if let Some(count) = found(&state::bytes_info, state::MAX_BYTES_INFO) {
        fixed(state::bytes_info(count - 1))
    } else {
        fixed(state::UNSYNC)
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    StepEntry::table(|code| {
        let code = code as u64;
        let follows = entry(code);
        let lone = [
            state::RESTART,
            state::UNSYNC,
            state::HEADER,
            state::EXTENSION,
            state::ASYNC,
        ];
        let ends_part = [
            state::HEADER,
            state::PLCTL,
            state::SHORT_FIELD,
            state::TIMESTAMP_FIELD,
            state::bytes_field(1),
        ];
        let is_field = (1..=state::MAX_FIELDS).any(|count| state::fields(count) == code);
        StepEntry {
            ends: follows.ends,
            goes_on: follows.goes_on,
            more: follows.more,
            payload: (!lone.contains(&code) && code < state::STATES as u64).into(),
            strict: (code == state::ASYNC).into(),
            part: (is_field || ends_part.contains(&code)).into(),
        }
    })
});

/// What a byte does.
pub(crate) struct Step<T> {
    /// State after it.
    pub after: T,
    /// How a record ends with it.
    pub outcome: T,
    pub is_header: T,
    /// The next byte is the first one of its part.
    pub part_ends: T,
}

/// What a byte can lead to, whatever the state before it.
pub(crate) struct NextStates<T> {
    predecode: Predecode<T>,
    /// Whether an item goes on, by kind of item.
    pub(crate) more: [T; 4],
    /// State after it by [`state::by_byte`].
    pub(crate) after: [T; 4],
    failed: T,
}

#[named]
impl<T: Word> NextStates<T> {
    pub(crate) fn new(lane: &Lane<T>, lenient: T) -> NextStates<T> {
        let code = |value: u64| T::constant(value, STATE_W as u32);
        let failed = lenient.mux(code(state::HEADER), code(state::UNSYNC));
        // These come from the predecode a cycle later: it is narrower than a state.
        let late = Lane {
            predecode: lane.predecode.map(T::reg),
            ..*lane
        };
        let not_zero = late.predecode.extends.mux(code(state::HEADER), failed);
        let info = late.by_info_bytes(|count| code(state::bytes(count)));
        let extension = late.predecode.is_zero.mux(code(state::ASYNC), not_zero);
        let mut by_byte = [
            (state::HEADER, lane.predecode.start),
            (state::bytes_info(0), info),
            (state::PLCTL, predecode::after_plctl(lane.octet).reg()),
            (state::EXTENSION, extension),
        ];
        by_byte.sort_by_key(|(code, _)| state::by_byte(*code));
        NextStates {
            more: [
                lane.more(),
                lane.predecode.more_time,
                lane.predecode.more_exception,
                lane.predecode.is_zero,
            ],
            after: by_byte.map(|(_, after)| after),
            failed,
            predecode: lane.predecode,
        }
    }

    /// What the byte does in this state.
    pub(crate) fn step(&self, before: T) -> Step<T> {
        let entry = StepEntry::split(before.extend(8).rom(&TABLE));
        let more = mux4(entry.more.slice(0, 2), self.more).and(entry.more.bit(2).not());
        let ends = entry.strict.mux(self.failed, entry.ends);
        let by_table = more.mux(entry.goes_on, ends);
        let by_byte = mux4(before.slice(0, 2), self.after);
        let is_by_byte = before.slice(2, STATE_W as u32 - 2).is(1);
        let next = is_by_byte.mux(by_byte, by_table);
        let code = |value: u64| T::constant(value, STATE_W as u32);
        let after = self.predecode.hit.mux(code(state::HEADER), next).reg();

        // How a record ends: what it would be, and a cycle later whether it is.
        let header = before.is(state::HEADER);
        let extension = before.is(state::EXTENSION);
        let reserved = header.and(self.predecode.error).reg();
        let bad = any(&[
            extension.and(self.predecode.extends.or(self.predecode.is_zero).not()),
            entry.strict.and(self.predecode.is_zero.not()),
        ])
        .reg();
        let may_end = any(&[entry.payload, header, extension.and(self.predecode.extends)]).reg();
        let packet = may_end.and(after.is(state::HEADER));
        let outcome = |value: u64| T::constant(value, 3);
        let ended = priority_mux(
            &[
                (self.predecode.hit, outcome(outcome::ASYNC)),
                (reserved, outcome(outcome::RESERVED)),
                (bad, outcome(outcome::BAD_SEQUENCE)),
                (packet, outcome(outcome::PACKET)),
            ],
            outcome(outcome::NONE),
        );
        Step {
            after,
            outcome: ended.reg(),
            is_header: header,
            part_ends: entry.part.and(more.not()).reg(),
        }
    }
}
