// SPDX-License-Identifier: MIT OR Apache-2.0
//! A row of the table, and helpers of every run.

use std::fmt::Write;

use anyhow::{Result, ensure};
use coretrace_etm::Record;
use coretrace_etm::SourceConfig;
use coretrace_test_gen::RegisterSet;
use etm4_cli::output::Output;

/// The clock of the last column: the trace port's of a Zynq UltraScale+.
const CLOCK_MHZ: f64 = 250.0;

/// The result of a preset for one stream.
pub struct Row {
    pub name: &'static str,
    pub stream: &'static str,
    /// Bytes at the input, including those whose keep bit is 0.
    pub bytes: u64,
    /// Cycles from the first word at the input to the last one, a word in each.
    pub cycles: u64,
    pub packets: u64,
    /// Input bytes that are in no record.
    pub dropped: u64,
}

impl Row {
    pub fn print(&self, out: &mut Output) -> Result<()> {
        let rate = self.bytes as f64 / self.cycles as f64;
        writeln!(
            out.text,
            "{:<18} {:<20} {:>9} {:>9} {:>8.3} {:>9.0} {:>9} {:>8}",
            self.name,
            self.stream,
            self.bytes,
            self.cycles,
            rate,
            rate * CLOCK_MHZ,
            self.packets,
            self.dropped
        )?;
        Ok(())
    }
}

/// The trace unit of the streams: everything is enabled, so every packet type is legal.
pub fn register_set() -> RegisterSet {
    RegisterSet::by_name("v46-all").expect("a named set")
}

pub fn source_config(set: &RegisterSet) -> SourceConfig {
    SourceConfig {
        protocol: set.protocol,
        profile: set.profile,
        registers: set.registers,
        lenient: false,
    }
}

/// Demands that the hardware reports the model's records.
pub fn check(stream: &str, got: &[Record], want: &[Record]) -> Result<()> {
    for (got, want) in got.iter().zip(want) {
        ensure!(
            got == want,
            "{stream}: the hardware differs from the model at offset {}: {got:?} is not {want:?}",
            want.offset
        );
    }
    ensure!(
        got.len() == want.len(),
        "{stream}: the hardware gives {} records, the model {}",
        got.len(),
        want.len()
    );
    Ok(())
}

/// The words of a trace port.
pub fn words_of(port: &[u8]) -> Vec<u32> {
    let words = port.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}
