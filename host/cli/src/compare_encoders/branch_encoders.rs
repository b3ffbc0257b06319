// SPDX-License-Identifier: MIT OR Apache-2.0
//! All encoders of branches at once.

use coretrace_abi::compressed::block::TRAILER_WORDS;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::compressed::item::Note;
use coretrace_compress::{BlockSettings, BlockWriter, Step};
use coretrace_isa::Isa;

use super::results::Size;
use crate::branches::StepSink;
use crate::follow::TraceSource;

/// Compresses what the sources executed, with each encoder.
pub struct BranchEncoders {
    encoders: Vec<(&'static str, Encoder)>,
    /// Bytes of a block.
    block: usize,
    instructions: u64,
    /// By encoder.
    bytes: Vec<u64>,
}

impl BranchEncoders {
    /// With these encoders.
    pub fn new(encoders: Vec<(&'static str, Encoder)>, block: usize) -> BranchEncoders {
        BranchEncoders {
            bytes: vec![0; encoders.len()],
            encoders,
            block,
            instructions: 0,
        }
    }

    /// Instructions of all sources.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// What each encoder made of them.
    pub fn sizes(&self) -> impl Iterator<Item = Size> {
        let named = self.encoders.iter().zip(&self.bytes);
        named.map(|(&(name, _), &bytes)| Size { name, bytes })
    }

    fn writers(&self, id: u8, isa: Isa, start: u64) -> Vec<BlockWriter> {
        let writer = |&(_, encoder): &(&str, Encoder)| {
            let settings = BlockSettings {
                size: self.block,
                ..BlockSettings::new(encoder, id, isa == Isa::A32)
            };
            BlockWriter::new(settings, start)
        };
        self.encoders.iter().map(writer).collect()
    }
}

/// Bytes of a block without the zeros behind its last bit.
pub fn used(block: &[u8]) -> u64 {
    let trailer = 4 * TRAILER_WORDS;
    let front = &block[..block.len() - trailer];
    let last = front.iter().rposition(|&byte| byte != 0);
    (last.map_or(0, |last| last + 1) + trailer) as u64
}

/// The trace ID of a source, and its encoders once it has begun.
pub struct Source {
    id: u8,
    writers: Vec<BlockWriter>,
}

impl StepSink for BranchEncoders {
    type Source = Source;

    fn begin(&mut self, source: &TraceSource) -> Source {
        Source {
            id: source.id,
            writers: Vec::new(),
        }
    }

    fn step(&mut self, source: &mut Source, isa: Isa, step: Step) {
        match step {
            Step::Start(address) => source.writers = self.writers(source.id, isa, address),
            Step::Event(event) => {
                self.instructions += u64::from(event.instructions());
                for (writer, bytes) in source.writers.iter_mut().zip(&mut self.bytes) {
                    writer.event(&event, |block| *bytes += used(block));
                }
            }
            Step::Note {
                note: Note::Timestamp(_),
                ..
            } => {}
            Step::Note { instructions, note } => {
                for (writer, bytes) in source.writers.iter_mut().zip(&mut self.bytes) {
                    writer.note(note, instructions, |block| *bytes += used(block));
                }
            }
        }
    }

    fn end(&mut self, source: Source, instructions: u64) {
        self.instructions += instructions;
        for (writer, bytes) in source.writers.into_iter().zip(&mut self.bytes) {
            writer.finish(instructions, |block| *bytes += used(block));
        }
    }
}
