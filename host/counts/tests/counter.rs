// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts of hand-made and random elements.

use coretrace_counts::{Context, Counter, Counts, Edge, Exit, Source};
use coretrace_etm::{Context as Named, Registers};
use coretrace_flow::{Element, ElementSink, LastInstruction, Loss, Outcome, Range};
use coretrace_isa::{Class, Isa, Return};
use proptest::prelude::*;

/// Registers of a trace unit that counts cycles and sends timestamps.
fn registers() -> Registers {
    Registers {
        trcconfigr: 1 << 4 | 1 << 11,
        ..Registers::default()
    }
}

const SOURCE: Source = Source {
    id: 0x10,
    cpu: Some(2),
};

/// A range of `count` A64 instructions that ends with a branch.
fn range(start: u64, count: u32, class: Class, outcome: Outcome) -> Element {
    Element::Range(Range {
        start,
        end: start + 4 * u64::from(count),
        count,
        isa: Isa::A64,
        outcome,
        last: LastInstruction {
            class,
            ..LastInstruction::default()
        },
    })
}

fn jump(start: u64, count: u32) -> Element {
    range(start, count, Class::Direct, Outcome::E)
}

fn context(el: u8, cid: u32) -> Element {
    let info = el | 0x30;
    Element::Context {
        isa: Isa::A64,
        context: Named { info, vmid: 0, cid },
        has_vmid: false,
        has_cid: true,
    }
}

fn exception(return_address: u64) -> Element {
    Element::Exception {
        return_address: Some(return_address),
        is_target: false,
        number: 14,
    }
}

fn counter(elements: &[Element]) -> Counter {
    let mut counter = Counter::new(SOURCE, &registers());
    for element in elements {
        counter.element(0, element);
    }
    counter
}

fn counts(elements: &[Element]) -> Counts {
    counter(elements).finish()
}

/// From and to of each branch, and how often it was taken.
fn edges(counts: &Counts) -> Vec<(u64, u64, u64)> {
    let edges = counts.edges();
    edges
        .map(|(_, edge, count)| (edge.from, edge.to, count))
        .collect()
}

#[test]
fn a_taken_branch_goes_to_the_next_range_in_any_context() {
    let found = counts(&[
        context(0, 7),
        jump(0x1000, 3),
        jump(0x2000, 1),
        context(1, 7),
        range(0x1000, 3, Class::Direct, Outcome::N),
        jump(0x100C, 1),
    ]);
    assert_eq!(edges(&found), [(0x1008, 0x2000, 1), (0x2000, 0x1000, 1)]);
    let visits: Vec<(Option<u8>, u64, Exit)> = found
        .ranges()
        .map(|(who, range, sums)| {
            assert_eq!((who.source, sums.visits), (SOURCE, 1));
            (who.context.el, range.start, range.exit)
        })
        .collect();
    let el1 = [
        (Some(1), 0x1000, Exit::NotTaken),
        (Some(1), 0x100C, Exit::Jump),
    ];
    let el0 = [(Some(0), 0x1000, Exit::Jump), (Some(0), 0x2000, Exit::Jump)];
    assert_eq!(visits, [el0, el1].concat());
    assert_eq!(found.total().instructions, 8);
}

#[test]
fn nothing_is_known_of_a_branch_in_front_of_a_gap_or_loss() {
    for gap in [
        Element::TraceOn {
            after_overflow: false,
        },
        Element::NoSync(Loss::Overflow),
        Element::NoSync(Loss::BadPacket),
    ] {
        assert_eq!(edges(&counts(&[jump(0x1000, 1), gap, jump(0x2000, 1)])), []);
    }
}

#[test]
fn a_branch_goes_to_where_an_exception_came_or_no_image_is() {
    let found = counts(&[jump(0x1000, 1), exception(0x3000), jump(0x8000, 1)]);
    assert_eq!(edges(&found), [(0x1000, 0x3000, 1)]);
    let missing = Element::NoImage { address: 0x9000 };
    let found = counts(&[jump(0x1000, 1), missing, missing, jump(0x2000, 1)]);
    assert_eq!(edges(&found), [(0x1000, 0x9000, 1)]);
    assert_eq!(found.total().without_image, 2);
}

#[test]
fn a_branch_has_the_kind_of_its_instruction() {
    let of = |class, is_link, returns| LastInstruction {
        class,
        is_link,
        returns,
        ..LastInstruction::default()
    };
    for (last, exit) in [
        (of(Class::Direct, true, Return::None), Exit::Call),
        (of(Class::Indirect, true, Return::None), Exit::IndirectCall),
        (of(Class::Indirect, false, Return::None), Exit::IndirectJump),
        (of(Class::Indirect, false, Return::Function), Exit::Return),
        (of(Class::Indirect, false, Return::Implied), Exit::Return),
        (
            of(Class::Indirect, false, Return::Exception),
            Exit::ExceptionReturn,
        ),
    ] {
        let Element::Range(range) = jump(0x1000, 2) else {
            panic!("a range")
        };
        let found = counts(&[Element::Range(Range { last, ..range }), jump(0x2000, 1)]);
        let edge = Edge {
            from: 0x1004,
            to: 0x2000,
            exit,
        };
        assert_eq!(found.edges().next().map(|(_, edge, _)| *edge), Some(edge));
    }
}

#[test]
fn cycles_and_ticks_belong_to_the_instructions_in_between() {
    let time = |timestamp| Element::Timestamp {
        timestamp,
        cycles: None,
    };
    let found = counts(&[
        jump(0x1000, 1),
        time(100),
        jump(0x2000, 3),
        Element::CycleCount(8),
        jump(0x1000, 1),
        time(140),
        Element::CycleCount(5),
        // Nothing was executed since.
        Element::CycleCount(2),
    ]);
    let sums: Vec<(u64, u64, u64)> = found
        .ranges()
        .map(|(_, range, sums)| (range.start, sums.cycles, sums.ticks))
        .collect();
    assert_eq!(sums, [(0x1000, 2 + 5, 10), (0x2000, 6, 30)]);
    let total = found.total();
    assert_eq!((total.cycles, total.ticks), (15, 40));
    assert_eq!(total.cycles_without_instruction, 2);
}

#[test]
fn ticks_over_a_gap_belong_to_nobody() {
    let time = |timestamp| Element::Timestamp {
        timestamp,
        cycles: None,
    };
    let on = Element::TraceOn {
        after_overflow: false,
    };
    let found = counts(&[
        time(100),
        jump(0x1000, 1),
        on,
        time(900),
        jump(0x2000, 1),
        time(910),
    ]);
    assert_eq!(found.total().ticks, 10);
}

#[test]
fn a_gap_is_where_tracing_begins_again_behind_instructions() {
    let on = Element::TraceOn {
        after_overflow: false,
    };
    let (run, lost) = (jump(0x1000, 1), Element::NoSync(Loss::Overflow));
    for (elements, gaps) in [
        (&[on, run][..], 0),
        (&[run, on, run], 1),
        (&[on, run, on, on, run, on], 2),
        (&[on, run, lost, on, run], 0),
        (&[lost, on, run, on, run], 1),
    ] {
        assert_eq!(counts(elements).total().gaps, gaps, "{elements:?}");
    }
}

#[test]
fn contexts_are_named_as_far_as_the_trace_names_them() {
    let found = counts(&[jump(0x1000, 1), context(2, 9), jump(0x1000, 1)]);
    let contexts: Vec<Context> = found.groups.keys().map(|who| who.context).collect();
    let named = Context {
        el: Some(2),
        is_secure: Some(false),
        vmid: None,
        cid: Some(9),
    };
    assert_eq!(contexts, [Context::default(), named]);
}

/// Elements of a program of a few blocks, with everything that may come between them.
fn element() -> impl Strategy<Value = Element> {
    let block = (0_u64..6, 1_u32..9, 0_u8..4).prop_map(|(block, count, kind)| {
        let (class, outcome) = match kind {
            0 => (Class::Direct, Outcome::N),
            1 => (Class::Other, Outcome::E),
            2 => (Class::Indirect, Outcome::E),
            _ => (Class::Direct, Outcome::E),
        };
        range(0x1000 * block, count, class, outcome)
    });
    prop_oneof![
        12 => block,
        2 => (0_u32..5000).prop_map(Element::CycleCount),
        2 => (1_u64..5000).prop_map(|timestamp| Element::Timestamp { timestamp, cycles: None }),
        1 => (0_u8..4, 0_u32..3).prop_map(|(el, cid)| context(el, cid)),
        1 => (0_u64..6).prop_map(|block| exception(0x1000 * block)),
        1 => Just(Element::ExceptionReturn),
        1 => Just(Element::TraceOn { after_overflow: false }),
        1 => Just(Element::NoSync(Loss::Overflow)),
        1 => Just(Element::NoImage { address: 0x9000 }),
        1 => Just(Element::NoPath { start: 0x1000, end: 0x3000, count: 5 }),
    ]
}

proptest! {
    #[test]
    fn parts_of_a_source_give_the_counts_of_the_whole(
        elements in prop::collection::vec(element(), 0..200),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(elements.len() + 1)).collect();
        cuts.extend([0, elements.len()]);
        cuts.sort_unstable();
        let parts = cuts.windows(2).map(|cut| counter(&elements[cut[0]..cut[1]]));
        let mut parts: Vec<Counter> = parts.collect();
        let whole = counts(&elements);
        // From the left, and from the right.
        let mut left = parts[0].clone();
        for part in &parts[1..] {
            left.append(part.clone());
        }
        prop_assert_eq!(&left.finish(), &whole);
        let mut right = parts.pop().expect("a part");
        while let Some(mut part) = parts.pop() {
            part.append(right);
            right = part;
        }
        prop_assert_eq!(&right.finish(), &whole);
    }

    #[test]
    fn nothing_of_a_trace_is_missing_in_its_counts(
        elements in prop::collection::vec(element(), 0..200),
    ) {
        let found = counts(&elements);
        let ranges = elements.iter().filter_map(|element| match element {
            Element::Range(range) => Some(u64::from(range.count)),
            _ => None,
        });
        let instructions: u64 = found.ranges().map(|(_, _, sums)| sums.instructions).sum();
        prop_assert_eq!(instructions, ranges.clone().sum::<u64>());
        let visits: u64 = found.ranges().map(|(_, _, sums)| sums.visits).sum();
        prop_assert_eq!(visits, ranges.count() as u64);
        let total = found.total();
        let cycles: u64 = found.ranges().map(|(_, _, sums)| sums.cycles).sum();
        let lost = total.cycles_without_instruction;
        prop_assert_eq!(cycles + lost, total.cycles);
        let counted = elements.iter().map(|element| match element {
            Element::CycleCount(count) => u64::from(*count),
            _ => 0,
        });
        prop_assert_eq!(total.cycles, counted.sum::<u64>());
        for (_, edge, count) in found.edges() {
            let from = found.ranges().filter(|(_, range, _)| {
                range.last() == edge.from && range.exit == edge.exit
            });
            prop_assert!(count <= from.map(|(_, _, sums)| sums.visits).sum());
        }
    }

    #[test]
    fn counts_merge_in_any_order(
        sources in prop::collection::vec(prop::collection::vec(element(), 0..50), 3),
    ) {
        let all: Vec<Counts> = sources.iter().map(|elements| counts(elements)).collect();
        let merged = |order: [usize; 3]| {
            let mut sum = Counts::default();
            for index in order {
                sum.merge(&all[index]);
            }
            sum
        };
        let want = merged([0, 1, 2]);
        prop_assert_eq!(&merged([2, 1, 0]), &want);
        let mut last = all[1].clone();
        last.merge(&all[2]);
        let mut nested = all[0].clone();
        nested.merge(&last);
        prop_assert_eq!(&nested, &want);
    }
}
