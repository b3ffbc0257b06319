// SPDX-License-Identifier: MIT OR Apache-2.0
//! What should be counted: the elements of a trace, and the instructions of the program.

use std::collections::BTreeMap;

use coretrace_etm::Context;
use coretrace_flow::{Element, ElementSink, Outcome, Range};
use coretrace_isa::{Class, Isa};
use coretrace_sites::AddressSpaces;
use coretrace_sites::compile::{Compiler, NumberedSite};
use coretrace_sites::section::Exit;

/// Where the program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Unknown,
    Site(u32),
    /// Behind an indirect branch.
    Behind(u32),
}

/// Sums by site.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub taken: BTreeMap<u32, u64>,
    pub not_taken: BTreeMap<u32, u64>,
    pub entered: BTreeMap<u32, u64>,
    pub indirect: BTreeMap<(u32, u32), u64>,
    pub cycles: BTreeMap<u32, u64>,
}

/// Sums up elements.
pub struct Reference<'c> {
    compiler: &'c Compiler,
    spaces: AddressSpaces,
    /// The trace unit does not report branches that are not taken.
    is_ete: bool,
    space: u8,
    at: At,
    is_new: bool,
    /// The branch that led to the place, and its site.
    pair: Option<(u32, u32)>,
    /// The branch of the newest atom.
    newest: Option<u32>,
    pub sums: Sums,
    /// How often each range was executed, by its first address and that behind it.
    pub ranges: BTreeMap<(u64, u64), u64>,
}

impl<'c> Reference<'c> {
    pub fn new(compiler: &'c Compiler, spaces: AddressSpaces, is_ete: bool) -> Reference<'c> {
        Reference {
            compiler,
            spaces,
            is_ete,
            space: 0,
            at: At::Unknown,
            is_new: true,
            pair: None,
            newest: None,
            sums: Sums::default(),
            ranges: BTreeMap::new(),
        }
    }

    fn context(&mut self, context: &Context) {
        self.space = self.spaces.of(context);
    }

    fn rank(&self, isa: Isa, address: u64) -> Option<u32> {
        self.compiler.table().rank(isa, self.space, address).ok()
    }

    fn site(&self, number: u32) -> Option<&NumberedSite> {
        let sites = self.compiler.sites();
        let place = sites.binary_search_by_key(&number, |it| it.number);
        place.ok().map(|place| &sites[place])
    }

    fn begin(&mut self, site: u32) {
        match self.at {
            At::Site(known) if known == site => return,
            At::Behind(branch) => self.pair = Some((branch, site)),
            _ => self.pair = None,
        }
        self.at = At::Site(site);
        self.is_new = true;
    }

    /// An atom of a site, or a branch that is passed.
    fn atom(&mut self, first: u32, site: u32, taken: bool) {
        if std::mem::take(&mut self.is_new) {
            *self.sums.entered.entry(first).or_default() += 1;
            if let Some(pair) = self.pair.take() {
                *self.sums.indirect.entry(pair).or_default() += 1;
            }
        }
        let sums = if taken {
            &mut self.sums.taken
        } else {
            &mut self.sums.not_taken
        };
        *sums.entry(site).or_default() += 1;
    }

    fn range(&mut self, range: &Range) {
        *self.ranges.entry((range.start, range.end)).or_default() += 1;
        let first = self.rank(range.isa, range.start).expect("a loaded address");
        self.begin(first);
        if range.last.class == Class::Other {
            let next = self.rank(range.isa, range.end);
            if let (true, Some(next)) = (self.is_ete, next) {
                (first..next).for_each(|site| self.atom(first, site, false));
                self.at = At::Site(next);
            }
            return;
        }
        let address = range.end - u64::from(range.last.size);
        let last = self.rank(range.isa, address).expect("a loaded address");
        let site = *self.site(last).expect("a site");
        assert_eq!((site.site.address, site.isa), (address, range.isa));
        (first..last).for_each(|site| self.atom(first, site, false));
        let taken = range.outcome == Outcome::E;
        self.atom(first, last, taken);
        self.newest = Some(last);
        self.at = match site.site.exit {
            Exit::Indirect if taken => At::Behind(last),
            Exit::Direct(isa, target) if taken => {
                let target = self.rank(isa, target);
                let target = target.filter(|target| self.site(*target).is_some());
                target.map_or(At::Unknown, At::Site)
            }
            _ => At::Site(last + 1),
        };
    }
}

impl ElementSink for Reference<'_> {
    fn element(&mut self, _: u64, element: &Element) {
        match element {
            Element::Range(range) => self.range(range),
            Element::Context { context, .. } => self.context(context),
            Element::CycleCount(cycles) => {
                if let Some(newest) = self.newest.filter(|_| *cycles > 0) {
                    *self.sums.cycles.entry(newest).or_default() += u64::from(*cycles);
                }
            }
            Element::Exception {
                return_address: Some(_),
                ..
            }
            | Element::NoPath { .. } => self.at = At::Unknown,
            Element::NoSync(_) | Element::TraceOn { .. } | Element::NoImage { .. } => {
                self.at = At::Unknown;
                self.newest = None;
            }
            _ => {}
        }
    }
}
