// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many P0 elements are not final, and which become final.

use super::item::ELEMENTS_W;
use coretrace_hdl_dataflow::{Word, any, layout, minus};

/// The fewest address bits of a ring.
pub const LEAST_RING_W: usize = 4;

/// Whether a ring of so many address bits is too small for a speculation depth: half of its places are
/// for what is no atom, and no number of elements that is cut short is as small as the depth.
pub fn is_refused<T: Word>(max_spec: T, places_w: usize) -> T {
    let depth_w = match places_w {
        ..LEAST_RING_W => 0,
        _ => (places_w as u32 - 1).min(ELEMENTS_W as u32 - 1),
    };
    max_spec.slice(depth_w, max_spec.width() - depth_w).any()
}

layout! {
    /// Numbers of P0 elements.
    pub struct RingDepth {
        /// Not final, and how many more there may be.
        depth: ELEMENTS_W,
        room: ELEMENTS_W,
        /// Not final, and sent before the Trace Info.
        unseen: ELEMENTS_W,
        /// They became final a cycle ago; those of them that the ring has, two cycles ago.
        final_s1: ELEMENTS_W,
        seen_s2: ELEMENTS_W,
    }
}

/// Bits of these numbers.
pub const RING_DEPTH_W: usize = RingDepth::WIDTH;

/// What happens to the numbers in a cycle: at most one of these.
pub struct RingChange<T> {
    /// Nothing is in the ring any more.
    pub clears: T,
    /// A Trace Info after a loss, with `elements` in front of it.
    pub begins: T,
    /// So many more.
    pub pushes: T,
    pub amount: T,
    /// The oldest or the youngest `elements` go.
    pub commits: T,
    pub cancels: T,
    pub elements: T,
    /// So many of the unseen ones are taken back.
    pub cancels_unseen: T,
    pub back: T,
}

impl<T: Word> RingDepth<T> {
    /// More elements are to go than there are.
    pub fn lacks(&self, elements: T) -> T {
        self.depth.lt(elements)
    }

    /// A cycle later.
    pub fn next(&self, max_spec: T, change: &RingChange<T>) -> Self {
        let width = ELEMENTS_W as u32;
        let wide = |number: T| number.extend(width + 1);
        let is_negative = |number: T| number.bit(width);
        let low = |number: T| number.slice(0, width);

        // A Trace Info, with so many elements in front of it.
        let begun = minus(wide(max_spec), wide(change.elements));
        let is_more = is_negative(begun);
        let begun_depth = is_more.mux(max_spec, change.elements);
        // More elements: what does not fit is final.
        let pushed = minus(wide(self.room), wide(change.amount));
        let is_beyond = is_negative(pushed);
        let beyond = minus(change.amount, self.room).mask(is_beyond);
        let pushed_depth = is_beyond.mux(max_spec, self.depth.add(change.amount));
        // Fewer elements.
        let leaves = change.commits.or(change.cancels);
        let keep = |next: T, now: T| change.begins.or(change.pushes).or(leaves).mux(next, now);
        let depth = change.begins.mux(
            begun_depth,
            change
                .pushes
                .mux(pushed_depth, minus(self.depth, change.elements)),
        );
        let room = change.begins.mux(
            low(begun).mask(is_more.not()),
            change.pushes.mux(
                low(pushed).mask(is_beyond.not()),
                self.room.add(change.elements),
            ),
        );
        let now = change
            .pushes
            .mux(beyond, change.elements.mask(change.commits));

        // The oldest ones are those that the ring does not have.
        let reached = minus(wide(self.unseen), wide(self.final_s1));
        let all_seen = is_negative(reached);
        let seen = minus(self.final_s1, self.unseen).mask(all_seen);
        let less = change.cancels_unseen.mux(
            minus(self.unseen, change.back),
            low(reached).mask(all_seen.not()),
        );
        let live = change.clears.not();
        RingDepth {
            depth: keep(depth, self.depth).mask(live),
            room: keep(room, self.room),
            unseen: change.begins.mux(begun_depth, less).mask(live),
            final_s1: now.mask(live),
            seen_s2: seen.mask(live),
        }
    }

    /// Elements became final, and are not yet known as such at the old end.
    pub fn moves(&self) -> T {
        any(&[self.final_s1.any(), self.seen_s2.any()])
    }
}
