// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first packet that ends in a word: only this one can have nibbles from before the word.

use super::super::layouts::{COUNT_W, Packet};
use super::super::table::size_entry;
use super::super::trace_state::lacked;
use super::history::{Twice, Window, history};
use super::opcode::{Opcode, opcode};
use super::roles::Role;
use super::spans::{Said, Spans};
use coretrace_hdl_dataflow::{Table, Word, join, named};
use std::sync::LazyLock;

/// Nibbles of the longest data or timestamp that begins and ends in a word behind another part of its packet.
const SHORT_DATA: usize = 4;
const SHORT_STAMP: usize = 6;

/// The nibbles of a timestamp, by its size.
static SIZES: LazyLock<Table> =
    LazyLock::new(|| Table::new(COUNT_W as u32, |nibble| size_entry(nibble as u8 % 16).left));

/// The first packet.
pub struct First<T> {
    /// Its parts, as far as they are read.
    pub packet: Packet<T>,
    /// For each nibble of a timestamp whether it does not have that one.
    pub lacks: Vec<T>,
    /// Its opcode, [`CODE_W`](super::layouts::CODE_W) bits.
    pub code: T,
    /// What that says.
    pub opcode: Opcode<T>,
}

/// What is said of the packet: in the word, or else before it.
#[named]
fn part<T: Word>(first: &Said<T>, rest: &Said<T>) -> T {
    let (said, stage) = (rest.value(), rest.is_there.stage());
    let (held, next) = T::register(said.width(), stage);
    T::set_next(next, rest.is_there.mux(said, held));
    first.value().or(held.mask(first.is_there.not()))
}

/// The same word of the input before.
fn previous<T: Word>(of: T) -> T {
    let (held, next) = T::register(of.width(), of.stage());
    T::set_next(next, of);
    held
}

/// Where the data of the packet ends, and of the one that goes on.
struct DataEnds<T> {
    /// In the word: `value` has it.
    in_word: T,
    /// In the word, in the packet that goes on behind another one.
    in_rest: T,
}

/// The data of the packet, with nibbles from before it above.
#[named]
fn data<T: Word>(value: T, ends: DataEnds<T>, rest: &Window<T>) -> T {
    let now = value.stage();
    let (held, next) = T::register(64, now);
    let in_rest = previous(ends.in_rest.at_stage(now));
    let rest = rest.at_stage(now).map(previous).value(SHORT_DATA);
    let (low, high) = (value.slice(0, rest.width()), rest.width());
    let low = ends.in_word.mux(low, rest);
    let new = value.slice(high, 64 - high).concat(low);
    let after = ends.in_word.or(in_rest).mux(new, held);
    T::set_next(next, after);
    after.reg()
}

/// The first packet that ends in a word, five registers behind its `spans`.
#[named]
pub fn first<T: Word>(roles: &[Role<T>], keeps: &[T], spans: &Spans<T>) -> First<T> {
    let now = spans.end.is_there.stage();
    let at_now = |words: &[T]| words.iter().map(|it| it.at_stage(now)).collect::<Vec<T>>();
    let nibbles = at_now(&roles.iter().map(|role| role.nibble).collect::<Vec<T>>());
    let Spans { end, first, rest } = spans;
    let code = part(&first.opcode, &rest.opcode).reg();
    let size = part(&first.size, &rest.size).reg();
    let opcode = opcode(code).map(T::reg);
    let stamp_nibbles = size.extend(8).rom(&SIZES).reg().mask(opcode.is_stamped);

    // Data and a timestamp may end in the same word. Then the data is the one that may have begun before it.
    let data_ends = first.data.is_there;
    let number = Twice::mux(data_ends, first.data.number, end.number);
    let stops = data_ends.or(end.is_there);
    let value = history(&nibbles, keeps, stops, number).value(16).reg();
    let now = value.stage();
    let data_ends = data_ends.at_stage(now);
    let is_stamped = opcode.is_stamped.at_stage(now);
    let ends = DataEnds {
        in_word: data_ends.or(end.is_there.at_stage(now).and(is_stamped.not())),
        in_rest: rest.data.is_there.and(end.is_there),
    };
    let rest = Window::short(&nibbles, rest.data.number.plain(), SHORT_DATA);
    let data = data(value, ends, &rest);
    let lacks = opcode.lacks.at_stage(data.stage());
    // Data has 1, 2, 4, 8 or 16 nibbles.
    let groups = [(0, 4), (4, 4), (8, 8), (16, 16), (32, 32)]
        .into_iter()
        .zip(0..);
    let data = join(groups.map(|((low, width), group)| {
        let nibbles = data.slice(low, width);
        nibbles.mask(lacks.bit(group).not()).reg()
    }));

    let short = Window::short(&nibbles, end.number.plain(), SHORT_STAMP);
    let short = short.at_stage(now).value(SHORT_STAMP);
    let low = data_ends.mux(short, value.slice(0, short.width()));
    let stamp = value.slice(short.width(), 64 - short.width()).concat(low);
    let stamp_nibbles = stamp_nibbles.at_stage(now);
    let lacks = lacked(stamp_nibbles);
    let stamp = (0..).zip(&lacks).map(|(place, lacks)| {
        let nibble = stamp.slice(4 * place, 4);
        nibble.mask(lacks.not()).reg()
    });
    let stamp = join(stamp);

    let now = data.stage();
    First {
        packet: Packet {
            data,
            stamp_nibbles: stamp_nibbles.at_stage(now),
            stamp: stamp.at_stage(now),
        },
        lacks: lacks.iter().map(|it| it.at_stage(now)).collect(),
        code: code.at_stage(now),
        opcode: opcode.map(|bit| bit.at_stage(now)),
    }
}
