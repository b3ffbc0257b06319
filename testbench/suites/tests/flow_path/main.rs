// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trace bytes through a decoder and the blocks that follow the program: every event and every sum is
//! the model's. A failure names its seed or stream.

mod flow_core;
mod queue;

use coretrace_abi::flow_stream::{Beat, BeatKind};
use coretrace_abi::flow_table::{ExitWord, LostReason, Widths};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, SourceConfig};
use coretrace_flow::{Image, Images};
use coretrace_isa::Isa;
use coretrace_sites::{Balance, Event, FlowItem, FlowTable, FlowUnit, Items, SiteCounts};
use coretrace_test_gen::trace_unit::{Page, RandomProgram, Speculation, TraceUnit, random_unit};
use coretrace_test_gen::{GoldenStream, rng};
use coretrace_test_simulate::flow::{Reported, flow_table};
use coretrace_test_simulate::flow_path::{BEGIN, FlowPathSim};
use coretrace_test_support::{in_parallel, shared_dir};
use rand::RngExt;
use std::fmt::Debug;
use std::ops::Range;
use std::path::Path;

const SITE_W: usize = 10;
const FRAME_W: usize = 4;

/// A path with a FIFO of 2^A places.
type Hardware<const A: usize, const ONE: usize, const TWO: usize> =
    FlowPathSim<SITE_W, FRAME_W, 9, A, { SITE_W + 1 }, ONE, TWO>;

/// What there is to know of a walk.
struct Walked {
    /// By walker.
    reported: Vec<Vec<Reported>>,
    /// Where the place was lost: the reason, the newest site, atoms before.
    lost: Vec<(LostReason, u32, u32)>,
    /// Taken, entered and left, by site.
    sums: Vec<[u64; 3]>,
    /// Atoms, and those of them that were skipped.
    atoms: (u64, u64),
    /// All atoms of the stream.
    sent: u64,
}

/// A table of the images; none if they do not fit.
fn table(source: &SourceConfig, isa: Isa, images: &Images) -> Option<FlowTable> {
    let widths = Widths::new(SITE_W as u32, FRAME_W as u32).expect("widths");
    flow_table(widths, source, isa, images)
}

/// Sites up to the last one, and one more.
fn used_sites(table: &FlowTable) -> usize {
    let sites = 0..table.widths().sites();
    let used = |site: &usize| table.exit(*site as u32) != ExitWord::unpack(0, table.widths());
    let last = sites.rev().find(used).expect("a site");
    (last + 2).min(table.widths().sites())
}

/// With one walker.
fn model(source: &SourceConfig, table: &FlowTable, bytes: &[u8]) -> Walked {
    model_of(FlowUnit::new(source), source, table, bytes)
}

fn model_of(mut unit: FlowUnit, source: &SourceConfig, table: &FlowTable, bytes: &[u8]) -> Walked {
    let items = Items::new(source);
    let mut counts = SiteCounts::new(table.widths());
    let (mut reported, mut lost) = (Vec::new(), Vec::new());
    let mut sent = 0;
    let mut item = |item| {
        if let FlowItem::Atoms { count, .. } = item {
            sent += u64::from(count);
        }
        unit.item(item, table, &mut |event| {
            counts.add(&event);
            reported.extend(Reported::of(&event));
            if let Event::Lost {
                reason,
                site,
                atoms,
            } = event
            {
                lost.push((reason, site, atoms as u32));
            }
        });
    };
    let config = Config::new(source.protocol, source.profile, &source.registers);
    let mut decoder = Decoder::new(config, Policy::Resync);
    for bytes in [bytes, &BEGIN] {
        decoder.feed(bytes, |record| items.record(record, |_| 0, &mut item));
        decoder.discontinuity(|record| items.record(record, |_| 0, &mut item));
        item(FlowItem::Gap(LostReason::BadPacket));
    }
    let (walked, skipped) = unit.atoms();
    Walked {
        reported: vec![reported],
        lost,
        sums: (0..used_sites(table))
            .map(|site| [counts.taken[site], counts.entered[site], counts.left[site]])
            .collect(),
        atoms: (walked + skipped, skipped),
        sent,
    }
}

/// Bytes come in so often that nothing is dropped.
fn hardware<const ONE: usize, const TWO: usize>(
    source: &SourceConfig,
    table: &FlowTable,
    bytes: &[u8],
    seed: u64,
) -> Walked {
    let mut rng = rng(seed);
    let mut hardware = Hardware::<9, ONE, TWO>::new(source, table, 1);
    let mut rest = bytes;
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
    let atoms = (path.atoms.val().to_u64(), path.skipped.val().to_u64());
    let sent = atoms.0 + path.taken_back.val().to_u64();
    let reported = std::mem::take(&mut hardware.reported).into();
    let lost = losses(&hardware.beats);
    hardware.read_out();
    hardware.drain();
    Walked {
        reported,
        lost,
        sums: sums(&hardware.beats, used_sites(table)),
        atoms,
        sent,
    }
}

/// What the stream says of losses.
fn losses(beats: &[Beat]) -> Vec<(LostReason, u32, u32)> {
    let lost = |beat: &Beat| match *beat {
        Beat::Mark {
            reason: Some(reason),
            place,
            missed: false,
            atoms,
            ..
        } => Some((reason, place, atoms.sent)),
        _ => None,
    };
    beats.iter().filter_map(lost).collect()
}

/// The sums of one read-out, of so many sites.
fn sums(beats: &[Beat], sites: usize) -> Vec<[u64; 3]> {
    let mut all = vec![[0; 3]; sites];
    let mut marks = Vec::new();
    for beat in beats {
        match *beat {
            Beat::Site { site, sums } => {
                assert_eq!(all[site as usize], [0; 3], "site {site} comes twice");
                assert!(sums.iter().all(|sum| !sum.overflow));
                all[site as usize] = sums.map(|sum| sum.count.into());
            }
            Beat::Mark { kind, .. } => marks.push(kind),
        }
    }
    marks.retain(|kind| matches!(kind, BeatKind::ReadOut | BeatKind::End));
    assert_eq!(marks, [BeatKind::ReadOut, BeatKind::End]);
    all
}

/// Each entry of the hardware's list is the model's.
fn same<T: Debug + PartialEq>(name: &str, what: &str, model: &[T], hardware: &[T]) {
    for (number, (want, got)) in model.iter().zip(hardware).enumerate() {
        assert_eq!(got, want, "{name}, {what} {number}");
    }
    assert_eq!(hardware.len(), model.len(), "{name}, {what}");
}

/// Returns what the model says.
fn compare(name: &str, source: &SourceConfig, table: &FlowTable, bytes: &[u8]) -> Walked {
    println!("{name}");
    let model = model(source, table, bytes);
    let hardware = hardware::<1, 0>(source, table, bytes, bytes.len() as u64);
    same(name, "event", &model.reported[0], &hardware.reported[0]);
    let places = |lost: &[(LostReason, u32, u32)]| -> Vec<_> {
        lost.iter().map(|lost| (lost.0, lost.1)).collect()
    };
    let (want, got) = (places(&model.lost), places(&hardware.lost));
    same(name, "loss", &want, &got);
    for (want, got) in model.lost.iter().zip(&hardware.lost) {
        // A beat has all atoms of its step.
        let is_gap = want.0 <= LostReason::Dropped;
        let most = if is_gap { 0 } else { 32 };
        assert!((0..=most).contains(&(got.2 - want.2)), "{name}: {got:?}");
    }
    same(name, "site", &model.sums, &hardware.sums);
    assert_eq!(hardware.atoms, model.atoms, "{name}");
    assert_eq!(hardware.sent, model.sent, "{name}");
    model
}

/// Two walkers and the model of segments say the same in any order. Returns what the model says.
fn compare_two(name: &str, source: &SourceConfig, table: &FlowTable, bytes: &[u8]) -> Walked {
    println!("{name}, two walkers");
    let model = model_of(FlowUnit::of_segments(source), source, table, bytes);
    let hardware = hardware::<0, 1>(source, table, bytes, bytes.len() as u64);
    let sorted = |reported: &[Vec<Reported>]| {
        let mut texts: Vec<String> = reported
            .iter()
            .flatten()
            .map(|it| format!("{it:?}"))
            .collect();
        texts.sort();
        texts
    };
    let (want, got) = (sorted(&model.reported), sorted(&hardware.reported));
    same(name, "event", &want, &got);
    let reasons = |lost: &[(LostReason, u32, u32)]| {
        let mut reasons: Vec<LostReason> = lost.iter().map(|lost| lost.0).collect();
        reasons.sort();
        reasons
    };
    same(
        name,
        "loss",
        &reasons(&model.lost),
        &reasons(&hardware.lost),
    );
    same(name, "site", &model.sums, &hardware.sums);
    assert_eq!(hardware.atoms, model.atoms, "{name}");
    model
}

/// As [`compare`], where nothing is lost; returns the atoms that were walked.
fn compare_all(name: &str, source: &SourceConfig, table: &FlowTable, bytes: &[u8]) -> u64 {
    compare_two(name, source, table, bytes);
    let (atoms, skipped) = compare(name, source, table, bytes).atoms;
    assert_eq!(skipped, 0, "{name}: atoms are skipped");
    atoms
}

fn images(pages: impl Iterator<Item = (u64, Vec<u8>)>) -> Images {
    Images::new(
        pages
            .map(|(address, bytes)| Image::new(address, bytes))
            .collect(),
    )
}

/// Random programs, with or without speculation; returns the atoms that were walked.
fn random(seeds: Range<u64>, steps: u64, speculates: bool) -> u64 {
    let run = |seed| {
        let mut rng = rng(seed);
        let program = RandomProgram {
            blocks: 2 << rng.random_range(0..7),
            steps,
        };
        let trace = program.trace(&mut rng);
        let mut unit = random_unit(&mut rng, seed);
        if speculates {
            unit.speculation = unit.speculation.or(Some(Speculation {
                max_spec: 1 << rng.random_range(0..8),
                counts_commit: rng.random(),
                mispredicts: 0.2,
                commits: 0.1,
            }));
        } else {
            unit.speculation = None;
        }
        let pages = unit.pages(&trace).expect("instructions");
        let page = |page: &Page| (page.address, page.bytes.to_vec());
        let images = images(pages.iter().map(page));
        let source = unit.source();
        let Some(table) = table(&source, trace.isa, &images) else {
            return 0;
        };
        let stream = unit.trace(&trace, &mut ());
        compare_all(&format!("seed {seed}"), &source, &table, &stream)
    };
    seeds.map(run).sum()
}

/// The first bytes of every `step`th stream of programs that ran, from the `first` one on; returns the
/// atoms that were walked.
fn golden(shared: &Path, first: usize, step: usize, bytes: usize) -> u64 {
    let streams = GoldenStream::all(&shared.join("workloads/own")).expect("streams");
    let run = |stream: &GoldenStream| {
        let images = images(stream.memory().expect("an image").into_iter());
        let isa = match stream.name.contains(".a32.") {
            true => Isa::A32,
            false => Isa::A64,
        };
        let Some(table) = table(&stream.source, isa, &images) else {
            return 0;
        };
        let bytes = &stream.bytes[..stream.bytes.len().min(bytes)];
        compare_all(&stream.name, &stream.source, &table, bytes)
    };
    streams.iter().skip(first).step_by(step).map(run).sum()
}

#[test]
fn random_programs_are_followed_as_by_the_model() {
    let atoms: u64 = in_parallel([0..3, 3..6], |seeds| random(seeds, 400, false))
        .into_iter()
        .sum();
    assert!(atoms > 800, "only {atoms} atoms");
}

#[test]
fn speculating_trace_units_are_followed_as_by_the_model() {
    let atoms: u64 = in_parallel([40..44, 44..48], |seeds| random(seeds, 300, true))
        .into_iter()
        .sum();
    assert!(atoms > 800, "only {atoms} atoms");
}

#[test]
fn programs_that_ran_are_followed_as_by_the_model() {
    let Some(shared) = shared_dir() else { return };
    let run = |first| golden(&shared, first, 48, 1000);
    let atoms: u64 = in_parallel([0, 20], run).into_iter().sum();
    assert!(atoms > 1000, "only {atoms} atoms");
}

#[test]
fn a_wrong_bit_of_a_table_is_lost_where_the_model_loses_it() {
    let mut rng = rng(11);
    let program = RandomProgram {
        blocks: 8,
        steps: 400,
    };
    let trace = program.trace(&mut rng);
    let unit = TraceUnit {
        return_stack: 15,
        sync_bytes: Some(40),
        ..TraceUnit::default()
    };
    let pages = unit.pages(&trace).expect("instructions");
    let page = |page: &Page| (page.address, page.bytes.to_vec());
    let (source, images) = (unit.source(), images(pages.iter().map(page)));
    let table = table(&source, trace.isa, &images).expect("room");
    let stream = unit.trace(&trace, &mut ());
    let used = |words: &[u64]| words.iter().position(|word| *word != 0).expect("a word");
    let (page, row) = (used(table.pages()), used(table.rows()));
    let sums = model(&source, &table, &stream).sums;
    let taken: Vec<usize> = (0..sums.len()).filter(|site| sums[*site][0] > 0).collect();
    let mut found = 0;
    for word in 0..8 {
        let mut table = table.clone();
        let bits = table.widths().exit_bits();
        let site = taken[rng.random_range(0..taken.len())];
        match word {
            0 => table.pages_mut()[page] ^= 1 << 7,
            1 => table.rows_mut()[row] ^= 1 << 2,
            2..4 => table.runs_mut()[site] ^= 1 << rng.random_range(0..6),
            _ => table.exits_mut()[site] ^= 1 << rng.random_range(0..bits),
        }
        let name = format!("word {word}, site {site}");
        compare_two(&name, &source, &table, &stream);
        let lost = compare(&name, &source, &table, &stream).lost;
        let is_parity = |lost: &(LostReason, u32, u32)| lost.0 == LostReason::TableParity;
        found += usize::from(lost.iter().any(is_parity));
    }
    assert!(found > 5, "found in {found} walks");
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
    let mut rng = rng(7);
    let program = RandomProgram {
        blocks: 40,
        steps: 5000,
    };
    let trace = program.trace(&mut rng);
    let unit = TraceUnit {
        sync_bytes: Some(200),
        ..TraceUnit::default()
    };
    let pages = unit.pages(&trace).expect("instructions");
    let page = |page: &Page| (page.address, page.bytes.to_vec());
    let (source, images) = (unit.source(), images(pages.iter().map(page)));
    let table = table(&source, trace.isa, &images).expect("room");
    let stream = unit.trace(&trace, &mut ());
    let model = model(&source, &table, &stream);

    assert_eq!(model.atoms.1, 0);
    // At full width, into a FIFO of 15 rows.
    let mut hardware = Hardware::<4, ONE, TWO>::new(&source, &table, 1);
    stream
        .chunks(4)
        .for_each(|bytes| hardware.cycle(bytes, false));
    hardware.end();
    let path = &hardware.path;
    let dropped = path.dropped_atoms.val().to_u64();
    let atoms = path.atoms.val().to_u64();
    assert_eq!(atoms + dropped, model.atoms.0);
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
    let sums = sums(&hardware.beats, used_sites(&table));
    let mut counts = SiteCounts::new(table.widths());
    for (site, (of, all)) in sums.iter().zip(&model.sums).enumerate() {
        [counts.taken[site], counts.entered[site], counts.left[site]] = *of;
        assert!(of[0] <= all[0], "site {site}");
    }
    assert_eq!(Balance::new(&table, &counts).imbalances, []);
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
    let mut rng = rng(9);
    let program = RandomProgram {
        blocks: 30,
        steps: 8000,
    };
    let trace = program.trace(&mut rng);
    let unit = TraceUnit::default();
    let pages = unit.pages(&trace).expect("instructions");
    let page = |page: &Page| (page.address, page.bytes.to_vec());
    let (source, images) = (unit.source(), images(pages.iter().map(page)));
    let table = table(&source, trace.isa, &images).expect("room");
    let stream = unit.trace(&trace, &mut ());
    let model = model(&source, &table, &stream);

    // The stream is read in every third cycle, and asked for more often than it can follow.
    let mut hardware = Hardware::<9, ONE, TWO>::new(&source, &table, 3);
    for bytes in stream.chunks(2) {
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
    let sites = used_sites(&table);
    let mut taken = vec![0; sites];
    let mut read_outs = 0;
    for (counted, read) in counted
        .into_iter()
        .zip(read)
        .filter(|(_, read)| !read.is_empty())
    {
        let mut want = vec![[0; 3]; sites];
        for event in counted {
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
            atoms: Default::default(),
        };
        let read: Vec<Beat> = read.iter().copied().chain([end]).collect();
        assert_eq!(sums(&read, sites), want, "read-out {read_outs}");
        let mut counts = SiteCounts::new(table.widths());
        for (site, of) in want.iter().enumerate() {
            [counts.taken[site], counts.entered[site], counts.left[site]] = *of;
            taken[site] += of[0];
        }
        assert_eq!(Balance::new(&table, &counts).imbalances, []);
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
    assert_eq!(all, Some(model.atoms.0));
    let of_model: Vec<u64> = model.sums.iter().map(|sums| sums[0]).collect();
    assert_eq!(taken, of_model);
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn many_random_programs_are_followed_as_by_the_model() {
    in_parallel([100..120, 120..140], |seeds| {
        random(seeds.clone(), 1500, false);
        random(seeds, 1500, true);
    });
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn every_program_that_ran_is_followed_as_by_the_model() {
    let Some(shared) = shared_dir() else { return };
    in_parallel([0, 1], |first| golden(&shared, first, 2, 1500));
}
