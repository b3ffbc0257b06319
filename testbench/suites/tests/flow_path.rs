// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trace bytes through a decoder and the blocks that follow the program: every event and every sum is
//! the model's. A failure names its seed or stream.

use coretrace_abi::flow_table::{ExitWord, LostReason, SPACE_RULES, SpaceRule, Widths};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Context, SourceConfig};
use coretrace_flow::{Image, Images, Reported as Traced};
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_dataflow::{Bus, Carrier};
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_flow::{FlowPath, held_rules};
use coretrace_isa::Isa;
use coretrace_sites::{
    AddressSpaces, Balance, Compiler, FlowItem, FlowTable, FlowUnit, Items, SiteCounts,
};
use coretrace_test_gen::trace_unit::{Page, RandomProgram, TraceUnit, random_unit};
use coretrace_test_gen::{GoldenStream, rng};
use coretrace_test_simulate::flow::{Reported, hop_events};
use coretrace_test_simulate::{hop_sites, load_flow_table};
use coretrace_test_support::{in_parallel, shared_dir};
use rand::RngExt;
use rust_hdl::prelude::*;
use std::ops::Range;
use std::path::Path;

const SITE_W: usize = 10;
const FRAME_W: usize = 4;
/// A path with a FIFO of 2^A places.
type Flow<const A: usize> = FlowPath<SITE_W, FRAME_W, 9, A>;

/// All contexts are one address space.
const RULES: [Option<SpaceRule>; SPACE_RULES] = {
    let mut rules = [None; SPACE_RULES];
    rules[0] = Some(SpaceRule {
        level: None,
        vmid: None,
        cid: None,
    });
    rules
};

/// An A-Sync and a Trace Info. Bytes are lost before it and behind it, so that the sums of atoms have
/// all of them.
const BEGIN: [u8; 14] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0];
/// Cycles of a reset, and those after which nothing is in flight.
const TAIL: usize = 100;

/// What there is to know of a walk.
#[derive(Debug, PartialEq, Eq)]
struct Walked {
    reported: Vec<Reported>,
    /// Taken, entered and left, by site.
    sums: Vec<[u64; 3]>,
    /// Atoms, and those of them that were skipped.
    atoms: (u64, u64),
}

/// A table of the images; none if they do not fit.
fn table(source: &SourceConfig, isa: Isa, images: &Images) -> Option<FlowTable> {
    let spaces = AddressSpaces::new(images.clone(), [Context::default()]);
    let widths = Widths::new(SITE_W as u32, FRAME_W as u32).expect("widths");
    let mut compiler = Compiler::new(widths, Traced::new(source));
    // The handlers of exceptions may be A64 code.
    let mut isas = vec![isa, Isa::A64];
    isas.dedup();
    compiler.add_all(&spaces.modules(&isas)).ok()?;
    compiler
        .report()
        .left_out
        .is_empty()
        .then(|| compiler.table().clone())
}

/// Sites up to the last one, and one more.
fn used_sites(table: &FlowTable) -> usize {
    let sites = 0..table.widths().sites();
    let used = |site: &usize| table.exit(*site as u32) != ExitWord::unpack(0, table.widths());
    let last = sites.rev().find(used).expect("a site");
    (last + 2).min(table.widths().sites())
}

fn model(source: &SourceConfig, table: &FlowTable, bytes: &[u8]) -> Walked {
    let items = Items::new(source);
    let mut unit = FlowUnit::new(source);
    let mut counts = SiteCounts::new(table.widths());
    let mut reported = Vec::new();
    let mut item = |item| {
        unit.item(item, table, &mut |event| {
            counts.add(&event);
            reported.extend(Reported::of(&event));
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
        reported,
        sums: (0..used_sites(table))
            .map(|site| [counts.taken[site], counts.entered[site], counts.left[site]])
            .collect(),
        atoms: (walked + skipped, skipped),
    }
}

/// The decoder and the path behind it.
struct Hardware<const A: usize> {
    decoder: JumpDecoder<4, 2>,
    path: Flow<A>,
    reported: Vec<Reported>,
}

impl<const A: usize> Hardware<A> {
    fn new(source: &SourceConfig, table: &FlowTable) -> Hardware<A> {
        let mut hardware = Hardware {
            decoder: JumpDecoder::default(),
            path: Flow::default(),
            reported: Vec::new(),
        };
        hardware.decoder.connect_all();
        hardware.path.connect_all();
        let settings = SourceSettings::of(0x10, source);
        hardware.decoder.settings.next = Bus(settings.wide());
        hardware.path.ete.next = settings.ete == 1;
        hardware.path.returns.next = source.registers.trcconfigr >> 12 & 1 == 1;
        hardware.path.rules.next = Bus(held_rules(&RULES));
        hardware.decoder.reset.next = true;
        hardware.path.reset.next = true;
        (0..TAIL).for_each(|_| hardware.cycle(&[], false));
        load_flow_table!(&mut hardware.path, table, |path: &mut Flow<A>| cycle(
            path,
            |block, clock| block.clock.next = clock
        ));
        hardware.decoder.reset.next = false;
        hardware.path.reset.next = false;
        hardware.reported.clear();
        hardware
    }

    /// A cycle with up to four bytes, or without any.
    fn cycle(&mut self, bytes: &[u8], lost: bool) {
        let Hardware {
            decoder,
            path,
            reported,
        } = self;
        decoder.s_valid.next = !bytes.is_empty() || lost;
        decoder.s_discontinuity.next = lost;
        for lane in 0..4 {
            decoder.s_keep[lane].next = lane < bytes.len();
            decoder.s_octet[lane].next = bytes.get(lane).copied().unwrap_or_default().to_bits();
        }
        path.s_valid.next = decoder.m_valid.val();
        path.s_discontinuity.next = decoder.m_discontinuity.val();
        path.s_pending.next = decoder.m_pending.val();
        for lane in 0..4 {
            path.s_keep[lane].next = decoder.m_keep[lane].val();
            path.s_lane[lane].next = decoder.m_lane[lane].val();
        }
        for pair in 0..2 {
            path.s_pair[pair].next = decoder.m_pair[pair].val();
        }
        cycle(decoder, |block, clock| block.clock.next = clock);
        cycle(path, |block, clock| block.clock.next = clock);
        reported.extend(hop_events(&path.hop.val().to_wide(), hop_sites!(path)));
    }

    /// Until nothing waits.
    fn drain(&mut self) {
        let mut quiet = 0;
        while quiet < TAIL {
            let before = self.reported.len();
            self.cycle(&[], false);
            let waits = self.path.level.val().to_u64() > 0 || self.reported.len() > before;
            quiet = if waits { 0 } else { quiet + 1 };
        }
    }

    /// Ends the flow, so that all atoms are in the sums.
    fn end(&mut self) {
        for bytes in [&BEGIN[..], &[0]] {
            self.drain();
            for (number, now) in bytes.chunks(4).enumerate() {
                self.cycle(now, number == 0);
            }
        }
        self.drain();
    }

    /// The sums of all sites, one in each cycle.
    fn sums(&mut self, sites: usize) -> Vec<[u64; 3]> {
        let path = &mut self.path;
        path.s_valid.next = false;
        path.read.next = true;
        let mut sums = Vec::new();
        for site in 0.. {
            path.read_site.next = (site % sites as u64).into();
            settle(path);
            assert!(path.read_ready.val());
            cycle(path, |block, clock| block.clock.next = clock);
            if path.read_valid.val() {
                let of = [&path.read_taken, &path.read_entered, &path.read_left];
                sums.push(of.map(|sum| sum.val().to_wide().field(0, 33)));
            }
            if sums.len() == sites {
                break;
            }
        }
        sums
    }
}

/// Bytes come in so often that nothing is dropped.
fn hardware(source: &SourceConfig, table: &FlowTable, bytes: &[u8], seed: u64) -> Walked {
    let mut rng = rng(seed);
    let mut hardware = Hardware::<9>::new(source, table);
    let mut rest = bytes;
    while !rest.is_empty() {
        let (now, behind) = rest.split_at(rest.len().min(rng.random_range(1..5)));
        hardware.cycle(now, false);
        rest = behind;
        while hardware.path.level.val().to_u64() > 400 {
            hardware.cycle(&[], false);
        }
    }
    hardware.end();
    let path = &hardware.path;
    assert_eq!(path.dropped_atoms.val().to_u64(), 0);
    let atoms = (path.atoms.val().to_u64(), path.skipped.val().to_u64());
    let reported = std::mem::take(&mut hardware.reported);
    Walked {
        reported,
        sums: hardware.sums(used_sites(table)),
        atoms,
    }
}

/// Returns the atoms that were walked.
fn compare(name: &str, source: &SourceConfig, table: &FlowTable, bytes: &[u8]) -> u64 {
    println!("{name}");
    let model = model(source, table, bytes);
    assert_eq!(model.atoms.1, 0, "{name}: atoms are skipped");
    let hardware = hardware(source, table, bytes, bytes.len() as u64);
    let pairs = model.reported.iter().zip(&hardware.reported);
    for (number, (want, got)) in pairs.enumerate() {
        assert_eq!(got, want, "{name}, event {number}");
    }
    assert_eq!(hardware, model, "{name}");
    model.atoms.0 - model.atoms.1
}

fn images(pages: impl Iterator<Item = (u64, Vec<u8>)>) -> Images {
    Images::new(
        pages
            .map(|(address, bytes)| Image::new(address, bytes))
            .collect(),
    )
}

/// Random programs; returns the atoms that were walked.
fn random(seeds: Range<u64>, steps: u64) -> u64 {
    let run = |seed| {
        let mut rng = rng(seed);
        let program = RandomProgram {
            blocks: 2 << rng.random_range(0..7),
            steps,
        };
        let trace = program.trace(&mut rng);
        let mut unit = random_unit(&mut rng, seed);
        unit.speculation = None;
        let pages = unit.pages(&trace).expect("instructions");
        let page = |page: &Page| (page.address, page.bytes.to_vec());
        let images = images(pages.iter().map(page));
        let source = unit.source();
        let Some(table) = table(&source, trace.isa, &images) else {
            return 0;
        };
        let stream = unit.trace(&trace, &mut ());
        compare(&format!("seed {seed}"), &source, &table, &stream)
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
        compare(&stream.name, &stream.source, &table, bytes)
    };
    streams.iter().skip(first).step_by(step).map(run).sum()
}

#[test]
fn random_programs_are_followed_as_by_the_model() {
    let atoms: u64 = in_parallel([0..3, 3..6], |seeds| random(seeds, 400))
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
fn atoms_of_an_overload_are_walked_skipped_or_dropped() {
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
    let mut hardware = Hardware::<4>::new(&source, &table);
    stream
        .chunks(4)
        .for_each(|bytes| hardware.cycle(bytes, false));
    hardware.end();
    let path = &hardware.path;
    let dropped = path.dropped_atoms.val().to_u64();
    let atoms = path.atoms.val().to_u64();
    assert_eq!(atoms + dropped, model.atoms.0);
    let skipped = path.skipped.val().to_u64();
    assert!(
        dropped > 500 && atoms - skipped > 500,
        "{dropped} {atoms} {skipped}"
    );
    let is_lost = |event: &&Reported| **event == Reported::Lost(LostReason::Dropped);
    assert!(hardware.reported.iter().filter(is_lost).count() > 5);

    // What was counted happened, and its sums are right.
    let sums = hardware.sums(used_sites(&table));
    let mut counts = SiteCounts::new(table.widths());
    for (site, (of, all)) in sums.iter().zip(&model.sums).enumerate() {
        [counts.taken[site], counts.entered[site], counts.left[site]] = *of;
        assert!(of[0] <= all[0], "site {site}");
    }
    assert_eq!(Balance::new(&table, &counts).imbalances, []);
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn many_random_programs_are_followed_as_by_the_model() {
    in_parallel([100..120, 120..140], |seeds| random(seeds, 1500));
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn every_program_that_ran_is_followed_as_by_the_model() {
    let Some(shared) = shared_dir() else { return };
    in_parallel([0, 1], |first| golden(&shared, first, 2, 1500));
}
