// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many of the bytes right before a byte have a property, gaps left out.

use coretrace_etm::ASYNC_ZEROS;
use coretrace_hdl_dataflow::{Table, Word, all, join, named};
use std::sync::LazyLock;

/// Bits of a run's length.
const WIDTH: u32 = 4;
/// Bits of a number of lanes.
const LANES_W: u32 = 3;
/// The greatest number of lanes.
const LANES: usize = 4;

/// A length at which a run is long enough, and the tables that belong to it. Indices are a length
/// of `WIDTH` bits with a number of lanes above.
pub(super) struct Bound {
    /// The length after that many more bytes; stays at the bound.
    after: Table,
    /// Whether it is at the bound after that many more bytes.
    reached: Table,
}

impl Bound {
    fn new(length: usize) -> Bound {
        let sum = |index: usize| (index % 16 + index / 16).min(length) as u64;
        Bound {
            after: Table::new(WIDTH, sum),
            reached: Table::new(1, |index| (sum(index) == length as u64).into()),
        }
    }
}

/// Length of the run at the end of a word, by which lanes count and, in the bits above, which of them
/// have the property.
static TRAILS: LazyLock<Table> = LazyLock::new(|| {
    let trail = |index: usize| {
        let last_first = (0..LANES).rev().filter(|lane| index >> lane & 1 == 1);
        let has = |lane: &usize| index >> (LANES + lane) & 1 == 1;
        last_first.take_while(has).count() as u64
    };
    Table::new(LANES_W, trail)
});

/// The zeros of an A-Sync, without its last byte.
pub(super) static ZEROS: LazyLock<Bound> = LazyLock::new(|| Bound::new(ASYNC_ZEROS));
/// Eight bytes of a timestamp: the ninth is the last one.
pub(super) static TIMESTAMP_BYTES: LazyLock<Bound> = LazyLock::new(|| Bound::new(8));

/// How many of some bits are set, of up to four.
#[named]
pub(super) fn count<T: Word>(bits: &[T]) -> T {
    static ONES: LazyLock<Table> =
        LazyLock::new(|| Table::new(LANES_W, |bits| (bits % 16).count_ones().into()));
    assert!(bits.len() <= LANES);
    join(bits.iter().copied()).extend(8).rom(&ONES)
}

/// For every lane whether the bytes before it are a run of the bound's length. `kept` says which
/// lanes count, `has` which of them have the property, `forget` that nothing before the word
/// counts; it must be known a cycle earlier.
#[named]
pub(super) fn runs<T: Word>(bound: &'static Bound, kept: &[T], has: &[T], forget: T) -> Vec<T> {
    let none = T::constant(0, LANES_W);
    let number = |lane: usize| {
        if lane == 0 {
            none
        } else {
            count(&kept[..lane])
        }
    };
    let unbroken = |lane: usize| {
        let lanes = kept.iter().zip(has).take(lane);
        all(&lanes
            .map(|(kept, has)| kept.not().or(*has))
            .collect::<Vec<_>>())
    };
    let lanes = kept.len();
    let flags = |flags: &[T]| join(flags.iter().copied()).extend(LANES as u32);
    let trail = flags(has).concat(flags(kept)).rom(&TRAILS).reg();
    let now = trail.stage();
    let (length, held) = T::register(WIDTH, now);
    let index = |lane: usize| number(lane).reg().concat(length).extend(8);
    let next = unbroken(lanes)
        .reg()
        .mux(index(lanes).rom(&bound.after), trail.extend(WIDTH));
    let zero = T::constant(0, WIDTH);
    T::set_next(held, forget.next_word().mux(zero, next));
    (0..lanes)
        .map(|lane| unbroken(lane).reg().and(index(lane).rom(&bound.reached)))
        .collect()
}
