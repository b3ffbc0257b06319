// SPDX-License-Identifier: MIT OR Apache-2.0
//! The jump-ahead ETMv4 decoder: `N` bytes of one source in every cycle, `N` = 4, 8 or 16.
//!
//! Over a word of `N` bytes the stream state machine is a function from the state before the word
//! to the state after it. That function depends on the bytes alone, so that it is worked out
//! beforehand, in as many cycles as it takes; what is left from word to word is one selection.
//! Everything that comes after it looks back through one or two multiplexers.
//!
//! | block | what it does |
//! |---|---|
//! | [`Gearbox`] | words without gaps |
//! | [`JumpTable`] | the state after the word for every state before it |
//! | [`StateLookup`] | selects one of them |
//! | [`JumpResults`] | the stream state of every lane, and what the bytes say |
//! | [`JumpDecoder`] | all of these in a row |

mod address;
mod context;
pub mod decoder;
pub mod gearbox;
mod index;
mod lane;
mod lane_registers;
pub mod layouts;
pub mod lookup;
mod payload;
mod pending;
pub(crate) mod predecode;
pub mod results;
pub mod state;
pub(crate) mod step;
pub mod table;
mod window;

use coretrace_hdl_dataflow::{Table, Word};
pub use decoder::JumpDecoder;
pub use gearbox::Gearbox;
pub use lookup::StateLookup;
pub use results::JumpResults;
use std::sync::LazyLock;
pub use table::JumpTable;

/// The greatest number of lanes.
const MAX_LANES: usize = 16;

/// For every bound up to the number of lanes the numbers from it on.
static FROM: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let from = |bound: usize| Table::new(1, |number| u64::from(number >= bound));
    (0..=MAX_LANES).map(from).collect()
});

/// Whether a number of at most 8 bits is not less than a bound.
fn at_least<T: Word>(number: T, bound: usize) -> T {
    number.extend(8).rom(&FROM[bound])
}

/// As many values as there are lanes, or pairs of lanes.
pub(crate) fn lanes_of<V, const N: usize>(values: Vec<V>) -> [V; N] {
    let count = values.len();
    values
        .try_into()
        .unwrap_or_else(|_| panic!("{count} values for {N} lanes"))
}
