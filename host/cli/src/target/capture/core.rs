// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records that a core stores while a session runs, and what it counted.

use anyhow::Result;
use coretrace_capture::Counters as Description;
use coretrace_target::ring::{Reader, Ring, RingError};
use coretrace_target::topology::{Index, Receiver, Topology};
use coretrace_target::{Bus, BusError};

use crate::error::say;
use crate::output::FileOutput;
use crate::target::counters::Counters;

/// A core that the host reads.
pub struct Client {
    reader: Reader,
    core: Receiver,
    records: Records,
    /// The counters when the session began and when it had ended.
    counts: Vec<Counters>,
    /// Why there are no more records.
    failure: Option<RingError>,
}

/// Records in a file.
struct Records {
    file: FileOutput,
    /// Bytes of them so far.
    bytes: usize,
}

impl Records {
    /// Stores a packet, in the file when this returns.
    fn put(&mut self, words: &[u32]) {
        for word in words {
            self.file.put(&word.to_le_bytes());
        }
        self.file.flush();
        self.bytes += 4 * words.len();
    }
}

/// What a core gave.
pub struct Received {
    /// Bytes of its records.
    pub bytes: usize,
    /// Its counters when the session began and when it had ended.
    pub counters: Description,
    /// The same as JSON, an object for each.
    pub lines: String,
    /// Why the records end before the trace does, if they do.
    pub failure: Option<RingError>,
}

impl Received {
    /// What the counters say of a port that sent neither a frame nor a sync in the whole session. One that sent syncs
    /// is no dead one: nothing that is traced ran.
    pub fn of_dead_port(&self) -> Option<String> {
        let Description { before, after } = &self.counters;
        let still = |name| {
            let (before, after) = (before.get(name)?, after.get(name)?);
            (before == after).then_some(*after)
        };
        let (frames, syncs) = (still("FRAMES")?, still("SYNC_ACQUISITIONS")?);
        Some(format!(
            "FRAMES is still {frames}, and SYNC_ACQUISITIONS is still {syncs}"
        ))
    }
}

impl Client {
    /// Gives a core the buffers for its records, which go into a file as they come.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn new(
        topology: &Topology,
        (receiver, ring): (Index, Ring),
        records: FileOutput,
        bus: &mut dyn Bus,
    ) -> Result<Client> {
        ring.post(bus)?;
        let of = &topology.receivers[receiver];
        Ok(Client {
            reader: Reader::new(ring, of.dma),
            core: of.clone(),
            records: Records {
                file: records,
                bytes: 0,
            },
            counts: Vec::new(),
            failure: None,
        })
    }

    /// Takes the records that are there; whether there may be more.
    pub fn take(&mut self, bus: &mut dyn Bus) -> bool {
        if self.failure.is_none() {
            let records = &mut self.records;
            self.failure = self.reader.take(bus, |words| records.put(words)).err();
        }
        self.failure.is_none()
    }

    /// Takes the last records, of a session that has ended, and the counters.
    ///
    /// # Errors
    /// If the counters cannot be read, or records could not be stored.
    pub fn finish(mut self, bus: &mut dyn Bus) -> Result<Received> {
        self.count(bus)?;
        self.warn();
        let (lines, counters) = (self.lines(), self.counters());
        let mut records = self.records;
        let finished = self.reader.finish(bus, |words| records.put(words));
        records.file.finish()?;
        Ok(Received {
            bytes: records.bytes,
            counters,
            lines,
            failure: self.failure.or(finished.err()),
        })
    }

    /// Reads the counters, all as of one cycle.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn count(&mut self, bus: &mut dyn Bus) -> Result<(), BusError> {
        self.counts.push(Counters::read(&self.core, bus)?);
        Ok(())
    }

    /// What was counted so far.
    pub fn counters(&self) -> Description {
        let described = |counts: Option<&Counters>| {
            let counts = counts.into_iter().flat_map(|counts| &counts.0);
            counts
                .map(|(name, count)| ((*name).to_owned(), *count))
                .collect()
        };
        Description {
            before: described(self.counts.first()),
            after: described(self.counts.get(1)),
        }
    }

    /// Warns if the core lost words of the trace port.
    fn warn(&self) {
        let lost = self.counts.iter().map(|counts| counts.of("LOST_WORDS"));
        let lost: Vec<u32> = lost.collect();
        if let [before, .., after] = lost[..]
            && after > before
        {
            let words = after - before;
            say(&format!(
                "warning: {} lost {words} words of the trace port: the host was late, or --ring is small",
                self.core.name
            ));
        }
    }

    /// The counters, a JSON object for each time.
    fn lines(&self) -> String {
        let object = |counts: &Counters| {
            let mut object = serde_json::json!({"schema": "etm4.target-counters.1"});
            for (name, value) in &counts.0 {
                object[*name] = (*value).into();
            }
            format!("{object}\n")
        };
        self.counts.iter().map(object).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_with_syncs_alone_is_idle_and_one_without_is_dead() {
        let counts = |frames: u32, syncs: u32| {
            let counts = [("FRAMES", frames), ("SYNC_ACQUISITIONS", syncs)];
            counts.map(|(name, count)| (name.to_owned(), count)).into()
        };
        let is_dead = |before, after| {
            let received = Received {
                bytes: 0,
                counters: Description { before, after },
                lines: String::new(),
                failure: None,
            };
            received.of_dead_port().is_some()
        };
        assert!(is_dead(counts(7, 1), counts(7, 1)));
        assert!(!is_dead(counts(7, 1), counts(7, 2)));
        assert!(!is_dead(counts(7, 1), counts(8, 1)));
    }
}
