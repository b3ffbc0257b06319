// SPDX-License-Identifier: MIT OR Apache-2.0
//! A random program, and what it executes.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_replay::{Code, Site, Sites};
use rand::RngExt;
use rand::rngs::StdRng;

/// Kinds of branches: a condition, a call, a jump, and those that lead anywhere.
const KINDS: [BranchKind; 9] = [
    BranchKind::CONDITIONAL,
    BranchKind::CONDITIONAL,
    BranchKind::CONDITIONAL,
    BranchKind(0),
    BranchKind::LINK,
    BranchKind::INDIRECT.and(BranchKind::RETURN),
    BranchKind::INDIRECT,
    BranchKind::INDIRECT.and(BranchKind::CONDITIONAL),
    BranchKind::EXCEPTION,
];

/// A program.
pub struct Program {
    sites: Vec<Site>,
    /// Its image.
    pub code: Sites,
}

impl Program {
    /// Of so many branches, from an address on.
    pub fn random(rng: &mut StdRng, branches: usize, first: u64) -> Program {
        let mut address = first;
        let place = |_| {
            let most = if rng.random_bool(0.05) { 700 } else { 12 };
            address += 4 * rng.random_range(1..most);
            address
        };
        let addresses: Vec<u64> = (0..branches).map(place).collect();
        let target = |rng: &mut StdRng| {
            let behind = addresses[rng.random_range(0..branches)];
            (behind - 4 * rng.random_range(0..3)).max(first)
        };
        let site = |&address: &u64| Site {
            address,
            kind: KINDS[rng.random_range(0..KINDS.len())],
            target: target(rng),
        };
        let sites: Vec<Site> = addresses.iter().map(site).collect();
        Program {
            code: Sites::new(sites.clone()),
            sites,
        }
    }

    /// Where it may begin.
    pub fn start(&self) -> u64 {
        self.sites[0].address
    }

    fn any_address(&self, rng: &mut StdRng) -> u64 {
        // Few targets are frequent.
        let number = rng.random_range(0..self.sites.len());
        let number = if rng.random_bool(0.7) {
            number % 5
        } else {
            number
        };
        self.sites[number].address
    }

    /// What it does: so many events, and some interruptions.
    pub fn run(&self, rng: &mut StdRng, events: usize, interruptions: f64) -> Vec<Event> {
        let mut address = self.start();
        let mut run = Vec::new();
        while run.len() < events {
            let site = self.code.branch_from(address);
            let most = site.map_or(20, |site| (site.address - address) / 4);
            if site.is_none() || rng.random_bool(interruptions) {
                let instructions = rng.random_range(0..=most) as u32;
                let next = self.any_address(rng);
                run.push(Event::Discontinuity { instructions, next });
                address = next;
                continue;
            }
            let Some(Site {
                address: place,
                kind,
                target,
            }) = site
            else {
                continue;
            };
            let taken = !kind.is(BranchKind::CONDITIONAL) || rng.random_bool(0.7);
            let next = match (
                taken,
                kind.is(BranchKind::INDIRECT.and(BranchKind::EXCEPTION)),
            ) {
                (false, _) => place + 4,
                (true, false) => target,
                (true, true) => self.any_address(rng),
            };
            run.push(Event::Branch(Branch {
                address: place,
                kind,
                taken,
                next,
                instructions: most as u32 + 1,
            }));
            address = next;
        }
        run
    }
}
