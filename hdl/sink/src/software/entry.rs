// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records of a byte, as the FIFO of a [`SoftwareSender`](super::SoftwareSender) holds them.

use coretrace_abi::software_stream::ending;
use coretrace_hdl_dataflow::{Word, layout, named};
use coretrace_hdl_software::{itm, stp};

layout! {
    /// The records of a byte: that of a loss before it, one that ends in it, and for an STM a second one. The second
    /// one of two has no data. The other fields are in `coretrace_abi::software_stream`.
    pub struct Entry {
        has_loss: 1,
        has_first: 1,
        has_second: 1,
        loss_length: 32,
        first_ending: 3,
        first_suspect: 1,
        first_header: 8,
        first_last: 8,
        first_length: 32,
        second_ending: 3,
        second_suspect: 1,
        second_header: 8,
        second_last: 8,
        second_length: 32,
        size: 5,
        coding: 2,
        master_known: 1,
        master: 8,
        channel: 16,
        lane: 2,
        data: 64,
        time: 64,
        row: 32,
    }
}

/// Bits of an [`Entry`].
pub const ENTRY_W: usize = Entry::WIDTH;

// The decoders end records as the stream does.
const _: () = {
    use itm::layouts::outcome as of_itm;
    use stp::layouts::outcome as of_stp;
    assert!(of_stp::PACKET == ending::PACKET && of_itm::PACKET == ending::PACKET);
    assert!(of_stp::ASYNC == ending::SYNC && of_itm::SYNC == ending::SYNC);
    assert!(of_stp::RESERVED == ending::RESERVED && of_itm::RESERVED == ending::RESERVED);
    assert!(of_stp::BAD_SEQUENCE == ending::BAD_SEQUENCE);
    assert!(of_itm::BAD_SEQUENCE == ending::BAD_SEQUENCE);
};

/// A number of 32 bits plus another one, saturating.
#[named]
pub(super) fn saturating_sum<T: Word>(value: T, more: u64) -> T {
    let sum = value.extend(33).add_const(more);
    let most = T::constant(u32::MAX.into(), 32);
    sum.bit(32).mux(most, sum.slice(0, 32))
}
