// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a packet decoder hands to the unit that follows the program: records in, items out.
//!
//! The items of a record come in this order: a gap; a Trace Info; what the packet puts into the queue
//! of uncommitted elements; commits; a cancel; a misprediction.

use coretrace_abi::flow_stream::MOST_CYCLES;
use coretrace_abi::flow_table::LostReason;
use coretrace_etm::{Context, Kind, Record, SourceConfig};
use coretrace_flow::{Element, Rules, Waiting};

/// Part of a packet. P0 elements are what a trace unit commits and cancels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowItem {
    /// P0, each of them: atoms, the oldest in bit 0; 1 is E.
    Atoms {
        /// The atoms.
        bits: u32,
        /// How many they are, at most 24.
        count: u8,
    },
    /// The target of a branch, or that of an exception or a Q element in front of it.
    Address {
        /// The address.
        address: u64,
        /// The IS bit: of an AArch32 address, T32.
        is1: bool,
    },
    /// The context of the addresses that follow.
    Context {
        /// The address space.
        space: u8,
        /// The core executes A64.
        a64: bool,
    },
    /// P0: an exception. The next address is its preferred return address.
    Exception {
        /// That address is also the target of the branch before ({E1, E0} is 10).
        is_target: bool,
        /// The exception number.
        number: u16,
    },
    /// P0: instructions whose branches are not known. The next address is where they end.
    Q {
        /// How many there were, if that is known.
        count: Option<u32>,
    },
    /// P0: the branch at this address was taken, and none in front of it.
    Source {
        /// The address.
        address: u64,
        /// The IS bit.
        is1: bool,
    },
    /// The next address may be any: a return from an exception, a transaction.
    Jump {
        /// It is a P0 element.
        is_p0: bool,
    },
    /// A Trace Info: the return stack is forgotten.
    TraceInfo {
        /// P0 elements that were sent before and are not committed.
        speculative: u32,
    },
    /// What follows does not belong to what came before. But for Trace On, everything up to a Trace
    /// Info is lost.
    Gap(LostReason),
    /// Cycles since the last count, at most [`MOST_CYCLES`]; of a source without speculation.
    Cycles(u32),
    /// The oldest P0 elements are final: so many.
    Commit(u32),
    /// The youngest P0 elements were never executed: so many.
    Cancel(u32),
    /// The youngest atom is the other one.
    Mispredict,
    /// The counters are read here.
    ReadOut,
}

/// Makes items of the records of a source.
#[derive(Clone, Debug)]
pub struct Items {
    rules: Rules,
}

impl Items {
    /// Of this source.
    pub fn new(source: &SourceConfig) -> Items {
        Items {
            rules: Rules::new(source),
        }
    }

    /// The items of a record, in order. `space` gives the address space of a context.
    pub fn record(
        &self,
        record: &Record,
        mut space: impl FnMut(&Context) -> u8,
        mut sink: impl FnMut(FlowItem),
    ) {
        match record.kind {
            kind if kind.is_error() || kind == Kind::NotSync || self.is_refused(kind) => {
                sink(FlowItem::Gap(LostReason::BadPacket));
                return;
            }
            Kind::Discard => sink(FlowItem::Gap(LostReason::Discard)),
            Kind::Overflow => sink(FlowItem::Gap(LostReason::Overflow)),
            Kind::TraceInfo => {
                let [_, _, speculative, _] = record.fields;
                sink(FlowItem::TraceInfo { speculative });
            }
            _ => {}
        }
        self.rules.waiting(record, false, |waiting| {
            if let Some(item) = self.item(waiting, &mut space) {
                sink(item);
            }
        });
        match record.elements {
            0 => {}
            count if cancels(record.kind) => sink(FlowItem::Cancel(count)),
            // Without speculation nothing is left to commit.
            count if self.speculates() => sink(FlowItem::Commit(count)),
            _ => {}
        }
        if mispredicts(record.kind) {
            sink(FlowItem::Mispredict);
        }
    }

    /// A source without speculation sends no such packet: nobody knows what its atoms are.
    fn is_refused(&self, kind: Kind) -> bool {
        !self.speculates() && (cancels(kind) || mispredicts(kind))
    }

    fn speculates(&self) -> bool {
        self.rules.config.max_spec > 0
    }

    fn item(&self, waiting: Waiting, space: &mut impl FnMut(&Context) -> u8) -> Option<FlowItem> {
        let item = match waiting {
            Waiting::Atoms(atoms) => FlowItem::Atoms {
                bits: atoms.bits,
                count: atoms.count as u8,
            },
            Waiting::Exception { number, is_target } => FlowItem::Exception { is_target, number },
            Waiting::Q { count } => FlowItem::Q { count },
            Waiting::Source(source) => FlowItem::Source {
                address: source.value,
                is1: source.is1,
            },
            Waiting::FunctionReturn => FlowItem::Jump { is_p0: true },
            Waiting::ExceptionReturn { is_p0 } | Waiting::Transaction { is_p0, .. } => {
                FlowItem::Jump { is_p0 }
            }
            Waiting::Address(target) => FlowItem::Address {
                address: target.address.value,
                is1: target.address.is1,
            },
            Waiting::Context(of) => FlowItem::Context {
                space: space(&of.context),
                a64: of.context.sf(),
            },
            Waiting::TraceOn { .. } => FlowItem::Gap(LostReason::TraceOn),
            // With speculation nobody knows whose they are before they are final.
            Waiting::Other(Element::CycleCount(_)) if self.speculates() => return None,
            Waiting::Other(Element::CycleCount(count)) => FlowItem::Cycles(count.min(MOST_CYCLES)),
            // The core was reset: what comes next is anywhere.
            Waiting::Other(Element::Exception { .. }) => FlowItem::Jump { is_p0: false },
            Waiting::Other(_) => return None,
        };
        Some(item)
    }
}

fn cancels(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::CancelF1 | Kind::CancelF1Mispredict | Kind::CancelF2 | Kind::CancelF3
    )
}

fn mispredicts(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Mispredict | Kind::CancelF1Mispredict | Kind::CancelF2 | Kind::CancelF3
    )
}
