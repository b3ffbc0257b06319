// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of the decoders of software trace as records.
//!
//! | module | of |
//! |---|---|
//! | `stp` | an STM, for the decoder of one byte a cycle and that of four |
//! | `itm` | an ITM, likewise |

pub mod itm;
pub mod stp;
