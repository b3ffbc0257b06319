// SPDX-License-Identifier: MIT OR Apache-2.0
//! The heads of packets, from the trace state that the rows before them report.
//!
//! The state changes with the last unit of a row, and a head is sent before the row that its packet
//! begins with. Each value is a register behind a multiplexer: nothing is added to it.

use super::group_sequencer::UnitSelect;
use super::group_words::WORDS;
use super::layouts::{GroupLane, GroupPair, GroupPlan, LANES};
use super::start::{StartWords, taken_start};
use coretrace_abi::record_stream::{AddressRule, Body, MAGIC, head, rules, tag};
use coretrace_etm::packet::ete_exception_kind;
use coretrace_etm::{HEADERS, Kind};
use coretrace_hdl_dataflow::{Table, Word, all, any, layout, mux4, named, priority_mux};
use std::sync::LazyLock;

layout! {
    /// What a tag changes in the trace state.
    pub(super) struct Change {
        /// The newest address register.
        address: 1,
        timestamp: 1,
        context: 1,
        /// Everything.
        trace_info: 1,
        /// It is an exception, which may set the newest address register to 0.
        exception: 1,
        field: 1,
        is_async: 1,
        error: 1,
    }
}

pub(super) static CHANGES: LazyLock<Table> =
    LazyLock::new(|| Change::table(|tag| change(tag as u8)));

fn change(tag: u8) -> Change<u64> {
    let (rule, body) = rules(tag).unwrap_or((AddressRule::None, Body::None));
    let kind = HEADERS[usize::from(tag)].kind;
    let is = |value: bool| u64::from(value && rules(tag).is_some());
    let trace_info = body == Body::Plctl;
    Change {
        address: is(rule != AddressRule::None || trace_info),
        timestamp: is(matches!(body, Body::Timestamp | Body::TimestampField)),
        context: is(body == Body::Context),
        trace_info: is(trace_info),
        exception: is(kind == Kind::Exception),
        field: is(tag == tag::FIELD),
        is_async: is(tag == tag::ASYNC),
        error: is(tag == tag::ERROR),
    }
}

/// Whether an exception of an ETE has no address, by bits 5:1 of its first byte.
pub(super) static HAS_NO_ADDRESS: LazyLock<Table> = LazyLock::new(|| {
    Table::new(1, |number| {
        u64::from(number < 32 && ete_exception_kind((number << 1) as u8).is_some())
    })
});

/// The last lane of those with a bit set, and whether there is one.
#[named]
fn last<T: Word>(bits: &[T; LANES]) -> (T, T) {
    let high = bits[3].or(bits[2]);
    let low = bits[3].or(bits[1].and(bits[2].not()));
    (high.concat(low), any(bits))
}

/// A value of the state and how it changes.
pub(super) struct Held<T: Word> {
    pub value: T,
    next: T::RegisterHandle,
}

impl<T: Word> Held<T> {
    pub fn new(width: u32, stage: u32) -> Self {
        let (value, next) = T::register(width, stage);
        Held { value, next }
    }

    /// Sets the next value: that of the first case that holds, or the one now.
    pub fn change(self, cases: &[(T, T)], keeps: T) -> T {
        let now = self.value.stage();
        let next = priority_mux(cases, self.value);
        T::set_next(self.next, next.mask(keeps.at_stage(now)));
        self.value
    }
}

/// The four words of a unit of a head, undefined for another unit.
#[named]
pub(super) fn head_words<T: Word>(row: &T::Port, select: &UnitSelect<T>, reset: T) -> [T; WORDS] {
    let lane_at = |lane: usize| GroupPlan::WIDTH + lane * GroupLane::WIDTH;
    let pair_at = |pair: usize| lane_at(LANES) + pair * GroupPair::WIDTH;
    let plan = GroupPlan::<T>::unpack(row);
    let lanes: [GroupLane<T>; LANES] =
        std::array::from_fn(|lane| GroupLane::unpack_at(row, lane_at(lane)));
    let pairs: [GroupPair<T>; LANES / 2] =
        std::array::from_fn(|pair| GroupPair::unpack_at(row, pair_at(pair)));

    let done = select.valid.and(select.last);
    let starts = done.and(plan.starts).reg().reg();
    let now = starts.stage();
    let go = reset.at_stage(now).not();
    let keeps = starts.not().and(go);
    let changes: [Change<T>; LANES] = lanes.map(|lane| {
        let change = Change::split(lane.tag.rom(&CHANGES));
        change.map(|bit| bit.and(done).reg())
    });
    let of_pair = |pair: usize, field: fn(&Change<T>) -> T| {
        field(&changes[2 * pair]).or(field(&changes[2 * pair + 1]))
    };

    // The source.
    let source: StartWords<T> = taken_start(&lanes, &pairs[0]).map(|word| {
        let held = Held::new(32, now);
        held.change(&[(starts, word.at_stage(now))], go)
    });
    let flags = source[0];
    let (lenient, ete) = (flags.bit(head::LENIENT), flags.bit(head::ETE));

    // The address: of the last lane that changes it.
    let sets = changes.map(|change| change.address);
    let with_zeros = std::array::from_fn(|lane: usize| {
        let number = pairs[lane / 2].word0.slice(1, 5).extend(8);
        let zero = number.rom(&HAS_NO_ADDRESS).reg();
        sets[lane].or(changes[lane].exception.and(zero))
    });
    let (lane, any_lane) = last(&sets);
    let (lane_zero, any_zero) = last(&with_zeros);
    let lane = ete.mux(lane_zero.reg(), lane.reg());
    let sets = ete.mux(any_zero.reg(), any_lane.reg());
    let address = |low: u32| {
        let halves = lanes.map(|lane| lane.address.slice(low, 32).at_stage(now));
        Held::new(32, now).change(&[(sets, mux4(lane, halves))], keeps)
    };
    let address = [address(0), address(32)];

    // Timestamp and context: of the last pair that changes them.
    let zero = |width: u32| T::constant(0, width);
    let of_pairs = |width: u32, value: &dyn Fn(usize) -> (T, T)| {
        let cases: Vec<(T, T)> = [1, 0]
            .into_iter()
            .flat_map(|pair| {
                let (sets, value) = value(pair);
                let clears = of_pair(pair, |change| change.trace_info).reg();
                [(sets.reg(), value.at_stage(now)), (clears, zero(width))]
            })
            .collect();
        Held::new(width, now).change(&cases, keeps)
    };
    let timestamps = |pair| of_pair(pair, |change| change.timestamp);
    let contexts = |pair| of_pair(pair, |change| change.context);
    let announces = |pair: usize, bit: u32| contexts(pair).and(pairs[pair].word0.bit(bit).reg());
    let timestamp = [
        of_pairs(32, &|pair| (timestamps(pair), pairs[pair].word0)),
        of_pairs(32, &|pair| (timestamps(pair), pairs[pair].word1)),
    ];
    let info = of_pairs(8, &|pair| (contexts(pair), pairs[pair].word0.slice(0, 8)));
    let vmid = of_pairs(32, &|pair| (announces(pair, 6), pairs[pair].word1));
    let cid = of_pairs(32, &|pair| (announces(pair, 7), pairs[pair].word2));

    // The threshold: the last field but the window, so the one before it is needed too.
    let fields: [T; LANES] = std::array::from_fn(|lane| {
        let wide = pairs[lane / 2].word2;
        let GroupLane {
            is_small, small, ..
        } = lanes[lane];
        is_small.mux(small.extend(32), wide).reg().reg()
    });
    let is_field = changes.map(|change| change.field.reg());
    let (lane, any_field) = last(&is_field);
    let field = Held::new(32, now).change(&[(any_field, mux4(lane, fields))], keeps);
    let mut before = field;
    let mut cases = Vec::new();
    for lane in 0..LANES {
        let plctl = pairs[lane / 2].word0.slice(0, 5).at_stage(now);
        let value = plctl.bit(4).mux(before, fields[lane]).mask(plctl.bit(3));
        let is_trace_info = changes[lane].trace_info.reg();
        cases.insert(0, (is_trace_info.reg(), value.reg()));
        before = is_field[lane].mux(fields[lane], before);
    }
    let later = now + 1;
    let threshold = Held::new(32, later).change(&cases, keeps.reg());

    // Suspect: since the last A-Sync of a lane; a loss comes before them.
    let lost = plan.lost.and(done).reg().reg();
    let mut cases: Vec<(T, T)> = changes
        .iter()
        .rev()
        .map(|change| {
            let event = change.is_async.or(change.error);
            (event.reg(), change.error.reg().and(lenient))
        })
        .collect();
    cases.push((lost, lenient));
    let suspect = Held::new(1, now).change(&cases, keeps);

    // What the heads themselves change.
    let is_last = all(&[select.valid, select.head, select.number.is(3)]);
    let is_last = is_last.reg().reg();
    let is_start = Held::new(1, now).change(&[(starts, T::constant(1, 1)), (is_last, zero(1))], go);
    let (number, next) = T::register(32, now);
    let after = is_last.mux(number.add_const(1), number);
    T::set_next(next, after.mask(go));

    let words = words(&State {
        source,
        is_start,
        number,
        suspect,
        address,
        timestamp,
        info,
        vmid,
        cid,
        threshold,
    });
    std::array::from_fn(|slot| {
        let of_units = std::array::from_fn(|unit| words[WORDS * unit + slot]);
        mux4(select.number, of_units).reg()
    })
}

/// What a head says.
pub(super) struct State<T> {
    pub source: StartWords<T>,
    pub is_start: T,
    pub number: T,
    pub suspect: T,
    pub address: [T; 2],
    pub timestamp: [T; 2],
    pub info: T,
    pub vmid: T,
    pub cid: T,
    pub threshold: T,
}

/// The words of a head.
#[named]
pub(super) fn words<T: Word>(state: &State<T>) -> [T; head::WORDS] {
    let [flags, registers @ ..] = state.source;
    let of_state = state.is_start.concat(state.suspect);
    let of_state = of_state.concat(T::constant(0, head::SUSPECT)).extend(32);
    let flags = flags.or(of_state).or(state.info.extend(32));
    let mut words = [T::constant(MAGIC.into(), 32); head::WORDS];
    words[head::FLAGS] = flags;
    words[head::NUMBER] = state.number;
    words[head::REGISTERS..head::ADDRESS].copy_from_slice(&registers);
    words[head::ADDRESS..head::TIMESTAMP].copy_from_slice(&state.address);
    words[head::TIMESTAMP..head::VMID].copy_from_slice(&state.timestamp);
    words[head::VMID] = state.vmid;
    words[head::CID] = state.cid;
    words[head::THRESHOLD] = state.threshold;
    words
}
