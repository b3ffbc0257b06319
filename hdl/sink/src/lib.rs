// SPDX-License-Identifier: MIT OR Apache-2.0
//! What ends in AXI4-Stream: results of a decoder as a stream of records, or as a profile.

pub mod profile;
pub mod records;
