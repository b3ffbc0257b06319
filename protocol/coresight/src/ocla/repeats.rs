// SPDX-License-Identifier: MIT OR Apache-2.0
//! What does not change is captured once: entries in, what each half was and for how long out.

use super::{Entry, HALVES};

/// What a half was for some cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The half: 0 is the low one.
    pub half: usize,
    /// [`HALF_BITS`](super::HALF_BITS) bits.
    pub data: u64,
    /// For how many cycles, at least 1.
    pub cycles: u32,
    /// The cycle of the first of them, if it is known.
    pub cycle: Option<u32>,
}

/// Undoes the repeats of a capture. The last data of a half are given out when the next entry of that half
/// is there, or at the end.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    waiting: [Option<Run>; HALVES],
    /// The cycle of the next data of each half, if it is known.
    next: [Option<u32>; HALVES],
}

impl Repeats {
    /// Nothing yet.
    pub fn new() -> Repeats {
        Repeats::default()
    }

    /// Takes the next entry.
    ///
    /// Inferred: the cycle at which repeats end is the last one with the same data.
    pub fn entry(&mut self, entry: Entry, mut sink: impl FnMut(Run)) {
        match entry {
            Entry::Data { half, data } => {
                self.give(half, &mut sink);
                let cycle = self.next[half];
                self.next[half] = cycle.map(|cycle| cycle.wrapping_add(1));
                self.waiting[half] = Some(Run {
                    half,
                    data,
                    cycles: 1,
                    cycle,
                });
            }
            Entry::Control {
                cycle,
                starts,
                ends,
                ..
            } => {
                for half in 0..HALVES {
                    if ends[half] {
                        self.end(half, cycle);
                    }
                    if starts[half] {
                        self.give(half, &mut sink);
                        self.next[half] = Some(cycle.wrapping_add(1));
                    }
                }
            }
        }
    }

    /// The capture ends.
    pub fn finish(&mut self, mut sink: impl FnMut(Run)) {
        for half in 0..HALVES {
            self.give(half, &mut sink);
        }
    }

    /// The data of a half were the same up to a cycle.
    fn end(&mut self, half: usize, last: u32) {
        if let Some(run) = &mut self.waiting[half]
            && let Some(first) = run.cycle
        {
            run.cycles = last.wrapping_sub(first).wrapping_add(1).max(1);
            self.next[half] = Some(last.wrapping_add(1));
        }
    }

    fn give(&mut self, half: usize, sink: &mut impl FnMut(Run)) {
        if let Some(run) = self.waiting[half].take() {
            sink(run);
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    fn control(cycle: u32, starts: [bool; 2], ends: [bool; 2]) -> Entry {
        Entry::Control {
            cycle,
            starts,
            ends,
            is_marked: false,
        }
    }

    /// Half, data, cycles, and the first cycle of each run.
    fn runs(entries: &[Entry]) -> Vec<(usize, u64, u32, Option<u32>)> {
        let (mut repeats, mut runs) = (Repeats::new(), Vec::new());
        let mut sink = |run: Run| runs.push((run.half, run.data, run.cycles, run.cycle));
        entries
            .iter()
            .for_each(|entry| repeats.entry(*entry, &mut sink));
        repeats.finish(&mut sink);
        runs
    }

    #[test]
    fn what_a_half_was_in_each_cycle_comes_back() {
        // Cycles of both halves, from the last number of the counter on.
        let words: [[u64; 2]; 9] = [
            [7, 1],
            [7, 1],
            [7, 2],
            [8, 2],
            [8, 2],
            [8, 2],
            [9, 2],
            [6, 3],
            [6, 3],
        ];
        let first = u32::MAX;
        let mut entries = std::vec![control(first.wrapping_sub(1), [true; 2], [false; 2])];
        for (number, word) in words.iter().enumerate() {
            let cycle = first.wrapping_add(number as u32);
            let before = number.checked_sub(1).map(|before| words[before]);
            let is_new = [0, 1].map(|half| before.is_none_or(|before| before[half] != word[half]));
            // The end of repeats is written in front of the next data.
            let of_two =
                |half: usize| number > 1 && words[number - 2][half] == words[number - 1][half];
            let ends = [0, 1].map(|half| is_new[half] && of_two(half));
            if ends != [false; 2] {
                entries.push(control(cycle.wrapping_sub(1), ends, ends));
            }
            for half in [0, 1].into_iter().filter(|half| is_new[*half]) {
                let data = word[half];
                entries.push(Entry::Data { half, data });
            }
        }
        entries.push(control(first.wrapping_add(8), [false; 2], [true; 2]));
        let mut found = [[0; 2]; 9];
        for (half, data, cycles, cycle) in runs(&entries) {
            for number in 0..cycles {
                let cycle = cycle.expect("a cycle").wrapping_add(number);
                found[cycle.wrapping_sub(first) as usize][half] = data;
            }
        }
        assert_eq!(found, words);
    }

    #[test]
    fn without_a_cycle_data_count_once() {
        let entries = [
            Entry::Data { half: 0, data: 5 },
            control(100, [false; 2], [true; 2]),
            Entry::Data { half: 0, data: 5 },
        ];
        assert_eq!(runs(&entries), [(0, 5, 1, None), (0, 5, 1, None)]);
    }
}
