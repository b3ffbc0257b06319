// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writes that set up a source, as pairs of byte offset and value, in their order.

use super::csr::{
    Control, Filter, RangeFirstHigh, RangeFirstLow, RangeLastHigh, RangeLastLow, SourceControl,
    Trcconfigr, Trcdevarch, Trcidr0, Trcidr1, Trcidr2, Trcidr8,
};
use super::{compressor_csr, flow_csr};
use crate::compressed::block::size_number;
use crate::flow_table::{SpaceRules, TableKind};
use crate::record_filter;
use alloc::vec;
use alloc::vec::Vec;
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

/// Disables the source of `flow_core`, describes another one, and enables it.
pub fn flow_source_writes(
    trace_id: u8,
    config: &SourceConfig,
    rules: &SpaceRules,
) -> Vec<(u32, u32)> {
    let registers = &config.registers;
    let off = flow_csr::SourceControl::RESET;
    let enabled = off
        .with_enable(true)
        .with_ete(config.protocol == Protocol::Ete)
        .with_v8m(config.profile == ArchProfile::M8)
        .with_trace_id(trace_id.into());
    let control = flow_csr::Control::RESET.with_lenient(config.lenient);
    let mut writes = vec![
        (flow_csr::SourceControl::offset(0), off.0),
        (flow_csr::Control::OFFSET, control.0),
        (flow_csr::Trcconfigr::offset(0), registers.trcconfigr),
        (flow_csr::Trcidr0::offset(0), registers.trcidr0),
        (flow_csr::Trcidr1::offset(0), registers.trcidr1),
        (flow_csr::Trcidr2::offset(0), registers.trcidr2),
        (flow_csr::Trcidr8::offset(0), registers.trcidr8),
        (flow_csr::Trcdevarch::offset(0), registers.trcdevarch),
    ];
    writes.extend(space_writes(rules));
    writes.push((flow_csr::SourceControl::offset(0), enabled.0));
    writes
}

/// Disables the source of `trace_compressor`, sets the bytes of its blocks and the cycles of its time-out, and
/// enables it. It must not be busy.
pub fn compressor_writes(
    trace_id: u8,
    is_a32: bool,
    block_bytes: usize,
    time_out: u32,
) -> [(u32, u32); 4] {
    let off = compressor_csr::SourceControl::RESET;
    let enabled = off
        .with_enable(true)
        .with_a32(is_a32)
        .with_trace_id(trace_id.into());
    let size = compressor_csr::BlockSize::RESET.with_size(size_number(block_bytes));
    [
        (compressor_csr::SourceControl::offset(0), off.0),
        (compressor_csr::BlockSize::offset(0), size.0),
        (compressor_csr::TimeOut::offset(0), time_out),
        (compressor_csr::SourceControl::offset(0), enabled.0),
    ]
}

/// Writes the rules of address spaces of `flow_core`, while its source is disabled.
pub fn space_writes(rules: &SpaceRules) -> impl Iterator<Item = (u32, u32)> {
    (0..).zip(rules).flat_map(|(number, rule)| {
        let rule = rule.map_or([0; 3], |rule| {
            let select = flow_csr::Rule0::RESET
                .with_valid(true)
                .with_uses_vmid(rule.vmid.is_some())
                .with_uses_cid(rule.cid.is_some())
                .with_levels(rule.levels.into());
            let [vmid, cid] = [rule.vmid, rule.cid].map(Option::unwrap_or_default);
            [select.0, vmid, cid]
        });
        let stride = flow_csr::Rule1::OFFSET - flow_csr::Rule0::OFFSET;
        let first = flow_csr::Rule0::OFFSET + stride * number;
        (0..)
            .zip(rule)
            .map(move |(word, value)| (first + 4 * word, value))
    })
}

/// Writes whether `flow_core` counts only between triggers, while its source is disabled.
pub fn window_write(is_windowed: bool) -> (u32, u32) {
    let control = flow_csr::TriggerControl::RESET.with_windowed(is_windowed);
    (flow_csr::TriggerControl::OFFSET, control.0)
}

/// Writes a word of the flow table of `flow_core`, while its source is disabled.
pub fn table_writes(kind: TableKind, index: u32, word: u64) -> [(u32, u32); 3] {
    let place = flow_csr::TableWrite::RESET
        .with_index(index)
        .with_memory(kind as u32)
        .with_write(true);
    [
        (flow_csr::TableHigh::OFFSET, (word >> 32) as u32),
        (flow_csr::TableLow::OFFSET, word as u32),
        (flow_csr::TableWrite::OFFSET, place.0),
    ]
}
