// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of an analyzer in, bytes of a trace port out.

use std::io::{ErrorKind, Read};

use anyhow::Result;
use coretrace_coresight::ocla::HALVES;
use coretrace_coresight::{FSYNC, FrameBuilder, TraceId};
use coretrace_decode::ocla::{OclaEvent, OclaReader};

use super::{OclaStatistics, OclaTable};

/// Bytes of a word.
const WORD_BYTES: usize = 8;
/// The bit of a word that says that an entry was read.
const VALID: u32 = 63;

/// The trace port that would have sent what an analyzer has: syncs and frames. A read gives what one word makes
/// at most, 256 KiB.
#[derive(Clone, Debug)]
pub struct OclaPort<R> {
    words: R,
    is_memory: bool,
    reader: OclaReader,
    frames: Frames,
    /// Bytes of `frames.bytes` that were read.
    read: usize,
    is_ended: bool,
    entries: u64,
    cut_bytes: u64,
}

impl<R: Read> OclaPort<R> {
    /// A port in front of these words.
    ///
    /// # Errors
    /// If the bits of a half are no table.
    pub fn new(words: R, table: &OclaTable) -> Result<OclaPort<R>> {
        Ok(OclaPort {
            words,
            is_memory: table.is_memory(),
            reader: OclaReader::new(table.halves())?,
            frames: Frames::new(table.ids()),
            read: 0,
            is_ended: false,
            entries: 0,
            cut_bytes: 0,
        })
    }

    /// What was found so far.
    pub fn statistics(&self) -> OclaStatistics {
        OclaStatistics {
            entries: self.entries,
            bytes: self.frames.counts,
            losses: self.frames.losses,
            cut_bytes: self.cut_bytes,
        }
    }

    /// Makes the bytes of the next word, or of the end.
    fn step(&mut self) -> std::io::Result<()> {
        let mut word = [0; WORD_BYTES];
        let mut length = 0;
        while length < WORD_BYTES {
            match self.words.read(&mut word[length..]) {
                Ok(0) => break,
                Ok(more) => length += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let frames = &mut self.frames;
        if length < WORD_BYTES {
            self.cut_bytes = length as u64;
            self.is_ended = true;
            self.reader.finish(|event| frames.event(event));
            frames.flush();
            return Ok(());
        }
        let word = u64::from_le_bytes(word);
        if self.is_memory || word >> VALID & 1 == 1 {
            self.entries += 1;
            self.reader.entry(word, |event| frames.event(event));
        }
        Ok(())
    }
}

impl<R: Read> Read for OclaPort<R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        while self.read == self.frames.bytes.len() {
            if self.is_ended {
                return Ok(0);
            }
            self.frames.bytes.clear();
            self.read = 0;
            self.step()?;
        }
        let rest = &self.frames.bytes[self.read..];
        let length = rest.len().min(bytes.len());
        bytes[..length].copy_from_slice(&rest[..length]);
        self.read += length;
        Ok(length)
    }
}

/// Frames behind a sync.
#[derive(Clone, Debug)]
struct Frames {
    ids: [TraceId; HALVES],
    builder: FrameBuilder,
    bytes: Vec<u8>,
    counts: [u64; HALVES],
    losses: u64,
}

impl Frames {
    fn new(ids: [TraceId; HALVES]) -> Frames {
        Frames {
            ids,
            builder: FrameBuilder::new(),
            bytes: FSYNC.to_le_bytes().to_vec(),
            counts: [0; HALVES],
            losses: 0,
        }
    }

    fn event(&mut self, event: OclaEvent<'_>) {
        match event {
            OclaEvent::Bytes { half, bytes } => {
                self.counts[half] += bytes.len() as u64;
                for &byte in bytes {
                    let frame = self.builder.push(self.ids[half], byte);
                    self.bytes.extend(frame.into_iter().flatten());
                }
            }
            OclaEvent::Lost { .. } => {
                self.losses += 1;
                self.flush();
                // A frame that a sync cuts off: two bytes of the null ID.
                self.bytes.extend([TraceId::NULL.announcement(), 0]);
                self.bytes.extend(FSYNC.to_le_bytes());
                self.builder = FrameBuilder::new();
            }
        }
    }

    fn flush(&mut self) {
        self.bytes
            .extend(self.builder.flush().into_iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_coresight::ocla::{Entry, HalfTable};
    use coretrace_decode::tpiu::{Deframer, Demux, Format, RunEvent};
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    fn table(memory: bool) -> OclaTable {
        let data: Vec<String> = (0..32).map(|bit| bit.to_string()).collect();
        let half = |id: u8| {
            format!(
                "[[half]]\ndata = [{}]\nbytes = [32, 33]\nvalid = 34\n[half.source]\nname = \"{id}\"\n\
                 protocol = \"ETM4\"\ntrace_id = {id}\n",
                data.join(", ")
            )
        };
        let text = format!("memory = {memory}\n{}{}", half(16), half(17));
        OclaTable::parse(&text).expect("a table")
    }

    fn data(half: usize, bytes: &[u8]) -> u64 {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        let data = HalfTable::IN_ORDER.half_of(u32::from_le_bytes(word), bytes.len());
        Entry::Data { half, data }.word()
    }

    fn control(cycle: u32, starts: bool, ends: bool) -> u64 {
        let (starts, ends) = ([starts, false], [ends, false]);
        Entry::Control {
            cycle,
            starts,
            ends,
            is_marked: false,
        }
        .word()
    }

    /// The bytes of both sources in stretches between losses, and what was found.
    fn read(words: &[u64], memory: bool) -> (Vec<[Vec<u8>; 2]>, OclaStatistics) {
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend([1, 2, 3]);
        let mut port = OclaPort::new(&bytes[..], &table(memory)).expect("a table");
        let mut trace = Vec::new();
        port.read_to_end(&mut trace).expect("bytes in memory");
        let mut stretches = vec![[Vec::new(), Vec::new()]];
        let mut demux = Demux::all();
        let mut deframer = Deframer::new(Format::TpiuFsync);
        deframer.feed(&trace, |event| match event {
            RunEvent::Run(run) => {
                let Some(id) = demux.route(&run) else { return };
                let half = usize::from(id.value() - 16);
                stretches.last_mut().expect("one")[half].extend_from_slice(run.bytes);
            }
            RunEvent::Discontinuity { .. } => stretches.push([Vec::new(), Vec::new()]),
        });
        (stretches, port.statistics())
    }

    #[test]
    fn both_halves_are_sources_of_a_port() {
        let words = [
            data(0, &[1, 2, 3, 4]),
            data(1, &[0xA0]),
            data(0, &[]),
            data(0, &[5]),
        ];
        let (stretches, found) = read(&words, true);
        assert_eq!(stretches, [[vec![1, 2, 3, 4, 5], vec![0xA0]]]);
        assert_eq!((found.entries, found.bytes, found.losses), (4, [5, 1], 0));
        assert_eq!(found.cut_bytes, 3);
    }

    #[test]
    fn any_words_give_frames_with_all_their_bytes() {
        for seed in 0..10 {
            println!("seed {seed}");
            let mut rng = StdRng::seed_from_u64(seed);
            let words: Vec<u64> = (0..100).map(|_| rng.random()).collect();
            let (stretches, found) = read(&words, seed % 2 == 0);
            assert_eq!(stretches.len() as u64, found.losses + 1);
            for half in 0..HALVES {
                let bytes: usize = stretches.iter().map(|stretch| stretch[half].len()).sum();
                assert_eq!(bytes as u64, found.bytes[half]);
            }
        }
    }

    #[test]
    fn words_without_bit_63_are_no_entries_unless_it_is_a_dump() {
        let words = [data(0, &[1]), data(0, &[2]) | 1 << VALID];
        let (stretches, found) = read(&words, false);
        assert_eq!((stretches, found.entries), (vec![[vec![2], vec![]]], 1));
    }

    #[test]
    fn a_loss_is_one_in_the_port_and_takes_no_other_byte() {
        let words = [
            data(1, &[7]),
            control(9, true, false),
            data(0, &[1]),
            control(8, true, true),
            data(0, &[2, 3]),
            data(1, &[8]),
        ];
        let (stretches, found) = read(&words, true);
        assert_eq!(found.losses, 1);
        let [before, behind] = &stretches[..] else {
            panic!("{} stretches", stretches.len());
        };
        assert!(before[0].iter().all(|&byte| byte == 1));
        assert_eq!(before[0].len() as u64, found.bytes[0] - 2);
        assert_eq!(behind[0], [2, 3]);
        // A byte of the other half comes with the next entry of that half.
        assert_eq!([&before[1][..], &behind[1]].concat(), [7, 8]);
    }
}
