// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream of a program, and when its bytes come.

use coretrace_etm::SourceConfig;
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::trace_unit::{Observer, TraceUnit};
use coretrace_test_simulate::flow_queue::{PlacedItem, QueueItem, placed_items};

/// Bytes of a row.
pub const WORD: u64 = 4;

/// When bytes are sent.
#[derive(Clone, Debug, Default)]
struct Arrivals {
    /// Bytes so far, and instructions that have retired.
    all: Vec<(u64, u64)>,
    instructions: u64,
}

impl Observer for Arrivals {
    fn progress(&mut self, instructions: u64, bytes: u64) {
        self.instructions = instructions;
        if self.all.last().is_none_or(|(before, _)| *before < bytes) {
            self.all.push((bytes, instructions));
        }
    }
}

/// The stream of a program as the queues see it.
#[derive(Clone, Debug)]
pub struct ProgramStream {
    /// Instructions.
    pub instructions: u64,
    /// Bytes.
    pub bytes: u64,
    /// Atoms, and the E among them.
    pub atoms: u64,
    pub taken: u64,
    arrivals: Vec<(u64, u64)>,
    /// The byte of each item.
    places: Vec<u64>,
    items: Vec<QueueItem>,
}

impl ProgramStream {
    /// That of a trace in a trace unit.
    pub fn new(trace: &BranchTrace, unit: &TraceUnit) -> ProgramStream {
        let source: SourceConfig = unit.source();
        let mut arrivals = Arrivals::default();
        let stream = unit.trace(trace, &mut arrivals);
        let bytes = stream.len() as u64;
        // The last atoms.
        arrivals.progress(trace.instructions, bytes);
        let placed = placed_items(&source, &stream);
        let sum = |of: fn(QueueItem) -> u8| placed.iter().map(|it| u64::from(of(it.item))).sum();
        ProgramStream {
            instructions: trace.instructions,
            bytes,
            atoms: sum(QueueItem::atoms),
            taken: sum(QueueItem::taken),
            arrivals: arrivals.all,
            places: placed.iter().map(|PlacedItem { byte, .. }| *byte).collect(),
            items: placed.iter().map(|it| it.item).collect(),
        }
    }

    /// The instructions that had retired when a byte was sent.
    pub fn instructions_at(&self, byte: u64) -> u64 {
        let sent = self.arrivals.partition_point(|(bytes, _)| *bytes <= byte);
        let arrival = self.arrivals.get(sent).or(self.arrivals.last());
        arrival.map_or(0, |(_, instructions)| *instructions)
    }

    /// The rows of items, each with its cycle: bytes that come in the same cycle, up to four. What is too
    /// much for a cycle comes in the next ones. In `words`, bytes wait until there are four.
    pub fn rows(
        &self,
        cycles_per_instruction: f64,
        words: bool,
        mut sink: impl FnMut(u64, &[QueueItem]),
    ) {
        let (mut cycle, mut in_word) = (0, 0);
        let (mut byte, mut begin, mut end) = (0, 0, 0);
        for &(bytes, instructions) in &self.arrivals {
            let due = (instructions as f64 * cycles_per_instruction) as u64;
            while byte < bytes {
                if due > cycle && !words || in_word == WORD {
                    if begin < end {
                        sink(cycle, &self.items[begin..end]);
                    }
                    begin = end;
                    cycle += 1;
                    in_word = 0;
                }
                cycle = cycle.max(due);
                while self.places.get(end) == Some(&byte) {
                    end += 1;
                }
                in_word += 1;
                byte += 1;
            }
        }
        if begin < end {
            sink(cycle, &self.items[begin..end]);
        }
    }

    /// The rows of full words.
    pub fn words(&self) -> impl Iterator<Item = &[QueueItem]> {
        let mut begin = 0;
        (1..=self.bytes.div_ceil(WORD)).filter_map(move |word| {
            let rest = &self.places[begin..];
            let count = rest.partition_point(|byte| *byte < word * WORD);
            let row = &self.items[begin..begin + count];
            begin += count;
            (count > 0).then_some(row)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_test_gen::rng;
    use coretrace_test_gen::trace_unit::RandomProgram;

    #[test]
    fn every_item_comes_once_and_no_row_has_more_than_four_bytes() {
        let program = RandomProgram {
            blocks: 20,
            steps: 4000,
        };
        let trace = program.trace(&mut rng(1));
        let stream = ProgramStream::new(&trace, &TraceUnit::default());
        for (rate, words) in [(0.01, false), (0.25, false), (4.0, false), (0.25, true)] {
            let (mut items, mut next) = (0, 0);
            stream.rows(rate, words, |cycle, row| {
                assert!(cycle >= next, "two rows in cycle {cycle}");
                next = cycle + 1;
                let places = &stream.places[items..items + row.len()];
                assert!(places[row.len() - 1] - places[0] < WORD);
                assert_eq!(row, &stream.items[items..items + row.len()]);
                items += row.len();
            });
            assert_eq!(items, stream.items.len());
            let least = stream.instructions as f64 * rate;
            assert!(next as f64 >= least, "{next} {least}");
        }
        let items: usize = stream.words().map(<[QueueItem]>::len).sum();
        assert_eq!(items, stream.items.len());
    }
}
