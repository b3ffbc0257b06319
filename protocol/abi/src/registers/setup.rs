// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writes that set up a source, as pairs of byte offset and value, in their order.

use super::csr::{
    Control, Filter, RangeFirstHigh, RangeFirstLow, RangeLastHigh, RangeLastLow, SourceControl,
    Trcconfigr, Trcdevarch, Trcidr0, Trcidr1, Trcidr2, Trcidr8,
};
use super::software_csr::{SoftwareControl, SoftwareItmTcr};
use super::{compressor_csr, flow_csr, recompressor_csr, recompressor_xe_csr};
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
    let enabled = SourceControl::RESET
        .with_enable(true)
        .with_ete(config.protocol == Protocol::Ete)
        .with_v8m(config.profile == ArchProfile::M8)
        .with_full_addresses(full_addresses)
        .with_trace_id(trace_id.into());
    let [configr, idr0, idr1, idr2, idr8, devarch] = trace_unit_writes(config);
    [
        (SourceControl::offset(0), SourceControl::RESET.0),
        (Control::OFFSET, control(config).0),
        configr,
        idr0,
        idr1,
        idr2,
        idr8,
        devarch,
        (SourceControl::offset(0), enabled.0),
    ]
}

/// Writes the copies of the registers of the trace unit, which every core behind a trace port has at the same
/// places.
fn trace_unit_writes(config: &SourceConfig) -> [(u32, u32); 6] {
    let registers = &config.registers;
    [
        (Trcconfigr::offset(0), registers.trcconfigr),
        (Trcidr0::offset(0), registers.trcidr0),
        (Trcidr1::offset(0), registers.trcidr1),
        (Trcidr2::offset(0), registers.trcidr2),
        (Trcidr8::offset(0), registers.trcidr8),
        (Trcdevarch::offset(0), registers.trcdevarch),
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

/// Disables the source of software trace of `etm4_core_stm` or `etm4_core_itm`, describes another one, and enables it
/// once all records of the one before have left. `itm_tcr` is ITM_TCR of an ITM, 0 for an STM.
pub fn software_writes(trace_id: u8, itm_tcr: u32, lenient: bool) -> [(u32, u32); 3] {
    let enabled = SoftwareControl::RESET
        .with_enable(true)
        .with_lenient(lenient)
        .with_trace_id(trace_id.into());
    [
        (SoftwareControl::OFFSET, SoftwareControl::RESET.0),
        (SoftwareItmTcr::OFFSET, itm_tcr),
        (SoftwareControl::OFFSET, enabled.0),
    ]
}

/// Disables the source of `flow_core`, describes another one, and enables it.
pub fn flow_source_writes(
    trace_id: u8,
    config: &SourceConfig,
    rules: &SpaceRules,
) -> Vec<(u32, u32)> {
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
    ];
    writes.extend(trace_unit_writes(config));
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

/// What the blocks of a source are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockOptions {
    /// The instructions are A32, not A64.
    pub is_a32: bool,
    /// Bytes of a block: one of [`SIZES`](crate::compressed::block::SIZES), or a power of two between them.
    pub bytes: usize,
    /// Cycles that a block may be open; 0: for ever.
    pub time_out: u32,
}

/// Disables the source of `etm4_recompressor`, describes another one and its blocks, and enables it. It must not be
/// busy.
pub fn recompressor_writes(
    trace_id: u8,
    config: &SourceConfig,
    rules: &SpaceRules,
    blocks: &BlockOptions,
) -> Vec<(u32, u32)> {
    let off = recompressor_csr::SourceControl::RESET;
    let enabled = off
        .with_enable(true)
        .with_ete(config.protocol == Protocol::Ete)
        .with_a32(blocks.is_a32)
        .with_trace_id(trace_id.into());
    let control = recompressor_csr::Control::RESET.with_lenient(config.lenient);
    let size = recompressor_csr::BlockSize::RESET.with_size(size_number(blocks.bytes));
    let mut writes = vec![
        (recompressor_csr::SourceControl::offset(0), off.0),
        (recompressor_csr::Control::OFFSET, control.0),
        (recompressor_csr::BlockSize::offset(0), size.0),
        (recompressor_csr::TimeOut::offset(0), blocks.time_out),
    ];
    writes.extend(trace_unit_writes(config));
    writes.extend(space_writes(rules));
    writes.push((recompressor_csr::SourceControl::offset(0), enabled.0));
    writes
}

/// Disables the source of `etm4_recompressor_xe`, describes another one and its blocks, and enables it. It must not be
/// busy. Whether its instructions are A32 is not asked.
pub fn recompressor_xe_writes(
    trace_id: u8,
    config: &SourceConfig,
    blocks: &BlockOptions,
) -> Vec<(u32, u32)> {
    let off = recompressor_xe_csr::SourceControl::RESET;
    let enabled = off
        .with_enable(true)
        .with_ete(config.protocol == Protocol::Ete)
        .with_v8m(config.profile == ArchProfile::M8)
        .with_trace_id(trace_id.into());
    let control = recompressor_xe_csr::Control::RESET.with_lenient(config.lenient);
    let size = recompressor_xe_csr::BlockSize::RESET.with_size(size_number(blocks.bytes));
    let mut writes = vec![
        (recompressor_xe_csr::SourceControl::offset(0), off.0),
        (recompressor_xe_csr::Control::OFFSET, control.0),
        (recompressor_xe_csr::BlockSize::offset(0), size.0),
        (recompressor_xe_csr::TimeOut::offset(0), blocks.time_out),
    ];
    writes.extend(trace_unit_writes(config));
    writes.push((recompressor_xe_csr::SourceControl::offset(0), enabled.0));
    writes
}

/// Writes the rules of address spaces of `flow_core` or `etm4_recompressor`, while its source is disabled.
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

/// Writes a word of the tables of `flow_core` or `etm4_recompressor`, which has more of them, while its source is
/// disabled.
pub fn table_writes(kind: TableKind, index: u32, word: u64) -> [(u32, u32); 3] {
    let place = recompressor_csr::TableWrite::RESET
        .with_index(index)
        .with_memory(kind as u32)
        .with_write(true);
    [
        (flow_csr::TableHigh::OFFSET, (word >> 32) as u32),
        (flow_csr::TableLow::OFFSET, word as u32),
        (flow_csr::TableWrite::OFFSET, place.0),
    ]
}
