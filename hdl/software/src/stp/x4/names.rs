// SPDX-License-Identifier: MIT OR Apache-2.0
//! Master, channel and coding that packets change which lie in their word whole: all of them but the first one
//! that ends, and that one too if it does.
//!
//! The end of such a packet is as many nibbles behind its opcode as it has data. Behind the end of another packet,
//! none of them ends before the fourth nibble of the word.

use super::super::trace_state::version;
use super::changed::Changed;
use super::history::Window;
use super::renames::{Renames, renames};
use super::roles::Role;
use coretrace_hdl_dataflow::{Word, all, any, latest, mux4, named, priority_mux};

/// The first nibble where such a packet may end that has two nibbles of data.
const TWO: usize = 3;
/// The first one with a VERSION.
const VERSION: usize = 4;
/// The first one with four nibbles of data, behind an opcode of two.
const FOUR: usize = 6;

/// What the packets change.
pub struct Names<T> {
    pub master: Changed<T>,
    pub is_master_known: Changed<T>,
    pub channel_low: Changed<T>,
    pub channel_high: Changed<T>,
    /// The coding, up to the end of the word.
    pub coding: Changed<T>,
    /// The same up to the last timestamp of the word.
    pub coding_of_stamp: Changed<T>,
}

impl<T: Word> Names<T> {
    /// These changes, and later ones.
    pub fn before(self, later: Names<T>) -> Names<T> {
        Names {
            master: later.master.after(self.master),
            is_master_known: later.is_master_known.after(self.is_master_known),
            channel_low: later.channel_low.after(self.channel_low),
            channel_high: later.channel_high.after(self.channel_high),
            coding: later.coding.after(self.coding),
            coding_of_stamp: later.coding_of_stamp.after(self.coding_of_stamp),
        }
    }
}

/// The packet that ends with a nibble.
struct End<T> {
    place: usize,
    /// It does, and is read.
    is_read: T,
    /// What it changes if it has two nibbles of data.
    two: Renames<T>,
    /// It is C16.
    is_four: T,
    /// It is VERSION.
    is_version: T,
}

impl<T: Word> End<T> {
    fn new(place: usize, renames: &[Renames<T>], is_read: T) -> End<T> {
        let at = |first: usize, behind: usize, which: fn(&Renames<T>) -> T| {
            let opcode = (place >= first).then(|| &renames[place - behind]);
            opcode.map_or(T::constant(0, 1), which)
        };
        End {
            place,
            is_read,
            two: renames[place - 2],
            is_four: at(FOUR, 4, |it| it.with_four),
            is_version: at(VERSION, 1, |it| it.is_version),
        }
    }

    /// It is M8 or GERR.
    fn is_of_master(&self) -> T {
        self.two.with_two.and(self.two.is_of_master)
    }

    /// It is C8.
    fn is_channel(&self) -> T {
        all(&[
            self.two.with_two,
            self.two.sets,
            self.two.is_of_master.not(),
        ])
    }
}

/// A change by the packet that ends with a nibble.
struct Event<T> {
    place: usize,
    changes: T,
    sets: T,
}

/// The last change of a word: whether there is one, where, and whether it sets the value. One register.
struct Last<T> {
    changes: T,
    number: T,
    sets: T,
}

impl<T: Word> Last<T> {
    fn new(ends: &[End<T>], event: impl Fn(&End<T>) -> (T, T)) -> Last<T> {
        let events = ends.iter().map(|end| {
            let (changes, sets) = event(end);
            Event {
                place: end.place,
                changes: changes.and(end.is_read),
                sets,
            }
        });
        let events: Vec<Event<T>> = events.collect();
        let all: Vec<T> = events.iter().map(|it| it.changes).collect();
        let number = |event: &Event<T>| T::constant(event.place as u64, 3);
        let last = |value: &dyn Fn(&Event<T>) -> T| {
            let cases = events[1..]
                .iter()
                .rev()
                .map(|event| (event.changes, value(event)));
            priority_mux(&cases.collect::<Vec<_>>(), value(&events[0])).reg()
        };
        Last {
            changes: any(&all).reg(),
            number: last(&number),
            sets: last(&|event| event.sets),
        }
    }

    /// The change to a value.
    fn with(self, value: T) -> Changed<T> {
        let now = latest([value, self.changes]);
        Changed {
            changes: self.changes.at_stage(now),
            sets: self.sets.at_stage(now),
            value: value.at_stage(now),
        }
    }

    /// The change to the two nibbles that end there.
    fn of_two(self, nibbles: &[T]) -> Changed<T> {
        let value = Window::short(nibbles, self.number, 2).value(2);
        self.with(value)
    }
}

/// What the packets change; `reads` says for each nibble whether a packet ends there that is read. Two registers
/// behind that.
#[named]
pub fn names<T: Word>(roles: &[Role<T>], reads: &[T]) -> Names<T> {
    let now = reads[0].stage();
    let renames = roles
        .iter()
        .map(|role| renames(role).map(|bit| bit.reg().at_stage(now)));
    let renames: Vec<Renames<T>> = renames.collect();
    let nibbles: Vec<T> = roles.iter().map(|role| role.nibble.at_stage(now)).collect();
    let ends = (TWO..reads.len()).map(|place| End::new(place, &renames, reads[place]));
    let ends: Vec<End<T>> = ends.collect();
    let one = T::constant(1, 1);

    let master = Last::new(&ends, |end| {
        let is_of_master = end.is_of_master();
        (
            is_of_master.or(end.is_version),
            is_of_master.and(end.two.sets),
        )
    });
    let known = Last::new(&ends, |end| (end.is_of_master(), end.two.sets));
    let low = Last::new(&ends, |end| {
        let changes = any(&[end.two.with_two, end.is_four, end.is_version]);
        (changes, end.is_channel().or(end.is_four))
    });
    let high = Last::new(&ends, |end| {
        let clears = end.two.with_two.and(end.is_channel().not());
        (any(&[clears, end.is_four, end.is_version]), end.is_four)
    });
    let versions = &ends[VERSION - TWO..];
    let version_of = |end: &End<T>| (end.is_version, one);
    let coding = Last::new(versions, version_of);
    // A VERSION before another timestamp ends there.
    let coding_of_stamp = Last::new(&versions[..1], version_of);

    let at_last = |place: usize| nibbles[place].at_stage(now + 1);
    // That of a C16 ends with the word, or a nibble before.
    let [third, fourth, fifth] = [3, 4, 5].map(at_last);
    let high_value = high
        .number
        .bit(0)
        .mux(fourth.concat(fifth), third.concat(fourth));
    let versions = [4, 5, 6, 7].map(|place| version(at_last(place)));
    let version_value = mux4(coding.number.slice(0, 2), versions);
    Names {
        master: master.of_two(&nibbles),
        is_master_known: known.with(one),
        channel_low: low.of_two(&nibbles),
        channel_high: high.with(high_value),
        coding: coding.with(version_value),
        coding_of_stamp: coding_of_stamp.with(versions[0]),
    }
}
