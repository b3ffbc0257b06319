// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BranchUnit` gives the branches of the model for random programs and walks.

use crate::branch_said::{assert_same, branch_said};
use crate::items::{Items, UnitItem};
use crate::program::{FRAME_W, Program, Rates, SITE_W, SPACE, Walker};
use coretrace_abi::branch_table::BranchWord;
use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::flow_table::{LostReason, PageWord};
use coretrace_etm::{Protocol, SourceConfig};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use coretrace_hdl_flow::BranchUnit;
use coretrace_isa::Isa;
use coretrace_sites::{BranchStep, BranchTable, FlowItem, FlowTable, WalkSettings};
use coretrace_test_gen::rounds;
use coretrace_test_gen::trace_unit::TraceUnit;
use coretrace_test_simulate::flow::table_writes;
use coretrace_test_simulate::{write_branch_table, write_flow_table};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rust_hdl::prelude::*;

const FRAMES_W: usize = FRAME_W as usize;
type Uut = BranchUnit<{ SITE_W as usize }, FRAMES_W, { FRAMES_W + 6 }, { FRAMES_W + 41 }, 6>;

/// A trace unit that does this.
fn source(settings: WalkSettings) -> SourceConfig {
    let mut source = TraceUnit::default().source();
    if settings.passes {
        source.protocol = Protocol::Ete;
    }
    source.registers.trcconfigr = u32::from(settings.return_stack) << 12;
    source
}

fn clock(uut: &mut Uut) {
    cycle(uut, |uut, clock| uut.clock.next = clock);
}

/// After its reset, with tables.
fn loaded(table: &FlowTable, branches: &BranchTable, settings: WalkSettings) -> Uut {
    let mut uut = Uut::default();
    uut.connect_all();
    uut.returns.next = settings.return_stack;
    uut.ete.next = settings.passes;
    uut.reset.next = true;
    write_branch_table!(uut, branches, clock(&mut uut));
    for write in table_writes(table) {
        write_flow_table!(uut, write);
        clock(&mut uut);
    }
    uut.reset.next = false;
    uut
}

fn drive(uut: &mut Uut, item: &UnitItem) -> Option<BranchStep> {
    uut.item.next = Bus(item.item);
    if let Some(address) = item.address {
        let mut wide = Wide::default();
        wide.or_field(0, 64, address);
        uut.address.next = Bus(wide);
        uut.isa.next = item.isa.into();
        uut.space.next = item.space.into();
    }
    clock(uut);
    branch_said!(uut)
}

/// A branch table with the pages that a flow table has, right or wrong: the unit takes them from its page words.
fn with_pages_of(table: &FlowTable, branches: &BranchTable) -> BranchTable {
    let widths = table.widths();
    let mut pages = vec![0; widths.frames()];
    for word in table.pages() {
        let page = PageWord::unpack(*word, widths);
        if page.valid {
            pages[page.frame as usize] = page.number;
        }
    }
    let (words, calls) = (branches.words().to_vec(), branches.calls().to_vec());
    BranchTable::of_words(branches.isa(), words, pages, calls)
}

/// Compares the unit with the model in a walk of so many steps, through a table with so many wrong bits. Returns
/// how many events there are.
fn compare(seed: u64, steps: usize, rates: Rates, wrong_bits: usize) -> usize {
    println!("seed {seed}, {rates:?}, {wrong_bits} wrong bits");
    let mut rng = StdRng::seed_from_u64(seed);
    let sites = rng.random_range(2..600);
    let program = Program::random(&mut rng, sites);
    let branches = program.branches(&mut rng);
    let settings = WalkSettings {
        return_stack: rng.random(),
        passes: seed % 2 == 1,
        segments: false,
    };
    let mut walker = Walker::new(&program, settings, rates);
    let gap = FlowItem::Gap(LostReason::TraceOn);
    // Up to a Trace Info all is lost, the context too.
    walker
        .items
        .insert(0, FlowItem::TraceInfo { speculative: 0 });
    walker.items.push(gap);
    (0..steps).for_each(|_| walker.step(&mut rng));
    let mut items = walker.items;
    items.push(gap);
    let table = program.damaged(&mut rng, wrong_bits);
    let branches = with_pages_of(&table, &branches);

    let mut model = coretrace_sites::BranchUnit::new(&source(settings));
    let mut want = Vec::new();
    for item in &items {
        model.item(*item, &table, &branches, &mut |step| want.push(step));
    }
    let mut uut = loaded(&table, &branches, settings);
    let mut of_items = Items::default();
    let pauses = rng.random_range(0.0..0.5);
    let mut got = Vec::new();
    for item in items {
        while rng.random_bool(pauses) || !uut.item_ready.val() {
            got.extend(drive(&mut uut, &of_items.item(None).expect("a cycle")));
        }
        if let Some(item) = of_items.item(Some(item)) {
            got.extend(drive(&mut uut, &item));
        }
    }
    let nothing = of_items.item(None).expect("a cycle");
    (0..4000).for_each(|_| got.extend(drive(&mut uut, &nothing)));
    assert_same(&want, &got, &format!("seed {seed}"));
    got.len()
}

#[test]
fn a_program_has_the_branches_of_the_model() {
    let seeds = 0..rounds(4, 40);
    let events = seeds.map(|seed| {
        let rates = Rates {
            events: 0.02,
            ..Rates::default()
        };
        compare(seed, 1500, rates, 0)
    });
    let events: usize = events.sum();
    assert!(events > 3000, "only {events} events");
}

#[test]
fn a_broken_trace_has_the_branches_of_the_model() {
    for seed in 100..100 + rounds(4, 40) {
        let rates = Rates {
            events: 0.05,
            faults: 0.05,
            ..Rates::default()
        };
        compare(seed, 1500, rates, 0);
    }
}

#[test]
fn a_wrong_bit_of_the_flow_table_does_what_the_model_does() {
    for seed in 400..400 + rounds(8, 60) {
        let rates = Rates {
            events: 0.02,
            faults: 0.01,
            ..Rates::default()
        };
        compare(seed, 500, rates, 1 + seed as usize % 3);
    }
}

#[test]
fn an_event_comes_34_cycles_behind_its_item() {
    let mut rng = StdRng::seed_from_u64(1);
    let program = Program::random(&mut rng, 100);
    let (address, _) = program.conditional(&mut rng);
    let widths = program.table.widths();
    let word = BranchWord {
        kind: BranchKind::CONDITIONAL,
        ..BranchWord::NONE
    };
    let branches = BranchTable::of_words(
        Isa::A64,
        vec![word; widths.sites()],
        vec![0; widths.frames()],
        vec![0; widths.rows()],
    );
    let mut uut = loaded(&program.table, &branches, WalkSettings::default());
    let mut items = Items::default();
    let context = FlowItem::Context {
        space: SPACE,
        a64: true,
    };
    let atoms = FlowItem::Atoms { bits: 1, count: 1 };
    for item in [context, address, atoms] {
        if let Some(item) = items.item(Some(item)) {
            drive(&mut uut, &item);
        }
    }
    let nothing = items.item(None).expect("a cycle");
    let cycles = (2..100).find(|_| drive(&mut uut, &nothing).is_some());
    assert_eq!(cycles, Some(34));
}
