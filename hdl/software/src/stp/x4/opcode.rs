// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the opcode of a packet says of it.

use super::super::trace_state::change_of;
use super::layouts::opcode_of;
use coretrace_hdl_dataflow::{Table, Word, layout};
use std::sync::LazyLock;

layout! {
    /// What an opcode says of its packet.
    pub struct Opcode {
        /// A timestamp follows.
        is_stamped: 1,
        /// It is M8.
        sets_master: 1,
        /// It is C8 or C16.
        sets_channel: 1,
        /// It is C16.
        sets_high: 1,
        /// The master is 0 behind it.
        clears_master: 1,
        /// The channel is 0 behind it.
        clears_channel: 1,
        /// It is GERR.
        forgets_master: 1,
        /// It is FREQ.
        is_frequency: 1,
        /// It is VERSION.
        is_version: 1,
        /// It has fewer nibbles of data than one, two, four, eight, and sixteen.
        lacks: 5,
    }
}

static OPCODES: LazyLock<Table> = LazyLock::new(|| {
    Opcode::table(|code| {
        let opcode = opcode_of(code);
        let change = change_of(opcode);
        let data = opcode.map_or(0, |it| it.data);
        Opcode {
            is_stamped: change.timestamp,
            sets_master: change.master,
            sets_channel: change.channel_low | change.channel,
            sets_high: change.channel,
            clears_master: change.clears_master,
            clears_channel: change.clears_channel,
            forgets_master: change.forgets_master,
            is_frequency: change.frequency,
            is_version: change.coding,
            lacks: (0..5).map(|bit| u64::from(data < 1 << bit) << bit).sum(),
        }
    })
});

/// What an opcode says, by [`CODE_W`](super::layouts::CODE_W) bits.
pub fn opcode<T: Word>(code: T) -> Opcode<T> {
    Opcode::split(code.extend(8).rom(&OPCODES))
}
