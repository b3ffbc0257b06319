// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each rule of the call stack and of time, on elements by hand.

use coretrace_calls::{
    At, Axis, CallTree, Callee, Calls, Cut, Event, Names, What, folded, function_sums,
};
use coretrace_etm::Context;
use coretrace_flow::{Element, LastInstruction, Loss, Outcome, Range};
use coretrace_isa::{Class, Isa, Return};
use coretrace_program::LoadedFunction;

/// Functions of 0x100 bytes each, from 0x1000 up to 0x2000.
fn functions(address: u64) -> Option<LoadedFunction> {
    let start = address & !0xFF;
    let part = start..start + 0x100;
    (0x1000..0x2000)
        .contains(&address)
        .then_some(LoadedFunction {
            start,
            process: None,
            part,
        })
}

/// How a range ends.
#[derive(Clone, Copy)]
enum End {
    Nothing,
    Jump,
    IndirectJump,
    Call,
    Return,
    ExceptionReturn,
    NotTaken,
}

fn ran(start: u64, count: u32, end: End) -> Element {
    let (class, is_link, returns) = match end {
        End::Nothing => (Class::Other, false, Return::None),
        End::Jump | End::NotTaken => (Class::Direct, false, Return::None),
        End::IndirectJump => (Class::Indirect, false, Return::None),
        End::Call => (Class::Direct, true, Return::None),
        End::Return => (Class::Indirect, false, Return::Function),
        End::ExceptionReturn => (Class::Indirect, false, Return::Exception),
    };
    Element::Range(Range {
        start,
        end: start + 4 * u64::from(count),
        count,
        isa: Isa::A64,
        outcome: match end {
            End::NotTaken => Outcome::N,
            _ => Outcome::E,
        },
        last: LastInstruction {
            class,
            is_link,
            returns,
            ..LastInstruction::default()
        },
    })
}

const TRACE_ON: Element = Element::TraceOn {
    after_overflow: false,
};

fn exception(number: u16, return_address: u64) -> Element {
    Element::Exception {
        return_address: Some(return_address),
        is_target: false,
        number,
    }
}

fn events(calls: &mut Calls, elements: &[Element]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut sink = |event: &Event| events.push(*event);
    for element in elements {
        calls.element(element, &functions, &mut sink);
    }
    calls.element(&Element::End { loss: None }, &functions, &mut sink);
    events
}

/// What begins and ends, as `>1000` and `<1000`; an exception as `>e5`.
fn frames(elements: &[Element]) -> String {
    let mut calls = Calls::new(0x10, Axis::Instructions, false, false);
    let name = |callee: Callee| match callee {
        Callee::Function(entry) => format!("{:x}", entry.start),
        Callee::Exception(number) => format!("e{number}"),
        Callee::Unknown => "?".to_owned(),
    };
    let words = events(&mut calls, elements).into_iter();
    let words = words.filter_map(|event| match event.what {
        What::Enter(callee, ..) => Some(format!(">{}", name(callee))),
        What::Leave(callee, _) => Some(format!("<{}", name(callee))),
        What::Cut(Cut::Gap) => Some("gap".to_owned()),
        What::Cut(_) => Some("lost".to_owned()),
        _ => None,
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_call_begins_a_frame_and_its_return_address_ends_it() {
    let elements = [
        ran(0x1000, 2, End::Call),
        ran(0x1100, 3, End::Call),
        ran(0x1200, 1, End::Return),
        ran(0x110C, 1, End::Return),
        ran(0x1008, 1, End::Nothing),
    ];
    assert_eq!(frames(&elements), ">1000 >1100 >1200 <1200 <1100 <1000");
}

#[test]
fn a_jump_out_of_several_functions_ends_them_all() {
    let elements = [
        ran(0x1000, 2, End::Call),
        ran(0x1100, 3, End::Call),
        ran(0x1200, 1, End::IndirectJump),
        ran(0x1008, 1, End::Nothing),
    ];
    assert_eq!(frames(&elements), ">1000 >1100 >1200 <1200 <1100 <1000");
}

#[test]
fn a_return_to_an_unknown_address_replaces_the_root() {
    let elements = [
        ran(0x1000, 2, End::Call),
        ran(0x1100, 3, End::Return),
        ran(0x1508, 1, End::Nothing),
    ];
    assert_eq!(frames(&elements), ">1000 >1100 <1100 <1000 >1500 <1500");
}

#[test]
fn a_jump_to_another_function_is_a_tail_call() {
    let elements = [
        ran(0x1000, 2, End::Call),
        ran(0x1100, 3, End::Jump),
        ran(0x1200, 1, End::Return),
        ran(0x1008, 1, End::Nothing),
    ];
    assert_eq!(frames(&elements), ">1000 >1100 <1100 >1200 <1200 <1000");
}

#[test]
fn jumps_inside_a_function_and_branches_not_taken_change_nothing() {
    let elements = [
        ran(0x1000, 2, End::Jump),
        ran(0x1000, 2, End::NotTaken),
        ran(0x1008, 2, End::IndirectJump),
        ran(0x1040, 2, End::Nothing),
    ];
    assert_eq!(frames(&elements), ">1000 <1000");
}

#[test]
fn a_jump_table_does_not_return_from_a_function_that_calls_itself() {
    let elements = [
        ran(0x1000, 2, End::Call),
        ran(0x1000, 4, End::IndirectJump),
        // Behind the call, where the first one goes on too.
        ran(0x1008, 1, End::Nothing),
    ];
    assert_eq!(frames(&elements), ">1000 >1000 <1000 <1000");
}

#[test]
fn an_exception_is_a_frame_up_to_its_return() {
    let elements = [
        ran(0x1000, 2, End::Call),
        ran(0x1100, 1, End::Nothing),
        exception(14, 0x1104),
        ran(0x1500, 2, End::Call),
        ran(0x1600, 2, End::ExceptionReturn),
        Element::ExceptionReturn,
        ran(0x1104, 1, End::Return),
        ran(0x1008, 1, End::Nothing),
    ];
    assert_eq!(
        frames(&elements),
        ">1000 >1100 >e14 >1500 >1600 <1600 <1500 <e14 <1100 <1000"
    );
}

#[test]
fn an_exception_behind_a_call_interrupts_what_was_called() {
    let elements = [
        ran(0x1000, 2, End::Call),
        exception(14, 0x1100),
        ran(0x1500, 2, End::ExceptionReturn),
        Element::ExceptionReturn,
        ran(0x1100, 1, End::Return),
        ran(0x1008, 1, End::Nothing),
    ];
    assert_eq!(
        frames(&elements),
        ">1000 >1100 >e14 >1500 <1500 <e14 <1100 <1000"
    );
}

#[test]
fn gaps_and_losses_end_all_frames_and_are_reported() {
    let elements = [
        TRACE_ON,
        ran(0x1000, 2, End::Call),
        ran(0x1100, 1, End::Nothing),
        TRACE_ON,
        ran(0x1104, 1, End::Nothing),
        Element::NoSync(Loss::Overflow),
        TRACE_ON,
        ran(0x1200, 1, End::Nothing),
    ];
    assert_eq!(
        frames(&elements),
        ">1000 >1100 <1100 <1000 gap >1100 <1100 lost >1200 <1200"
    );
}

#[test]
fn each_context_has_a_stack_of_its_own() {
    let context = |cid| Element::Context {
        isa: Isa::A64,
        context: Context {
            cid,
            ..Context::default()
        },
        has_vmid: false,
        has_cid: true,
    };
    let elements = [
        context(1),
        ran(0x1000, 2, End::Call),
        ran(0x1100, 1, End::Nothing),
        context(2),
        ran(0x1500, 2, End::Call),
        ran(0x1600, 1, End::Nothing),
        context(1),
        ran(0x1104, 1, End::Return),
        ran(0x1008, 1, End::Nothing),
        context(2),
        ran(0x1604, 1, End::Return),
        ran(0x1508, 1, End::Nothing),
    ];
    assert_eq!(
        frames(&elements),
        ">1000 >1100 >1500 >1600 <1100 <1600 <1500 <1000"
    );
}

#[test]
fn code_without_an_image_is_a_frame_and_may_call_back() {
    let elements = [
        ran(0x1000, 2, End::Call),
        Element::NoImage { address: 0x9000 },
        ran(0x1100, 2, End::Return),
        Element::NoImage { address: 0x9010 },
        ran(0x1008, 1, End::Nothing),
    ];
    assert_eq!(frames(&elements), ">1000 >9000 >1100 <1100 <9000 <1000");
}

#[test]
fn what_is_called_too_deeply_counts_for_its_caller() {
    let mut elements = vec![ran(0x1000, 2, End::Call)];
    elements.extend((0..3000).map(|_| ran(0x1100, 3, End::Call)));
    elements.push(ran(0x1100, 1, End::Return));
    elements.extend((0..2999).map(|_| ran(0x110C, 1, End::Return)));
    elements.push(ran(0x110C, 1, End::Return));
    elements.push(ran(0x1008, 5, End::Nothing));
    let mut calls = Calls::new(0x10, Axis::Instructions, false, false);
    let events = events(&mut calls, &elements);
    let deepest = events.iter().map(|event| match event.what {
        What::Enter(_, depth, _) => depth,
        _ => 0,
    });
    assert_eq!(deepest.max(), Some(1023));
    assert_eq!(calls.counts().too_deep, 3001 - 1023);
    // It is back in the root, which nothing replaced.
    let roots = events
        .iter()
        .filter(|event| matches!(event.what, What::Enter(_, 0, _)));
    assert_eq!(roots.count(), 1);
    let mut tree = CallTree::default();
    for event in &events {
        tree.take(event);
    }
    assert_eq!(tree.nodes()[1].own.instructions, 7);
}

/// The places at which frames begin and end.
fn places(axis: Axis, counts_cycles: bool, elements: &[Element]) -> Vec<At> {
    let mut calls = Calls::new(0x10, axis, counts_cycles, false);
    let events = events(&mut calls, elements).into_iter();
    let frames = events.filter(|event| matches!(event.what, What::Enter(..) | What::Leave(..)));
    frames.map(|event| event.at).collect()
}

fn stamp(timestamp: u64) -> Element {
    Element::Timestamp {
        timestamp,
        cycles: None,
    }
}

#[test]
fn time_between_two_timestamps_passes_with_the_instructions() {
    let elements = [
        stamp(1000),
        ran(0x1000, 10, End::Call),
        ran(0x1100, 30, End::Return),
        ran(0x1028, 60, End::Nothing),
        stamp(1200),
        ran(0x1118, 10, End::Nothing),
    ];
    let places = places(Axis::Ticks, false, &elements);
    let times: Vec<u64> = places.iter().map(|at| at.time).collect();
    // The last one is behind all timestamps.
    assert_eq!(times, [1000, 1020, 1080, 1200, 1200, 1220]);
    assert!(!places[2].is_estimated && places[5].is_estimated);
}

#[test]
fn time_between_two_timestamps_passes_with_the_cycles_if_counted() {
    let elements = [
        stamp(1000),
        ran(0x1000, 10, End::Call),
        Element::CycleCount(300),
        ran(0x1100, 10, End::Return),
        Element::CycleCount(100),
        ran(0x1028, 10, End::Nothing),
        stamp(1200),
    ];
    let places = places(Axis::Ticks, true, &elements);
    let of = |index: usize| (places[index].cycles, places[index].time);
    assert_eq!([of(0), of(1), of(2)], [(0, 1000), (300, 1150), (400, 1200)]);
}

#[test]
fn without_timestamps_cycles_are_the_time_and_without_both_instructions() {
    let elements = [
        ran(0x1000, 10, End::Call),
        Element::CycleCount(300),
        ran(0x1100, 10, End::Return),
        Element::CycleCount(100),
        ran(0x1028, 10, End::Nothing),
    ];
    let times = |axis| -> Vec<u64> {
        let places = places(axis, axis == Axis::Cycles, &elements);
        places.iter().map(|at| at.time).collect()
    };
    assert_eq!(times(Axis::Cycles), [0, 300, 400, 400]);
    assert_eq!(times(Axis::Instructions), [0, 10, 20, 30]);
}

#[test]
fn the_time_of_a_gap_is_not_that_of_the_code_around_it() {
    let elements = [
        stamp(1000),
        ran(0x1000, 100, End::Nothing),
        stamp(1100),
        ran(0x1190, 10, End::Nothing),
        TRACE_ON,
        ran(0x1200, 10, End::Nothing),
        stamp(9000),
    ];
    let places = places(Axis::Ticks, false, &elements);
    let times: Vec<u64> = places.iter().map(|at| at.time).collect();
    // The root, its tail call, the end before the gap, the beginning behind it, the end.
    assert_eq!(times, [1000, 1100, 1100, 1110, 8990, 9000]);
}

#[test]
fn events_do_not_wait_for_a_timestamp_forever() {
    let mut elements = vec![stamp(1000)];
    for _ in 0..100_000 {
        elements.push(ran(0x1000, 1, End::Call));
        elements.push(ran(0x1100, 1, End::Return));
    }
    let mut calls = Calls::new(0x10, Axis::Ticks, false, false);
    let events = events(&mut calls, &elements);
    assert!(calls.counts().estimated > 65_000);
    assert!(events.iter().all(|event| event.at.time >= 1000));
}

/// Names for [`folded`].
struct Plain;

impl Names for Plain {
    fn name(&self, callee: Callee) -> String {
        match callee {
            Callee::Function(entry) if entry.start == 0x1000 => "a;b\nc".to_owned(),
            Callee::Function(entry) => format!("Function({})", entry.start),
            callee => format!("{callee:?}"),
        }
    }
}

#[test]
fn folded_stacks_add_up_and_have_a_line_each() {
    let elements = [
        ran(0x1000, 2, End::Call),
        ran(0x1100, 30, End::Return),
        ran(0x1008, 1, End::Call),
        ran(0x1100, 30, End::Nothing),
    ];
    let mut calls = Calls::new(0x10, Axis::Instructions, false, false);
    let mut tree = CallTree::default();
    for event in events(&mut calls, &elements) {
        tree.take(&event);
    }
    let mut text = String::new();
    folded(&mut text, &tree, &Plain, |costs| costs.instructions);
    assert_eq!(text, "a:b c 3\na:b c;Function(4352) 60\n");
    let sums = function_sums(&tree);
    assert_eq!((sums[0].calls, sums[0].own.instructions), (2, 60));
    // The first code of a trace was not called.
    assert_eq!((sums[1].calls, sums[1].total.instructions), (0, 63));
}

#[test]
fn a_function_that_calls_itself_counts_once() {
    let elements = [
        ran(0x1000, 2, End::Call),
        ran(0x1000, 2, End::Call),
        ran(0x1000, 2, End::Nothing),
    ];
    let mut calls = Calls::new(0x10, Axis::Instructions, false, false);
    let mut tree = CallTree::default();
    for event in events(&mut calls, &elements) {
        tree.take(&event);
    }
    let [sum] = function_sums(&tree)[..] else {
        panic!("one function");
    };
    assert_eq!(
        (sum.calls, sum.own.instructions, sum.total.instructions),
        (2, 6, 6)
    );
}
