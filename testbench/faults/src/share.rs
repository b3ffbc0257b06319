// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shares in tables.

/// A share of all.
pub fn share(count: u64, all: u64) -> String {
    format!("{:.1} %", 100.0 * count as f64 / all as f64)
}
