// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeds of the targets of what `etm4` wrote.

use coretrace_counts::{Counter, SCHEMA, Source};
use coretrace_etm::Registers;
use coretrace_flow::{Element, ElementSink, LastInstruction, Outcome, Range};
use coretrace_isa::{Class, Isa};

use super::super::compiled;
use super::super::seeds::{PROGRAM, Seed};

/// A profile of two functions.
pub fn functions() -> Vec<Seed> {
    let row =
        |kind: &str, rest: &str| format!("{{\"schema\":\"{SCHEMA}\",\"type\":\"{kind}\"{rest}}}\n");
    let text = row("total", ",\"instructions\":7")
        + &row("function", ",\"name\":\"main\",\"instructions\":4")
        + &row("function", ",\"name\":\"main::loop\",\"instructions\":3");
    vec![("two".to_owned(), text.into_bytes())]
}

/// Two parts with a branch, cycles and a timestamp between them.
pub fn counters() -> Vec<Seed> {
    let registers = Registers {
        trcconfigr: 1 << 11 | 1 << 4,
        ..Registers::default()
    };
    let elements = elements();
    let parts = elements.chunks(elements.len() / 2).map(|part| {
        let mut counter = Counter::new(Source::default(), &registers);
        for element in part {
            counter.element(0, element);
        }
        counter
    });
    let parts: Vec<Counter> = parts.collect();
    let text = serde_json::to_vec(&parts).expect("JSON");
    vec![("two".to_owned(), text)]
}

fn elements() -> Vec<Element> {
    let time = |timestamp| Element::Timestamp {
        timestamp,
        cycles: None,
    };
    vec![
        time(100),
        jump(0x1000),
        Element::CycleCount(7),
        jump(0x2000),
        jump(0x3000),
        Element::CycleCount(9),
        time(130),
        jump(0x1000),
    ]
}

/// Two instructions, the last one a branch.
fn jump(start: u64) -> Element {
    Element::Range(Range {
        start,
        end: start + 8,
        count: 2,
        isa: Isa::A64,
        outcome: Outcome::E,
        last: LastInstruction {
            class: Class::Direct,
            ..LastInstruction::default()
        },
    })
}

/// The table of a program of a few branches.
pub fn flow_table() -> Vec<Seed> {
    let (compiler, _) = compiled(&PROGRAM);
    vec![("small".to_owned(), compiler.table().to_bytes())]
}

/// A capture that has ended.
pub fn core_capture() -> Vec<Seed> {
    let text = "name = \"zynqmp\"\nfile = \"records.words\"\nformat = \"records\"\nended = true\n\
        [[source]]\nname = \"etm0\"\nprotocol = \"ETM4\"\ntrace_id = 0x10\n\
        [counters.before]\nFRAMES = 3\n[counters.after]\nFRAMES = 10\n";
    vec![("records".to_owned(), text.into())]
}
