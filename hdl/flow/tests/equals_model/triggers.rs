// SPDX-License-Identifier: MIT OR Apache-2.0
//! Triggers: what is counted between them, and the ring that they freeze.

use crate::bench::Bench;
use crate::program::{Program, Rates, Walker};
use crate::units::{One, Unit};
use crate::{COUNTS, settings};
use coretrace_abi::flow_table::LostReason;
use coretrace_sites::merge::Merge;
use coretrace_sites::{CountWindow, FlowItem, FlowTable, HopRing, SiteCounts, Walk, WalkSettings};
use coretrace_test_gen::rounds;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// What the model counts and keeps.
fn model(
    table: &FlowTable,
    items: &[FlowItem],
    settings: WalkSettings,
    windowed: bool,
    freeze_after: u32,
) -> (SiteCounts, HopRing) {
    let (mut merge, mut walk) = (Merge::default(), Walk::new(settings));
    let mut window = CountWindow::new(windowed);
    let mut counts = SiteCounts::new(table.widths());
    let mut ring = HopRing::new(freeze_after);
    for &item in items {
        merge.item(item, table, &mut |token| {
            walk.token(&token, table, &mut |event| {
                ring.event(&event, table);
                window.event(event, table, &mut |event| counts.add(&event));
            });
        });
    }
    (counts, ring)
}

/// What arrives at each site departs from it, whatever the triggers are: an E at a site is an arrival at its
/// target.
fn compare(seed: u64, rates: Rates) {
    println!("seed {seed}, {rates:?}");
    let mut rng = StdRng::seed_from_u64(seed);
    let sites = rng.random_range(2..400);
    let program = Program::random(&mut rng, sites);
    let rate = [0.01, 0.05, 0.5][rng.random_range(0..3)];
    let table = program.with_triggers(&mut rng, rate);
    let settings = settings::<One>(rng.random(), seed % 2 == 1);
    let mut walker = Walker::new(&program, settings, rates);
    let gap = FlowItem::Gap(LostReason::TraceOn);
    walker.items.push(gap);
    (0..1500).for_each(|_| walker.step(&mut rng));
    let mut items = walker.items;
    items.extend([gap, gap]);
    let windowed = rng.random_bool(0.8);
    let freeze_after = [0, 1, 2, 20][rng.random_range(0..4)];
    let (counts, ring) = model(&table, &items, settings, windowed, freeze_after);

    let mut bench = Bench::<One>::new(&table, settings);
    bench.uut.windowed.next = windowed;
    bench.uut.freeze_after.next = u64::from(freeze_after).into();
    bench.uut.arm.next = true;
    bench.item(None);
    bench.uut.arm.next = false;
    for item in items {
        let waits = item == FlowItem::ReadOut;
        while rng.random_bool(0.3) || !bench.uut.is_ready() || waits && bench.reading > 0 {
            bench.item(None);
        }
        bench.item(Some(item));
    }
    bench.drain();
    bench.read_out();
    for site in 0..table.widths().sites() {
        let expected = [counts.taken[site], counts.entered[site], counts.left[site]];
        assert_eq!(bench.sums[site], expected, "site {site}");
    }
    assert_eq!(bench.ways, counts.indirect);
    assert_eq!(bench.cycles, counts.cycles);
    assert_eq!(bench.uut.events.val().to_u64(), u64::from(ring.events()));
    let hops = ring.frozen().map(Iterator::collect::<Vec<_>>);
    assert_eq!(bench.uut.frozen.val(), hops.is_some());
    assert_eq!(bench.ring, hops.unwrap_or_default());
}

#[test]
fn triggers_do_what_the_model_says_of_a_program() {
    for seed in 600..600 + rounds(4, 60) {
        compare(
            seed,
            Rates {
                events: 0.02,
                faults: 0.0,
                counts: COUNTS,
            },
        );
    }
}

#[test]
fn triggers_do_what_the_model_says_of_a_broken_trace() {
    for seed in 700..700 + rounds(4, 60) {
        compare(
            seed,
            Rates {
                events: 0.05,
                faults: 0.05,
                counts: COUNTS,
            },
        );
    }
}
