// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trace bytes through a decoder and the blocks that follow the program: every event and every sum is
//! the model's, in simulation and, for more of them, in Verilator. A failure names its seed or stream.

mod captures;
mod flow_core;
mod long_runs;
mod queue;

use coretrace_abi::flow_stream::{Beat, BeatKind};
use coretrace_abi::flow_table::{LostReason, Widths};
use coretrace_sites::{Balance, SiteCounts};
use coretrace_test_gen::btr::files;
use coretrace_test_gen::trace_unit::{RandomProgram, TraceUnit};
use coretrace_test_gen::{GoldenStream, rng, rounds};
use coretrace_test_simulate::flow::Reported;
use coretrace_test_simulate::flow_case::FlowCase;
use coretrace_test_simulate::flow_path::FlowPathSim;
use coretrace_test_simulate::flow_verilog::{FlowVerilog, Tables};
use coretrace_test_simulate::flow_walk::{FlowWalk, cycles, losses, ring, sums, ways};
use coretrace_test_support::{in_parallel, shared_dir};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rand::RngExt;
use std::collections::BTreeMap;
use std::ops::Range;

const SITE_W: usize = 10;
const FRAME_W: usize = 4;

/// A path with a FIFO of 2^A places.
type Hardware<const A: usize, const ONE: usize, const TWO: usize> =
    FlowPathSim<SITE_W, FRAME_W, { FRAME_W + 6 }, A, { SITE_W + 1 }, ONE, TWO>;

fn widths() -> Widths {
    Widths::new(SITE_W as u32, FRAME_W as u32).expect("widths")
}

/// A random program under a trace unit.
fn program(seed: u64, blocks: usize, steps: u64, unit: &TraceUnit) -> FlowCase {
    let program = RandomProgram { blocks, steps };
    FlowCase::of_program(widths(), &program, unit, &mut rng(seed)).expect("room")
}

/// Bytes come in so seldom that nothing is dropped.
fn simulated<const ONE: usize, const TWO: usize>(case: &FlowCase) -> FlowWalk {
    let mut rng = rng(case.bytes.len() as u64);
    let mut hardware = Hardware::<9, ONE, TWO>::new(case, 1);
    let mut rest = &case.bytes[..];
    while !rest.is_empty() {
        let (now, behind) = rest.split_at(rest.len().min(rng.random_range(1..5)));
        hardware.cycle(now, false);
        rest = behind;
        while hardware.level() > 400 {
            hardware.cycle(&[], false);
        }
    }
    hardware.end();
    let path = &hardware.path;
    assert_eq!(path.dropped_atoms.val().to_u64(), 0);
    let (atoms, skipped) = (path.atoms.val().to_u64(), path.skipped.val().to_u64());
    let sent = atoms + path.taken_back.val().to_u64();
    let reported = std::mem::take(&mut hardware.reported).into();
    let lost = losses(&hardware.beats);
    hardware.read_out();
    hardware.drain();
    FlowWalk {
        reported,
        lost,
        sums: sums(&hardware.beats, case.sites()),
        ways: ways(&hardware.beats),
        cycles: cycles(&hardware.beats),
        ring: ring(&hardware.beats),
        atoms,
        skipped,
        sent,
    }
}

/// Compares the simulation with the model, and returns what the model says of one walker.
fn compare(case: &FlowCase) -> FlowWalk {
    let model = [1, 2].map(|walkers| FlowWalk::of_model(case, walkers));
    let hardware = [simulated::<1, 0>(case), simulated::<0, 1>(case)];
    for (walkers, (model, hardware)) in (1..).zip(model.iter().zip(&hardware)) {
        let difference = model.difference(hardware, walkers);
        assert_eq!(difference, None, "{}, walkers {walkers}", case.name);
    }
    let [model, _] = model;
    model
}

/// Random programs, with or without speculation; returns the atoms that were walked.
fn random(seeds: Range<u64>, steps: u64, speculates: bool) -> u64 {
    let cases = seeds.filter_map(|seed| FlowCase::random(widths(), seed, steps, speculates));
    let atoms = cases.map(|case| {
        let walk = compare(&case);
        assert_eq!(walk.skipped, 0, "{}: atoms are skipped", case.name);
        walk.atoms
    });
    atoms.sum()
}

#[test]
fn random_programs_are_followed_as_by_the_model() {
    let atoms: u64 = in_parallel([0..1, 1..2], |seeds| random(seeds, 200, false))
        .into_iter()
        .sum();
    assert!(atoms > 150, "only {atoms} atoms");
}

#[test]
fn speculating_trace_units_are_followed_as_by_the_model() {
    let atoms: u64 = in_parallel([40..41, 41..42], |seeds| random(seeds, 100, true))
        .into_iter()
        .sum();
    assert!(atoms > 80, "only {atoms} atoms");
}

/// The exported hardware, with one walker and with two; none without Verilator.
fn verilog(tables: Tables) -> Option<FlowVerilog> {
    let compiled = || FlowVerilog::new(tables).expect("the hardware is compiled");
    (!skip_or_fail(Tool::Verilator)).then(compiled)
}

/// As [`compare`], with the exported hardware.
fn compare_verilog(verilog: &FlowVerilog, case: &FlowCase) -> FlowWalk {
    let ([model, _], difference) = verilog.compare(case).expect("it runs");
    assert_eq!(difference, None);
    model
}

/// Follows every `step`th program that ran, up to so many bytes of each; returns the atoms that were walked.
fn golden(step: usize, bytes: usize) -> u64 {
    let (Some(shared), Some(verilog)) = (shared_dir(), verilog(Tables::Small)) else {
        return u64::MAX;
    };
    let streams = GoldenStream::all(&shared.join("workloads/own")).expect("streams");
    let run = |first| {
        let streams = streams.iter().skip(first).step_by(2 * step);
        let cases =
            streams.filter_map(|stream| FlowCase::golden(widths(), stream).expect("an image"));
        let atoms = cases.map(|mut case| {
            case.bytes.truncate(bytes);
            let walk = compare_verilog(&verilog, &case);
            assert_eq!(walk.skipped, 0, "{}", case.name);
            walk.atoms
        });
        atoms.sum::<u64>()
    };
    in_parallel([0, step], run).into_iter().sum()
}

#[test]
fn programs_that_ran_are_followed_as_by_the_model() {
    let atoms = golden(5, 4000);
    assert!(atoms > 100_000, "only {atoms} atoms");
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn every_program_that_ran_is_followed_as_by_the_model() {
    let atoms = golden(1, usize::MAX);
    assert!(atoms > 2_000_000, "only {atoms} atoms");
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn every_branch_trace_is_followed_as_by_the_model() {
    let (Some(shared), Some(verilog)) = (shared_dir(), verilog(Tables::Large)) else {
        return;
    };
    let files = files::traces(&shared.join("workloads")).expect("traces");
    let units = TraceUnit::of_each_walk();
    let run = |first| {
        let files = files.iter().enumerate().skip(first).step_by(2);
        let atoms = files.map(|(number, file)| {
            let trace = files::read(file).expect("a trace");
            let unit = &units[number % units.len()];
            let name = files::name(file);
            let case = FlowCase::of_trace(Tables::Large.widths(), &trace, unit);
            let case = case.expect("instructions");
            let mut case = case.unwrap_or_else(|| panic!("{name}: no room"));
            case.name = format!("{name}, {}", case.name);
            let walk = compare_verilog(&verilog, &case);
            assert_eq!(walk.skipped, 0, "{}", case.name);
            walk.atoms
        });
        atoms.sum::<u64>()
    };
    let atoms: u64 = in_parallel([0, 1], run).into_iter().sum();
    assert!(atoms > 10_000_000, "only {atoms} atoms");
}

#[test]
fn a_wrong_bit_of_a_table_is_lost_where_the_model_loses_it() {
    let Some(verilog) = verilog(Tables::Small) else {
        return;
    };
    let unit = TraceUnit {
        return_stack: 15,
        sync_bytes: Some(40),
        ..TraceUnit::default()
    };
    let case = program(11, 8, 400, &unit);
    let used = |words: &[u64]| words.iter().position(|word| *word != 0).expect("a word");
    let (page, row) = (used(case.table.pages()), used(case.table.rows()));
    let sums = FlowWalk::of_model(&case, 1).sums;
    let taken: Vec<usize> = (0..sums.len()).filter(|site| sums[*site][0] > 0).collect();
    let mut rng = rng(11);
    let mut found = 0;
    for word in 0..40 {
        let mut wrong = case.clone();
        let table = &mut wrong.table;
        let bits = table.widths().exit_bits();
        let site = taken[rng.random_range(0..taken.len())];
        match word {
            0 => table.pages_mut()[page] ^= 1 << 7,
            1 => table.rows_mut()[row] ^= 1 << 2,
            2..12 => table.runs_mut()[site] ^= 1 << rng.random_range(0..6),
            _ => table.exits_mut()[site] ^= 1 << rng.random_range(0..bits),
        }
        wrong.name = format!("word {word}, site {site}");
        let mut lost = compare_verilog(&verilog, &wrong).lost.into_iter();
        found += usize::from(lost.any(|lost| lost.reason == LostReason::TableParity));
    }
    assert!(found > 30, "found in {found} walks");
}

#[test]
fn atoms_of_an_overload_are_walked_skipped_or_dropped() {
    overload::<1, 0>();
}

#[test]
fn atoms_of_an_overload_of_two_walkers_are_walked_skipped_or_dropped() {
    overload::<0, 1>();
}

fn overload<const ONE: usize, const TWO: usize>() {
    let unit = TraceUnit {
        sync_bytes: Some(200),
        ..TraceUnit::default()
    };
    let case = program(7, 40, 3000, &unit);
    let model = FlowWalk::of_model(&case, 1);

    assert_eq!(model.skipped, 0);
    // At full width, into a FIFO of 15 rows.
    let mut hardware = Hardware::<4, ONE, TWO>::new(&case, 1);
    case.bytes
        .chunks(4)
        .for_each(|bytes| hardware.cycle(bytes, false));
    hardware.end();
    let path = &hardware.path;
    let dropped = path.dropped_atoms.val().to_u64();
    let atoms = path.atoms.val().to_u64();
    assert_eq!(atoms + dropped, model.atoms);
    assert_eq!(path.taken_back.val().to_u64(), 0);
    let skipped = path.skipped.val().to_u64();
    assert!(
        dropped > 500 && atoms - skipped > 500,
        "{dropped} {atoms} {skipped}"
    );
    let is_lost = |event: &&Reported| **event == Reported::Lost(LostReason::Dropped);
    assert!(hardware.reported.iter().flatten().filter(is_lost).count() > 5);

    // What was counted happened, and its sums are right.
    hardware.read_out();
    hardware.drain();
    let sums = sums(&hardware.beats, case.sites());
    let mut counts = SiteCounts::new(widths());
    for (site, (of, all)) in sums.iter().zip(&model.sums).enumerate() {
        [counts.taken[site], counts.entered[site], counts.left[site]] = *of;
        assert!(of[0] <= all[0], "site {site}");
    }
    assert_eq!(Balance::new(&case.table, &counts).imbalances, []);
}

#[test]
fn every_event_is_in_one_read_out() {
    read_outs::<1, 0>();
}

#[test]
fn every_event_of_two_walkers_is_in_one_read_out() {
    read_outs::<0, 1>();
}

fn read_outs<const ONE: usize, const TWO: usize>() {
    let case = program(9, 30, rounds(2000, 5000), &TraceUnit::default());
    let model = FlowWalk::of_model(&case, 1);
    let mut rng = rng(9);

    // The stream is read in every third cycle, and asked for more often than it can follow.
    let mut hardware = Hardware::<9, ONE, TWO>::new(&case, 3);
    for bytes in case.bytes.chunks(2) {
        if rng.random_bool(0.002) {
            hardware.read_out();
        }
        hardware.cycle(bytes, false);
        hardware.cycle(&[], false);
    }
    hardware.end();
    hardware.read_out();
    hardware.drain();

    // Each read-out has what the hops before it said.
    let mut counted: Vec<Vec<Reported>> = Vec::new();
    for reported in &hardware.reported {
        let of_walker = reported.split(|event| *event == Reported::ReadOut);
        for (number, events) in of_walker.enumerate() {
            counted.resize_with(counted.len().max(number + 1), Vec::new);
            counted[number].extend(events);
        }
    }
    let is_end = |beat: &Beat| matches!(beat, Beat::Mark { kind, .. } if *kind == BeatKind::End);
    let read = hardware.beats.split(is_end);
    let sites = case.sites();
    let mut taken = vec![0; sites];
    // Indirect branches of read-outs with an even number, with an odd one.
    let mut led = [Vec::new(), Vec::new()];
    let mut read_outs = 0;
    for (counted, read) in counted
        .into_iter()
        .zip(read)
        .filter(|(_, read)| !read.is_empty())
    {
        let mut want = vec![[0; 3]; sites];
        let mut want_ways: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for event in counted {
            if let Reported::Indirect(site, target) = event {
                *want_ways.entry((site, target)).or_default() += 1;
            }
            let (site, sum) = match event {
                Reported::Taken(site) => (site, 0),
                Reported::Enter(site) => (site, 1),
                Reported::Leave(site) => (site, 2),
                _ => continue,
            };
            want[site as usize][sum] += 1;
        }
        let end = Beat::Mark {
            kind: BeatKind::End,
            reason: None,
            place: read_outs,
            missed: false,
            windowed: false,
            atoms: Default::default(),
        };
        let read: Vec<Beat> = read.iter().copied().chain([end]).collect();
        assert_eq!(sums(&read, sites), want, "read-out {read_outs}");
        for beat in &read {
            if let Beat::Indirect { is_odd, .. } = beat {
                led[usize::from(*is_odd)].push(*beat);
            }
        }
        let led = std::mem::take(&mut led[read_outs as usize % 2]);
        assert_eq!(ways(&led), want_ways, "read-out {read_outs}");
        let mut counts = SiteCounts::new(widths());
        for (site, of) in want.iter().enumerate() {
            [counts.taken[site], counts.entered[site], counts.left[site]] = *of;
            taken[site] += of[0];
        }
        assert_eq!(Balance::new(&case.table, &counts).imbalances, []);
        read_outs += 1;
    }
    assert!(read_outs > 3, "only {read_outs} read-outs");
    // One that has all events has all atoms.
    let sent = |beat: &Beat| match beat {
        Beat::Mark {
            kind: BeatKind::ReadOut,
            atoms,
            ..
        } => Some(u64::from(atoms.sent)),
        _ => None,
    };
    let all = hardware.beats.iter().filter_map(sent).next_back();
    assert_eq!(all, Some(model.atoms));
    let of_model: Vec<u64> = model.sums.iter().map(|sums| sums[0]).collect();
    assert_eq!(taken, of_model);
}
