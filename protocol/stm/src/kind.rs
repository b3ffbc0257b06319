// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a packet is, apart from its marker and timestamp.

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $listing:literal,)*) => {
        /// What a decoder found: a packet, or nibbles that are none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$name,)*];

            /// The name that OpenCSD's packet lister prints, without marker and timestamp.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Kind::$name => $listing,)*
                }
            }
        }
    };
}

kinds! {
    /// No data; fills bytes, or carries a timestamp.
    Null = "NULL",
    /// Master, 8 bits.
    Master = "M8",
    /// Data of the current master were lost; an error code of 8 bits.
    MasterError = "MERR",
    /// The low 8 bits of the channel.
    Channel8 = "C8",
    /// Data, 4 bits.
    Data4 = "D4",
    /// Data, 8 bits.
    Data8 = "D8",
    /// Data, 16 bits.
    Data16 = "D16",
    /// Data, 32 bits.
    Data32 = "D32",
    /// Data, 64 bits.
    Data64 = "D64",
    /// Data of unknown masters were lost; an error code of 8 bits.
    GlobalError = "GERR",
    /// Channel, 16 bits.
    Channel16 = "C16",
    /// A mark in the stream.
    Flag = "FLAG",
    /// Coding of the timestamps.
    Version = "VERSION",
    /// A trigger, 8 bits.
    Trigger = "TRIG",
    /// Frequency of the timestamps in Hz, 32 bits.
    Frequency = "FREQ",
    /// 21 nibbles F and one 0: alignment.
    Async = "ASYNC",
    /// Error: an opcode that the STM does not make; its nibbles.
    Reserved = "RESERVED",
    /// Error: a broken ASYNC, an unknown version, or a timestamp that cannot be read.
    BadSequence = "BAD_SEQUENCE",
    /// Nibbles that were not read because the decoder was looking for an ASYNC.
    NotSync = "NOTSYNC",
    /// A packet cut off by the end of the trace.
    Incomplete = "INCOMPLETE_EOT",
}

impl Kind {
    /// Bits of data of a write of software or of an event; none of other packets.
    pub const fn data_bits(self) -> Option<u32> {
        match self {
            Kind::Data4 => Some(4),
            Kind::Data8 => Some(8),
            Kind::Data16 => Some(16),
            Kind::Data32 => Some(32),
            Kind::Data64 => Some(64),
            _ => None,
        }
    }

    /// Nibbles that are no packet because something is wrong with them.
    pub const fn is_error(self) -> bool {
        matches!(self, Kind::Reserved | Kind::BadSequence)
    }
}
