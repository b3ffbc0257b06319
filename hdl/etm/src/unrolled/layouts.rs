// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the stages of the unrolled decoder hand on to each other, field by field.

use coretrace_hdl_dataflow::layout;

layout! {
    /// What is known of a word as a whole.
    pub struct WordFlags {
        /// No word: the decoder was reset here.
        restart: 1,
        /// A word.
        valid: 1,
        /// Bytes were lost before it.
        lost: 1,
        /// Bytes were lost before it, and the decoder reads on behind the loss.
        resumed: 1,
    }
}

layout! {
    /// What a byte does to each stream state: one flag for each way from a state to the next one.
    /// All flags but the first are 0 for a byte that does not count or ends an A-Sync, except that
    /// those marked *stay* are 1 for a byte that does not count.
    pub struct Enables {
        /// The next byte is a header, whatever the state.
        set_header: 1,
        /// The byte does not count: states stay as they are.
        stay: 1,
        /// The byte is read.
        go: 1,
        /// Header: to a header (*stay*), extension, PLCTL, timestamp, one or two bytes, exception
        /// or context information.
        header_header: 1,
        header_extension: 1,
        header_plctl: 1,
        header_timestamp: 1,
        header_short: 1,
        header_exception: 1,
        header_info: 1,
        /// Header: to one, four, eight or nine bytes, to one or two continuation fields.
        header_rest1: 1,
        header_rest4: 1,
        header_rest8: 1,
        header_rest9: 1,
        header_field1: 1,
        header_field2: 1,
        /// Header: after the lead comes a continuation field, context information, or nothing.
        lead_field: 1,
        lead_info: 1,
        lead_plain: 1,
        /// Extension: to the zeros of an A-Sync, or a header.
        extension_zeros: 1,
        extension_header: 1,
        /// Zeros of an A-Sync: to more of them (*stay*), or a header.
        zeros_zeros: 1,
        zeros_header: 1,
        /// One or two bytes: the only one, or the first of two.
        short_ends: 1,
        short_goes_on: 1,
        /// Exception: the only byte, or the first of two; an ETE's that pushes the address 0.
        exception_ends: 1,
        exception_goes_on: 1,
        exception_zero: 1,
        /// Timestamp: the last byte, or another one (*stay*).
        timestamp_ends: 1,
        timestamp_goes_on: 1,
        /// Continuation field: the last byte, or another one (*stay*).
        field_ends: 1,
        field_goes_on: 1,
        /// Context information: number of bytes after it, a flag for each of 0, 1, 2, 4, 5, 6, 8;
        /// the last four are a context ID.
        info_rest: 7,
        info_cid: 1,
        /// PLCTL: number of continuation fields after it, a flag for each of 0 to 6.
        plctl_fields: 7,
    }
}

layout! {
    /// What the role of a byte depends on besides its enables.
    pub struct Predecode {
        /// It ends an A-Sync.
        hit: 1,
        /// As a header: the whole packet, or an error.
        single: 1,
        error: 1,
        /// After header 0x00: a whole packet, or an error.
        extends: 1,
        bad_extension: 1,
        /// Among the zeros of an A-Sync: an error.
        bad_zero: 1,
    }
}

layout! {
    /// What a byte is, once the stream state before it is known.
    pub struct Role {
        /// It counts.
        kept: 1,
        is_header: 1,
        /// A byte of the lead, or of a continuation field.
        lead: 1,
        field: 1,
        /// A part of the packet ends with it.
        part_ends: 1,
        /// How a record ends with it; see [`outcome`](crate::layouts::outcome).
        outcome: 3,
        /// Bytes that may be an address end with it.
        completes: 1,
        /// A timestamp ends with it.
        timestamp: 1,
        /// It pushes the address 0.
        zero: 1,
        /// It is the context information byte.
        info: 1,
        /// It is the last, last but one and so on of a VMID or of a context ID.
        vmid: 4,
        cid: 4,
    }
}

layout! {
    /// The action code: what a byte does to the trace state, and what it reports.
    pub struct Action {
        /// It counts.
        kept: 1,
        /// How a record ends here.
        outcome: 3,
        /// An error came before, since the last A-Sync.
        suspect: 1,
        /// Header byte of its packet.
        header: 8,
        /// Put the byte into the lead, or into a continuation field, at `index`.
        put_lead: 1,
        put_field: 1,
        index: 4,
        /// A continuation field ends with it.
        field_ends: 1,
        /// An address with this IS bit is complete.
        address: 1,
        is1: 1,
        /// It is a header that names the address register in bits 1:0.
        exact: 1,
        /// It pushes the address 0.
        zero: 1,
        /// A timestamp is complete.
        timestamp: 1,
        /// The byte is the context information.
        info: 1,
        /// It is this byte of the VMID or of the context ID, lowest first; either is complete.
        vmid: 4,
        vmid_ends: 1,
        cid: 4,
        /// A Trace Info ends: addresses, timestamp and context become 0.
        clear: 1,
    }
}

/// Bits of the flags of a word.
pub const WORD_FLAGS_W: usize = WordFlags::WIDTH;
/// Bits of the enables of a byte.
pub const ENABLES_W: usize = Enables::WIDTH;
/// Bits of the predecode of a byte.
pub const PREDECODE_W: usize = Predecode::WIDTH;
/// Bits of a role.
pub const ROLE_W: usize = Role::WIDTH;
/// Bits of an action code.
pub const ACTION_W: usize = Action::WIDTH;
