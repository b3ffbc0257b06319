// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of cores that follow a program: counts of its atoms, the window to its tables, address spaces.

/// Hands the rows of a core that follows a program at a trace port to the macro `$make`: its own, and between
/// them those that every such core has. `walk` and `write` are its own rows in front of the table window and in
/// it; the others are those of [`trace_port_registers!`](crate::trace_port_registers).
#[macro_export]
macro_rules! walk_registers {
    ($make:ident
        global { $($first:tt)* } walk { $($walk:tt)* } write { $($write:tt)* }
        source { $($source:tt)* } then { $($settings:tt)* } then { $($counts:tt)* } then { $($errors:tt)* }
    ) => {
        $crate::trace_port_registers! { $make
            global { $($first)* } then {
                ATOMS at 0x3C, "Atoms that were walked or skipped since the reset." {
                    snapshot COUNT(atoms)[0; 32] = 0, "Count modulo 2^32. Unaffected by CLEAR.";
                }
                SKIPPED_ATOMS at 0x40, "Those of ATOMS that were skipped because the place in the program was lost." {
                    snapshot COUNT(skipped_atoms)[0; 32] = 0, "Count modulo 2^32. Unaffected by CLEAR.";
                }
                DROPPED_ATOMS at 0x44, "Atoms that a full FIFO dropped since the reset." {
                    snapshot COUNT(dropped_atoms)[0; 32] = 0, "Saturating count. Unaffected by CLEAR.";
                }
                WAITING_ROWS at 0x48, "Rows of items that wait for the walker." {
                    live COUNT(waiting_rows)[0; 16] = 0, "Rows now.";
                }
                TAKEN_BACK_ATOMS at 0x4C, "Atoms that never became final since the reset: cancelled, or not committed where the place in the program was lost." {
                    snapshot COUNT(taken_back_atoms)[0; 32] = 0, "Saturating count. Unaffected by CLEAR.";
                }
                $($walk)*
                TABLE_LOW at 0x60, "A word of the flow table, low half." {
                    setting BITS(table_low)[0; 32] = 0, "Bits 31:0 of the word.";
                }
                TABLE_HIGH at 0x64, "A word of the flow table, high half." {
                    setting BITS(table_high)[0; 32] = 0, "Bits 63:32 of the word.";
                }
                $($write)*
                RULE_0 at 0x70, "First rule of address spaces: the first rule that holds gives its number to a context." {
                    setting VALID(rule_0)[0; 1] = 0, "There is a rule.";
                    setting USES_VMID(rule_0_uses_vmid)[1; 1] = 0, "It holds for one VMID.";
                    setting USES_CID(rule_0_uses_cid)[2; 1] = 0, "It holds for one context ID.";
                    setting LEVELS(rule_0_levels)[16; 16] = 0, "Exception levels and security states for which it holds: bit n is for bits 5, 3, 1 and 0 of a context information byte being n.";
                }
                RULE_0_VMID at 0x74, "Of the first rule." {
                    setting VMID(rule_0_vmid)[0; 32] = 0, "VMID.";
                }
                RULE_0_CID at 0x78, "Of the first rule." {
                    setting CID(rule_0_cid)[0; 32] = 0, "Context ID.";
                }
                RULE_1 at 0x80, "The second rule." {
                    setting VALID(rule_1)[0; 1] = 0, "There is a rule.";
                    setting USES_VMID(rule_1_uses_vmid)[1; 1] = 0, "It holds for one VMID.";
                    setting USES_CID(rule_1_uses_cid)[2; 1] = 0, "It holds for one context ID.";
                    setting LEVELS(rule_1_levels)[16; 16] = 0, "Exception levels and security states for which it holds: bit n is for bits 5, 3, 1 and 0 of a context information byte being n.";
                }
                RULE_1_VMID at 0x84, "Of the second rule." {
                    setting VMID(rule_1_vmid)[0; 32] = 0, "VMID.";
                }
                RULE_1_CID at 0x88, "Of the second rule." {
                    setting CID(rule_1_cid)[0; 32] = 0, "Context ID.";
                }
                RULE_2 at 0x90, "The third rule." {
                    setting VALID(rule_2)[0; 1] = 0, "There is a rule.";
                    setting USES_VMID(rule_2_uses_vmid)[1; 1] = 0, "It holds for one VMID.";
                    setting USES_CID(rule_2_uses_cid)[2; 1] = 0, "It holds for one context ID.";
                    setting LEVELS(rule_2_levels)[16; 16] = 0, "Exception levels and security states for which it holds: bit n is for bits 5, 3, 1 and 0 of a context information byte being n.";
                }
                RULE_2_VMID at 0x94, "Of the third rule." {
                    setting VMID(rule_2_vmid)[0; 32] = 0, "VMID.";
                }
                RULE_2_CID at 0x98, "Of the third rule." {
                    setting CID(rule_2_cid)[0; 32] = 0, "Context ID.";
                }
                RULE_3 at 0xa0, "The fourth rule." {
                    setting VALID(rule_3)[0; 1] = 0, "There is a rule.";
                    setting USES_VMID(rule_3_uses_vmid)[1; 1] = 0, "It holds for one VMID.";
                    setting USES_CID(rule_3_uses_cid)[2; 1] = 0, "It holds for one context ID.";
                    setting LEVELS(rule_3_levels)[16; 16] = 0, "Exception levels and security states for which it holds: bit n is for bits 5, 3, 1 and 0 of a context information byte being n.";
                }
                RULE_3_VMID at 0xa4, "Of the fourth rule." {
                    setting VMID(rule_3_vmid)[0; 32] = 0, "VMID.";
                }
                RULE_3_CID at 0xa8, "Of the fourth rule." {
                    setting CID(rule_3_cid)[0; 32] = 0, "Context ID.";
                }
            }
            source { $($source)* } then { $($settings)* } then { $($counts)* } then { $($errors)* }
        }
    };
}
