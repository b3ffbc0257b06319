// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of an On-Chip Logic Analyzer: both trace units come back as a capture that every command takes.

mod common;

use std::fs;

use common::{good, refused_in_one_line, root, store_bytes};
use coretrace_coresight::ocla::{Entry, HALF_BITS, HALVES, HalfTable};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

/// A trace for each half.
const TRACES: [&str; HALVES] = ["testbench/traces/sort-a64", "testbench/traces/adpcm-a32"];
/// Their trace IDs.
const IDS: [&str; HALVES] = ["10", "21"];

/// What an analyzer stores of what its halves are: what does not change is stored once.
struct Analyzer {
    words: Vec<u64>,
    cycle: u32,
    /// What each half was, and for how many cycles.
    last: [Option<(u64, u32)>; HALVES],
}

impl Analyzer {
    fn new(cycle: u32) -> Analyzer {
        let mut analyzer = Analyzer {
            words: Vec::new(),
            cycle,
            last: [None; HALVES],
        };
        analyzer.control([true; HALVES], [false; HALVES]);
        analyzer
    }

    /// A control entry of the cycle before.
    fn control(&mut self, starts: [bool; HALVES], ends: [bool; HALVES]) {
        let entry = Entry::Control {
            cycle: self.cycle.wrapping_sub(1),
            starts,
            ends,
            is_marked: false,
        };
        self.words.push(entry.word());
    }

    fn clock(&mut self, halves: [u64; HALVES]) {
        let mut ends = [false; HALVES];
        for half in 0..HALVES {
            ends[half] =
                self.last[half].is_some_and(|(data, cycles)| data != halves[half] && cycles > 1);
        }
        if ends.contains(&true) {
            self.control([false; HALVES], ends);
        }
        for (half, &data) in halves.iter().enumerate() {
            match &mut self.last[half] {
                Some((last, cycles)) if *last == data => *cycles += 1,
                last => {
                    *last = Some((data, 1));
                    self.words.push(Entry::Data { half, data }.word());
                }
            }
        }
        self.cycle = self.cycle.wrapping_add(1);
    }
}

/// Bits of a half in any order.
fn table(rng: &mut StdRng) -> HalfTable {
    let mut bits: Vec<u8> = (0..HALF_BITS as u8).collect();
    bits.shuffle(rng);
    let (data, rest) = bits.split_at(32);
    HalfTable {
        data: data.try_into().expect("32 bits"),
        bytes: [rest[0], rest[1]],
        valid: rest[2],
    }
}

/// The text of a table: the sources are those of the traces.
fn text(tables: [HalfTable; HALVES]) -> String {
    let halves = tables.iter().zip(TRACES).map(|(table, trace)| {
        let description =
            fs::read_to_string(root().join(trace).join("capture.toml")).expect("text");
        let source = description.split("[[source]]").nth(1).expect("a source");
        let source = source.split("[[memory]]").next().expect("a source");
        let source = source.replace("[source.registers]", "[half.source.registers]");
        format!(
            "[[half]]\ndata = {:?}\nbytes = {:?}\nvalid = {}\n[half.source]{source}\n",
            table.data, table.bytes, table.valid
        )
    });
    halves.collect()
}

/// The words of both traces in bursts of 1 to 4 bytes, with pauses.
fn captured(rng: &mut StdRng, tables: [HalfTable; HALVES]) -> Vec<u64> {
    let traces =
        TRACES.map(|trace| fs::read(root().join(trace).join("trace.bin")).expect("a trace"));
    let mut analyzer = Analyzer::new(u32::MAX - 1000);
    let mut places = [0; HALVES];
    while (0..HALVES).any(|half| places[half] < traces[half].len()) {
        let mut halves = [0; HALVES];
        for half in 0..HALVES {
            let rest = &traces[half][places[half]..];
            let count = rng.random_range(0..=4).min(rest.len());
            let mut bytes = [0; 4];
            bytes[..count].copy_from_slice(&rest[..count]);
            halves[half] = tables[half].half_of(u32::from_le_bytes(bytes), count);
            places[half] += count;
        }
        analyzer.clock(halves);
    }
    analyzer.clock([0; HALVES]);
    analyzer.words
}

#[test]
fn both_trace_units_of_an_analyzer_come_back() {
    let folder = TempDir::new().expect("a folder");
    for seed in 0..4 {
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let tables = [table(&mut rng), table(&mut rng)];
        // Read from its register, with words in which there was no entry; or its memory.
        let is_memory = seed % 2 == 1;
        let words = captured(&mut rng, tables);
        let words = words.into_iter().flat_map(|word| match is_memory {
            true => vec![word],
            false => vec![0, word | 1 << 63],
        });
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        let words = store_bytes(folder.path(), "ocla.words", &bytes);
        let text = format!("memory = {is_memory}\n{}", text(tables));
        let table = store_bytes(folder.path(), "table.toml", text.as_bytes());
        let to = folder.path().join(seed.to_string()).display().to_string();
        assert_eq!(good(&["convert", "--ocla", &table, &words, &to]), "");
        for (trace, id) in TRACES.iter().zip(IDS) {
            let listed = good(&["packets", &to, "--id", id]);
            let wanted = good(&["packets", trace]).replace("  00  I_", &format!("  {id}  I_"));
            assert!(listed == wanted, "{trace}");
        }
    }
}

#[test]
fn a_table_that_is_none_and_words_without_an_entry_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let words = store_bytes(folder.path(), "ocla.words", &[0; 64]);
    let to = folder.path().join("to").display().to_string();
    let refuse = |text: &str, words_of_error: &[&str]| {
        let table = store_bytes(folder.path(), "table.toml", text.as_bytes());
        refused_in_one_line(&["convert", "--ocla", &table, &words, &to], words_of_error);
    };
    let good = text([HalfTable::IN_ORDER; HALVES]);
    refuse("", &["table.toml", "half"]);
    refuse(
        &good.replace("valid = 34", "valid = 33"),
        &["half 0", "bit 33 is used twice"],
    );
    refuse(
        &good.replace("valid = 34", "valid = 36"),
        &["bit 36 is not in a half"],
    );
    refuse(
        &good.replace("trace_id = 0x21", "trace_id = 0x10"),
        &["both halves"],
    );
    refuse(
        &good.replace("trace_id = 0x21", "trace_id = 0x70"),
        &["half 1", "0x6f"],
    );
    refuse(&good.replacen("data = [0, ", "data = [", 1), &["31 bits"]);
    refuse(&good, &["no entry", "memory = true"]);
}
