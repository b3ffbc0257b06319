// SPDX-License-Identifier: MIT OR Apache-2.0
//! One long stream through the exported Verilog of a preset, in Verilator: every word is full,
//! there is a word in every cycle, and each record is compared with the model's at once. Nothing is
//! collected, so memory use does not depend on the length.

use std::collections::VecDeque;
use std::fmt;

use anyhow::Result;
use coretrace_decode::Decoder;
use coretrace_etm::Record;
use coretrace_pipelines::sim::full_words;
use coretrace_pipelines::sim::{ResultDecoder, ResultWord};
use coretrace_test_gen::{ASYNC, RegisterSet, rng};
use coretrace_test_support::DecoderSetup;
use coretrace_test_verilog::preset::PresetEngine;

use crate::{Case, memory};

/// Percentages of the stream at which memory is measured: early, and late, when the rest is still
/// more than the pipes hold.
const EARLY: u64 = 10;
const LATE: u64 = 99;

/// The trace unit, with everything enabled.
const UNIT: &str = "v46-all";

/// A stream: a sequence of cases, legal or not, from seeds.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// The first seed.
    pub from: u64,
    /// Bytes, at least those of an A-Sync.
    pub bytes: u64,
}

impl Stream {
    fn setup() -> DecoderSetup {
        DecoderSetup {
            set: RegisterSet::by_name(UNIT).expect("a named set"),
            lenient: false,
        }
    }

    /// The bytes. An A-Sync at the end causes a record for each of them.
    pub fn bytes(self) -> impl Iterator<Item = u8> + Send {
        let set = Stream::setup().set;
        let cases = (self.from..).flat_map(move |seed| Case::of_unit(set, &mut rng(seed)).bytes);
        let bytes = self.bytes as usize;
        cases.take(bytes.saturating_sub(ASYNC.len())).chain(ASYNC)
    }

    /// The records of the model, decoded on demand.
    pub fn records(self) -> impl Iterator<Item = Record> {
        let setup = Stream::setup();
        let mut decoder = Decoder::new(setup.set.config(), setup.policy());
        let mut bytes = self.bytes();
        let mut ready = VecDeque::new();
        std::iter::from_fn(move || {
            while ready.is_empty() {
                decoder.feed(&[bytes.next()?], |record| ready.push_back(*record));
            }
            ready.pop_front()
        })
    }

    /// Compares the records of a preset in Verilator with `records`.
    ///
    /// # Errors
    /// If the preset has a trace port, or Verilator's program fails.
    pub fn compare(
        self,
        engine: &PresetEngine,
        mut records: impl Iterator<Item = Record>,
    ) -> Result<Figures> {
        let setup = Stream::setup();
        let config = setup.source_config();
        let lanes = engine.preset().bytes_per_cycle();
        let mut bytes = self.bytes();
        let words = std::iter::from_fn(move || {
            let word: Vec<u8> = bytes.by_ref().take(lanes).collect();
            full_words(lanes, &word).next().map(Some)
        });
        let mut figures = Figures {
            bytes: self.bytes,
            ..Figures::default()
        };
        let mut result_decoder = ResultDecoder::new(setup.set.config(), setup.lenient);
        engine.run_source(&config, words, |cycle, word: &ResultWord| {
            figures.cycles = cycle + 1;
            result_decoder.word(word, |record| {
                figures.compare(record, records.next().as_ref());
            });
            let memory = [EARLY, LATE].into_iter().zip(&mut figures.memory);
            for (hundredths, memory) in memory {
                if memory.is_none() && figures.reported * 100 >= self.bytes * hundredths {
                    *memory = memory::peak();
                }
            }
        })?;
        figures.differing += records.count() as u64;
        Ok(figures)
    }
}

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Input bytes.
    pub bytes: u64,
    /// Records, including errors and unread bytes.
    pub records: u64,
    /// Errors.
    pub errors: u64,
    /// Bytes covered by records.
    pub reported: u64,
    /// Cycles from the first word to the last result.
    pub cycles: u64,
    /// Records that differ from the model's, or that only one of the two has.
    pub differing: u64,
    /// The first difference, with the model's record.
    pub difference: Option<(Record, Option<Record>)>,
    /// Peak resident memory in KiB, early and late.
    pub memory: [Option<u64>; 2],
}

impl Figures {
    fn compare(&mut self, record: &Record, expected: Option<&Record>) {
        self.records += 1;
        self.errors += u64::from(record.kind.is_error());
        self.reported += record.len;
        if Some(record) != expected {
            self.differing += 1;
            self.difference.get_or_insert((*record, expected.copied()));
        }
    }

    /// Bytes not covered by a record.
    pub fn dropped(&self) -> u64 {
        self.bytes.saturating_sub(self.reported)
    }

    /// Whether nothing differs and nothing was dropped.
    pub fn is_good(&self) -> bool {
        self.differing == 0 && self.dropped() == 0
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.bytes as f64 / self.cycles as f64;
        writeln!(
            f,
            "{} bytes in {} cycles, {rate:.4} in each",
            self.bytes, self.cycles
        )?;
        writeln!(
            f,
            "{} packets, {} errors among them",
            self.records, self.errors
        )?;
        if let [Some(early), Some(late)] = self.memory {
            writeln!(
                f,
                "{early} KiB of memory at most in the first {EARLY} % of the bytes, {late} KiB in {LATE} %"
            )?;
        }
        if let Some((verilog, model)) = &self.difference {
            writeln!(f, "Verilog: {verilog:?}\nmodel: {model:?}")?;
        }
        writeln!(
            f,
            "{} dropped bytes, {} differences",
            self.dropped(),
            self.differing
        )
    }
}
