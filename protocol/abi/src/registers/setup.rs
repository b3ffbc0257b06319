// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writes that set up a source, as pairs of byte offset and value, in their order.

use super::csr::{
    Control, Filter, RangeFirstHigh, RangeFirstLow, RangeLastHigh, RangeLastLow, SourceControl,
    Trcconfigr, Trcdevarch, Trcidr0, Trcidr1, Trcidr2, Trcidr8,
};
use crate::record_filter;
use coretrace_etm::{ArchProfile, Protocol, SourceConfig};

/// CONTROL with both streams, and the error policy of a source.
pub fn control(config: &SourceConfig) -> Control {
    let streams = Control::RESET.with_records(true).with_profile(true);
    streams.with_lenient(config.lenient)
}

/// Disables source 0, describes another one, and enables it.
pub fn source_writes(trace_id: u8, config: &SourceConfig, full_addresses: bool) -> [(u32, u32); 9] {
    let registers = &config.registers;
    let enabled = SourceControl::RESET
        .with_enable(true)
        .with_ete(config.protocol == Protocol::Ete)
        .with_v8m(config.profile == ArchProfile::M8)
        .with_full_addresses(full_addresses)
        .with_trace_id(trace_id.into());
    [
        (SourceControl::offset(0), SourceControl::RESET.0),
        (Control::OFFSET, control(config).0),
        (Trcconfigr::offset(0), registers.trcconfigr),
        (Trcidr0::offset(0), registers.trcidr0),
        (Trcidr1::offset(0), registers.trcidr1),
        (Trcidr2::offset(0), registers.trcidr2),
        (Trcidr8::offset(0), registers.trcidr8),
        (Trcdevarch::offset(0), registers.trcdevarch),
        (SourceControl::offset(0), enabled.0),
    ]
}

/// Disables source 0 and sets what its next record stream leaves out.
pub fn filter_writes(filter: &record_filter::Filter) -> [(u32, u32); 6] {
    let (first, last) = filter.range.unwrap_or_default();
    let kinds = Filter(filter.drop.into()).with_range(filter.range.is_some());
    [
        (SourceControl::offset(0), SourceControl::RESET.0),
        (Filter::offset(0), kinds.0),
        (RangeFirstLow::offset(0), first as u32),
        (RangeFirstHigh::offset(0), (first >> 32) as u32),
        (RangeLastLow::offset(0), last as u32),
        (RangeLastHigh::offset(0), (last >> 32) as u32),
    ]
}
