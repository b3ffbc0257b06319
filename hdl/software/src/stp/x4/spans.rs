// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where in a word the parts of packets are.
//!
//! Two packets of a word matter: the first one that ends, which may have begun in any word before it, and the
//! one that goes on behind the word. Of each, a word has at most one opcode, one size, and one end of data before
//! a timestamp.

use super::history::Twice;
use super::roles::Role;
use coretrace_hdl_dataflow::{Word, any, join, named};

/// A nibble of a word.
#[derive(Clone, Copy)]
pub struct At<T> {
    /// There is one.
    pub is_there: T,
    /// Its number, three bits.
    pub number: Twice<T>,
}

impl<T: Word> At<T> {
    /// The only nibble of these.
    fn only(nibbles: &[T]) -> At<T> {
        let number = join((0..3).map(|bit| {
            let of_bit = nibbles.iter().enumerate();
            let of_bit = of_bit.filter(|(number, _)| number >> bit & 1 == 1);
            any(&of_bit.map(|(_, &nibble)| nibble).collect::<Vec<T>>())
        }));
        At {
            is_there: any(nibbles).reg(),
            number: Twice::new(number),
        }
    }
}

/// What the only nibble of its kind says.
pub struct Said<T> {
    /// There is one.
    pub is_there: T,
    /// What it says; 0 for all other nibbles.
    of_nibbles: Vec<T>,
}

impl<T: Word> Said<T> {
    /// By the nibbles of the kind, and what they say or 0, of those that belong to a packet.
    fn new(nibbles: impl Iterator<Item = (T, T)>, belongs: &[T]) -> Said<T> {
        let (is_it, says): (Vec<T>, Vec<T>) = nibbles.unzip();
        let pairs = is_it.iter().zip(belongs);
        let is_it: Vec<T> = pairs.map(|(is_it, &belongs)| is_it.and(belongs)).collect();
        let says = says.iter().zip(belongs);
        Said {
            is_there: any(&is_it).reg(),
            of_nibbles: says
                .map(|(says, &belongs)| says.mask(belongs).reg())
                .collect(),
        }
    }

    /// What it says, or 0.
    pub fn value(&self) -> T {
        let nibbles = self.of_nibbles.iter().copied();
        nibbles.reduce(T::or).expect("a nibble")
    }
}

/// The parts of a packet in a word.
pub struct Parts<T> {
    /// Its opcode.
    pub opcode: Said<T>,
    /// The size of its timestamp.
    pub size: Said<T>,
    /// The last nibble of its data, if a timestamp follows it.
    pub data: At<T>,
}

impl<T: Word> Parts<T> {
    /// Of the nibbles that belong to it; its data ends at the nibble `data` or behind it.
    fn new(roles: &[Role<T>], belongs: &[T], data: usize) -> Parts<T> {
        let nothing = T::constant(0, 1);
        let ends_data = roles.iter().zip(belongs);
        let ends_data = ends_data.map(|(role, &belongs)| role.ends_data.and(belongs));
        let data = std::iter::repeat_n(nothing, data).chain(ends_data.skip(data));
        let roles = roles.iter();
        Parts {
            opcode: Said::new(
                roles.clone().map(|it| (it.is_inner.not(), it.code)),
                belongs,
            ),
            size: Said::new(roles.map(|it| (it.is_size, it.size)), belongs),
            data: At::only(&data.collect::<Vec<T>>()),
        }
    }
}

/// The packets of a word. One register.
pub struct Spans<T> {
    /// Where the first packet ends.
    pub end: At<T>,
    /// The packet that ends there, or the one that goes on.
    pub first: Parts<T>,
    /// The packet that goes on.
    pub rest: Parts<T>,
}

/// The first nibble where data of a packet may end that goes on, if another packet ends in the word.
const REST_DATA: usize = 2;

/// Where the packets of a word are.
#[named]
pub fn spans<T: Word>(roles: &[Role<T>]) -> Spans<T> {
    let of = |flag: fn(&Role<T>) -> T| roles.iter().map(flag).collect::<Vec<T>>();
    let first = of(|role| role.is_behind_end.not());
    let rest = of(|role| role.is_before_end.not());
    Spans {
        end: At::only(&of(|role| role.ends.and(role.is_behind_end.not()))),
        first: Parts::new(roles, &first, 0),
        rest: Parts::new(roles, &rest, REST_DATA),
    }
}
