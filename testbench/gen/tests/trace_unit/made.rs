// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs under random settings.

use std::ops::Range;

use coretrace_isa::Isa;
use coretrace_test_gen::btr::{BranchTrace, BranchTraceBuilder, Site, SiteKind};
use coretrace_test_gen::trace_unit::{AddressAfterSync, Interrupts, Speculation, TraceUnit};
use coretrace_test_gen::{Rng, rng};
use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::walk::there_and_back;

const BRANCH: SiteKind = SiteKind::BRANCH;

/// The last instruction of each block of a random program: branches of every kind, system calls,
/// barriers.
fn random_sites(rng: &mut Rng, isa: Isa) -> Vec<(u64, Site)> {
    let base = *[0x1_0000, 0x40_0000, 0x7F_FFF0]
        .choose(rng)
        .expect("a base");
    let high = if isa == Isa::A64 {
        rng.random_range(0..3) << 36
    } else {
        0
    };
    let mut address: u64 = base + high;
    let starts: Vec<(u64, u64)> = (0..40)
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

/// A random walk through a random program; returns lead to their calls more often than not.
pub fn random_program(rng: &mut Rng) -> BranchTrace {
    let isa = if rng.random() { Isa::A64 } else { Isa::A32 };
    let sites = random_sites(rng, isa);
    let mut address = sites[0].0;
    let mut builder = BranchTraceBuilder::new(isa, address);
    let mut calls = Vec::new();
    for _ in 0..rng.random_range(100..600) {
        // Behind the last block there is a gap.
        let found = sites.iter().find(|(_, site)| site.address >= address);
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

fn maybe<T>(rng: &mut Rng, value: T) -> Option<T> {
    rng.random::<bool>().then_some(value)
}

pub fn random_unit(rng: &mut Rng, seed: u64) -> TraceUnit {
    let number =
        |rng: &mut Rng, most: u64| 1 + (rng.random_range(0..most) >> rng.random_range(0..8));
    let speculation = Speculation {
        max_spec: number(rng, 64) as u32,
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

/// Returns the exceptions of all seeds.
fn check(seeds: Range<u64>) -> usize {
    let mut exceptions = 0;
    for seed in seeds {
        let mut rng = rng(seed);
        let trace = random_program(&mut rng);
        let unit = random_unit(&mut rng, seed);
        let name = format!("seed {seed}, {unit:?}");
        assert_eq!(
            BranchTrace::read(&trace.write()).as_ref(),
            Ok(&trace),
            "{name}"
        );
        exceptions += there_and_back(&unit, &trace, &name).exceptions;
    }
    exceptions
}

#[test]
fn random_programs_and_settings_give_what_was_executed() {
    let exceptions = check(0..400);
    assert!(exceptions > 1000, "only {exceptions} exceptions");
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn many_random_programs_and_settings_give_what_was_executed() {
    check(400..40_000);
}

#[test]
fn a_seed_gives_the_same_stream_again() {
    let mut rng = rng(7);
    let trace = random_program(&mut rng);
    let unit = random_unit(&mut rng, 7);
    assert_eq!(unit.trace(&trace, &mut ()), unit.trace(&trace, &mut ()));
}
