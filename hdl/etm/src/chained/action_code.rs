// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ActionCode`: what each byte of a word does to the trace state.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `role[N]` | in | [`Role`] of each byte |
//! | `action[N]` | out | [`Action`] of each byte |
//!
//! Combinational, feed-forward, one lane as any other.

use crate::layouts::{ACTION_W, Action, ROLE_W, Role, form, part};
use coretrace_etm::header::TRACE_INFO;
use coretrace_hdl_dataflow::{Bus, Word, all, any, kernel_block};
use rust_hdl::prelude::*;

kernel_block! {
    /// Action codes; see the module text.
    pub struct ActionCode;
    inputs ActionCodeInputs {}
    lane_inputs { role: Bus<ROLE_W>, }
    outputs ActionCodeOutputs {}
    lane_outputs { action: Bus<ACTION_W>, }
    kernel action_code;
}

fn action<T: Word>(role: &Role<T>) -> Action<T> {
    let in_part = |number: u64| role.part.is(number);
    let in_lead = in_part(part::LEAD);
    let in_ids = in_part(part::VMID).or(in_part(part::CID));
    let in_field = any(&[0, 1, 2, 3, 4].map(|field| in_part(part::FIELD0 + field)));
    // PLCTL is the only lead of Trace Info.
    let in_plctl = all(&[in_lead, role.header.is(TRACE_INFO.into()), role.index.any()]);
    let in_groups = role.index.lt(T::constant(5, 4));

    let header_names_address = role.is_header.and(role.form.is(form::MATCH));
    let lead_is_complete = in_lead.and(role.ends_part);
    Action {
        put_lead: in_lead.or(role.is_extension),
        put_field: in_field.and(in_groups),
        field_ends: role.ends_part.and(in_field.or(in_plctl)),
        put_stage: in_ids,
        index: role.index,
        form: role.form.mask(header_names_address.or(lead_is_complete)),
        is1: role.is1,
        set_info: in_part(part::INFO),
        set_vmid: in_part(part::VMID).and(role.ends_part),
        set_cid: in_part(part::CID).and(role.ends_part),
        trace_info: role.trace_info,
        outcome: role.outcome,
        header: role.header,
        suspect: role.suspect,
    }
}

fn action_code<T: Word, const N: usize>(
    i: ActionCodeInputs<T::Port, N>,
) -> ActionCodeOutputs<T, N> {
    ActionCodeOutputs {
        action: i.role.map(|role| action(&Role::unpack(&role)).pack()),
    }
}
