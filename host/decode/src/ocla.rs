// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures of an On-Chip Logic Analyzer: entries in, the bytes of both halves out.
//!
//! The format is inferred, and was never compared with a capture: see [`coretrace_coresight::ocla`].

use coretrace_coresight::ocla::{BadTable, Entry, HALVES, HalfTable, Repeats, Run};

/// The most cycles for which bytes of trace may repeat: 65,536. What repeats for longer is not believed, so that a wrong
/// cycle makes no gigabytes.
const MOST_REPEATS: u32 = 1 << 16;

/// What a capture holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OclaEvent<'a> {
    /// The next bytes of a half, 1 to 4.
    Bytes {
        /// The half: 0 is the low one.
        half: usize,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// Bytes of a half were lost, or are not believed.
    Lost {
        /// The half.
        half: usize,
    },
}

/// Reads a capture. Memory does not depend on its length.
#[derive(Clone, Debug)]
pub struct OclaReader {
    tables: [HalfTable; HALVES],
    repeats: Repeats,
}

impl OclaReader {
    /// A reader for halves with these bits.
    ///
    /// # Errors
    /// If a table has a bit twice, or one that no half has.
    pub fn new(tables: [HalfTable; HALVES]) -> Result<OclaReader, BadTable> {
        for table in &tables {
            table.check()?;
        }
        Ok(OclaReader {
            tables,
            repeats: Repeats::new(),
        })
    }

    /// Takes the next entry, in the low 38 bits of a word. Its bytes come with the next entry of its half.
    pub fn entry(&mut self, word: u64, mut sink: impl FnMut(OclaEvent<'_>)) {
        let OclaReader { tables, repeats } = self;
        repeats.entry(Entry::from_word(word), |run| give(tables, &run, &mut sink));
    }

    /// The capture ends.
    pub fn finish(&mut self, mut sink: impl FnMut(OclaEvent<'_>)) {
        let OclaReader { tables, repeats } = self;
        repeats.finish(|run| give(tables, &run, &mut sink));
    }
}

/// Gives out the bytes of each cycle of a run.
fn give(tables: &[HalfTable; HALVES], run: &Run, sink: &mut impl FnMut(OclaEvent<'_>)) {
    let half = run.half;
    let (data, count) = tables[half].bytes_of(run.data);
    if count == 0 {
        return;
    }
    let bytes = &data.to_le_bytes()[..count];
    for _ in 0..run.cycles.min(MOST_REPEATS) {
        sink(OclaEvent::Bytes { half, bytes });
    }
    if run.cycles > MOST_REPEATS {
        sink(OclaEvent::Lost { half });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: [HalfTable; HALVES] = [HalfTable::IN_ORDER; HALVES];

    /// The bytes of each half, and the number of its losses.
    fn read(entries: &[Entry]) -> [(Vec<u8>, usize); HALVES] {
        let mut reader = OclaReader::new(TABLES).expect("tables");
        let mut halves = [const { (Vec::new(), 0) }; HALVES];
        let mut sink = |event: OclaEvent<'_>| match event {
            OclaEvent::Bytes { half, bytes } => halves[half].0.extend_from_slice(bytes),
            OclaEvent::Lost { half } => halves[half].1 += 1,
        };
        for entry in entries {
            reader.entry(entry.word(), &mut sink);
        }
        reader.finish(&mut sink);
        halves
    }

    fn data(half: usize, bytes: &[u8]) -> Entry {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        let data = TABLES[half].half_of(u32::from_le_bytes(word), bytes.len());
        Entry::Data { half, data }
    }

    fn control(cycle: u32, starts: bool, ends: bool) -> Entry {
        Entry::Control {
            cycle,
            starts: [starts, false],
            ends: [ends, false],
            is_marked: false,
        }
    }

    #[test]
    fn bytes_of_both_halves_come_back_with_their_repeats() {
        let entries = [
            control(9, true, false),
            data(0, &[1, 2, 3, 4]),
            data(1, &[0xA0]),
            data(0, &[0xF7]),
            control(13, true, true),
            data(0, &[]),
            control(1_000_000, true, true),
            data(0, &[5, 6]),
            data(1, &[0xA1, 0xA2]),
        ];
        let [low, high] = read(&entries);
        // Cycles 11, 12 and 13 have the same byte; the bus is idle up to cycle 1,000,000.
        assert_eq!(low, (vec![1, 2, 3, 4, 0xF7, 0xF7, 0xF7, 5, 6], 0));
        assert_eq!(high, (vec![0xA0, 0xA1, 0xA2], 0));
    }

    #[test]
    fn a_wrong_cycle_is_a_loss_and_makes_no_gigabytes() {
        let entries = [
            control(9, true, false),
            data(0, &[1]),
            control(8, true, true),
            data(0, &[2]),
        ];
        let [(bytes, losses), _] = read(&entries);
        assert_eq!((bytes.len(), losses), (MOST_REPEATS as usize + 1, 1));
    }
}
