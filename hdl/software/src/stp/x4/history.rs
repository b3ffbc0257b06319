// SPDX-License-Identifier: MIT OR Apache-2.0
//! The last nibbles up to any nibble of a word.

use crate::words::last_packed;
use coretrace_hdl_dataflow::{Word, join, mux_tree, mux4, named};

/// Nibbles of the longest field.
const FIELD: usize = 16;

/// Most nibbles of a field in the word that it begins in, behind one where another field ends: that one and an
/// opcode or a size come before it.
const BEHIND: usize = 6;

/// A number in two registers, the second one with its complement.
///
/// Multiplexers with common inputs share a part of them in synthesis, and then each takes more than one LUT. Those
/// that select by different registers share nothing.
#[derive(Clone, Copy)]
pub struct Twice<T>([T; 2]);

impl<T: Word> Twice<T> {
    /// Of a number, one register behind it.
    pub fn new(number: T) -> Twice<T> {
        Twice([number.reg(), number.not().reg()])
    }

    /// The number.
    pub fn plain(self) -> T {
        self.0[0]
    }

    /// The same with both.
    pub fn mux(bit: T, yes: Twice<T>, no: Twice<T>) -> Twice<T> {
        Twice([0, 1].map(|copy| bit.mux(yes.0[copy], no.0[copy])))
    }

    /// The same change to both.
    fn map(self, change: impl Fn(T) -> T) -> Twice<T> {
        Twice(self.0.map(change))
    }

    /// The nibble so many before the last one of the byte of this number.
    fn up_to(self, line: &[T], back: usize) -> T {
        let bytes: [T; 4] = std::array::from_fn(|byte| line[2 * (3 - byte) + back]);
        // Multiplexers that overlap by one byte or by two differ in the register of a bit.
        let copies = [back / 4 % 2, back / 2 % 2];
        let [low, high] = [0, 1].map(|bit| self.0[copies[bit]].bit(bit as u32));
        let flipped = copies[0] | copies[1] << 1;
        mux4(
            high.concat(low),
            std::array::from_fn(|select| bytes[select ^ flipped]),
        )
    }
}

/// The last 16 nibbles up to one of a word, if the word `stops` there. Behind that one, no field has nibbles from
/// before the word, so that what the next word sees of them does not matter. One register.
#[named]
pub fn history<T: Word>(nibbles: &[T], keeps: &[T], stops: T, number: Twice<T>) -> Window<T> {
    let now = stops.stage();
    let (held, next) = T::register(4 * FIELD as u32, now);
    let before: Vec<T> = (0..FIELD as u32)
        .map(|place| held.slice(4 * place, 4))
        .collect();
    let line: Vec<T> = nibbles.iter().rev().chain(&before).copied().collect();
    let before: Vec<T> = keeps.iter().map(|keep| keep.at_stage(now - 1)).collect();
    let last = Twice::new(last_packed(&before));
    let byte = Twice::mux(stops, number.map(|number| number.slice(1, 2)), last);
    let of_byte: Vec<T> = (0..=FIELD).map(|back| byte.up_to(&line, back)).collect();
    let behind = (0..BEHIND).map(|back| last.up_to(&line, back));
    let after = join(behind.chain(of_byte[BEHIND..FIELD].iter().copied()));
    T::set_next(next, keeps[0].at_stage(now).mux(after, held));
    Window {
        of_byte: of_byte.into_iter().map(T::reg).collect(),
        is_second: number.plain().bit(0).reg(),
    }
}

/// The last nibbles up to one, the latest one first: up to its byte, then up to it.
pub struct Window<T> {
    /// Up to the second nibble of its byte.
    of_byte: Vec<T>,
    /// It is that one.
    is_second: T,
}

#[named]
impl<T: Word> Window<T> {
    /// So many nibbles at most, all of them in the word and behind the first two. One register.
    pub fn short(nibbles: &[T], number: T, count: usize) -> Window<T> {
        let of_byte = (0..=count).filter_map(|back| {
            // The earliest byte that has so many of them, and those behind it.
            let bytes: Vec<T> = (1..=3)
                .filter_map(|byte: usize| (2 * byte + 1).checked_sub(back))
                .filter(|&place| place >= 2)
                .map(|place| nibbles[place])
                .collect();
            let first = *bytes.first()?;
            let missing = std::iter::repeat_n(first, 4 - bytes.len());
            let bytes: Vec<T> = missing.chain(bytes).collect();
            Some(mux_tree(&bytes, number.slice(1, 2), 2).reg())
        });
        Window {
            of_byte: of_byte.collect(),
            is_second: number.bit(0).reg(),
        }
    }

    /// The nibbles up to the one of the number, joined.
    pub fn value(&self, count: usize) -> T {
        let nibbles = (0..count).map(|back| match self.of_byte.get(back + 1) {
            Some(&earlier) => self.is_second.mux(self.of_byte[back], earlier),
            None => self.of_byte[back],
        });
        join(nibbles)
    }

    /// The same of other words.
    pub fn map(&self, with: impl Fn(T) -> T) -> Window<T> {
        Window {
            of_byte: self.of_byte.iter().map(|&nibble| with(nibble)).collect(),
            is_second: with(self.is_second),
        }
    }

    /// The same at a later stage.
    pub fn at_stage(&self, stage: u32) -> Window<T> {
        self.map(|word| word.at_stage(stage))
    }
}
