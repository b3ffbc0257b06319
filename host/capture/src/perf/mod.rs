// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of Linux perf and simpleperf, `perf.data`, with CoreSight trace.
//!
//! A recording has records of many types. AUXTRACE_INFO has the registers of the trace units, AUX and
//! AUXTRACE have the trace, AUX_OUTPUT_HW_ID has trace IDs, MMAP and MMAP2 have mappings, COMM, FORK,
//! EXIT and ITRACE_START have processes and threads. All others are passed over. The trace itself is
//! not read: [`Piece`](crate::Piece) says where it is in the file.
//!
//! ```no_run
//! use std::fs::File;
//! use coretrace_capture::{Source, perf::PerfData};
//!
//! # fn main() -> anyhow::Result<()> {
//! let recording = PerfData::read(File::open("perf.data")?)?;
//! for buffer in &recording.buffers {
//!     let sources = buffer.sources.iter().map(Source::new);
//!     println!("{:?}: {:?}", buffer.format, sources.collect::<Vec<_>>());
//! }
//! # Ok(())
//! # }
//! ```

mod buffers;
pub mod constants;
mod damage;
mod header;
mod info;
mod input;
mod mappings;
mod processes;
mod records;
mod sample_id;
mod sources;
mod steps;

use std::io::{Read, Seek};
use std::ops::Range;

use anyhow::{Result, bail, ensure};

pub use buffers::PerfBuffer;
pub use mappings::Mapping;
pub use processes::{Process, Processes, Thread};

use constants::record;
use damage::Damage;
use header::Section;
use input::{Input, u16_at, u32_at};
use mappings::Mappings;
use records::Records;
use sample_id::Events;
use sources::Sources;
use steps::Steps;

/// Bytes of the header of a record: type, misc, size.
const RECORD_HEADER: u16 = 8;

/// A recording.
#[derive(Clone, Debug, Default)]
pub struct PerfData {
    /// One for each AUX buffer, in order of first appearance. The raw trace of a thread that ran on
    /// several CPUs is one for each CPU.
    pub buffers: Vec<PerfBuffer>,
    /// What could be executed, of processes and of the kernel, in the order of the file.
    pub mappings: Vec<Mapping>,
    /// The processes and threads.
    pub processes: Processes,
    /// What is missing or broken in the file, a sentence each.
    pub damage: Vec<String>,
}

impl PerfData {
    /// Reads a recording in its file form or its pipe form.
    ///
    /// # Errors
    /// If it cannot be read, is no recording, is big-endian or compressed, has no CoreSight trace, or
    /// has more parts than any recording.
    pub fn read(reader: impl Read + Seek) -> Result<PerfData> {
        let mut input = Input::new(reader)?;
        let mut damage = Damage::default();
        let mut events = Events::default();
        let (section, features) = header::read(&mut input, &mut events, &mut damage)?;
        let mut recording = Recording {
            events,
            damage,
            ..Recording::default()
        };
        recording.read(&mut input, section)?;
        if let Some(features) = features {
            let mappings = &mut recording.mappings;
            header::read_build_ids(&mut input, section.end, features, mappings)?;
        }
        recording.finish()
    }
}

/// The records read so far.
#[derive(Default)]
struct Recording {
    events: Events,
    mappings: Mappings,
    steps: Steps,
    records: Records,
    sources: Sources,
    damage: Damage,
    has_info: bool,
    lost: u64,
}

impl Recording {
    /// Reads the records in a part of the file.
    fn read<R: Read + Seek>(&mut self, input: &mut Input<R>, section: Section) -> Result<()> {
        let end = section.end;
        let mut body = Vec::new();
        input.seek(section.start)?;
        while let Some(header) = input.array::<8>(end)? {
            let [misc, size] = [4, 6].map(|at| u16_at(&header, at).unwrap_or_default());
            let kind = u32_at(&header, 0).unwrap_or_default();
            if kind >= record::SIMPLEPERF {
                let size = u64::from(misc) << 16 | u64::from(size);
                input.skip(size.saturating_sub(RECORD_HEADER.into()))?;
                continue;
            }
            let place = input.position() - u64::from(RECORD_HEADER);
            let Some(size) = size.checked_sub(RECORD_HEADER) else {
                self.damage.report(format!(
                    "the record at offset {place} has a size of {size}: the records behind it are not read"
                ));
                return Ok(());
            };
            if !input.read(&mut body, size, end)? {
                self.damage
                    .report(format!("the record at offset {place} is cut off"));
                return Ok(());
            }
            let follow = self.record(kind, misc, &body, input.position()..end)?;
            input.skip(follow)?;
        }
        let behind = end.saturating_sub(input.position());
        self.damage
            .count(behind, "bytes behind the last record are no record");
        Ok(())
    }

    /// Takes a record. Returns how many bytes that follow belong to it.
    fn record(&mut self, kind: u32, misc: u16, body: &[u8], rest: Range<u64>) -> Result<u64> {
        match kind {
            record::MMAP | record::MMAP2 => {
                if let Some((index, mapping)) = self.mappings.map(kind, misc, body)
                    && let Some(pid) = mapping.pid
                {
                    let time = self.events.sample_id(body).time;
                    self.steps.map(pid, index, body, time);
                }
            }
            record::COMM | record::EXIT | record::FORK | record::ITRACE_START => {
                let time = self.events.sample_id(body).time;
                self.steps.record(kind, misc, body, time);
            }
            record::LOST => {
                let lost = input::u64_at(body, 8).unwrap_or_default();
                self.lost = self.lost.saturating_add(lost);
            }
            record::AUX => self.records.aux(body, self.events.sample_id(body))?,
            record::AUX_OUTPUT_HW_ID => {
                self.sources.hw_id(body, self.events.sample_id(body))?;
            }
            record::HEADER_ATTR => {
                if let Some((attribute, ids)) = header::attribute_and_ids(body) {
                    self.events.add(attribute, ids)?;
                }
            }
            record::HEADER_TRACING_DATA => {
                let size = u32_at(body, 0).unwrap_or_default();
                return Ok(u64::from(size).next_multiple_of(8));
            }
            record::HEADER_BUILD_ID => self.mappings.build_id(misc, body),
            record::AUXTRACE_INFO if !self.has_info => {
                let (units, is_cut) = info::parse(body)?;
                self.has_info = true;
                if is_cut {
                    self.damage
                        .report("AUXTRACE_INFO does not describe all its CPUs");
                }
                self.sources.units(units);
            }
            record::AUXTRACE => return self.records.auxtrace(body, rest),
            record::COMPRESSED | record::COMPRESSED2 => {
                bail!("its records are compressed: record without -z")
            }
            _ => {}
        }
        Ok(0)
    }

    fn finish(mut self) -> Result<PerfData> {
        ensure!(
            self.has_info || !self.records.is_empty(),
            "no CoreSight trace in it: record with perf record -e cs_etm//; if it is what perf inject wrote, \
             give the recording that was its input"
        );
        if !self.has_info {
            self.damage
                .report("it has no AUXTRACE_INFO, so no trace unit is known");
        }
        let lost = "records were lost while recording";
        self.damage.count(self.lost, lost);
        self.sources.report(&mut self.damage);
        let buffers = self.records.finish(&self.sources, &mut self.damage)?;
        Ok(PerfData {
            buffers,
            processes: self.steps.finish(&mut self.damage),
            mappings: self.mappings.finish(&mut self.damage),
            damage: self.damage.finish(),
        })
    }
}
