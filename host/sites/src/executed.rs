// SPDX-License-Identifier: MIT OR Apache-2.0
//! From sums by site to what was executed: ranges of instructions, and branches to known targets.
//!
//! A block is the instructions behind a site up to the next one. It is reached from the block before
//! it, by direct branches, whose targets are in their instructions, and by flows that begin in it. So
//! many times its last instruction was executed; what is missing on the known ways are flows:
//!
//! ```text
//! taken(s) + not taken(s) = from the block before + by direct branches + flows
//! ```
//!
//! A flow that ends in a block and another one that begins in it are taken for one that was interrupted.
//! Where a flow begins in a block is not counted: behind a call it is the first instruction, where the
//! call returns to; otherwise the last function that begins in the block, or behind filling. Of a flow
//! that ends in a block nothing is counted there.

use std::collections::BTreeMap;

use coretrace_flow::{Outcome, Range};
use coretrace_isa::Isa;

use crate::balance::Balance;
use crate::compile::{Compiler, NumberedSite};
use crate::counts::SiteCounts;
use crate::module::Module;
use crate::section::{Exit, Section};

/// What was executed, as far as the sums say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Ranges, and how often each was executed.
    pub ranges: Vec<(Range, u64)>,
    /// Ranges, and the cycles up to their last instructions.
    pub cycles: Vec<(Range, u64)>,
    /// Direct branches: a range that ends with the branch, its target, and how often it was taken.
    pub branches: Vec<(Range, u64, u64)>,
    /// Where flows began.
    pub began: Vec<Began>,
    /// Those of them of which it is an assumption where in the block: neither is a function known to begin
    /// there nor does a call return to it.
    pub assumed: u64,
    /// So many instructions are counted at most that these flows did not execute.
    pub doubtful: u64,
    /// Flows that ended in a block; what they executed of it is not counted.
    pub ended: u64,
    /// Indirect branches: a range that ends with the branch, where it led as far as that can be said,
    /// and how often.
    pub indirect: Vec<(Range, u64, u64)>,
    /// Indirect branches whose target is not counted: a range that ends with the branch, and how often
    /// it was taken.
    pub elsewhere: Vec<(Range, u64)>,
}

/// Flows that began in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Began {
    /// Where, as far as that can be said.
    pub address: u64,
    /// How many.
    pub flows: u64,
    /// The place was found at the next site as often or more often, so it may be that no branch led here.
    pub may_be_found: bool,
}

/// Where flows begin in a block.
struct Beginning {
    address: u64,
    /// A function begins there, or a call returns to it.
    is_known: bool,
}

/// Code by its instruction set, the address spaces that have it, and its address.
struct Code<'m>(BTreeMap<(Isa, u16, u64), &'m Section>);

impl<'m> Code<'m> {
    fn new(modules: &'m [Module]) -> Code<'m> {
        let sections = modules.iter().flat_map(|module| {
            let sections = module.sections.iter();
            let key = |section: &Section| (module.isa, module.spaces.0, section.address);
            sections.map(move |section| (key(section), section))
        });
        Code(sections.collect())
    }

    /// The instructions of a block up to an address.
    fn words(&self, it: &NumberedSite, start: u64, end: u64) -> impl Iterator<Item = u32> {
        let (isa, spaces) = (it.isa, it.spaces.0);
        let mut sections = self.0.range((isa, spaces, 0)..=(isa, spaces, start));
        let section = sections.next_back();
        let mut at = start;
        std::iter::from_fn(move || {
            let (_, section) = section.filter(|_| at < end)?;
            let word = section.word(isa, at.wrapping_sub(section.address) as usize)?;
            at = at.wrapping_add(isa.size(word).into());
            Some(word)
        })
    }

    /// A range of a block, from an address on.
    fn range(&self, it: &NumberedSite, start: u64, outcome: Outcome) -> Range {
        let end = it.site.end();
        Range {
            start,
            end,
            count: self.words(it, start, end).count() as u32,
            isa: it.isa,
            outcome,
            last: it.site.instruction,
        }
    }

    /// Where a block begins behind filling: behind zeros, and of the addresses up to the first instruction
    /// that does something the one that is aligned best.
    fn behind_filling(&self, it: &NumberedSite) -> u64 {
        let (mut at, mut best) = (it.site.start, it.site.start);
        for word in self.words(it, it.site.start, it.site.address) {
            if !it.isa.is_filling(word) {
                break;
            }
            at = at.wrapping_add(it.isa.size(word).into());
            if word == 0 || at.trailing_zeros() > best.trailing_zeros() {
                best = at;
            }
        }
        best
    }
}

impl Executed {
    /// Of the code of a table, and how often the place was found at each site; `is_windowed`: only what is
    /// between triggers was counted. `function` gives the last function that begins between two addresses,
    /// or at one of them.
    pub fn new(
        compiler: &Compiler,
        modules: &[Module],
        counts: &SiteCounts,
        balance: &Balance,
        found: &BTreeMap<u32, u64>,
        is_windowed: bool,
        function: impl Fn(u64, u64) -> Option<u64>,
    ) -> Executed {
        let code = Code::new(modules);
        let at = |counters: &[u64], site: u32| {
            let counter = counters.get(site as usize);
            counter.copied().unwrap_or_default()
        };
        let mut ways = ways(compiler, |it| {
            let (number, taken) = (it.number, &counts.taken);
            (at(taken, number), at(&balance.not_taken, number))
        });
        let mut executed = Executed::default();
        // Where flows begin in the blocks that indirect branches led to.
        let targets = counts.indirect.keys().map(|(_, target)| (*target, 0));
        let mut targets: BTreeMap<u32, u64> = targets.collect();
        let mut places = BTreeMap::new();
        let mut before: Option<&NumberedSite> = None;
        for it in compiler.sites() {
            let (taken, not_taken) = (
                at(&counts.taken, it.number),
                at(&balance.not_taken, it.number),
            );
            let before = before.replace(it).filter(|before| is_behind(it, before));
            let ways = ways.remove(&it.number).unwrap_or_default();
            let sums = [taken, not_taken];
            let cycles = counts.cycles.get(&it.number).copied();
            let is_reached = !ways.is_empty() || targets.contains_key(&it.number);
            if sums == [0; 2] && cycles.is_none() && !is_reached {
                continue;
            }
            let begin = || {
                let returns = before.is_some_and(|before| before.site.instruction.is_link);
                let known = function(it.site.start, it.site.address);
                let known = known.or(returns.then_some(it.site.start));
                let address = known.unwrap_or_else(|| code.behind_filling(it));
                let is_known = known.is_some();
                Beginning { address, is_known }
            };
            if let Some(target) = targets.get_mut(&it.number) {
                *target = begin().address;
            }
            let found = found.get(&it.number).copied().unwrap_or_default();
            let place = executed.elsewhere.len();
            let ranges = executed.ranges.len();
            executed.block(it, sums, ways, (found, begin), &code);
            executed.spend(it, cycles.unwrap_or_default(), ranges, &code);
            if executed.elsewhere.len() > place {
                places.insert(it.number, place);
            }
        }
        let arrived = if is_windowed {
            // What a branch out of the window led to was not counted.
            counts.indirect.clone()
        } else {
            arrived(counts)
        };
        executed.lead(&arrived, &places, &targets);
        executed
    }

    /// Adds the cycles of a block, whose ranges are those from `first` on: to the one that was executed most often.
    fn spend(&mut self, it: &NumberedSite, cycles: u64, first: usize, code: &Code<'_>) {
        let ranges = self.ranges[first..].iter();
        let most = ranges
            .max_by_key(|(_, count)| count)
            .map(|(range, _)| *range);
        // It may have been executed in front of the last read-out.
        let range = most.unwrap_or_else(|| code.range(it, it.site.start, Outcome::E));
        if cycles > 0 {
            self.cycles.push((range, cycles));
        }
    }

    /// Takes the indirect branches whose targets are counted from those elsewhere. `places` are theirs
    /// there by the site, and `targets` the addresses of sites.
    fn lead(
        &mut self,
        arrived: &BTreeMap<(u32, u32), u64>,
        places: &BTreeMap<u32, usize>,
        targets: &BTreeMap<u32, u64>,
    ) {
        for ((site, target), &count) in arrived {
            let branch = places.get(site).map(|&place| self.elsewhere.get_mut(place));
            let (Some(Some((range, rest))), Some(&to)) = (branch, targets.get(target)) else {
                continue;
            };
            // The newest branches of a read-out may have led somewhere in the next one.
            let count = count.min(*rest);
            *rest -= count;
            self.indirect.push((*range, to, count));
        }
        self.indirect.retain(|(.., count)| *count > 0);
        self.elsewhere.retain(|(_, count)| *count > 0);
    }

    /// Calls by address whose targets are not counted and follow from the sums: one branch makes all of them, or one function
    /// gets all of them. `arrivals` are the flows that began at the beginnings of functions. The newest
    /// call of one branch may not have arrived.
    pub fn calls_by_address(&self, arrivals: &[(u64, u64)]) -> Vec<(Range, u64, u64)> {
        let calls = self.elsewhere.iter();
        let calls: Vec<_> = calls.filter(|(range, _)| range.last.is_link).collect();
        let made: u128 = calls.iter().map(|(_, count)| u128::from(*count)).sum();
        let got: u128 = arrivals.iter().map(|(_, count)| u128::from(*count)).sum();
        match (&calls[..], arrivals) {
            ([(range, _)], _) if made == got || made == got + 1 => {
                let arrivals = arrivals.iter();
                arrivals.map(|&(to, count)| (*range, to, count)).collect()
            }
            (_, [(to, _)]) if made == got => {
                let calls = calls.iter();
                calls.map(|&&(range, count)| (range, *to, count)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Adds a block that is reached on these ways, by their addresses. Flows begin in it at an address; the
    /// place was found so often.
    fn block(
        &mut self,
        it: &NumberedSite,
        [taken, not_taken]: [u64; 2],
        mut ways: BTreeMap<u64, u64>,
        (found, begin): (u64, impl FnOnce() -> Beginning),
        code: &Code<'_>,
    ) {
        let known = ways
            .values()
            .fold(0_u64, |sum, count| sum.saturating_add(*count));
        let all = taken.saturating_add(not_taken);
        if known < all {
            let (Beginning { address, is_known }, flows) = (begin(), all - known);
            // The branch itself was executed.
            let before = code.words(it, address, it.site.address).count() as u64;
            if !is_known && before > 0 {
                self.assumed = self.assumed.saturating_add(flows);
                let doubtful = flows.saturating_mul(before);
                self.doubtful = self.doubtful.saturating_add(doubtful);
            }
            self.began.push(Began {
                address,
                flows,
                may_be_found: flows <= found,
            });
            let way = ways.entry(address).or_default();
            *way = way.saturating_add(flows);
        }
        let mut ended = known.saturating_sub(all);
        self.ended = self.ended.saturating_add(ended);
        let range = |start, outcome| code.range(it, start, outcome);
        let mut rest = taken;
        for (start, count) in ways {
            let ends_here = count.min(ended);
            ended -= ends_here;
            let leaves = (count - ends_here).min(rest);
            rest -= leaves;
            let passes = count - ends_here - leaves;
            let parts = [(Outcome::E, leaves), (Outcome::N, passes)];
            let parts = parts.into_iter().filter(|(_, count)| *count > 0);
            self.ranges
                .extend(parts.map(|(outcome, count)| (range(start, outcome), count)));
        }
        match it.site.exit {
            _ if taken == 0 => {}
            Exit::Direct(_, target) => {
                self.branches
                    .push((range(it.site.address, Outcome::E), target, taken));
            }
            Exit::Indirect => {
                self.elsewhere
                    .push((range(it.site.address, Outcome::E), taken));
            }
            Exit::Next => {}
        }
    }
}

/// How often each indirect branch led to each site where an atom followed: no more than flows began
/// there. Which branch led there without is not known; it is taken for the most frequent one.
fn arrived(counts: &SiteCounts) -> BTreeMap<(u32, u32), u64> {
    let mut by_target: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
    for (&(site, target), &count) in &counts.indirect {
        by_target.entry(target).or_default().push((site, count));
    }
    let mut arrived = BTreeMap::new();
    for (target, mut branches) in by_target {
        let all = branches.iter().map(|(_, count)| u128::from(*count));
        let entered = counts.entered.get(target as usize).copied();
        let surplus = all
            .sum::<u128>()
            .saturating_sub(entered.unwrap_or(0).into());
        let surplus = u64::try_from(surplus).unwrap_or(u64::MAX);
        if let Some((_, most)) = branches.iter_mut().max_by_key(|(_, count)| *count) {
            *most = most.saturating_sub(surplus);
        }
        let ways = branches.into_iter();
        arrived.extend(ways.map(|(site, count)| ((site, target), count)));
    }
    arrived
}

/// How often each block was reached at which address, as far as that is known.
fn ways(
    compiler: &Compiler,
    sums: impl Fn(&NumberedSite) -> (u64, u64),
) -> BTreeMap<u32, BTreeMap<u64, u64>> {
    let sites = compiler.sites();
    let mut ways: BTreeMap<u32, BTreeMap<u64, u64>> = BTreeMap::new();
    for (index, it) in sites.iter().enumerate() {
        let (taken, not_taken) = sums(it);
        let behind = sites.get(index + 1).filter(|behind| is_behind(behind, it));
        let exit = compiler.table().exit(it.number);
        let branch = match it.site.exit {
            Exit::Direct(_, target) if !exit.outside => {
                let to = sites.binary_search_by_key(&exit.exit, |it| it.number);
                let to = to.ok().map(|place| &sites[place]);
                let is_in =
                    |to: &&NumberedSite| (to.site.start..=to.site.address).contains(&target);
                to.filter(is_in).map(|to| (to, target))
            }
            Exit::Next => behind.map(|behind| (behind, behind.site.start)),
            _ => None,
        };
        let passed = behind.map(|behind| (behind, behind.site.start));
        for (way, count) in [(branch, taken), (passed, not_taken)] {
            if let Some((to, address)) = way.filter(|_| count > 0) {
                let sum = ways
                    .entry(to.number)
                    .or_default()
                    .entry(address)
                    .or_default();
                *sum = sum.saturating_add(count);
            }
        }
    }
    ways
}

/// Whether a block is behind another one without anything between them.
fn is_behind(it: &NumberedSite, before: &NumberedSite) -> bool {
    before.isa == it.isa && before.number + 1 == it.number && before.site.end() == it.site.start
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_flow::LastInstruction;

    fn branch(start: u64, is_link: bool) -> Range {
        Range {
            start,
            end: start + 4,
            count: 1,
            isa: Isa::A64,
            outcome: Outcome::E,
            last: LastInstruction {
                is_link,
                ..LastInstruction::default()
            },
        }
    }

    /// The calls that follow, of branches and how often each was taken.
    fn calls(taken: &[(u64, u64)], arrivals: &[(u64, u64)]) -> Vec<(u64, u64, u64)> {
        let calls = taken.iter().map(|&(at, count)| (branch(at, true), count));
        let executed = Executed {
            elsewhere: calls.chain([(branch(0x9000, false), 77)]).collect(),
            ..Executed::default()
        };
        let calls = executed.calls_by_address(arrivals);
        let calls = calls
            .iter()
            .map(|(range, to, count)| (range.start, *to, *count));
        calls.collect()
    }

    #[test]
    fn calls_by_address_are_known_where_there_is_one_way() {
        let (one, two) = ((0x1000, 5), (0x2000, 8));
        // One branch; its newest call may not have arrived.
        for taken in [13, 14] {
            let got = calls(&[(0x400, taken)], &[one, two]);
            assert_eq!(got, [(0x400, 0x1000, 5), (0x400, 0x2000, 8)]);
        }
        // One function.
        let got = calls(&[(0x400, 3), (0x500, 5)], &[two]);
        assert_eq!(got, [(0x400, 0x2000, 3), (0x500, 0x2000, 5)]);
        // Two of each; flows that nobody called, or that came from elsewhere.
        assert_eq!(calls(&[(0x400, 6), (0x500, 7)], &[one, two]), []);
        assert_eq!(calls(&[(0x400, 12)], &[one, two]), []);
        assert_eq!(calls(&[(0x400, 15)], &[one, two]), []);
        assert_eq!(calls(&[(0x400, 3), (0x500, 6)], &[two]), []);
    }
}
