// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each byte of a word is, all of its past known.

use super::state;
use crate::header_class::HeaderClass;
use coretrace_hdl_dataflow::{Table, Word, all, layout, named};
use std::sync::LazyLock;

layout! {
    struct StateClass {
        /// A byte of a lead, unless it is an identifier's.
        lead: 1,
        /// The last byte of a lead, unless it is an identifier's.
        last: 1,
        /// A fixed byte of a lead or an identifier.
        fixed: 1,
        /// Short address: the last byte if bit 7 is clear.
        short: 1,
        /// Timestamp.
        time: 1,
        /// A continuation field.
        field: 1,
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    StateClass::table(|code| {
        let code = code as u64;
        let one_of = |list: &[u64]| list.contains(&code);
        let ranged = |of: &dyn Fn(usize) -> u64, max: usize| (1..=max).any(|k| of(k) == code);
        let fixed = ranged(&state::bytes, state::MAX_BYTES);
        let short = one_of(&[state::SHORT, state::SHORT_FIELD]);
        let time = one_of(&[state::TIMESTAMP, state::TIMESTAMP_FIELD]);
        StateClass {
            lead: fixed
                || short
                || time
                || ranged(&state::bytes_info, state::MAX_BYTES_INFO)
                || ranged(&state::bytes_field, state::MAX_BYTES_FIELD)
                || one_of(&[state::EXCEPTION, state::EXTENSION, state::PLCTL]),
            last: one_of(&[state::bytes(1), state::bytes_info(1), state::bytes_field(1)]),
            fixed,
            short,
            time,
            field: ranged(&state::fields, state::MAX_FIELDS),
        }
    })
});

/// What a byte is.
#[derive(Clone, Copy)]
pub(super) struct Byte<T> {
    pub octet: T,
    /// Byte of the lead, or of a continuation field.
    pub lead: T,
    pub field: T,
    /// Its index in that.
    pub index: T,
    /// It completes an address with this IS bit, or a timestamp.
    pub address: T,
    pub is1: T,
    pub timestamp: T,
    /// It pushes the address 0.
    pub zero: T,
    /// It is a header that names the address register in bits 1:0.
    pub exact: T,
    /// It is the context information byte; it completes a VMID or a context ID.
    pub info: T,
    pub vmid: T,
    pub cid: T,
    /// It ends a Trace Info.
    pub clear: T,
}

#[named]
impl<T: Word> Byte<T> {
    /// The same at a later time.
    pub(super) fn at_stage(self, time: u32) -> Byte<T> {
        Byte {
            octet: self.octet.at_stage(time),
            lead: self.lead.at_stage(time),
            field: self.field.at_stage(time),
            index: self.index.at_stage(time),
            address: self.address.at_stage(time),
            is1: self.is1.at_stage(time),
            timestamp: self.timestamp.at_stage(time),
            zero: self.zero.at_stage(time),
            exact: self.exact.at_stage(time),
            info: self.info.at_stage(time),
            vmid: self.vmid.at_stage(time),
            cid: self.cid.at_stage(time),
            clear: self.clear.at_stage(time),
        }
    }
}

/// What is known of a byte when its header is.
pub(super) struct Known<T> {
    pub octet: T,
    /// Stream state before it.
    pub state: T,
    /// Traits of the header of its packet.
    pub header: HeaderClass<T>,
    /// Index of it in its part, at most 15.
    pub index: T,
    /// A packet ends with it.
    pub ends: T,
    pub is_header: T,
    pub more_time: T,
    /// The byte before it starts an ETE's PE Reset or Transaction Failure, if it is one of an
    /// exception.
    pub special_before: T,
    /// The information byte last read announces a context ID.
    pub has_cid: T,
    /// It counts.
    pub live: T,
}

#[named]
pub(super) fn byte<T: Word>(k: &Known<T>) -> Byte<T> {
    let entry = StateClass::split(k.state.extend(8).rom(&TABLE));
    let is = |code: u64| k.state.is(code);
    let identifier = entry.fixed.and(k.header.context);
    let last = entry.last.and(identifier.not());
    let ends = last.or(entry.short.and(k.octet.bit(7).not()));
    let vmid = k.has_cid.mux(is(state::bytes(5)), is(state::bytes(1)));
    let byte = Byte {
        octet: k.octet,
        lead: all(&[entry.lead, identifier.not(), k.live]),
        field: entry.field.and(k.live),
        index: k.index,
        address: all(&[ends, k.header.address, k.live]),
        is1: k.header.is1,
        timestamp: all(&[entry.time, k.more_time.not(), k.live]),
        zero: all(&[last, k.header.exception, k.special_before, k.live]),
        exact: all(&[k.is_header, k.header.exact, k.live]),
        info: is(state::bytes_info(0)).and(k.live),
        vmid: all(&[identifier, vmid, k.live]),
        cid: all(&[identifier, k.has_cid, is(state::bytes(1)), k.live]),
        clear: all(&[k.ends, k.header.trace_info, k.live]),
    };
    byte.at_stage(k.index.stage() + 1)
}
