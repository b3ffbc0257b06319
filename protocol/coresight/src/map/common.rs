// SPDX-License-Identifier: MIT OR Apache-2.0
//! The management registers of every component.
//!
//! Source: Arm IHI 0029, programmers' model.

use super::register::registers;

/// Writing this to [`LAR`] unlocks a component; any other value locks it.
pub const UNLOCK_KEY: u32 = 0xC5AC_CE55;

/// Nibble CIDR1\[7:4\] of a CoreSight component.
pub const CORESIGHT_CLASS: u32 = 9;

/// Reads of a component whose class is not known may use offsets from here on, because others fault.
pub const FIRST_IDENTITY_OFFSET: u32 = 0xFD0;

/// Reads of a component whose kind is not known may use offsets from here on.
pub const FIRST_MANAGEMENT_OFFSET: u32 = 0xF00;

registers! {
    ITCTRL itctrl 0xF00 1 ReadWrite Control 0 S "Integration mode: afterwards the system must be reset." {
        IME 0 1 "integration mode",
    }
    CLAIMSET claimset 0xFA0 1 ReadWrite Access _ M "Write 1 to set a claim tag; reads the tags that exist." {
        EXTERNAL 0 1 "the claim of an external debugger",
        SELF_HOSTED 1 1 "the claim of software on the target",
    }
    CLAIMCLR claimclr 0xFA4 1 ReadWrite Access 0 M "Write 1 to clear a claim tag; reads the tags that are set." {
    }
    LAR lar 0xFB0 1 WriteOnly Access _ S "Software lock." {
    }
    LSR lsr 0xFB4 1 ReadOnly Access _ S "Software lock; writes to a locked component are ignored. A debugger reads 0." {
        IMPLEMENTED 0 1 "there is a lock",
        LOCKED 1 1 "writes are ignored",
    }
    AUTHSTATUS authstatus 0xFB8 1 ReadOnly Identity _ S "What the system allows; 3 is on." {
        NSID 0 2 "non-secure invasive debug, which an ETR needs",
        NSNID 2 2 "non-secure non-invasive debug, which a trace unit needs",
        SID 4 2 "secure invasive debug",
        SNID 6 2 "secure non-invasive debug",
    }
    DEVARCH devarch 0xFBC 1 ReadOnly Identity _ S "Architecture: 4A13 ETMv4, 5A13 ETE, 1A14 CTI, 0AF7 ROM table." {
        ARCHID 0 16 "which architecture",
        PRESENT 20 1 "the register says something",
    }
    DEVID devid 0xFC8 1 ReadOnly Identity _ S "What the component can do; its own fields." {
    }
    DEVTYPE devtype 0xFCC 1 ReadOnly Identity _ S "Major and sub-type." {
        TYPE 0 8 "sub-type above major type",
    }
    PIDR4 pidr4 0xFD0 1 ReadOnly Identity _ S "Peripheral identification 4." {
    }
    PIDR0 pidr0 0xFE0 1 ReadOnly Identity _ S "Peripheral identification 0." {
        PART_LOW 0 8 "part number, low byte",
    }
    PIDR1 pidr1 0xFE4 1 ReadOnly Identity _ S "Peripheral identification 1." {
        PART_HIGH 0 4 "part number, high nibble",
        DESIGNER 4 4 "designer, low nibble: B is Arm",
    }
    PIDR2 pidr2 0xFE8 1 ReadOnly Identity _ S "Peripheral identification 2." {
    }
    PIDR3 pidr3 0xFEC 1 ReadOnly Identity _ S "Peripheral identification 3." {
    }
    CIDR0 cidr0 0xFF0 1 ReadOnly Identity 0x0D S "Component identification 0." {
    }
    CIDR1 cidr1 0xFF4 1 ReadOnly Identity _ S "Component identification 1." {
        CLASS 4 4 "1 is a ROM table, 9 a CoreSight component",
    }
    CIDR2 cidr2 0xFF8 1 ReadOnly Identity 0x05 S "Component identification 2." {
    }
    CIDR3 cidr3 0xFFC 1 ReadOnly Identity 0xB1 S "Component identification 3." {
    }
}
