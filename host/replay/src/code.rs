// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a replayer knows of a program: where its branches are.

use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::compressed::item::Note;

/// A branch of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its address.
    pub address: u64,
    /// What it is.
    pub kind: BranchKind,
    /// Where it leads if it is direct.
    pub target: u64,
}

/// The branches of a program whose instructions have four bytes.
pub trait Code {
    /// The first branch at this address or behind it.
    fn branch_from(&self, address: u64) -> Option<Site>;

    /// What the trace says of the code from here on.
    fn note(&self, _note: &Note) {}
}

/// Branches in a list.
#[derive(Clone, Debug, Default)]
pub struct Sites(Vec<Site>);

impl Sites {
    /// Of these branches, in any order.
    pub fn new(mut sites: Vec<Site>) -> Sites {
        sites.sort_by_key(|site| site.address);
        Sites(sites)
    }
}

impl Code for Sites {
    fn branch_from(&self, address: u64) -> Option<Site> {
        let at = self.0.partition_point(|site| site.address < address);
        self.0.get(at).copied()
    }
}

/// Bytes of an instruction.
pub const INSTRUCTION_BYTES: u64 = 4;

/// Instructions from an address up to one behind it, that one included.
pub fn instructions_up_to(address: u64, last: u64) -> u64 {
    (last - address) / INSTRUCTION_BYTES + 1
}

/// The address behind an instruction.
pub fn behind(address: u64) -> u64 {
    address.wrapping_add(INSTRUCTION_BYTES)
}
