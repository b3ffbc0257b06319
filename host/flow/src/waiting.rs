// SPDX-License-Identifier: MIT OR Apache-2.0
//! What packets put into the queue of uncommitted elements.

use coretrace_etm::address::address_form;
use coretrace_etm::packet::exception_info;
use coretrace_etm::{
    Address, AddressForm, ArchProfile, Atoms, Config, Context, Kind, Record, SourceConfig,
};

use crate::element::{Element, TransactionStep};

/// A run of atoms, oldest in bit 0; 1 is E.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomRun {
    /// The atoms.
    pub bits: u32,
    /// How many they are.
    pub count: u32,
}

impl AtomRun {
    fn of(atoms: Atoms) -> AtomRun {
        AtomRun {
            bits: atoms.pattern(),
            count: atoms.count.into(),
        }
    }
}

/// An address packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The address, with its IS bit.
    pub address: Address,
    /// The packet has all 64 bits.
    pub has_64_bits: bool,
}

/// A context, with the IS bit of the newest address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextOf {
    /// The context.
    pub context: Context,
    /// The IS bit.
    pub is1: bool,
}

/// Something that waits. P0 elements are those that a trace unit commits and cancels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// P0: atoms.
    Atoms(AtomRun),
    /// P0: an exception. Its context, if there is one, and its address follow.
    Exception {
        /// The exception number.
        number: u16,
        /// Its preferred return address is also the target of the branch before.
        is_target: bool,
    },
    /// P0: instructions whose branches are not known; context and address follow.
    Q {
        /// How many they are, if that is known.
        count: Option<u32>,
    },
    /// P0: a branch at this address was taken.
    Source(Address),
    /// P0 in some trace units.
    ExceptionReturn {
        /// It is one here.
        is_p0: bool,
    },
    /// P0: a function return of Armv8-M.
    FunctionReturn,
    /// The start is P0 in some trace units.
    Transaction {
        /// What happened to it.
        step: TransactionStep,
        /// It is one here.
        is_p0: bool,
    },
    /// The target of a branch.
    Address(Target),
    /// A context.
    Context(ContextOf),
    /// Tracing began.
    TraceOn {
        /// Behind an overflow.
        after_overflow: bool,
    },
    /// Nothing of the flow: a time, an event.
    Other(Element),
}

impl Waiting {
    /// How many P0 elements it is.
    pub fn p0(&self) -> u32 {
        match self {
            Waiting::Atoms(atoms) => atoms.count,
            Waiting::Exception { .. }
            | Waiting::Q { .. }
            | Waiting::Source(_)
            | Waiting::FunctionReturn => 1,
            Waiting::ExceptionReturn { is_p0 } | Waiting::Transaction { is_p0, .. } => {
                u32::from(*is_p0)
            }
            Waiting::Address(_)
            | Waiting::Context(_)
            | Waiting::TraceOn { .. }
            | Waiting::Other(_) => 0,
        }
    }

    /// Whether its address is in a packet behind it.
    pub fn needs_address(&self) -> bool {
        matches!(self, Waiting::Exception { .. } | Waiting::Q { .. })
    }
}

/// What the registers of a trace unit say about its packets.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What the registers change.
    pub config: Config,
    counts_cycles: bool,
    starts_are_p0: bool,
}

impl Rules {
    /// Of this source.
    pub fn new(source: &SourceConfig) -> Rules {
        let registers = &source.registers;
        let config = Config::new(source.protocol, source.profile, registers);
        Rules {
            config,
            counts_cycles: registers.trcconfigr >> 4 & 1 == 1,
            // TRCIDR0.COMMTRANS
            starts_are_p0: config.is_ete() && registers.trcidr0 >> 26 & 1 == 0,
        }
    }

    /// What a packet puts into the queue, in order. `after_overflow`: one came since the last Trace
    /// On.
    #[inline]
    pub fn waiting(&self, record: &Record, after_overflow: bool, mut sink: impl FnMut(Waiting)) {
        match record.kind {
            Kind::Context => {
                if record.header & 1 == 1 {
                    sink(context(record));
                }
            }
            Kind::AddrCtxt32Is0
            | Kind::AddrCtxt32Is1
            | Kind::AddrCtxt64Is0
            | Kind::AddrCtxt64Is1 => {
                sink(context(record));
                sink(target(record));
            }
            Kind::Q => {
                let count = (record.header != 0xAF).then_some(record.fields[1]);
                sink(Waiting::Q { count });
                if address_form(record.header).is_some() {
                    sink(target(record));
                }
            }
            _ => {
                if let Some(waiting) = self.one(record, after_overflow) {
                    sink(waiting);
                }
            }
        }
    }

    fn one(&self, record: &Record, after_overflow: bool) -> Option<Waiting> {
        let waiting = match record.kind {
            kind if record.atoms.count > 0
                && (kind.is_atoms()
                    || matches!(kind, Kind::Mispredict | Kind::CancelF2 | Kind::CancelF3)) =>
            {
                Waiting::Atoms(AtomRun::of(record.atoms))
            }
            kind if kind.is_address() => target(record),
            kind if kind.is_source_address() => Waiting::Source(record.address),
            Kind::TraceOn => Waiting::TraceOn { after_overflow },
            Kind::Exception => Waiting::Exception {
                number: record.exception,
                is_target: exception_info(&record.lead).interpretation == 2,
            },
            Kind::ExceptionReturn => Waiting::ExceptionReturn {
                is_p0: self.config.profile == ArchProfile::M7,
            },
            Kind::FunctionReturn => Waiting::FunctionReturn,
            Kind::TransactionStart => Waiting::Transaction {
                step: TransactionStep::Start,
                is_p0: self.starts_are_p0,
            },
            Kind::TransactionCommit => Waiting::Transaction {
                step: TransactionStep::Commit,
                is_p0: false,
            },
            Kind::TransactionFail => Waiting::Transaction {
                step: TransactionStep::Fail,
                is_p0: false,
            },
            _ => Waiting::Other(self.other(record)?),
        };
        Some(waiting)
    }

    /// What is no part of the flow: a time, an event.
    #[inline]
    pub fn other(&self, record: &Record) -> Option<Element> {
        let element = match record.kind {
            Kind::Timestamp => Element::Timestamp {
                timestamp: record.timestamp,
                cycles: self.counts_cycles.then_some(record.count),
            },
            Kind::CycleCountF1 | Kind::CycleCountF2 | Kind::CycleCountF3 => {
                Element::CycleCount(record.count)
            }
            Kind::Event => Element::Event(record.header & 0xF),
            Kind::TimestampMarker => Element::TimestampMarker,
            Kind::Instrumentation => {
                let [el, value @ ..] = record.lead;
                Element::Instrumentation {
                    el: el & 3,
                    value: u64::from_le_bytes(value),
                }
            }
            Kind::PeReset => Element::Exception {
                return_address: None,
                is_target: false,
                number: 0,
            },
            _ => return None,
        };
        Some(element)
    }
}

fn context(record: &Record) -> Waiting {
    Waiting::Context(ContextOf {
        context: record.context,
        is1: record.address.is1,
    })
}

fn target(record: &Record) -> Waiting {
    let form = address_form(record.header);
    Waiting::Address(Target {
        address: record.address,
        has_64_bits: form.is_some_and(|(form, _)| form == AddressForm::Long64),
    })
}
