// SPDX-License-Identifier: MIT OR Apache-2.0
//! The On-Chip Logic Analyzer (OCLA) of a ThunderX, as the sink of trace units.
//!
//! It takes 72 bits in each cycle, 36 of each of two trace units, its *halves*. There is no formatter, so no frame and
//! no trace ID. Which of the 36 bits are ATDATA, ATBYTES and ATVALID is not public: a [`HalfTable`] says it.
//! [`Entry`] is a word of its memory, and [`Repeats`] undoes how it leaves out what does not change.
//!
//! Nothing here has been compared with a capture: the format is that of public register definitions, where these
//! are silent it is inferred, and the documentation says where.
//!
//! Source: the structures OCLA_CAP_DAT_S and OCLA_CAP_CTL_S of the CN88XX, as coreboot has them.

mod entry;
mod half_table;
mod repeats;

pub use entry::{ENTRY_BITS, Entry};
pub use half_table::{BadTable, HalfTable};
pub use repeats::{Repeats, Run};

/// Halves of a word.
pub const HALVES: usize = 2;

/// Bits of a half.
pub const HALF_BITS: u32 = 36;
