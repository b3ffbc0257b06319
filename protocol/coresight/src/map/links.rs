// SPDX-License-Identifier: MIT OR Apache-2.0
//! Funnels, replicators, and the timestamp generator.
//!
//! Source: Arm DDI 0480.

/// Several streams into one.
pub mod funnel {
    use crate::map::register::registers;

    registers! {
        CTRL ctrl 0x000 1 ReadWrite Control 0x300 M "Which inputs are open, and for how long one holds the output." {
            ENABLE 0 8 "one bit for each input",
            HOLD 8 4 "transfers less 1 before another input may follow; at most E",
        }
        PRICTL prictl 0x004 1 ReadWrite Configuration _ M "Priority of each input, three bits, input 0 lowest." {
        }
    }
}

/// One stream into two.
pub mod replicator {
    use crate::map::register::registers;

    /// Blocks every trace ID at an output.
    pub const BLOCK_ALL: u32 = 0xFF;

    registers! {
        IDFILTER idfilter 0x000 2 ReadWrite Control 0 M "One word for each output: bit k blocks the IDs 10h * k to 10h * k + F." {
        }
    }
}

/// The count of the timestamps.
pub mod timestamp {
    use crate::map::register::registers;

    registers! {
        CNTCR cntcr 0x000 1 ReadWrite Control _ S "Control." {
            EN 0 1 "count",
            HDBG 1 1 "stop while the system is halted",
        }
        CNTSR cntsr 0x004 1 ReadOnly Status _ S "State." {
        }
        CNTCVL cntcvl 0x008 1 ReadWrite Status _ S "Count, low word." {
        }
        CNTCVU cntcvu 0x00C 1 ReadWrite Status _ S "Count, high word; writing it writes both." {
        }
        CNTFID0 cntfid0 0x020 1 ReadWrite Configuration _ S "Ticks in a second, for information." {
        }
    }
}
