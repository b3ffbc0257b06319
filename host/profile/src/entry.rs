// SPDX-License-Identifier: MIT OR Apache-2.0
//! The profile entry of a record.

use coretrace_abi::profile_stream::{Entry, EntryKind, VERSION};
use coretrace_abi::record_stream::{AddressRule, rules};
use coretrace_etm::packet::exception_info;
use coretrace_etm::{HEADERS, Kind, Record};
use coretrace_streams::Item;

/// The entry that the core makes from an item; `trace_id` is the source that was started last.
#[inline(always)]
pub fn entry_of(trace_id: u8, item: &Item<'_>) -> Option<Entry> {
    let (kind, weight, key) = match item {
        Item::Start(_) => (EntryKind::Start, VERSION, 0),
        Item::Lost(words) => (EntryKind::Lost, *words, 0),
        Item::Source(_) | Item::Place(_) | Item::Skipped(_) | Item::Gap(_) => return None,
        Item::Record(record) => of_record(record)?,
    };
    Some(Entry {
        kind,
        trace_id,
        weight,
        key,
    })
}

#[inline(always)]
fn of_record(record: &Record) -> Option<(EntryKind, u32, u64)> {
    let kind = COUNTED[usize::from(record.header)]?;
    if is_no_packet(record.kind) {
        // The header byte is not one.
        return None;
    }
    let address = record.address.with_is1();
    Some(match kind {
        EntryKind::Cycles => (kind, record.count, address),
        EntryKind::Exception | EntryKind::Event => (kind, 1, number_of(record)),
        _ => (kind, 1, address),
    })
}

/// The number of an exception or event.
#[cold]
fn number_of(record: &Record) -> u64 {
    match record.kind {
        Kind::Event => u64::from(record.header & 0xF),
        _ => u64::from(exception_info(&record.lead).number),
    }
}

const fn is_no_packet(kind: Kind) -> bool {
    kind.is_error() || matches!(kind, Kind::NotSync | Kind::Incomplete)
}

/// What packets with a header count as.
static COUNTED: [Option<EntryKind>; 256] = {
    let mut counted = [None; 256];
    let mut header = 0;
    while header < counted.len() {
        counted[header] = counted_as(header as u8);
        header += 1;
    }
    counted
};

const fn counted_as(header: u8) -> Option<EntryKind> {
    match HEADERS[header as usize].kind {
        Kind::Event => Some(EntryKind::Event),
        // Bit 0 says that the count is unknown.
        Kind::CycleCountF1 if header & 1 == 1 => None,
        Kind::CycleCountF1 | Kind::CycleCountF2 | Kind::CycleCountF3 => Some(EntryKind::Cycles),
        // PE Reset and Transaction Failure of an ETE have this header too; they are exceptions with
        // their own numbers.
        Kind::Exception => Some(EntryKind::Exception),
        _ => match rules(header) {
            None | Some((AddressRule::None, _)) => None,
            Some(_) => Some(EntryKind::Target),
        },
    }
}
