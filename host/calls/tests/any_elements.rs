// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any elements through everything that takes calls: nothing panics, frames are in pairs, and sums
//! and sizes hold.

use std::collections::HashMap;
use std::sync::Arc;

use coretrace_calls::report::{BlockCounts, Collected, MAX_BYTES, Marks, Report, ReportSource};
use coretrace_calls::{
    Around, At, Axis, Begin, CallSink, CallTree, Callee, Calls, Edge, Event, FlowList, ListFormat,
    Measure, Perfetto, Samples, Shown, Thread, ThreadSymbols, What, Window, firefox, folded,
    write_tree,
};
use coretrace_etm::Context;
use coretrace_flow::{Element, LastInstruction, Loss, Outcome, Range};
use coretrace_isa::{Class, Isa, Return};
use coretrace_program::{LoadedFunction, Program};
use proptest::prelude::*;

fn functions(address: u64) -> Option<LoadedFunction> {
    let start = address & !0xF;
    let part = start..start.saturating_add(0x10);
    (address & 0x100 == 0).then_some(LoadedFunction {
        start,
        process: None,
        part,
    })
}

fn address() -> impl Strategy<Value = u64> {
    prop_oneof![8 => (0x1000_u64..0x1200).prop_map(|it| it & !3), 1 => any::<u64>()]
}

fn range() -> impl Strategy<Value = Element> {
    let returns = prop_oneof![
        Just(Return::None),
        Just(Return::Function),
        Just(Return::Exception)
    ];
    let class = prop_oneof![
        Just(Class::Direct),
        Just(Class::Indirect),
        Just(Class::Other)
    ];
    let count = prop_oneof![9 => 0_u32..9, 1 => any::<u32>()];
    (
        address(),
        count,
        class,
        any::<bool>(),
        any::<bool>(),
        returns,
    )
        .prop_map(|(start, count, class, is_link, is_taken, returns)| {
            Element::Range(Range {
                start,
                end: start.saturating_add(4 * u64::from(count.min(8))),
                count,
                isa: Isa::A64,
                outcome: if is_taken { Outcome::E } else { Outcome::N },
                last: LastInstruction {
                    class,
                    is_link,
                    returns,
                    ..LastInstruction::default()
                },
            })
        })
}

fn element() -> impl Strategy<Value = Element> {
    let count = || prop_oneof![9 => 0_u32..1000, 1 => any::<u32>()];
    let time = prop_oneof![9 => 0_u64..100_000, 1 => any::<u64>()];
    prop_oneof![
        12 => range(),
        1 => (any::<bool>()).prop_map(|after_overflow| Element::TraceOn { after_overflow }),
        1 => Just(Element::NoSync(Loss::Overflow)),
        1 => address().prop_map(|address| Element::NoImage { address }),
        1 => (address(), address(), count())
            .prop_map(|(start, end, count)| Element::NoPath { start, end, count }),
        2 => (prop::option::of(address()), any::<u16>()).prop_map(|(return_address, number)| {
            Element::Exception { return_address, is_target: false, number }
        }),
        1 => Just(Element::ExceptionReturn),
        2 => (time, prop::option::of(count()))
            .prop_map(|(timestamp, cycles)| Element::Timestamp { timestamp, cycles }),
        2 => count().prop_map(Element::CycleCount),
        1 => (0_u32..3).prop_map(|cid| Element::Context {
            isa: Isa::A64,
            context: Context { cid, ..Context::default() },
            has_vmid: false,
            has_cid: cid > 0,
        }),
        1 => Just(Element::End { loss: None }),
    ]
}

/// Frames that are open, by thread.
#[derive(Default)]
struct Pairs(HashMap<Thread, Vec<Callee>>);

impl CallSink for Pairs {
    fn event(&mut self, event: &Event) {
        let frames = self.0.entry(event.thread).or_default();
        match event.what {
            What::Enter(callee, depth, _) => {
                assert_eq!(frames.len(), depth as usize);
                frames.push(callee);
            }
            What::Leave(callee, _) => assert_eq!(frames.pop(), Some(callee)),
            _ => {}
        }
    }
}

fn check(elements: &[Element], axis: Axis, counts_cycles: bool, edges: [Option<Edge>; 2]) {
    let program = Program::default();
    let symbols = ThreadSymbols::from(program.symbols().expect("no symbols"));
    let mut calls = Calls::new(0x10, axis, counts_cycles, true);
    let mut events = Vec::new();
    let mut sink = |event: &Event| events.push(*event);
    let mut blocks = BlockCounts::default();
    let mut instructions = 0;
    for element in elements.iter().chain([&Element::End { loss: None }]) {
        if let Element::Range(range) = element {
            blocks.add(None, range);
            instructions += u64::from(range.count);
        }
        calls.element(element, &functions, &mut sink);
    }
    let mut pairs = Pairs::default();
    let mut part = Window::new(edges[0], edges[1], Pairs::default());
    let mut around = Around::new(Some(vec![0x1010.into()]), Arc::default(), 3, |_: &Event| {});
    let mut list = FlowList::new(&symbols, ListFormat::Json, true);
    let mut columns = FlowList::new(&symbols, ListFormat::Text, true);
    let mut perfetto = Perfetto::new(Vec::new(), 1.5);
    let mut tree = CallTree::default();
    let mut samples = Samples::new(8);
    let mut collected = Collected::default();
    for event in &events {
        pairs.event(event);
        part.event(event);
        around.event(event);
        list.event(event);
        columns.event(event);
        perfetto.event(event, &symbols).expect("memory");
        if let Some(stretch) = tree.take(event) {
            samples.push(&stretch);
        }
        collected.event(event);
    }
    assert!(pairs.0.values().all(Vec::is_empty));
    assert!(part.sink.0.values().all(Vec::is_empty));
    assert!(samples.samples().len() <= 8);
    let sampled = samples.samples().iter().map(|sample| sample.instructions);
    assert_eq!(sampled.sum::<u64>(), instructions);
    let own = tree.nodes().iter().map(|node| node.own.instructions);
    assert_eq!(own.sum::<u64>(), instructions);
    assert_eq!(calls.counts().instructions, instructions);
    let mut text = String::new();
    folded(&mut text, &tree, &symbols, |costs| costs.instructions);
    write_tree(&mut text, &tree, &symbols, Shown::Percent(0.0));
    firefox(Vec::new(), &tree, &samples, &symbols, 1.5).expect("memory");
    let source = ReportSource {
        id: 0x10,
        axis,
        counts: calls.counts(),
    };
    let mut report = Report {
        name: "any",
        sources: vec![source],
        doubts: 0,
        frequency: None,
        has_source: true,
        collected: &collected,
        marks: Marks::default(),
        blocks,
        symbols: &symbols,
    };
    assert!(report.page().len() <= MAX_BYTES);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_elements_give_frames_in_pairs_that_add_up(
        elements in prop::collection::vec(element(), 0..120),
        axis in prop_oneof![
            Just(Axis::Ticks),
            Just(Axis::Cycles),
            Just(Axis::Instructions),
        ],
        counts_cycles in any::<bool>(),
        from in prop::option::of(0_u64..400),
        to in prop::option::of(0_u64..100_000),
    ) {
        let edge = |measure| move |value| Edge { measure, value };
        let edges = [from.map(edge(Measure::Instructions)), to.map(edge(Measure::Time))];
        check(&elements, axis, counts_cycles, edges);
    }
}

/// A trace with many more paths and calls than a page can show.
fn large() -> Collected {
    let mut collected = Collected::default();
    let mut at = At::default();
    let thread = Thread::default();
    let mut random = 1_u64;
    let mut send = |at: &At, what| {
        let at = *at;
        collected.event(&Event { at, thread, what });
    };
    for _ in 0..60_000 {
        let mut depth = 0;
        while depth < 12 {
            // Numerical Recipes' generator: the same in each run.
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let function = 0x1000 + (random >> 40) % 3000 * 16;
            send(
                &at,
                What::Enter(Callee::Function(function.into()), depth, Begin::Call),
            );
            at.instructions += 1 + (random >> 60);
            at.time += 3;
            depth += 1;
        }
        while depth > 0 {
            depth -= 1;
            send(&at, What::Leave(Callee::Function(0.into()), depth));
            at.instructions += 1;
            at.time += 1;
        }
    }
    send(&at, What::End);
    collected
}

#[test]
fn the_page_of_a_large_trace_is_thinned_and_says_so() {
    let program = Program::default();
    let symbols = ThreadSymbols::from(program.symbols().expect("no symbols"));
    let collected = large();
    let mut report = Report {
        name: "large",
        sources: vec![ReportSource {
            id: 0,
            axis: Axis::Ticks,
            counts: coretrace_calls::CallCounts {
                instructions: 1,
                ..Default::default()
            },
        }],
        doubts: 0,
        frequency: None,
        has_source: true,
        collected: &collected,
        marks: Marks::default(),
        blocks: BlockCounts::default(),
        symbols: &symbols,
    };
    let page = report.page();
    assert!(page.len() < MAX_BYTES, "{} bytes", page.len());
    assert!(page.contains("The flame graph has 15,000 of 262,144 paths"));
    assert!(page.contains("The timeline has "));
    assert!(page.contains("calls have no path of their own"));
}
