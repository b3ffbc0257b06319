// SPDX-License-Identifier: MIT OR Apache-2.0
//! AUX records say which bytes are whose; AUXTRACE records have the bytes.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Result, ensure};

use super::buffers::{Aux, Buffers, Owner, PerfBuffer, Stretch, in_order};
use super::constants::aux;
use super::damage::Damage;
use super::input::{u32_at, u64_at};
use super::sample_id::SampleId;
use super::sources::Sources;

/// The most records of each kind.
const MAX_RECORDS: usize = 1_000_000;

/// The records of AUX buffers, as they come.
#[derive(Debug, Default)]
pub struct Records {
    aux: Vec<Aux>,
    stretches: BTreeMap<Owner, Vec<Stretch>>,
    number_of_stretches: usize,
    flagged: [u64; 3],
    cut: u64,
}

impl Records {
    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.aux.is_empty() && self.stretches.is_empty()
    }

    /// Takes the body of an AUX record.
    ///
    /// # Errors
    /// If there are too many.
    pub fn aux(&mut self, body: &[u8], id: SampleId) -> Result<()> {
        let [Some(offset), Some(size), Some(flags)] = [0, 8, 16].map(|at| u64_at(body, at)) else {
            return Ok(());
        };
        let known = [aux::TRUNCATED, aux::PARTIAL, aux::COLLISION];
        for (count, flag) in self.flagged.iter_mut().zip(known) {
            *count += u64::from(flags & flag != 0);
        }
        if size == 0 {
            return Ok(());
        }
        ensure!(
            self.aux.len() < MAX_RECORDS,
            "it has more than {MAX_RECORDS} AUX records: record for a shorter time"
        );
        let (start, end) = if flags & aux::OVERWRITE != 0 {
            (offset.saturating_sub(size), offset)
        } else {
            (offset, offset.saturating_add(size))
        };
        self.aux.push(Aux {
            id,
            start,
            end,
            is_raw: flags & aux::FORMAT == aux::FORMAT_RAW,
        });
        Ok(())
    }

    /// Takes the body of an AUXTRACE record; `rest` is the part of the file behind it. Returns the
    /// number of bytes that belong to it.
    ///
    /// # Errors
    /// If there are too many.
    pub fn auxtrace(&mut self, body: &[u8], rest: Range<u64>) -> Result<u64> {
        let (Some(size), Some(start), Some(tid), Some(cpu)) = (
            u64_at(body, 0),
            u64_at(body, 8),
            u32_at(body, 28),
            u32_at(body, 32),
        ) else {
            return Ok(0);
        };
        let there = size.min(rest.end.saturating_sub(rest.start));
        self.cut = self.cut.saturating_add(size - there);
        if there > 0 {
            ensure!(
                self.number_of_stretches < MAX_RECORDS,
                "it has more than {MAX_RECORDS} AUXTRACE records: record for a shorter time"
            );
            self.number_of_stretches += 1;
            let end = start.saturating_add(there);
            let owner = if cpu == u32::MAX {
                Owner::Thread(tid)
            } else {
                Owner::Cpu(cpu)
            };
            self.stretches.entry(owner).or_default().push(Stretch {
                start,
                end,
                place: rest.start,
                padded_end: end,
            });
        }
        Ok(there)
    }

    /// The buffers, in order of their first AUX records.
    ///
    /// # Errors
    /// If there are more buffers, pieces or sources than any recording has.
    pub fn finish(mut self, sources: &Sources, damage: &mut Damage) -> Result<Vec<PerfBuffer>> {
        self.report(damage);
        for stretches in self.stretches.values_mut() {
            in_order(stretches);
        }
        let mut buffers = Buffers::default();
        let (mut without, mut missing) = (0, 0_u64);
        for aux in &self.aux {
            let wanted = aux.end - aux.start;
            let Some(owner) = self.owner(aux.id) else {
                without += 1;
                continue;
            };
            let found = buffers.add(aux, owner, &self.stretches[&owner], sources)?;
            without += u64::from(found == 0);
            if found > 0 {
                missing = missing.saturating_add(wanted - found);
            }
        }
        let all = self.aux.len();
        damage.count(
            without,
            &format!("of {all} AUX records have no trace data in the file"),
        );
        damage.count(
            missing,
            "bytes are missing in sessions of which the file has a part",
        );
        if self.aux.is_empty() && !self.stretches.is_empty() {
            damage.report("it has trace data, but no AUX record that says what they are");
        }
        for buffer in &buffers.list {
            if buffer.sources.is_empty() {
                damage.report(match buffer.cpu {
                    Some(cpu) => format!("no trace unit is known of the buffer of CPU {cpu}"),
                    None => "no trace unit is known of the buffer of a thread".to_owned(),
                });
            }
        }
        Ok(buffers.list)
    }

    fn report(&self, damage: &mut Damage) {
        let sentences = [
            "AUX records are flagged truncated: trace was lost when the buffer was full",
            "AUX records are flagged partial: tracing was off for a time",
            "AUX records are flagged collision: another user had the trace unit",
        ];
        for (count, sentence) in self.flagged.into_iter().zip(sentences) {
            damage.count(count, sentence);
        }
        damage.count(self.cut, "bytes of AUXTRACE records are not in the file");
    }

    /// The owner of the buffer of an AUX record.
    fn owner(&self, id: SampleId) -> Option<Owner> {
        let of = |owner: Owner| self.stretches.contains_key(&owner).then_some(owner);
        let of_cpu = id.cpu.map(Owner::Cpu).and_then(of);
        let of_thread = || id.tid.map(Owner::Thread).and_then(of);
        // Without a CPU it can be the only one.
        let only = || match id.cpu {
            None if self.stretches.len() == 1 => self.stretches.keys().next().copied(),
            _ => None,
        };
        of_cpu.or_else(of_thread).or_else(only)
    }
}
