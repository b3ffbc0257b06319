// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HeaderPreprocess`: all that the bytes alone say, whatever the stream state.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `cfg`, `lenient` | in | [`DecoderConfig`]; error policy: 0 resync, 1 lenient |
//! | `valid`, `discontinuity` | in | a word is there; bytes were lost before it |
//! | `octet[N]`, `keep[N]` | in | bytes, lane 0 first, and which of them count |
//! | `flags` | out | [`WordFlags`] |
//! | `next_after_loss`, `resume_next` | out | the word of the next cycle starts behind a loss or a reset; it starts with a header |
//! | `octet_out[N]` | out | bytes |
//! | `enables[N]`, `predecode[N]` | out | [`Enables`](super::layouts::Enables) and [`Predecode`](super::layouts::Predecode) of each byte |
//!
//! Latency 4 cycles, one word per cycle. Feed-forward but for two counts of bytes: zeros, for the
//! A-Sync packet, and bytes with bit 7 set, for the ninth byte of a Timestamp packet.

use super::enables::{Byte, enables};
use super::layouts::{ENABLES_W, PREDECODE_W, WORD_FLAGS_W, WordFlags};
use super::run_length::{TIMESTAMP_BYTES, ZEROS, runs};
use crate::layouts::{CONFIG_W, DecoderConfig};
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, named};
use rust_hdl::prelude::*;
use std::array::from_fn;

clocked_block! {
    /// Header pre-processing; see the module text.
    pub struct HeaderPreprocess;
    inputs PreprocessInputs {
        reset: Bit,
        cfg: Bus<CONFIG_W>,
        lenient: Bit,
        valid: Bit,
        discontinuity: Bit,
    }
    lane_inputs { octet: Bits<8>, keep: Bit, }
    outputs PreprocessOutputs {
        flags: Bus<WORD_FLAGS_W>,
        next_after_loss: Bit,
        resume_next: Bit,
    }
    lane_outputs {
        octet_out: Bits<8>,
        enables: Bus<ENABLES_W>,
        predecode: Bus<PREDECODE_W>,
    }
    pair_outputs {}
    kernel header_preprocess;
}

#[named]
fn header_preprocess<T: Word, const N: usize, const P: usize>(
    i: PreprocessInputs<T::Port, N>,
) -> PreprocessOutputs<T, N, P> {
    let config = DecoderConfig::unpack(&i.cfg).map(T::steady);
    let lenient = T::field(&i.lenient, 0, 1).steady();
    let restart_in = T::field(&i.reset, 0, 1);
    let valid_in = T::field(&i.valid, 0, 1).and(restart_in.not());
    let lost_in = T::field(&i.discontinuity, 0, 1).and(valid_in);
    let [restart, valid, lost] = [restart_in, valid_in, lost_in].map(T::reg);
    let kept: [T; N] = from_fn(|lane| T::field(&i.keep[lane], 0, 1).and(valid_in).reg());
    let octets: [T; N] = from_fn(|lane| T::field(&i.octet[lane], 0, 8).reg());

    let zeros = octets.map(|octet| octet.is(0));
    let more = octets.map(|octet| octet.bit(7));
    let after_zeros = runs(&ZEROS, &kept, &zeros, restart.or(lost));
    let after_eight = runs(&TIMESTAMP_BYTES, &kept, &more, restart);
    let lanes: [_; N] = from_fn(|lane| {
        let byte = Byte {
            octet: octets[lane],
            kept: kept[lane],
            after_zeros: after_zeros[lane],
            after_eight: after_eight[lane],
        };
        enables(&config, lenient, byte)
    });

    // Whether an A-Sync has come since the reset: after a loss, the lenient policy reads on.
    let hit = any(&lanes.map(|(_, predecode)| predecode.hit));
    let now = hit.stage();
    let (synced, held) = T::register(1, now);
    let synced_after = synced.or(hit);
    let restart_next = restart.at_stage(now - 1).next_word();
    T::set_next(held, synced_after.and(restart_next.not()));
    let next_after_loss = lost.at_stage(now - 1).next_word();
    let resume_next = all(&[next_after_loss, synced_after, lenient]);
    let flags = WordFlags {
        restart,
        valid,
        lost,
        resumed: all(&[lost.at_stage(now), synced, lenient]),
    };
    PreprocessOutputs {
        flags: flags.pack(),
        next_after_loss: vec![next_after_loss.or(restart_next)],
        resume_next: vec![resume_next],
        octet_out: octets.map(|octet| vec![octet]),
        enables: lanes.map(|(enables, _)| enables.pack()),
        predecode: lanes.map(|(_, predecode)| predecode.pack()),
    }
}
