// SPDX-License-Identifier: MIT OR Apache-2.0
//! Atoms that wait for a packet.

use coretrace_etm::atom::ATOMS;
use coretrace_etm::{HEADERS, Kind, Packet};

/// The most atoms that a packet holds.
const MOST: u32 = 24;

/// An Atom packet.
#[derive(Clone, Copy, Debug)]
struct Form {
    count: u32,
    /// The oldest in bit 0; 1 is E.
    pattern: u32,
    header: u8,
    kind: Kind,
}

/// Collects atoms, and packs them as densely as one packet after the other allows.
#[derive(Clone, Debug)]
pub struct AtomPackets {
    /// Those with more atoms first.
    forms: Vec<Form>,
    bits: u32,
    count: u32,
}

impl Default for AtomPackets {
    fn default() -> AtomPackets {
        let mut forms: Vec<Form> = (0..=255u8)
            .map(|header| Form {
                count: ATOMS[usize::from(header)].count.into(),
                pattern: ATOMS[usize::from(header)].pattern(),
                header,
                kind: HEADERS[usize::from(header)].kind,
            })
            .filter(|form| form.kind.is_atoms())
            .collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.count));
        AtomPackets {
            forms,
            bits: 0,
            count: 0,
        }
    }
}

impl AtomPackets {
    /// Takes an atom; `true` is E. Returns a packet once there are enough.
    pub fn push(&mut self, taken: bool) -> Option<Packet> {
        self.bits |= u32::from(taken) << self.count;
        self.count += 1;
        if self.count == MOST { self.pop() } else { None }
    }

    /// The packet of the oldest atoms.
    pub fn pop(&mut self) -> Option<Packet> {
        let fits = |form: &&Form| {
            form.count <= self.count && self.bits & ((1 << form.count) - 1) == form.pattern
        };
        let form = *self.forms.iter().find(fits)?;
        self.bits >>= form.count;
        self.count -= form.count;
        Some(Packet::new(form.kind, form.header))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn packets_have_the_atoms_in_their_order() {
        for seed in 0..200 {
            let mut rng = crate::rng(seed);
            let share = rng.random_range(0.0..1.0);
            let atoms: Vec<bool> = (0..500).map(|_| rng.random_bool(share)).collect();
            let mut packer = AtomPackets::default();
            let mut packets: Vec<Packet> =
                atoms.iter().filter_map(|&atom| packer.push(atom)).collect();
            packets.extend(std::iter::from_fn(|| packer.pop()));
            let read = packets
                .iter()
                .flat_map(|packet| packet.atoms().iter().collect::<Vec<_>>());
            assert!(read.eq(atoms.iter().copied()), "seed {seed}");
        }
    }

    #[test]
    fn a_run_of_taken_branches_is_one_packet_of_24() {
        let mut packer = AtomPackets::default();
        let packets: Vec<Packet> = (0..48).filter_map(|_| packer.push(true)).collect();
        assert_eq!(
            packets.iter().map(|p| p.header).collect::<Vec<_>>(),
            [0xD4; 2]
        );
    }
}
