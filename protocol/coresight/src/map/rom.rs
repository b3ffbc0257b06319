// SPDX-License-Identifier: MIT OR Apache-2.0
//! ROM tables: where the components of a chip are.
//!
//! Source: Arm IHI 0029, ROM tables.

use super::register::registers;

/// Nibble CIDR1\[7:4\] of a table.
pub const CLASS: u32 = 1;

/// DEVARCH\[15:0\] of a table that is a CoreSight component.
pub const ARCHID: u32 = 0x0AF7;

registers! {
    ENTRY entry 0x000 960 ReadOnly Identity _ S "A component or another table; 0 ends the table." {
        PRESENT 0 1 "there is one",
        WIDE 1 1 "the table has entries of 32 bits",
        OFFSET 12 20 "bits 31:12 of its address less that of the table",
    }
}
