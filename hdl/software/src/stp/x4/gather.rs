// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data and timestamps, put together from nibbles.
//!
//! Only the first packet that ends in a word can have nibbles from before it. So each field has one register of
//! its full width, which is shifted once in a word: by what the word has of that first packet. Fields of the
//! packets behind it are read from the word alone.

use super::super::layouts::{COUNT_W, Packet};
use super::super::table::size_entry;
use super::roles::Role;
use crate::input::of_next;
use crate::words::at_first;
use coretrace_hdl_dataflow::{Table, Word, any, mux4, named};
use std::sync::LazyLock;

/// Bits of a number of nibbles of a word.
const SHIFT_W: u32 = 4;
/// Bits of a word.
const WORD_W: u32 = 32;
/// A shift that leaves nothing.
const NOTHING: u64 = 3;

/// The nibbles of a timestamp, by its size.
static SIZES: LazyLock<Table> =
    LazyLock::new(|| Table::new(COUNT_W as u32, |nibble| size_entry(nibble as u8 % 16).left));

/// A field in a word.
struct Field<T> {
    /// What the first packet that ends has of it; the whole word if none ends.
    first: T,
    /// How many nibbles that is: modulo four, and by four.
    near: T,
    far: T,
    /// The same by four, or [`NOTHING`] if a packet ends.
    kept_far: T,
    /// What the last packet that ends in a byte has of it in this word.
    by_byte: Vec<T>,
    /// What the word has of the packet that goes on behind it.
    rest: T,
}

/// The packets of a word.
pub struct Gathered<T> {
    /// The first one that ends, or the one that goes on.
    pub first: Packet<T>,
    /// For each byte the packet that ends there, as far as it is in the word.
    pub by_byte: Vec<Packet<T>>,
}

/// The nibbles of a byte that belong to a field: how many, and which. `puts` says it for both.
fn put<T: Word>(puts: [T; 2], nibbles: [T; 2]) -> (T, T) {
    let [first, second] = puts;
    let both = first.and(second);
    let high = nibbles[0].mask(both);
    let low = second.mux(nibbles[1], nibbles[0].mask(first));
    (both.concat(first.xor(second)), high.concat(low))
}

/// Sums of a number of nibbles and, in the bits above it, those of one more byte: as a table, without a carry chain.
static SUMS: LazyLock<Table> =
    LazyLock::new(|| Table::new(SHIFT_W, |pair| (pair as u64 % 16 + pair as u64 / 16) % 16));

/// Two registers.
#[named]
fn field<T: Word>(ends: &[T], puts: &[[T; 2]], nibbles: &[[T; 2]]) -> Field<T> {
    let puts = puts.iter().zip(nibbles).map(|(&puts, &nibbles)| {
        let (count, value) = put(puts, nibbles);
        (count.reg(), value.reg())
    });
    let puts: Vec<(T, T)> = puts.collect();
    let ends: Vec<T> = ends.iter().map(|end| end.reg()).collect();
    let mut by_byte: Vec<T> = Vec::new();
    let mut counts: Vec<T> = Vec::new();
    for (byte, &(count, value)) in puts.iter().enumerate() {
        let (grown, total) = match byte.checked_sub(1) {
            None => (value, count.extend(SHIFT_W)),
            Some(before) => {
                let kept = by_byte[before].mask(ends[before].not());
                let width = kept.width() + 8;
                let one = kept.concat(value.slice(0, 4)).extend(width);
                let grown = mux4(count, [kept.extend(width), one, kept.concat(value), one]);
                (grown, count.concat(counts[before]).extend(8).rom(&SUMS))
            }
        };
        by_byte.push(grown);
        counts.push(total);
    }
    let width = by_byte.last().expect("a byte").width();
    let wide: Vec<T> = by_byte.iter().map(|value| value.extend(width)).collect();
    let (last_end, last) = (ends[ends.len() - 1], wide[wide.len() - 1]);
    let count = at_first(&ends, &counts);
    let nothing = T::constant(NOTHING, 2);
    Field {
        first: at_first(&ends, &wide).reg(),
        near: count.slice(0, 2).reg(),
        far: count.slice(2, 2).reg(),
        kept_far: any(&ends).mux(nothing, count.slice(2, 2)).reg(),
        rest: last.mask(last_end.not()).reg(),
        by_byte: by_byte.into_iter().map(T::reg).collect(),
    }
}

/// A value with so many nibbles behind it, which are 0.
fn shifted<T: Word>(value: T, nibbles: u32) -> T {
    match 4 * nibbles {
        0 => value,
        bits => value
            .slice(0, value.width() - bits)
            .concat(T::constant(0, bits)),
    }
}

/// A field of the first packet that ends. `goes_on` says that the next word does not restart.
#[named]
fn first_value<T: Word>(field: &Field<T>, any_ends: T, goes_on: T) -> T {
    let (held, next) = T::register(64, field.first.stage());
    let near = mux4(field.near, [0, 1, 2, 3].map(|it| shifted(held, it)));
    let far = [0, 4, 8].map(|it| shifted(near, it));
    let moved = |by: T| mux4(by, [far[0], far[1], far[2], T::constant(0, 64)]);
    let value = moved(field.far).or(field.first.extend(64));
    // If no packet ends, what goes on is what the word has of the first one.
    let low = moved(field.kept_far).slice(0, WORD_W).or(field.rest);
    let high = value.slice(WORD_W, 64 - WORD_W).mask(any_ends.not());
    T::set_next(next, high.concat(low).mask(goes_on));
    value
}

/// The packets of a word, two registers behind the roles of its nibbles.
#[named]
pub fn gathered<T: Word>(roles: &[[Role<T>; 2]], restarts: T) -> Gathered<T> {
    let ends: Vec<T> = roles
        .iter()
        .map(|both| both[0].outcome.any().or(both[1].outcome.any()))
        .collect();
    let nibbles: Vec<[T; 2]> = roles.iter().map(|both| both.map(|it| it.nibble)).collect();
    let data: Vec<[T; 2]> = roles
        .iter()
        .map(|both| both.map(|it| it.puts_data))
        .collect();
    let stamp: Vec<[T; 2]> = roles
        .iter()
        .map(|both| both.map(|it| it.puts_stamp))
        .collect();
    let data = field(&ends, &data, &nibbles);
    let stamp = field(&ends, &stamp, &nibbles);

    let sizes: Vec<(T, T)> = roles
        .iter()
        .map(|both| {
            let size = both[0].puts_size.mux(both[0].nibble, both[1].nibble).reg();
            let is_new = both[0].puts_size.or(both[1].puts_size).reg();
            (is_new, size.extend(8).rom(&SIZES))
        })
        .collect();
    let ends: Vec<T> = ends.into_iter().map(T::reg).collect();
    let now = ends[0].stage();
    let (held, next) = T::register(COUNT_W as u32, now);
    let mut size = held;
    let mut by_byte = Vec::new();
    for (&end, (is_new, new)) in ends.iter().zip(sizes) {
        size = is_new.mux(new, size);
        by_byte.push(size);
        size = size.mask(end.not());
    }
    let sizes = by_byte;
    T::set_next(next, size.mask(of_next(restarts, now).not()));

    let any_ends = any(&ends).reg();
    let goes_on = of_next(restarts, any_ends.stage()).not();
    let first = Packet {
        data: first_value(&data, any_ends, goes_on),
        stamp_nibbles: at_first(&ends, &sizes).reg(),
        stamp: first_value(&stamp, any_ends, goes_on),
    };
    let packets = sizes
        .into_iter()
        .zip(data.by_byte.iter().zip(&stamp.by_byte));
    let by_byte = packets.map(|(size, (&data, &stamp))| Packet {
        data,
        stamp_nibbles: size.reg(),
        stamp,
    });
    Gathered {
        first,
        by_byte: by_byte.collect(),
    }
}
