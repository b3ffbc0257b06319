// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data and the timestamp of a packet, put together from its nibbles.

use super::layouts::{Packet, Role};
use coretrace_hdl_dataflow::{Word, named};

/// A value with a nibble behind it.
fn pushed<T: Word>(value: T, nibble: T) -> T {
    value.slice(0, 60).concat(nibble)
}

/// The packet after a nibble.
#[named]
fn step<T: Word>(packet: Packet<T>, role: &Role<T>) -> Packet<T> {
    let keeps = role.begins.not();
    let data = role
        .puts_data
        .mux(pushed(packet.data, role.nibble), packet.data);
    let stamp = role
        .puts_stamp
        .mux(pushed(packet.stamp, role.nibble), packet.stamp);
    let nibbles = role.puts_size.mux(role.size, packet.stamp_nibbles);
    Packet {
        data: data.mask(keeps),
        stamp_nibbles: nibbles.mask(keeps),
        stamp: stamp.mask(keeps),
    }
}

/// The packet at the first nibble of a byte that ends a record, or after the last one. Behind such a nibble, no
/// other one of the byte ends a packet with data or a timestamp.
#[named]
pub(super) fn packet<T: Word>(roles: &[Role<T>], lives: T) -> Packet<T> {
    let stage = roles[0].outcome.stage();
    let (data, next_data) = T::register(64, stage);
    let (stamp, next_stamp) = T::register(64, stage);
    let (stamp_nibbles, next_nibbles) = T::register(5, stage);
    let mut packet = Packet {
        data,
        stamp_nibbles,
        stamp,
    };
    let afters: Vec<Packet<T>> = roles
        .iter()
        .map(|role| {
            packet = step(packet, role);
            packet
        })
        .collect();
    T::set_next(next_data, packet.data.mask(lives));
    T::set_next(next_stamp, packet.stamp.mask(lives));
    T::set_next(next_nibbles, packet.stamp_nibbles.mask(lives));
    let ends = roles.iter().zip(afters).rev();
    ends.fold(packet, |later, (role, after)| {
        Packet::mux(role.outcome.any(), after, later)
    })
}
