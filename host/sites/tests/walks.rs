// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walk token by token, and on tables and items that make no sense.

use coretrace_abi::flow_table::{LostReason, NO_SPACE, NOWHERE, Widths, bucket};
use coretrace_etm::SourceConfig;
use coretrace_flow::Reported;
use coretrace_isa::Isa;
use coretrace_sites::compile::Compiler;
use coretrace_sites::module::{Module, SpaceMask};
use coretrace_sites::section::Section;
use coretrace_sites::{Balance, Event, FlowItem, FlowTable, FlowUnit, SiteCounts};
use coretrace_test_gen::{Rng, rng};
use rand::RngExt;

const NOP: u32 = 0xD503_201F;
const RET: u32 = 0xD65F_03C0;
/// b.ne to the instruction behind the next one.
const BRANCH: u32 = 0x5400_0041;
/// bl to the fourth instruction from here.
const CALL: u32 = 0x9400_0004;

/// From address 0x1000 on, with its sites from 1 on: two conditional branches, a call, a branch to the
/// return, and what is called.
const CODE: [u32; 8] = [BRANCH, BRANCH, CALL, NOP, BRANCH, RET, BRANCH, RET];

fn table() -> FlowTable {
    let widths = Widths::new(8, 3).expect("widths");
    let mut compiler = Compiler::new(widths, Reported::default());
    let section = Section {
        address: 0x1000,
        bytes: CODE.iter().flat_map(|word| word.to_le_bytes()).collect(),
    };
    let module = Module {
        isa: Isa::A64,
        spaces: SpaceMask::ANY,
        sections: vec![section],
    };
    compiler.add(&module).expect("room");
    compiler.table().clone()
}

/// Atoms as text, the oldest first.
fn atoms(text: &str) -> FlowItem {
    let bits = text.bytes().rev();
    FlowItem::Atoms {
        bits: bits.fold(0, |bits, atom| bits << 1 | u32::from(atom == b'E')),
        count: text.len() as u8,
    }
}

fn address(address: u64) -> FlowItem {
    FlowItem::Address {
        address,
        is1: false,
    }
}

/// A source with or without a return stack.
fn source(return_stack: bool) -> SourceConfig {
    let mut source = SourceConfig::default();
    source.registers.trcconfigr = 1 | u32::from(return_stack) << 12;
    source
}

/// What the walk says of items behind the first address.
fn walk(return_stack: bool, items: &[FlowItem]) -> Vec<Event> {
    walk_through(&table(), return_stack, items)
}

/// What it says with this table.
fn walk_through(table: &FlowTable, return_stack: bool, items: &[FlowItem]) -> Vec<Event> {
    walk_by(FlowUnit::new(&source(return_stack)), table, items)
}

/// What this unit says with this table, but for where something led to a site, and what was passed.
fn walk_by(unit: FlowUnit, table: &FlowTable, items: &[FlowItem]) -> Vec<Event> {
    let mut events = all_by(unit, table, items);
    events.retain(|event| !matches!(event, Event::Arrive { .. } | Event::Passed { .. }));
    events
}

/// All that it says.
fn all_by(mut unit: FlowUnit, table: &FlowTable, items: &[FlowItem]) -> Vec<Event> {
    let begin = [
        FlowItem::TraceInfo { speculative: 0 },
        FlowItem::Context {
            space: NO_SPACE,
            a64: true,
        },
        address(0x1000),
    ];
    let mut events = Vec::new();
    for item in begin.iter().chain(items).chain(&[FlowItem::ReadOut]) {
        unit.item(*item, table, &mut |event| events.push(event));
    }
    assert_eq!(events.pop(), Some(Event::ReadOut));
    let found = Event::Found {
        address: 0x1000,
        site: 1,
        skipped: 0,
    };
    assert_eq!(events.remove(0), found);
    events
}

fn lost(reason: LostReason, site: u32, atoms: u64) -> Event {
    Event::Lost {
        reason,
        site,
        atoms,
    }
}

#[test]
fn a_return_without_an_address_goes_to_its_call() {
    let events = walk(true, &[atoms("NNE"), atoms("NE"), atoms("N")]);
    let want = [
        Event::Enter { site: 1 },
        Event::Taken { site: 3 },
        Event::Taken { site: 7 },
        Event::Indirect { site: 7, target: 4 },
        Event::Enter { site: 4 },
        Event::Leave { site: 5 },
    ];
    assert_eq!(events, want);
    let events = walk(
        false,
        &[atoms("NNE"), atoms("NE"), atoms("N"), address(0x1010)],
    );
    assert_eq!(
        events[2..],
        [
            Event::Taken { site: 7 },
            lost(LostReason::NoTarget, 7, 5),
            Event::Found {
                address: 0x1010,
                site: 4,
                skipped: 1,
            }
        ]
    );
}

#[test]
fn in_segments_an_address_begins_a_flow_where_the_program_is() {
    let there = address(0x1004);
    let info = FlowItem::TraceInfo { speculative: 0 };
    let of = |return_stack, items: &[FlowItem]| {
        let unit = FlowUnit::of_segments(&source(return_stack));
        walk_by(unit, &table(), items)
    };
    let whole = [Event::Enter { site: 1 }, Event::Leave { site: 3 }];
    let items = [atoms("N"), there, atoms("N")];
    assert_eq!(walk(false, &items), whole);
    let parts = [
        Event::Enter { site: 1 },
        Event::Leave { site: 2 },
        Event::Enter { site: 2 },
        Event::Leave { site: 3 },
    ];
    assert_eq!(of(false, &items), parts);
    // Calls are of earlier segments, and a trace unit sends where it is behind a Trace Info.
    assert_eq!(of(true, &items), whole);
    let items = [atoms("N"), info, there, atoms("N")];
    assert_eq!(of(false, &items), whole);
    let items = [atoms("N"), info, there, there, atoms("N")];
    assert_eq!(of(false, &items), parts);
    // A flow without an atom is none.
    let items = [atoms("N"), there, there];
    assert_eq!(of(false, &items), parts[..2]);
}

#[test]
fn a_trace_info_forgets_calls_up_to_the_next_address() {
    let info = FlowItem::TraceInfo { speculative: 0 };
    let events = walk(true, &[atoms("NNE"), info, atoms("NE"), atoms("N")]);
    assert_eq!(events[3..], [lost(LostReason::NoTarget, 7, 5)]);
    let events = walk(true, &[info, atoms("NNE"), atoms("NE"), atoms("N")]);
    assert_eq!(events[3..], [lost(LostReason::NoTarget, 7, 5)]);
    let events = walk(
        true,
        &[info, address(0x1000), atoms("NNE"), atoms("NE"), atoms("N")],
    );
    assert_eq!(events[3], Event::Indirect { site: 7, target: 4 });
}

#[test]
fn an_exception_ends_a_flow_behind_its_n_atoms() {
    let exception = |is_target| FlowItem::Exception {
        is_target,
        number: 14,
    };
    let events = walk(
        false,
        &[
            atoms("N"),
            exception(false),
            address(0x1004),
            address(0x1008),
            atoms("E"),
        ],
    );
    let exception_at = |site, address| Event::Exception {
        site: Some(site),
        number: 14,
        address: Some(address),
    };
    let want = [
        Event::Enter { site: 1 },
        Event::Leave { site: 2 },
        exception_at(2, 0x1004),
        Event::Enter { site: 3 },
        Event::Taken { site: 3 },
        Event::Leave { site: 6 },
    ];
    assert_eq!(events, want);
    // The return address is the target of the branch, and nothing of it was executed.
    let items = [
        atoms("NNENE"),
        exception(true),
        address(0x100C),
        address(0x1008),
    ];
    let want = [
        Event::Taken { site: 7 },
        Event::Indirect { site: 7, target: 4 },
        exception_at(4, 0x100C),
    ];
    assert_eq!(walk(false, &items)[2..], want);
    // It is one where the program was not.
    let items = [atoms("N"), exception(false), address(0x1010)];
    assert_eq!(walk(false, &items)[2], lost(LostReason::OtherAddress, 2, 1));
}

#[test]
fn atoms_that_cannot_be_end_a_flow_where_they_are() {
    // The call has no condition.
    let items = [atoms("NNNNE"), address(0x1010), atoms("E")];
    let want = [
        Event::Enter { site: 1 },
        Event::Leave { site: 3 },
        lost(LostReason::NotConditional, 3, 2),
        Event::Found {
            address: 0x1010,
            site: 4,
            skipped: 3,
        },
        Event::Enter { site: 4 },
        Event::Taken { site: 4 },
        Event::Leave { site: 6 },
    ];
    assert_eq!(walk(false, &items), want);
    // Behind the code there is none.
    let items = [address(0x1020), atoms("E")];
    assert_eq!(
        walk(false, &items)[2..],
        [lost(LostReason::NotLoaded, NOWHERE, 0)]
    );
}

#[test]
fn an_address_where_the_program_is_changes_nothing() {
    let plain = walk(true, &[atoms("NN"), atoms("E"), atoms("N")]);
    let items = [
        atoms("NN"),
        address(0x1008),
        atoms("E"),
        address(0x1018),
        atoms("N"),
    ];
    assert_eq!(walk(true, &items), plain);
    let items = [atoms("NN"), address(0x1010), atoms("E")];
    let want = [
        Event::Leave { site: 3 },
        lost(LostReason::OtherAddress, 3, 2),
        Event::Found {
            address: 0x1010,
            site: 4,
            skipped: 0,
        },
    ];
    assert_eq!(walk(true, &items)[1..4], want);
}

#[test]
fn a_damaged_word_ends_a_flow_in_front_of_its_atom() {
    let items = [atoms("NNE"), atoms("NE"), address(0x1010), atoms("E")];
    let found = |skipped| Event::Found {
        address: 0x1010,
        site: 4,
        skipped,
    };
    let parity = LostReason::TableParity;
    let enter = |site| Event::Enter { site };
    let leave = |site| Event::Leave { site };
    let last = [enter(4), Event::Taken { site: 4 }, leave(6)];

    // The call.
    let mut damaged = table();
    damaged.exits_mut()[3] ^= 1 << 4;
    let events = walk_through(&damaged, false, &items);
    let want = [enter(1), leave(3), lost(parity, 3, 2), found(3)];
    assert_eq!((&events[..4], &events[4..]), (&want[..], &last[..]));

    // The run of what is called.
    let mut damaged = table();
    damaged.runs_mut()[6] ^= 1 << 5;
    let events = walk_through(&damaged, false, &items);
    let want = [
        enter(1),
        Event::Taken { site: 3 },
        leave(6),
        lost(parity, 6, 3),
        found(2),
    ];
    assert_eq!((&events[..5], &events[5..]), (&want[..], &last[..]));

    // Rows, pages and buckets: at first nothing is found, and that is said.
    for memory in 0..3 {
        let mut damaged = table();
        let first = |words: &[u64]| words.iter().position(|word| *word != 0).expect("a word");
        match memory {
            0 => {
                let row = first(damaged.rows());
                damaged.rows_mut()[row] ^= 1;
            }
            1 => {
                let page = first(damaged.pages());
                damaged.pages_mut()[page] ^= 1 << 40;
            }
            _ => damaged.buckets_mut()[bucket(1)] ^= 1 << 3,
        }
        let mut unit = FlowUnit::new(&source(false));
        let context = FlowItem::Context {
            space: NO_SPACE,
            a64: true,
        };
        let mut events = Vec::new();
        let info = FlowItem::TraceInfo { speculative: 0 };
        for item in [info, context, address(0x1000), atoms("E")] {
            unit.item(item, &damaged, &mut |event| events.push(event));
        }
        assert_eq!(events, [lost(parity, 0, 0)]);
        assert_eq!(unit.atoms(), (0, 1));
    }
}

#[test]
fn a_gap_is_reported_and_nothing_is_followed_across_it() {
    let gap = FlowItem::Gap(LostReason::TraceOn);
    let events = walk(
        true,
        &[atoms("NNENE"), gap, atoms("N"), address(0x1010), atoms("N")],
    );
    let want = [
        lost(LostReason::TraceOn, 7, 5),
        Event::Found {
            address: 0x1010,
            site: 4,
            skipped: 1,
        },
        Event::Enter { site: 4 },
        Event::Leave { site: 5 },
    ];
    assert_eq!(events[3..], want);
    // Behind a loss everything up to a Trace Info is skipped.
    let loss = FlowItem::Gap(LostReason::Overflow);
    let events = walk(
        true,
        &[atoms("N"), loss, loss, address(0x1010), atoms("EE")],
    );
    assert_eq!(
        events[1..],
        [Event::Leave { site: 2 }, lost(LostReason::Overflow, 2, 1)]
    );
}

fn random_item(rng: &mut Rng) -> FlowItem {
    let place = 0x1000 + 4 * rng.random_range(0..12);
    match rng.random_range(0..80) {
        0 => FlowItem::TraceInfo {
            speculative: rng.random_range(0..4),
        },
        1 => FlowItem::Context {
            space: rng.random_range(0..16),
            a64: rng.random_bool(0.9),
        },
        2 => FlowItem::Exception {
            is_target: rng.random(),
            number: 14,
        },
        3 => FlowItem::Q { count: Some(3) },
        4 => FlowItem::Source {
            address: place,
            is1: false,
        },
        5 => FlowItem::Jump {
            is_p0: rng.random(),
        },
        6 => FlowItem::Gap(LostReason::ALL[rng.random_range(0..LostReason::ALL.len())]),
        7 => FlowItem::Cycles(rng.random()),
        8 => FlowItem::Commit(rng.random_range(1..4)),
        9 => FlowItem::Cancel(rng.random_range(1..4)),
        10 => FlowItem::Mispredict,
        11 => FlowItem::ReadOut,
        // The trace begins again.
        12..20 => FlowItem::TraceInfo { speculative: 0 },
        20..50 => FlowItem::Atoms {
            bits: rng.random(),
            count: rng.random_range(0..25) >> rng.random_range(0..4),
        },
        _ => address(if rng.random_bool(0.9) {
            place
        } else {
            rng.random()
        }),
    }
}

/// Random items under random settings. Returns the counts, and the atoms walked, skipped and sent.
fn follow_random(rng: &mut Rng, table: &FlowTable) -> (SiteCounts, (u64, u64), u64) {
    let mut source = source(rng.random());
    if rng.random() {
        source.registers.trcidr8 = rng.random_range(0..9);
    }
    let is_speculative = source.registers.trcidr8 > 0;
    let mut unit = FlowUnit::new(&source);
    let mut counts = SiteCounts::new(table.widths());
    let mut sent = 0;
    for _ in 0..400 {
        let item = random_item(rng);
        sent += match item {
            FlowItem::Atoms { count, .. } => u64::from(count),
            FlowItem::Source { .. } => 1,
            _ => 0,
        };
        unit.item(item, table, &mut |event| counts.add(&event));
    }
    unit.item(FlowItem::ReadOut, table, &mut |event| counts.add(&event));
    let (walked, skipped) = unit.atoms();
    let sent = if is_speculative {
        walked + skipped
    } else {
        sent
    };
    (counts, (walked, skipped), sent)
}

#[test]
fn random_items_balance_and_every_atom_is_walked_or_skipped() {
    let table = table();
    let mut walked = 0;
    for seed in 0..2000 {
        let (counts, atoms, sent) = follow_random(&mut rng(seed), &table);
        assert_eq!(atoms.0 + atoms.1, sent, "seed {seed}");
        assert_eq!(Balance::new(&table, &counts).imbalances, [], "seed {seed}");
        walked += atoms.0;
    }
    assert!(walked > 20_000, "only {walked} atoms");
}

#[test]
fn no_word_of_a_table_makes_the_walk_panic() {
    for seed in 0..1000 {
        let mut rng = rng(seed);
        let mut table = table();
        for _ in 0..rng.random_range(1..40) {
            // Half of the words keep their parity.
            let flips = rng.random::<u64>() & rng.random::<u64>();
            match rng.random_range(0..5) {
                0 => table.pages_mut()[rng.random_range(0..8)] ^= flips,
                4 => table.buckets_mut()[rng.random_range(0..8)] ^= flips as u16,
                1 => table.rows_mut()[rng.random_range(0..64)] ^= flips,
                2 => table.exits_mut()[rng.random_range(0..16)] ^= flips as u32,
                _ => table.runs_mut()[rng.random_range(0..16)] ^= flips as u8,
            }
        }
        let (counts, ..) = follow_random(&mut rng, &table);
        Balance::new(&table, &counts);
    }
}

#[test]
fn a_wrong_count_shows_up_to_the_next_unconditional_branch() {
    let table = table();
    let mut counts = SiteCounts::new(table.widths());
    counts.entered[1] = 100;
    counts.taken[1] = 30;
    counts.taken[2] = 20;
    counts.taken[3] = 80;
    counts.left[4] = 20;
    // The branch at site 6 leads behind the code.
    counts.taken[6] = 10;
    counts.left[6] = 70;
    let exits = (1..7).map(|site| table.exit(site).exit);
    assert_eq!(exits.collect::<Vec<_>>(), [3, 4, 6, 6, 0, 0]);
    let balance = Balance::new(&table, &counts);
    assert_eq!(balance.imbalances, []);
    assert_eq!(balance.not_taken[..8], [0, 70, 50, 0, 0, 0, 0, 0]);

    counts.taken[2] -= 1;
    let balance = Balance::new(&table, &counts);
    let wrong: Vec<_> = balance
        .imbalances
        .iter()
        .map(|it| (it.site, it.not_taken))
        .collect();
    assert_eq!(wrong, [(3, 1), (4, -1)]);
}

#[test]
fn what_leads_to_a_site_arrives_with_its_first_atom() {
    let read_out = FlowItem::ReadOut;
    let arrivals = |items: &[FlowItem]| -> Vec<(u32, bool)> {
        let all = all_by(FlowUnit::new(&source(false)), &table(), items);
        let arrival = |event: &Event| match *event {
            Event::Arrive { site, begins } => Some((site, begins)),
            _ => None,
        };
        all.iter().filter_map(arrival).collect()
    };
    // The call leads to site 6, and an address behind the return to site 4.
    let items = [
        atoms("NNE"),
        atoms("N"),
        atoms("E"),
        address(0x1010),
        atoms("N"),
    ];
    let want = [(1, true), (6, false), (4, true)];
    assert_eq!(arrivals(&items), want);
    // A read-out leads nowhere: what goes on behind it has not arrived.
    let items = [
        atoms("NNE"),
        atoms("N"),
        read_out,
        atoms("E"),
        address(0x1010),
        atoms("N"),
    ];
    assert_eq!(arrivals(&items), want);
    // Between a branch and the atom of its target it is one flow that ends and one that begins.
    let items = [atoms("NNE"), read_out, atoms("N")];
    assert_eq!(arrivals(&items), [(1, true), (6, true)]);
}
