// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the stages of the decoder hand on to each other, field by field.

use coretrace_hdl_dataflow::layout;

/// Stream modes: how the next byte is read.
pub mod mode {
    /// Looking for an A-Sync; the byte is not read.
    pub const UNSYNC: u64 = 0;
    /// A header.
    pub const HEADER: u64 = 1;
    /// The byte after header 0x00.
    pub const EXTENSION: u64 = 2;
    /// The zeros of an A-Sync.
    pub const ASYNC: u64 = 3;
    /// Payload of unbounded length: ends at bit 7 = 0.
    pub const UNBOUNDED: u64 = 4;
    /// Payload of bounded length: ends at bit 7 = 0, or at its last byte.
    pub const BOUNDED: u64 = 5;
    /// Payload of fixed size.
    pub const FIXED: u64 = 6;
    /// The context information byte.
    pub const INFORMATION: u64 = 7;
}

/// Part numbers: the tail parts by their bit number, and two more.
pub mod part {
    use coretrace_etm::Part;

    /// Context information byte.
    pub const INFO: u64 = Part::Info as u64;
    /// VMID.
    pub const VMID: u64 = Part::Vmid as u64;
    /// Context ID.
    pub const CID: u64 = Part::Cid as u64;
    /// The first continuation field.
    pub const FIELD0: u64 = Part::Field0 as u64;
    /// The second continuation field.
    pub const FIELD1: u64 = Part::Field1 as u64;
    /// The lead.
    pub const LEAD: u64 = 8;
    /// No part of a packet.
    pub const NONE: u64 = 15;
}

/// Value forms: what a lead (or a header without one) says about an address or timestamp.
pub mod form {
    /// Nothing.
    pub const NONE: u64 = 0;
    /// Address: the register that header bits 1:0 name.
    pub const MATCH: u64 = 1;
    /// Address: short.
    pub const SHORT: u64 = 2;
    /// Address: 32 bits.
    pub const LONG32: u64 = 3;
    /// Address: 64 bits.
    pub const LONG64: u64 = 4;
    /// Address: zero.
    pub const ZERO: u64 = 5;
    /// Timestamp.
    pub const TIMESTAMP: u64 = 6;
}

layout! {
    /// What follows from the registers of the trace unit.
    pub struct DecoderConfig {
        /// Open gates, one bit an `coretrace_etm::Gate`.
        gates: 11,
        /// Cycle counts carry no commit field.
        commopt: 1,
        /// The source is an ETE.
        ete: 1,
        /// There are context IDs, of 4 bytes.
        has_cid: 1,
        /// There are VMIDs.
        has_vmid: 1,
        /// Index of a VMID's last byte.
        vmid_last: 2,
    }
}

layout! {
    /// What a byte means if it is a header.
    pub struct HeaderRow {
        /// The header is reserved.
        error: 1,
        /// The packet ends here.
        single: 1,
        /// Stream mode after the header.
        mode: 3,
        /// First part after the header.
        part: 4,
        /// Index of that part's last byte.
        last: 4,
        /// Parts after that one (look-ahead).
        todo: 8,
        /// Address or timestamp form.
        form: 3,
        /// IS bit of the address.
        is1: 1,
        /// The lead is an exception's.
        exception: 1,
        /// The lead is PLCTL.
        plctl: 1,
    }
}

layout! {
    /// The stream state: what must be known of all earlier bytes to read the next one.
    pub struct StreamState {
        /// Stream mode.
        mode: 3,
        /// Part being read.
        part: 4,
        /// Index of the next byte in that part; saturates.
        index: 4,
        /// Index of that part's last byte.
        last: 4,
        /// Parts after that one (look-ahead).
        todo: 8,
        /// An error came since the last A-Sync.
        suspect: 1,
        /// Header byte.
        header: 8,
        /// Address or timestamp form.
        form: 3,
        /// IS bit of the address.
        is1: 1,
        /// The lead is an exception's.
        exception: 1,
        /// The lead is PLCTL.
        plctl: 1,
    }
}

layout! {
    /// What a byte is, once the stream state before it is known.
    pub struct Role {
        /// It is a header.
        is_header: 1,
        /// It names an extension.
        is_extension: 1,
        /// The part that it belongs to.
        part: 4,
        /// Its index in that part.
        index: 4,
        /// It is that part's last byte.
        ends_part: 1,
        /// How a record ends with it; see [`outcome`].
        outcome: 3,
        /// A Trace Info ends with it.
        trace_info: 1,
        /// Header byte of its packet.
        header: 8,
        /// Address or timestamp form of its packet.
        form: 3,
        /// IS bit of its packet.
        is1: 1,
        /// An error came before, since the last A-Sync.
        suspect: 1,
    }
}

layout! {
    /// The action code: what a byte does to the trace state, and what it reports.
    pub struct Action {
        /// Put the byte into the lead, at `index`.
        put_lead: 1,
        /// Put 7 bits into a continuation field, at group `index`.
        put_field: 1,
        /// A continuation field ends with it, or the second and later bytes of a PLCTL do.
        field_ends: 1,
        /// Put the byte into the staging register, at `index`.
        put_stage: 1,
        /// Index for the three above.
        index: 4,
        /// Address or timestamp that is complete now.
        form: 3,
        /// IS bit of that address.
        is1: 1,
        /// The byte is the context information.
        set_info: 1,
        /// The byte completes the VMID.
        set_vmid: 1,
        /// The byte completes the context ID.
        set_cid: 1,
        /// Trace Info is complete.
        trace_info: 1,
        /// How a record ends here; see [`outcome`].
        outcome: 3,
        /// Header byte.
        header: 8,
        /// An error came before, since the last A-Sync.
        suspect: 1,
    }
}

layout! {
    /// The trace state, and the packet being put together.
    pub struct TraceState {
        /// Newest address register, IS bit.
        is1_0: 1,
        /// Newest address register.
        address_0: 64,
        /// Second address register, IS bit.
        is1_1: 1,
        /// Second address register.
        address_1: 64,
        /// Oldest address register, IS bit.
        is1_2: 1,
        /// Oldest address register.
        address_2: 64,
        /// Timestamp.
        timestamp: 64,
        /// Context information byte.
        info: 8,
        /// VMID.
        vmid: 32,
        /// Context ID.
        cid: 32,
        /// Lead bytes 0 to 7 of the packet.
        lead_low: 64,
        /// Lead byte 8.
        lead_high: 8,
        /// First bytes of a VMID or context ID.
        stage: 24,
        /// Continuation field last read.
        field: 32,
    }
}

/// Outcomes: how a record ends in a lane.
pub mod outcome {
    /// No record ends here.
    pub const NONE: u64 = 0;
    /// A packet; the header byte names it.
    pub const PACKET: u64 = 1;
    /// An A-Sync, whatever it stood in.
    pub const ASYNC: u64 = 2;
    /// A header that does not exist, or not in this configuration.
    pub const RESERVED: u64 = 3;
    /// Header 0x00 and no packet behind it.
    pub const BAD_SEQUENCE: u64 = 4;
}

layout! {
    /// The result of a lane.
    pub struct LaneResult {
        /// How a record ends here; see [`outcome`]. Without a record only the address counts.
        outcome: 3,
        /// An error came before, since the last A-Sync (lenient policy).
        suspect: 1,
        /// Header byte; undefined for an A-Sync.
        header: 8,
        /// The byte itself.
        octet: 8,
        /// A continuation field ends here, or the second and later bytes of a PLCTL do.
        field_ends: 1,
        /// It is of one byte, and its value is in bits 6:0 of that; otherwise it is that of the
        /// pair.
        field_is_short: 1,
        /// IS bit of the newest address register after the lane.
        is1: 1,
        /// Newest address register after the lane.
        address: 64,
    }
}

layout! {
    /// The result of a pair of lanes, 2k and 2k + 1: what only packets of two or more bytes
    /// change. At most one of them ends in a pair, and if it ends in the lane 2k, then the lane
    /// 2k + 1 holds no more than a header. So there is one value for both lanes. It counts if a
    /// record ends in the pair.
    pub struct PairResult {
        /// Timestamp.
        timestamp: 64,
        /// Context information byte.
        info: 8,
        /// VMID.
        vmid: 32,
        /// Context ID.
        cid: 32,
        /// Lead bytes 0 to 7, as many as the packet has. Of a Trace Info: PLCTL.
        lead_low: 64,
        /// Lead byte 8.
        lead_high: 8,
        /// The continuation field of two or more bytes that ends in the pair.
        field: 32,
    }
}

/// Bits of the configuration bus.
pub const CONFIG_W: usize = DecoderConfig::WIDTH;
/// Bits of a header row.
pub const ROW_W: usize = HeaderRow::WIDTH;
/// Bits of the stream state.
pub const STREAM_W: usize = StreamState::WIDTH;
/// Bits of a role.
pub const ROLE_W: usize = Role::WIDTH;
/// Bits of an action code.
pub const ACTION_W: usize = Action::WIDTH;
/// Bits of the trace state.
pub const TRACE_W: usize = TraceState::WIDTH;
/// Bits of a lane's result.
pub const LANE_RESULT_W: usize = LaneResult::WIDTH;
/// Bits of a pair's result.
pub const PAIR_RESULT_W: usize = PairResult::WIDTH;
