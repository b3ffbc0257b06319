// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the X encoders leave out: all decisions that were right.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::history::{
    COUNTER_START, Control, HistoryPreset, MATCH_HISTORY, PROBABILITY_START,
};

use crate::calls::Calls;
use crate::code::{Code, Site, behind, instructions_up_to};
use crate::decisions::Decisions;
use crate::estimates::{Outcome, Trusted, UNKNOWN, counted, hash, outcome, target, trusted};
use crate::memory::Memory;
use crate::reader::{Damaged, Reader};

/// The events of a block, in order. Behind an error there is none.
pub struct HistoryReplay<'r, C> {
    code: &'r C,
    decisions: Decisions<'r>,
    model: Model,
    address: u64,
    /// A control record whose instructions are not behind us, and how many of them are left.
    control: Option<(Control, u64)>,
    has_ended: bool,
}

/// What both sides know of the branches so far.
struct Model {
    preset: &'static HistoryPreset,
    /// Counters by address, and by address and history.
    counters: [Vec<u8>; 2],
    outcomes: Vec<Outcome>,
    /// Probabilities.
    candidates: Vec<u16>,
    memory: Memory,
    /// By path.
    table: Vec<Trusted>,
    calls: Calls,
    history: u64,
    path: u64,
}

impl Model {
    fn new(preset: &'static HistoryPreset) -> Model {
        let counters = [preset.address_counter_bits, preset.history_counter_bits];
        Model {
            preset,
            counters: counters.map(|bits| vec![COUNTER_START; 1 << bits]),
            outcomes: vec![UNKNOWN; 1 << 10],
            candidates: vec![PROBABILITY_START; 1 << 7],
            memory: Memory::new(preset.matches),
            table: vec![(0, 0); 1 << preset.table_bits],
            calls: Calls::new(preset.returns),
            history: 0,
            path: 0,
        }
    }

    fn place_hash(&self, address: u64) -> usize {
        let width = self.preset.matches.place_bits;
        let outcomes = self.history % (1 << MATCH_HISTORY);
        hash(outcomes, width) ^ hash(address >> 2 & 0xFF_FFFF, width)
    }

    fn outcome(&mut self, decisions: &mut Decisions<'_>, address: u64) -> Result<bool, Damaged> {
        let word = address >> 2;
        let width = self.preset.history_counter_bits;
        let history = self.history % (1 << self.preset.history);
        let places = [
            word as usize & (self.counters[0].len() - 1),
            hash(word & 0xFF_FFFF, width) ^ hash(history, width),
        ];
        let [by_address, by_history] = [0, 1].map(|number| self.counters[number][places[number]]);
        let counters = 8 * usize::from(by_address) + usize::from(by_history);
        let number = 64 * self.memory.outcome(0) + counters;
        let taken = outcome(decisions, &mut self.outcomes[number])?;
        for (counters, place) in self.counters.iter_mut().zip(places) {
            counters[place] = counted(counters[place], taken);
        }
        self.history = self.history << 1 | u64::from(taken);
        let place = self.place_hash(address);
        self.memory.came(Some(taken.into()), None, place);
        Ok(taken)
    }

    /// Where an indirect branch or an exception led.
    fn target(&mut self, decisions: &mut Decisions<'_>, site: &Site) -> Result<u64, Damaged> {
        let is_return = site.kind.is(BranchKind::RETURN);
        let width = self.preset.table_bits;
        let entry = hash(site.address >> 2 & 0xFFFF, width) ^ hash(self.path, width);
        let candidates = self.candidates(is_return, self.table[entry]);
        let target = target(decisions, &mut self.candidates, candidates)?;
        self.table[entry] = trusted(self.table[entry], target);
        if is_return {
            self.calls.leave();
        }
        let word = target >> 2;
        self.path = (self.path << 3 ^ word) & 0xFFFF;
        self.history = self.history << 4 ^ hash(word & 0xFFFF, 4) as u64;
        let place = self.place_hash(site.address);
        self.memory.came(None, Some(target), place);
        Ok(target)
    }

    /// Where a branch may lead, with the number of the probability: the return address, the target at the
    /// match, the one of the path.
    fn candidates(
        &self,
        is_return: bool,
        (expected, confidence): Trusted,
    ) -> [Option<(u64, usize)>; 3] {
        let confidence = usize::from(confidence);
        let is_expected = |target| usize::from(confidence > 0 && target == expected);
        let matched = self.memory.target();
        let quality = match matched.map(|(_, length)| length) {
            None => 0,
            Some(0) => 1,
            Some(1..8) => 2,
            Some(8..32) => 3,
            Some(32..) => 4,
        };
        let of_match = matched.map(|(target, _)| target);
        let of_calls = self.calls.top().filter(|_| is_return);
        let first = of_calls.map(|target| {
            let agrees = usize::from(of_match == of_calls) | is_expected(target) << 1;
            (target, agrees << 3 | quality)
        });
        let second = of_match.filter(|_| quality > 1 && of_match != of_calls);
        let second = second.map(|target| {
            let number = (quality % 4) << 3 | confidence << 1 | is_expected(target);
            (target, 1 << 5 | number)
        });
        let is_new = ![of_calls, of_match.filter(|_| quality > 1)].contains(&Some(expected));
        let third = (confidence > 0 && is_new)
            .then_some((expected, 1 << 6 | confidence << 1 | usize::from(is_return)));
        [first, second, third]
    }
}

impl<'r, C: Code> HistoryReplay<'r, C> {
    /// Of a block that begins at an address.
    pub fn new(
        preset: &'static HistoryPreset,
        code: &'r C,
        start: u64,
        reader: Reader<'r>,
    ) -> HistoryReplay<'r, C> {
        HistoryReplay {
            code,
            decisions: Decisions::new(reader),
            model: Model::new(preset),
            address: start,
            control: None,
            has_ended: false,
        }
    }

    fn step(&mut self) -> Result<Option<Event>, Damaged> {
        while self.control.is_none()
            && let Some((control, instructions)) = self.decisions.control()?
        {
            match control {
                Control::Context => drop(self.decisions.payload(32)?),
                Control::Timestamp => drop(self.decisions.payload(64)?),
                Control::Discontinuity | Control::End => {
                    self.control = Some((control, instructions));
                }
            }
        }
        let site = self.code.branch_from(self.address);
        let run = site.map(|site| instructions_up_to(self.address, site.address));
        if let Some((control, left)) = self.control.take() {
            let is_direct = site.is_some_and(|site| !has_decisions(&site));
            match run {
                // A direct branch before it.
                Some(run) if run <= left && is_direct => {
                    self.control = Some((control, left - run));
                }
                _ if control == Control::End => return Ok(None),
                _ => return self.discontinuity(left).map(Some),
            }
        }
        let (site, run) = site.zip(run).ok_or(Damaged)?;
        self.branch(&site, run).map(Some)
    }

    fn discontinuity(&mut self, left: u64) -> Result<Event, Damaged> {
        self.address = self.decisions.literal()?;
        Ok(Event::Discontinuity {
            instructions: u32::try_from(left).map_err(|_| Damaged)?,
            next: self.address,
        })
    }

    fn branch(&mut self, site: &Site, run: u64) -> Result<Event, Damaged> {
        let decisions = &mut self.decisions;
        let mut taken = true;
        let mut next = site.target;
        if site.kind.is(BranchKind::CONDITIONAL) {
            taken = self.model.outcome(decisions, site.address)?;
        }
        if !taken {
            next = behind(site.address);
        } else if site
            .kind
            .is(BranchKind::INDIRECT.and(BranchKind::EXCEPTION))
        {
            next = self.model.target(decisions, site)?;
        }
        if taken && site.kind.is(BranchKind::LINK) {
            self.model.calls.call(behind(site.address));
        }
        if has_decisions(site) {
            decisions.event();
        }
        self.address = next;
        Ok(Event::Branch(Branch {
            address: site.address,
            kind: site.kind,
            taken,
            next,
            instructions: u32::try_from(run).map_err(|_| Damaged)?,
        }))
    }
}

/// Whether anything about a branch is to be decided.
fn has_decisions(site: &Site) -> bool {
    let kinds = BranchKind::CONDITIONAL.and(BranchKind::INDIRECT);
    site.kind.is(kinds.and(BranchKind::EXCEPTION))
}

impl<C: Code> Iterator for HistoryReplay<'_, C> {
    type Item = Result<Event, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let event = self.step().transpose();
        self.has_ended = !matches!(event, Some(Ok(_)));
        event
    }
}
