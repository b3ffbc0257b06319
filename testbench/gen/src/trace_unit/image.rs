// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory in which a branch trace could have been executed. A branch trace has no instructions, so
//! they are made of its sites: a branch with the right kind and target, and NOP between branches.

use crate::btr::{BranchTrace, INSTRUCTION_BYTES, Site, SiteKind};
use coretrace_isa::Isa;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;
const PAGE: u64 = PAGE_BYTES as u64;
/// Pages of a program, at most: 256 MiB.
const MOST_PAGES: usize = 1 << 16;

/// A page of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Address of its first byte.
    pub address: u64,
    /// [`PAGE_BYTES`] bytes.
    pub bytes: Vec<u8>,
}

impl Page {
    pub(super) fn new(address: u64) -> Page {
        Page {
            address,
            bytes: vec![0; PAGE_BYTES],
        }
    }

    /// Puts an instruction at an address of the page.
    pub(super) fn put(&mut self, address: u64, word: u32) {
        let offset = ((address % PAGE) & !3) as usize;
        self.bytes[offset..offset + 4].copy_from_slice(&word.to_le_bytes());
    }
}

/// No memory can hold this site: its target is too far away, another one is at its address, or the
/// program has more than 256 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoInstruction(pub Site);

impl fmt::Display for NoInstruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Site {
            address,
            target,
            kind,
        } = self.0;
        write!(
            f,
            "no instruction at {address:#x} can be of kind {} with target {target:#x}",
            kind.0
        )
    }
}

impl std::error::Error for NoInstruction {}

/// The pages that a program executed, by address.
///
/// # Errors
/// If a site cannot be an instruction.
pub fn pages_of(trace: &BranchTrace) -> Result<Vec<Page>, NoInstruction> {
    let mut pages = BTreeMap::new();
    let mut address = trace.start;
    let mut newest = None;
    for record in trace.records() {
        let last = trace.sites[record.site].address;
        // A loop stays in its page.
        if newest != Some((address / PAGE, last / PAGE)) {
            newest = Some((address / PAGE, last / PAGE));
            for number in address / PAGE..=last / PAGE {
                pages
                    .entry(number)
                    .or_insert_with(|| empty(trace.isa, number * PAGE));
                if pages.len() > MOST_PAGES {
                    return Err(NoInstruction(trace.sites[record.site]));
                }
            }
        }
        address = record.next;
    }
    let mut taken = BTreeMap::new();
    for site in &trace.sites {
        let word = instruction(trace.isa, site).ok_or(NoInstruction(*site))?;
        match taken.entry(site.address) {
            Entry::Occupied(other) if *other.get() != word => return Err(NoInstruction(*site)),
            entry => *entry.or_insert(word),
        };
        if let Some(page) = pages.get_mut(&(site.address / PAGE)) {
            page.put(site.address, word);
        }
    }
    Ok(pages.into_values().collect())
}

fn empty(isa: Isa, address: u64) -> Page {
    let nop = nop(isa).to_le_bytes();
    Page {
        address,
        bytes: nop.repeat(PAGE_BYTES / nop.len()),
    }
}

fn nop(isa: Isa) -> u32 {
    if isa == Isa::A64 {
        0xD503_201F
    } else {
        0xE320_F000
    }
}

/// The instruction of a site.
fn instruction(isa: Isa, site: &Site) -> Option<u32> {
    match isa {
        Isa::A64 => a64(site),
        _ => a32(site),
    }
}

/// A distance in instructions, if it fits a signed field of so many bits.
fn offset(site: &Site, base: u64, bits: u32) -> Option<u32> {
    let bytes = site.target.wrapping_sub(site.address.wrapping_add(base)) as i64;
    let words = bytes / INSTRUCTION_BYTES as i64;
    let limit = 1i64 << (bits - 1);
    (bytes % INSTRUCTION_BYTES as i64 == 0 && (-limit..limit).contains(&words))
        .then_some(words as u32 & ((1 << bits) - 1))
}

fn a64(site: &Site) -> Option<u32> {
    let kind = site.kind;
    let word = if !kind.is(SiteKind::BRANCH) {
        match kind {
            _ if kind.is(SiteKind::SUPERVISOR_CALL) => 0xD400_0001,
            _ if kind.is(SiteKind::BARRIER) => 0xD503_3FDF,
            _ => nop(Isa::A64),
        }
    } else if kind.is(SiteKind::INDIRECT) {
        match kind {
            _ if kind.is(SiteKind::CONDITIONAL) => return None,
            _ if kind.is(SiteKind::RETURN) => 0xD65F_03C0,
            _ if kind.is(SiteKind::LINK) => 0xD63F_0200,
            _ => 0xD61F_0200,
        }
    } else if kind.is(SiteKind::CONDITIONAL) {
        if kind.is(SiteKind::LINK) {
            return None;
        }
        // b.ne
        0x5400_0001 | offset(site, 0, 19)? << 5
    } else {
        0x1400_0000 | u32::from(kind.is(SiteKind::LINK)) << 31 | offset(site, 0, 26)?
    };
    Some(word)
}

fn a32(site: &Site) -> Option<u32> {
    let kind = site.kind;
    // Not equal, or always.
    let condition = if kind.is(SiteKind::CONDITIONAL) {
        0x1000_0000
    } else {
        0xE000_0000
    };
    let word = if !kind.is(SiteKind::BRANCH) {
        match kind {
            _ if kind.is(SiteKind::SUPERVISOR_CALL) => 0x0F00_0000,
            // mcr p15, 0, r0, c7, c5, 4: the barrier that can have a condition.
            _ if kind.is(SiteKind::BARRIER) => 0x0E07_0F95,
            _ => return Some(nop(Isa::A32)),
        }
    } else if kind.is(SiteKind::INDIRECT) {
        match kind {
            _ if kind.is(SiteKind::RETURN) => 0x012F_FF1E,
            _ if kind.is(SiteKind::LINK) => 0x012F_FF33,
            _ => 0x012F_FF13,
        }
    } else {
        0x0A00_0000 | u32::from(kind.is(SiteKind::LINK)) << 24 | offset(site, 8, 24)?
    };
    Some(condition | word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_isa::{Class, Return, decode};

    #[test]
    fn an_instruction_is_what_its_site_says() {
        let address = 0x40_1000;
        for isa in [Isa::A64, Isa::A32] {
            for kind in (0..8).map(|bits| SiteKind(128 | bits)) {
                for target in [address - 0x2_0000, address, address + 0x7FFC] {
                    let is_indirect = kind.is(SiteKind::INDIRECT);
                    let site = Site {
                        address,
                        target: if is_indirect { 0 } else { target },
                        kind,
                    };
                    let Some(word) = instruction(isa, &site) else {
                        let is_conditional = kind.is(SiteKind::CONDITIONAL);
                        assert!(
                            isa == Isa::A64 && is_conditional && kind.0 & 6 != 0,
                            "{site:?}"
                        );
                        continue;
                    };
                    let found = decode(isa, word, address);
                    let class = if is_indirect {
                        Class::Indirect
                    } else {
                        Class::Direct
                    };
                    let is_link = kind.is(SiteKind::LINK);
                    assert_eq!((found.class, found.is_link), (class, is_link), "{site:?}");
                    assert_eq!(found.is_conditional, kind.is(SiteKind::CONDITIONAL));
                    assert_eq!(found.target, (!is_indirect).then_some((isa, target)));
                }
            }
            let back = Site {
                address,
                target: 0,
                kind: SiteKind(128 | 2 | 8),
            };
            let word = instruction(isa, &back).expect("a return");
            assert_ne!(decode(isa, word, address).returns, Return::None);
            let other = |kind| {
                let site = Site {
                    address,
                    target: 0,
                    kind,
                };
                decode(isa, instruction(isa, &site).expect("a word"), address).class
            };
            assert_eq!(other(SiteKind::BARRIER), Class::Barrier);
            assert_eq!(other(SiteKind::SUPERVISOR_CALL), Class::Other);
            assert_eq!(other(SiteKind::DISCONTINUITY), Class::Other);
        }
    }

    #[test]
    fn a_branch_that_is_too_far_has_no_instruction() {
        let site = Site {
            address: 0x1000,
            target: 0x4000_0000,
            kind: SiteKind::BRANCH.and(SiteKind::CONDITIONAL),
        };
        assert_eq!(instruction(Isa::A64, &site), None);
    }
}
