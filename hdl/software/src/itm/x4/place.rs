// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where in a packet the next byte is, as far as it says where packets end.
//!
//! Reading is never switched off here: behind an error the next byte is a header, whatever the policy and whether
//! a sync came. A sync needs no outcome in this state: behind five zeros the next byte is at [`SYNC`], from every
//! place. A payload takes at most four of them, and the fifth is the header of a sync.

use super::super::layouts::{outcome, part};
use super::super::table::header_entry;
use coretrace_hdl_dataflow::{Table, layout};
use std::sync::LazyLock;

/// Bits of a place.
pub const PLACE_W: usize = 4;
/// A header.
pub const HEADER: u64 = 0;
/// The zeros of a sync behind the first one, and its end.
pub const SYNC: u64 = 15;
/// The most bytes of a payload of fixed length; so many are left at the place of this number.
const FIXED: u64 = 4;
/// The most bytes of a payload that ends with a byte whose bit 7 is 0.
const CONTINUED: u64 = coretrace_itm::packet::PAYLOAD_BYTES as u64;

/// The place before so many bytes of a payload of fixed length.
fn fixed(left: u64) -> u64 {
    debug_assert!(left <= FIXED);
    left
}

/// The place before at most so many bytes of a payload that ends by itself.
fn continued(left: u64) -> u64 {
    debug_assert!((1..=CONTINUED).contains(&left));
    FIXED + left
}

/// The bytes that a payload distinguishes.
pub mod class {
    /// It does not count.
    pub const NONE: u64 = 0;
    /// Zero.
    pub const ZERO: u64 = 1;
    /// Another one whose bit 7 is 0.
    pub const ENDS: u64 = 2;
    /// Bit 7 is 1.
    pub const GOES_ON: u64 = 3;
}

/// Bits of a class.
pub const CLASS_W: usize = 2;

/// The place behind a byte that is no header, and how a packet ends with it; the end of a sync may be a broken one.
fn behind(place: u64, class: u64) -> (u64, u64) {
    const LAST: u64 = FIXED + 1;
    match (place, class) {
        (_, class::NONE) => (place, outcome::NONE),
        (HEADER, _) => (HEADER, outcome::NONE),
        (SYNC, class::ZERO) => (SYNC, outcome::NONE),
        (1, _) => (HEADER, outcome::PACKET),
        (2..=FIXED, _) => (place - 1, outcome::NONE),
        (LAST, class::GOES_ON) => (HEADER, outcome::BAD_SEQUENCE),
        (LAST..SYNC, class::GOES_ON) => (place - 1, outcome::NONE),
        (LAST..SYNC, _) => (HEADER, outcome::PACKET),
        _ => (HEADER, outcome::BAD_SEQUENCE),
    }
}

/// The place behind a header.
fn behind_header(header: usize) -> u64 {
    let entry = header_entry(header);
    match entry.next {
        part::FIXED => fixed(entry.left),
        part::CONTINUED => continued(entry.left),
        part::SYNC => SYNC,
        _ => HEADER,
    }
}

layout! {
    /// What a byte is at a place.
    pub struct Step {
        /// How a packet ends with it, if reading is synchronised.
        outcome: 3,
        /// It is a header.
        begins: 1,
        /// It belongs to a payload.
        puts: 1,
        /// It ends a sync if it is the last byte of one.
        syncs: 1,
    }
}

/// The place behind a header, by the header.
pub static AFTER_HEADER: LazyLock<Table> =
    LazyLock::new(|| Table::new(PLACE_W as u32, behind_header));

/// The place behind any other byte, by its place, then its class; [`HEADER`] behind a header.
pub static AFTER_PAYLOAD: LazyLock<Table> = LazyLock::new(|| {
    Table::new(PLACE_W as u32, |index| {
        behind(index as u64 & 0xF, index as u64 >> 4 & 3).0
    })
});

/// What a byte is, by its place, then its class; of a header without its outcome.
pub static STEPS: LazyLock<Table> = LazyLock::new(|| {
    Step::table(|index| {
        let (place, class) = (index as u64 & 0xF, index as u64 >> 4 & 3);
        let counts = u64::from(class != class::NONE);
        Step {
            outcome: behind(place, class).1,
            begins: u64::from(place == HEADER) * counts,
            puts: u64::from(!matches!(place, HEADER | SYNC)) * counts,
            syncs: u64::from(place == SYNC && class == class::GOES_ON),
        }
    })
});

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_itm::{SYNC_END, SYNC_ZEROS};

    fn after(place: u64, byte: u8) -> u64 {
        let class = match byte {
            0 => class::ZERO,
            1..0x80 => class::ENDS,
            _ => class::GOES_ON,
        };
        match place {
            HEADER => behind_header(byte.into()),
            _ => behind(place, class).0,
        }
    }

    #[test]
    fn behind_the_zeros_of_a_sync_its_end_is_due() {
        for place in 0..1 << PLACE_W {
            let behind = (0..SYNC_ZEROS).fold(place, |place, _| after(place, 0));
            assert_eq!(behind, SYNC, "{place}");
            assert_eq!(after(SYNC, SYNC_END), HEADER);
        }
    }
}
