// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OclaHalf`: the bytes of one trace unit in a half of the words that an On-Chip Logic Analyzer takes.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `at_data_0[5:0]` .. `at_data_31` | in | which bit of the half is that bit of ATDATA; steady |
//! | `at_bytes[11:0]` | in | the same of ATBYTES, the lower bit first; steady |
//! | `at_valid[5:0]` | in | the same of ATVALID; steady |
//! | `s_valid`, `s_half[35:0]` | in | a word is there, and its half; it cannot be refused |
//! | `m_valid` | out | bytes of trace are there |
//! | `m_keep[3:0]` | out | which bytes count, the first ones |
//! | `m_data[31:0]` | out | the bytes, the first one lowest |
//!
//! A table in constants takes no logic but that of the keep mask; one in registers takes a multiplexer for each bit.
//! There is no frame and no trace ID: a half is one source, and goes straight to a decoder that takes any keep mask.
//! [`HalfTable`](coretrace_coresight::ocla::HalfTable) is its model.
//!
//! Latency 2 cycles. Throughput one word per cycle.
//! Source: which bits they are is not public; the bus is that of Arm IHI 0032 (ATB).

use coretrace_coresight::ocla::HALF_BITS;
use coretrace_hdl_dataflow::{Word, clocked_block, join, mux_tree, named};
use rust_hdl::prelude::*;

/// Width of the number of a bit.
pub const PLACE_W: usize = 6;

const HALF_W: usize = HALF_BITS as usize;

clocked_block! {
    /// A half of the words of an OCLA; see the module text. `N` is 32, `P` is 1.
    pub struct OclaHalf;
    inputs OclaInputs {
        at_bytes: Bits<12>,
        at_valid: Bits<PLACE_W>,
        s_valid: Bit,
        s_half: Bits<HALF_W>,
    }
    lane_inputs { at_data: Bits<PLACE_W>, }
    outputs OclaOutputs {
        m_valid: Bit,
        m_keep: Bits<4>,
        m_data: Bits<32>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel ocla_half;
}

#[named]
fn ocla_half<T: Word, const N: usize, const P: usize>(
    i: OclaInputs<T::Port, N>,
) -> OclaOutputs<T, N, P> {
    let place_width = PLACE_W as u32;
    let half = T::field(&i.s_half, 0, HALF_BITS).reg();
    let present = T::field(&i.s_valid, 0, 1).reg();
    let bits: Vec<T> = (0..HALF_BITS).map(|bit| half.bit(bit)).collect();
    let at = |place: T| mux_tree(&bits, place.steady(), place_width);
    let bytes = |bit: u32| at(T::field(&i.at_bytes, bit * place_width, place_width));
    let data = i
        .at_data
        .iter()
        .map(|place| at(T::field(place, 0, place_width)));

    let (low, high) = (bytes(0), bytes(1));
    let one = T::constant(1, 1);
    let keep = join([one, low.or(high), high, low.and(high)]);
    let valid = present.and(at(T::field(&i.at_valid, 0, place_width)));
    OclaOutputs {
        m_valid: vec![valid],
        m_keep: vec![keep],
        m_data: vec![join(data)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_coresight::ocla::HalfTable;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::rngs::StdRng;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};

    /// A table of different bits.
    fn table(rng: &mut StdRng) -> HalfTable {
        let mut places: Vec<u8> = (0..HALF_BITS as u8).collect();
        places.shuffle(rng);
        HalfTable {
            data: std::array::from_fn(|bit| places[bit]),
            bytes: [places[32], places[33]],
            valid: places[34],
        }
    }

    fn block(table: &HalfTable) -> OclaHalf<32, 1> {
        let mut uut = OclaHalf::default();
        uut.connect_all();
        for (input, place) in uut.at_data.iter_mut().zip(table.data) {
            input.next = u64::from(place).into();
        }
        let [low, high] = table.bytes.map(u64::from);
        uut.at_bytes.next = (high << PLACE_W | low).into();
        uut.at_valid.next = u64::from(table.valid).into();
        uut
    }

    #[test]
    fn the_bytes_are_those_of_the_model_with_any_table() {
        for seed in 0..10 {
            let rng = &mut StdRng::seed_from_u64(seed);
            let table = table(rng);
            table.check().expect("a table");
            let mut uut = block(&table);
            let words: Vec<Option<u64>> = (0..200)
                .map(|_| {
                    rng.random_bool(0.8)
                        .then(|| rng.random::<u64>() >> (64 - HALF_BITS))
                })
                .collect();
            let mut found = Vec::new();
            for word in words.iter().copied().chain([None; 2]) {
                uut.s_valid.next = word.is_some();
                uut.s_half.next = word.unwrap_or(0).into();
                cycle(&mut uut, |uut, clock| uut.clock.next = clock);
                let [keep, data] = [uut.m_keep.val().to_u64(), uut.m_data.val().to_u64()];
                found.push(uut.m_valid.val().then_some((data as u32, keep)));
            }
            let want = words.iter().map(|word| {
                let (data, bytes) = table.bytes_of(word.unwrap_or(0));
                (word.is_some() && bytes > 0).then_some((data, (1 << bytes) - 1))
            });
            assert_eq!(
                found[1..=words.len()],
                want.collect::<Vec<_>>(),
                "seed {seed}"
            );
        }
    }
}
