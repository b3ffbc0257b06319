// SPDX-License-Identifier: MIT OR Apache-2.0
//! The unit says what the model says: random programs and walks, with faults, pauses and read-outs.

mod bench;
mod program;

use bench::Bench;
use coretrace_abi::flow_table::LostReason;
use coretrace_sites::merge::Merge;
use coretrace_sites::{FlowItem, FlowTable, SiteCounts, Walk, WalkSettings};
use coretrace_test_simulate::flow::Reported;
use program::{Program, Rates, Walker};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// What the model says of items, what it counts, and its atoms that were walked and skipped.
fn model(
    table: &FlowTable,
    items: &[FlowItem],
    returns: bool,
) -> (Vec<Reported>, SiteCounts, (u64, u64)) {
    let mut merge = Merge::default();
    let mut walk = Walk::new(WalkSettings {
        return_stack: returns,
        passes: false,
        segments: false,
    });
    let mut reported = Vec::new();
    let mut counts = SiteCounts::new(table.widths());
    for &item in items {
        merge.item(item, table, &mut |token| {
            walk.token(&token, table, &mut |event| {
                counts.add(&event);
                reported.extend(Reported::of(&event));
            });
        });
    }
    (reported, counts, walk.atoms())
}

/// Compares the unit with the model in a walk of so many steps, through a table with so many wrong
/// bits. Returns whether one was found.
fn compare(seed: u64, steps: usize, rates: Rates, wrong_bits: usize) -> bool {
    println!("seed {seed}, {rates:?}, {wrong_bits} wrong bits");
    let mut rng = StdRng::seed_from_u64(seed);
    let sites = rng.random_range(2..600);
    let program = Program::random(&mut rng, sites);
    let returns = rng.random();
    let mut walker = Walker::new(&program, returns, rates);
    let first = FlowItem::Gap(LostReason::TraceOn);
    walker.items.push(first);
    (0..steps).for_each(|_| walker.step(&mut rng));
    let mut items = walker.items;
    // The second one has nothing in front of it: the sums then have all atoms.
    items.extend([first, first]);
    let right = model(&program.table, &items, returns);
    let table = program.damaged(&mut rng, wrong_bits);
    let (reported, counts, atoms) = model(&table, &items, returns);
    let is_found = reported.contains(&Reported::Lost(LostReason::TableParity));
    // A bit that nobody read has no effect.
    assert!(wrong_bits > 1 || is_found || (&reported, &counts) == (&right.0, &right.1));

    let mut bench = Bench::new(&table, returns);
    let pauses = rng.random_range(0.0..0.5);
    for &item in &items {
        while rng.random_bool(pauses) || !bench.uut.item_ready.val() {
            bench.item(None);
        }
        bench.item(Some(item));
    }
    bench.drain();
    let equal = reported
        .iter()
        .zip(&bench.reported)
        .take_while(|(model, unit)| model == unit);
    let equal = equal.count();
    let around = |reported: &[Reported]| {
        format!(
            "{:?}",
            &reported[equal.saturating_sub(6)..reported.len().min(equal + 6)]
        )
    };
    assert_eq!(
        (reported.len(), reported.len()),
        (bench.reported.len(), equal),
        "at {equal}:\nmodel {}\nunit  {}",
        around(&reported),
        around(&bench.reported)
    );
    let (sent, skipped) = bench.atoms;
    assert_eq!((sent - skipped, skipped), atoms);
    bench.read_out();
    for site in 0..program.table.widths().sites() {
        let expected = [counts.taken[site], counts.entered[site], counts.left[site]];
        assert_eq!(bench.sums[site], expected, "site {site}");
    }
    is_found
}

#[test]
fn the_unit_says_what_the_model_says_of_a_program() {
    for seed in 0..12 {
        let rates = Rates {
            events: 0.02,
            faults: 0.0,
        };
        compare(seed, 1500, rates, 0);
    }
}

#[test]
fn the_unit_says_what_the_model_says_of_a_broken_trace() {
    for seed in 100..112 {
        let rates = Rates {
            events: 0.05,
            faults: 0.05,
        };
        compare(seed, 1500, rates, 0);
    }
}

#[test]
fn the_unit_says_what_the_model_says_of_a_wrong_bit() {
    let found = (400..415).filter(|&seed| {
        let wrong_bits = 1 + seed as usize % 3;
        let rates = Rates {
            events: 0.02,
            faults: if wrong_bits == 1 { 0.0 } else { 0.01 },
        };
        compare(seed, 400, rates, wrong_bits)
    });
    let found = found.count();
    assert!((5..15).contains(&found), "found in {found} walks");
}

#[test]
fn a_full_fifo_gives_a_hop_in_every_cycle() {
    for seed in 200..204 {
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let program = Program::random(&mut rng, 300);
        let rates = Rates {
            events: 0.001,
            faults: 0.0,
        };
        let mut walker = Walker::new(&program, true, rates);
        (0..3000).for_each(|_| walker.step(&mut rng));
        let mut bench = Bench::new(&program.table, true);
        // Some walks end with no more than N atoms behind an address: what is in the FIFO counts.
        let (mut cycles, mut hops, mut was_full) = (0, 0, false);
        for item in walker.items {
            let mut item = Some(item);
            while item.is_some() {
                was_full |= !bench.uut.item_ready.val();
                let next = item.take_if(|_| bench.uut.item_ready.val());
                let before = bench.hops;
                bench.item(next);
                if was_full {
                    cycles += 1;
                    hops += bench.hops - before;
                }
            }
        }
        assert!(cycles > 500, "the FIFO was full in {cycles} cycles");
        let rate = f64::from(hops as u32) / f64::from(cycles);
        assert!(rate >= 0.97, "{hops} hops in {cycles} cycles");
    }
}

#[test]
fn a_hop_comes_21_cycles_behind_its_packet() {
    let mut rng = StdRng::seed_from_u64(300);
    let program = Program::random(&mut rng, 300);
    let mut bench = Bench::new(&program.table, false);
    let mut walker = Walker::new(&program, false, Rates::default());
    let is_address = |item: &&FlowItem| matches!(item, FlowItem::Address { .. });
    while !walker.items.iter().any(|item| is_address(&item)) {
        walker.step(&mut rng);
    }
    // A context, and an address with an E behind it.
    let address = walker.items.iter().find(is_address).copied();
    for item in [Some(walker.items[0]), address] {
        bench.item(item);
    }
    bench.drain();
    bench.item(Some(FlowItem::Atoms { bits: 1, count: 1 }));
    let mut cycles = 1;
    while bench.hops == 0 && cycles < 100 {
        bench.item(None);
        cycles += 1;
    }
    assert_eq!(cycles, 21);
}
