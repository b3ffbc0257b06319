// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BranchEvents` gives the events of the model for random steps through random tables.

use crate::branch_said::{assert_same, branch_said};
use coretrace_abi::branch_table::{BranchWord, FOREIGN, NO_BRANCH};
use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::flow_table::{PageWord, Widths};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use coretrace_hdl_flow::{BranchEvents, BranchStep};
use coretrace_isa::Isa;
use coretrace_sites::{BranchPlace, BranchStep as Said, BranchTable, PlaceStep};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rust_hdl::prelude::*;

const SITES_W: usize = 6;
const FRAMES_W: usize = 2;
type Uut = BranchEvents<SITES_W, FRAMES_W, { FRAMES_W + 41 }>;

fn random_table(random: &mut StdRng) -> BranchTable {
    let word = |random: &mut StdRng| BranchWord {
        offset: random.random_range(-40..40),
        kind: match random.random_range(0..20) {
            0 => FOREIGN,
            1 | 2 => NO_BRANCH,
            _ => BranchKind(random.random_range(0..16)),
        },
        unit: random.random_range(0..1024),
        frame: random.random_range(0..1 << FRAMES_W),
    };
    let words = (0..1 << SITES_W).map(|_| word(random)).collect();
    let pages = (0..1 << FRAMES_W).map(|_| random.random_range(0..1 << 37));
    BranchTable::of_words(Isa::A64, words, pages.collect(), Vec::new())
}

/// Steps as a walk has them: behind an exception comes an address or a loss.
fn random_steps(random: &mut StdRng, table: &BranchTable) -> Vec<PlaceStep> {
    let mut steps = Vec::new();
    let mut waits = true;
    for _ in 0..3000 {
        let site = random.random_range(0..1 << SITES_W);
        // Some addresses are where the program is.
        let near = table
            .address(site)
            .wrapping_add(random.random_range(0..6) * 4);
        let address = if random.random_bool(0.3) {
            table.target(site)
        } else {
            near
        };
        let step = match random.random_range(0..40) {
            0..8 => PlaceStep::Address(address),
            8..12 => PlaceStep::Return(site),
            12 => PlaceStep::Lost,
            13 => PlaceStep::TraceOn,
            _ if waits => continue,
            14 => PlaceStep::Away,
            15..18 => PlaceStep::Exception {
                address,
                is_call: random.random_bool(0.5),
            },
            _ => PlaceStep::Branch {
                site,
                taken: random.random_bool(0.5),
            },
        };
        waits = matches!(step, PlaceStep::Exception { .. });
        steps.push(step);
    }
    steps
}

fn loaded(table: &BranchTable) -> Uut {
    let mut uut = Uut::default();
    uut.connect_all();
    uut.reset.next = true;
    let widths = Widths::new(SITES_W as u32, FRAMES_W as u32).expect("widths");
    for (site, word) in table.words().iter().enumerate() {
        uut.branch_write.next = true;
        uut.write_site.next = (site as u64).into();
        uut.write_branch.next = word.pack().into();
        let frame = site % table.pages().len();
        let page = PageWord {
            frame: frame as u32,
            number: table.pages()[frame],
            isa: 1,
            space: 0,
            any_space: true,
            valid: true,
        };
        uut.page_write.next = 1.into();
        uut.page_word.next = page.pack(widths).into();
        cycle(&mut uut, |uut, clock| uut.clock.next = clock);
    }
    uut.branch_write.next = false;
    uut.page_write.next = 0.into();
    for _ in 0..8 {
        cycle(&mut uut, |uut, clock| uut.clock.next = clock);
    }
    uut.reset.next = false;
    uut
}

/// A cycle with a step or without one; returns the event at the outputs.
fn drive(uut: &mut Uut, step: Option<PlaceStep>) -> Option<Said> {
    let (mut kind, mut of_site, mut of_address) = (BranchStep::Nothing, 0, 0);
    match step {
        Some(PlaceStep::Address(address)) => (kind, of_address) = (BranchStep::Address, address),
        Some(PlaceStep::Return(site)) => (kind, of_site) = (BranchStep::Return, site),
        Some(PlaceStep::Branch { site, taken }) => {
            (kind, of_site) = (BranchStep::Branch, site);
            uut.taken.next = taken;
        }
        Some(PlaceStep::Exception { address, is_call }) => {
            (kind, of_address) = (BranchStep::Exception, address);
            uut.is_call.next = is_call;
        }
        Some(PlaceStep::Away) => kind = BranchStep::Away,
        Some(PlaceStep::TraceOn) => kind = BranchStep::TraceOn,
        Some(PlaceStep::Lost) => kind = BranchStep::Lost,
        None => {}
    }
    uut.site.next = u64::from(of_site).into();
    cycle_with(uut, kind, of_address)
}

/// A cycle with a kind of step and an address.
fn cycle_with(uut: &mut Uut, kind: BranchStep, address: u64) -> Option<Said> {
    uut.step.next = (kind as u64).into();
    let mut wide = Wide::default();
    wide.or_field(0, 62, address >> 2);
    uut.address.next = Bus(wide);
    cycle(uut, |uut, clock| uut.clock.next = clock);
    branch_said!(uut)
}

#[test]
fn random_steps_give_the_events_of_the_model() {
    let mut events = 0;
    for seed in 0..6 {
        let mut random = StdRng::seed_from_u64(seed);
        let table = random_table(&mut random);
        let steps = random_steps(&mut random, &table);
        let (mut want, mut got) = (Vec::new(), Vec::new());
        let mut place = BranchPlace::default();
        let mut uut = loaded(&table);
        for step in steps {
            place.step(step, &table, &mut |said| want.push(said));
            // As the sequencer sends them.
            if let PlaceStep::Exception { address, .. } = step {
                got.extend(cycle_with(&mut uut, BranchStep::Nothing, address));
            }
            got.extend(drive(&mut uut, Some(step)));
            if matches!(step, PlaceStep::Address(_) | PlaceStep::Return(_)) {
                got.extend(drive(&mut uut, None));
            }
            if random.random_bool(0.2) {
                got.extend(drive(&mut uut, None));
            }
        }
        got.extend((0..8).filter_map(|_| drive(&mut uut, None)));
        assert_same(&want, &got, &format!("seed {seed}"));
        events += got.len();
    }
    assert!(events > 3000, "only {events} events");
}
