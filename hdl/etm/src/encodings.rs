// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a byte can be by its own value, for every decoder.

use crate::layouts::DecoderConfig;
use coretrace_etm::ASYNC_END;
use coretrace_etm::header::{DISCARD, OVERFLOW};
use coretrace_etm::packet::ete_exception_kind;
use coretrace_hdl_dataflow::{Table, Word};
use std::sync::LazyLock;

static ETE_EXCEPTION: LazyLock<Table> =
    LazyLock::new(|| Table::new(1, |octet| ete_exception_kind(octet as u8).is_some().into()));

/// Whether this first byte of an exception is that of an ETE's PE Reset or Transaction Failure.
pub(crate) fn is_ete_exception<T: Word>(config: &DecoderConfig<T>, octet: T) -> T {
    config.ete.and(octet.rom(&ETE_EXCEPTION))
}

/// Whether a byte after header 0x00 makes a whole packet with it: a Discard or an Overflow.
pub(crate) fn is_extension<T: Word>(octet: T) -> T {
    octet.is(DISCARD.into()).or(octet.is(OVERFLOW.into()))
}

/// Whether a byte can be the last one of an A-Sync.
pub(crate) fn is_async_end<T: Word>(octet: T) -> T {
    octet.is(ASYNC_END.into())
}
