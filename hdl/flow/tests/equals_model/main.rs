// SPDX-License-Identifier: MIT OR Apache-2.0
//! The units say what the model says: random programs and walks, with faults, pauses and read-outs.

mod bench;
mod branch_events;
mod branch_said;
mod branch_unit;
mod items;
mod program;
mod triggers;
mod units;

use bench::Bench;
use coretrace_abi::flow_table::{LostReason, RUN_WORD_BITS};
use coretrace_sites::merge::Merge;
use coretrace_sites::{FlowItem, FlowTable, SiteCounts, Walk, WalkSettings};
use coretrace_test_gen::rounds;
use coretrace_test_simulate::flow::Reported;
use program::{Program, Rates, Walker};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use units::{One, Two, Unit};

/// What a unit does that follows an ETE or another trace unit.
fn settings<U: Unit>(return_stack: bool, passes: bool) -> WalkSettings {
    WalkSettings {
        return_stack,
        passes,
        segments: U::WALKERS > 1 && !return_stack,
    }
}

/// How often a cycle count comes.
const COUNTS: f64 = 0.05;

/// What the model says of items, what it counts, and its atoms that were walked and skipped.
fn model(
    table: &FlowTable,
    items: &[FlowItem],
    settings: WalkSettings,
) -> (Vec<Reported>, SiteCounts, (u64, u64)) {
    let mut merge = Merge::default();
    let mut walk = Walk::new(settings);
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

/// Where a walker has said something that is not the next of what the model says and is of this walker.
fn stray(model: &[Reported], walker: &[Reported]) -> Option<usize> {
    let mut rest = model.iter();
    walker
        .iter()
        .position(|said| !rest.any(|event| event == said))
}

/// Each walker says what the model says in its order, and together they say all of it; a read-out each of
/// them.
fn assert_same(model: &[Reported], walkers: &[Vec<Reported>]) {
    for (number, walker) in walkers.iter().enumerate() {
        if let Some(at) = stray(model, walker) {
            let around = &walker[at.saturating_sub(6)..walker.len().min(at + 6)];
            panic!("walker {number}, event {at}: {around:?}");
        }
    }
    let sorted = |reported: Vec<Reported>| {
        let mut texts: Vec<String> = reported.iter().map(|event| format!("{event:?}")).collect();
        texts.sort();
        texts
    };
    let is_new = |walker: usize, event: &Reported| walker == 0 || *event != Reported::ReadOut;
    let all = walkers.iter().enumerate().flat_map(|(walker, reported)| {
        let new = reported.iter().filter(move |event| is_new(walker, event));
        new.copied()
    });
    assert_eq!(sorted(all.collect()), sorted(model.to_vec()));
}

/// Compares the unit with the model in a walk of so many steps, through a table with so many wrong
/// bits. Returns whether one was found.
fn compare<U: Unit>(seed: u64, steps: usize, rates: Rates, wrong_bits: usize) -> bool {
    println!("seed {seed}, {rates:?}, {wrong_bits} wrong bits");
    let mut rng = StdRng::seed_from_u64(seed);
    let sites = rng.random_range(2..600);
    let program = Program::random(&mut rng, sites);
    let settings = settings::<U>(rng.random(), seed % 2 == 1);
    let counts = if U::WALKERS == 1 { COUNTS } else { 0.0 };
    let rates = Rates { counts, ..rates };
    let mut walker = Walker::new(&program, settings, rates);
    let first = FlowItem::Gap(LostReason::TraceOn);
    walker.items.push(first);
    (0..steps).for_each(|_| walker.step(&mut rng));
    let mut items = walker.items;
    // The second one has nothing in front of it: the sums then have all atoms.
    items.extend([first, first]);
    let right = model(&program.table, &items, settings);
    let table = program.damaged(&mut rng, wrong_bits);
    let (reported, counts) = compare_items::<U>(&mut rng, &table, &items, settings);
    let is_found = reported.contains(&Reported::Lost(LostReason::TableParity));
    // A bit that nobody read has no effect.
    assert!(wrong_bits > 1 || is_found || (&reported, &counts) == (&right.0, &right.1));
    is_found
}

/// Compares the unit with the model: these items, with pauses between them. Returns what both say and count.
fn compare_items<U: Unit>(
    rng: &mut StdRng,
    table: &FlowTable,
    items: &[FlowItem],
    settings: WalkSettings,
) -> (Vec<Reported>, SiteCounts) {
    let (reported, counts, atoms) = model(table, items, settings);
    let mut bench = Bench::<U>::new(table, settings);
    let pauses = rng.random_range(0.0..0.5);
    let writes = rng.random_range(0.0..0.05);
    for &item in items {
        let waits = item == FlowItem::ReadOut;
        while rng.random_bool(pauses) || !bench.uut.is_ready() || waits && bench.reading > 0 {
            bench.uut.disturb(rng.random_bool(writes));
            bench.item(None);
        }
        bench.uut.disturb(rng.random_bool(writes));
        bench.item(Some(item));
    }
    bench.uut.disturb(false);
    bench.drain();
    assert_same(&reported, &bench.reported);
    let (sent, skipped) = bench.uut.atoms();
    assert_eq!((sent - skipped, skipped), atoms);
    bench.read_out();
    for site in 0..table.widths().sites() {
        let expected = [counts.taken[site], counts.entered[site], counts.left[site]];
        assert_eq!(bench.sums[site], expected, "site {site}");
    }
    assert_eq!(bench.ways, counts.indirect);
    assert_eq!(bench.cycles, counts.cycles);
    (reported, counts)
}

/// Of programs without faults.
fn compare_programs<U: Unit>() {
    for seed in 0..rounds(2, 12) {
        let rates = Rates {
            events: 0.02,
            faults: 0.0,
            ..Rates::default()
        };
        compare::<U>(seed, 1500, rates, 0);
    }
}

fn compare_broken_traces<U: Unit>() {
    for seed in 100..100 + rounds(2, 12) {
        let rates = Rates {
            events: 0.05,
            faults: 0.05,
            ..Rates::default()
        };
        compare::<U>(seed, 1500, rates, 0);
    }
}

fn compare_wrong_bits<U: Unit>() {
    let found = (400..415).filter(|&seed| {
        let wrong_bits = 1 + seed as usize % 3;
        let rates = Rates {
            events: 0.02,
            faults: if wrong_bits == 1 { 0.0 } else { 0.01 },
            ..Rates::default()
        };
        compare::<U>(seed, 400, rates, wrong_bits)
    });
    let found = found.count();
    assert!((5..15).contains(&found), "found in {found} walks");
}

#[test]
fn the_unit_says_what_the_model_says_of_a_program() {
    compare_programs::<One>();
}

#[test]
fn the_unit_says_what_the_model_says_of_a_broken_trace() {
    compare_broken_traces::<One>();
}

#[test]
fn the_unit_says_what_the_model_says_of_a_wrong_bit() {
    compare_wrong_bits::<One>();
}

#[test]
fn two_walkers_say_what_the_model_says_of_a_program() {
    compare_programs::<Two>();
}

#[test]
fn two_walkers_say_what_the_model_says_of_a_broken_trace() {
    compare_broken_traces::<Two>();
}

#[test]
fn two_walkers_say_what_the_model_says_of_a_wrong_bit() {
    compare_wrong_bits::<Two>();
}

/// Of N atoms at once behind an address, where the number of them that there can be has a wrong bit.
fn compare_wrong_runs<U: Unit>() {
    let mut rng = StdRng::seed_from_u64(500);
    let program = Program::random(&mut rng, 300);
    for bit in 0..RUN_WORD_BITS {
        let (address, site) = program.conditional(&mut rng);
        println!("site {site}, bit {bit}");
        let mut table = program.table.clone();
        table.runs_mut()[site] ^= 1 << bit;
        let settings = settings::<U>(false, false);
        let items = [
            Walker::new(&program, settings, Rates::default()).items[0],
            address,
            FlowItem::Atoms { bits: 0, count: 1 },
            address,
            FlowItem::Gap(LostReason::TraceOn),
        ];
        compare_items::<U>(&mut rng, &table, &items, settings);
    }
}

#[test]
fn n_atoms_of_a_damaged_run_are_not_walked() {
    compare_wrong_runs::<One>();
    compare_wrong_runs::<Two>();
}

/// Of targets of branches at which the program is interrupted, without the address behind the exception.
fn compare_interruptions<U: Unit>() {
    let mut rng = StdRng::seed_from_u64(600);
    let program = Program::random(&mut rng, 300);
    let settings = settings::<U>(false, false);
    let mut items = vec![Walker::new(&program, settings, Rates::default()).items[0]];
    for number in 0..100 {
        items.extend(program.short_segment(&mut rng, 2));
        let exception = FlowItem::Exception {
            number,
            is_target: false,
        };
        let (target, _) = program.conditional(&mut rng);
        items.extend([target, exception, FlowItem::Jump { is_p0: false }]);
    }
    items.push(FlowItem::Gap(LostReason::TraceOn));
    compare_items::<U>(&mut rng, &program.table, &items, settings);
}

#[test]
fn an_interruption_without_an_address_ends_the_segment_before_it() {
    compare_interruptions::<One>();
    compare_interruptions::<Two>();
}

#[test]
fn a_full_fifo_gives_a_hop_in_every_cycle() {
    for seed in 200..200 + rounds(2, 4) {
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let program = Program::random(&mut rng, 300);
        let rates = Rates {
            events: 0.001,
            faults: 0.0,
            ..Rates::default()
        };
        let settings = settings::<One>(true, false);
        let mut walker = Walker::new(&program, settings, rates);
        (0..3000).for_each(|_| walker.step(&mut rng));
        let mut bench = Bench::<One>::new(&program.table, settings);
        let rate = full_rate(&mut bench, walker.items, 500);
        assert!(rate >= 0.97, "{rate} hops per cycle");
    }
}

/// Hops per cycle since the FIFO was full, which it is for so many cycles at least.
fn full_rate<U: Unit>(bench: &mut Bench<U>, items: Vec<FlowItem>, least: u32) -> f64 {
    // Some walks end with no more than N atoms behind an address: what is in the FIFO counts.
    let (mut cycles, mut hops, mut was_full) = (0, 0, false);
    for item in items {
        let mut item = Some(item);
        while item.is_some() {
            was_full |= !bench.uut.is_ready();
            let next = item.take_if(|_| bench.uut.is_ready());
            let before = bench.hops;
            bench.item(next);
            if was_full {
                cycles += 1;
                hops += bench.hops - before;
            }
        }
    }
    assert!(cycles > least, "the FIFO was full in {cycles} cycles");
    f64::from(hops as u32) / f64::from(cycles)
}

#[test]
fn two_walkers_make_two_hops_per_cycle_of_short_segments() {
    for seed in 200..200 + rounds(2, 4) {
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let program = Program::random(&mut rng, 300);
        let settings = settings::<Two>(false, false);
        let mut items = vec![Walker::new(&program, settings, Rates::default()).items[0]];
        for _ in 0..2000 {
            items.extend(program.short_segment(&mut rng, 5));
        }
        let mut bench = Bench::<Two>::new(&program.table, settings);
        let rate = full_rate(&mut bench, items, 500);
        assert!(rate >= 1.9, "{rate} hops per cycle");
    }
}

/// Cycles from an E to its hop.
fn latency<U: Unit>() -> usize {
    let mut rng = StdRng::seed_from_u64(300);
    let program = Program::random(&mut rng, 300);
    let settings = settings::<U>(false, false);
    let mut bench = Bench::<U>::new(&program.table, settings);
    let mut walker = Walker::new(&program, settings, Rates::default());
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
    cycles
}

#[test]
fn a_hop_comes_21_cycles_behind_its_packet() {
    assert_eq!(latency::<One>(), 21);
}

#[test]
fn a_hop_of_two_walkers_comes_23_cycles_behind_its_packet() {
    assert_eq!(latency::<Two>(), 23);
}
