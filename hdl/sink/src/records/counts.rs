// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the counters of a core add up for a row.

use coretrace_abi::record_stream::{BAD_SEQUENCE, tag};
use coretrace_hdl_dataflow::{Word, count_ones, join, named};

/// Records of a row, those that a filter drops among them. Three bits each.
pub(super) struct Counts<T> {
    pub packets: T,
    pub asyncs: T,
    pub reserved_headers: T,
    pub bad_sequences: T,
}

/// Counts the records of lanes by their tags and, for errors, the words of their bodies.
#[named]
pub(super) fn counts<T: Word>(lanes: &[(T, T)]) -> Counts<T> {
    let count = |holds: &dyn Fn(T, T) -> T| {
        let bits = lanes.iter().map(|&(tag, body)| holds(tag, body));
        count_ones(join(bits))
    };
    let is_error = |tag: T| tag.is(tag::ERROR.into());
    Counts {
        // A continuation field is a part of the packet that follows.
        packets: count(&|tag, _| tag.any().and(tag.is(tag::FIELD.into()).not())),
        asyncs: count(&|tag, _| tag.is(tag::ASYNC.into())),
        reserved_headers: count(&|tag, body| is_error(tag).and(body.bit(BAD_SEQUENCE).not())),
        bad_sequences: count(&|tag, body| is_error(tag).and(body.bit(BAD_SEQUENCE))),
    }
}
