// SPDX-License-Identifier: MIT OR Apache-2.0
//! ROM tables of any shape are walked to their end, by reads alone, and what they have is joined to a topology.

use std::collections::BTreeMap;

use coretrace_coresight::map::ComponentKind;
use coretrace_target::topology::Component;
use coretrace_target::{
    Bus, BusError, Found, Place, Preset, Topology, What, as_found, discover, join, joined,
};
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

/// What tables have, without the components of the topology, which are read, too.
fn found(words: &mut Words, table: u64) -> Vec<Found> {
    let mut all = discover(&chip(), table, words).expect("no error");
    let rest = all.split_off(1);
    all.extend(rest.into_iter().filter(|found| found.depth > 0));
    all
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
    assert_eq!(all[5].what, What::Kind(ComponentKind::Tpiu));
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

/// The components of a topology that are on a chip, each at an address of its own.
fn all_of(topology: &Topology, base: impl Fn(&Component) -> u64) -> Vec<Found> {
    let found = |of: &Component| Found {
        base: base(of),
        depth: 1,
        part: 0,
        what: What::Kind(of.kind),
        is_locked: false,
        claims: 0,
    };
    topology.components.iter().map(found).collect()
}

#[test]
fn components_that_moved_together_are_joined_and_give_the_same_graph() {
    let topology = chip();
    for moved in [0, 0x1000, 0x80_0000] {
        let found = all_of(&topology, |of| of.base + moved);
        let places = join(&topology, &found);
        let place = |base| match moved {
            0 => Place::Same,
            _ => Place::Moved(base + moved),
        };
        for (component, found) in topology.components.iter().zip(&places) {
            assert_eq!(*found, place(component.base), "{}", component.name);
        }
        let rebuilt = as_found(&topology, 0x8000_0000, &found, &places);
        let text = rebuilt.toml();
        assert_eq!(Topology::parse(&text), Ok(rebuilt.clone()));
        assert_eq!(rebuilt.links, topology.links);
        let names = |of: &Topology| -> Vec<_> {
            let components = of.components.iter();
            let graph = components.map(|c| (c.name.clone(), c.kind, c.cpu, c.clocks.clone()));
            graph.collect()
        };
        assert_eq!(names(&rebuilt), names(&topology));
    }
}

#[test]
fn a_component_that_could_be_one_of_two_is_not_joined() {
    let topology = chip();
    let etm = |of: &Component| of.kind == ComponentKind::Etm4;
    let units: Vec<_> = topology.components.iter().filter(|of| etm(of)).collect();
    let (first, second) = (units[0].base, units[1].base);
    let mut found = all_of(&topology, |of| of.base);
    let is_lost = |found: &Found| [first, second].contains(&found.base);
    let lost = found.iter().position(is_lost).expect("a unit");
    found[lost].base = 0x1_0000_0000;
    found.retain(|found| !is_lost(found));
    let places = join(&topology, &found);
    for (component, place) in topology.components.iter().zip(&places) {
        let is_known = ![first, second].contains(&component.base);
        assert_eq!(*place == Place::Same, is_known, "{}", component.name);
    }
    assert_eq!(joined(&topology, &places, 0x1_0000_0000), None);
    // It is in the topology of what was found, without links.
    let rebuilt = as_found(&topology, 0, &found, &places);
    let last = rebuilt.components.last().expect("a component");
    assert_eq!((last.base, last.cpu), (0x1_0000_0000, None));
    assert_eq!(rebuilt.components.len(), topology.components.len() - 1);
    assert_eq!(rebuilt.links.len(), topology.links.len() - 2);
}

#[test]
fn a_component_that_no_table_has_is_found_at_its_address() {
    let topology = chip();
    let port = topology.find("tpiu").expect("a port");
    let base = topology.components[port].base;
    let mut words = Words::default();
    words.add(0x8000_0000, 1, 0x4A0);
    words.add(base, 9, 0x912);
    words.0.insert(base + 0xFCC, 0x11);
    let all = discover(&topology, 0x8000_0000, &mut words).expect("no error");
    let at = all.iter().find(|found| found.base == base);
    let at = at.expect("it is found");
    assert_eq!((at.depth, at.what), (0, What::Kind(ComponentKind::Tpiu)));
    let places = join(&topology, &all);
    assert_eq!(places[port], Place::Same);
    let others = places
        .iter()
        .filter(|place| **place == Place::Other(What::Nothing));
    assert_eq!(others.count(), topology.components.len() - 1);
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
