// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the opcode of a packet says of it.

use super::layouts::opcode_of;
use coretrace_hdl_dataflow::{Table, Word, layout};
use coretrace_stm::Kind;
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
        let kind = opcode.map(|it| it.kind);
        let is = |kinds: &[Kind]| u64::from(kind.is_some_and(|it| kinds.contains(&it)));
        let data = opcode.map_or(0, |it| it.data);
        Opcode {
            is_stamped: opcode.is_some_and(|it| it.is_stamped).into(),
            sets_master: is(&[Kind::Master]),
            sets_channel: is(&[Kind::Channel8, Kind::Channel16]),
            sets_high: is(&[Kind::Channel16]),
            clears_master: is(&[Kind::GlobalError, Kind::Version]),
            clears_channel: is(&[
                Kind::Master,
                Kind::MasterError,
                Kind::GlobalError,
                Kind::Version,
            ]),
            forgets_master: is(&[Kind::GlobalError]),
            is_frequency: is(&[Kind::Frequency]),
            is_version: is(&[Kind::Version]),
            lacks: (0..5).map(|bit| u64::from(data < 1 << bit) << bit).sum(),
        }
    })
});

/// What an opcode says, by [`CODE_W`](super::layouts::CODE_W) bits.
pub fn opcode<T: Word>(code: T) -> Opcode<T> {
    Opcode::split(code.extend(8).rom(&OPCODES))
}
