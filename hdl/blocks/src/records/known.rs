// SPDX-License-Identifier: MIT OR Apache-2.0
//! What becomes of the address registers that a reader knows, for the tables of the packers.

use etm4_protocol::record_stream::{AddressRule, KnownAddresses};

/// Whether a reader knows no address register after a tag that tells none; `ete` of an ETE.
pub(super) fn forgets(tag: u8, ete: bool) -> bool {
    let mut known = KnownAddresses {
        count: 3,
        ete,
        ..KnownAddresses::default()
    };
    known.count(tag, AddressRule::None);
    known.count == 0
}
