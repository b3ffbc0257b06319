// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RecordSignature`: a running sum over the records of one lane, for self-tests on a board.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `valid` | in | a result word is there |
//! | `record` | in | [`LaneRecord`] |
//! | `sum` | in | the sum before |
//! | `is_async`, `is_error` | out | the record is an A-Sync; an error |
//! | `after` | out | the sum after: plus kind, plus the low 16 bits of the address; an A-Sync starts it anew |
//!
//! Combinational; the caller keeps the sum. [`signature`] is the same in software.

use super::layouts::{LaneRecord, RECORD_W};
use crate::dataflow::{Bus, Word, any, kernel_block};
use etm4_protocol::{Kind, Record};
use rust_hdl::prelude::*;

kernel_block! {
    /// Sums up records; see the module text.
    pub struct RecordSignature;
    inputs SignatureInputs {
        valid: Bit,
        record: Bus<RECORD_W>,
        sum: Bits<16>,
    }
    lane_inputs {}
    outputs SignatureOutputs { is_async: Bit, is_error: Bit, after: Bits<16>, }
    lane_outputs {}
    kernel record_signature;
}

fn record_signature<T: Word, const N: usize>(
    i: SignatureInputs<T::Port, N>,
) -> SignatureOutputs<T, N> {
    let record = LaneRecord::<T>::unpack(&i.record);
    let valid = T::field(&i.valid, 0, 1).and(record.kind.any());
    let is = |kind: Kind| record.kind.is(kind.code().into()).and(valid);
    let before = T::field(&i.sum, 0, 16);
    let sum = before
        .add(record.address.slice(0, 16))
        .gated(is(Kind::Async).not());
    let sum = sum.add(record.kind.extend(16));
    SignatureOutputs {
        is_async: vec![is(Kind::Async)],
        is_error: vec![any(
            &[Kind::Reserved, Kind::ReservedCfg, Kind::BadSequence].map(is)
        )],
        after: vec![valid.mux(sum, before)],
    }
}

/// The sum over the records from the last A-Sync on.
pub fn signature<'a>(records: impl IntoIterator<Item = &'a Record>) -> u16 {
    records.into_iter().fold(0, |sum: u16, record| {
        let kind = u16::from(record.kind.code());
        match record.kind {
            Kind::Async => kind,
            _ => sum
                .wrapping_add(kind)
                .wrapping_add(record.address.value as u16),
        }
    })
}
