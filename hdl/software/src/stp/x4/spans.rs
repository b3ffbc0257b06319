// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where in a word the parts of packets are.
//!
//! Two packets of a word matter: the first one that ends, which may have begun in any word before it, and the
//! one that goes on behind the word. Of each, a word has at most one opcode, one size, and one end of data before
//! a timestamp.

use super::roles::Role;
use coretrace_hdl_dataflow::{Word, any, join, named};

/// A nibble of a word.
#[derive(Clone, Copy)]
pub struct At<T> {
    /// There is one.
    pub is_there: T,
    /// Its number, three bits.
    pub number: T,
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
            number: number.reg(),
        }
    }
}

/// The parts of a packet in a word.
pub struct Parts<T> {
    /// The last nibble of its opcode.
    pub opcode: At<T>,
    /// The size of its timestamp.
    pub size: At<T>,
    /// The last nibble of its data, if a timestamp follows it.
    pub data: At<T>,
}

impl<T: Word> Parts<T> {
    /// Of the nibbles that belong to it.
    fn new(roles: &[Role<T>], belongs: &[T]) -> Parts<T> {
        let only = |part: fn(&Role<T>) -> T| {
            let nibbles = roles.iter().zip(belongs);
            let nibbles = nibbles.map(|(role, &belongs)| part(role).and(belongs));
            At::only(&nibbles.collect::<Vec<T>>())
        };
        Parts {
            opcode: only(|role| role.is_inner.not()),
            size: only(|role| role.is_size),
            data: only(|role| role.ends_data),
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

/// Where the packets of a word are.
#[named]
pub fn spans<T: Word>(roles: &[Role<T>]) -> Spans<T> {
    let ends: Vec<T> = roles.iter().map(|role| role.outcome.any()).collect();
    let nothing = T::constant(0, 1);
    let none = |ends: &[T]| if ends.is_empty() { nothing } else { any(ends) }.not();
    let first: Vec<T> = (0..ends.len()).map(|place| none(&ends[..place])).collect();
    let rest: Vec<T> = (0..ends.len()).map(|place| none(&ends[place..])).collect();
    let end: Vec<T> = ends
        .iter()
        .zip(&first)
        .map(|(end, &first)| end.and(first))
        .collect();
    Spans {
        end: At::only(&end),
        first: Parts::new(roles, &first),
        rest: Parts::new(roles, &rest),
    }
}
