// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packet kinds: one for every line that a packet list can hold.

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $listing:literal,)*) => {
        /// What a decoder found: a packet of the architecture, or bytes that are none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$name,)*];

            /// The name that OpenCSD's packet lister prints.
            pub const fn listing_name(self) -> &'static str {
                match self {
                    $(Kind::$name => $listing,)*
                }
            }
        }
    };
}

kinds! {
    /// Eleven zero bytes and 0x80: alignment.
    Async = "I_ASYNC",
    /// Discard: tracing stopped, uncommitted elements are lost.
    Discard = "I_DISCARD",
    /// Overflow: the trace unit's buffer overflowed.
    Overflow = "I_OVERFLOW",
    /// Trace Info.
    TraceInfo = "I_TRACE_INFO",
    /// Timestamp.
    Timestamp = "I_TIMESTAMP",
    /// Trace On.
    TraceOn = "I_TRACE_ON",
    /// Function Return (Armv8-M).
    FunctionReturn = "I_FUNC_RET",
    /// Exception.
    Exception = "I_EXCEPT",
    /// Exception Return.
    ExceptionReturn = "I_EXCEPT_RTN",
    /// Cycle Count format 1.
    CycleCountF1 = "I_CCNT_F1",
    /// Cycle Count format 2.
    CycleCountF2 = "I_CCNT_F2",
    /// Cycle Count format 3.
    CycleCountF3 = "I_CCNT_F3",
    /// Numbered Data Synchronization Marker.
    NumDataSync = "I_NUM_DS_MKR",
    /// Unnumbered Data Synchronization Marker.
    UnnumDataSync = "I_UNNUM_DS_MKR",
    /// Commit.
    Commit = "I_COMMIT",
    /// Cancel format 1.
    CancelF1 = "I_CANCEL_F1",
    /// Cancel format 1 with mispredict.
    CancelF1Mispredict = "I_CANCEL_F1_MISPRED",
    /// Cancel format 2.
    CancelF2 = "I_CANCEL_F2",
    /// Cancel format 3.
    CancelF3 = "I_CANCEL_F3",
    /// Mispredict.
    Mispredict = "I_MISPREDICT",
    /// Conditional Instruction format 1.
    CondInstrF1 = "I_COND_I_F1",
    /// Conditional Instruction format 2.
    CondInstrF2 = "I_COND_I_F2",
    /// Conditional Instruction format 3.
    CondInstrF3 = "I_COND_I_F3",
    /// Conditional Flush.
    CondFlush = "I_COND_FLUSH",
    /// Conditional Result format 1.
    CondResultF1 = "I_COND_RES_F1",
    /// Conditional Result format 2.
    CondResultF2 = "I_COND_RES_F2",
    /// Conditional Result format 3.
    CondResultF3 = "I_COND_RES_F3",
    /// Conditional Result format 4.
    CondResultF4 = "I_COND_RES_F4",
    /// Ignore.
    Ignore = "I_IGNORE",
    /// Event.
    Event = "I_EVENT",
    /// Context.
    Context = "I_CTXT",
    /// Address with Context, 32-bit, IS0.
    AddrCtxt32Is0 = "I_ADDR_CTXT_L_32IS0",
    /// Address with Context, 32-bit, IS1.
    AddrCtxt32Is1 = "I_ADDR_CTXT_L_32IS1",
    /// Address with Context, 64-bit, IS0.
    AddrCtxt64Is0 = "I_ADDR_CTXT_L_64IS0",
    /// Address with Context, 64-bit, IS1.
    AddrCtxt64Is1 = "I_ADDR_CTXT_L_64IS1",
    /// Timestamp Marker.
    TimestampMarker = "I_TS_MARKER",
    /// Exact Match Address.
    AddrMatch = "I_ADDR_MATCH",
    /// Short Address, IS0.
    AddrShortIs0 = "I_ADDR_S_IS0",
    /// Short Address, IS1.
    AddrShortIs1 = "I_ADDR_S_IS1",
    /// Long Address, 32-bit, IS0.
    AddrLong32Is0 = "I_ADDR_L_32IS0",
    /// Long Address, 32-bit, IS1.
    AddrLong32Is1 = "I_ADDR_L_32IS1",
    /// Long Address, 64-bit, IS0.
    AddrLong64Is0 = "I_ADDR_L_64IS0",
    /// Long Address, 64-bit, IS1.
    AddrLong64Is1 = "I_ADDR_L_64IS1",
    /// Q.
    Q = "I_Q",
    /// Atom format 1.
    AtomF1 = "I_ATOM_F1",
    /// Atom format 2.
    AtomF2 = "I_ATOM_F2",
    /// Atom format 3.
    AtomF3 = "I_ATOM_F3",
    /// Atom format 4.
    AtomF4 = "I_ATOM_F4",
    /// Atom format 5.
    AtomF5 = "I_ATOM_F5",
    /// Atom format 6.
    AtomF6 = "I_ATOM_F6",
    /// ETE: Instrumentation.
    Instrumentation = "I_ITE",
    /// ETE: Transaction Start.
    TransactionStart = "I_TRANS_ST",
    /// ETE: Transaction Commit.
    TransactionCommit = "I_TRANS_COMMIT",
    /// ETE: Transaction Failure.
    TransactionFail = "I_TRANS_FAIL",
    /// ETE: PE Reset.
    PeReset = "I_PE_RESET",
    /// ETE: Source Address, exact match.
    SrcAddrMatch = "I_SRC_ADDR_MATCH",
    /// ETE: Source Address, short, IS0.
    SrcAddrShortIs0 = "I_SRC_ADDR_S_IS0",
    /// ETE: Source Address, short, IS1.
    SrcAddrShortIs1 = "I_SRC_ADDR_S_IS1",
    /// ETE: Source Address, 32-bit, IS0 (the listing name is spelled as OpenCSD spells it).
    SrcAddrLong32Is0 = "I_SCR_ADDR_L_32IS0",
    /// ETE: Source Address, 32-bit, IS1.
    SrcAddrLong32Is1 = "I_SRC_ADDR_L_32IS1",
    /// ETE: Source Address, 64-bit, IS0.
    SrcAddrLong64Is0 = "I_SRC_ADDR_L_64IS0",
    /// ETE: Source Address, 64-bit, IS1.
    SrcAddrLong64Is1 = "I_SRC_ADDR_L_64IS1",
    /// Error: a header that the architecture reserves, one byte.
    Reserved = "I_RESERVED",
    /// Error: a header that the configuration rules out, one byte.
    ReservedCfg = "I_RESERVED_CFG",
    /// Error: a broken A-Sync, or a reserved byte after header 0x00.
    BadSequence = "I_BAD_SEQUENCE",
    /// Bytes that were not read because the decoder was looking for an A-Sync.
    NotSync = "I_NOT_SYNC",
    /// A packet cut off by the end of the trace.
    Incomplete = "I_INCOMPLETE_EOT",
}

impl Kind {
    /// An Atom packet.
    pub const fn is_atoms(self) -> bool {
        matches!(
            self,
            Kind::AtomF1 | Kind::AtomF2 | Kind::AtomF3 | Kind::AtomF4 | Kind::AtomF5 | Kind::AtomF6
        )
    }

    /// An address without a context: where a branch leads.
    pub const fn is_address(self) -> bool {
        matches!(
            self,
            Kind::AddrMatch
                | Kind::AddrShortIs0
                | Kind::AddrShortIs1
                | Kind::AddrLong32Is0
                | Kind::AddrLong32Is1
                | Kind::AddrLong64Is0
                | Kind::AddrLong64Is1
        )
    }

    /// A source address: where a branch is that was taken.
    pub const fn is_source_address(self) -> bool {
        matches!(
            self,
            Kind::SrcAddrMatch
                | Kind::SrcAddrShortIs0
                | Kind::SrcAddrShortIs1
                | Kind::SrcAddrLong32Is0
                | Kind::SrcAddrLong32Is1
                | Kind::SrcAddrLong64Is0
                | Kind::SrcAddrLong64Is1
        )
    }

    /// Bytes that are no packet because something is wrong with them.
    pub const fn is_error(self) -> bool {
        matches!(self, Kind::Reserved | Kind::ReservedCfg | Kind::BadSequence)
    }
}
