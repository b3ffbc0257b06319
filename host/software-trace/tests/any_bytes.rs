// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any bytes, in any pieces, under every policy.

use coretrace_decode::Policy;
use coretrace_software_trace::{Decoder, ItmConfig, Protocol, Record};
use proptest::prelude::*;

const POLICIES: [Policy; 3] = [Policy::Resync, Policy::Lenient, Policy::OpenCsd];

const PROTOCOLS: [Protocol; 2] = [Protocol::Stm, Protocol::Itm(ItmConfig { itm_tcr: 0 })];

/// The records of pieces.
fn records<'a>(
    protocol: Protocol,
    policy: Policy,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Record> {
    let mut decoder = Decoder::new(protocol, policy);
    let mut records = Vec::new();
    for piece in pieces {
        decoder.feed(piece, |record| records.push(*record));
    }
    decoder.finish(|record| records.push(*record));
    records
}

/// Bytes that are often those of syncs.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let sync = prop_oneof![
        Just(vec![0, 0, 0, 0, 0, 0x80]),
        Just([&[0xFF; 10][..], &[0x0F, 0x00, 0x3F]].concat()),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(sync, 0..20).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn every_nibble_and_byte_belongs_to_one_record(bytes in bytes()) {
        for (protocol, policy) in pairs() {
            let mut end = 0;
            for record in records(protocol, policy, [&bytes[..]]) {
                let offset = match record {
                    Record::Stm(record) => record.offset,
                    Record::Itm(record) => record.offset,
                };
                prop_assert_eq!(offset, end);
                prop_assert!(!record.is_empty());
                end += record.len();
            }
            let units = if protocol == Protocol::Stm { 2 } else { 1 };
            prop_assert_eq!(end, units * bytes.len() as u64);
        }
    }

    #[test]
    fn pieces_do_not_matter(bytes in bytes(), size in 1usize..9) {
        for (protocol, policy) in pairs() {
            let whole = records(protocol, policy, [&bytes[..]]);
            prop_assert_eq!(records(protocol, policy, bytes.chunks(size)), whole);
        }
    }

    #[test]
    fn a_sync_is_found_behind_any_bytes(bytes in bytes()) {
        let stm = [&[0xFF; 10][..], &[0x0F, 0x0F, 0x30, 0x14, 0x0F]].concat();
        let itm = vec![0, 0, 0, 0, 0, 0x80, 0x01, 0x41];
        for (protocol, sync) in [(PROTOCOLS[0], stm), (PROTOCOLS[1], itm)] {
            for policy in [Policy::Resync, Policy::Lenient] {
                let records = records(protocol, policy, [&bytes[..], &sync]);
                let last = records.last().expect("a record");
                prop_assert!(!last.is_error() && !last.is_unread(), "{:?}", last);
                let begins = records.iter().any(|it| it.is_sync() && it.offset() + 12 >= bytes.len() as u64);
                prop_assert!(begins);
            }
        }
    }
}

fn pairs() -> impl Iterator<Item = (Protocol, Policy)> {
    PROTOCOLS
        .into_iter()
        .flat_map(|protocol| POLICIES.map(|policy| (protocol, policy)))
}
