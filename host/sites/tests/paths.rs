// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walk by paths has the sums of the walk. A failure names its seed.

use coretrace_abi::flow_table::Widths;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Context, SourceConfig};
use coretrace_flow::{Image, Images, Reported};
use coretrace_isa::Isa;
use coretrace_sites::paths::MOST_PACKETS;
use coretrace_sites::{
    AddressSpaces, Compiler, FlowItem, FlowTable, FlowUnit, Items, PathCache, PathUnit,
    Replacement, SiteCounts,
};
use coretrace_test_gen::trace_unit::{Page, RandomProgram, TraceUnit, random_unit};
use coretrace_test_gen::{Damage, Rng, damage, rng};
use rand::RngExt;

fn table(unit: &TraceUnit, isa: Isa, pages: &[Page]) -> FlowTable {
    let image = |page: &Page| Image::new(page.address, page.bytes.as_slice());
    let images = Images::new(pages.iter().map(image).collect());
    let spaces = AddressSpaces::new(images, [Context::default()]);
    let mut isas = vec![isa, Isa::A64];
    isas.dedup();
    let widths = Widths::new(16, 10).expect("widths");
    let mut compiler = Compiler::new(widths, Reported::new(&unit.source()));
    compiler.add_all(&spaces.modules(&isas)).expect("room");
    compiler.table().clone()
}

fn items(source: &SourceConfig, stream: &[u8]) -> Vec<FlowItem> {
    let config = Config::new(source.protocol, source.profile, &source.registers);
    let made = Items::new(source);
    let mut items = Vec::new();
    let mut decoder = Decoder::new(config, Policy::Resync);
    decoder.feed(stream, |record| {
        made.record(record, |_| 0, |item| items.push(item));
    });
    items
}

/// A random program in a trace unit, with a wrong table or a damaged stream now and then.
struct Program {
    source: SourceConfig,
    table: FlowTable,
    items: Vec<FlowItem>,
}

impl Program {
    fn random(rng: &mut Rng, seed: u64) -> Program {
        let program = RandomProgram {
            blocks: 2 << rng.random_range(0..9),
            steps: 3000,
        };
        let trace = program.trace(rng);
        let mut unit = random_unit(rng, seed);
        if rng.random_bool(0.7) {
            unit.return_stack = 0;
        }
        let pages = unit.pages(&trace).expect("instructions");
        let mut table = table(&unit, trace.isa, &pages);
        if seed % 4 == 1 {
            let exits = table.exits_mut();
            for _ in 0..3 {
                let site = rng.random_range(1..50);
                exits[site] ^= 1 << rng.random_range(0..16);
            }
        }
        let mut stream = unit.trace(&trace, &mut ());
        if seed % 4 == 2 {
            let kind = Damage::ALL[rng.random_range(0..Damage::ALL.len())];
            stream = damage(rng, &stream, kind, 0.002);
        }
        let mut items = items(&unit.source(), &stream);
        for _ in 0..rng.random_range(0..3) {
            let place = rng.random_range(0..=items.len());
            items.insert(place, FlowItem::ReadOut);
        }
        Program {
            source: unit.source(),
            table,
            items,
        }
    }

    fn walk(&self) -> (SiteCounts, (u64, u64)) {
        let mut counts = SiteCounts::new(self.table.widths());
        let mut unit = FlowUnit::new(&self.source);
        // What waits for the next packet is walked.
        for item in self.items.iter().chain(&[FlowItem::ReadOut]) {
            unit.item(*item, &self.table, &mut |event| counts.add(&event));
        }
        (counts, unit.atoms())
    }

    fn walk_by(&self, cache: PathCache, packets: usize) -> (SiteCounts, (u64, u64), (u64, u64)) {
        let mut counts = SiteCounts::new(self.table.widths());
        let mut unit = PathUnit::new(&self.source, cache, packets);
        for item in self.items.iter().chain(&[FlowItem::ReadOut]) {
            unit.item(*item, &self.table, &mut counts);
        }
        (counts, unit.atoms(), unit.looks())
    }
}

#[test]
fn paths_of_any_length_in_caches_of_any_size_give_the_sums_of_the_walk() {
    let (mut looks, mut known, mut skipped) = (0, 0, 0);
    for seed in 0..150 {
        let mut rng = rng(seed);
        let program = Program::random(&mut rng, seed);
        let replacement = if rng.random() {
            Replacement::LeastRecent
        } else {
            Replacement::Random
        };
        let (set_bits, ways) = (rng.random_range(0..8), rng.random_range(1..5));
        let packets = rng.random_range(1..=MOST_PACKETS);
        let cache = PathCache::new(set_bits, ways, replacement);
        let (got, got_atoms, found) = program.walk_by(cache, packets);
        let (want, want_atoms) = program.walk();
        let name = format!("seed {seed}, {packets} packets");
        assert!(got == want, "{name}");
        assert_eq!(got_atoms, want_atoms, "{name}");
        looks += found.0;
        known += found.1;
        skipped += want_atoms.1;
    }
    assert!(looks > 10_000 && known > looks / 4, "{known} of {looks}");
    assert!(skipped > 1000, "only {skipped} atoms are skipped");
}

#[test]
fn a_return_stack_is_followed_without_paths() {
    let mut rng = rng(1);
    let trace = RandomProgram {
        blocks: 60,
        steps: 3000,
    }
    .trace(&mut rng);
    let unit = TraceUnit {
        return_stack: 15,
        ..TraceUnit::default()
    };
    let pages = unit.pages(&trace).expect("instructions");
    let program = Program {
        source: unit.source(),
        table: table(&unit, trace.isa, &pages),
        items: items(&unit.source(), &unit.trace(&trace, &mut ())),
    };
    let cache = PathCache::new(6, 2, Replacement::default());
    let (got, atoms, looks) = program.walk_by(cache, 8);
    let (want, want_atoms) = program.walk();
    assert!(got == want);
    assert_eq!((atoms, looks), (want_atoms, (0, 0)));
}
