// SPDX-License-Identifier: MIT OR Apache-2.0
//! What registers of the ITM change.

/// The registers of an ITM that change decoding. Source: Arm DDI 0403, ITM_TCR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Config {
    /// Trace Control Register.
    pub itm_tcr: u32,
}

impl Config {
    /// Ticks of the timestamp clock in one unit of a local timestamp: 1, 4, 16 or 64 (TSPrescale, bits 9:8).
    /// As in OpenCSD, the prescaler counts only if timestamps have the clock of the trace port
    /// (SWOENA, bit 4).
    pub const fn prescaler(&self) -> u64 {
        if self.itm_tcr & 1 << 4 == 0 {
            return 1;
        }
        1 << (2 * (self.itm_tcr >> 8 & 3))
    }
}
