// SPDX-License-Identifier: MIT OR Apache-2.0
//! `JumpTable`: which state follows a word, for every state before it.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `cfg`, `lenient` | in | [`DecoderConfig`](crate::layouts::DecoderConfig); error policy: 0 resync, 1 lenient |
//! | `flags_in`, `octet[N]`, `lane_in[N]` | in | a word, as from the gearbox |
//! | `rows` | out | the state after the word for each state of [`state`], lowest code first |
//! | `next_restarts` | out | the next word is read without the state before it |
//! | `next_after_loss` | out | that, because bytes were lost |
//! | `resume` | out | what a word with `lost` starts with: 0 waiting for an A-Sync, 1 a header |
//! | `flags`, `octet_out[N]`, `lane[N]`, `predecode[N]` | out | the word, and [`Predecode`](super::layouts::Predecode) of each byte |
//!
//! Feed-forward. Element `j` of the arrays of this module is the state after the word
//! if that item starts at lane `j`; so each lane follows from the lanes after it. One lane per
//! cycle, the last one first. Two facts keep the states few:
//! - The ninth byte of a timestamp has eight bytes with bit 7 set before it, and its header has
//!   bit 7 clear: a window over the bytes finds it.
//! - An A-Sync ends whatever packet it is in, so that it is found by a window too.

use super::lanes_of;
use super::layouts::{LANE_FLAGS_W, PREDECODE_W, ROWS_W, WORD_FLAGS_W};
use super::predecode::{self, Lane};
use super::state::{self, STATE_W, STATES};
use crate::layouts::CONFIG_W;
use coretrace_hdl_dataflow::{
    Bus, Table, Word, all, clocked_block, latest, layout, mux_tree, mux4, named, priority_mux,
};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

clocked_block! {
    /// The jump table of a word; see the module text.
    pub struct JumpTable;
    inputs TableInputs { cfg: Bus<CONFIG_W>, lenient: Bit, flags_in: Bus<WORD_FLAGS_W>, }
    lane_inputs { octet: Bits<8>, lane_in: Bus<LANE_FLAGS_W>, }
    outputs TableOutputs {
        rows: Bus<ROWS_W>,
        next_restarts: Bit,
        next_after_loss: Bit,
        resume: Bit,
        flags: Bus<WORD_FLAGS_W>,
    }
    lane_outputs { octet_out: Bits<8>, lane: Bus<LANE_FLAGS_W>, predecode: Bus<PREDECODE_W>, }
    pair_outputs {}
    kernel jump_table;
}

#[named]
fn code<T: Word>(value: u64) -> T {
    T::constant(value, STATE_W as u32)
}

/// The arrays of the module text. Those of fields and bytes have a second index: how many.
struct Arrays<T> {
    /// A header.
    header: Vec<T>,
    /// The zeros of an A-Sync.
    zeros: Vec<T>,
    /// PLCTL.
    plctl: Vec<T>,
    /// A timestamp, and one with a field.
    time: Vec<T>,
    time_field: Vec<T>,
    /// One field, two fields, and so on.
    fields: [Vec<T>; state::MAX_FIELDS],
    /// The context information byte.
    info: Vec<T>,
    /// A header behind the last A-Sync of the word.
    synced: T,
}

/// Which array element follows a header: group and member.
struct Route<T> {
    group: T,
    member: T,
}

layout! {
    /// The route that a state is on, as far as the state decides it.
    struct RouteEntry {
        group: 3,
        member: 2,
        /// The member goes up by one if the byte after the header says that another one follows:
        /// bit 7, or the first byte of an exception.
        by_more: 1,
        by_exception: 1,
        /// The byte after header 0x00.
        extension: 1,
    }
}

/// Group and member of `header_at`.
fn place(code: u64) -> (u64, u64) {
    match code {
        state::UNSYNC => (0, 3),
        state::EXTENSION | state::SHORT | state::EXCEPTION => (0, 1),
        state::PLCTL => (2, 3),
        state::TIMESTAMP => (3, 2),
        state::TIMESTAMP_FIELD => (3, 3),
        state::SHORT_FIELD => (4, 0),
        _ if code == state::bytes(1) => (0, 1),
        _ if code == state::bytes(4) => (1, 0),
        _ if code == state::bytes(8) => (1, 1),
        _ if code == state::bytes(9) => (1, 2),
        _ if code == state::bytes_field(4) => (1, 3),
        _ if code == state::bytes_info(0) => (2, 0),
        _ if code == state::bytes_info(4) => (2, 1),
        _ if code == state::bytes_info(8) => (2, 2),
        _ if code == state::fields(1) => (3, 0),
        _ if code == state::fields(2) => (3, 1),
        _ => (0, 0),
    }
}

static ROUTES: LazyLock<Table> = LazyLock::new(|| {
    RouteEntry::table(|code| {
        let code = code as u64;
        let (group, member) = place(code);
        RouteEntry {
            group,
            member,
            by_more: matches!(code, state::SHORT | state::SHORT_FIELD).into(),
            by_exception: (code == state::EXCEPTION).into(),
            extension: (code == state::EXTENSION).into(),
        }
    })
});

/// The route of a header, from the state that it starts and the byte after it.
#[named]
fn route<T: Word>(start: T, next: &Lane<T>, lenient: T) -> Route<T> {
    let entry = RouteEntry::split(start.extend(8).rom(&ROUTES));
    let goes_on = entry
        .by_more
        .and(next.more())
        .or(entry.by_exception.and(next.predecode.more_exception));
    let is_zero = entry.extension.and(next.predecode.is_zero);
    let fails = all(&[
        entry.extension,
        next.predecode.extends.or(next.predecode.is_zero).not(),
        lenient.not(),
    ]);
    let constant = |value: u64| T::constant(value, 2);
    // An A-Sync's zeros are member 2 of group 4; members 1 and 2 are those of one byte more.
    let more = entry.member.bit(0).mux(constant(2), constant(1));
    let member = priority_mux(
        &[
            (goes_on, more),
            (is_zero, constant(2)),
            (fails, constant(3)),
        ],
        entry.member,
    );
    let group = is_zero.mux(T::constant(4, 3), entry.group);
    Route {
        group: group.reg(),
        member: member.reg(),
    }
}

#[named]
impl<T: Word> Arrays<T> {
    /// The elements behind the last lane of a word of `lanes` bytes: the states themselves.
    fn behind(lanes: usize) -> Arrays<T> {
        let ends = |first: u64, more: &dyn Fn(usize) -> u64, count: usize| -> Vec<T> {
            let mut list = vec![code::<T>(state::UNSYNC); lanes];
            list.push(code(first));
            list.extend((1..=count).map(|k| code::<T>(more(k))));
            list
        };
        let alone = |value: u64| ends(value, &|_| value, 0);
        Arrays {
            header: ends(state::HEADER, &state::bytes, state::MAX_BYTES),
            zeros: alone(state::ASYNC),
            plctl: alone(state::PLCTL),
            time: alone(state::TIMESTAMP),
            time_field: alone(state::TIMESTAMP_FIELD),
            fields: std::array::from_fn(|index| {
                let more = if index == 0 {
                    state::MAX_BYTES_FIELD
                } else {
                    0
                };
                ends(state::fields(index + 1), &state::bytes_field, more)
            }),
            info: ends(
                state::bytes_info(0),
                &state::bytes_info,
                state::MAX_BYTES_INFO,
            ),
            synced: code(state::HEADER),
        }
    }

    /// `count` fields from lane `j` on; none: a header.
    fn fields_at(&self, count: usize, j: usize) -> T {
        match count.checked_sub(1) {
            None => self.header[j],
            Some(index) => self.fields[index][j],
        }
    }

    /// The element of a header at lane `j`.
    fn header_at(&self, j: usize, route: &Route<T>) -> T {
        let e = |k: usize| self.header[j + k];
        let info = |k: usize| self.info[j + k];
        let field = |k: usize| self.fields[0][j + k];
        let groups = [
            mux4(route.member, [e(1), e(2), e(3), code(state::UNSYNC)]),
            mux4(route.member, [e(5), e(9), e(10), field(5)]),
            mux4(route.member, [info(1), info(5), info(9), self.plctl[j + 1]]),
            mux4(
                route.member,
                [
                    field(1),
                    self.fields[1][j + 1],
                    self.time[j + 1],
                    self.time_field[j + 1],
                ],
            ),
        ];
        let rare = mux4(
            route.member,
            [field(2), field(3), self.zeros[j + 2], self.zeros[j + 2]],
        );
        let often = mux4(route.group.slice(0, 2), groups);
        route.group.bit(2).mux(rare, often)
    }

    /// Puts in the elements of lane `j`; `next` is the lane behind it, if there is one.
    fn add_lane(&mut self, j: usize, lane: &Lane<T>, next: Option<&Lane<T>>, lenient: T) {
        let after = self.header[j + 1];
        let more = lane.more();
        let info = lane.by_info_bytes(|bytes| self.header[j + 1 + bytes]);
        let by_count: Vec<T> = (0..=state::MAX_FIELDS)
            .map(|count| self.fields_at(count, j + 1))
            .collect();
        let plctl = mux_tree(&by_count, lane.plctl_fields(), 3);
        let zeros = lane
            .predecode
            .is_zero
            .mux(self.zeros[j + 1], lenient.mux(after, code(state::UNSYNC)));
        let fields: [T; state::MAX_FIELDS] = std::array::from_fn(|index| {
            more.mux(self.fields[index][j + 1], self.fields_at(index, j + 1))
        });
        let time = lane.predecode.more_time.mux(self.time[j + 1], after);
        let time_field = lane
            .predecode
            .more_time
            .mux(self.time_field[j + 1], self.fields[0][j + 1]);
        let header = match next {
            Some(next) => self.header_at(j, &route(lane.predecode.start, next, lenient)),
            None => lane.predecode.start,
        };
        // The elements of the first lane have the output register after them.
        let keep = |word: T| if j == 0 { word } else { word.reg() };
        self.info[j] = keep(info);
        self.plctl[j] = keep(plctl);
        self.zeros[j] = keep(zeros);
        self.time[j] = keep(time);
        self.time_field[j] = keep(time_field);
        for (array, element) in self.fields.iter_mut().zip(fields) {
            array[j] = keep(element);
        }
        self.header[j] = keep(header);
    }
}

/// The rows of the table, by state.
#[named]
fn rows<T: Word>(arrays: &Arrays<T>, first: &Lane<T>, restart: T, lenient: T) -> Vec<T> {
    let e = |k: usize| arrays.header[k];
    let mut rows = vec![code(state::UNSYNC); STATES];
    let mut put = |state: u64, row: T| rows[state as usize] = row;
    put(state::RESTART, restart);
    put(state::HEADER, e(0));
    let failed = lenient.mux(e(1), code(state::UNSYNC));
    let extension = priority_mux(
        &[
            (first.predecode.extends, e(1)),
            (first.predecode.is_zero, arrays.zeros[1]),
        ],
        failed,
    );
    put(state::EXTENSION, extension);
    put(state::ASYNC, arrays.zeros[0]);
    put(state::PLCTL, arrays.plctl[0]);
    put(state::SHORT, first.more().mux(e(2), e(1)));
    put(
        state::EXCEPTION,
        first.predecode.more_exception.mux(e(2), e(1)),
    );
    let field = |k: usize| arrays.fields[0][k];
    put(state::SHORT_FIELD, first.more().mux(field(2), field(1)));
    put(state::TIMESTAMP, arrays.time[0]);
    put(state::TIMESTAMP_FIELD, arrays.time_field[0]);
    for count in 1..=state::MAX_FIELDS {
        put(state::fields(count), arrays.fields[count - 1][0]);
    }
    for count in 1..=state::MAX_BYTES_FIELD {
        put(state::bytes_field(count), field(count));
    }
    for count in 1..=state::MAX_BYTES {
        put(state::bytes(count), e(count));
    }
    for count in 0..=state::MAX_BYTES_INFO {
        put(state::bytes_info(count), arrays.info[count]);
    }
    rows
}

#[named]
fn jump_table<T: Word, const N: usize, const P: usize>(
    i: TableInputs<T::Port, N>,
) -> TableOutputs<T, N, P> {
    let lenient = T::field(&i.lenient, 0, 1).steady();
    let word = predecode::word(&i.cfg, lenient, &i.flags_in, &i.octet, &i.lane_in);
    let (flags, lanes, hit, resume) = (word.flags, word.lanes, word.hit, word.resume);

    let mut arrays = Arrays::behind(N);
    let mut later_hit = T::constant(0, 1);
    for j in (0..N).rev() {
        arrays.add_lane(j, &lanes[j], lanes.get(j + 1), lenient);
        let synced = later_hit.mux(arrays.synced, arrays.header[j + 1]);
        arrays.synced = if j == 0 { synced } else { synced.reg() };
        later_hit = later_hit.or(lanes[j].predecode.hit).reg();
    }
    let unread = resume.mux(arrays.header[0], code(state::UNSYNC));
    let restart = hit.mux(arrays.synced, unread);
    let rows = rows(&arrays, &lanes[0], restart, lenient);
    // What the state register must know of the next word.
    let end = latest(rows.iter().copied());
    let behind = |flag: T| flag.and(flags.valid).at_stage(end - 1).next_word();
    TableOutputs {
        rows,
        next_restarts: vec![behind(hit.or(flags.lost))],
        next_after_loss: vec![behind(flags.lost)],
        resume: vec![resume],
        flags: flags.pack(),
        octet_out: lanes_of(lanes.iter().map(|lane| vec![lane.octet]).collect()),
        lane: lanes_of(lanes.iter().map(|lane| lane.flags.pack()).collect()),
        predecode: lanes_of(
            lanes
                .into_iter()
                .map(|lane| lane.predecode.pack())
                .collect(),
        ),
    }
}
