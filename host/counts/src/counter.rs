// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements in, counts out.

use coretrace_etm::Registers;
use coretrace_flow::{Element, ElementSink, Loss, Range as Executed};
use serde::{Deserialize, Serialize};

use crate::counts::Counts;
use crate::gaps::Gaps;
use crate::spread::{Meter, Unit};
use crate::table::Table;
use crate::totals::Totals;
use crate::who::{Context, Source, Who};

/// TRCCONFIGR.CCI: cycles are counted.
const CYCLES: u32 = 1 << 4;
/// TRCCONFIGR.TS: there are timestamps.
const TIMESTAMPS: u32 = 1 << 11;

/// What came first in a part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum First {
    /// Nothing yet.
    Nothing,
    /// The program went on here: a branch at the end of the part before has this target.
    Address(u64),
    /// A gap, or a loss.
    Break,
}

/// Counts the elements of one source, or of a part of it.
///
/// A range that ends with a taken branch makes a branch to where the next range of the source begins,
/// whatever context it has. An exception, a gap, a loss and a failed transaction end the flow: behind
/// them nothing is known of the branch before. A branch to where an exception came, or to where there
/// is no image, has that target.
///
/// Cycle counts and the ticks between timestamps are shared by the instructions in between: each has
/// the same share, and the shares of a count add up to it. Ticks over a gap belong to nobody.
///
/// A counter of a part can be stored, and appended elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Counter {
    source: Source,
    table: Table,
    totals: Totals,
    context: Context,
    /// Its number in the table.
    #[serde(skip)]
    who: Option<u32>,
    first: First,
    gaps: Gaps,
    /// The slot of the last range, if its branch was taken and its target is not known yet.
    branch: Option<u32>,
    /// None where the trace has no such values, so that nothing waits for them.
    cycles: Option<Meter>,
    ticks: Option<Meter>,
}

impl Counter {
    /// Counts nothing yet. Cycles and ticks are counted if the registers say that the trace has them.
    pub fn new(source: Source, registers: &Registers) -> Counter {
        let has = |bit| registers.trcconfigr & bit != 0;
        Counter::counting(source, has(CYCLES), has(TIMESTAMPS))
    }

    fn counting(source: Source, has_cycles: bool, has_ticks: bool) -> Counter {
        Counter {
            source,
            table: Table::default(),
            totals: Totals::default(),
            context: Context::default(),
            who: None,
            first: First::Nothing,
            gaps: Gaps::NEW,
            branch: None,
            cycles: has_cycles.then(|| Meter::new(Unit::Cycles)),
            ticks: has_ticks.then(|| Meter::new(Unit::Ticks)),
        }
    }

    /// The source.
    pub fn source(&self) -> Source {
        self.source
    }

    /// A counter of the same source that counts the same, and nothing yet.
    pub fn begin_again(&self) -> Counter {
        Counter::counting(self.source, self.cycles.is_some(), self.ticks.is_some())
    }

    /// Appends the part of the source that is behind this one. Parts give the counts of the whole. Up
    /// to its first context, a part has that in front of it.
    pub fn append(&mut self, later: Counter) {
        let slots = self.table.merge(later.table, self.context);
        self.totals.merge(&later.totals);
        add(&mut self.totals.gaps, self.gaps.append(later.gaps).into());
        match later.first {
            First::Nothing => {}
            First::Address(to) => self.arrive(to),
            First::Break => self.end_flow(),
        }
        if later.first != First::Nothing {
            self.branch = later
                .branch
                .and_then(|slot| slots.get(slot as usize).copied());
        }
        if later.context != Context::default() {
            self.context = later.context;
            self.who = None;
        }
        if let (Some(meter), Some(later)) = (&mut self.cycles, later.cycles) {
            let shared = meter.append(later, &slots, &mut self.table);
            add(&mut self.totals.cycles_without_instruction, shared.rest);
        }
        if let (Some(meter), Some(later)) = (&mut self.ticks, later.ticks) {
            let shared = meter.append(later, &slots, &mut self.table);
            add(&mut self.totals.ticks, shared.given);
        }
    }

    /// The counts; no part is before this one.
    pub fn finish(mut self) -> Counts {
        if let Some(meter) = &mut self.cycles {
            let shared = meter.finish(&mut self.table);
            add(&mut self.totals.cycles_without_instruction, shared.rest);
        }
        let mut counts = self.table.counts();
        if self.totals != Totals::default() {
            counts.sources.insert(self.source, self.totals);
        }
        counts
    }

    #[inline]
    fn range(&mut self, range: &Executed) {
        self.arrive(range.start);
        self.gaps.run();
        let who = match self.who {
            Some(who) => who,
            None => self.find_who(),
        };
        let slot = self.table.visit(who, range);
        let instructions = u64::from(range.count);
        add(&mut self.totals.instructions, instructions);
        add(&mut self.totals.ranges, 1);
        self.branch = self.table.is_taken(slot).then_some(slot);
        if let Some(cycles) = &mut self.cycles {
            cycles.add(slot, instructions);
        }
        if let Some(ticks) = &mut self.ticks {
            ticks.add(slot, instructions);
        }
    }

    #[cold]
    fn find_who(&mut self) -> u32 {
        let who = self.table.who(Who {
            source: self.source,
            context: self.context,
        });
        self.who = Some(who);
        who
    }

    /// The program goes on here.
    #[inline]
    fn arrive(&mut self, at: u64) {
        if let Some(slot) = self.branch.take() {
            self.table.branch(slot, at, 1);
        } else if self.first == First::Nothing {
            self.first = First::Address(at);
        }
    }

    /// It is not known where the program goes on.
    fn end_flow(&mut self) {
        self.branch = None;
        if self.first == First::Nothing {
            self.first = First::Break;
        }
    }

    /// Tracing stops: ticks behind it are not those of instructions before.
    fn end_time(&mut self) {
        if let Some(ticks) = &mut self.ticks {
            ticks.lose();
        }
    }

    #[cold]
    fn other(&mut self, element: &Element) {
        match element {
            Element::NoSync(loss) => self.lose(*loss),
            Element::TraceOn { .. } => {
                add(&mut self.totals.trace_ons, 1);
                add(&mut self.totals.gaps, self.gaps.trace_on().into());
                self.end_flow();
                self.end_time();
            }
            Element::Context {
                context,
                has_vmid,
                has_cid,
                ..
            } => {
                self.context = Context {
                    el: Some(context.el()),
                    is_secure: Some(!context.ns()),
                    vmid: has_vmid.then_some(context.vmid),
                    cid: has_cid.then_some(context.cid),
                };
                self.who = None;
            }
            Element::NoPath { start, count, .. } => {
                self.arrive(*start);
                self.end_flow();
                add(&mut self.totals.paths_unknown, 1);
                add(&mut self.totals.without_path, u64::from(*count));
            }
            Element::NoImage { address } => {
                self.arrive(*address);
                self.end_flow();
                add(&mut self.totals.without_image, 1);
            }
            Element::Exception { return_address, .. } => {
                if let Some(address) = return_address {
                    self.arrive(*address);
                }
                self.end_flow();
                add(&mut self.totals.exceptions, 1);
            }
            Element::Transaction(coretrace_flow::TransactionStep::Fail) => self.end_flow(),
            Element::Timestamp { timestamp, .. } if *timestamp != 0 => self.timestamp(*timestamp),
            Element::CycleCount(cycles) => self.cycle_count(u64::from(*cycles)),
            Element::End { .. } => {
                self.end_flow();
                self.end_time();
            }
            // A range comes here never; the others say nothing about the path or the time.
            Element::Range(_)
            | Element::ExceptionReturn
            | Element::Timestamp { .. }
            | Element::Event(_)
            | Element::TimestampMarker
            | Element::Transaction(_)
            | Element::Instrumentation { .. } => {}
        }
    }

    fn lose(&mut self, loss: Loss) {
        match loss {
            // In front of everything: no loss.
            Loss::Begin if self.first == First::Nothing => return,
            Loss::Begin => {}
            Loss::Overflow => add(&mut self.totals.overflows, 1),
            Loss::Discard | Loss::BadPacket | Loss::Discontinuity => {
                add(&mut self.totals.losses, 1)
            }
        }
        self.gaps.lose();
        self.end_flow();
        self.end_time();
        if let Some(cycles) = &mut self.cycles {
            cycles.lose();
        }
    }

    fn cycle_count(&mut self, count: u64) {
        add(&mut self.totals.cycles, count);
        let rest = match &mut self.cycles {
            Some(meter) => meter.value(count, &mut self.table).rest,
            None => count,
        };
        add(&mut self.totals.cycles_without_instruction, rest);
    }

    fn timestamp(&mut self, time: u64) {
        if let Some(meter) = &mut self.ticks {
            let shared = meter.value(time, &mut self.table);
            add(&mut self.totals.ticks, shared.given);
        }
    }
}

impl ElementSink for Counter {
    #[inline]
    fn element(&mut self, _offset: u64, element: &Element) {
        match element {
            Element::Range(range) => self.range(range),
            other => self.other(other),
        }
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}
