// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sources of a short buffer, each in memory on its own.

use std::rc::Rc;

use anyhow::Result;
use coretrace_decode::Policy;

use crate::pass::{Pass, StreamSink};
use crate::{Format, TraceBuffer, TraceBytes};

/// Bytes of the longest buffer that is split. Commands may take 64 MiB, of which threads that write
/// Parquet need 49.
const MOST_BYTES: u64 = 12 << 20;

/// The most losses in a buffer that is split: each takes memory for every source.
const MOST_LOSSES: usize = 1000;

impl TraceBuffer {
    /// The bytes of each of these sources as a raw buffer in memory, which has all sources of this one.
    /// So the frames are read once, whatever the number of passes. None of a raw buffer, of one of more
    /// than 12 MiB or 1000 losses, or of one that can be read only once.
    ///
    /// # Errors
    /// If the buffer cannot be read.
    pub fn split(&self, sources: &[usize]) -> Result<Option<Vec<TraceBuffer>>> {
        let is_short = self.bytes.len()?.is_some_and(|bytes| bytes <= MOST_BYTES);
        if !self.is_framed() || !is_short {
            return Ok(None);
        }
        let pass = Pass {
            buffer: self,
            sources,
            policy: Policy::default(),
            sync_limit: u64::MAX,
        };
        let mut split = Split {
            stretches: vec![vec![Vec::new()]; sources.len()],
            losses: 0,
        };
        pass.run_streams(&mut split)?;
        if split.is_done() {
            return Ok(None);
        }
        let raw = |stretches| TraceBuffer {
            name: self.name.clone(),
            format: Format::Raw,
            bytes: TraceBytes::Memory(Rc::from(stretches)),
            sources: self.sources.clone(),
        };
        Ok(Some(split.stretches.into_iter().map(raw).collect()))
    }
}

/// A buffer that is being split.
struct Split {
    /// The bytes of each source, in stretches between which bytes were lost.
    stretches: Vec<Vec<Vec<u8>>>,
    losses: usize,
}

impl StreamSink for Split {
    fn bytes(&mut self, source: usize, bytes: &[u8]) {
        if let Some(stretch) = self.stretches[source].last_mut() {
            stretch.extend_from_slice(bytes);
        }
    }

    fn lost(&mut self) {
        self.losses += 1;
        if !self.is_done() {
            for stretches in &mut self.stretches {
                stretches.push(Vec::new());
            }
        }
    }

    fn finish(&mut self) {}

    fn is_synced(&self) -> bool {
        false
    }

    fn is_done(&self) -> bool {
        self.losses > MOST_LOSSES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_coresight::{FrameBuilder, TraceId};
    use coretrace_decode::tpiu;

    use crate::SourceDescription;

    /// Bytes of these sources, in whole frames.
    fn frames(parts: &[(u8, &[u8])]) -> Vec<u8> {
        let mut builder = FrameBuilder::default();
        let mut bytes = Vec::new();
        for (id, part) in parts {
            let id = TraceId::new(*id).unwrap();
            bytes.extend(
                part.iter()
                    .filter_map(|&byte| builder.push(id, byte))
                    .flatten(),
            );
        }
        bytes.extend(builder.flush().into_iter().flatten());
        bytes
    }

    fn buffer(stretches: &[Vec<u8>]) -> TraceBuffer {
        let registers = [
            ("TRCCONFIGR", 0xC1),
            ("TRCIDR0", 0x2800_0EA1),
            ("TRCIDR1", 0x4100_F403),
            ("TRCIDR2", 0x488),
            ("TRCIDR8", 0),
        ];
        let description = |id| SourceDescription {
            protocol: "ETM4".into(),
            trace_id: Some(id),
            registers: registers.map(|(name, value)| (name.into(), value)).into(),
            ..SourceDescription::default()
        };
        TraceBuffer::new(
            Format::Framed(tpiu::Format::Frames),
            TraceBytes::Memory(Rc::from(stretches)),
            &[0x10, 0x11, 0x12].map(description),
        )
        .unwrap()
    }

    #[test]
    fn each_source_has_its_bytes_and_all_losses() {
        let (first, second) = ([1; 40], [2; 30]);
        let before = frames(&[(0x10, &first), (0x12, &second), (0x10, &[3])]);
        let behind = frames(&[(0x12, &first), (0x11, &[4])]);
        let split = buffer(&[before, behind]).split(&[0, 2]).unwrap().unwrap();
        let bytes = split.iter().map(|source| source.bytes.load().unwrap());
        let wanted = [
            ([&first[..], &[3]].concat(), vec![41]),
            ([&second[..], &first].concat(), vec![30]),
        ];
        assert!(bytes.eq(wanted));
        assert!(split.iter().all(|source| source.sources.len() == 3));
    }

    #[test]
    fn a_buffer_of_many_losses_is_not_split() {
        let stretches = |losses| vec![frames(&[(0x10, &[1])]); losses + 1];
        let split = |losses| buffer(&stretches(losses)).split(&[0, 1]).unwrap();
        assert!(split(MOST_LOSSES).is_some());
        assert!(split(MOST_LOSSES + 1).is_none());
    }

    #[test]
    fn a_long_buffer_and_a_pipe_are_not_split() {
        let long = buffer(&[vec![0; MOST_BYTES as usize], vec![0; 16]]);
        assert!(long.split(&[0, 1]).unwrap().is_none());
        let mut pipe = buffer(&[vec![0; 16]]);
        pipe.bytes = TraceBytes::once(Box::new(&[0; 16][..]));
        assert!(pipe.split(&[0, 1]).unwrap().is_none());
    }
}
