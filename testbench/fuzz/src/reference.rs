// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of OpenCSD: the output of its packet processor for a stream.

use anyhow::{Result, ensure};
use coretrace_etm::{Config, Kind};
use coretrace_test_gen::ASYNC;
use coretrace_test_opencsd::{Monitor, OpenCsd, Packet, PacketProcessor};

use crate::{Case, Row, codes, model};

/// The rows of a stream. The bytes before the first A-Sync are one row.
///
/// # Errors
/// If OpenCSD stops, or does not show every byte once and in order.
pub fn rows(library: OpenCsd, case: &Case) -> Result<Vec<Row>> {
    let set = &case.set;
    let mut processor = PacketProcessor::new(library, &set.source(), Packets::default())?;
    let config = set.config();
    processor.run(&clean_state(&config))?;
    *processor.monitor() = Packets {
        has_ids: [config.cid_bytes > 0, config.vmid_bytes > 0],
        ..Packets::default()
    };
    processor.run(&case.bytes)?;
    let result_decoder = processor.monitor();
    if !result_decoder.is_synced && !result_decoder.bytes.is_empty() {
        result_decoder.end_of_unread(case.bytes.len());
    }
    ensure!(
        result_decoder.bytes == case.bytes,
        "OpenCSD does not show every byte once and in order"
    );
    Ok(std::mem::take(&mut result_decoder.rows))
}

/// A stream that sets address and context to 0. OpenCSD does not initialise them: until a stream
/// has set them, it reports uninitialised memory.
fn clean_state(config: &Config) -> Vec<u8> {
    let mut bytes = ASYNC.to_vec();
    // An empty Trace Info, then Address with Context, all 0 except the bits that announce both IDs.
    bytes.extend([0x01, 0x00, 0x85, 0, 0, 0, 0, 0, 0, 0, 0, 0xC0]);
    bytes.resize(
        bytes.len() + usize::from(config.vmid_bytes + config.cid_bytes),
        0,
    );
    bytes
}

#[derive(Default)]
struct Packets {
    rows: Vec<Row>,
    /// All bytes shown so far.
    bytes: Vec<u8>,
    is_synced: bool,
    /// Whether the trace unit has context IDs and VMIDs. OpenCSD never sets those that the trace
    /// unit lacks.
    has_ids: [bool; 2],
}

impl Packets {
    fn end_of_unread(&mut self, end: usize) {
        self.rows.push(Row::new(0, end as u64, Some(Kind::NotSync)));
    }
}

impl Monitor for Packets {
    fn packet(&mut self, offset: u32, bytes: &[u8], packet: &Packet) {
        let kind = codes::kind(packet.kind);
        let is_sync = kind == Some(Kind::Async) && bytes.last() == Some(&0x80);
        if !self.is_synced && is_sync {
            self.is_synced = true;
            if !self.bytes.is_empty() {
                self.end_of_unread(self.bytes.len());
            }
        }
        self.bytes.extend(bytes);
        if self.is_synced {
            let mut row = Row::new(offset.into(), bytes.len() as u64, kind);
            packet_values(&mut row, bytes[0], packet);
            if kind != Some(Kind::Incomplete) {
                state_values(&mut row, packet, self.has_ids);
            }
            self.rows.push(row);
        }
    }
}

/// The trace state after the packet.
fn state_values(row: &mut Row, packet: &Packet, [has_cid, has_vmid]: [bool; 2]) {
    let context = &packet.context;
    let values = [
        context.el().into(),
        context.sf().into(),
        context.ns().into(),
        context.nse().into(),
        if has_cid { context.cid.into() } else { 0 },
        if has_vmid { context.vmid.into() } else { 0 },
        context.is_updated().into(),
        context.has_cid().into(),
        context.has_vmid().into(),
    ];
    row.push("addr", packet.address.value);
    row.push("is", packet.address_is);
    row.push("ts", packet.timestamp().unwrap_or(0));
    row.values
        .extend(model::CONTEXT_NAMES.into_iter().zip(values));
}

/// The fields of the packet itself.
fn packet_values(row: &mut Row, header: u8, packet: &Packet) {
    let Some(kind) = row.kind else {
        return;
    };
    if packet.atoms.count > 0 {
        row.push("atoms", packet.atoms.count);
        row.push("pattern", packet.atoms.bits);
    }
    row.push_some("count", packet.cycle_count());
    row.push_some("commit", packet.commit());
    match kind {
        Kind::CancelF1 | Kind::CancelF1Mispredict | Kind::CancelF2 | Kind::CancelF3 => {
            row.push("cancel", packet.cancel_elements);
        }
        Kind::TraceInfo => {
            row.push("info", packet.trace_info().unwrap_or(0));
            row.push("key", packet.p0_key().unwrap_or(0));
            row.push("spec", packet.spec_depth().unwrap_or(0));
            row.push("threshold", packet.cycle_threshold().unwrap_or(0));
        }
        Kind::Exception | Kind::PeReset | Kind::TransactionFail => {
            row.push("exception", packet.exception());
            row.push("interpretation", packet.interpretation());
            row.push("fault_pending", packet.fault_pending());
            row.push("m_profile", packet.is_m_profile());
        }
        Kind::AddrMatch | Kind::SrcAddrMatch => row.push("match", packet.match_index),
        Kind::Q => q_values(row, packet),
        Kind::NumDataSync | Kind::UnnumDataSync => row.push("data_sync", packet.data_sync),
        Kind::Event => row.push("event", packet.event),
        Kind::CondInstrF2 => {
            row.push("elements", packet.cond_instr.elements);
            row.push("new_key", packet.cond_instr.has_new_key());
        }
        Kind::CondInstrF3 => {
            row.push("elements", packet.cond_instr.elements);
            row.push("final", packet.cond_instr.is_final());
        }
        Kind::CondResultF1 => cond_result_values(row, header, packet),
        Kind::CondResultF2 => {
            row.push("increment", packet.cond_result.key_increment());
            row.push("token", packet.cond_result.token());
        }
        Kind::CondResultF3 => row.push("tokens", packet.cond_result.tokens()),
        Kind::CondResultF4 => row.push("token", packet.cond_result.token()),
        Kind::Reserved | Kind::ReservedCfg => row.push("header", packet.error_header),
        Kind::BadSequence | Kind::Incomplete => row.push("seemed", packet.error_kind),
        _ => {}
    }
}

fn q_values(row: &mut Row, packet: &Packet) {
    let q = &packet.q;
    row.push("form", q.form());
    row.push("has_address", q.has_address());
    row.push("is_match", q.is_match());
    if q.is_match() {
        row.push("match", packet.match_index);
    }
    if q.has_count() {
        row.push("instructions", q.count);
    }
}

/// Keys are 32 bits here, of which records keep 28: a field's 32 bits without the result.
fn cond_result_values(row: &mut Row, header: u8, packet: &Packet) {
    const KEY_MASK: u32 = u32::MAX >> 4;
    let result = &packet.cond_result;
    row.push("key", result.keys[0] & KEY_MASK);
    row.push("result", result.results()[0]);
    row.push("ci", result.ci()[0]);
    if header & 4 == 0 {
        row.push("key1", result.keys[1] & KEY_MASK);
        row.push("result1", result.results()[1]);
        row.push("ci1", result.ci()[1]);
    }
}
