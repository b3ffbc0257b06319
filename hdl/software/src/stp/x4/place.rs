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

layout! {
    /// The place of the next nibble.
    pub struct Place {
        /// See [`at`].
        at: AT_W,
        /// In a field: a timestamp follows it.
        has_size: 1,
        /// In a field: how many nibbles of it follow the next one, 1 to 15.
        more: 4,
    }
}

/// Bits of a place.
pub const PLACE_W: usize = Place::WIDTH;

/// A place that is no field.
pub const fn alone(at: u64) -> Place<u64> {
    Place {
        at,
        has_size: 0,
        more: 0,
    }
}

/// The place before so many nibbles of a field.
fn field(left: u64, has_size: u64) -> Place<u64> {
    match (left, has_size) {
        (0 | 1, 0) => alone(at::LAST),
        (0 | 1, _) => alone(at::LAST_DATA),
        _ => Place {
            at: at::FIELD,
            has_size,
            more: left - 1,
        },
    }
}

/// The place behind a nibble of an opcode.
pub fn behind_opcode(entry: &Entry<u64>) -> Place<u64> {
    match entry.next {
        part::OPCODE_F => alone(at::OPCODE_F),
        part::OPCODE_F0 => alone(at::OPCODE_F0),
        part::ASYNC => alone(at::ASYNC),
        part::SIZE => alone(at::SIZE),
        part::DATA => field(entry.left, entry.is_stamped),
        _ => alone(at::OPCODE),
    }
}

/// The place behind a nibble.
pub fn after(place: Place<u64>, nibble: u8) -> Place<u64> {
    match place.at {
        at::OPCODE => behind_opcode(&opcode_entry(0, nibble.into(), 1)),
        at::OPCODE_F => behind_opcode(&opcode_entry(0xF, nibble.into(), 2)),
        at::OPCODE_F0 => behind_opcode(&opcode_entry(0xF0, nibble.into(), 3)),
        at::SIZE => match size_entry(nibble).left {
            0 => alone(at::OPCODE),
            left => field(left, 0),
        },
        at::ASYNC if nibble == 0xF => place,
        at::LAST_DATA => alone(at::SIZE),
        at::FIELD => field(place.more, place.has_size),
        _ => alone(at::OPCODE),
    }
}

fn after_byte(place: Place<u64>, octet: u8) -> Place<u64> {
    after(after(place, octet & 0xF), octet >> 4)
}

/// The place behind each byte, for each place that is no field.
pub static AFTER: LazyLock<[Table; at::FIELD as usize]> = LazyLock::new(|| {
    std::array::from_fn(|at| Place::table(|octet| after_byte(alone(at as u64), octet as u8)))
});

/// The place behind a byte of a field, by the place less its part; the bit above says that the byte counts.
pub static AFTER_FIELD: LazyLock<Table> = LazyLock::new(|| {
    Place::table(|index| {
        let index = index as u64;
        let place = Place {
            at: at::FIELD,
            has_size: index & 1,
            more: index >> 1 & 0xF,
        };
        match index >> 5 & 1 {
            0 => place,
            _ => after_byte(place, 0),
        }
    })
});

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_stm::ASYNC_FS;

    #[test]
    fn behind_the_nibbles_f_of_an_async_its_last_one_is_due() {
        let places = (0..1 << PLACE_W).map(|code| Place {
            at: code & 7,
            has_size: code >> 3 & 1,
            more: code >> 4,
        });
        for place in places {
            let behind = (0..ASYNC_FS).fold(place, |place, _| after(place, 0xF));
            assert_eq!(behind.at, at::ASYNC, "{place:?}");
        }
    }
}
