// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which word of a row is in each slot of a unit.
//!
//! The words of a row are numbered from its tag word on; a unit has four of them. A row says which
//! number the first word of each lane has, so that a slot can ask each lane for its word.

use super::layouts::{GroupLane, GroupPair, GroupPlan, LANES};
use coretrace_hdl_dataflow::{Table, Word, join, mux4, named, priority_mux};
use std::sync::LazyLock;

/// Words of a unit, and of a beat.
pub(crate) const WORDS: usize = 4;

/// What a word of a record is.
mod part {
    pub const LOW: u64 = 0;
    pub const HIGH: u64 = 1;
    pub const SMALL: u64 = 2;
    pub const BODY: u64 = 4;
}

/// No word of a lane has this number.
const NOWHERE: u64 = 7;

/// For each slot, by the number of the unit and the offset of a lane: the number of the slot's word
/// in the lane.
static NUMBERS: LazyLock<[Table; WORDS]> = LazyLock::new(|| {
    std::array::from_fn(|slot| {
        Table::new(3, move |index| {
            let (offset, unit) = (index % 16, index / 16 % 4);
            let number = (unit * WORDS + slot).checked_sub(offset);
            number.map_or(NOWHERE, |number| (number as u64).min(NOWHERE))
        })
    })
});

/// Which part of a record a word is, by its number, the words of the address, and place and size of
/// a continuation field in the body.
static PARTS: LazyLock<Table> = LazyLock::new(|| {
    Table::new(3, |index| {
        let (number, address_words) = (index as u64 % 8, index as u64 / 8 % 4);
        let (own_at, is_small) = (index as u64 / 32 % 4, index / 128 == 1);
        match number.checked_sub(address_words) {
            None if number == 0 => part::LOW,
            None => part::HIGH,
            Some(place) if place != own_at => part::BODY + place % 4,
            Some(_) if is_small => part::SMALL,
            Some(_) => part::BODY + 2,
        }
    })
});

/// The words of a unit of a row, three cycles later; undefined after its last one.
#[named]
pub(super) fn slots<T: Word>(row: &T::Port, unit: T) -> [T; WORDS] {
    let lane_at = |lane: usize| GroupPlan::WIDTH + lane * GroupLane::WIDTH;
    let pair_at = |pair: usize| lane_at(LANES) + pair * GroupPair::WIDTH;
    let lanes: [GroupLane<T>; LANES] =
        std::array::from_fn(|lane| GroupLane::unpack_at(row, lane_at(lane)));
    let pairs: [GroupPair<T>; LANES / 2] =
        std::array::from_fn(|pair| GroupPair::unpack_at(row, pair_at(pair)));
    let tags = join(lanes.iter().map(|lane| lane.tag));
    let half = |lane: usize, low: u32| lanes[lane].address.slice(low, 32);
    let lows = std::array::from_fn(|lane| half(lane, 0));
    let highs = std::array::from_fn(|lane| half(lane, 32));
    let smalls: [T; LANES] = std::array::from_fn(|lane| lanes[lane].small);
    let body = |pair: usize| {
        let GroupPair {
            word0,
            word1,
            word2,
        } = pairs[pair];
        [word0, word1, word2, word2]
    };

    std::array::from_fn(|slot| {
        let (hits, parts): (Vec<T>, Vec<T>) = lanes
            .iter()
            .map(|lane| {
                let index = join([lane.offset, unit]).extend(8);
                let number = index.rom(&NUMBERS[slot]);
                let index = join([number, lane.address_words, lane.own_at, lane.is_small]);
                let hit = number.lt(lane.words).reg();
                (hit, index.reg().rom(&PARTS).mask(hit))
            })
            .unzip();
        let lane = hits[2].or(hits[3]).concat(hits[1].or(hits[3])).reg();
        let part = parts.into_iter().reduce(T::or).expect("lanes").reg();
        let address = part.bit(0).mux(mux4(lane, highs), mux4(lane, lows));
        let of_pair = [0, 1].map(|pair| mux4(part.slice(0, 2), body(pair)));
        let of_body = lane.bit(1).mux(of_pair[1], of_pair[0]).reg();
        let small = mux4(lane, smalls).reg().extend(32);
        // A group begins with its tags.
        let is_tags = T::constant((slot == 0).into(), 1).and(unit.is(0));
        let part = part.reg();
        priority_mux(
            &[
                (is_tags, tags),
                (part.bit(2), of_body),
                (part.bit(1), small),
            ],
            address.reg(),
        )
    })
}
