// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the record stream drops and how it writes addresses, as one bus.

use coretrace_abi::record_filter::{Filter, FilterKind};
use coretrace_hdl_dataflow::{Word, layout};

/// Bits of a set of kinds that a filter distinguishes.
pub const KINDS: usize = FilterKind::ALL.len();

layout! {
    /// Settings of the record stream, see `coretrace_abi::record_filter`. Steady while the source
    /// is enabled.
    pub struct RecordSettings {
        /// Write every address in full.
        full_addresses: 1,
        /// Kinds of records to drop.
        drop: KINDS,
        /// Drop records with addresses outside the range.
        has_range: 1,
        /// First address of the range, low half.
        first_low: 32,
        first_high: 32,
        /// Last address of the range, low half.
        last_low: 32,
        last_high: 32,
    }
}

/// Bits of the settings of the record stream.
pub const RECORD_SETTINGS_W: usize = RecordSettings::WIDTH;

impl RecordSettings<u64> {
    /// The settings for a filter.
    pub fn of(filter: &Filter, full_addresses: bool) -> RecordSettings<u64> {
        let (first, last) = filter.range.unwrap_or_default();
        let low = |address: u64| address & u64::from(u32::MAX);
        RecordSettings {
            full_addresses: full_addresses.into(),
            drop: filter.drop.into(),
            has_range: filter.range.is_some().into(),
            first_low: low(first),
            first_high: first >> 32,
            last_low: low(last),
            last_high: last >> 32,
        }
    }
}

impl<T: Word> RecordSettings<T> {
    /// Whether anything may be dropped. Then addresses are written in full: a reader could not
    /// follow them otherwise.
    pub fn is_filtered(&self) -> T {
        self.drop.any().or(self.has_range)
    }
}
