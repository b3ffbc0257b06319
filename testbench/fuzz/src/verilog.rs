// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported Verilog of a preset, in Verilator, against the model.

use std::fmt::Write;

use anyhow::{Result, ensure};
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::InputWord;
use coretrace_pipelines::sim::full_words;
use coretrace_test_gen::{keep_masks, rng};
use coretrace_test_simulate::Backend;
use coretrace_test_support::DecoderSetup;
use coretrace_test_verilog::preset::PresetEngine;

use crate::{Case, Pair, Totals, Verdict, report};

/// A preset with one source at its input, and the model.
pub struct VerilogAndModel {
    backend: Backend,
}

impl VerilogAndModel {
    /// Exports and compiles a preset, or reuses the compiled one.
    ///
    /// # Errors
    /// If the preset has a trace port, or Verilator is missing or refuses the text.
    pub fn new(preset: DecoderTop) -> Result<VerilogAndModel> {
        let backend = Backend::Verilog(engine(preset)?);
        Ok(VerilogAndModel { backend })
    }
}

/// A preset with one source at its input, in Verilator.
///
/// # Errors
/// As [`VerilogAndModel::new`].
pub fn engine(preset: DecoderTop) -> Result<PresetEngine> {
    ensure!(
        !preset.takes_frames(),
        "{} has a trace port: choose a preset of one source, such as {}",
        preset.name(),
        DecoderTop::Etm4JumpX4.name()
    );
    PresetEngine::new(preset)
}

impl Pair for VerilogAndModel {
    fn compare(&self, case: &Case) -> Result<Verdict> {
        let bytes = &case.bytes;
        let setup = DecoderSetup {
            set: case.set,
            lenient: bytes.len() % 4 < 2,
        };
        let words = words(self.backend.preset().bytes_per_cycle(), bytes);
        let verilog = setup.in_hardware(&self.backend, &words);
        let model = setup.in_model(&words);
        if verilog == model {
            let kinds = model.iter().map(|record| record.kind);
            return Ok(Verdict::Equal(Totals::of(case, kinds)));
        }
        let lists = [&verilog[..], &model];
        let at = report::first_difference(lists);
        let mut text = String::new();
        for (name, records) in ["Verilog", "model"].into_iter().zip(lists) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}, record {at}: {:?}", records.get(at));
        }
        Ok(Verdict::Different(text))
    }
}

/// The words of a stream: all full, or with every keep mask. The length of the stream decides
/// which, so the same stream always has the same words.
fn words(lanes: usize, bytes: &[u8]) -> Vec<Option<InputWord>> {
    if bytes.len().is_multiple_of(2) {
        return full_words(lanes, bytes).map(Some).collect();
    }
    let masks = keep_masks(&mut rng(bytes.len() as u64), lanes);
    let mut rest = bytes.iter();
    let mut words = Vec::new();
    for mask in masks.into_iter().cycle() {
        if rest.len() == 0 {
            break;
        }
        let mut word = InputWord::default();
        for lane in (0..lanes).filter(|lane| mask >> lane & 1 == 1) {
            if let Some(&byte) = rest.next() {
                word.data |= u128::from(byte) << (8 * lane);
                word.keep |= 1 << lane;
            }
        }
        words.push(Some(word));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_test_support::kept_bytes;

    #[test]
    fn words_hold_the_bytes_of_the_stream_in_order() {
        for lanes in [1, 4, 8, 16] {
            for len in 0..300 {
                let bytes: Vec<u8> = (0..len).map(|byte| byte as u8).collect();
                let words = words(lanes, &bytes);
                let kept: Vec<u8> = words.iter().flatten().flat_map(kept_bytes).collect();
                assert_eq!(kept, bytes, "{lanes} lanes");
            }
        }
    }
}
