// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace memory controller: ETB, ETF and ETR.
//!
//! It is Disabled (CTL 0, Ready 1), Running (1, 0) or Stopped (1, 1); configuration may be written in
//! Disabled only. Clearing CTL before Ready in hardware FIFO mode discards what is in the FIFO.
//!
//! Source: Arm DDI 0461.

use super::register::{Field, registers};

/// MODE: the newest trace is kept, for a sink.
pub const CIRCULAR_BUFFER: u32 = 0;
/// MODE: trace passes on, for an ETF within a path.
pub const HARDWARE_FIFO: u32 = 2;

/// DEVID: which of the three it is; [`super::ComponentKind::memory`] gives the value of a kind.
pub const CONFIG: Field = Field {
    name: "CONFIG",
    low: 6,
    bits: 2,
    text: "0 ETB, 1 ETR, 2 ETF",
};

registers! {
    RSZ rsz 0x004 1 ReadWrite Configuration _ S "Size of the memory in words; written in an ETR only." {
    }
    STS sts 0x00C 1 ReadOnly Status _ S "State." {
        FULL 0 1 "the memory has wrapped, or fewer words than BUFWM are free",
        TRIGGERED 1 1 "a trigger was seen",
        READY 2 1 "nothing is in the pipeline, and nothing is drained",
        FT_EMPTY 3 1 "the formatter holds no byte",
        EMPTY 4 1 "the memory holds no word",
        MEM_ERR 5 1 "the system memory answered with an error",
    }
    RRD rrd 0x010 1 ReadEffect Status _ S "Next word of the memory; FFFF_FFFF when empty, locked or running." {
    }
    RRP rrp 0x014 1 ReadWrite Configuration _ S "Read pointer." {
    }
    RWP rwp 0x018 1 ReadWrite Configuration _ S "Write pointer." {
    }
    TRG trg 0x01C 1 ReadWrite Configuration _ S "Words to capture after a trigger." {
    }
    CTL ctl 0x020 1 ReadWrite Control 0 S "Capture." {
        TRACE_CAPT_EN 0 1 "capture trace",
    }
    MODE mode 0x028 1 ReadWrite Configuration _ S "0 circular buffer, 1 software FIFO, 2 hardware FIFO (ETF only)." {
        MODE 0 2 "mode",
    }
    LBUFLEVEL lbuflevel 0x02C 1 ReadEffect Status _ S "Highest fill level since the last read, in words." {
    }
    CBUFLEVEL cbuflevel 0x030 1 ReadOnly Status _ S "Fill level in words." {
    }
    BUFWM bufwm 0x034 1 ReadWrite Configuration _ S "Free words at which Full is shown." {
    }
    RRPHI rrphi 0x038 1 ReadWrite Configuration _ S "Read pointer, high word." {
    }
    RWPHI rwphi 0x03C 1 ReadWrite Configuration _ S "Write pointer, high word." {
    }
    AXICTL axictl 0x110 1 ReadWrite Configuration _ M "How an ETR accesses memory." {
        PROT 0 2 "protection",
        CACHE 2 4 "cacheability",
        SCATTER_GATHER 7 1 "DBA is a table of pages",
        BURST 8 4 "words of a burst less 1",
    }
    DBALO dbalo 0x118 1 ReadWrite Configuration _ S "Address of the memory, low word." {
    }
    DBAHI dbahi 0x11C 1 ReadWrite Configuration _ S "Address of the memory, bits 39:32." {
    }
    FFSR ffsr 0x300 1 ReadOnly Status _ S "State of the formatter." {
        FL_IN_PROG 0 1 "a flush goes on",
        FT_STOPPED 1 1 "the formatter has stopped",
    }
    FFCR ffcr 0x304 1 ReadWrite Control _ M "Formatter and flush. A stop by manual flush is two writes." {
        EN_FT 0 1 "format; changed in Disabled only",
        EN_TI 1 1 "mark triggers",
        F_ON_FL_IN 4 1 "flush on FLUSHIN",
        F_ON_TRIG_EVT 5 1 "flush on a trigger",
        FLUSH_MAN 6 1 "flush now; clears itself",
        TRIG_ON_TRIG_IN 8 1 "trigger on TRIGIN",
        STOP_ON_FL 12 1 "stop after a flush",
        DRAIN_BUFFER 14 1 "drain the memory to the output",
    }
    PSCR pscr 0x308 1 ReadWrite Configuration _ S "Frames between syncs." {
    }
}
