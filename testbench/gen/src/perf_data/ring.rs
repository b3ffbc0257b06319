// SPDX-License-Identifier: MIT OR Apache-2.0
//! An AUX buffer: sessions go in, perf takes stretches out.

use coretrace_capture::perf::constants::aux;
use rand::RngExt;

use super::writer::Writer;
use crate::Rng;

/// A session in the buffer.
struct Session {
    /// The CPU, if its trace is a buffer of its own.
    cpu: Option<u32>,
    start: u64,
    end: u64,
}

/// All bytes that were ever in the buffer, and where perf took some.
pub struct Ring {
    bytes: Vec<u8>,
    /// The offset of the first byte.
    base: u64,
    /// Bytes that it holds in a snapshot.
    size: Option<u64>,
    taken: Vec<(u64, u64)>,
    sessions: Vec<Session>,
}

impl Ring {
    /// An empty buffer.
    pub fn new(rng: &mut Rng, is_snapshot: bool) -> Ring {
        Ring {
            bytes: Vec::new(),
            base: 16 * rng.random_range(64..1000),
            size: is_snapshot.then(|| 16 * rng.random_range(2..40)),
            taken: Vec::new(),
            sessions: Vec::new(),
        }
    }

    fn head(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Adds a session; returns the body of its AUX record.
    pub fn session(
        &mut self,
        bytes: &[u8],
        cpu: Option<u32>,
        is_truncated: bool,
        is_raw: bool,
    ) -> Vec<u8> {
        self.bytes.extend(bytes);
        let end = self.head();
        let size = (bytes.len() as u64).min(self.size.unwrap_or(u64::MAX));
        let start = end - size;
        self.sessions.push(Session { cpu, start, end });
        let offset = if self.size.is_some() { end } else { start };
        self.aux(
            offset,
            size,
            is_raw,
            u64::from(is_truncated) * aux::TRUNCATED,
        )
    }

    /// The body of an AUX record without bytes.
    pub fn empty(&self, is_raw: bool) -> Vec<u8> {
        self.aux(self.head(), 0, is_raw, aux::PARTIAL)
    }

    fn aux(&self, offset: u64, size: u64, is_raw: bool, flags: u64) -> Vec<u8> {
        let format = if is_raw { aux::FORMAT_RAW } else { 0 };
        let mode = if self.size.is_some() {
            aux::OVERWRITE
        } else {
            0
        };
        [offset, size, flags | format | mode]
            .map(u64::to_le_bytes)
            .concat()
    }

    /// perf takes what is new, or in a snapshot what is there.
    pub fn dump(&mut self, writer: &mut Writer, owner: (u32, u32)) {
        let head = self.head();
        let start = match self.size {
            Some(size) => head.saturating_sub(size).max(self.base),
            None => self.taken.last().map_or(self.base, |(_, end)| *end),
        };
        if start < head {
            self.taken.push((start, head));
            let bytes = &self.bytes[(start - self.base) as usize..];
            writer.auxtrace(start, owner, bytes);
        }
    }

    /// The bytes of the sessions that perf took, by CPU in order of appearance. A session with a gap
    /// is two.
    pub fn buffers(&self) -> Vec<(Option<u32>, Vec<Vec<u8>>)> {
        let mut buffers: Vec<(Option<u32>, Vec<Vec<u8>>)> = Vec::new();
        for session in &self.sessions {
            let mut parts: Vec<Vec<u8>> = Vec::new();
            let mut was_taken = false;
            for offset in session.start..session.end {
                let holds = |(start, end): &(u64, u64)| (*start..*end).contains(&offset);
                let is_taken = self.taken.iter().any(holds);
                if is_taken {
                    if !was_taken {
                        parts.push(Vec::new());
                    }
                    let part = parts.last_mut().expect("a part");
                    part.push(self.bytes[(offset - self.base) as usize]);
                }
                was_taken = is_taken;
            }
            if parts.is_empty() {
                continue;
            }
            match buffers.iter_mut().find(|(cpu, _)| *cpu == session.cpu) {
                Some((_, sessions)) => sessions.extend(parts),
                None => buffers.push((session.cpu, parts)),
            }
        }
        buffers
    }
}
