// SPDX-License-Identifier: MIT OR Apache-2.0
//! The enables of a byte: every byte is looked up as if it were a header, a PLCTL byte, context
//! information and so on. The header table is `coretrace_etm::HEADERS`.

use super::layouts::{Enables, Predecode};
use crate::encodings::{is_async_end, is_ete_exception, is_extension};
use crate::layouts::DecoderConfig;
use coretrace_etm::header::depends_on_commopt;
use coretrace_etm::{HEADERS, Lead, Part, Parts};
use coretrace_hdl_dataflow::{Table, Word, any, join, layout, named};
use std::sync::LazyLock;

/// What follows a header.
mod follows {
    pub const NOTHING: u64 = 0;
    pub const EXTENSION: u64 = 1;
    pub const PLCTL: u64 = 2;
    pub const TIMESTAMP: u64 = 3;
    pub const SHORT: u64 = 4;
    pub const EXCEPTION: u64 = 5;
    pub const INFO: u64 = 6;
    pub const REST1: u64 = 7;
    pub const REST4: u64 = 8;
    pub const REST8: u64 = 9;
    pub const REST9: u64 = 10;
    pub const FIELD1: u64 = 11;
    pub const FIELD2: u64 = 12;
    /// COMMIT, which COMMOPT takes away; and COMMIT and COUNT.
    pub const COMMIT: u64 = 13;
    pub const COMMIT_COUNT: u64 = 14;
}

layout! {
    /// The header table, before the configuration is applied.
    struct HeaderEntry {
        /// The gate that opens the header.
        gate: 4,
        /// What follows it; see [`follows`].
        follows: 4,
        /// A continuation field follows the lead.
        field: 1,
        /// Context information follows the lead.
        info: 1,
    }
}

static HEADER_TABLE: LazyLock<Table> = LazyLock::new(|| {
    HeaderEntry::table(|header| {
        let row = &HEADERS[header];
        let after_lead = row.lead != Lead::None;
        let info = row.tail.contains(Part::Info);
        let field = row.tail.0 != Parts::NONE.0 && !info;
        HeaderEntry {
            gate: row.gate as u64,
            follows: after_header(header as u8),
            field: (after_lead && field).into(),
            info: (after_lead && info).into(),
        }
    })
});

fn after_header(header: u8) -> u64 {
    let row = &HEADERS[usize::from(header)];
    match row.lead {
        Lead::Extension => follows::EXTENSION,
        Lead::Plctl => follows::PLCTL,
        Lead::Timestamp => follows::TIMESTAMP,
        Lead::Short => follows::SHORT,
        Lead::Exception => follows::EXCEPTION,
        Lead::Byte => follows::REST1,
        Lead::Long32 => follows::REST4,
        Lead::Long64 => follows::REST8,
        Lead::Instrumentation => follows::REST9,
        Lead::None if row.tail.contains(Part::Info) => follows::INFO,
        Lead::None => match (row.tail.0.count_ones(), depends_on_commopt(header)) {
            (0, _) => follows::NOTHING,
            (1, false) => follows::FIELD1,
            (1, true) => follows::COMMIT,
            (_, false) => follows::FIELD2,
            (_, true) => follows::COMMIT_COUNT,
        },
    }
}

/// Number of continuation fields after a PLCTL byte: its sections, and its own next byte.
static PLCTL_FIELDS: LazyLock<Table> =
    LazyLock::new(|| Table::new(3, |octet| (octet & 0x9F).count_ones().into()));

/// Numbers of bytes that may follow context information.
const INFO_RESTS: [u64; 7] = [0, 1, 2, 4, 5, 6, 8];

/// A byte and what is known of it from the bytes before it.
#[derive(Clone, Copy)]
pub(super) struct Byte<T> {
    pub octet: T,
    /// It counts.
    pub kept: T,
    /// Eleven zeros are before it; eight bytes with bit 7 set are.
    pub after_zeros: T,
    pub after_eight: T,
}

/// A flag for each number of bytes after context information, and whether there is a context ID.
#[named]
fn info_rests<T: Word>(config: &DecoderConfig<T>, octet: T) -> ([T; 7], T) {
    let cid = octet.bit(7).and(config.has_cid);
    let vmid = octet.bit(6).and(config.has_vmid);
    let sizes = [
        config.vmid_last.is(0),
        config.vmid_last.is(1),
        config.vmid_last.bit(1),
    ];
    let rest = |bytes: u64| {
        let cid_fits = if bytes >= 4 { cid } else { cid.not() };
        let vmid_only = match bytes % 4 {
            0 => vmid.not(),
            size => vmid.and(sizes[size as usize - 1]),
        };
        let four = vmid.and(sizes[2]);
        match bytes {
            4 => cid.mux(vmid.not(), four),
            8 => cid.and(four),
            _ => cid_fits.and(vmid_only),
        }
    };
    (INFO_RESTS.map(rest), cid)
}

/// The enables and predecode of a byte, two cycles after the byte.
#[named]
pub(super) fn enables<T: Word>(
    config: &DecoderConfig<T>,
    lenient: T,
    byte: Byte<T>,
) -> (Enables<T>, Predecode<T>) {
    let octet = byte.octet;
    let is_async = is_async_end(octet).reg().and(byte.after_zeros);
    let kept = byte.kept.reg();
    let hit = kept.and(is_async).reg();
    let go = kept.and(is_async.not()).reg();
    let stay = kept.not().reg();

    let entry = HeaderEntry::split(octet.rom(&HEADER_TABLE)).map(T::reg);
    let gates = |index: usize| match index {
        index if index < 11 => config.gates.bit(index as u32),
        _ => T::constant(0, 1),
    };
    let open = select_gate(&(0..16).map(gates).collect::<Vec<_>>(), entry.gate).reg();
    let closed = open.not().and(go);
    let opens = open.and(go);
    let follows = entry.follows.reg();
    let header = |code: u64| opens.and(follows.is(code));
    let short = config.commopt;
    let single = header(follows::NOTHING).or(header(follows::COMMIT).and(short));
    let [field, info] = [entry.field, entry.info].map(T::reg);

    let flag = |flag: T| flag.reg().reg().and(go);
    let more = octet.bit(7);
    let special = is_ete_exception(config, octet);
    let more_exception = more.or(special);
    let more_timestamp = more.reg().and(byte.after_eight.not()).reg();
    let zero = octet.is(0);
    let extends = is_extension(octet);
    let (rests, cid) = info_rests(config, octet);
    let fields = octet.rom(&PLCTL_FIELDS).reg().reg();
    let bad_extension = flag(zero.or(extends).not());
    let bad_zero = flag(zero.not());
    let extension = flag(extends);
    let enables = Enables {
        set_header: hit,
        stay,
        go,
        header_header: any(&[single, closed.and(lenient), stay]),
        header_extension: header(follows::EXTENSION),
        header_plctl: header(follows::PLCTL),
        header_timestamp: header(follows::TIMESTAMP),
        header_short: header(follows::SHORT),
        header_exception: header(follows::EXCEPTION),
        header_info: header(follows::INFO),
        header_rest1: header(follows::REST1),
        header_rest4: header(follows::REST4),
        header_rest8: header(follows::REST8),
        header_rest9: header(follows::REST9),
        header_field1: any(&[
            header(follows::FIELD1),
            header(follows::COMMIT).and(short.not()),
            header(follows::COMMIT_COUNT).and(short),
        ]),
        header_field2: header(follows::FIELD2).or(header(follows::COMMIT_COUNT).and(short.not())),
        lead_field: field,
        lead_info: info,
        lead_plain: field.or(info).not(),
        extension_zeros: flag(zero),
        extension_header: extension.or(bad_extension.and(lenient)),
        zeros_zeros: flag(zero).or(stay),
        zeros_header: bad_zero.and(lenient),
        short_ends: flag(more.not()),
        short_goes_on: flag(more),
        exception_ends: flag(more_exception.not()),
        exception_goes_on: flag(more_exception),
        exception_zero: flag(special),
        timestamp_ends: more_timestamp.not().and(go),
        timestamp_goes_on: more_timestamp.and(go).or(stay),
        field_ends: flag(more.not()),
        field_goes_on: flag(more).or(stay),
        info_rest: join(rests.map(flag)),
        info_cid: cid.reg().reg(),
        plctl_fields: join((0..7).map(|count| fields.is(count).and(go))),
    };
    let predecode = Predecode {
        hit,
        single,
        error: closed,
        extends: extension,
        bad_extension,
        bad_zero,
    };
    (enables, predecode)
}

/// One of 16 by an index of four bits.
#[named]
fn select_gate<T: Word>(gates: &[T], index: T) -> T {
    if let [gate] = gates {
        return *gate;
    }
    let half = gates.len() / 2;
    let bit = index.bit(half.ilog2());
    bit.mux(
        select_gate(&gates[half..], index),
        select_gate(&gates[..half], index),
    )
}
