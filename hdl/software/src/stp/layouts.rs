// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the stages of the STM decoder hand on, field by field.

use coretrace_hdl_dataflow::layout;

/// What the next nibble is part of.
pub mod part {
    /// The first nibble of an opcode.
    pub const OPCODE: u64 = 0;
    /// The second one, behind F.
    pub const OPCODE_F: u64 = 1;
    /// The third one, behind F0.
    pub const OPCODE_F0: u64 = 2;
    /// The size of a timestamp.
    pub const SIZE: u64 = 3;
    /// Data.
    pub const DATA: u64 = 4;
    /// The value of a timestamp.
    pub const STAMP: u64 = 5;
    /// The nibbles of an ASYNC behind the first two.
    pub const ASYNC: u64 = 6;
}

/// How a record ends with a nibble.
pub mod outcome {
    /// It does not.
    pub const NONE: u64 = 0;
    /// A packet.
    pub const PACKET: u64 = 1;
    /// An ASYNC, whatever the nibbles before it were read as.
    pub const ASYNC: u64 = 2;
    /// An opcode that the STM does not make.
    pub const RESERVED: u64 = 3;
    /// A broken ASYNC, an unknown VERSION, or a timestamp that cannot be read.
    pub const BAD_SEQUENCE: u64 = 4;
}

/// Coding of the timestamps.
pub mod coding {
    /// No VERSION came.
    pub const UNKNOWN: u64 = 0;
    /// Natural binary.
    pub const NATURAL: u64 = 1;
    /// Gray code.
    pub const GRAY: u64 = 2;
}

/// Bits of the number of an opcode in `coretrace_stm::OPCODES`.
pub const ROW_W: usize = 6;
/// Bits of a number of nibbles, 0 to 16.
pub const COUNT_W: usize = 5;

layout! {
    /// The stream state: what must be known of all earlier nibbles to read the next one.
    pub struct StreamState {
        /// An ASYNC came, and no error behind it that stops reading.
        is_synced: 1,
        /// See [`part`].
        part: 3,
        /// Nibbles of data or of the value of a timestamp still to read.
        left: COUNT_W,
        /// The opcode.
        row: ROW_W,
        /// A timestamp follows the data.
        is_stamped: 1,
        /// Nibbles F before the next one, across packets; 21 at most.
        fs: 5,
        /// A legal VERSION came.
        has_coding: 1,
        /// An error came since the last ASYNC.
        is_suspect: 1,
    }
}

layout! {
    /// What a nibble is, once the stream state before it is known.
    pub struct Role {
        /// The nibble.
        nibble: 4,
        /// See [`outcome`].
        outcome: 3,
        /// The opcode of its packet, if it is complete.
        row: ROW_W,
        /// An error came before, since the last ASYNC.
        is_suspect: 1,
        /// A packet begins with it.
        begins: 1,
        /// It belongs to the data.
        puts_data: 1,
        /// It is the size of a timestamp.
        puts_size: 1,
        /// It belongs to the value of a timestamp.
        puts_stamp: 1,
        /// The nibbles of the timestamp, of a size.
        size: COUNT_W,
    }
}

layout! {
    /// The parts of a packet as far as they are read.
    pub struct Packet {
        /// Data, right-aligned.
        data: 64,
        /// Nibbles of the value of the timestamp.
        stamp_nibbles: COUNT_W,
        /// That value, in the coding of the stream.
        stamp: 64,
    }
}

layout! {
    /// The trace state, as `coretrace_stm::State` has it.
    pub struct TraceState {
        /// The master that writes.
        master: 8,
        /// The master is known.
        is_master_known: 1,
        /// The channel that is written.
        channel: 16,
        /// The timestamp, natural binary.
        timestamp: 64,
        /// See [`coding`].
        coding: 2,
        /// A FREQ came.
        has_frequency: 1,
        /// What it said, in Hz.
        frequency: 32,
    }
}

layout! {
    /// The result of a nibble.
    pub struct LaneResult {
        /// The nibble.
        nibble: 4,
        /// See [`outcome`].
        outcome: 3,
        /// The opcode of a packet or of a bad sequence.
        row: ROW_W,
        /// An error came before, since the last ASYNC.
        is_suspect: 1,
    }
}

/// Bits of [`LaneResult`].
pub const LANE_RESULT_W: usize = LaneResult::WIDTH;
/// Bits of [`Packet`].
pub const PACKET_W: usize = Packet::WIDTH;
/// Bits of [`TraceState`].
pub const TRACE_STATE_W: usize = TraceState::WIDTH;
