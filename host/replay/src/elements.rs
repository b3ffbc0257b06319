// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements back from the records of the XE encoder.

use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::history::elements::{
    ADDRESS_COUNTER_BITS, ADDRESS_START, ATOMS, HISTORY, HISTORY_COUNTER_BITS, MATCHES, TABLE_BITS,
};
use coretrace_abi::compressed::history::{
    CLASSES, COUNTER_MOST, COUNTER_START, MATCH_AFTER, MATCH_HISTORY, PROBABILITY_START,
};
use coretrace_abi::compressed::item::Item;

use crate::decisions::{Decisions, Said};
use crate::estimates::{Outcome, Trusted, UNKNOWN, counted, hash, outcome, target, trusted};
use crate::memory::Memory;
use crate::reader::{Damaged, Reader};

/// The elements and notes of a block, in order. Behind an error there is none.
pub struct ElementsReplay<'r> {
    decisions: Decisions<'r>,
    /// Of atoms by address, of atoms by history, of addresses.
    counters: [Vec<u8>; 3],
    atoms: Vec<Outcome>,
    flags: Vec<Outcome>,
    candidates: Vec<u16>,
    memory: Memory,
    table: Vec<Trusted>,
    address: u64,
    history: u64,
    path: u64,
    has_ended: bool,
}

impl<'r> ElementsReplay<'r> {
    /// Of a block.
    pub fn new(reader: Reader<'r>) -> ElementsReplay<'r> {
        let counters = |bits: u32, start: u8| vec![start; 1 << bits];
        ElementsReplay {
            decisions: Decisions::new(reader, CLASSES),
            counters: [
                counters(ADDRESS_COUNTER_BITS, COUNTER_START),
                counters(HISTORY_COUNTER_BITS, COUNTER_START),
                counters(HISTORY_COUNTER_BITS, ADDRESS_START),
            ],
            atoms: vec![UNKNOWN; 1 << 10],
            flags: vec![UNKNOWN; 1 << 10],
            candidates: vec![PROBABILITY_START; 1 << 7],
            memory: Memory::new(MATCHES, MATCH_AFTER),
            table: vec![(0, 0); 1 << TABLE_BITS],
            address: 0,
            history: 0,
            path: 0,
            has_ended: false,
        }
    }

    fn step(&mut self) -> Result<Option<Item<Element>>, Damaged> {
        match self.decisions.control()? {
            Some((Said::Note(note), _)) => Ok(Some(Item::Note {
                instructions: 0,
                note,
            })),
            Some((Said::End, _)) => Ok(None),
            Some((Said::Discontinuity(_), _)) => Err(Damaged),
            None => self.element().map(|element| Some(Item::Event(element))),
        }
    }

    fn element(&mut self) -> Result<Element, Damaged> {
        let word = self.address >> 2 & 0xFF_FFFF;
        let place = hash(word, HISTORY_COUNTER_BITS) as u64;
        let atoms = self.history % (1 << ATOMS);
        let by_address = (place ^ atoms) % (1 << ADDRESS_COUNTER_BITS);
        let of_history = hash(self.history % (1 << HISTORY), HISTORY_COUNTER_BITS);
        let by_history = place as usize ^ of_history;
        let places = [by_address as usize, by_history, by_history];
        let [first, second, third] =
            [0, 1, 2].map(|number| usize::from(self.counters[number][places[number]]));

        let number = 64 * self.memory.outcome(0) + 8 * first + second;
        let taken = outcome(&mut self.decisions, &mut self.atoms[number])?;
        self.count(0, places, taken);
        self.count(1, places, taken);
        let mut address = None;
        if taken {
            let number = 8 * self.memory.outcome(1) + third;
            let has_address = outcome(&mut self.decisions, &mut self.flags[number])?;
            self.count(2, places, has_address);
            if has_address {
                address = Some(self.target()?);
            }
        }
        self.history = self.history << 1 | u64::from(taken);
        if let Some(address) = address {
            let word = address >> 2;
            self.history = self.history << 4 ^ hash(word & 0xFFFF, 4) as u64;
            self.path = (self.path << 3 ^ word) & 0xFFFF;
            self.address = address;
        }
        let width = MATCHES.place_bits;
        let outcomes = hash(self.history % (1 << MATCH_HISTORY), width);
        let place = outcomes ^ hash(self.address >> 2 & 0xFF_FFFF, width);
        let symbol = u8::from(taken) + 2 * u8::from(address.is_some());
        self.memory.came(Some(symbol), address, place);
        self.decisions.event();
        Ok(Element { taken, address })
    }

    fn count(&mut self, number: usize, places: [usize; 3], up: bool) {
        let counter = &mut self.counters[number][places[number]];
        *counter = counted(*counter, up, COUNTER_MOST);
    }

    fn target(&mut self) -> Result<u64, Damaged> {
        let entry = hash(self.path, TABLE_BITS) ^ (self.history & 0xF) as usize;
        let (expected, trust) = self.table[entry];
        let trust = usize::from(trust);
        let of_match = self.memory.target().map(|(target, length)| {
            let quality = [8, 32].iter().filter(|&&least| length >= least).count();
            let is_expected = usize::from(trust > 0 && expected == target);
            (target, quality << 3 | trust << 1 | is_expected)
        });
        let is_new = of_match.is_none_or(|(target, _)| target != expected);
        let of_path = (trust > 0 && is_new).then_some((expected, 32 + trust));
        let candidates = [of_match, of_path, None];
        let target = target(&mut self.decisions, &mut self.candidates, candidates)?;
        self.table[entry] = trusted(self.table[entry], target);
        Ok(target)
    }
}

impl Iterator for ElementsReplay<'_> {
    type Item = Result<Item<Element>, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let item = self.step().transpose();
        self.has_ended = !matches!(item, Some(Ok(_)));
        item
    }
}
