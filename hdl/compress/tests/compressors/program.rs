// SPDX-License-Identifier: MIT OR Apache-2.0
//! A random program, and its execution without an end.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_replay::{Code, Site, Sites};
use rand::RngExt;
use rand::rngs::StdRng;

/// Kinds of branches, some more often than others.
const KINDS: [BranchKind; 8] = [
    BranchKind::CONDITIONAL,
    BranchKind::CONDITIONAL,
    BranchKind::CONDITIONAL,
    BranchKind::LINK,
    BranchKind(0),
    BranchKind::INDIRECT.and(BranchKind::RETURN),
    BranchKind::INDIRECT.and(BranchKind::CONDITIONAL),
    BranchKind::EXCEPTION,
];

/// Branches of a program, and where it is.
pub struct Program {
    rng: StdRng,
    sites: Vec<Site>,
    pub code: Sites,
    pub address: u64,
}

impl Program {
    /// Of so many branches.
    pub fn new(mut rng: StdRng, branches: usize) -> Program {
        let mut place = 0x40_0000;
        let mut sites: Vec<Site> = (0..branches)
            .map(|_| {
                place += 4 * rng.random_range(1..20);
                let kind = KINDS[rng.random_range(0..KINDS.len())];
                Site {
                    address: place,
                    kind,
                    target: 0,
                }
            })
            .collect();
        for number in 0..branches {
            sites[number].target = sites[rng.random_range(0..branches)].address;
        }
        Program {
            code: Sites::new(sites.clone()),
            address: sites[0].address,
            sites,
            rng,
        }
    }

    fn any_address(&mut self) -> u64 {
        self.sites[self.rng.random_range(0..self.sites.len())].address
    }

    /// What it does next.
    pub fn event(&mut self) -> Event {
        let from = self.address;
        let site = self.code.branch_from(from);
        let Some(site) = site.filter(|_| self.rng.random_bool(0.99)) else {
            let up_to = site.map_or(from, |site| site.address);
            let instructions = self.rng.random_range(0..=(up_to - from) as u32 / 4);
            self.address = self.any_address();
            return Event::Discontinuity {
                instructions,
                next: self.address,
            };
        };
        let has = |kind| site.kind.is(kind);
        let taken = !has(BranchKind::CONDITIONAL) || self.rng.random_bool(0.8);
        self.address = match (taken, has(BranchKind::INDIRECT.and(BranchKind::EXCEPTION))) {
            (false, _) => site.address + 4,
            (true, false) => site.target,
            (true, true) => self.any_address(),
        };
        Event::Branch(Branch {
            address: site.address,
            kind: site.kind,
            taken,
            next: self.address,
            instructions: (site.address - from) as u32 / 4 + 1,
        })
    }
}
