// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which bits of the halves are the trace bus, and whose.

use anyhow::{Context, Result, anyhow, ensure};
use coretrace_coresight::TraceId;
use coretrace_coresight::ocla::{HALVES, HalfTable};
use serde::Deserialize;

use crate::SourceDescription;

/// The table of an analyzer: a text in TOML.
///
/// ```toml
/// memory = false          # optional: the words are a dump of its memory, and were not read from DAT_POP
///
/// [[half]]                # two: the low half first
/// data = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
///         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
/// bytes = [32, 33]        # ATBYTES, the lower bit first
/// valid = 34              # ATVALID
///
/// [half.source]           # as in a capture.toml; the trace ID is yours to choose
/// name = "core 0"
/// protocol = "ETM4"
/// trace_id = 0x10
/// [half.source.registers]
/// TRCCONFIGR = 0xc1
/// ```
#[derive(Clone, Debug)]
pub struct OclaTable {
    halves: [(HalfTable, TraceId); HALVES],
    sources: [SourceDescription; HALVES],
    memory: bool,
}

/// The text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    #[serde(default)]
    memory: bool,
    half: Vec<HalfText>,
}

/// A `[[half]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HalfText {
    data: Vec<u8>,
    bytes: [u8; 2],
    valid: u8,
    source: SourceDescription,
}

impl OclaTable {
    /// Parses the text of a table.
    ///
    /// # Errors
    /// If it is not TOML, a key is missing, unknown or of the wrong type, there are not two halves, bits are no
    /// table, or the sources have no trace IDs or the same one.
    pub fn parse(text: &str) -> Result<OclaTable> {
        let Text { memory, half } = toml::from_str(text).context("it is not well-formed")?;
        let halves = half.iter().enumerate().map(|(number, half)| {
            half.checked()
                .with_context(|| format!("half {number} is wrong"))
        });
        let halves: Vec<(HalfTable, TraceId)> = halves.collect::<Result<_>>()?;
        let found = halves.len();
        let halves: [(HalfTable, TraceId); HALVES] = halves
            .try_into()
            .map_err(|_| anyhow!("there are {found} halves: give {HALVES}"))?;
        let [(_, first), (_, second)] = halves;
        ensure!(
            first != second,
            "both halves have the trace ID {:#04x}: give them two",
            first.value()
        );
        let sources: Vec<SourceDescription> = half.into_iter().map(|half| half.source).collect();
        Ok(OclaTable {
            halves,
            sources: sources.try_into().expect("as many as halves"),
            memory,
        })
    }

    /// The bits of each half.
    pub fn halves(&self) -> [HalfTable; HALVES] {
        self.halves.map(|(table, _)| table)
    }

    /// The trace ID of each half.
    pub fn ids(&self) -> [TraceId; HALVES] {
        self.halves.map(|(_, id)| id)
    }

    /// The trace unit of each half.
    pub fn sources(&self) -> &[SourceDescription; HALVES] {
        &self.sources
    }

    /// Whether every word is an entry, and not only those with bit 63.
    pub fn is_memory(&self) -> bool {
        self.memory
    }
}

impl HalfText {
    fn checked(&self) -> Result<(HalfTable, TraceId)> {
        let found = self.data.len();
        let data = self.data.clone().try_into();
        let table = HalfTable {
            data: data.map_err(|_| anyhow!("ATDATA has {found} bits: give 32"))?,
            bytes: self.bytes,
            valid: self.valid,
        };
        table.check()?;
        let id = self.source.trace_id.context("its source has no trace_id")?;
        let id = TraceId::new(id).filter(|id| id.is_source());
        Ok((table, id.context("its trace_id is not 0x01 to 0x6f")?))
    }
}
