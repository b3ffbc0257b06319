// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an opcode says of a packet that may begin in the word where it ends.

use super::layouts::opcode_of;
use super::roles::Role;
use coretrace_hdl_dataflow::{Table, Word, layout};
use coretrace_stm::Kind;
use std::sync::LazyLock;

layout! {
    /// How such a packet changes master, channel or coding.
    pub struct Renames {
        /// Two nibbles of data: M8, C8, MERR, GERR. What it sets, if anything, see `sets`.
        with_two: 1,
        /// Of these: M8 or GERR, which change whether the master is known.
        is_of_master: 1,
        /// Of these: M8 or C8, which set what they have.
        sets: 1,
        /// C16.
        with_four: 1,
        /// VERSION.
        is_version: 1,
    }
}

/// By the code of an opcode.
static RENAMES: LazyLock<Table> = LazyLock::new(|| {
    Renames::table(|code| {
        let kind = opcode_of(code).map(|it| it.kind);
        let is = |kinds: &[Kind]| u64::from(kind.is_some_and(|it| kinds.contains(&it)));
        Renames {
            with_two: is(&[
                Kind::Master,
                Kind::Channel8,
                Kind::MasterError,
                Kind::GlobalError,
            ]),
            is_of_master: is(&[Kind::Master, Kind::GlobalError]),
            sets: is(&[Kind::Master, Kind::Channel8]),
            with_four: is(&[Kind::Channel16]),
            is_version: is(&[Kind::Version]),
        }
    })
});

/// What the packet of a nibble changes that completes an opcode.
pub fn renames<T: Word>(role: &Role<T>) -> Renames<T> {
    Renames::split(role.code.extend(8).rom(&RENAMES))
}
