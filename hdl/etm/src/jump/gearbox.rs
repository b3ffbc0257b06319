// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Gearbox`: words with any keep mask in, words without gaps out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `valid`, `discontinuity` | in | a word is there; bytes were lost before it |
//! | `octet[N]`, `keep[N]` | in | bytes, lane 0 first, and which of them count |
//! | `flags` | out | [`WordFlags`] |
//! | `octet_out[N]`, `lane[N]` | out | bytes, and [`LaneFlags`] of each |
//!
//! Bytes that count are squeezed together and kept until they fill a word. Nothing can make the
//! input wait: at most one word goes out for each one that comes in, and what is left over is
//! never more than a word.
//! - In a cycle in which no byte comes in, an unfinished word is *shown*: it goes out to be
//!   reported, stays here, and comes again when it is full. So the last bytes before an idle source
//!   are reported one cycle after them, and no state behind depends on an unfinished word.
//! - A discontinuity sends the unfinished word out for good.

use super::layouts::{LANE_FLAGS_W, LaneFlags, WORD_FLAGS_W, WordFlags};
use super::{at_least, lanes_of};
use coretrace_hdl_dataflow::{
    Bus, Table, Word, all, any, clocked_block, count_ones, join, latest, named,
};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

clocked_block! {
    /// Squeezes gaps out of words; see the module text.
    pub struct Gearbox;
    inputs GearboxInputs { reset: Bit, valid: Bit, discontinuity: Bit, }
    lane_inputs { octet: Bits<8>, keep: Bit, }
    outputs GearboxOutputs { flags: Bus<WORD_FLAGS_W>, }
    lane_outputs { octet_out: Bits<8>, lane: Bus<LANE_FLAGS_W>, }
    pair_outputs {}
    kernel gearbox;
}

/// Sums of two numbers of four bits, as a table: a carry chain is long to enter and to leave.
static SUMS: LazyLock<Table> =
    LazyLock::new(|| Table::new(SUM_W, |pair| (pair % 16 + pair / 16) as u64));
/// Bits of such a sum.
const SUM_W: u32 = 5;

/// What makes 16 of a number.
static NEGATIVES: LazyLock<Table> = LazyLock::new(|| Table::new(4, |n| (16 - n as u64 % 16) % 16));

/// The sum of two numbers of up to four bits: five bits.
#[named]
fn sum<T: Word>(one: T, other: T) -> T {
    other.extend(4).concat(one.extend(4)).rom(&SUMS)
}

/// A word whose bytes stand in its first lanes.
struct Squeezed<T> {
    octets: Vec<T>,
    /// Number of bytes, and whether that is all lanes.
    count: T,
    full: T,
}

/// Moves every byte down by the number of gaps before it: by 1, by 2, by 4 and so on.
#[named]
fn squeeze<T: Word>(keep: &[T], octets: &[T]) -> Squeezed<T> {
    let lanes = keep.len();
    let bits = lanes.ilog2();
    let mut gaps = T::constant(0, bits);
    let mut shifts = Vec::new();
    for four in keep.chunks(4) {
        // The gaps in front of each of the four lanes, and in all of them.
        let upto = |lanes: &[T]| {
            let gone = join(lanes.iter().copied()).not();
            sum(gaps, count_ones(gone)).slice(0, bits)
        };
        shifts.push(gaps);
        shifts.extend((1..four.len()).map(|lane| upto(&four[..lane])));
        gaps = upto(four).reg();
    }
    let full = all(keep);
    let mut octets = octets.to_vec();
    let mut moves: Vec<T> = keep.iter().zip(&shifts).map(|(&k, &s)| s.mask(k)).collect();
    for bit in 0..bits {
        let step = 1 << bit;
        let zero = T::constant(0, bits);
        let above = |list: &[T], lane: usize, other: T| *list.get(lane + step).unwrap_or(&other);
        let moved = |lane: usize| above(&moves, lane, zero).bit(bit);
        octets = (0..lanes)
            .map(|lane| moved(lane).mux(above(&octets, lane, octets[lane]), octets[lane]))
            .collect();
        moves = (0..lanes)
            .map(|lane| {
                let stays = moves[lane].mask(moves[lane].bit(bit).not());
                moved(lane).mux(above(&moves, lane, zero), stays)
            })
            .collect();
        if bit % 2 == 1 || bit + 1 == bits {
            octets = octets.into_iter().map(T::reg).collect();
            moves = moves.into_iter().map(T::reg).collect();
        }
    }
    // Number of bytes modulo the number of lanes: what the gaps leave.
    let count = gaps.extend(8).rom(&NEGATIVES).slice(0, bits);
    Squeezed {
        octets,
        count: count.reg(),
        full: full.reg(),
    }
}

/// Moves every lane up by `by` lanes, those at the top to the bottom.
#[named]
fn rotate<T: Word>(mut octets: Vec<T>, by: T) -> Vec<T> {
    let lanes = octets.len();
    let mut low = 0;
    while low < by.width() {
        let bits = 2.min(by.width() - low);
        let select = by.slice(low, bits);
        octets = (0..lanes)
            .map(|lane| {
                let from = |steps: usize| octets[(lane + lanes - (steps << low)) % lanes];
                let pair = |high: usize| select.bit(0).mux(from(2 * high + 1), from(2 * high));
                let moved = if bits == 1 {
                    pair(0)
                } else {
                    select.bit(1).mux(pair(1), pair(0))
                };
                moved.reg()
            })
            .collect();
        low += bits;
    }
    octets
}

/// What one turn of the fill loop decides.
struct Turn<T> {
    /// Bytes that waited before, and whether that was all lanes.
    fill: T,
    is_full: T,
    /// A complete word goes out; an unfinished one does because of a loss.
    fills: T,
    cut: T,
    /// A loss comes in; a reset; no byte.
    lost: T,
    restart: T,
    empty: T,
}

/// Counts the bytes that wait: `fill`, or all lanes, then `fill` is 0.
#[named]
fn fill_loop<T: Word>(count: T, full: T, empty: T, lost: T, restart: T) -> Turn<T> {
    let bits = count.width();
    let now = latest([count, full, empty, lost, restart]);
    let (fill, fill_held) = T::register(bits, now);
    let (is_full, is_full_held) = T::register(1, now);
    let go = restart.not();
    let kept = fill.mask(lost.not());
    let sum = sum(kept, count);
    T::set_next(fill_held, sum.slice(0, bits).mask(go));
    let cut = lost.and(is_full.or(fill.any()));
    let stays_full = cut.or(lost.not().and(is_full));
    T::set_next(is_full_held, all(&[full, go, stays_full]));
    let overflows = any(&[is_full, full, sum.bit(bits)]);
    let fills = all(&[cut.not(), overflows, go]);
    Turn {
        fill: fill.reg(),
        is_full: is_full.reg(),
        fills: fills.reg(),
        cut: cut.and(go).reg(),
        lost: lost.and(go).at_stage(now).reg(),
        restart: restart.at_stage(now).reg(),
        empty: empty.at_stage(now).reg(),
    }
}

/// The flags of the word that goes out, and how many of its bytes have been shown before.
#[named]
fn show<T: Word>(turn: &Turn<T>) -> (WordFlags<T>, T) {
    let now = turn.fill.stage();
    let (shown, shown_held) = T::register(turn.fill.width(), now);
    let (lost_before, lost_before_held) = T::register(1, now);
    let (loss_pending, loss_pending_held) = T::register(1, now);
    let restarts_here = turn.lost.and(turn.cut.not());
    let lost = lost_before.or(restarts_here);
    let report_loss = loss_pending.or(restarts_here);
    let update = turn.fills.or(turn.cut);
    let unreported = loss_pending.or(shown.eq(turn.fill).not());
    let idle = all(&[turn.empty, turn.lost.not(), turn.is_full.not()]);
    let shows = all(&[idle, unreported, turn.restart.not()]);
    let keeps = update.or(turn.restart).not();
    T::set_next(shown_held, shows.mux(turn.fill, shown).mask(keeps));
    let stays_lost = lost.and(turn.fills.not());
    T::set_next(lost_before_held, any(&[turn.restart, turn.cut, stays_lost]));
    let stays_pending = all(&[report_loss, turn.fills.not(), shows.not()]);
    T::set_next(
        loss_pending_held,
        turn.cut.or(stays_pending).and(turn.restart.not()),
    );
    let flags = WordFlags {
        restart: turn.restart,
        valid: update.or(shows),
        update,
        lost,
        report_loss,
    };
    (flags, shown)
}

#[named]
fn gearbox<T: Word, const N: usize, const P: usize>(
    i: GearboxInputs<T::Port, N>,
) -> GearboxOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1).reg();
    let (reset, valid) = (bit(&i.reset), bit(&i.valid));
    let lost = bit(&i.discontinuity).and(valid);
    let keep: Vec<T> = i.keep.iter().map(|port| bit(port).and(valid)).collect();
    let octets: Vec<T> = i
        .octet
        .iter()
        .map(|port| T::field(port, 0, 8).reg())
        .collect();
    let empty = any(&keep).not().reg();
    let incoming = squeeze(&keep, &octets);
    let turn = fill_loop(incoming.count, incoming.full, empty, lost, reset);
    let (flags, shown) = show(&turn);

    let now = turn.fill.stage();
    let by = turn.fill.mask(turn.lost.not());
    let octets = incoming.octets.into_iter().map(|octet| octet.at_stage(now));
    let rotated = rotate(octets.collect(), by);
    let mut octet_out = Vec::new();
    let mut lanes = Vec::new();
    for (lane, &octet) in rotated.iter().enumerate() {
        let waits = turn.is_full.or(at_least(turn.fill, lane + 1)).reg();
        let (held, next) = T::register(8, octet.stage());
        T::set_next(next, flags.update.reg().or(waits.not()).mux(octet, held));
        octet_out.push(vec![waits.mux(held, octet)]);
        let live = turn.fills.reg().or(waits);
        let fresh = live.and(at_least(shown, lane + 1).not().reg());
        lanes.push(LaneFlags { live, fresh }.pack());
    }
    GearboxOutputs {
        flags: flags.pack(),
        octet_out: lanes_of(octet_out),
        lane: lanes_of(lanes),
    }
}
