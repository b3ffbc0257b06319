// SPDX-License-Identifier: MIT OR Apache-2.0
//! Modules: code that is loaded together, in the address spaces that have it.

use coretrace_abi::flow_table::{NO_SPACE, page_number, unit};
use coretrace_flow::ImageSet;
use coretrace_isa::Isa;

use crate::section::Section;
use crate::spaces::AddressSpaces;

/// Address spaces, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceMask(pub u16);

impl SpaceMask {
    /// All of them.
    pub const ANY: SpaceMask = SpaceMask(u16::MAX);

    /// The numbers of the spaces, but for [`NO_SPACE`].
    pub fn spaces(self) -> impl Iterator<Item = u8> {
        (0..NO_SPACE).filter(move |space| self.0 >> space & 1 == 1)
    }
}

/// Code that is loaded together. It has its pages for itself, in each of its address spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The instruction set as which it is read.
    pub isa: Isa,
    /// The address spaces that have it.
    pub spaces: SpaceMask,
    /// Its code, in the order of the addresses; sections do not touch each other.
    pub sections: Vec<Section>,
}

/// A part of an image.
type Part<'i> = (u64, &'i [u8], usize);

impl AddressSpaces {
    /// What is in memory, read as code of these instruction sets.
    pub fn modules(&self, isas: &[Isa]) -> Vec<Module> {
        let mut modules = Vec::new();
        for &isa in isas {
            let islands = self.sets.iter().map(|set| self.islands(*set, isa));
            let islands: Vec<Vec<Vec<Part<'_>>>> = islands.collect();
            for (space, own) in islands.iter().enumerate() {
                for island in own {
                    let has = |other: &Vec<Vec<Part<'_>>>| other.iter().any(|it| same(it, island));
                    if islands[..space].iter().any(has) {
                        continue;
                    }
                    modules.push(Module {
                        isa,
                        spaces: mask(islands.iter().map(has)),
                        sections: sections(island),
                    });
                }
            }
        }
        modules
    }

    /// The parts that share pages, or touch each other.
    fn islands(&self, set: ImageSet, isa: Isa) -> Vec<Vec<Part<'_>>> {
        let mut islands: Vec<Vec<Part<'_>>> = Vec::new();
        let page = |address: u64| unit(isa, address).map(|unit| page_number(isa, unit));
        let last = |part: &Part<'_>| part.0.wrapping_add(part.1.len() as u64 - 1);
        // No table has addresses beyond these.
        let has_units = |part: &Part<'_>| {
            let is_wide = isa != Isa::A64 && last(part) > u32::MAX.into();
            !is_wide && page(part.0).is_some() && page(last(part)).is_some()
        };
        for part in self.images.parts(set).filter(has_units) {
            let belongs = |before: &Part<'_>| {
                let before = last(before);
                before.wrapping_add(1) == part.0 || page(before) == page(part.0)
            };
            match islands.last_mut() {
                Some(island) if island.last().is_some_and(belongs) => island.push(part),
                _ => islands.push(vec![part]),
            }
        }
        islands
    }
}

fn same(one: &[Part<'_>], other: &[Part<'_>]) -> bool {
    let place = |part: &Part<'_>| (part.0, part.1.len(), part.2);
    one.iter().map(place).eq(other.iter().map(place))
}

fn mask(has: impl Iterator<Item = bool>) -> SpaceMask {
    let (mut mask, mut all) = (0, true);
    for (space, has) in has.enumerate() {
        mask |= u16::from(has) << space;
        all &= has;
    }
    if all { SpaceMask::ANY } else { SpaceMask(mask) }
}

/// Parts that touch each other are one.
fn sections(island: &[Part<'_>]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for (address, bytes, _) in island {
        match sections.last_mut() {
            Some(last) if last.address.wrapping_add(last.bytes.len() as u64) == *address => {
                last.bytes.extend_from_slice(bytes);
            }
            _ => sections.push(Section {
                address: *address,
                bytes: bytes.to_vec(),
            }),
        }
    }
    sections
}
