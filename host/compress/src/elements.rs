// SPDX-License-Identifier: MIT OR Apache-2.0
//! The XE encoder: what X does, for the elements of a trace unit, without an image.

use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::history::elements::{
    ADDRESS_COUNTER_BITS, ADDRESS_START, ATOMS, HISTORY, HISTORY_COUNTER_BITS, MATCHES, TABLE_BITS,
};
use coretrace_abi::compressed::history::{
    CLASSES, COUNTER_MOST, COUNTER_START, Control, MATCH_AFTER, MATCH_HISTORY,
};
use coretrace_abi::compressed::item::Note;

use crate::bits::Bits;
use crate::hash::{fold, low};
use crate::match_history::{Match, MatchHistory, Symbol};
use crate::probability::{Probability, count};
use crate::records::Records;
use crate::targets::{Candidates, Expected, Targets};

/// Probabilities of atoms, and of addresses behind an E.
const PROBABILITIES: usize = 1024;

/// Encodes elements; [`coretrace_abi::compressed`] has the records.
#[derive(Clone, Debug)]
pub struct Elements {
    by_address: Vec<u8>,
    by_history: Vec<u8>,
    /// Of addresses.
    addresses: Vec<u8>,
    atoms: Vec<Probability>,
    flags: Vec<Probability>,
    matches: MatchHistory,
    targets: Targets,
    /// The last address.
    address: u64,
    /// The newest atoms, with what is left of the addresses between them.
    newest: u64,
    records: Records,
}

impl Default for Elements {
    fn default() -> Elements {
        Elements::new()
    }
}

impl Elements {
    /// An encoder that has not seen an element.
    pub fn new() -> Elements {
        Elements {
            by_address: vec![COUNTER_START; 1 << ADDRESS_COUNTER_BITS],
            by_history: vec![COUNTER_START; 1 << HISTORY_COUNTER_BITS],
            addresses: vec![ADDRESS_START; 1 << HISTORY_COUNTER_BITS],
            atoms: vec![Probability::START; PROBABILITIES],
            flags: vec![Probability::START; PROBABILITIES],
            matches: MatchHistory::new(MATCHES, MATCH_AFTER),
            targets: Targets::new(TABLE_BITS),
            address: 0,
            newest: 0,
            records: Records::new(CLASSES),
        }
    }

    /// Takes the next element.
    pub fn element(&mut self, element: &Element) {
        let Element { taken, address } = *element;
        let place = fold(low(self.address >> 2, 24), HISTORY_COUNTER_BITS);
        let by_address = place ^ low(self.newest, ATOMS) as usize;
        let by_address = low(by_address as u64, ADDRESS_COUNTER_BITS) as usize;
        let by_history = place ^ fold(low(self.newest, HISTORY), HISTORY_COUNTER_BITS);
        let found = self.matches.get();

        let counters = [
            &mut self.by_address[by_address],
            &mut self.by_history[by_history],
        ];
        let of_counters = usize::from(*counters[0]) << 3 | usize::from(*counters[1]);
        let number = Match::number(found, 0) << 6 | of_counters;
        self.atoms[number].outcome(&mut self.records, taken);
        counters
            .into_iter()
            .for_each(|counter| count(counter, taken, COUNTER_MOST));
        if taken {
            let counter = &mut self.addresses[by_history];
            let number = Match::number(found, 1) << 3 | usize::from(*counter);
            self.flags[number].outcome(&mut self.records, address.is_some());
            count(counter, address.is_some(), COUNTER_MOST);
        }
        if let Some(address) = address {
            self.target(found, address);
        }
        self.newest = self.newest << 1 | u64::from(taken);
        if let Some(address) = address {
            self.newest = (self.newest << 4) ^ fold(low(address >> 2, 16), 4) as u64;
        }
        let bits = MATCHES.place_bits;
        let of_address = fold(low(self.address >> 2, 24), bits);
        let key = fold(low(self.newest, MATCH_HISTORY), bits) ^ of_address;
        let outcome = u8::from(taken) | u8::from(address.is_some()) << 1;
        let symbol = Symbol {
            outcome: Some(outcome),
            target: address,
        };
        self.matches.step(symbol, key);
        self.records.event();
    }

    /// Takes a note.
    pub fn note(&mut self, note: Note) {
        self.records.note(note, 0);
    }

    /// Bits so far.
    pub fn bits(&self) -> u64 {
        self.records.bits()
    }

    /// Ends the block; all bits.
    pub fn finish(mut self) -> Bits {
        self.records.control(Control::End, 0);
        self.records.into_bits()
    }

    fn target(&mut self, found: Option<Match>, address: u64) {
        let of_path = fold(self.targets.path(), TABLE_BITS);
        let by_path = of_path ^ low(self.newest, 4) as usize;
        let candidates = candidates(found, self.targets.expected(by_path));
        let records = &mut self.records;
        self.targets.led(records, &candidates, by_path, address);
        self.address = address;
    }
}

fn candidates(found: Option<Match>, expected: Expected) -> Candidates {
    let confidence = usize::from(expected.confidence);
    let mut candidates = Candidates::default();
    if let Some(Match { target, length, .. }) = found {
        let grade = match length {
            0..=7 => 0,
            8..=31 => 1,
            _ => 2,
        };
        let number = 2 * confidence + usize::from(expected.is(target));
        candidates.put(target, 8 * grade + number);
    }
    if confidence > 0 {
        candidates.put(expected.target, 32 + confidence);
    }
    candidates
}
