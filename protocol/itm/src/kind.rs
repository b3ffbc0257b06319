// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packet kinds.

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $listing:literal,)*) => {
        /// What a decoder found: a packet, or bytes that are none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$name,)*];

            /// The name that OpenCSD's packet lister prints.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Kind::$name => $listing,)*
                }
            }
        }
    };
}

kinds! {
    /// At least 47 zero bits and a one: alignment.
    Sync = "ITM_ASYNC",
    /// Packets were lost.
    Overflow = "ITM_OVERFLOW",
    /// Local timestamp, format 1 or 2.
    LocalTimestamp = "ITM_TS_LOCAL",
    /// Global timestamp, the low bits.
    GlobalTimestamp1 = "ITM_GTS_1",
    /// Global timestamp, the high bits.
    GlobalTimestamp2 = "ITM_GTS_2",
    /// Extension: the page of stimulus ports, or unknown.
    Extension = "ITM_EXTENSION",
    /// A write of software to a stimulus port.
    Software = "ITM_SWIT",
    /// A packet of the DWT.
    Hardware = "ITM_DWT",
    /// Error: a reserved header, one byte.
    Reserved = "ITM_RESERVED",
    /// Error: a broken sync, or a payload without an end.
    BadSequence = "ITM_BAD_SEQUENCE",
    /// Bytes that were not read because the decoder was looking for a sync.
    NotSync = "ITM_NOTSYNC",
    /// A packet cut off by the end of the trace.
    Incomplete = "ITM_INCOMPLETE_EOT",
}

impl Kind {
    /// Bytes that are no packet because something is wrong with them.
    pub const fn is_error(self) -> bool {
        matches!(self, Kind::Reserved | Kind::BadSequence)
    }
}
