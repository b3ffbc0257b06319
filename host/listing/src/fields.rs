// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fields of a record, by name and in a fixed order.

use coretrace_etm::address::address_form;
use coretrace_etm::packet::{cancel, commit, exception_info};
use coretrace_etm::{AddressForm, Config, Kind, Record};

use super::names;
use super::value::Value;

/// Which fields to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Those that OpenCSD 1.3.3 prints, with its values.
    OpenCsd,
    /// Every field of the packet.
    Full,
}

use Value::{Bits, Flag, Number, Wide, Word};

/// Passes the fields of a record to `sink`, in order.
///
/// | kind | fields that OpenCSD prints | only with [`Detail::Full`] |
/// |---|---|---|
/// | Trace Info | `info` `cc`, ETE: `tstate`, if `cc`: `threshold` | `threshold` always, `key` `spec` |
/// | addresses | exact match: `match`; `addr` | `is` |
/// | context | `ctxt` if unchanged, else `sf` `el` `sec`, if traced `cid` `vmid` | ETE: `nse` |
/// | atoms | `atoms` | |
/// | Exception | `exc` `interp`, M profile: `fault_pending` | `number` |
/// | Timestamp | `ts`, if it has one `cc` | |
/// | Cycle Count | `count` | `unknown`, if it has one `commit` |
/// | Commit, Cancel, Mispredict | `atoms` `commit` `cancel` `mispredict` | |
/// | Q | `count`, then as an address | |
/// | Instrumentation | `el` `payload` | |
/// | Event | | `events` |
/// | data synchronization markers | | `num`, `atoms` |
/// | conditional | | `key` `form` `num` `same_key` `ci` `result` `skip` `token` `tokens` |
/// | errors | `err` | |
/// | every kind | | `suspect` if it is |
///
/// OpenCSD prints Root as Secure and Realm as Non-secure, and the reserved address interpretation 3
/// as 0; [`Detail::Full`] has the real values.
#[inline]
pub fn fields(
    record: &Record,
    config: &Config,
    detail: Detail,
    mut sink: impl FnMut(&'static str, Value),
) {
    let full = detail == Detail::Full;
    let header = record.header;
    match record.kind {
        Kind::AtomF1 | Kind::AtomF2 | Kind::AtomF3 | Kind::AtomF4 | Kind::AtomF5 | Kind::AtomF6 => {
            sink("atoms", Value::Atoms(record.atoms))
        }
        Kind::TraceInfo => trace_info(record, config, full, &mut sink),
        Kind::Timestamp => {
            sink("ts", Wide(record.timestamp));
            if header & 1 == 1 {
                sink("cc", Bits(record.count));
            }
        }
        Kind::Exception => exception(record, config, full, &mut sink),
        Kind::CycleCountF1 | Kind::CycleCountF2 | Kind::CycleCountF3 => {
            cycle_count(record, config, full, &mut sink);
        }
        Kind::Commit
        | Kind::CancelF1
        | Kind::CancelF1Mispredict
        | Kind::CancelF2
        | Kind::CancelF3
        | Kind::Mispredict => speculation(record, config, &mut sink),
        Kind::Q => {
            match header {
                0xAF => sink("count", Word("unknown")),
                _ => sink("count", Number(record.fields[1])),
            }
            address(record, full, &mut sink);
        }
        Kind::Context if header & 1 == 0 => sink("ctxt", Word("same")),
        Kind::Context => context(record, config, full, &mut sink),
        Kind::AddrCtxt32Is0 | Kind::AddrCtxt32Is1 | Kind::AddrCtxt64Is0 | Kind::AddrCtxt64Is1 => {
            address(record, full, &mut sink);
            context(record, config, full, &mut sink);
        }
        Kind::Instrumentation => {
            let mut payload = [0; 8];
            payload.copy_from_slice(&record.lead[1..]);
            sink("el", Number(u32::from(record.lead[0] & 3)));
            sink("payload", Wide(u64::from_le_bytes(payload)));
        }
        Kind::Reserved | Kind::ReservedCfg | Kind::BadSequence | Kind::Incomplete => {
            if let Some(name) = names::broken_packet(record) {
                sink("err", Word(name));
            }
        }
        Kind::Event if full => sink("events", Bits(u32::from(header & 0xF))),
        Kind::NumDataSync if full => sink("num", Number(u32::from(header & 7))),
        Kind::UnnumDataSync if full => sink("atoms", Value::Atoms(record.atoms)),
        Kind::CondInstrF1
        | Kind::CondInstrF2
        | Kind::CondInstrF3
        | Kind::CondResultF1
        | Kind::CondResultF2
        | Kind::CondResultF3
        | Kind::CondResultF4 => {
            if full {
                conditional(record, &mut sink);
            }
        }
        // Kinds without an address have none in their header.
        _ => address(record, full, &mut sink),
    }
    if full && record.suspect {
        sink("suspect", Flag(true));
    }
}

fn trace_info(
    record: &Record,
    config: &Config,
    full: bool,
    sink: &mut impl FnMut(&'static str, Value),
) {
    let [info, key, spec, threshold] = record.fields;
    let counts_cycles = info & 1 == 1;
    sink("info", Bits(info));
    sink("cc", Flag(counts_cycles));
    if config.is_ete() {
        sink("tstate", Flag(info >> 6 & 1 == 1));
    }
    if counts_cycles || full {
        sink("threshold", Bits(threshold));
    }
    if full {
        sink("key", Number(key));
        sink("spec", Number(spec));
    }
}

/// The address, if the header names one.
fn address(record: &Record, full: bool, sink: &mut impl FnMut(&'static str, Value)) {
    let Some((form, _)) = address_form(record.header) else {
        return;
    };
    if let AddressForm::Match(index) = form {
        sink("match", Number(u32::from(index)));
    }
    sink("addr", Wide(record.address.value));
    if full {
        sink("is", Number(u32::from(record.address.is1)));
    }
}

fn context(
    record: &Record,
    config: &Config,
    full: bool,
    sink: &mut impl FnMut(&'static str, Value),
) {
    let context = &record.context;
    sink("sf", Flag(context.sf()));
    sink("el", Number(u32::from(context.el())));
    sink(
        "sec",
        Word(match (full && context.nse(), context.ns()) {
            (false, false) => "S",
            (false, true) => "NS",
            (true, false) => "Root",
            (true, true) => "Realm",
        }),
    );
    if context.announces_cid() && config.cid_bytes != 0 {
        sink("cid", Bits(context.cid));
    }
    if context.announces_vmid() && config.vmid_bytes != 0 {
        sink("vmid", Bits(context.vmid));
    }
    if full && config.is_ete() {
        sink("nse", Flag(context.nse()));
    }
}

fn exception(
    record: &Record,
    config: &Config,
    full: bool,
    sink: &mut impl FnMut(&'static str, Value),
) {
    let info = exception_info(&record.lead);
    sink("exc", names::exception(config.profile, record.exception));
    let interpretation = match info.interpretation {
        3 if !full => 0,
        value => value,
    };
    sink("interp", Number(u32::from(interpretation)));
    if info.fault_pending && config.profile.is_m() {
        sink("fault_pending", Flag(true));
    }
    if full {
        sink("number", Number(u32::from(record.exception)));
    }
}

fn cycle_count(
    record: &Record,
    config: &Config,
    full: bool,
    sink: &mut impl FnMut(&'static str, Value),
) {
    sink("count", Bits(record.count));
    if !full {
        return;
    }
    sink(
        "unknown",
        Flag(record.kind == Kind::CycleCountF1 && record.header & 1 == 1),
    );
    if let Some(elements) = commit_of(record, config) {
        sink("commit", Number(elements));
    }
}

fn commit_of(record: &Record, config: &Config) -> Option<u32> {
    commit(
        record.kind,
        record.header,
        record.lead[0],
        record.fields[0],
        config,
    )
}

fn speculation(record: &Record, config: &Config, sink: &mut impl FnMut(&'static str, Value)) {
    if record.atoms.count > 0 {
        sink("atoms", Value::Atoms(record.atoms));
    }
    if let Some(elements) = commit_of(record, config) {
        sink("commit", Number(elements));
    }
    if let Some(elements) = cancel(record.kind, record.header, record.fields[0]) {
        sink("cancel", Number(elements));
    }
    if !matches!(record.kind, Kind::Commit | Kind::CancelF1) {
        sink("mispredict", Flag(true));
    }
}

/// Conditional trace: keys, results and tokens as in the packet.
fn conditional(record: &Record, sink: &mut impl FnMut(&'static str, Value)) {
    let header = record.header;
    let low = u32::from(header & 3);
    let byte = record.lead[0];
    match record.kind {
        Kind::CondInstrF1 => sink("key", Number(record.fields[0])),
        // 0: next key; 1: same key; 2: next key, two elements.
        Kind::CondInstrF2 => sink("form", Number(low)),
        Kind::CondInstrF3 => {
            sink("num", Number(u32::from(byte >> 1 & 0x3F)));
            sink("same_key", Flag(byte & 1 == 1));
        }
        Kind::CondResultF1 => {
            // A payload is a key above four bits of result. The second one has CI of 1 bit too.
            let [first, second, ..] = record.fields;
            sink("ci", Number(low & 1));
            sink("key", Number(first >> 4));
            sink("result", Bits(first & 0xF));
            if header & 4 == 0 {
                sink("ci1", Number(low >> 1));
                sink("key1", Number(second >> 4));
                sink("result1", Bits(second & 0xF));
            }
        }
        Kind::CondResultF2 => {
            sink("skip", Number(u32::from(header >> 2 & 1)));
            sink("token", Number(low));
        }
        Kind::CondResultF3 => sink(
            "tokens",
            Bits(u32::from(header & 0xF) << 8 | u32::from(byte)),
        ),
        _ => sink("token", Number(low)),
    }
}
