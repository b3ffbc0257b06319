// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cross triggers and the system trace macrocell: trace of a core does not need them.
//!
//! Source: Arm DDI 0480, DDI 0528; AMD UG1087, CORESIGHT_SOC_STM.

/// Cross trigger interface.
pub mod cti {
    use crate::map::register::registers;

    registers! {
        CONTROL control 0x000 1 ReadWrite Control 0 S "Enable." {
            GLBEN 0 1 "triggers are passed on",
        }
        APPSET appset 0x014 1 ReadWrite Control 0 S "Set channels." {
        }
        APPCLEAR appclear 0x018 1 WriteOnly Control _ S "Clear channels." {
        }
        APPPULSE apppulse 0x01C 1 WriteOnly Control _ S "Pulse channels." {
        }
        INEN inen 0x020 8 ReadWrite Configuration 0 S "Channels of each trigger input." {
        }
        OUTEN outen 0x0A0 8 ReadWrite Configuration 0 S "Channels of each trigger output." {
        }
        GATE gate 0x140 1 ReadWrite Configuration 0xF S "Channels that leave the interface." {
        }
    }
}

/// System trace macrocell.
pub mod stm {
    use crate::map::register::registers;

    registers! {
        SPER sper 0xE00 1 ReadWrite Configuration _ S "Stimulus ports that are on, a bit for each of 32." {
        }
        SPSCR spscr 0xE60 1 ReadWrite Configuration _ S "Which groups of 32 ports SPER is for." {
            PORTCTL 0 2 "0 is all groups",
            PORTSEL 20 12 "the group, otherwise",
        }
        SPMSCR spmscr 0xE64 1 ReadWrite Configuration _ S "Which masters SPSCR is for." {
            MASTCTL 0 1 "0 is all masters",
            MASTSEL 15 8 "the master, otherwise",
        }
        TCSR tcsr 0xE80 1 ReadWrite Control _ S "Control." {
            EN 0 1 "trace",
            TSEN 1 1 "timestamps",
            SYNCEN 2 1 "syncs; always 1",
            ID 16 7 "trace ID",
            BUSY 23 1 "trace is still on its way",
        }
        SYNCR syncr 0xE90 1 ReadWrite Configuration _ S "Period of syncs." {
            COUNT 3 9 "bytes between two syncs, in units of 8",
            MODE 12 1 "COUNT is an exponent",
        }
    }
}
