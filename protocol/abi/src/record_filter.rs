// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which records a core omits from its record stream. `docs/records.md` describes the filter; the
//! hardware and its tests share these rules.

use crate::record_stream::{tag, tag_of};
use coretrace_etm::Kind;
use coretrace_etm::header::HEADERS;
use coretrace_etm::record::Record;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $text:literal;)*) => {
        /// A kind of record that a filter can omit. The discriminant is its bit in
        /// [`Filter::drop`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum FilterKind {
            $($(#[$doc])* $kind,)*
        }

        impl FilterKind {
            /// Every kind, in the order of their bits.
            pub const ALL: &'static [FilterKind] = &[$(FilterKind::$kind,)*];

            /// Its name, in upper case.
            pub const fn name(self) -> &'static str {
                match self {
                    $(FilterKind::$kind => $name,)*
                }
            }

            /// The effect of the filter bit, one line.
            pub const fn text(self) -> &'static str {
                match self {
                    $(FilterKind::$kind => $text,)*
                }
            }
        }
    };
}

kinds! {
    /// Atoms of every format.
    Atoms = "ATOMS", "Omit atoms.";
    /// Addresses and source addresses.
    Addresses = "ADDRESSES", "Omit addresses; with context, only if CONTEXT is set too.";
    /// Contexts.
    Context = "CONTEXT", "Omit contexts; with an address, only if ADDRESSES is set too.";
    /// Exceptions, exception returns and function returns.
    Exceptions = "EXCEPTIONS", "Omit exceptions, exception returns and function returns.";
    /// Timestamps and their markers.
    Timestamps = "TIMESTAMPS", "Omit timestamps and their markers.";
    /// Cycle counts.
    Cycles = "CYCLES", "Omit cycle counts.";
    /// Events.
    Events = "EVENTS", "Omit events.";
    /// Commits, cancels and mispredictions.
    Speculation = "SPECULATION", "Omit commits, cancels and mispredictions.";
    /// Conditional instructions, results and flushes.
    Conditionals = "CONDITIONALS", "Omit conditional instructions, results and flushes.";
    /// Data synchronization markers.
    DataSyncs = "DATA_SYNCS", "Omit data synchronization markers.";
    /// Q elements.
    Q = "Q", "Omit Q elements.";
    /// Instrumentation of an ETE.
    Instrumentation = "INSTRUMENTATION", "Omit instrumentation.";
    /// Starts and commits of transactions of an ETE.
    Transactions = "TRANSACTIONS", "Omit starts and commits of transactions.";
    /// Ignore packets.
    Ignore = "IGNORE", "Omit ignore packets.";
}

/// What a core omits from its record stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The kinds to omit, one bit for each [`FilterKind`].
    pub drop: u16,
    /// First and last address of a range; records whose newest address is outside are omitted.
    pub range: Option<(u64, u64)>,
}

impl Filter {
    /// Whether anything may be omitted. If so, addresses are written in full.
    pub const fn is_set(&self) -> bool {
        self.drop != 0 || self.range.is_some()
    }

    /// Whether a record is written.
    pub fn passes_record(&self, record: &Record) -> bool {
        tag_of(record).is_some_and(|tag| self.passes(tag, record.address.value))
    }

    /// Whether a record is written: its tag, and the newest address register after it.
    pub fn passes(&self, tag: u8, address: u64) -> bool {
        let kinds = kinds_of(tag);
        let in_range = |(first, last)| (first..=last).contains(&address);
        kinds == 0 || kinds & !self.drop != 0 && self.range.is_none_or(in_range)
    }
}

/// The kinds of a record with this tag. None for records that no filter omits: A-Sync, Trace Info,
/// Trace On, Discard, Overflow, errors, losses, starts, and the first of two continuation fields,
/// whose packet is not known yet.
pub fn kinds_of(tag: u8) -> u16 {
    if (tag::ASYNC..=tag::END).contains(&tag) {
        return 0;
    }
    use FilterKind as Is;
    let kinds: &[FilterKind] = match HEADERS[usize::from(tag)].kind {
        kind if kind.is_atoms() => &[Is::Atoms],
        kind if kind.is_address() || kind.is_source_address() => &[Is::Addresses],
        Kind::AddrCtxt32Is0 | Kind::AddrCtxt32Is1 | Kind::AddrCtxt64Is0 | Kind::AddrCtxt64Is1 => {
            &[Is::Addresses, Is::Context]
        }
        Kind::Context => &[Is::Context],
        Kind::Exception | Kind::ExceptionReturn | Kind::FunctionReturn => &[Is::Exceptions],
        Kind::Timestamp | Kind::TimestampMarker => &[Is::Timestamps],
        Kind::CycleCountF1 | Kind::CycleCountF2 | Kind::CycleCountF3 => &[Is::Cycles],
        Kind::Event => &[Is::Events],
        Kind::Commit
        | Kind::CancelF1
        | Kind::CancelF1Mispredict
        | Kind::CancelF2
        | Kind::CancelF3
        | Kind::Mispredict => &[Is::Speculation],
        Kind::CondInstrF1
        | Kind::CondInstrF2
        | Kind::CondInstrF3
        | Kind::CondFlush
        | Kind::CondResultF1
        | Kind::CondResultF2
        | Kind::CondResultF3
        | Kind::CondResultF4 => &[Is::Conditionals],
        Kind::NumDataSync | Kind::UnnumDataSync => &[Is::DataSyncs],
        Kind::Q => &[Is::Q],
        Kind::Instrumentation => &[Is::Instrumentation],
        Kind::TransactionStart | Kind::TransactionCommit => &[Is::Transactions],
        Kind::Ignore => &[Is::Ignore],
        _ => &[],
    };
    kinds.iter().map(|&kind| 1 << kind as u8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_etm::Gate;

    #[test]
    fn every_header_but_those_of_the_structure_has_a_kind() {
        for header in 0..=u8::MAX {
            let exists = HEADERS[usize::from(header)].gate != Gate::Never;
            // The extension header, Trace Info and Trace On.
            let has_kind = exists && ![0x00, 0x01, 0x04].contains(&header);
            assert_eq!(kinds_of(header) != 0, has_kind, "{header:#04x}");
        }
    }

    #[test]
    fn every_kind_has_a_header() {
        for &kind in FilterKind::ALL {
            let mut headers = 0..=u8::MAX;
            assert!(headers.any(|header| kinds_of(header) >> kind as u8 & 1 == 1));
        }
    }

    #[test]
    fn an_address_with_context_is_left_out_as_both_alone() {
        let [addresses, context] =
            [FilterKind::Addresses, FilterKind::Context].map(|kind| 1 << kind as u8);
        let filter = |drop| Filter { drop, range: None };
        assert!(filter(addresses).passes(0x85, 0));
        assert!(filter(context).passes(0x85, 0));
        assert!(!filter(addresses | context).passes(0x85, 0));
    }

    #[test]
    fn a_range_has_its_first_and_last_address() {
        let range = Some((0x1000, 0x1FFE));
        let filter = Filter { drop: 0, range };
        let atom = 0xF7;
        assert!([0x1000, 0x1FFE].iter().all(|&at| filter.passes(atom, at)));
        assert!(![0xFFE, 0x2000].iter().any(|&at| filter.passes(atom, at)));
        assert!(filter.passes(tag::ASYNC, 0));
    }
}
