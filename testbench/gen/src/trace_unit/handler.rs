// SPDX-License-Identifier: MIT OR Apache-2.0
//! A handler of exceptions at EL1: a test of a register, a call, and the return to the program.

use super::image::Page;
use crate::btr::SiteKind;
use coretrace_isa::Isa;

/// The page with the vectors.
const VECTORS: u64 = 0xFFFF_0000_0808_2000;
/// Where the exceptions of each kind lead, for programs in A64 and those in A32.
const VECTOR_OFFSETS: [[u64; 2]; 2] = [[0x400, 0x480], [0x600, 0x680]];

const NOP: u32 = 0xD503_201F;
/// The code behind each vector.
const CODE: [u32; 8] = [
    NOP,
    // cbz x0, #12
    0xB400_0060,
    // bl #16
    0x9400_0004,
    NOP,
    // eret
    0xD69F_03E0,
    NOP,
    NOP,
    // ret
    0xD65F_03C0,
];

/// A reported instruction of the handler.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Offsets from the vector: where its block begins, the instruction, and what comes next.
    pub start: u64,
    pub branch: u64,
    pub next: u64,
    pub taken: bool,
    pub kind: SiteKind,
}

const fn step(start: u64, branch: u64, next: u64, taken: bool, kind: u64) -> Step {
    Step {
        start,
        branch,
        next,
        taken,
        kind: SiteKind(SiteKind::BRANCH.0 | kind),
    }
}

/// The way through the handler up to the return from the exception.
pub const STEPS: [Step; 3] = [
    step(0x00, 0x04, 0x08, false, SiteKind::CONDITIONAL.0),
    step(0x08, 0x08, 0x18, true, SiteKind::LINK.0),
    step(
        0x18,
        0x1C,
        0x0C,
        true,
        SiteKind::INDIRECT.0 | SiteKind::RETURN.0,
    ),
];
/// The return from the exception: the offset of its block, and its own.
pub const RETURN: (u64, u64) = (0x0C, 0x10);

/// The address of the handler for a program of this instruction set.
pub fn vector(isa: Isa, is_interrupt: bool) -> u64 {
    VECTORS + VECTOR_OFFSETS[usize::from(isa != Isa::A64)][usize::from(is_interrupt)]
}

/// The page with all of them.
pub fn page() -> Page {
    let mut page = Page::new(VECTORS);
    for offset in VECTOR_OFFSETS.as_flattened() {
        for (address, word) in (VECTORS + offset..).step_by(4).zip(CODE) {
            page.put(address, word);
        }
    }
    page
}
