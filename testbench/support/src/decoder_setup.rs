// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decodes the words of one source with the model and with a preset.

use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Record;
use coretrace_etm::SourceConfig;
use coretrace_pipelines::sim::{InputWord, ResultDecoder};
use coretrace_test_gen::RegisterSet;
use coretrace_test_simulate::Backend;

/// The setup of a decoder: a trace unit and an error policy.
#[derive(Clone, Copy, Debug)]
pub struct DecoderSetup {
    /// The trace unit.
    pub set: RegisterSet,
    /// Error policy: `false` resync, `true` lenient.
    pub lenient: bool,
}

impl DecoderSetup {
    /// The setup with these settings of a decoder's ports: the inverse of
    /// [`DecoderSetup::source_config`].
    pub fn of(config: &SourceConfig) -> DecoderSetup {
        DecoderSetup {
            set: RegisterSet {
                name: "captured",
                core: "",
                protocol: config.protocol,
                profile: config.profile,
                registers: config.registers,
            },
            lenient: config.lenient,
        }
    }

    /// The policy in the model.
    pub fn policy(&self) -> Policy {
        if self.lenient {
            Policy::Lenient
        } else {
            Policy::Resync
        }
    }

    /// The settings of a decoder's ports.
    pub fn source_config(&self) -> SourceConfig {
        SourceConfig {
            lenient: self.lenient,
            ..self.set.source()
        }
    }

    /// The records of the model.
    pub fn in_model(&self, words: &[Option<InputWord>]) -> Vec<Record> {
        let mut decoder = Decoder::new(self.set.config(), self.policy());
        let mut records = Vec::new();
        for word in words.iter().flatten() {
            if word.discontinuity {
                decoder.discontinuity(|record| records.push(*record));
            }
            decoder.feed(&kept_bytes(word), |record| records.push(*record));
        }
        decoder.finish(|record| records.push(*record));
        records
    }

    /// The records of a preset.
    ///
    /// # Panics
    /// If the preset has a trace port, or Verilator's program fails.
    pub fn in_hardware(&self, backend: &Backend, words: &[Option<InputWord>]) -> Vec<Record> {
        let bytes: Vec<u8> = words.iter().flatten().flat_map(kept_bytes).collect();
        let mut records = Vec::new();
        let mut result_decoder = ResultDecoder::new(self.set.config(), self.lenient);
        let config = self.source_config();
        backend
            .run_source(&config, words.iter().copied(), |_, word| {
                result_decoder.word(word, |record| records.push(*record));
            })
            .expect("the preset runs");
        result_decoder.finish(
            |offset| bytes[offset as usize],
            |record| records.push(*record),
        );
        records
    }

    /// Compares a preset with the model, record by record. Returns the records.
    ///
    /// # Panics
    /// If they differ; `place` names the input.
    pub fn check(
        &self,
        backend: &Backend,
        words: &[Option<InputWord>],
        place: &str,
    ) -> Vec<Record> {
        let (got, want) = (self.in_hardware(backend, words), self.in_model(words));
        let name = backend.preset().name();
        if let Some(index) = (0..got.len().min(want.len())).find(|&index| got[index] != want[index])
        {
            let (got, want) = (&got[index], &want[index]);
            let bytes: Vec<u8> = words.iter().flatten().flat_map(kept_bytes).collect();
            let end = (want.offset + want.len.min(40)) as usize;
            let bytes = &bytes[want.offset as usize..end];
            panic!("{name}, {place}, {self:?}: {got:?} is not {want:?} of {bytes:02x?}");
        }
        assert_eq!(got.len(), want.len(), "{name}, {place}, {self:?}");
        got
    }
}

/// The valid bytes of a word.
pub fn kept_bytes(word: &InputWord) -> Vec<u8> {
    let lanes = (0..u128::BITS / 8).filter(|lane| word.keep >> lane & 1 == 1);
    lanes.map(|lane| (word.data >> (8 * lane)) as u8).collect()
}
