// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RecordGroups<4, 2>`: a result word of four lanes in, a row out: the tags of its records, all words
//! that they may have, and where each of these goes.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `start` | in | the source was enabled; a row of its own says so, with the next two lines in it |
//! | `source`, `settings` | in | [`SourceSettings`], [`RecordSettings`]. Steady |
//! | `valid`, `lost` | in | a result word is there; bytes were lost before it |
//! | `keep[4]`, `lane[4]`, `pair0`, `pair1` | in | lanes that have a byte; [`LaneResult`], [`PairResult`] |
//! | `row`, `row_valid` | out | [`GroupPlan`], [`GroupLane`] of each lane, [`GroupPair`] of each pair |
//! | `packets[2:0]`, `asyncs[2:0]`, `reserved_headers[2:0]`, `bad_sequences[2:0]` | out | records in the row, those left out among them; how many of them are A-Syncs, and errors of either kind |
//!
//! Only words with something to report make a group. The recurrence is the number of known address
//! registers, two bits. Latency 13 cycles. Throughput one word per cycle.
//! Source: `docs/records.md`; the rules are `coretrace_abi::record_stream` and
//! `coretrace_abi::record_filter`.

use super::counts::counts;
use super::filter::passes;
use super::known::clears_address_history;
use super::layouts::{GROUP_W, GroupLane, GroupPair, GroupPlan};
use super::settings::{RECORD_SETTINGS_W, RecordSettings};
use super::start::{put_start, start_words};
use coretrace_abi::record_stream::{AddressRule, BAD_SEQUENCE, Body, KnownAddresses, rules, tag};
use coretrace_etm::header::DISCARD;
use coretrace_hdl_dataflow::{
    Bus, Table, Word, any, clocked_block, join, layout, named, priority_mux,
};
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W, outcome};
use coretrace_hdl_etm::{LaneResult, PairResult, SOURCE_SETTINGS_W, SourceSettings};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

clocked_block! {
    /// Rows of records; see the module text.
    pub struct RecordGroups;
    inputs GroupsInputs {
        reset: Bit,
        start: Bit,
        source: Bus<SOURCE_SETTINGS_W>,
        settings: Bus<RECORD_SETTINGS_W>,
        valid: Bit,
        lost: Bit,
        pair0: Bus<PAIR_RESULT_W>,
        pair1: Bus<PAIR_RESULT_W>,
    }
    lane_inputs { keep: Bit, lane: Bus<LANE_RESULT_W>, }
    outputs GroupsOutputs {
        row: Bus<GROUP_W>,
        row_valid: Bit,
        packets: Bits<3>,
        asyncs: Bits<3>,
        reserved_headers: Bits<3>,
        bad_sequences: Bits<3>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel record_groups;
}

/// What the words of a body are made of.
mod source {
    pub const FIELD: u64 = 0;
    pub const LEAD: u64 = 1;
    pub const TIMESTAMP: u64 = 2;
    pub const CONTEXT: u64 = 3;
}

/// How a record gives its address.
mod address {
    pub const NONE: u64 = 0;
    pub const MATCH: u64 = 1;
    pub const LOW: u64 = 2;
    pub const ALL: u64 = 3;
}

layout! {
    /// The rules of a tag.
    struct RuleRow {
        /// How it gives its address; the register of an exact match.
        address: 2,
        register: 2,
        /// What its body is made of, and the words of the body; of a context without VMID and
        /// context ID.
        source: 2,
        words: 2,
        /// The place of a continuation field or of an error in the body; 3 for none.
        own_at: 2,
        /// It is an error.
        error: 1,
        /// No address register is known after it; in an ETE.
        clears_address_history: 1,
        forgets_ete: 1,
    }
}

static RULES: LazyLock<Table> = LazyLock::new(|| RuleRow::table(|tag| rule_row(tag as u8)));

/// No place in a body.
const NOWHERE: u64 = 3;

fn rule_row(tag: u8) -> RuleRow<u64> {
    let (rule, body) = rules(tag).unwrap_or((AddressRule::None, Body::None));
    let (address, register) = match rule {
        AddressRule::None => (address::NONE, 0),
        AddressRule::Match(register) => (address::MATCH, register),
        AddressRule::Low => (address::LOW, 0),
        AddressRule::All => (address::ALL, 0),
    };
    let (source, own_at) = match body {
        Body::Field | Body::Error => (source::FIELD, 0),
        Body::Lead | Body::LongLead => (source::LEAD, NOWHERE),
        Body::Plctl => (source::LEAD, 1),
        Body::Timestamp => (source::TIMESTAMP, NOWHERE),
        Body::TimestampField => (source::TIMESTAMP, 2),
        Body::Context => (source::CONTEXT, NOWHERE),
        Body::None | Body::Lost | Body::Start => (source::FIELD, NOWHERE),
    };
    let of_lane = !matches!(body, Body::Lost | Body::Start);
    RuleRow {
        address,
        register: register.into(),
        source,
        words: if of_lane { body.words(0) as u64 } else { 0 },
        own_at,
        error: (body == Body::Error).into(),
        clears_address_history: clears_address_history(tag, false).into(),
        forgets_ete: clears_address_history(tag, true).into(),
    }
}

/// The sum of two counts of up to 3, which stays at 3.
static SUMS: LazyLock<Table> =
    LazyLock::new(|| Table::new(2, |counts| (counts % 4 + counts / 4 % 4).min(3) as u64));

/// Words of an address, by its [`address`] rule, its register and the known registers.
static ADDRESS_WORDS: LazyLock<Table> = LazyLock::new(|| {
    Table::new(2, |index| {
        let register = (index / 4 % 4) as u8;
        let rule = match (index % 4) as u64 {
            address::NONE => AddressRule::None,
            address::MATCH => AddressRule::Match(register),
            address::LOW => AddressRule::Low,
            _ => AddressRule::All,
        };
        let known = KnownAddresses {
            count: (index / 16 % 4) as u8,
            ..KnownAddresses::default()
        };
        known.words(rule) as u64
    })
});

/// A lane, its tag and the rules of it.
struct Lane<T> {
    tag: T,
    rules: RuleRow<T>,
    small: T,
    is_small: T,
    address: T,
}

#[named]
fn lane<T: Word>(live: T, result: &LaneResult<T>, pair: &PairResult<T>) -> Lane<T> {
    let byte = |value: u8| T::constant(value.into(), 8);
    let lead0 = pair.lead_low.slice(0, 8);
    let ends = |code| result.outcome.is(code);
    let extension = lead0
        .is(DISCARD.into())
        .mux(byte(tag::DISCARD), byte(tag::OVERFLOW));
    let named = result.header.any().mux(result.header, extension);
    let bad = ends(outcome::BAD_SEQUENCE);
    let tag = priority_mux(
        &[
            (ends(outcome::PACKET), named),
            (ends(outcome::ASYNC), byte(tag::ASYNC)),
            (ends(outcome::RESERVED).or(bad), byte(tag::ERROR)),
            (result.field_ends, byte(tag::FIELD)),
        ],
        byte(tag::NONE),
    );
    let tag = tag.mask(live).reg();
    let rules = RuleRow::split(tag.rom(&RULES)).map(T::reg);
    let is_short = result.field_ends.and(result.field_is_short);
    let has_wide = result.field_ends.and(result.field_is_short.not());
    let field = result.octet.slice(0, 7).mask(is_short).extend(9);
    let error = bad.concat(bad.mux(lead0, result.header));
    debug_assert_eq!(BAD_SEQUENCE, 8);
    Lane {
        tag,
        small: rules.error.mux(error, field),
        is_small: has_wide.not().or(rules.error),
        address: result.address.slice(1, 63).concat(result.is1),
        rules,
    }
}

/// The words of a pair, and how many more its context has.
#[named]
fn words<T: Word>(lanes: &[Lane<T>], pair: &PairResult<T>) -> (GroupPair<T>, T) {
    let (a, b) = (&lanes[0].rules, &lanes[1].rules);
    let first = a.source.any();
    let source = first.mux(a.source, b.source).reg();
    let has_own = first.mux(a.own_at, b.own_at).is(NOWHERE).not().reg();
    let low = |value: T| value.slice(0, 32);
    let high = |value: T| value.slice(32, 32);
    let (has_vmid, has_cid) = (pair.info.bit(6), pair.info.bit(7));
    let (is_timestamp, is_context) = (source.is(source::TIMESTAMP), source.is(source::CONTEXT));
    let choose = |context, timestamp, lead| {
        priority_mux(&[(is_context, context), (is_timestamp, timestamp)], lead)
    };
    let is_long_lead = source.is(source::LEAD).and(has_own.not());
    let lead_or_field = is_long_lead.mux(pair.lead_high.extend(32), pair.field);
    let more = has_vmid.extend(2).add(has_cid.extend(2));
    let row = GroupPair {
        word0: choose(
            pair.info.extend(32),
            low(pair.timestamp),
            low(pair.lead_low),
        ),
        word1: choose(
            has_vmid.mux(pair.vmid, pair.cid),
            high(pair.timestamp),
            high(pair.lead_low),
        ),
        word2: choose(pair.cid, pair.field, lead_or_field),
    };
    (row.map(T::reg), more.mask(is_context).reg())
}

/// How many address registers are known before each lane; `clears` and `pushes` say what each
/// lane does, `restart` that none is known before them.
#[named]
fn known<T: Word>(mut restart: T, reset: T, clears_address_history: &[T], pushes: &[T]) -> Vec<T> {
    let sum = |a: T, b: T| b.concat(a).extend(8).rom(&SUMS);
    let mut count = T::constant(0, 2);
    let mut steps = Vec::new();
    for (&clears_address_history, &pushes) in clears_address_history.iter().zip(pushes) {
        steps.push((restart, count));
        restart = restart.or(clears_address_history).reg();
        count = sum(count, pushes.extend(2))
            .mask(clears_address_history.not())
            .reg();
    }
    let now = count.stage();
    let (before, held) = T::register(2, now);
    let after = |(restart, count): (T, T)| {
        restart
            .at_stage(now)
            .mux(count.at_stage(now), sum(before, count.at_stage(now)))
    };
    T::set_next(
        held,
        after((restart, count)).mask(reset.at_stage(now).not()),
    );
    steps.into_iter().map(after).collect()
}

/// Numbers the words of a row, tag word first, and counts its units.
#[named]
fn plan<T: Word>(lanes: &mut [GroupLane<T>], has_tags: T, lost: T) -> GroupPlan<T> {
    let words = |lane: usize| lanes[lane].words.extend(4);
    let (low, high) = (words(0).add(words(1)).reg(), words(2).add(words(3)).reg());
    let behind = [words(0), low, low.add(words(2))].map(|sum| sum.add_const(1).reg());
    for (lane, offset) in lanes[1..].iter_mut().zip(behind) {
        lane.offset = offset;
    }
    // The tag word makes up for what is one less.
    let last = low.add(high).reg();
    let more = last.slice(2, 2).extend(3).add(lost.extend(3));
    GroupPlan {
        more: more.mask(has_tags),
        tail: last.slice(0, 2),
        lost,
    }
}

#[named]
fn record_groups<T: Word, const N: usize, const P: usize>(
    i: GroupsInputs<T::Port, N>,
) -> GroupsOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1).reg();
    let (reset, start) = (bit(&i.reset), bit(&i.start));
    let valid = bit(&i.valid).and(start.not());
    let lost = valid.and(bit(&i.lost));
    let source = SourceSettings::<T>::unpack(&i.source).map(T::steady);
    let settings = RecordSettings::<T>::unpack(&i.settings);
    let filtered = settings.is_filtered().reg().steady();
    let settings = settings.map(T::steady);
    let full_addresses = settings.full_addresses.or(filtered);
    let pairs = [&i.pair0, &i.pair1].map(|port| PairResult::<T>::unpack(port).map(T::reg));
    let lanes: Vec<Lane<T>> = i
        .lane
        .iter()
        .zip(&i.keep)
        .enumerate()
        .map(|(number, (port, keep))| {
            let result = LaneResult::<T>::unpack(port).map(T::reg);
            lane(valid.and(bit(keep)), &result, &pairs[number / 2])
        })
        .collect();

    let clears_address_history: Vec<T> = lanes
        .iter()
        .map(|lane| {
            source
                .ete
                .mux(lane.rules.forgets_ete, lane.rules.clears_address_history)
                .reg()
        })
        .collect();
    let pushes: Vec<T> = lanes
        .iter()
        .map(|lane| lane.rules.address.any().and(full_addresses.not()).reg())
        .collect();
    let known = known(start.or(lost), reset, &clears_address_history, &pushes);

    let passes: Vec<T> = lanes
        .iter()
        .map(|lane| passes(lane.tag, lane.address, &settings))
        .collect();

    let mut row_pairs = Vec::new();
    let mut row_lanes = Vec::new();
    for (number, lane) in lanes.iter().enumerate() {
        let pair = number / 2;
        if number % 2 == 0 {
            row_pairs.push(words(&lanes[number..number + 2], &pairs[pair]));
        }
        let more = row_pairs[pair].1;
        let index = join([lane.rules.address, lane.rules.register, known[number]]);
        let address_words = index.extend(8).rom(&ADDRESS_WORDS).reg();
        let is_context = lane.rules.source.is(source::CONTEXT);
        let body_words = lane.rules.words.add(more.mask(is_context)).reg();
        let words = address_words.extend(3).add(body_words.extend(3));
        row_lanes.push(GroupLane {
            tag: lane.tag.mask(passes[number]),
            own_at: lane.rules.own_at,
            is_small: lane.is_small,
            small: lane.small,
            address_words,
            words: words.mask(passes[number]).reg(),
            offset: T::constant(1, 4),
            address: lane.address,
        });
    }
    let words = start_words(&source, full_addresses, filtered);
    put_start(start, words, &mut row_lanes, &mut row_pairs[0].0);
    let tagged: Vec<T> = row_lanes.iter().map(|lane| lane.tag.any()).collect();
    let plan = plan(&mut row_lanes, any(&tagged), lost);
    let row_valid = any(&tagged).or(lost);
    let records: Vec<(T, T)> = lanes.iter().map(|lane| (lane.tag, lane.small)).collect();
    let counts = counts(&records);
    let mut row = plan.pack();
    row.extend(row_lanes.into_iter().flat_map(GroupLane::pack));
    row.extend(row_pairs.into_iter().flat_map(|(pair, _)| pair.pack()));
    GroupsOutputs {
        row,
        row_valid: vec![row_valid],
        packets: vec![counts.packets],
        asyncs: vec![counts.asyncs],
        reserved_headers: vec![counts.reserved_headers],
        bad_sequences: vec![counts.bad_sequences],
    }
}
