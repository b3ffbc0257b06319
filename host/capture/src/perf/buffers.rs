// SPDX-License-Identifier: MIT OR Apache-2.0
//! AUX buffers: which bytes of the file are the sessions of each.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use coretrace_coresight::FRAME_BYTES;
use coretrace_decode::tpiu;

use super::sample_id::SampleId;
use super::sources::Sources;
use crate::{Format, Piece, SourceDescription};

/// The most pieces.
const MAX_PIECES: usize = 1_000_000;
/// The most buffers, and the most sources of all buffers together.
const MAX_BUFFERS: usize = 1 << 12;
const MAX_SOURCES: usize = 1 << 16;

/// perf pads the bytes of an AUXTRACE record to a multiple of this.
const PADDED_TO: u64 = 8;

/// The trace of a CPU or of a thread.
#[derive(Clone, Debug)]
pub struct PerfBuffer {
    /// The CPU; `None` if the buffer belongs to a thread.
    pub cpu: Option<u32>,
    /// Raw, or frames from the start of each session on.
    pub format: Format,
    /// One source if raw, otherwise all that can be in the frames, each with its own trace ID. None
    /// if the recording does not say; `damage` then says so.
    pub sources: Vec<SourceDescription>,
    /// The bytes, in the order of the recording. A piece with `lost_before` is the first of an AUX
    /// record, or bytes before it are not in the file.
    pub pieces: Vec<Piece>,
}

/// Whose AUX buffer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// Of a CPU.
    Cpu(u32),
    /// Of a thread.
    Thread(u32),
}

/// An AUX record.
#[derive(Clone, Copy, Debug)]
pub struct Aux {
    /// Where it comes from.
    pub id: SampleId,
    /// The offset of its first byte in the AUX buffer.
    pub start: u64,
    /// The offset behind its last byte.
    pub end: u64,
    /// Raw, or frames.
    pub is_raw: bool,
}

/// The bytes of an AUXTRACE record.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// The offset of the first byte in the AUX buffer.
    pub start: u64,
    /// The offset behind the last byte.
    pub end: u64,
    /// The place of the first byte in the file.
    pub place: u64,
    /// The offset behind its padding.
    pub padded_end: u64,
}

impl Stretch {
    /// Whether an AUX record that begins here finds nothing but padding: its own bytes would be in
    /// another stretch.
    fn is_padding(&self, start: u64, end: u64) -> bool {
        end > self.padded_end && self.padded_end - start < PADDED_TO
    }
}

/// Sorts stretches by offset. Where the next one begins the one before ends: the rest is padding.
pub fn in_order(stretches: &mut Vec<Stretch>) {
    stretches.sort_by_key(|stretch| (stretch.start, stretch.end));
    let mut end = u64::MAX;
    for stretch in stretches.iter_mut().rev() {
        let start = stretch.start;
        stretch.end = stretch.end.min(end);
        end = start;
    }
    stretches.retain(|stretch| stretch.start < stretch.end);
}

/// The buffers found so far.
#[derive(Default)]
pub struct Buffers {
    /// In order of appearance.
    pub list: Vec<PerfBuffer>,
    /// Places in the list by owner, and by CPU if the bytes are raw.
    places: BTreeMap<(Owner, Option<Option<u32>>), usize>,
    stretches: usize,
    sources: usize,
}

impl Buffers {
    /// Adds the bytes of an AUX record; returns how many there are.
    ///
    /// # Errors
    /// If there are more pieces, buffers or sources than any recording has.
    pub fn add(
        &mut self,
        aux: &Aux,
        owner: Owner,
        stretches: &[Stretch],
        sources: &Sources,
    ) -> Result<u64> {
        let cpu = match owner {
            Owner::Cpu(cpu) => Some(cpu),
            Owner::Thread(_) if aux.is_raw => aux.id.cpu,
            Owner::Thread(_) => None,
        };
        let mut found = 0;
        let mut at = aux.start;
        let first = stretches.partition_point(|stretch| stretch.end <= at);
        for stretch in &stretches[first..] {
            if stretch.start >= aux.end {
                break;
            }
            self.stretches += 1;
            ensure!(
                self.stretches <= MAX_PIECES,
                "its trace is in more than {MAX_PIECES} pieces: record for a shorter time"
            );
            let mut start = at.max(stretch.start);
            let end = aux.end.min(stretch.end);
            if start > at && !aux.is_raw {
                // Frames are counted from the start of the AUX record.
                start = (start - aux.start)
                    .checked_next_multiple_of(FRAME_BYTES as u64)
                    .and_then(|bytes| aux.start.checked_add(bytes))
                    .unwrap_or(end);
            }
            let is_padding = start == aux.start && stretch.is_padding(start, aux.end);
            if start < end && !is_padding {
                let is_new = at == aux.start || start > at;
                let place = self.place(aux, owner, cpu, sources)?;
                let pieces = &mut self.list[place].pieces;
                pieces.push(Piece {
                    offset: stretch.place + (start - stretch.start),
                    len: end - start,
                    lost_before: is_new && !pieces.is_empty(),
                });
                found += end - start;
                at = end;
            }
        }
        Ok(found)
    }

    /// The place of the buffer in the list, where it is put if it is new.
    fn place(
        &mut self,
        aux: &Aux,
        owner: Owner,
        cpu: Option<u32>,
        sources: &Sources,
    ) -> Result<usize> {
        let key = (owner, aux.is_raw.then_some(cpu));
        if let Some(place) = self.places.get(&key) {
            return Ok(*place);
        }
        ensure!(
            self.list.len() < MAX_BUFFERS,
            "it has more than {MAX_BUFFERS} AUX buffers: record fewer threads"
        );
        let (format, sources) = if aux.is_raw {
            (Format::Raw, sources.of_cpu(cpu))
        } else {
            let format = Format::Framed(tpiu::Format::Frames);
            (format, sources.of_sink(cpu))
        };
        self.sources += sources.len();
        ensure!(
            self.sources <= MAX_SOURCES,
            "its buffers have more than {MAX_SOURCES} trace sources: record fewer CPUs"
        );
        self.list.push(PerfBuffer {
            cpu,
            format,
            sources,
            pieces: Vec::new(),
        });
        self.places.insert(key, self.list.len() - 1);
        Ok(self.list.len() - 1)
    }
}
