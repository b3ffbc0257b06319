// SPDX-License-Identifier: MIT OR Apache-2.0
//! A decoder of one source: full words, or words with keep masks.

use anyhow::{Result, ensure};
use coretrace_decode::{Decoder, Policy};
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::{InputWord, ResultDecoder};
use coretrace_pipelines::sim::{full_words, simulate_source};
use coretrace_test_gen::{MAX_LANES_OF_EVERY_MASK, Rng, WorstCase, keep_masks};

use super::row::{Row, check, register_set, source_config};
use etm4_cli::progress::Progress;

/// The name of the stream with the masks of `coretrace_test_gen::keep_masks`.
pub const fn masked_stream(lanes: usize) -> &'static str {
    if lanes <= MAX_LANES_OF_EVERY_MASK {
        "every keep pattern"
    } else {
        "many keep patterns"
    }
}

/// Words whose keep masks cycle through all masks.
fn masked_words(lanes: usize, masks: &[u32], mut bytes: &[u8]) -> Vec<InputWord> {
    let mut words = Vec::new();
    for &keep in masks.iter().cycle() {
        let mut word = InputWord::default();
        for lane in (0..lanes).filter(|lane| keep >> lane & 1 == 1) {
            let Some((&byte, rest)) = bytes.split_first() else {
                return words;
            };
            word.data |= u128::from(byte) << (8 * lane);
            word.keep |= 1 << lane;
            bytes = rest;
        }
        words.push(word);
    }
    words
}

/// Whether the result words have no gap between them.
fn is_without_gap(cycles: &[u64]) -> bool {
    cycles.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

/// A stream without frames; with keep masks if `masked`.
pub fn source_row(
    preset: DecoderTop,
    stream: &'static str,
    mix: WorstCase,
    masked: bool,
    rng: &mut Rng,
    bytes: usize,
) -> Result<Row> {
    let set = register_set();
    let lanes = preset.bytes_per_cycle();
    let mut bytes = mix.stream(rng, &set.config(), bytes).bytes;
    bytes.truncate(bytes.len() / lanes * lanes);
    let words: Vec<InputWord> = if masked {
        masked_words(lanes, &keep_masks(rng, lanes), &bytes)
    } else {
        full_words(lanes, &bytes).collect()
    };
    let kept: u32 = words.iter().map(|word| word.keep.count_ones()).sum();
    bytes.truncate(kept as usize);

    let mut want = Vec::new();
    let mut model = Decoder::new(set.config(), Policy::Resync);
    model.feed(&bytes, |record| want.push(*record));
    model.finish(|record| want.push(*record));

    let mut got = Vec::new();
    let mut result_decoder = ResultDecoder::new(set.config(), false);
    let mut result_cycles = Vec::new();
    let mut progress = Progress::new(stream, words.len() as u64);
    simulate_source(
        preset,
        &source_config(&set),
        words.iter().copied().map(Some),
        |cycle, word| {
            progress.part(cycle);
            result_cycles.push(cycle);
            result_decoder.word(word, |record| got.push(*record));
        },
    );
    result_decoder.finish(|offset| bytes[offset as usize], |record| got.push(*record));
    check(stream, &got, &want)?;
    ensure!(
        masked || (result_cycles.len() == words.len() && is_without_gap(&result_cycles)),
        "{stream}: {} result words for {} full words in a row, or a gap between them",
        result_cycles.len(),
        words.len()
    );
    let accounted: u64 = got.iter().map(|record| record.len).sum();
    Ok(Row {
        name: preset.name(),
        stream,
        bytes: (words.len() * lanes) as u64,
        cycles: words.len() as u64,
        packets: got.len() as u64,
        dropped: u64::from(kept) - accounted,
    })
}
