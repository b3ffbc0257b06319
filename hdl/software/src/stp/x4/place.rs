// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where in a packet the next nibble is, as far as it says where packets end.
//!
//! Reading is never switched off here: behind an error the next nibble is an opcode, whatever the policy and
//! whether an ASYNC came. So no outcome is in this state, and an ASYNC needs none of it: behind 21 nibbles F
//! the next one is at [`at::ASYNC`], from every place. A field takes at most 16 of them, its size one, and an
//! opcode two.

use super::super::layouts::part;
use super::super::table::{Entry, opcode_entry, size_entry};
use coretrace_hdl_dataflow::{Table, layout};
use std::sync::LazyLock;

/// Parts of a packet.
pub mod at {
    /// The first nibble of an opcode.
    pub const OPCODE: u64 = 0;
    /// The second one, behind F.
    pub const OPCODE_F: u64 = 1;
    /// The third one, behind F0.
    pub const OPCODE_F0: u64 = 2;
    /// The size of a timestamp.
    pub const SIZE: u64 = 3;
    /// The nibbles of an ASYNC behind the first two.
    pub const ASYNC: u64 = 4;
    /// The last nibble of a packet.
    pub const LAST: u64 = 5;
    /// The last nibble of data before a timestamp.
    pub const LAST_DATA: u64 = 6;
    /// Any earlier nibble of a field: data, or the value of a timestamp.
    pub const FIELD: u64 = 7;
}

/// Bits of a part.
pub const AT_W: usize = 3;
/// Bits of a number of bytes of a field, 0 to 8.
pub const SKIP_W: usize = 4;

layout! {
    /// The place of the first nibble of a byte.
    pub struct Place {
        /// The part that comes behind the bytes to skip, see [`at`]; never [`at::FIELD`].
        at: AT_W,
        /// Bytes to skip: all of their nibbles belong to a field.
        skip: SKIP_W,
        /// There is one.
        skips: 1,
    }
}

/// Bits of a place.
pub const PLACE_W: usize = Place::WIDTH;

/// The place of a nibble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A part of one nibble, or of any number of them.
    At(u64),
    /// So many nibbles of a field, at least two, and whether a timestamp follows it.
    Field(u64, bool),
}

/// The place before so many nibbles of a field.
fn field(left: u64, has_size: bool) -> Spot {
    match (left, has_size) {
        (0, false) => Spot::At(at::OPCODE),
        (0, true) => Spot::At(at::SIZE),
        (1, false) => Spot::At(at::LAST),
        (1, true) => Spot::At(at::LAST_DATA),
        _ => Spot::Field(left, has_size),
    }
}

/// The place behind a nibble of an opcode.
fn behind_opcode(entry: &Entry<u64>) -> Spot {
    match entry.next {
        part::OPCODE_F => Spot::At(at::OPCODE_F),
        part::OPCODE_F0 => Spot::At(at::OPCODE_F0),
        part::ASYNC => Spot::At(at::ASYNC),
        part::SIZE => Spot::At(at::SIZE),
        part::DATA => field(entry.left, entry.is_stamped == 1),
        _ => Spot::At(at::OPCODE),
    }
}

/// The place behind a nibble.
pub fn after(spot: Spot, nibble: u8) -> Spot {
    match spot {
        Spot::At(at::OPCODE) => behind_opcode(&opcode_entry(0, nibble.into(), 1)),
        Spot::At(at::OPCODE_F) => behind_opcode(&opcode_entry(0xF, nibble.into(), 2)),
        Spot::At(at::OPCODE_F0) => behind_opcode(&opcode_entry(0xF0, nibble.into(), 3)),
        Spot::At(at::SIZE) => field(size_entry(nibble).left, false),
        Spot::At(at::ASYNC) if nibble == 0xF => spot,
        Spot::At(at::LAST_DATA) => Spot::At(at::SIZE),
        Spot::At(_) => Spot::At(at::OPCODE),
        Spot::Field(left, has_size) => field(left - 1, has_size),
    }
}

/// The place of a nibble as that of the first one of a byte.
fn place(spot: Spot) -> Place<u64> {
    match spot {
        Spot::At(at) => Place {
            at,
            skip: 0,
            skips: 0,
        },
        Spot::Field(left, has_size) => Place {
            skip: left / 2,
            skips: 1,
            ..place(field(left % 2, has_size))
        },
    }
}

/// What the first nibble of a byte says of the place behind the byte.
pub struct First {
    /// That place, by the nibble, where it says it alone; else 0.
    pub place: Table,
    /// The parts that the second nibble may be of where it says the place, and for each the first nibbles before it.
    pub seconds: Vec<(usize, Table)>,
}

/// By the part that the byte begins with.
pub static FIRST: LazyLock<[First; at::FIELD as usize]> = LazyLock::new(|| {
    std::array::from_fn(|part| {
        let between = |nibble: usize| after(Spot::At(part as u64), nibble as u8 & 0xF);
        let is_of = |nibble: usize, second: u64| between(nibble) == Spot::At(second);
        let seconds = (0..SECONDS as u64).filter(|&second| (0..16).any(|it| is_of(it, second)));
        First {
            place: Place::table(|nibble| match between(nibble) {
                Spot::At(second) if second < SECONDS as u64 => place(Spot::At(0)),
                spot => place(after(spot, 0)),
            }),
            seconds: seconds
                .map(|second| {
                    let of_it = Table::new(1, |nibble| is_of(nibble, second).into());
                    (second as usize, of_it)
                })
                .collect(),
        }
    })
});

/// Parts whose nibble says what comes behind it, in [`at`] the first ones.
const SECONDS: usize = at::ASYNC as usize + 1;

/// The place behind a byte by its second nibble, by the part of that one.
pub static SECOND: LazyLock<[Table; SECONDS]> = LazyLock::new(|| {
    std::array::from_fn(|part| {
        Place::table(|nibble| place(after(Spot::At(part as u64), nibble as u8 & 0xF)))
    })
});

/// The bytes to skip behind one of them, by their number, and in the bit above it whether there is one.
pub static SKIPS: LazyLock<Table> = LazyLock::new(|| {
    Table::new(SKIP_W as u32 + 1, |index| {
        let skip = (index as u64 % (1 << SKIP_W)).saturating_sub(1);
        u64::from(skip > 0) << SKIP_W | skip
    })
});

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_stm::ASYNC_FS;

    fn fields() -> impl Iterator<Item = Spot> {
        (2..=16).flat_map(|left| [false, true].map(|has_size| Spot::Field(left, has_size)))
    }

    #[test]
    fn behind_the_nibbles_f_of_an_async_its_last_one_is_due() {
        for spot in fields().chain((0..at::FIELD).map(Spot::At)) {
            let behind = (0..ASYNC_FS).fold(spot, |spot, _| after(spot, 0xF));
            assert_eq!(behind, Spot::At(at::ASYNC), "{spot:?}");
        }
    }

    #[test]
    fn behind_a_byte_of_a_field_there_is_one_byte_less_to_skip() {
        for spot in fields() {
            let (before, behind) = (place(spot), place(after(after(spot, 0), 0)));
            assert_eq!(
                (behind.at, behind.skip + 1),
                (before.at, before.skip),
                "{spot:?}"
            );
        }
    }
}
