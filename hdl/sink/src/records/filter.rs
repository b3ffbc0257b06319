// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which records of a row the filter keeps: the rules of `coretrace_abi::record_filter` on a lane.

use super::range::{Range, is_outside};
use super::settings::{KINDS, RecordSettings};
use coretrace_abi::record_filter::kinds_of;
use coretrace_hdl_dataflow::{Table, Word, named};
use std::sync::LazyLock;

/// The kinds that a filter knows a tag by.
static KINDS_OF: LazyLock<Table> =
    LazyLock::new(|| Table::new(KINDS as u32, |tag| kinds_of(tag as u8).into()));

/// Whether a record is kept, by its tag and the newest address after it; three cycles later.
#[named]
pub(super) fn passes<T: Word>(tag: T, address: T, settings: &RecordSettings<T>) -> T {
    let range = Range {
        exists: settings.has_range,
        first: [settings.first_low, settings.first_high],
        last: [settings.last_low, settings.last_high],
    };
    let kinds = tag.rom(&KINDS_OF).reg();
    let kept = kinds.and(settings.drop.not()).any().reg();
    let outside = is_outside(address, &range);
    kinds.any().not().or(kept.and(outside.not())).reg()
}
