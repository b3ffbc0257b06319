// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records that a core stores while a session runs, and what it counted.

use anyhow::Result;
use coretrace_abi::registers::csr::Control;
use coretrace_abi::registers::{Access, CORE};
use coretrace_target::ring::{Reader, Ring};
use coretrace_target::topology::{Index, Topology};
use coretrace_target::{Bus, BusError};

use crate::error::say;

/// A core that the host reads.
pub struct Client {
    reader: Reader,
    name: String,
    registers: u64,
    /// The records so far.
    words: Vec<u32>,
    /// The counters when the session began and when it had ended.
    counts: Vec<Counts>,
}

/// What a core gave.
pub struct Received {
    /// Its records.
    pub words: Vec<u32>,
    /// Its counters, a JSON object for each time.
    pub counters: String,
}

/// Counters by name.
type Counts = Vec<(&'static str, u32)>;

impl Client {
    /// Gives a core the buffers for its records.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn new(
        topology: &Topology,
        (receiver, ring): (Index, Ring),
        bus: &mut dyn Bus,
    ) -> Result<Client> {
        ring.post(bus)?;
        let of = &topology.receivers[receiver];
        Ok(Client {
            reader: Reader::new(ring, of.dma),
            name: of.name.clone(),
            registers: of.registers,
            words: Vec::new(),
            counts: Vec::new(),
        })
    }

    /// Takes the records that are there.
    ///
    /// # Errors
    /// If the DMA has failed.
    pub fn take(&mut self, bus: &mut dyn Bus) -> Result<()> {
        Ok(self.reader.take(bus, &mut self.words)?)
    }

    /// Takes the last records, of a session that has ended, and the counters.
    ///
    /// # Errors
    /// If the DMA has failed.
    pub fn finish(mut self, bus: &mut dyn Bus) -> Result<Received> {
        self.count(bus)?;
        self.warn();
        let counters = self.counters();
        self.reader.finish(bus, &mut self.words)?;
        Ok(Received {
            words: self.words,
            counters,
        })
    }

    /// Reads the counters, all as of one cycle.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn count(&mut self, bus: &mut dyn Bus) -> Result<(), BusError> {
        let control = self.registers + u64::from(Control::OFFSET);
        let settings = Control(bus.read32(control)?).with_snapshot(true);
        bus.write32(control, settings.0)?;
        let mut counts = Counts::new();
        for (offset, register) in CORE.placed() {
            if register.bits(Access::Snapshot) != 0 {
                let value = bus.read32(self.registers + u64::from(offset))?;
                counts.push((register.name, value));
            }
        }
        self.counts.push(counts);
        Ok(())
    }

    /// Warns if the core lost words of the trace port.
    fn warn(&self) {
        let lost = self.counts.iter().map(|counts| {
            let found = counts.iter().find(|(name, _)| *name == "LOST_WORDS");
            found.map_or(0, |(_, value)| *value)
        });
        let lost: Vec<u32> = lost.collect();
        if let [before, .., after] = lost[..]
            && after > before
        {
            let words = after - before;
            say(&format!(
                "warning: {} lost {words} words of the trace port: the host was late, or --ring is small",
                self.name
            ));
        }
    }

    /// The counters, a JSON object for each time.
    fn counters(&self) -> String {
        let object = |counts: &Counts| {
            let mut object = serde_json::json!({"schema": "etm4-target-counters-1"});
            for (name, value) in counts {
                object[*name] = (*value).into();
            }
            format!("{object}\n")
        };
        self.counts.iter().map(object).collect()
    }
}
