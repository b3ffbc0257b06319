// SPDX-License-Identifier: MIT OR Apache-2.0
//! The profile entry of a record.

use coretrace_abi::profile_stream::{Entry, EntryKind, VERSION};
use coretrace_abi::record_stream::{AddressRule, rules};
use coretrace_etm::packet::exception_info;
use coretrace_etm::{Address, Kind, Record};

use coretrace_streams::Item;

/// Header of an exception, and of an ETE's PE Reset and Transaction Failure: they are exceptions
/// with their own numbers.
const EXCEPTION: u8 = 0x06;

/// The entry that the core makes from an item; `trace_id` is the source that was started last.
#[inline]
pub fn entry_of(trace_id: u8, item: &Item<'_>) -> Option<Entry> {
    let (kind, weight, key) = match item {
        Item::Start(_) => (EntryKind::Start, VERSION, 0),
        Item::Lost(words) => (EntryKind::Lost, *words, 0),
        Item::Source(_) | Item::Skipped(_) | Item::Gap(_) => return None,
        Item::Record(record) => of_record(record)?,
    };
    Some(Entry {
        kind,
        trace_id,
        weight,
        key,
    })
}

#[inline]
fn of_record(record: &Record) -> Option<(EntryKind, u32, u64)> {
    let address = key_of_address(record.address);
    match record.kind {
        // These have a header byte that is not a packet's.
        Kind::NotSync | Kind::Incomplete => None,
        kind if kind.is_error() => None,
        Kind::Event => Some((EntryKind::Event, 1, u64::from(record.header & 0xF))),
        Kind::CycleCountF1 if record.header & 1 == 1 => None,
        Kind::CycleCountF1 | Kind::CycleCountF2 | Kind::CycleCountF3 => {
            Some((EntryKind::Cycles, record.count, address))
        }
        _ if record.header == EXCEPTION => {
            let number = exception_info(&record.lead).number;
            Some((EntryKind::Exception, 1, u64::from(number)))
        }
        _ => {
            let (rule, _) = rules(record.header)?;
            (rule != AddressRule::None).then_some((EntryKind::Target, 1, address))
        }
    }
}

fn key_of_address(address: Address) -> u64 {
    address.value & !1 | u64::from(address.is1)
}
