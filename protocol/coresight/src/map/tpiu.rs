// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace port interface unit.
//!
//! A stopped TPIU takes trace and drops it, so that nothing before it stalls.
//!
//! Source: Arm DDI 0480, TPIU.

use super::register::registers;

/// CSPSR: the bit of a port of 32 pins.
pub const PORT_32: u32 = 0x8000_0000;

/// FSCR: frames between full syncs after reset.
pub const FULL_SYNC_FRAMES: u32 = 0x40;

registers! {
    SSPSR sspsr 0x000 1 ReadOnly Identity _ S "Supported port sizes, bit n for n + 1 pins." {
    }
    CSPSR cspsr 0x004 1 ReadWrite Configuration 1 S "Current port size, one bit; changed only while stopped." {
    }
    TESTPATTERN testpattern 0x204 1 ReadWrite Configuration 0 S "Test patterns." {
        PATTERN 0 4 "walking 1, walking 0, AA/55, FF/00",
        MODE 16 2 "timed, continuous",
    }
    TPRCR tprcr 0x208 1 ReadWrite Configuration 0 S "Cycles of a timed pattern." {
    }
    FFSR ffsr 0x300 1 ReadOnly Status _ S "State of the formatter." {
        FL_IN_PROG 0 1 "a flush goes on",
        FT_STOPPED 1 1 "the formatter has stopped",
    }
    FFCR ffcr 0x304 1 ReadWrite Control 0 M "Formatter and flush. A stop by manual flush is two writes." {
        EN_FTC 0 1 "format",
        EN_FCONT 1 1 "format without gaps; with EN_FTC the same",
        F_ON_FL_IN 4 1 "flush on FLUSHIN",
        F_ON_MAN 6 1 "flush now; clears itself",
        STOP_FL 12 1 "stop after a flush",
        STOP_TRIG 13 1 "stop after a trigger",
    }
    FSCR fscr 0x308 1 ReadWrite Configuration 0x40 S "Frames between full syncs; changed only while stopped." {
        CYC_COUNT 0 12 "frames",
    }
}
