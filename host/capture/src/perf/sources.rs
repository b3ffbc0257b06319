// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace sources of a buffer: trace units with the trace IDs that they had.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use super::constants::hw_id::{MAJOR, SINK};
use super::damage::Damage;
use super::info::{TraceUnit, is_trace_id};
use super::input::u64_at;
use super::sample_id::SampleId;
use crate::SourceDescription;

/// The most different trace IDs of all CPUs together.
const MAX_HW_IDS: usize = 1 << 13;

/// A trace ID that a CPU had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HwId {
    cpu: u32,
    /// The sink in which the ID holds; 0 from kernels whose IDs hold everywhere.
    sink: u32,
    id: u8,
}

/// Trace units and HW_ID records, as they come.
#[derive(Debug, Default)]
pub struct Sources {
    units: BTreeMap<u32, TraceUnit>,
    hw_ids: BTreeSet<HwId>,
    unknown: u64,
}

impl Sources {
    /// Adds trace units; of two of a CPU the first counts.
    pub fn units(&mut self, units: Vec<TraceUnit>) {
        for unit in units {
            self.units.entry(unit.cpu).or_insert(unit);
        }
    }

    /// Takes the body of a HW_ID record.
    ///
    /// # Errors
    /// If there are more different ones than any recording has.
    pub fn hw_id(&mut self, body: &[u8], id: SampleId) -> Result<()> {
        let value = u64_at(body, 0).unwrap_or_default();
        let trace_id = value as u8;
        let (Some(cpu), 0, true) = (id.cpu, value >> MAJOR, is_trace_id(trace_id)) else {
            self.unknown += 1;
            return Ok(());
        };
        self.hw_ids.insert(HwId {
            cpu,
            sink: (value >> SINK) as u32,
            id: trace_id,
        });
        ensure!(
            self.hw_ids.len() <= MAX_HW_IDS,
            "it has more than {MAX_HW_IDS} trace IDs: record fewer CPUs"
        );
        Ok(())
    }

    /// Reports what could not be used.
    pub fn report(&self, damage: &mut Damage) {
        let sentence = "HW_ID records have no CPU, no trace ID, or a version that is not known";
        damage.count(self.unknown, sentence);
        let mut owners: BTreeMap<(u32, u8), u32> = BTreeMap::new();
        for hw_id in &self.hw_ids {
            let first = *owners.entry((hw_id.sink, hw_id.id)).or_insert(hw_id.cpu);
            if first != hw_id.cpu {
                damage.report(format!(
                    "CPUs {first} and {} both had trace ID {:#04x}: its packets are taken as those of CPU {first}",
                    hw_id.cpu, hw_id.id
                ));
            }
        }
    }

    /// The trace IDs of a trace unit in these sinks, in any if none are given. Those of HW_ID records
    /// count before the one in its registers.
    fn ids(&self, unit: &TraceUnit, sinks: &BTreeSet<u32>) -> BTreeSet<u8> {
        let of_cpu = |sink, id| HwId {
            cpu: unit.cpu,
            sink,
            id,
        };
        let all = of_cpu(0, 0)..=of_cpu(u32::MAX, u8::MAX);
        let hw_ids = self.hw_ids.range(all);
        if hw_ids.clone().next().is_none() {
            let in_registers = unit.trace_id(!self.hw_ids.is_empty());
            return in_registers.into_iter().collect();
        }
        hw_ids
            .filter(|hw_id| sinks.is_empty() || sinks.contains(&hw_id.sink))
            .map(|hw_id| hw_id.id)
            .collect()
    }

    /// The source of a raw buffer.
    pub fn of_cpu(&self, cpu: Option<u32>) -> Vec<SourceDescription> {
        let unit = cpu.and_then(|cpu| self.units.get(&cpu));
        let any = BTreeSet::new();
        let source = |unit: &TraceUnit| unit.source(self.ids(unit, &any).first().copied());
        unit.map(source).into_iter().collect()
    }

    /// The sources of a buffer with frames: all trace units whose trace goes to the sink of this CPU,
    /// each trace ID once.
    pub fn of_sink(&self, cpu: Option<u32>) -> Vec<SourceDescription> {
        let sinks: BTreeSet<u32> = self
            .hw_ids
            .iter()
            .filter(|hw_id| Some(hw_id.cpu) == cpu)
            .map(|hw_id| hw_id.sink)
            .collect();
        let mut known = BTreeSet::new();
        let mut sources = Vec::new();
        for unit in self.units.values() {
            for id in self.ids(unit, &sinks) {
                if known.insert(id) {
                    sources.push(unit.source(Some(id)));
                }
            }
        }
        sources
    }
}
