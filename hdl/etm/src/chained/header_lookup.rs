// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HeaderLookup`: header pre-processing. Every byte is looked up as if it were a header.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `cfg` | in | [`DecoderConfig`] |
//! | `octet[N]` | in | the bytes of a word |
//! | `row[N]` | out | [`HeaderRow`] of each |
//!
//! Combinational, feed-forward. The table is `coretrace_etm::HEADERS`.

use crate::layouts::{CONFIG_W, DecoderConfig, HeaderRow, ROW_W, form, mode, part};
use coretrace_etm::header::{EXCEPTION, TRACE_INFO, depends_on_commopt};
use coretrace_etm::{AddressForm, HEADERS, Kind, Lead, Part, address::address_form};
use coretrace_hdl_dataflow::{Bus, Table, Word, any, kernel_block, layout};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

kernel_block! {
    /// Header pre-processing; see the module text.
    pub struct HeaderLookup;
    inputs LookupInputs { cfg: Bus<CONFIG_W>, }
    lane_inputs { octet: Bits<8>, }
    outputs LookupOutputs {}
    lane_outputs { row: Bus<ROW_W>, }
    kernel header_lookup;
}

layout! {
    /// A row of the table, before the configuration is applied.
    pub struct TableRow {
        /// Gates that open the header.
        gates: 11,
        /// COMMOPT takes field 0 away.
        commopt: 1,
        /// As in [`HeaderRow`], from here on.
        mode: 3,
        /// First part.
        part: 4,
        /// Index of its last byte.
        last: 4,
        /// Parts after it.
        todo: 8,
        /// Address or timestamp form.
        form: 3,
        /// IS bit.
        is1: 1,
    }
}

/// Stream mode, part and last index for a header's first part; the other parts.
fn first_part(header: u8) -> (u64, u64, u64, u64) {
    let row = &HEADERS[usize::from(header)];
    let mut todo = row.tail;
    let (mode, last) = match row.lead {
        Lead::None => {
            let Some(first) = todo.take_first() else {
                return (mode::HEADER, part::NONE, 0, 0);
            };
            let mode = if first == Part::Info {
                mode::INFORMATION
            } else {
                mode::UNBOUNDED
            };
            return (mode, first as u64, 0, u64::from(todo.0));
        }
        Lead::Extension => (mode::EXTENSION, 0),
        Lead::Plctl => (mode::UNBOUNDED, 0),
        Lead::Timestamp | Lead::Short | Lead::Exception => {
            (mode::BOUNDED, row.lead.max_bytes() - 1)
        }
        Lead::Long32 | Lead::Long64 | Lead::Byte | Lead::Instrumentation => {
            (mode::FIXED, row.lead.max_bytes() - 1)
        }
    };
    (mode, part::LEAD, u64::from(last), u64::from(todo.0))
}

fn value_form(header: u8) -> (u64, u64) {
    if HEADERS[usize::from(header)].kind == Kind::Timestamp {
        return (form::TIMESTAMP, 0);
    }
    let Some((address, is1)) = address_form(header) else {
        return (form::NONE, 0);
    };
    let form = match address {
        AddressForm::Match(_) => form::MATCH,
        AddressForm::Short => form::SHORT,
        AddressForm::Long32 => form::LONG32,
        AddressForm::Long64 => form::LONG64,
        AddressForm::Zero => form::ZERO,
    };
    (form, u64::from(is1))
}

fn table_row(header: u8) -> TableRow<u64> {
    let row = &HEADERS[usize::from(header)];
    let (mode, part, last, todo) = first_part(header);
    let (form, is1) = value_form(header);
    TableRow {
        gates: row.gate.mask().into(),
        commopt: depends_on_commopt(header).into(),
        mode,
        part,
        last,
        todo,
        form,
        is1,
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| TableRow::table(|header| table_row(header as u8)));

fn header_row<T: Word>(config: &DecoderConfig<T>, octet: T) -> HeaderRow<T> {
    let entry = TableRow::split(octet.rom(&TABLE));
    let open = entry.gates.and(config.gates).any();
    // Cycle Count format 1 loses its COMMIT: COUNT moves up, or nothing is left.
    let short = entry.commopt.and(config.commopt);
    let bare = short.and(entry.todo.any().not());
    HeaderRow {
        error: open.not(),
        single: any(&[entry.mode.is(mode::HEADER), bare, open.not()]),
        mode: bare.mux(T::constant(mode::HEADER, 3), entry.mode),
        part: short.mux(T::constant(part::FIELD1, 4), entry.part),
        last: entry.last,
        todo: entry.todo.mask(short.not()),
        form: entry.form.mask(open),
        is1: entry.is1,
        exception: octet.is(EXCEPTION.into()),
        plctl: octet.is(TRACE_INFO.into()),
    }
}

fn header_lookup<T: Word, const N: usize>(i: LookupInputs<T::Port, N>) -> LookupOutputs<T, N> {
    let config = DecoderConfig::unpack(&i.cfg);
    LookupOutputs {
        row: i
            .octet
            .map(|octet| header_row(&config, T::field(&octet, 0, 8)).pack()),
    }
}
