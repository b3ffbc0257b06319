// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transfers and values of a program are given back to the elements that made them.

use coretrace_data_trace::{Address, Element, Keys};
use coretrace_etm::{ArchProfile, Kind, Record};
use coretrace_transfers::{Associator, Found};
use proptest::prelude::*;

const KEYS: Keys = Keys {
    parents: 16,
    addresses: 8,
    special: 2,
};

fn record(kind: Kind, header: u8, offset: u64) -> Record {
    Record {
        header,
        offset,
        ..Record::blank(kind)
    }
}

fn transfer(parent: u64, key: u64) -> Element {
    Element::Address(Address {
        parent,
        key,
        index: 0,
        address: Some(0x100 * key),
    })
}

/// What a program does in the order of both streams.
#[derive(Clone, Debug)]
enum Act {
    /// A P0 element.
    Parent,
    /// A transfer of the P0 element so many before the last.
    Transfer(usize),
    /// The value of the transfer so many before the last.
    Value(usize),
    /// Both marks in both streams.
    Mark,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => Just(Act::Parent),
        4 => (0usize..6).prop_map(Act::Transfer),
        3 => (0usize..5).prop_map(Act::Value),
        1 => Just(Act::Mark),
    ]
}

proptest! {
    #[test]
    fn every_transfer_and_value_goes_to_what_made_it(acts in proptest::collection::vec(act(), 0..300)) {
        let mut associator = Associator::new(KEYS, ArchProfile::M7);
        let (mut parents, mut transfers, mut marks, mut expected) = (0u64, 0u64, 0u8, Vec::new());
        // P0 elements since the last mark: between marks, fewer than half of the keys keep the nearest one right.
        let mut since_mark = 0;
        let mut found = Vec::new();
        for (offset, act) in (0u64..).zip(acts) {
            match act {
                Act::Parent if since_mark < 4 => {
                    associator.instruction(&record(Kind::Exception, 6, parents));
                    parents += 1;
                    since_mark += 1;
                }
                Act::Transfer(back) if (back as u64) < parents.min(4) => {
                    let parent = parents - 1 - back as u64;
                    associator.data(offset, transfer(parent % KEYS.parents, transfers % 6));
                    expected.push((Some(parent), None));
                    transfers += 1;
                }
                Act::Value(back) if (back as u64) < transfers => {
                    let number = transfers - 1 - back as u64;
                    associator.data(offset, Element::Value { key: number % 6, value: number });
                    expected.push((None, Some(number)));
                }
                Act::Mark => {
                    associator.instruction(&record(Kind::NumDataSync, 0x20 | marks, 0));
                    associator.instruction(&record(Kind::UnnumDataSync, 0x28, 0));
                    associator.data(offset, Element::Mark(marks.into()));
                    associator.data(offset, Element::Pin);
                    marks = (marks + 1) & 7;
                    since_mark = 0;
                    associator.take(&mut |what| found.push(*what));
                }
                _ => {}
            }
        }
        let statistics = associator.finish(&mut |what| found.push(*what));
        let found: Vec<_> = found
            .iter()
            .filter_map(|what| match *what {
                Found::Transfer { parent, .. } => Some((parent.map(|parent| parent.offset), None)),
                Found::Value { transfer, .. } => Some((None, transfer)),
                Found::Other(..) => None,
            })
            .collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!((statistics.without_parent, statistics.without_transfer), (0, 0));
    }
}

#[test]
fn a_cancelled_element_has_no_transfers() {
    let mut associator = Associator::new(KEYS, ArchProfile::M7);
    associator.instruction(&record(Kind::Exception, 6, 1));
    associator.instruction(&record(Kind::Exception, 6, 2));
    // Cancel format 3 with one element, and a misprediction.
    let mut cancel = record(Kind::CancelF2, 0x34, 3);
    cancel.fields[0] = 1;
    associator.instruction(&cancel);
    associator.data(0, transfer(1, 0));
    associator.data(1, Element::Value { key: 5, value: 0 });
    let mut parents = Vec::new();
    let statistics = associator.finish(&mut |what| {
        if let Found::Transfer { parent, .. } = what {
            parents.push(*parent);
        }
    });
    assert_eq!(parents, [None]);
    assert_eq!(
        (statistics.without_parent, statistics.without_transfer),
        (1, 1)
    );
}

#[test]
fn a_mark_that_one_stream_lost_costs_its_segment_only() {
    let mut associator = Associator::new(KEYS, ArchProfile::M7);
    let mut found = Vec::new();
    for mark in 0..6u8 {
        associator.instruction(&record(Kind::Exception, 6, mark.into()));
        associator.data(0, transfer(mark.into(), 0));
        // The data trace has no mark 2.
        if mark != 2 {
            associator.data(0, Element::Mark(mark.into()));
            associator.data(0, Element::Pin);
        }
        associator.instruction(&record(Kind::NumDataSync, 0x20 | mark, 0));
        associator.instruction(&record(Kind::UnnumDataSync, 0x28, 0));
        associator.take(&mut |what| found.push(*what));
    }
    let offsets: Vec<_> = found
        .iter()
        .filter_map(|what| match what {
            Found::Transfer { parent, .. } => Some(parent.map(|parent| parent.offset)),
            _ => None,
        })
        .collect();
    assert_eq!(offsets, [0, 1, 2, 3, 4, 5].map(Some));
}

#[test]
fn what_waits_for_a_mark_is_bounded_and_counted() {
    let mut associator = Associator::new(KEYS, ArchProfile::M7);
    for offset in 0..(1 << 20) + 5 {
        associator.data(offset, Element::Timestamp(offset));
    }
    for _ in 0..(1 << 20) + 2 {
        associator.instruction(&record(Kind::NumDataSync, 0x20, 0));
        associator.instruction(&record(Kind::UnnumDataSync, 0x28, 0));
    }
    let mut count = 0;
    let statistics = associator.finish(&mut |_| count += 1);
    assert_eq!((count, statistics.dropped), (1 << 20, 7));
}
