// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs, and random settings of a trace unit.

use coretrace_isa::Isa;
use rand::RngExt;
use rand::seq::IndexedRandom;

use super::options::{AddressAfterSync, Interrupts, Speculation, TraceUnit};
use crate::Rng;
use crate::btr::{BranchTrace, BranchTraceBuilder, Site, SiteKind};

const BRANCH: SiteKind = SiteKind::BRANCH;

/// The last instruction of each block of a random program: branches of every kind, system calls,
/// barriers.
fn random_sites(rng: &mut Rng, isa: Isa, blocks: usize) -> Vec<(u64, Site)> {
    let base = *[0x1_0000, 0x40_0000, 0x7F_FFF0]
        .choose(rng)
        .expect("a base");
    let high = if isa == Isa::A64 {
        rng.random_range(0..3) << 36
    } else {
        0
    };
    let mut address: u64 = base + high;
    let starts: Vec<(u64, u64)> = (0..blocks)
        .map(|_| {
            let start = address;
            let last = start + 4 * rng.random_range(0..12);
            address = last + 4 + 0x1000 * u64::from(rng.random_bool(0.1));
            (start, last)
        })
        .collect();
    let mut sites = Vec::new();
    for &(start, last) in &starts {
        let conditional = if rng.random_bool(0.6) {
            SiteKind::CONDITIONAL.0
        } else {
            0
        };
        let kind = match rng.random_range(0..12) {
            0 => SiteKind::SUPERVISOR_CALL.0,
            1 => SiteKind::BARRIER.0,
            2..=3 => BRANCH.0 | SiteKind::LINK.0,
            4..=5 => BRANCH.0 | SiteKind::INDIRECT.0 | SiteKind::RETURN.0,
            6 => BRANCH.0 | SiteKind::INDIRECT.0 | SiteKind::LINK.0,
            7 => BRANCH.0 | SiteKind::INDIRECT.0,
            _ => BRANCH.0 | conditional,
        };
        // A32 has conditional calls, returns and system calls.
        let kind = SiteKind(if isa == Isa::A32 {
            kind | conditional
        } else {
            kind
        });
        let is_direct = kind.is(BRANCH) && !kind.is(SiteKind::INDIRECT);
        let target = starts.choose(rng).expect("a block").0;
        let site = Site {
            address: last,
            target: if is_direct { target } else { 0 },
            kind,
        };
        sites.push((start, site));
    }
    sites
}

/// The size of a random program, and of a walk through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomProgram {
    /// Blocks of the program.
    pub blocks: usize,
    /// Branches of the walk.
    pub steps: u64,
}

impl RandomProgram {
    /// A few blocks, and some hundred steps.
    pub fn small(rng: &mut Rng) -> RandomProgram {
        RandomProgram {
            blocks: 40,
            steps: rng.random_range(100..600),
        }
    }

    /// A random walk through it; returns lead to their calls more often than not.
    pub fn trace(&self, rng: &mut Rng) -> BranchTrace {
        let isa = if rng.random() { Isa::A64 } else { Isa::A32 };
        let sites = random_sites(rng, isa, self.blocks.max(1));
        let mut address = sites[0].0;
        let mut builder = BranchTraceBuilder::new(isa, address);
        let mut calls = Vec::new();
        for _ in 0..self.steps {
            // Behind the last block there is a gap.
            let place = sites.partition_point(|(_, site)| site.address < address);
            let found = sites.get(place);
            let Some((start, site)) = found.filter(|(start, _)| *start <= address) else {
                let (start, _) = sites.choose(rng).expect("a block");
                let here = Site {
                    address,
                    target: 0,
                    kind: SiteKind::DISCONTINUITY,
                };
                builder.push(here, true, 1, *start);
                address = *start;
                continue;
            };
            let is_conditional = site.kind.is(SiteKind::CONDITIONAL);
            let taken = !is_conditional || rng.random();
            let behind = site.address + 4;
            let next = if !taken || site.kind.is(SiteKind::BARRIER) {
                behind
            } else if site.kind.is(SiteKind::RETURN) && rng.random_bool(0.8) && !calls.is_empty() {
                calls.pop().unwrap_or(*start)
            } else if site.kind.is(SiteKind::INDIRECT) {
                sites.choose(rng).expect("a block").0
            } else if site.kind.is(SiteKind::SUPERVISOR_CALL) {
                if rng.random_bool(0.9) { behind } else { *start }
            } else {
                site.target
            };
            if taken && site.kind.is(SiteKind::LINK) {
                calls.push(behind);
            }
            builder.push(*site, taken, (site.address - address) / 4 + 1, next);
            address = next;
        }
        builder.finish()
    }
}

fn maybe<T>(rng: &mut Rng, value: T) -> Option<T> {
    rng.random::<bool>().then_some(value)
}

/// Random settings.
pub fn random_unit(rng: &mut Rng, seed: u64) -> TraceUnit {
    let number =
        |rng: &mut Rng, most: u64| 1 + (rng.random_range(0..most) >> rng.random_range(0..8));
    let speculation = Speculation {
        max_spec: number(rng, 255) as u32,
        counts_commit: rng.random(),
        mispredicts: rng.random_range(0.0..0.5),
        commits: rng.random_range(0.0..0.5),
    };
    TraceUnit {
        seed,
        return_stack: *[0, 1, 3, 15].choose(rng).expect("a depth"),
        broadcast: rng.random_bool(0.3),
        cycle_threshold: {
            let it = number(rng, 300) as u32;
            maybe(rng, it)
        },
        timestamp_cycles: {
            let it = number(rng, 500);
            maybe(rng, it)
        },
        cid: {
            let it = rng.random();
            maybe(rng, it)
        },
        vmid: {
            let it = rng.random();
            maybe(rng, it)
        },
        sync_bytes: {
            let it = 30 + number(rng, 500);
            maybe(rng, it)
        },
        address_after_sync: if rng.random() {
            AddressAfterSync::AtOnce
        } else {
            AddressAfterSync::Late
        },
        interrupts: if rng.random() {
            Interrupts::Every(number(rng, 300))
        } else {
            Interrupts::None
        },
        traces_handler: rng.random(),
        speculation: maybe(rng, speculation),
        ipc: rng.random_range(0.1..4.0),
    }
}
