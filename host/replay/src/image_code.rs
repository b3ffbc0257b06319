// SPDX-License-Identifier: MIT OR Apache-2.0
//! The branches in images of a program.

use std::cell::RefCell;
use std::collections::HashMap;

use coretrace_abi::compressed::branch::BranchKind;
use coretrace_flow::{ImageSet, Images};
use coretrace_isa::{Class, Instruction, Isa, Return, decode};

use crate::code::{Code, INSTRUCTION_BYTES, Site};

/// Instructions without a branch, at most: more are no program.
const MOST: u64 = 1 << 20;

/// The code that a context sees.
#[derive(Debug)]
pub struct ImageCode {
    images: Images,
    set: ImageSet,
    isa: Isa,
    /// Branches that have been looked for.
    known: RefCell<HashMap<u64, Option<Site>>>,
}

impl ImageCode {
    /// A64 or A32 code in these images.
    pub fn new(images: Images, set: ImageSet, isa: Isa) -> ImageCode {
        ImageCode {
            images,
            set,
            isa,
            known: RefCell::default(),
        }
    }

    fn site_at(&self, address: u64) -> Option<Option<Site>> {
        let bytes = self.images.at(self.set, address).first_chunk()?;
        let instruction = decode(self.isa, u32::from_le_bytes(*bytes), address);
        let is_branch = matches!(instruction.class, Class::Direct | Class::Indirect);
        Some(is_branch.then(|| Site {
            address,
            kind: kind(&instruction),
            target: instruction.target.map_or(0, |(_, target)| target),
        }))
    }

    fn look_for(&self, start: u64) -> Option<Site> {
        let mut address = start;
        for _ in 0..MOST {
            if let Some(site) = self.site_at(address)? {
                return Some(site);
            }
            address = address.checked_add(INSTRUCTION_BYTES)?;
        }
        None
    }
}

impl Code for ImageCode {
    fn branch_from(&self, address: u64) -> Option<Site> {
        if let Some(known) = self.known.borrow().get(&address) {
            return *known;
        }
        let site = self.look_for(address);
        self.known.borrow_mut().insert(address, site);
        site
    }
}

fn kind(instruction: &Instruction) -> BranchKind {
    let is_return = matches!(instruction.returns, Return::Function | Return::Implied);
    let kinds = [
        (instruction.is_conditional, BranchKind::CONDITIONAL),
        (instruction.class == Class::Indirect, BranchKind::INDIRECT),
        (instruction.is_link, BranchKind::LINK),
        (is_return, BranchKind::RETURN),
    ];
    let has = kinds.into_iter().filter(|(has, _)| *has);
    has.fold(BranchKind::default(), |all, (_, kind)| all.and(kind))
}
