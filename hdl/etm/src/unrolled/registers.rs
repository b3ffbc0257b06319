// SPDX-License-Identifier: MIT OR Apache-2.0
//! Leads, continuation fields, timestamp and context after each pair of lanes.

use super::index::at_least;
use super::layouts::Action;
use super::slots::{Change, Put, by_pair, by_word, last_put, register};
use coretrace_hdl_dataflow::{Word, all, any, join, latest, named};

/// Bytes of a lead that are kept.
const LEAD_BYTES: usize = 9;
/// Groups of seven bits of a continuation field that are kept.
const FIELD_GROUPS: usize = 5;
/// Bytes of an identifier.
const ID_BYTES: u32 = 4;

/// A lane of a word.
#[derive(Clone, Copy)]
pub(super) struct Lane<T> {
    pub octet: T,
    pub action: Action<T>,
}

/// A slot after each pair of lanes. `apart` is the least distance from the end of a record that shows
/// the slot to the next byte that is put into it.
///
/// A byte that comes at most once in a word serves both pairs: no record that shows it ends in a pair
/// before it.
#[named]
fn slot<T: Word>(apart: usize, puts: &[Put<T>], restart: T) -> Vec<T> {
    if apart < puts.len() {
        return by_pair(puts, restart);
    }
    vec![by_word(puts, restart); puts.len().div_ceil(2)]
}

#[named]
fn puts<T: Word>(lanes: &[Lane<T>], put: impl Fn(&Action<T>) -> T) -> Vec<Put<T>> {
    let put = |lane: &Lane<T>| Put {
        put: put(&lane.action),
        value: lane.octet.reg(),
    };
    lanes.iter().map(put).collect()
}

/// The bytes of the lead after each pair of lanes: `list[pair][index]`.
#[named]
pub(super) fn leads<T: Word>(lanes: &[Lane<T>], restart: T) -> Vec<Vec<T>> {
    let slots: Vec<Vec<T>> = (0..LEAD_BYTES)
        .map(|index| {
            let put = |action: &Action<T>| action.put_lead.and(action.index.is(index as u64));
            // A header and the bytes before it.
            slot(index + 2, &puts(lanes, put), restart)
        })
        .collect();
    by_pairs(&slots)
}

/// `list[pair][slot]` from `slots[slot][pair]`.
#[named]
fn by_pairs<T: Word>(slots: &[Vec<T>]) -> Vec<Vec<T>> {
    (0..slots[0].len())
        .map(|pair| slots.iter().map(|slot| slot[pair]).collect())
        .collect()
}

/// Whether a lane of each pair does something, and the pair.
#[named]
fn in_pair<T: Word>(pair: &[Lane<T>], does: impl Fn(&Action<T>) -> T) -> T {
    any(&pair
        .iter()
        .map(|lane| does(&lane.action))
        .collect::<Vec<_>>())
}

/// The continuation field of two or more bytes that ends in each pair of lanes, 32 bits.
#[named]
pub(super) fn fields<T: Word>(lanes: &[Lane<T>], restart: T) -> Vec<T> {
    let at = |index: u64| move |action: &Action<T>| action.put_field.and(action.index.is(index));
    let groups: Vec<Vec<T>> = (0..FIELD_GROUPS)
        .map(|group| {
            let puts = puts(lanes, at(group as u64));
            match group {
                0 => first_groups(&puts, restart),
                // Fields may follow each other without a header between them.
                _ => slot(group + 1, &puts, restart),
            }
        })
        .collect();
    let field = |(number, pair): (usize, &[Lane<T>])| {
        // A field of two or more bytes that ends in the first lane is the only one of the pair.
        let first = &pair[0].action;
        let last = &pair[pair.len() - 1].action;
        let index = all(&[first.field_ends, first.index.any()]).mux(first.index, last.index);
        let group = |group: usize| {
            let bits = 7.min(32 - 7 * group as u32);
            let value = groups[group][number].slice(0, bits);
            let unread = at_least(index, group).not();
            match group {
                0 | 1 => value,
                _ => unread
                    .at_stage(value.stage() - 1)
                    .reg()
                    .mux(T::constant(0, bits), value),
            }
        };
        join((0..FIELD_GROUPS).map(group))
    };
    lanes.chunks(2).enumerate().map(field).collect()
}

/// Group 0 after the first lane of each pair: what begins in the second lane is longer than a byte
/// only if it ends in a later pair.
#[named]
fn first_groups<T: Word>(puts: &[Put<T>], restart: T) -> Vec<T> {
    let word = last_put(puts);
    let (held, handle) = T::register(word.value.width(), latest([word.put, word.value]));
    let zero = T::constant(0, held.width());
    T::set_next(handle, restart.mux(zero, word.put.mux(word.value, held)));
    (0..puts.len())
        .step_by(2)
        .map(|lane| {
            let upto = last_put(&puts[..=lane]);
            upto.put.mux(upto.value, held).reg()
        })
        .collect()
}

/// A register that a Trace Info clears, after each pair. `value` is what a pair gives it.
#[named]
fn cleared<T: Word>(
    lanes: &[Lane<T>],
    restart: T,
    takes: impl Fn(&Action<T>) -> T,
    value: impl Fn(usize) -> T,
) -> Vec<T> {
    let change = |(number, pair): (usize, &[Lane<T>])| Change {
        take: in_pair(pair, &takes),
        value: value(number),
        clear: in_pair(pair, |action| action.clear),
    };
    let changes: Vec<Change<T>> = lanes.chunks(2).enumerate().map(change).collect();
    register(&changes, restart)
}

/// The timestamp after each pair: as many groups of seven bits as were read.
#[named]
pub(super) fn timestamps<T: Word>(lanes: &[Lane<T>], leads: &[Vec<T>], restart: T) -> Vec<T> {
    let groups: Vec<Vec<T>> = (0..LEAD_BYTES)
        .map(|group| {
            let bits = if group + 1 == LEAD_BYTES { 8 } else { 7 };
            let takes = |action: &Action<T>| match group {
                0 => action.timestamp,
                _ => action.timestamp.and(at_least(action.index, group)),
            };
            cleared(lanes, restart, takes, |pair| {
                leads[pair][group].slice(0, bits)
            })
        })
        .collect();
    by_pairs(&groups).into_iter().map(join).collect()
}

/// The context after each pair.
pub(super) struct Context<T> {
    pub info: Vec<T>,
    pub vmid: Vec<T>,
    pub cid: Vec<T>,
}

#[named]
pub(super) fn contexts<T: Word>(lanes: &[Lane<T>], restart: T) -> Context<T> {
    let info = |pair: usize| {
        let puts = puts(&lanes[2 * pair..lanes.len().min(2 * pair + 2)], |action| {
            action.info
        });
        last_put(&puts).value.reg()
    };
    let bytes = |of: fn(&Action<T>) -> T, apart: &dyn Fn(usize) -> usize| {
        let slots: Vec<Vec<T>> = (0..ID_BYTES)
            .map(|index| {
                let puts = puts(lanes, |action| of(action).bit(index));
                slot(apart(index as usize), &puts, restart)
            })
            .collect();
        by_pairs(&slots)
    };
    // Between the end of a packet and the same byte of the next one: a header, the information byte,
    // and the bytes of the identifier before it.
    let vmid = bytes(|action| action.vmid, &|index| index + 3);
    let cid = bytes(|action| action.cid, &|index| index + 3);
    let joined = |bytes: &[T]| join(bytes.iter().copied());
    Context {
        info: cleared(lanes, restart, |action| action.info, info),
        vmid: cleared(
            lanes,
            restart,
            |action| action.vmid_ends,
            |pair| joined(&vmid[pair]),
        ),
        cid: cleared(
            lanes,
            restart,
            |action| action.cid.bit(ID_BYTES - 1),
            |pair| joined(&cid[pair]),
        ),
    }
}
