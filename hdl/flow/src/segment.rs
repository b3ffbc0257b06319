// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Segment`: an entry for a walker, with the address that ends what this walker followed before; and
//! `WholeSegment`, the segment of an entry for a unit with one walker.
//!
//! Without a return stack all that the atoms behind an address need is that address: they are a
//! *segment*, which any walker can follow alone. The next address, which begins another segment, says
//! whether this one is right, so it goes to both walkers.
//!
//! With one walker each address ends what was before and says where it goes on.
//!
//! Combinational.

use super::item::{ENTRY_W, Entry, MOST_SITE_W};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, layout};
use rust_hdl::prelude::*;

layout! {
    /// What a walker gets. An address of the entry says where the walker goes on: nowhere, if it is not
    /// loaded.
    pub struct Segment {
        entry: ENTRY_W,
        /// An address ends what this walker followed before; `damaged` and `is_jump` of the entry are
        /// those of this address.
        ends: 1,
        /// The flow ends there, whether the program was there anyway or not.
        cuts: 1,
        end_loaded: 1,
        end_site: MOST_SITE_W,
    }
}

/// Bits of a segment.
pub const SEGMENT_W: usize = Segment::WIDTH;

kernel_block! {
    /// The segment of an entry; see the module text.
    pub struct WholeSegment;
    inputs WholeInputs { entry: Bus<ENTRY_W>, }
    lane_inputs {}
    outputs WholeOutputs { segment: Bus<SEGMENT_W>, }
    lane_outputs {}
    kernel whole_segment;
}

fn whole_segment<T: Word, const N: usize>(i: WholeInputs<T::Port, N>) -> WholeOutputs<T, N> {
    let segment = whole(T::field(&i.entry, 0, ENTRY_W as u32));
    WholeOutputs {
        segment: segment.pack(),
    }
}

/// An entry whose address ends what was before, and is where it goes on.
pub(super) fn whole<T: Word>(word: T) -> Segment<T> {
    let entry = Entry::split(word);
    Segment {
        entry: word,
        ends: entry.has_address,
        cuts: T::constant(0, 1),
        end_loaded: entry.loaded,
        end_site: entry.site,
    }
}
