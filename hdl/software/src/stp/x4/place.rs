// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where in a packet the next nibble is, as far as it says where packets end.
//!
//! Reading is never switched off here: behind an error the next nibble is an opcode, whatever the policy and
//! whether an ASYNC came. So no outcome is in this state, and an ASYNC needs none of it: behind 21 nibbles F
//! the next one is at [`at::ASYNC`], from every place. A field takes at most 16 of them, its size one, and an
//! opcode two.

use super::super::layouts::part;
use super::super::table::{Entry, only_row, opcode_entry, size_entry};
use coretrace_hdl_dataflow::{Table, Word, layout, named};
use coretrace_stm::Kind;
use std::sync::LazyLock;

/// Parts of a packet: first those that may come behind a byte of a field. Of an opcode, the lower two bits have a
/// 1 for each nibble of it that came before.
pub mod at {
    /// The first nibble of an opcode.
    pub const OPCODE: u64 = 0;
    /// The size of a timestamp.
    pub const SIZE: u64 = 1;
    /// The last nibble of data before a timestamp.
    pub const LAST_DATA: u64 = 2;
    /// The last nibble of a packet, of a field.
    pub const LAST: u64 = 3;
    /// The nibbles of an ASYNC behind the first two.
    pub const ASYNC: u64 = 4;
    /// The second nibble of an opcode, behind F.
    pub const OPCODE_F: u64 = 5;
    /// The data of a VERSION.
    pub const VERSION: u64 = 6;
    /// The third nibble of an opcode, behind F0.
    pub const OPCODE_F0: u64 = 7;
}

/// Bits of a part.
pub const AT_W: usize = 3;

layout! {
    /// The place of the first nibble of a byte.
    pub struct Place {
        /// The part that comes behind the bytes to skip, see [`at`], or its lower bits. It is [`at::OPCODE_F`] for
        /// [`at::OPCODE_F0`], too: the nibble before says which.
        low: 2,
        /// The upper bit of the part, if there are no bytes to skip; else the lowest bit of the number of those
        /// behind this byte.
        high: 1,
        /// The upper bits of that number; they mean nothing if there are no bytes to skip.
        more: 2,
        /// There are bytes to skip: all of their nibbles belong to a field.
        skips: 1,
    }
}

#[named]
impl<T: Word> Place<T> {
    /// The part, if there are no bytes to skip.
    pub fn at(&self) -> T {
        self.high.concat(self.low)
    }

    /// There is one byte to skip.
    pub fn skips_one(&self) -> T {
        let behind = self.more.concat(self.high);
        self.skips.and(behind.any().not())
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
        part::DATA if entry.row == only_row(Kind::Version) => Spot::At(at::VERSION),
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
        Spot::At(at::OPCODE_F0) => place(Spot::At(at::OPCODE_F)),
        Spot::At(at) => Place {
            low: at % 4,
            high: at / 4,
            more: 0,
            skips: 0,
        },
        Spot::Field(left, has_size) => {
            let behind = left / 2 - 1;
            Place {
                high: behind % 2,
                more: behind / 2,
                skips: 1,
                ..place(field(left % 2, has_size))
            }
        }
    }
}

/// What is behind a byte that begins with a part.
pub struct First {
    /// The place before it, if it does not count.
    pub stays: u64,
    /// The place behind it where the first nibble says it alone; else 0.
    pub place: Table,
    /// The parts that the second nibble may be of where it says the place, and for each the first nibbles before it.
    pub seconds: Vec<(usize, Table)>,
}

/// Parts that a byte may begin with, as [`Place`] has them.
pub const PARTS: usize = at::VERSION as usize + 1;

/// By the part that the byte begins with, the first nibble and whether the one before is 0.
pub static FIRST: LazyLock<[First; PARTS]> = LazyLock::new(|| {
    std::array::from_fn(|part| {
        let between = move |index: usize| {
            let part = match part as u64 {
                at::OPCODE_F if index & 0x10 != 0 => at::OPCODE_F0,
                part => part,
            };
            after(Spot::At(part), index as u8 & 0xF)
        };
        let is_of = move |index: usize, second: u64| between(index) == Spot::At(second);
        let seconds =
            (0..SECONDS.len()).filter(|&second| (0..32).any(|index| is_of(index, SECONDS[second])));
        First {
            stays: place(Spot::At(part as u64)).number(),
            place: Place::table(|index| match between(index) {
                Spot::At(second) if SECONDS.contains(&second) => place(Spot::At(0)),
                spot => place(after(spot, 0)),
            }),
            seconds: seconds
                .map(|second| {
                    let of_it = move |index| is_of(index, SECONDS[second]).into();
                    (second, Table::new(1, of_it))
                })
                .collect(),
        }
    })
});

/// Parts whose nibble says what comes behind it.
const SECONDS: [u64; 5] = [at::OPCODE, at::SIZE, at::ASYNC, at::OPCODE_F, at::OPCODE_F0];

/// The place behind a byte by its second nibble, by the part of that one, as [`First::seconds`] has them.
pub static SECOND: LazyLock<[Table; SECONDS.len()]> = LazyLock::new(|| {
    SECONDS.map(|part| Place::table(|nibble| place(after(Spot::At(part), nibble as u8 & 0xF))))
});

/// The place behind a byte to skip, by the number of those behind it, and above whether it counts; without
/// [`Place::low`].
pub static SKIPS: LazyLock<Table> = LazyLock::new(|| {
    Place::table(|index| {
        let (behind, counts) = (index as u64 % 8, index as u64 / 8 % 2);
        let bytes = behind + 1 - counts;
        let skips = u64::from(bytes > 0);
        // The one before 0 means nothing, but takes less logic than 0.
        let behind = (bytes + 7) % 8;
        Place {
            low: 0,
            high: behind % 2 * skips,
            more: behind / 2,
            skips,
        }
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
        for spot in fields().chain((0..8).map(Spot::At)) {
            let behind = (0..ASYNC_FS).fold(spot, |spot, _| after(spot, 0xF));
            assert_eq!(behind, Spot::At(at::ASYNC), "{spot:?}");
        }
    }

    #[test]
    fn behind_a_byte_of_a_field_there_is_one_byte_less_to_skip() {
        for spot in fields() {
            let (before, behind) = (place(spot), place(after(after(spot, 0), 0)));
            let skipped = SKIPS.entries()[(1 << 3 | before.more << 1 | before.high) as usize];
            // Without bytes to skip, the upper bits of their number mean nothing.
            let meaning = if behind.skips == 1 {
                u64::MAX
            } else {
                !(3 << 3)
            };
            assert_eq!(skipped & meaning | before.low, behind.number(), "{spot:?}");
        }
    }
}
