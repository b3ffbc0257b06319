// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the stages of the ITM decoder hand on, field by field.

use coretrace_hdl_dataflow::layout;

/// What the next byte is part of.
pub mod part {
    /// A header.
    pub const HEADER: u64 = 0;
    /// A payload of fixed length.
    pub const FIXED: u64 = 1;
    /// A payload that ends with a byte whose bit 7 is 0.
    pub const CONTINUED: u64 = 2;
    /// A sync.
    pub const SYNC: u64 = 3;
}

/// How a record ends with a byte.
pub mod outcome {
    /// It does not.
    pub const NONE: u64 = 0;
    /// A packet.
    pub const PACKET: u64 = 1;
    /// A sync, whatever the bytes before it were read as.
    pub const SYNC: u64 = 2;
    /// A reserved header.
    pub const RESERVED: u64 = 3;
    /// A broken sync, or a payload without an end.
    pub const BAD_SEQUENCE: u64 = 4;
}

/// Bits of a number of bytes of a payload, 0 to 6.
pub const LEN_W: usize = 3;
/// Bits of a payload.
pub const PAYLOAD_W: usize = 8 * coretrace_itm::packet::PAYLOAD_BYTES;

layout! {
    /// The stream state: what must be known of all earlier bytes to read the next one.
    pub struct StreamState {
        /// A sync came, and no error behind it that stops reading.
        is_synced: 1,
        /// See [`part`].
        part: 2,
        /// Bytes of the payload still to read, at most.
        left: LEN_W,
        /// Zero bytes before the next one, across packets; 5 at most.
        zeros: 3,
        /// An error came since the last sync.
        is_suspect: 1,
    }
}

layout! {
    /// What a byte is, once the stream state before it is known.
    pub struct Role {
        /// The byte.
        octet: 8,
        /// See [`outcome`].
        outcome: 3,
        /// An error came before, since the last sync.
        is_suspect: 1,
        /// It is a header.
        begins: 1,
        /// It belongs to a payload.
        puts: 1,
    }
}

layout! {
    /// A packet as far as it is read.
    pub struct Packet {
        /// The header.
        header: 8,
        /// Bytes of the payload.
        len: LEN_W,
        /// The payload, the first byte lowest.
        payload: PAYLOAD_W,
    }
}

layout! {
    /// The trace state, as `coretrace_itm::State` has it.
    pub struct TraceState {
        /// The page of stimulus ports.
        page: 3,
        /// The sum of all local timestamps since the last overflow.
        local_time: 64,
        /// The global timestamp.
        global_time: 64,
        /// All bits of the global timestamp are known.
        is_global_complete: 1,
    }
}

layout! {
    /// The result of a byte.
    pub struct LaneResult {
        /// The byte.
        octet: 8,
        /// See [`outcome`].
        outcome: 3,
        /// An error came before, since the last sync.
        is_suspect: 1,
    }
}

/// Bits of [`LaneResult`].
pub const LANE_RESULT_W: usize = LaneResult::WIDTH;
/// Bits of [`Packet`].
pub const PACKET_W: usize = Packet::WIDTH;
/// Bits of [`TraceState`].
pub const TRACE_STATE_W: usize = TraceState::WIDTH;
