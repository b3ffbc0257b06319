// SPDX-License-Identifier: MIT OR Apache-2.0
//! `UnrolledActionCode`: action codes, what each byte does to the trace state and what it reports.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `cfg` | in | [`DecoderConfig`] |
//! | `flags`, `octet[N]`, `role[N]` | in | a word, as from the stream state |
//! | `flags_out`, `octet_out[N]` | out | the word |
//! | `action[N]` | out | [`Action`] of each byte |
//!
//! Latency 3 cycles, one word per cycle. Looks back for the header of the packet, for the index in
//! the part and for the last error, each through one multiplexer.

use super::index::indices;
use super::layouts::{ACTION_W, Action, ROLE_W, Role, WORD_FLAGS_W, WordFlags};
use super::newest::{Write, newest};
use crate::header_class;
use crate::layouts::{CONFIG_W, DecoderConfig, outcome};
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, join, named};
use rust_hdl::prelude::*;
use std::array::from_fn;

clocked_block! {
    /// Action codes; see the module text.
    pub struct UnrolledActionCode;
    inputs CodeInputs { cfg: Bus<CONFIG_W>, flags: Bus<WORD_FLAGS_W>, }
    lane_inputs { octet: Bits<8>, role: Bus<ROLE_W>, }
    outputs CodeOutputs { flags_out: Bus<WORD_FLAGS_W>, }
    lane_outputs { octet_out: Bits<8>, action: Bus<ACTION_W>, }
    pair_outputs {}
    kernel action_code;
}

/// Which byte of a VMID each one is, lowest first, from which one it is, last first.
#[named]
fn vmid_bytes<T: Word>(vmid_last: T, from_last: T) -> T {
    let back = |index: u32| from_last.bit(index);
    let one = back(0).and(vmid_last.is(0));
    let two = |index: u32| back(index).and(vmid_last.is(1));
    let four = |index: u32| back(index).and(vmid_last.bit(1));
    join([
        any(&[one, two(1), four(3)]),
        two(0).or(four(2)),
        four(1),
        four(0),
    ])
}

#[named]
fn action_code<T: Word, const N: usize, const P: usize>(
    i: CodeInputs<T::Port, N>,
) -> CodeOutputs<T, N, P> {
    let config = DecoderConfig::unpack(&i.cfg).map(T::steady);
    let flags = WordFlags::<T>::unpack(&i.flags);
    let octets: [T; N] = from_fn(|lane| T::field(&i.octet[lane], 0, 8));
    let roles: [Role<T>; N] = from_fn(|lane| Role::unpack(&i.role[lane]));
    let never = |width| Write {
        write: T::constant(0, 1),
        value: T::constant(0, width),
    };

    let header = |lane: usize| Write {
        write: roles[lane].is_header,
        value: octets[lane],
    };
    let headers = newest(&from_fn::<_, N, _>(header), never(8), flags.restart);
    let hits = roles.map(|role| role.outcome.is(outcome::ASYNC));
    let error = |lane: usize| {
        let is = |value: u64| roles[lane].outcome.is(value);
        let error = is(outcome::RESERVED).or(is(outcome::BAD_SEQUENCE));
        Write {
            write: error.or(hits[lane]),
            value: error,
        }
    };
    let loss = Write {
        write: flags.lost,
        value: flags.resumed,
    };
    let suspects = newest(&from_fn::<_, N, _>(error), loss, flags.restart);
    let kept = roles.map(|role| role.kept);
    let ends = roles.map(|role| role.part_ends);
    let indices = indices(&kept, &ends);

    let action = |lane: usize| {
        let role = &roles[lane];
        let header = headers[lane + 1];
        let class = header_class::of(header);
        let is_packet = role.outcome.is(outcome::PACKET);
        let is_reserved = role.outcome.is(outcome::RESERVED);
        Action {
            kept: role.kept,
            outcome: role.outcome,
            suspect: suspects[lane].and(hits[lane].not()),
            header,
            put_lead: role.lead,
            put_field: role.field,
            index: indices[lane],
            field_ends: role.field.and(role.part_ends),
            address: role.completes.and(class.address),
            is1: class.is1,
            exact: all(&[role.is_header, is_reserved.not(), class.exact]),
            zero: role.zero,
            timestamp: role.timestamp,
            info: role.info,
            vmid: vmid_bytes(config.vmid_last, role.vmid),
            vmid_ends: role.vmid.bit(0),
            cid: join((0..4).rev().map(|index| role.cid.bit(index))),
            clear: is_packet.and(class.trace_info),
        }
        .pack()
    };
    CodeOutputs {
        flags_out: flags.pack(),
        octet_out: octets.map(|octet| vec![octet]),
        action: from_fn(action),
    }
}
