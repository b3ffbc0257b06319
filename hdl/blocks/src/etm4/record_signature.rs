// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RecordSignature`: a running sum over results, to check a decoder on a board.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `valid` | in | a result word is there |
//! | `result` | in | [`LaneResult`] |
//! | `sum` | in | the sum before |
//! | `is_async`, `is_error` | out | the record is an A-Sync; an error |
//! | `after` | out | the sum after: plus header byte, plus the low 16 bits of the address; an A-Sync starts it anew |
//!
//! Combinational; the caller keeps the sum. [`signature`] is the same in software.

use super::layouts::{LANE_RESULT_W, LaneResult, outcome};
use crate::dataflow::{Bus, Word, kernel_block};
use etm4_protocol::{Kind, Record};
use rust_hdl::prelude::*;

kernel_block! {
    /// Sums up records; see the module text.
    pub struct RecordSignature;
    inputs SignatureInputs {
        valid: Bit,
        result: Bus<LANE_RESULT_W>,
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
    let result = LaneResult::<T>::unpack(&i.result);
    let valid = T::field(&i.valid, 0, 1);
    let is = |value: u64| result.outcome.is(value).and(valid);
    let is_async = is(outcome::ASYNC);
    let before = T::field(&i.sum, 0, 16);
    let sum = before
        .add(result.address.slice(0, 16))
        .add(result.header.extend(16));
    let sum = is_async.mux(T::constant(1, 16), sum);
    SignatureOutputs {
        is_async: vec![is_async],
        is_error: vec![is(outcome::RESERVED).or(is(outcome::BAD_SEQUENCE))],
        after: vec![valid.and(result.outcome.any()).mux(sum, before)],
    }
}

/// The sum over the records from the last A-Sync on, which counts as 1.
pub fn signature<'a>(records: impl IntoIterator<Item = &'a Record>) -> u16 {
    records
        .into_iter()
        .fold(0, |sum: u16, record| match record.kind {
            Kind::Async => 1,
            _ => sum
                .wrapping_add(u16::from(record.header))
                .wrapping_add(record.address.value as u16),
        })
}
