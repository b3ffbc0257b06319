// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the model: the same values as in [`crate::reference`], from its records.

use coretrace_etm::packet::{cancel, commit, exception_info};
use coretrace_etm::{Config, Context, HEADERS, Kind, Part, Record};

use crate::{Row, codes};

/// The row of a record. `context` is the context to list, which is not always the record's.
pub fn row(record: &Record, context: &Context, config: &Config) -> Row {
    let mut row = Row::new(record.offset, record.len, Some(record.kind));
    packet_values(&mut row, record, config);
    if !matches!(record.kind, Kind::NotSync | Kind::Incomplete) {
        state_values(&mut row, record, context, config);
    }
    row
}

/// Whether a record has its own context.
pub fn has_context(record: &Record) -> bool {
    !record.kind.is_error()
        && record.kind != Kind::Incomplete
        && HEADERS[usize::from(record.header)]
            .tail
            .contains(Part::Info)
}

/// The names of the context fields, in order.
pub const CONTEXT_NAMES: [&str; 9] = [
    "el",
    "sf",
    "ns",
    "nse",
    "cid",
    "vmid",
    "context_here",
    "cid_here",
    "vmid_here",
];

fn state_values(row: &mut Row, record: &Record, context: &Context, config: &Config) {
    row.push("addr", record.address.value);
    row.push("is", record.address.is1);
    row.push("ts", record.timestamp);
    let is_here = has_context(record);
    let values = [
        context.el().into(),
        context.sf().into(),
        context.ns().into(),
        context.nse().into(),
        context.cid.into(),
        context.vmid.into(),
        is_here.into(),
        (is_here && context.announces_cid() && config.cid_bytes > 0).into(),
        (is_here && context.announces_vmid() && config.vmid_bytes > 0).into(),
    ];
    row.values.extend(CONTEXT_NAMES.into_iter().zip(values));
}

fn packet_values(row: &mut Row, record: &Record, config: &Config) {
    let (kind, header, lead) = (record.kind, record.header, &record.lead);
    if record.atoms.count > 0 && kind != Kind::UnnumDataSync {
        row.push("atoms", record.atoms.count);
        let atoms = record.atoms.iter().enumerate();
        row.push(
            "pattern",
            atoms.fold(0, |pattern, (bit, e)| pattern | u64::from(e) << bit),
        );
    }
    let counts = matches!(
        kind,
        Kind::CycleCountF1 | Kind::CycleCountF2 | Kind::CycleCountF3
    );
    if counts || (kind == Kind::Timestamp && header & 1 == 1) {
        row.push("count", record.count);
    }
    row.push_some(
        "commit",
        commit(kind, header, lead[0], record.fields[0], config),
    );
    match kind {
        Kind::CancelF1 | Kind::CancelF1Mispredict | Kind::CancelF2 | Kind::CancelF3 => {
            row.push_some("cancel", cancel(kind, header, record.fields[0]));
        }
        Kind::TraceInfo => {
            let names = ["info", "key", "spec", "threshold"];
            for (name, value) in names.into_iter().zip(record.fields) {
                row.push(name, value);
            }
        }
        Kind::Exception | Kind::PeReset | Kind::TransactionFail => {
            let info = exception_info(lead);
            row.push("exception", info.number);
            row.push("interpretation", info.interpretation);
            row.push("fault_pending", info.fault_pending);
            row.push("m_profile", config.profile.is_m());
        }
        Kind::AddrMatch | Kind::SrcAddrMatch => row.push("match", header & 3),
        Kind::Q => q_values(row, record),
        Kind::NumDataSync | Kind::UnnumDataSync => row.push("data_sync", header & 7),
        Kind::Event => row.push("event", header & 0xF),
        Kind::CondInstrF2 => {
            row.push("elements", if header & 3 == 2 { 2u8 } else { 1 });
            row.push("new_key", header & 3 != 1);
        }
        Kind::CondInstrF3 => {
            row.push("elements", (lead[0] >> 1 & 0x3F) + (lead[0] & 1));
            row.push("final", lead[0] & 1);
        }
        Kind::CondResultF1 => cond_result_values(row, record),
        Kind::CondResultF2 => {
            row.push("increment", 1 + (header >> 2 & 1));
            row.push("token", header & 3);
        }
        Kind::CondResultF3 => row.push("tokens", u16::from(header & 0xF) << 8 | u16::from(lead[0])),
        Kind::CondResultF4 => row.push("token", header & 3),
        Kind::Reserved | Kind::ReservedCfg => row.push("header", header),
        Kind::BadSequence => row.push_some("seemed", seemed(header, lead[0] == 0)),
        Kind::Incomplete => row.push_some("seemed", seemed(header, record.len > 1)),
        _ => {}
    }
}

/// The code of the packet that an error seemed to be.
fn seemed(header: u8, begins_an_async: bool) -> Option<u32> {
    if header == 0 && !begins_an_async {
        return Some(codes::EXTENSION);
    }
    codes::code(HEADERS[usize::from(header)].kind)
}

fn q_values(row: &mut Row, record: &Record) {
    let form = record.header & 0xF;
    let is_match = form < 3;
    row.push("form", form);
    row.push("has_address", form < 0xC);
    row.push("is_match", is_match);
    if is_match {
        row.push("match", form);
    }
    if form != 0xF {
        row.push("instructions", record.fields[1]);
    }
}

fn cond_result_values(row: &mut Row, record: &Record) {
    let [first, second, ..] = record.fields;
    row.push("key", first >> 4);
    row.push("result", first & 0xF);
    row.push("ci", record.header & 1);
    if record.header & 4 == 0 {
        row.push("key1", second >> 4);
        row.push("result1", second & 0xF);
        row.push("ci1", record.header >> 1 & 1);
    }
}
