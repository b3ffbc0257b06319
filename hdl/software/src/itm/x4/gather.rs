// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets, put together from their bytes.
//!
//! Only the first packet that ends in a word can have bytes from before it: what the word has of it is moved
//! behind them once. Packets behind it are read from the word alone.

use super::super::layouts::{LEN_W, PAYLOAD_W, Packet};
use super::stream::Role;
use crate::input::of_next;
use crate::words::at_first;
use coretrace_hdl_dataflow::{Table, Word, any, join, named};
use std::sync::LazyLock;

/// The length behind a byte, by the one before it; the bit above says that the byte belongs to the payload.
static LENS: LazyLock<Table> = LazyLock::new(|| {
    Table::new(LEN_W as u32, |index| {
        (index as u64 % 8 + (index as u64 >> LEN_W & 1)) % 8
    })
});

/// Sums of two lengths, as a table: a carry chain is long to enter and to leave.
static SUMS: LazyLock<Table> =
    LazyLock::new(|| Table::new(LEN_W as u32, |pair| (pair as u64 % 8 + pair as u64 / 8) % 8));

/// The packets of a word.
pub struct Gathered<T> {
    /// The first one that ends, or the one that goes on.
    pub first: Packet<T>,
    /// For each byte the packet that ends there, as far as it is in the word.
    pub by_byte: Vec<Packet<T>>,
}

/// The payload of a packet after each byte of a word, as far as it is in the word.
#[named]
fn in_word<T: Word>(roles: &[Role<T>], ends: &[T]) -> Vec<(T, T)> {
    let mut payload: Option<T> = None;
    let mut len = T::constant(0, LEN_W as u32);
    let mut after = Vec::new();
    for (role, &end) in roles.iter().zip(ends) {
        let places = payload.map_or(0, |it| it.width() / 8);
        let bytes = (0..=places).map(|place| {
            let is_put = role.puts.and(len.is(place.into()));
            let old = match payload {
                Some(payload) if place < places => payload.slice(8 * place, 8),
                _ => T::constant(0, 8),
            };
            is_put.mux(role.octet, old)
        });
        let grown = join(bytes.collect::<Vec<T>>());
        let grown_len = role.puts.concat(len).extend(8).rom(&LENS);
        after.push((grown, grown_len));
        payload = Some(grown.mask(end.not()));
        len = grown_len.mask(end.not());
    }
    after
}

/// So many bytes of 0 before a payload.
fn moved<T: Word>(payload: T, by: T) -> T {
    let width = PAYLOAD_W as u32;
    (0..LEN_W as u32).fold(payload.extend(width), |value, bit| {
        let shift = 8 << bit;
        let far = value.slice(0, width - shift).concat(T::constant(0, shift));
        by.bit(bit).mux(far, value)
    })
}

/// The packets of a word, one register behind the roles of its bytes.
#[named]
pub fn gathered<T: Word>(roles: &[Role<T>], restarts: T) -> Gathered<T> {
    let ends: Vec<T> = roles.iter().map(|role| role.ends).collect();
    let last_end = ends[ends.len() - 1];
    let in_word = in_word(roles, &ends);
    let payloads: Vec<T> = in_word.iter().map(|it| it.0.extend(32)).collect();
    let lens: Vec<T> = in_word.iter().map(|it| it.1).collect();
    let headers = headers(roles);

    let (first_payload, first_len) = (at_first(&ends, &payloads), at_first(&ends, &lens));
    let (first_payload, first_len) = (first_payload.reg(), first_len.reg());
    let keeps = last_end.not();
    let rest = payloads[payloads.len() - 1].mask(keeps).reg();
    let rest_len = lens[lens.len() - 1].mask(keeps).reg();
    let any_ends = any(&ends).reg();
    let now = any_ends.stage();
    let (held_payload, next_payload) = T::register(PAYLOAD_W as u32, now);
    let (held_len, next_len) = T::register(LEN_W as u32, now);
    let first = Packet {
        header: at_first(&ends, &headers).reg(),
        len: first_len.concat(held_len).extend(8).rom(&SUMS),
        payload: held_payload.or(moved(first_payload, held_len)),
    };
    let goes_on = of_next(restarts, now).not();
    let payload = any_ends.mux(rest.extend(PAYLOAD_W as u32), first.payload);
    T::set_next(next_payload, payload.mask(goes_on));
    T::set_next(next_len, any_ends.mux(rest_len, first.len).mask(goes_on));
    let by_byte = in_word
        .iter()
        .zip(headers)
        .map(|(&(payload, len), header)| Packet {
            header: header.reg(),
            len: len.reg(),
            payload: payload.extend(PAYLOAD_W as u32).reg(),
        });
    Gathered {
        first,
        by_byte: by_byte.collect(),
    }
}

/// The header of the packet of each byte.
#[named]
fn headers<T: Word>(roles: &[Role<T>]) -> Vec<T> {
    let (held, next) = T::register(8, roles[0].octet.stage());
    let mut header = held;
    let mut headers = Vec::new();
    for role in roles {
        header = role.begins.mux(role.octet, header);
        headers.push(header);
    }
    T::set_next(next, header);
    headers
}
