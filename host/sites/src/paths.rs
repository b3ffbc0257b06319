// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths: where the atoms of a few packets lead from a site, so that a path that is known is one step.
//!
//! A path is the key of a cache: a site, and the atom packets from there on as they come, up to a limit
//! or to whatever is no atom. Its value is the place behind it, and how often it was found. Sums do
//! not care about order: the branches of a path are counted when it leaves the cache, or is read out,
//! as often as it was found. So the sums are those of the walk.
//!
//! This is for trace units without a return stack: with one, a path has targets that the atoms do not
//! say.

mod cache;
mod unit;

pub use cache::{PathCache, Replacement};
pub use unit::PathUnit;

use crate::event::Event;
use crate::merge::{Hop, MOST_NOT_TAKEN, Token};
use crate::table::FlowTable;
use crate::walk::{PathEnd, Walk, WalkSettings};

/// The most packets of a path.
pub const MOST_PACKETS: usize = 16;

/// Atom packets from a site on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    site: u32,
    /// The atoms of each packet, the oldest in bit 0, and a 1 above them; 0 behind the last one.
    packets: [u32; MOST_PACKETS],
    count: u8,
}

impl Path {
    /// No atoms yet, from a site on.
    pub fn new(site: u32) -> Path {
        Path {
            site,
            packets: [0; MOST_PACKETS],
            count: 0,
        }
    }

    /// The site.
    pub fn site(&self) -> u32 {
        self.site
    }

    /// Packets.
    pub fn packets(&self) -> usize {
        self.count.into()
    }

    /// Adds the atoms of a packet, at most 24.
    ///
    /// # Panics
    /// If there are [`MOST_PACKETS`].
    pub fn push(&mut self, bits: u32, count: u8) {
        let count = count.min(24);
        let mask = (1 << count) - 1;
        self.packets[self.packets()] = bits & mask | 1 << count;
        self.count += 1;
    }

    /// The same packets from another site on.
    #[must_use]
    pub fn from(self, site: u32) -> Path {
        Path { site, ..self }
    }

    /// Its atoms, packet by packet: bits, and how many.
    pub fn atoms(&self) -> impl Iterator<Item = (u32, u8)> {
        let packets = self.packets[..self.packets()].iter();
        packets.map(|packet| {
            let count = packet.ilog2();
            (packet ^ 1 << count, count as u8)
        })
    }

    /// Walks along it: `taken` gets the branches. None if the atoms cannot be there.
    pub fn walk(&self, table: &FlowTable, mut taken: impl FnMut(u32)) -> Option<PathEnd> {
        let mut walk = Walk::new(WalkSettings::default());
        walk.find(0, self.site, &mut |_| ());
        let (mut is_lost, mut hops, mut last) = (false, 0, None);
        let mut step = |walk: &mut Walk, hop: Hop| {
            hops += 1;
            walk.token(&Token::Hop(hop), table, &mut |event| match event {
                Event::Taken { site } => {
                    last = Some(site);
                    taken(site);
                }
                Event::Lost { .. } => is_lost = true,
                _ => {}
            });
        };
        let mut hop = Hop::default();
        for (bits, count) in self.atoms() {
            for atom in 0..count {
                hop.taken = bits >> atom & 1 == 1;
                hop.not_taken += u32::from(!hop.taken);
                if hop.taken || hop.not_taken == MOST_NOT_TAKEN {
                    step(&mut walk, std::mem::take(&mut hop));
                }
            }
        }
        if hop != Hop::default() {
            step(&mut walk, hop);
        }
        let at = walk.at_in_flow()?;
        (!is_lost).then_some(PathEnd {
            at,
            taken: last,
            newest: walk.newest(),
            hops,
        })
    }

    /// A number that differs for most paths.
    fn hash(&self) -> u64 {
        let packets = self.packets[..self.packets()].iter();
        let words = packets.copied().chain([self.site]);
        let sum = words.fold(0, |sum: u64, word| {
            (sum.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        sum ^ sum >> 32
    }
}
