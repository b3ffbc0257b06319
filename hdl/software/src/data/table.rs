// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a byte is as a header: the public grammar of `coretrace_data_trace` as words.

use super::layouts::Entry;
use coretrace_data_trace::{Grammar, Payload};
use coretrace_hdl_dataflow::{Table, Word};
use std::sync::LazyLock;

static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::public().unwrap_or_else(|cause| panic!("{cause:#}")));

static HEADERS: LazyLock<Table> = LazyLock::new(|| table(Grammar::header));

static EXTENSIONS: LazyLock<Table> = LazyLock::new(|| table(Grammar::extension));

/// The entries of all bytes.
fn table(packet: fn(&Grammar, u8) -> Option<usize>) -> Table {
    Entry::table(|byte| {
        let index = packet(&GRAMMAR, byte as u8);
        let is_whole = |index: usize| match &GRAMMAR.packets()[index].payload {
            Payload::Fields(fields) => fields.is_empty(),
            Payload::Unknown => false,
        };
        Entry {
            known: index.is_some().into(),
            whole: index.is_some_and(is_whole).into(),
            index: index.unwrap_or(0) as u64,
        }
    })
}

/// A byte as a header.
pub fn header<T: Word>(byte: T) -> Entry<T> {
    Entry::split(byte.rom(&HEADERS))
}

/// A byte behind the header 00.
pub fn extension<T: Word>(byte: T) -> Entry<T> {
    Entry::split(byte.rom(&EXTENSIONS))
}
