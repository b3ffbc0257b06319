// SPDX-License-Identifier: MIT OR Apache-2.0
//! SVC, HVC and SMC: instructions that take an exception. A trace unit has an exception for them and no
//! atom; an encoder takes them as branches, which lead to the handler or, if that is not traced, to
//! where the program goes on.
//!
//! An SVC of A32 that has a condition is no branch. An ERET is an indirect branch to a trace unit, and so
//! it is here.
//!
//! Source: Arm Architecture Reference Manual, ARM DDI 0487.

use coretrace_isa::Isa;

/// Masks and values of the instructions.
const A64: [(u32, u32); 3] = [
    (0xFFE0_001F, 0xD400_0001),
    (0xFFE0_001F, 0xD400_0002),
    (0xFFE0_001F, 0xD400_0003),
];
/// See [`A64`].
const A32: [(u32, u32); 3] = [
    (0xFF00_0000, 0xEF00_0000),
    (0xFFF0_00F0, 0xE140_0070),
    (0xFFF0_00F0, 0xE160_0070),
];

/// Whether an instruction of A64 or A32 is one of them.
pub fn is_exception_call(isa: Isa, word: u32) -> bool {
    let instructions = match isa {
        Isa::A64 => A64,
        Isa::A32 => A32,
        Isa::T32 => return false,
    };
    let mut instructions = instructions.iter();
    instructions.any(|(mask, value)| word & mask == *value)
}
