// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ActionCode`: what each byte of a word does to the trace state.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `cfg` | in | [`DecoderConfig`] |
//! | `role[N]` | in | [`Role`] of each byte |
//! | `action[N]` | out | [`Action`] of each byte |
//!
//! Combinational, feed-forward, one lane as any other.

use super::layouts::{
    ACTION_W, Action, CONFIG_W, DecoderConfig, ROLE_W, Role, count, elements, form, part,
};
use crate::dataflow::{Bus, Word, any, kernel_block, pick};
use etm4_protocol::Kind;
use rust_hdl::prelude::*;

kernel_block! {
    /// Action codes; see the module text.
    pub struct ActionCode;
    inputs ActionCodeInputs { cfg: Bus<CONFIG_W>, }
    lane_inputs { role: Bus<ROLE_W>, }
    outputs ActionCodeOutputs {}
    lane_outputs { action: Bus<ACTION_W>, }
    kernel action_code;
}

/// Where the number of P0 elements comes from: cycle counts have one only without COMMOPT.
fn element_source<T: Word>(config: &DecoderConfig<T>, role: &Role<T>) -> T {
    let is_kind = |kind: Kind| role.kind.is(kind.code().into());
    let source = |value: u64| T::constant(value, 3);
    let from_field = any(&[Kind::Commit, Kind::CancelF1, Kind::CancelF1Mispredict].map(is_kind));
    let counted = |kind: Kind| is_kind(kind).and(config.commopt.not());
    let format2 = role
        .header
        .bit(0)
        .mux(source(elements::MAXSPEC), source(elements::LEAD));
    pick(
        &[
            (
                from_field.or(counted(Kind::CycleCountF1)),
                source(elements::FIELD),
            ),
            (counted(Kind::CycleCountF2), format2),
            (counted(Kind::CycleCountF3), source(elements::COMMIT)),
            (is_kind(Kind::CancelF2), source(elements::ONE)),
            (is_kind(Kind::CancelF3), source(elements::CANCEL)),
        ],
        source(elements::NONE),
    )
}

fn action<T: Word>(config: &DecoderConfig<T>, role: &Role<T>) -> Action<T> {
    let in_part = |number: u64| role.part.is(number);
    let is_kind = |kind: Kind| role.kind.is(kind.code().into());
    let in_lead = in_part(part::LEAD);
    let in_ids = in_part(part::VMID).or(in_part(part::CID));
    // Fields 0 to 3 are the parts 3 to 6: field number = part + 1, modulo 4.
    let in_field = any(&[0, 1, 2, 3].map(|field| in_part(part::FIELD0 + field)));
    let in_groups = role.index.lt(T::constant(5, 4));

    let header_names_address = role.is_header.and(role.form.is(form::MATCH));
    let lead_is_complete = in_lead.and(role.ends_part);
    let count_known = role.header.bit(0).not();
    Action {
        clear: role.is_header.or(role.is_async),
        put_lead: in_lead.and(role.keeps_lead).or(role.is_extension),
        put_field: in_field.and(in_groups),
        field: role.part.slice(0, 2).add_const(1),
        put_stage: in_ids,
        index: role.index,
        form: role.form.gated(header_names_address.or(lead_is_complete)),
        is1: role.is1,
        set_info: in_part(part::INFO),
        set_vmid: in_part(part::VMID).and(role.ends_part),
        set_cid: in_part(part::CID).and(role.ends_part),
        trace_info: role.ends_record.and(is_kind(Kind::TraceInfo)),
        count: pick(
            &[
                (
                    is_kind(Kind::CycleCountF1).and(count_known),
                    T::constant(count::FIELD, 3),
                ),
                (is_kind(Kind::CycleCountF2), T::constant(count::LEAD, 3)),
                (is_kind(Kind::CycleCountF3), T::constant(count::HEADER, 3)),
                (role.header.is(0x03), T::constant(count::TIMESTAMP, 3)),
            ],
            T::constant(count::NONE, 3),
        ),
        elements: element_source(config, role),
        kind: role.kind.gated(role.ends_record),
        header: role.header,
        suspect: role.suspect,
        atom_count: role.atom_count,
        atom_bits: role.atom_bits,
    }
}

fn action_code<T: Word, const N: usize>(
    i: ActionCodeInputs<T::Port, N>,
) -> ActionCodeOutputs<T, N> {
    let config = DecoderConfig::unpack(&i.cfg);
    ActionCodeOutputs {
        action: i
            .role
            .map(|role| action(&config, &Role::unpack(&role)).pack()),
    }
}
