// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ElementRows<4, P>`: a result word of four lanes in, what makes elements of it out. `P` is not used.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `valid`, `lost` | in | a result word is there; bytes were lost before it |
//! | `keep[4]`, `lane[4]` | in | lanes that have a byte; [`LaneResult`] |
//! | `any` | out | there is a byte or a loss |
//! | `row` | out | an [`ElementRow`], then four [`ElementByte`] |
//!
//! Only the first address of a pair of lanes can be that of an atom: one byte of atoms is in front of each.
//!
//! Latency 2 cycles. Throughput one word per cycle.

use coretrace_etm::HEADERS;
use coretrace_hdl_dataflow::{Bus, Table, Word, all, any, clocked_block, join, layout, named};
use coretrace_hdl_etm::LaneResult;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, outcome};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

/// Bytes of a row.
pub const ROW_BYTES: usize = 4;
/// Bits of an address, without those that are 0 of A64 and A32.
pub const ELEMENT_ADDRESS_W: usize = 62;

layout! {
    /// What is in front of the bytes of a row.
    pub struct ElementRow {
        /// Bytes were lost in front of all of them.
        gap: 1,
        keep: ROW_BYTES,
        /// The address that ends in the lower and in the upper pair, divided by 4.
        address_0: ELEMENT_ADDRESS_W,
        address_1: ELEMENT_ADDRESS_W,
    }
}

layout! {
    /// A byte of a row.
    pub struct ElementByte {
        octet: 8,
        /// A record ends with it.
        ends: 1,
        is_atoms: 1,
        /// An address of A64 or A32 ends with it.
        is_address: 1,
        is_async: 1,
    }
}

/// Bits of a row.
pub const ELEMENT_ROW_W: usize = ElementRow::WIDTH + ROW_BYTES * ElementByte::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct ElementRows;
    inputs RowsInputs { valid: Bit, lost: Bit, }
    lane_inputs { keep: Bit, lane: Bus<LANE_RESULT_W>, }
    outputs RowsOutputs { any: Bit, row: Bus<ELEMENT_ROW_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel element_rows;
}

layout! {
    /// What a header says.
    struct HeaderKind {
        is_atoms: 1,
        is_address: 1,
    }
}

static KINDS: LazyLock<Table> = LazyLock::new(|| {
    HeaderKind::table(|header| {
        let kind = HEADERS[header].kind;
        HeaderKind {
            is_atoms: u64::from(kind.is_atoms()),
            is_address: u64::from(kind.is_address()),
        }
    })
});

#[named]
fn element_rows<T: Word, const N: usize, const P: usize>(
    i: RowsInputs<T::Port, N>,
) -> RowsOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1).reg();
    let valid = bit(&i.valid);
    let gap = valid.and(bit(&i.lost));
    let keep: Vec<T> = i.keep.iter().map(|port| valid.and(bit(port))).collect();
    let lanes = i
        .lane
        .iter()
        .map(|port| LaneResult::<T>::unpack(port).map(T::reg));
    let lanes: Vec<LaneResult<T>> = lanes.collect();
    let bytes = lanes.iter().map(|lane| {
        let kind = HeaderKind::split(lane.header.rom(&KINDS));
        let is_packet = lane.outcome.is(outcome::PACKET);
        ElementByte {
            octet: lane.octet,
            ends: lane.outcome.any(),
            is_atoms: is_packet.and(kind.is_atoms),
            is_address: all(&[is_packet, kind.is_address, lane.is1.not()]),
            is_async: lane.outcome.is(outcome::ASYNC),
        }
    });
    let bytes: Vec<ElementByte<T>> = bytes.collect();
    let address = |pair: usize| {
        let of = |lane: usize| lanes[lane].address.slice(2, ELEMENT_ADDRESS_W as u32);
        let first = 2 * pair;
        let is_first = keep[first].and(bytes[first].is_address);
        is_first.mux(of(first), of(first + 1))
    };
    let front = ElementRow {
        gap,
        keep: join(keep.iter().copied()),
        address_0: address(0),
        address_1: address(1),
    };
    let some = any(&keep).or(gap);
    let mut row = front.pack();
    row.extend(bytes.into_iter().flat_map(ElementByte::pack));
    RowsOutputs {
        any: vec![some],
        row,
    }
}
