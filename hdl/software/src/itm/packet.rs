// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet, put together from its bytes.

use super::layouts::{LEN_W, PAYLOAD_W, Packet, Role};
use coretrace_hdl_dataflow::{Word, join, named};

/// The packet after each byte.
#[named]
pub(super) fn packet<T: Word>(role: &Role<T>, lives: T) -> Packet<T> {
    let stage = role.octet.stage();
    let (header, next_header) = T::register(8, stage);
    let (len, next_len) = T::register(LEN_W as u32, stage);
    let (payload, next_payload) = T::register(PAYLOAD_W as u32, stage);
    let bytes = (0..PAYLOAD_W as u32 / 8).map(|place| {
        let is_put = role.puts.and(len.is(place.into()));
        is_put.mux(role.octet, payload.slice(8 * place, 8))
    });
    let keeps = role.begins.not();
    let packet = Packet {
        header: role.begins.mux(role.octet, header),
        len: role.puts.mux(len.add_const(1), len).mask(keeps),
        payload: join(bytes).mask(keeps),
    };
    T::set_next(next_header, packet.header.mask(lives));
    T::set_next(next_len, packet.len.mask(lives));
    T::set_next(next_payload, packet.payload.mask(lives));
    packet
}
