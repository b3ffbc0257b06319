// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ByteRecord`: the result of a one-byte decoder as a record.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `lane`, `pair` | in | [`LaneResult`] and [`PairResult`] |
//! | `known[1:0]` | in | address registers that the reader knows |
//! | `ete` | in | the source is an ETE |
//! | `exists` | out | the result has a tag |
//! | `is_async`, `is_error` | out | it is an A-Sync; an error |
//! | `tag[7:0]` | out | tag |
//! | `known_after[1:0]` | out | address registers that the reader knows then |
//! | `mask[4:0]` | out | which of the five words the tag has, in this order |
//! | `address_low`, `address_high`, `body_0` to `body_2` | out | the words, 32 bits each |
//!
//! Combinational. The rules are those of `coretrace_abi::record_stream`.

use super::known::clears_address_history;
use coretrace_abi::record_stream::{AddressRule, BAD_SEQUENCE, Body, rules, tag};
use coretrace_etm::header;
use coretrace_hdl_dataflow::{Bus, Table, Word, any, join, kernel_block, layout, priority_mux};
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W, outcome};
use coretrace_hdl_etm::{LaneResult, PairResult};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

kernel_block! {
    /// What is sent of a result; see the module text.
    pub struct ByteRecord;
    inputs ByteRecordInputs {
        lane: Bus<LANE_RESULT_W>,
        pair: Bus<PAIR_RESULT_W>,
        known: Bits<2>,
        ete: Bit,
    }
    lane_inputs {}
    outputs ByteRecordOutputs {
        exists: Bit,
        is_async: Bit,
        is_error: Bit,
        tag: Bits<8>,
        known_after: Bits<2>,
        mask: Bits<5>,
        address_low: Bits<32>,
        address_high: Bits<32>,
        body_0: Bits<32>,
        body_1: Bits<32>,
        body_2: Bits<32>,
    }
    lane_outputs {}
    kernel byte_record;
}

layout! {
    /// The rules of a tag.
    struct TagRow {
        /// The address rule is [`AddressRule::Match`].
        is_match: 1,
        /// It is [`AddressRule::Low`].
        is_low: 1,
        /// It is [`AddressRule::All`].
        is_all: 1,
        /// The register of a match.
        register: 2,
        /// No address register is known after it; in an ETE.
        clears_address_history: 1,
        forgets_ete: 1,
        /// See [`body`].
        body: 4,
    }
}

/// Numbers of the bodies that a result can have.
mod body {
    pub const NONE: u64 = 0;
    pub const FIELD: u64 = 1;
    pub const LEAD: u64 = 2;
    pub const LONG_LEAD: u64 = 3;
    pub const PLCTL: u64 = 4;
    pub const TIMESTAMP: u64 = 5;
    pub const TIMESTAMP_FIELD: u64 = 6;
    pub const CONTEXT: u64 = 7;
    pub const ERROR: u64 = 8;
}

fn tag_row(tag: u8) -> TagRow<u64> {
    let (address, words) = rules(tag).unwrap_or((AddressRule::None, Body::None));
    TagRow {
        is_match: matches!(address, AddressRule::Match(_)).into(),
        is_low: (address == AddressRule::Low).into(),
        is_all: (address == AddressRule::All).into(),
        register: match address {
            AddressRule::Match(register) => register.into(),
            _ => 0,
        },
        clears_address_history: clears_address_history(tag, false).into(),
        forgets_ete: clears_address_history(tag, true).into(),
        body: match words {
            // No result is a LOST.
            Body::None | Body::Lost => body::NONE,
            Body::Field => body::FIELD,
            Body::Lead => body::LEAD,
            Body::LongLead => body::LONG_LEAD,
            Body::Plctl => body::PLCTL,
            Body::Timestamp => body::TIMESTAMP,
            Body::TimestampField => body::TIMESTAMP_FIELD,
            Body::Context => body::CONTEXT,
            Body::Error => body::ERROR,
        },
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| TagRow::table(|tag| tag_row(tag as u8)));

/// The tag of a result that has one.
fn tag_of<T: Word>(result: &LaneResult<T>) -> T {
    let tags = |tag: u8| T::constant(tag.into(), 8);
    let is = |value: u64| result.outcome.is(value);
    let is_error = is(outcome::RESERVED).or(is(outcome::BAD_SEQUENCE));
    let is_extension = result.header.is(0);
    let is_discard = is_extension.and(result.octet.is(header::DISCARD.into()));
    priority_mux(
        &[
            (is(outcome::ASYNC), tags(tag::ASYNC)),
            (is_error, tags(tag::ERROR)),
            (is(outcome::NONE), tags(tag::FIELD)),
            (is_discard, tags(tag::DISCARD)),
            (is_extension, tags(tag::OVERFLOW)),
        ],
        result.header,
    )
}

/// The registers that the reader knows after the tag: `KnownAddresses::count` in hardware.
fn known_after<T: Word>(known: T, clears_address_history: T, has_address: T) -> T {
    let one_more = has_address.and(known.is(3).not());
    known
        .add(one_more.extend(2))
        .mask(clears_address_history.not())
}

fn byte_record<T: Word, const N: usize>(
    i: ByteRecordInputs<T::Port, N>,
) -> ByteRecordOutputs<T, N> {
    let result = LaneResult::<T>::unpack(&i.lane);
    let pair = PairResult::<T>::unpack(&i.pair);
    let known = T::field(&i.known, 0, 2);
    let is = |value: u64| result.outcome.is(value);
    let tag = tag_of(&result);
    let row = TagRow::split(tag.rom(&TABLE));

    let has_address = any(&[row.is_match, row.is_low, row.is_all]);
    let is_new = row.is_match.and(row.register.lt(known).not());
    let low = any(&[is_new, row.is_low, row.is_all]);
    let high = any(&[is_new, row.is_low.and(known.any().not()), row.is_all]);

    let ete = T::field(&i.ete, 0, 1);
    let clears_address_history = ete.mux(row.forgets_ete, row.clears_address_history);

    let short = result.octet.slice(0, 7).extend(32);
    let field = result.field_is_short.mux(short, pair.field);
    let field = field.mask(result.field_ends);
    let is_bad = is(outcome::BAD_SEQUENCE);
    let wrong = is_bad.mux(pair.lead_low.slice(0, 8), result.header);
    let error = is_bad.concat(wrong.extend(BAD_SEQUENCE)).extend(32);
    let has = |number: u64| row.body.is(number);
    let has_timestamp = has(body::TIMESTAMP).or(has(body::TIMESTAMP_FIELD));
    let (has_long, has_context) = (has(body::LONG_LEAD), has(body::CONTEXT));
    let body_0 = priority_mux(
        &[
            (has(body::FIELD), field),
            (has_timestamp, pair.timestamp.slice(0, 32)),
            (has_context, pair.info.extend(32)),
            (has(body::ERROR), error),
        ],
        pair.lead_low.slice(0, 32),
    );
    let body_1 = priority_mux(
        &[
            (has(body::PLCTL), field),
            (has_timestamp, pair.timestamp.slice(32, 32)),
            (has_context, pair.vmid),
        ],
        pair.lead_low.slice(32, 32),
    );
    let body_2 = priority_mux(
        &[(has(body::TIMESTAMP_FIELD), field), (has_context, pair.cid)],
        pair.lead_high.extend(32),
    );
    let second = any(&[
        has(body::PLCTL),
        has_timestamp,
        has_long,
        has_context.and(pair.info.bit(6)),
    ]);
    let third = any(&[
        has(body::TIMESTAMP_FIELD),
        has_long,
        has_context.and(pair.info.bit(7)),
    ]);
    ByteRecordOutputs {
        exists: vec![result.outcome.any().or(result.field_ends)],
        is_async: vec![is(outcome::ASYNC)],
        is_error: vec![is_bad.or(is(outcome::RESERVED))],
        tag: vec![tag],
        known_after: vec![known_after(known, clears_address_history, has_address)],
        mask: vec![join([low, high, has(body::NONE).not(), second, third])],
        address_low: vec![result.address.slice(1, 31).concat(result.is1)],
        address_high: vec![result.address.slice(32, 32)],
        body_0: vec![body_0],
        body_1: vec![body_1],
        body_2: vec![body_2],
    }
}
