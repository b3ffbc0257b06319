// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace unit of ETMv4.
//!
//! Configuration is written while the unit is idle only; while it is enabled, reads of configuration are
//! UNKNOWN. With the OS lock set, or without power, trace registers answer with an error.
//!
//! Source: Arm IHI 0064, chapter 7; values of a Cortex-A53: Arm DDI 0500.

use super::register::registers;

/// The last offset of the registers that answer while the OS lock is set: [`TRCOSLAR`] to [`TRCPDSR`].
pub const LAST_POWER_OFFSET: u32 = 0x314;

registers! {
    TRCPRGCTLR trcprgctlr 0x004 1 ReadWrite Control 0 M "Enables the unit." {
        EN 0 1 "trace",
    }
    TRCPROCSELR trcprocselr 0x008 1 ReadWrite Configuration _ S "Which core is traced, where a unit has several." {
    }
    TRCSTATR trcstatr 0x00C 1 ReadOnly Status _ S "State." {
        IDLE 0 1 "nothing is traced, and all trace has left",
        PMSTABLE 1 1 "the programmers' model can be read",
    }
    TRCCONFIGR trcconfigr 0x010 1 ReadWrite Configuration _ S "What is traced. Bit 0 reads 1." {
        ONE 0 1 "always 1",
        BB 3 1 "branch broadcast",
        CCI 4 1 "cycle counts",
        CID 6 1 "context IDs",
        VMID 7 1 "virtual context IDs",
        TS 11 1 "timestamps",
        RS 12 1 "return stack",
    }
    TRCAUXCTLR trcauxctlr 0x018 1 ReadWrite Configuration _ S "Own controls of the core." {
        SYNCDELAY 3 1 "Cortex-A53: insert periodic syncs even while trace is busy",
    }
    TRCEVENTCTL0R trceventctl0r 0x020 1 ReadWrite Configuration _ M "Events." {
    }
    TRCEVENTCTL1R trceventctl1r 0x024 1 ReadWrite Configuration _ M "What events do." {
    }
    TRCSTALLCTLR trcstallctlr 0x02C 1 ReadWrite Configuration _ M "Stalling of the core, if TRCIDR3.STALLCTL." {
    }
    TRCTSCTLR trctsctlr 0x030 1 ReadWrite Configuration _ M "Events that insert timestamps." {
    }
    TRCSYNCPR trcsyncpr 0x034 1 ReadWrite Configuration _ M "Bytes between periodic syncs, as a power of two." {
        PERIOD 0 5 "exponent, 8 to 20, 0 never",
    }
    TRCCCCTLR trcccctlr 0x038 1 ReadWrite Configuration _ M "Cycles before a count is sent." {
        THRESHOLD 0 12 "at least TRCIDR3.CCITMIN",
    }
    TRCBBCTLR trcbbctlr 0x03C 1 ReadWrite Configuration _ M "Address ranges of branch broadcast." {
    }
    TRCTRACEIDR trctraceidr 0x040 1 ReadWrite Configuration _ M "Trace ID." {
        TRACEID 0 7 "1 to 6F, unique in a session",
    }
    TRCVICTLR trcvictlr 0x080 1 ReadWrite Configuration _ M "Which instructions are traced." {
        EVENT 0 8 "resource that starts; 1 is always",
        SSSTATUS 9 1 "start and stop logic is started",
        EXLEVEL_S 16 4 "exception levels to leave out, secure",
        EXLEVEL_NS 20 4 "exception levels to leave out, non-secure",
    }
    TRCVIIECTLR trcviiectlr 0x084 1 ReadWrite Configuration _ M "Address ranges to include and exclude." {
    }
    TRCVISSCTLR trcvissctlr 0x088 1 ReadWrite Configuration _ M "Addresses that start and stop." {
    }
    TRCVIPCSSCTLR trcvipcssctlr 0x08C 1 ReadWrite Configuration _ S "PE comparators, if TRCIDR4.NUMPC." {
    }
    TRCSEQEVR trcseqevr 0x100 3 ReadWrite Configuration _ M "Sequencer." {
    }
    TRCSEQRSTEVR trcseqrstevr 0x118 1 ReadWrite Configuration _ M "Sequencer reset." {
    }
    TRCSEQSTR trcseqstr 0x11C 1 ReadWrite Configuration _ M "Sequencer state." {
    }
    TRCEXTINSELR trcextinselr 0x120 1 ReadWrite Configuration _ M "External inputs." {
    }
    TRCCNTRLDVR trccntrldvr 0x140 2 ReadWrite Configuration _ M "Counter reload values." {
    }
    TRCCNTCTLR trccntctlr 0x150 2 ReadWrite Configuration _ M "Counter controls." {
    }
    TRCCNTVR trccntvr 0x160 2 ReadWrite Configuration _ M "Counters." {
    }
    TRCIDR8 trcidr8 0x180 1 ReadOnly Identity _ S "Speculative P0 elements at most." {
    }
    TRCIDR0 trcidr0 0x1E0 1 ReadOnly Identity 0x2800_0EA1 S "What the unit can trace." {
        TRCBB 5 1 "branch broadcast",
        TRCCCI 7 1 "cycle counts",
        RETSTACK 9 1 "return stack",
        TSSIZE 24 5 "size of timestamps, 0 is none",
    }
    TRCIDR1 trcidr1 0x1E4 1 ReadOnly Identity _ S "Architecture version; documents and captures differ." {
        TRCARCHMAJ 8 4 "4 is ETMv4; an ETMv3 has 2 at this offset",
    }
    TRCIDR2 trcidr2 0x1E8 1 ReadOnly Identity 0x488 S "Sizes of context IDs." {
        CIDSIZE 5 5 "bytes of a context ID",
        VMIDSIZE 10 5 "bytes of a virtual context ID",
    }
    TRCIDR3 trcidr3 0x1EC 1 ReadOnly Identity 0x0D7B_0004 S "Counts and limits." {
        CCITMIN 0 12 "least threshold of cycle counts",
        SYNCPR 25 1 "the sync period is fixed",
        STALLCTL 26 1 "the unit can stall the core",
        NUMPROC 28 3 "cores less 1",
    }
    TRCIDR4 trcidr4 0x1F0 1 ReadOnly Identity 0x1117_0004 I "Comparators." {
        NUMPC 12 4 "PE comparators",
    }
    TRCIDR5 trcidr5 0x1F4 1 ReadOnly Identity 0x28C7_082F I "Counters, sequencer, inputs." {
    }
    TRCRSCTLR trcrsctlr 0x208 30 ReadWrite Configuration _ M "Resource selectors 2 and up." {
    }
    TRCSSCCR trcssccr 0x280 1 ReadWrite Configuration _ M "Single-shot comparator." {
    }
    TRCSSCSR trcsscsr 0x2A0 1 ReadWrite Configuration _ M "Single-shot comparator, state." {
    }
    TRCOSLAR trcoslar 0x300 1 WriteOnly Access _ S "OS lock: 0 unlocks. The software lock does not cover it (inferred)." {
    }
    TRCOSLSR trcoslsr 0x304 1 ReadOnly Access 0xA S "OS lock." {
        LOCKED 1 1 "trace registers answer with an error",
    }
    TRCPDCR trcpdcr 0x310 1 ReadWrite Access 0 S "Power." {
        PU 3 1 "keep the power of the unit on",
    }
    TRCPDSR trcpdsr 0x314 1 ReadOnly Access _ S "Power." {
        POWER 0 1 "the unit has power",
        STICKYPD 1 1 "power was lost",
        OSLK 5 1 "the OS lock is set",
    }
    TRCACVR trcacvr 0x400 16 ReadWrite Configuration _ M "Address comparators, two words each." {
    }
    TRCACATR trcacatr 0x480 16 ReadWrite Configuration _ M "Address comparators, access types, two words each." {
    }
    TRCCIDCVR trccidcvr 0x600 2 ReadWrite Configuration _ M "Context ID comparator." {
    }
    TRCVMIDCVR trcvmidcvr 0x640 2 ReadWrite Configuration _ M "Virtual context ID comparator." {
    }
    TRCCIDCCTLR trccidcctlr 0x680 1 ReadWrite Configuration _ M "Context ID comparator, mask." {
    }
    TRCVMIDCCTLR trcvmidcctlr 0x688 1 ReadWrite Configuration _ M "Virtual context ID comparator, mask." {
    }
}
