// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stream through elements, and through tables.

use std::collections::BTreeMap;

use coretrace_abi::flow_table::{LostReason, Widths};
use coretrace_etm::{Context, Protocol, Record, SourceConfig};
use coretrace_flow::{Element, Flow, Images, Reported, Rules};
use coretrace_isa::Isa;
use coretrace_sites::{
    AddressSpaces, Balance, Compiler, Event, Executed, FlowItem, FlowUnit, Items, Module,
    SiteCounts,
};

use crate::reference::{Reference, Sums};

/// Gives the records of a stream.
pub type Records<'r> = &'r dyn Fn(&mut dyn FnMut(&Record));

/// What came of a stream.
pub struct Followed {
    pub sums: Sums,
    pub want: Sums,
    /// How often each address was executed: of the sums, and of the elements.
    pub heat: [BTreeMap<u64, u64>; 2],
    /// Flows that ended in a block.
    pub ended: u64,
    /// Sites whose sums contradict each other.
    pub imbalances: usize,
    /// How often the place was lost, but for Trace On.
    pub losses: usize,
    /// Atoms that were walked, and that were skipped.
    pub atoms: (u64, u64),
    /// Atoms that were sent, those that were taken back among them.
    pub sent: u64,
    /// Whether every branch has an atom.
    pub has_all_atoms: bool,
    /// Whether some may be taken back.
    pub is_speculative: bool,
}

/// The contexts of a stream, and the instruction sets of its addresses.
fn seen(source: &SourceConfig, images: &Images, records: Records<'_>) -> (Vec<Context>, Vec<Isa>) {
    let (mut contexts, mut isas) = (Vec::new(), Vec::new());
    let mut flow = Flow::new(source, images.clone(), false);
    let mut see = |_, element: &Element| match element {
        Element::Context { context, isa, .. } => {
            if !contexts.contains(context) {
                contexts.push(*context);
            }
            if !isas.contains(isa) {
                isas.push(*isa);
            }
        }
        Element::Range(range) if !isas.contains(&range.isa) => isas.push(range.isa),
        _ => {}
    };
    records(&mut |record| flow.record(record, &mut see));
    (contexts, isas)
}

fn by_site(sums: &[u64]) -> BTreeMap<u32, u64> {
    let sums = (0..).zip(sums.iter().copied());
    sums.filter(|(_, sum)| *sum > 0).collect()
}

/// How often each halfword was executed.
fn heat(ranges: impl IntoIterator<Item = ((u64, u64), u64)>) -> BTreeMap<u64, u64> {
    let mut heat = BTreeMap::new();
    for ((start, end), count) in ranges {
        for address in (start..end).step_by(2) {
            *heat.entry(address).or_default() += count;
        }
    }
    heat
}

/// In the smallest of some tables that they fit into.
fn compile(source: &SourceConfig, modules: &[Module]) -> Compiler {
    let sizes = [(10, 4), (14, 8), (19, 12)];
    let mut fitting = sizes.into_iter().filter_map(|(site, frame)| {
        let widths = Widths::new(site, frame).expect("widths");
        let mut compiler = Compiler::new(widths, Reported::new(source));
        compiler.add_all(modules).is_ok().then_some(compiler)
    });
    let compiler = fitting.next().expect("a table");
    assert!(compiler.report().left_out.is_empty());
    compiler
}

/// Follows a stream in both ways.
pub fn follow(source: &SourceConfig, images: &Images, records: Records<'_>) -> Followed {
    let (contexts, isas) = seen(source, images, records);
    let mut spaces = AddressSpaces::new(images.clone(), contexts);
    let modules = spaces.modules(&isas);
    let compiler = compile(source, &modules);

    let is_ete = source.protocol == Protocol::Ete;
    let mut reference = Reference::new(&compiler, spaces.clone(), is_ete);
    let mut flow = Flow::new(source, images.clone(), false);
    records(&mut |record| flow.record(record, &mut reference));
    flow.finish(0, &mut reference);

    let table = compiler.table();
    let mut counts = SiteCounts::new(table.widths());
    let (mut losses, mut loss) = (0, None);
    let mut sent = 0;
    let mut unit = FlowUnit::new(source);
    let items = Items::new(source);
    // Elements have the target of an indirect branch where an atom follows.
    let mut pair = None;
    let mut count = |event: Event| {
        match event {
            Event::Indirect { .. } => pair = Some(event),
            Event::Enter { .. } => pair.take().iter().for_each(|pair| counts.add(pair)),
            Event::Exception { .. } | Event::Lost { .. } => pair = None,
            _ => {}
        }
        if !matches!(event, Event::Indirect { .. }) {
            counts.add(&event);
        }
        match event {
            Event::Lost { reason, .. } => loss = Some(reason),
            Event::Found { .. } => {
                losses += usize::from(loss.is_some_and(|loss| loss != LostReason::TraceOn));
            }
            _ => {}
        }
    };
    records(&mut |record| {
        let space = |context: &Context| spaces.of(context);
        items.record(record, space, |item| {
            sent += match item {
                FlowItem::Atoms { count, .. } => count.into(),
                FlowItem::Source { .. } => 1,
                _ => 0,
            };
            unit.item(item, table, &mut count);
        });
    });
    unit.item(FlowItem::ReadOut, table, &mut count);

    let balance = Balance::new(table, &counts);
    let executed = Executed::new(
        &compiler,
        &modules,
        &counts,
        &balance,
        &BTreeMap::new(),
        false,
        |_, _| None,
    );
    let ranges = executed.ranges.iter();
    let ranges = ranges.map(|(range, count)| ((range.start, range.end), *count));
    let want = reference.sums;
    Followed {
        heat: [heat(ranges), heat(reference.ranges)],
        ended: executed.ended,
        sums: Sums {
            taken: by_site(&counts.taken),
            not_taken: by_site(&balance.not_taken),
            entered: by_site(&counts.entered),
            indirect: counts.indirect,
            cycles: counts.cycles,
        },
        want,
        imbalances: balance.imbalances.len(),
        losses,
        atoms: unit.atoms(),
        sent,
        has_all_atoms: !is_ete,
        is_speculative: Rules::new(source).config.max_spec > 0,
    }
}

impl Followed {
    /// Every atom was walked or skipped.
    pub fn check_atoms(&self, name: &str) {
        let (walked, skipped) = self.atoms;
        let is_all = walked + skipped == self.sent;
        assert!(
            is_all || self.is_speculative,
            "{name}: {walked} {skipped} {}",
            self.sent
        );
    }

    /// Both ways gave the same sums.
    pub fn check(&self, name: &str) {
        self.check_atoms(name);
        let (sums, want) = (&self.sums, &self.want);
        assert_maps(&sums.taken, &want.taken, &format!("{name}, taken"));
        assert_maps(&sums.entered, &want.entered, &format!("{name}, entered"));
        assert_maps(&sums.indirect, &want.indirect, &format!("{name}, indirect"));
        // With speculation they are not counted.
        if !self.is_speculative {
            assert_maps(&sums.cycles, &want.cycles, &format!("{name}, cycles"));
        }
        assert_maps(
            &sums.not_taken,
            &want.not_taken,
            &format!("{name}, not taken"),
        );
        assert_eq!(self.imbalances, 0, "{name}");
        let branches = sums.taken.values().chain(sums.not_taken.values());
        if self.has_all_atoms {
            assert_eq!(branches.sum::<u64>(), self.atoms.0, "{name}");
        }
    }

    /// Every address was executed as often as the elements say, but for the last instructions of flows
    /// that ended in a block, and of the flow at the end, which may have no atom.
    pub fn check_heat(&self, name: &str) {
        let [got, want] = &self.heat;
        let at = |heat: &BTreeMap<u64, u64>, address| heat.get(address).copied().unwrap_or(0);
        for address in got.keys().chain(want.keys()) {
            let (got, want) = (at(got, address), at(want, address));
            let least = want.saturating_sub(self.ended + 1);
            assert!(
                (least..=want).contains(&got),
                "{name}: {address:#x} {got} {want}"
            );
        }
    }
}

fn assert_maps<K: Copy + Ord + std::fmt::Debug>(
    got: &BTreeMap<K, u64>,
    want: &BTreeMap<K, u64>,
    name: &str,
) {
    let keys = got.keys().chain(want.keys());
    let differ = keys.copied().filter(|key| got.get(key) != want.get(key));
    let differ: Vec<_> = differ
        .map(|key| (key, got.get(&key), want.get(&key)))
        .collect();
    assert!(
        differ.is_empty(),
        "{name}: {} of {} differ: {:?}",
        differ.len(),
        want.len(),
        &differ[..differ.len().min(8)]
    );
}
