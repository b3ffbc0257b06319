// SPDX-License-Identifier: MIT OR Apache-2.0
//! What becomes of the address registers that a reader knows, for the tables of the packers.

use coretrace_abi::record_stream::{AddressRule, KnownAddresses};

/// Whether a reader knows no address register after a tag without an address; `ete` of an ETE.
pub(super) fn clears_address_history(tag: u8, ete: bool) -> bool {
    let mut known = KnownAddresses {
        count: 3,
        ete,
        ..KnownAddresses::default()
    };
    known.count(tag, AddressRule::None);
    known.count == 0
}
