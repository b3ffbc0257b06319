// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets to nibbles: the inverse of the parser.

use crate::{ASYNC_FS, Kind, Packet, Stamp};

/// Gives out the nibbles of a packet in the order of the stream. False, and nothing is given out, if its
/// timestamp has a number of nibbles that cannot be sent.
pub fn emit(packet: &Packet, mut out: impl FnMut(u8)) -> bool {
    let Packet {
        opcode,
        data,
        stamp,
    } = packet;
    let Some(size) = Stamp::size_of(stamp.nibbles) else {
        return false;
    };
    if opcode.kind == Kind::Async {
        (0..ASYNC_FS).for_each(|_| out(0xF));
        out(0);
        return true;
    }
    put(opcode.code.into(), opcode.nibbles, &mut out);
    put(*data, opcode.data, &mut out);
    if opcode.is_stamped {
        out(size);
        put(stamp.value, stamp.nibbles, &mut out);
    }
    true
}

/// The low `nibbles` nibbles of a value, the highest first.
fn put(value: u64, nibbles: u8, out: &mut impl FnMut(u8)) {
    for place in (0..nibbles).rev() {
        out((value >> (4 * place)) as u8 & 0xF);
    }
}
