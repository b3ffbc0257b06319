// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the T-raptor encoders leave out: the predictor goes through the image, and records correct it.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::raptor::{INSTRUCTION_CHUNKS, PATH_BITS, RaptorPreset};

use crate::calls::Calls;
use crate::code::{Code, Site, behind, instructions_up_to};
use crate::reader::{Damaged, Reader};

/// Where the next record is.
enum Place {
    /// At the branch that makes this many.
    Branch(u64),
    /// Behind this many instructions.
    Instruction(u64),
    /// There is none: the trace ends behind this many instructions.
    End(u64),
}

/// A way of a set of targets.
#[derive(Clone, Copy, Default)]
struct Way {
    is_valid: bool,
    tag: u64,
    target: u64,
}

/// The predictor.
struct Predictor {
    counters: Vec<u8>,
    outcomes: u64,
    path: u64,
    /// Two ways of each set, one behind the other, and which one was written last.
    ways: Vec<Way>,
    newer: Vec<usize>,
    calls: Calls,
}

/// What is predicted of an indirect branch.
struct Prediction {
    target: Option<u64>,
    of_calls: bool,
    /// The place of the way that has the tag.
    hit: Option<usize>,
}

impl Predictor {
    fn new(preset: &RaptorPreset) -> Predictor {
        Predictor {
            counters: vec![1; preset.counters],
            outcomes: 0,
            path: 0,
            ways: vec![Way::default(); preset.targets],
            newer: vec![1; preset.targets / 2],
            calls: Calls::new(preset.returns),
        }
    }

    fn counter_at(&self, address: u64) -> usize {
        ((address >> 4 ^ self.outcomes) % self.counters.len() as u64) as usize
    }

    fn is_taken(&self, address: u64) -> bool {
        self.counters[self.counter_at(address)] > 1
    }

    fn tag(&self, address: u64) -> u64 {
        (address >> 10 ^ self.path) & 0xFF
    }

    fn set(&self, address: u64) -> usize {
        let sets = self.newer.len() as u64;
        ((address >> 4 ^ self.path >> 8) % sets) as usize
    }

    fn predict(&self, address: u64, is_return: bool) -> Prediction {
        let has_tag = |&place: &usize| {
            let way = &self.ways[place];
            way.is_valid && way.tag == self.tag(address)
        };
        let mut hit = None;
        if !self.ways.is_empty() {
            let first = 2 * self.set(address);
            hit = (first..first + 2).find(has_tag);
        }
        let returned = self.calls.top().filter(|_| is_return);
        let of_table = hit.map(|place| self.ways[place].target);
        Prediction {
            target: returned.or(of_table),
            of_calls: returned.is_some(),
            hit,
        }
    }

    /// An indirect branch led to a target.
    fn learn_target(&mut self, address: u64, is_return: bool, target: u64) {
        let prediction = self.predict(address, is_return);
        let write = |predictor: &mut Predictor, place: usize| {
            predictor.ways[place] = Way {
                is_valid: true,
                tag: predictor.tag(address),
                target,
            };
            predictor.newer[place / 2] = place % 2;
        };
        if !self.ways.is_empty() {
            match prediction.hit {
                Some(place) if !prediction.of_calls => write(self, place),
                None if prediction.target != Some(target) => {
                    let set = self.set(address);
                    let free = (2 * set..2 * set + 2).find(|&place| !self.ways[place].is_valid);
                    let place = free.unwrap_or(2 * set + 1 - self.newer[set]);
                    write(self, place);
                }
                _ => {}
            }
        }
        if prediction.of_calls {
            self.calls.leave();
        }
    }

    fn learn(&mut self, branch: &Branch) {
        let has = |kind| branch.kind.is(kind);
        if has(BranchKind::INDIRECT) && branch.taken {
            self.learn_target(branch.address, has(BranchKind::RETURN), branch.next);
        }
        if has(BranchKind::CONDITIONAL) {
            let at = self.counter_at(branch.address);
            self.counters[at] = match (self.counters[at], branch.taken) {
                (counter @ 0..=2, true) => counter + 1,
                (counter @ 1..=3, false) => counter - 1,
                (counter, _) => counter,
            };
            self.outcomes = self.outcomes << 1 | u64::from(branch.taken);
        }
        if has(BranchKind::CONDITIONAL.and(BranchKind::INDIRECT)) {
            let bit = u64::from(has(BranchKind::CONDITIONAL) && branch.taken);
            let moved = (self.path << 2 ^ branch.address >> 4) % (1 << PATH_BITS);
            self.path = moved | bit;
        }
        if has(BranchKind::LINK) && branch.taken {
            self.calls.call(behind(branch.address));
        }
    }
}

/// The events of a trace, in order. Behind an error there is none.
pub struct RaptorReplay<'r, C> {
    preset: &'r RaptorPreset,
    code: &'r C,
    reader: Reader<'r>,
    /// Instructions behind the last record.
    left: u64,
    predictor: Predictor,
    address: u64,
    /// The next record, if its place has been read.
    place: Option<Place>,
    /// Since the record before.
    branches: u64,
    instructions: u64,
    last_target: u64,
    /// Instructions behind the last event.
    rest: u64,
    has_ended: bool,
}

impl<'r, C: Code> RaptorReplay<'r, C> {
    /// Of a trace that begins at an address; `left` instructions were executed behind the last record.
    pub fn new(
        preset: &'r RaptorPreset,
        code: &'r C,
        start: u64,
        reader: Reader<'r>,
        left: u64,
    ) -> RaptorReplay<'r, C> {
        RaptorReplay {
            preset,
            code,
            reader,
            left,
            predictor: Predictor::new(preset),
            address: start,
            place: None,
            branches: 0,
            instructions: 0,
            last_target: 0,
            rest: 0,
            has_ended: false,
        }
    }

    /// Instructions behind the last event, once there is no more.
    pub fn rest(&self) -> u64 {
        self.rest
    }

    fn read_place(&mut self) -> Result<Place, Damaged> {
        if self.reader.is_at_end() {
            return Ok(Place::End(self.left));
        }
        match self.reader.chunks(self.preset.count_chunks)? {
            0 => Ok(Place::Instruction(self.reader.chunks(INSTRUCTION_CHUNKS)?)),
            count => Ok(Place::Branch(count)),
        }
    }

    fn step(&mut self) -> Result<Option<Event>, Damaged> {
        let place = match self.place.take() {
            Some(place) => place,
            None => self.read_place()?,
        };
        let site = self.code.branch_from(self.address);
        let run = site.map(|site| instructions_up_to(self.address, site.address));
        if let Place::Instruction(at) | Place::End(at) = place {
            let left = at.checked_sub(self.instructions).ok_or(Damaged)?;
            let at_exception = site.is_some_and(|site| site.kind.is(BranchKind::EXCEPTION));
            if run.is_none_or(|run| run > left || run == left && at_exception) {
                if matches!(place, Place::End(_)) {
                    self.rest = left;
                    return Ok(None);
                }
                let site = site.filter(|_| run == Some(left));
                return self.exception(left, site).map(Some);
            }
        }
        let (site, run) = site.zip(run).ok_or(Damaged)?;
        if site.kind.is(BranchKind::EXCEPTION) {
            return Err(Damaged);
        }
        let branch = self.branch(&site, run, place)?;
        Ok(Some(Event::Branch(branch)))
    }

    /// The next branch. The record is used up if it is about this one.
    fn branch(&mut self, site: &Site, run: u64, place: Place) -> Result<Branch, Damaged> {
        let is_conditional = site.kind.is(BranchKind::CONDITIONAL);
        let is_indirect = site.kind.is(BranchKind::INDIRECT);
        let is_return = site.kind.is(BranchKind::RETURN);
        let instructions = u32::try_from(run).map_err(|_| Damaged)?;
        self.instructions += run;
        let mut taken = !is_conditional || self.predictor.is_taken(site.address);
        let mut next = site.target;
        let counts = is_conditional || is_indirect;
        self.branches += u64::from(counts);
        if counts && matches!(place, Place::Branch(count) if count == self.branches) {
            taken = if is_indirect {
                self.reader.bit()?
            } else {
                !taken
            };
            if is_indirect && taken {
                next = self.target()?;
            }
            self.begin();
        } else {
            self.place = Some(place);
            if is_indirect && taken {
                let prediction = self.predictor.predict(site.address, is_return);
                next = prediction.target.ok_or(Damaged)?;
            }
        }
        if !taken {
            next = behind(site.address);
        }
        let branch = Branch {
            address: site.address,
            kind: site.kind,
            taken,
            next,
            instructions,
        };
        self.predictor.learn(&branch);
        self.address = next;
        Ok(branch)
    }

    /// An exception behind so many instructions, or at this site.
    fn exception(&mut self, instructions: u64, site: Option<Site>) -> Result<Event, Damaged> {
        let next = self.target()?;
        let instructions = u32::try_from(instructions).map_err(|_| Damaged)?;
        self.address = next;
        self.begin();
        Ok(match site {
            Some(site) => Event::Branch(Branch {
                address: site.address,
                kind: site.kind,
                taken: true,
                next,
                instructions,
            }),
            None => Event::Discontinuity { instructions, next },
        })
    }

    fn begin(&mut self) {
        self.branches = 0;
        self.instructions = 0;
    }

    fn target(&mut self) -> Result<u64, Damaged> {
        let distance = self.reader.chunks(self.preset.target_chunks)?;
        self.last_target = if self.reader.bit()? {
            self.last_target.wrapping_sub(distance)
        } else {
            self.last_target.wrapping_add(distance)
        };
        Ok(self.last_target)
    }
}

impl<C: Code> Iterator for RaptorReplay<'_, C> {
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
