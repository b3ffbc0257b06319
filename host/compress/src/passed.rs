// SPDX-License-Identifier: MIT OR Apache-2.0
//! Branches within a range: no trace unit reports them.

use std::collections::HashMap;
use std::ops::Range;

use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::compressed::exception_call::is_exception_call;
use coretrace_flow::{ImageSet, Images};
use coretrace_isa::{Class, Instruction, Isa, Return, decode};

/// Bytes of an instruction of A64 or A32.
pub const INSTRUCTION_BYTES: u64 = 4;

/// The first branch or exception call from an address on, where it has been looked for.
#[derive(Debug, Default)]
pub struct FirstBranches {
    known: HashMap<(ImageSet, u64), u64>,
}

impl FirstBranches {
    /// The first branch or exception call of A64 or A32 code within some addresses.
    pub fn within(
        &mut self,
        images: &Images,
        set: ImageSet,
        isa: Isa,
        addresses: Range<u64>,
    ) -> Option<(u64, BranchKind)> {
        let at = |address| {
            let bytes = images.at(set, address).first_chunk()?;
            let word = u32::from_le_bytes(*bytes);
            if is_exception_call(isa, word) {
                return Some((address, BranchKind::EXCEPTION));
            }
            let Instruction {
                is_conditional,
                class,
                is_link,
                returns,
                ..
            } = decode(isa, word, address);
            let is_branch = matches!(class, Class::Direct | Class::Indirect);
            is_branch.then(|| (address, kind(is_conditional, class, is_link, returns)))
        };
        let key = (set, addresses.start);
        if let Some(&first) = self.known.get(&key) {
            return at(first).filter(|_| first < addresses.end);
        }
        // The end of a range is a branch as a rule.
        let all = (addresses.start..=addresses.end).step_by(INSTRUCTION_BYTES as usize);
        let (first, kind) = all.into_iter().find_map(at)?;
        self.known.insert(key, first);
        (first < addresses.end).then_some((first, kind))
    }
}

/// The kind of a branch.
pub fn kind(is_conditional: bool, class: Class, is_link: bool, returns: Return) -> BranchKind {
    let is_return = matches!(returns, Return::Function | Return::Implied);
    let has = |yes: bool, kind: BranchKind| if yes { kind } else { BranchKind::default() };
    has(is_conditional, BranchKind::CONDITIONAL)
        .and(has(class == Class::Indirect, BranchKind::INDIRECT))
        .and(has(is_link, BranchKind::LINK))
        .and(has(is_return, BranchKind::RETURN))
}
