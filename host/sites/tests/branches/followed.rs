// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stream to branch events, through elements and through tables.

use coretrace_abi::compressed::branch::{BranchKind, Event};
use coretrace_abi::flow_table::{LostReason, Widths};
use coretrace_compress::{Followed, Step};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Context, Record, SourceConfig};
use coretrace_flow::{Element, ElementSink, Flow, Images, Reported};
use coretrace_isa::Isa;
use coretrace_sites::{
    AddressSpaces, BranchStep, BranchTable, BranchUnit, Compiler, FlowItem, Items,
};

/// What the elements give, without notes.
pub struct Want {
    pub steps: Vec<BranchStep>,
    pub contexts: Vec<Context>,
    pub isas: Vec<Isa>,
    /// None of a stream without A64 and A32 code.
    pub isa: Option<Isa>,
}

/// The records of a stream.
fn records(source: &SourceConfig, bytes: &[u8]) -> Vec<Record> {
    let config = Config::new(source.protocol, source.profile, &source.registers);
    let mut records = Vec::new();
    let mut decoder = Decoder::new(config, Policy::Resync);
    decoder.feed(bytes, |record| records.push(*record));
    decoder.finish(|record| records.push(*record));
    records
}

fn of_elements(source: &SourceConfig, images: &Images, records: &[Record]) -> Want {
    let mut followed = Followed::new(images.clone());
    let mut want = Want {
        steps: Vec::new(),
        contexts: Vec::new(),
        isas: Vec::new(),
        isa: None,
    };
    let mut sink = |offset: u64, element: &Element| {
        if let Element::Context { context, .. } = element
            && !want.contexts.contains(context)
        {
            want.contexts.push(*context);
        }
        if let Element::Range(range) = element
            && !want.isas.contains(&range.isa)
        {
            want.isas.push(range.isa);
        }
        followed.element(offset, element);
        want.steps
            .extend(followed.steps().filter_map(|step| match step {
                Step::Start(address) => Some(BranchStep::Start(address)),
                Step::Event(event) => Some(BranchStep::Event(event)),
                Step::Note { .. } => None,
            }));
    };
    let mut flow = Flow::new(source, images.clone(), false);
    for record in records {
        flow.record(record, &mut sink);
    }
    flow.finish(0, &mut sink);
    want.isa = followed.isa();
    want
}

fn of_tables(
    source: &SourceConfig,
    images: &Images,
    records: &[Record],
    want: &Want,
    isa: Isa,
) -> Vec<BranchStep> {
    let mut spaces = AddressSpaces::new(images.clone(), want.contexts.iter().copied());
    let modules = spaces.modules(&want.isas);
    let sizes = [(12, 6), (16, 9), (20, 13)];
    let mut fitting = sizes.into_iter().filter_map(|(site, frame)| {
        let widths = Widths::new(site, frame).expect("widths");
        let mut compiler = Compiler::new(widths, Reported::new(source));
        compiler.add_all(&modules).is_ok().then_some(compiler)
    });
    let compiler = fitting.next().expect("a table");
    let branches = BranchTable::new(&compiler, &modules, isa);
    let items = Items::new(source);
    let mut unit = BranchUnit::new(source);
    let mut steps = Vec::new();
    let mut item = |item| {
        unit.item(item, compiler.table(), &branches, &mut |step| {
            steps.push(step)
        })
    };
    for record in records {
        items.record(record, |context| spaces.of(context), &mut item);
    }
    item(FlowItem::Gap(LostReason::BadPacket));
    steps
}

/// Joins exception calls that lead behind themselves to the event behind them: made-up programs execute such
/// instructions without an exception, and tables do not have them.
fn joined(steps: Vec<BranchStep>) -> Vec<BranchStep> {
    let mut passed = 0;
    let mut all = Vec::new();
    for mut step in steps {
        if let BranchStep::Event(event) = &mut step {
            match event {
                Event::Branch(branch) => {
                    branch.instructions += std::mem::take(&mut passed);
                    let is_call = branch.kind.is(BranchKind::EXCEPTION);
                    if is_call && branch.next == branch.address + 4 {
                        passed = branch.instructions;
                        continue;
                    }
                }
                Event::Discontinuity { instructions, .. } => {
                    *instructions += std::mem::take(&mut passed);
                }
            }
        }
        all.push(step);
    }
    all
}

/// Compares both; returns how many events there are: none of a program in several instruction sets, or in T32.
pub fn check(source: &SourceConfig, images: &Images, bytes: &[u8], name: &str) -> usize {
    compare(source, images, bytes, name, |steps| steps)
}

/// The same, where exception calls may have no exception.
pub fn check_joined(source: &SourceConfig, images: &Images, bytes: &[u8], name: &str) -> usize {
    compare(source, images, bytes, name, joined)
}

fn compare(
    source: &SourceConfig,
    images: &Images,
    bytes: &[u8],
    name: &str,
    of: impl Fn(Vec<BranchStep>) -> Vec<BranchStep>,
) -> usize {
    let records = records(source, bytes);
    let want = of_elements(source, images, &records);
    let (Some(isa), [_]) = (want.isa, &want.isas[..]) else {
        return 0;
    };
    let got = of(of_tables(source, images, &records, &want, isa));
    let want = of(want.steps);
    if let Some(first) = want.iter().zip(&got).position(|(want, got)| want != got) {
        let around = |steps: &[BranchStep]| {
            let steps = steps.iter().skip(first.saturating_sub(3)).take(6);
            steps.map(|step| format!("{step:x?}\n")).collect::<String>()
        };
        panic!(
            "{name}, event {first}:\n{}got\n{}",
            around(&want),
            around(&got)
        );
    }
    assert_eq!(got.len(), want.len(), "{name}");
    got.len()
}
