// SPDX-License-Identifier: MIT OR Apache-2.0
//! ROM tables of any shape are walked to their end, by reads alone.

use std::collections::BTreeMap;

use coretrace_target::{Bus, BusError, Found, Preset, Topology, What, discover};
use proptest::prelude::*;

/// A bus with words; others read 0.
#[derive(Default)]
struct Words(BTreeMap<u64, u32>);

impl Bus for Words {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        Ok(self.0.get(&address).copied().unwrap_or(0))
    }

    fn write32(&mut self, _: u64, _: u32) -> Result<(), BusError> {
        Err(BusError::Aborted)
    }
}

impl Words {
    /// Something of a class at an address, with a part number of Arm.
    fn add(&mut self, base: u64, class: u32, part: u32) {
        let values = [
            (0xFF0, 0x0D),
            (0xFF4, class << 4),
            (0xFF8, 5),
            (0xFFC, 0xB1),
        ];
        let ids = [(0xFE0, part & 0xFF), (0xFE4, part >> 8 | 0xB0)];
        self.0.extend(
            values
                .into_iter()
                .chain(ids)
                .map(|(at, value)| (base + at, value)),
        );
    }

    /// An entry of a table.
    fn link(&mut self, table: u64, entry: u64, to: u64) {
        self.0.insert(
            table + 4 * entry,
            (to as u32).wrapping_sub(table as u32) | 3,
        );
    }
}

/// A chip without clocks.
fn chip() -> Topology {
    let topology = Preset::find("juno")
        .expect("a preset")
        .topology()
        .expect("a topology");
    assert!(topology.clocks.is_empty());
    topology
}

fn found(words: &mut Words, table: u64) -> Vec<Found> {
    discover(&chip(), table, words).expect("no error")
}

#[test]
fn tables_in_tables_are_walked_once_each_and_not_too_deep() {
    let mut words = Words::default();
    let at = |number: u64| 0x8000_0000 + 0x1000 * number;
    for number in 0..8 {
        words.add(at(number), 1, 0x4A0);
        words.link(at(number), 0, at(number + 1));
        // Back to the first, and to one below the table.
        words.link(at(number), 1, at(0));
    }
    words.0.insert(at(0) + 8, 0x0010_0002);
    words.link(at(0), 3, 0x7000_0000);
    words.add(0x7000_0000, 9, 0x912);
    words.0.insert(0x7000_0FCC, 0x11);
    let all = found(&mut words, at(0));
    let bases: Vec<u64> = all.iter().map(|found| found.base).collect();
    assert_eq!(bases, [at(0), at(1), at(2), at(3), at(4), 0x7000_0000]);
    assert_eq!(
        all[5].what,
        What::Kind(coretrace_coresight::map::ComponentKind::Tpiu)
    );
    assert_eq!(all[5].part, 0xB912);
}

#[test]
fn what_does_not_identify_itself_is_nothing_and_read_no_further() {
    let mut words = Words::default();
    words.add(0x8000_0000, 1, 0x4A0);
    words.link(0x8000_0000, 0, 0x8000_1000);
    words.link(0x8000_0000, 1, 0x8000_2000);
    words.add(0x8000_2000, 0xF, 0x123);
    let what: Vec<What> = found(&mut words, 0x8000_0000)
        .iter()
        .map(|found| found.what)
        .collect();
    assert_eq!(what, [What::Table, What::Nothing, What::Class(0xF)]);
}

proptest! {
    #[test]
    fn any_words_are_walked_to_an_end(
        entries in proptest::collection::vec((0u64..8, 0u64..960, 0u64..8), 0..200),
        classes in proptest::collection::vec(0u32..16, 8),
    ) {
        let mut words = Words::default();
        for (number, class) in (0..).zip(classes) {
            words.add(0x8000_0000 + 0x1000 * number, class, 0x961);
        }
        for (table, entry, to) in entries {
            words.link(0x8000_0000 + 0x1000 * table, entry, 0x8000_0000 + 0x1000 * to);
        }
        prop_assert!(found(&mut words, 0x8000_0000).len() <= 8);
    }
}
