// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bits that each encoder needs for a branch trace.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context, Result};
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_compress::{Coder, Elements};
use coretrace_isa::Isa;
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::trace_unit::TraceUnit;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Entries of the return stack of a trace unit.
const RETURNS: usize = 15;

/// Levels of zstd and xz: the best that they have.
const ZSTD_LEVEL: i32 = 22;
/// See [`ZSTD_LEVEL`].
const XZ_LEVEL: u32 = 9;

/// The trace as a trace unit sends it, without and with a return stack.
pub const PLAIN: &str = "ETM";
/// See [`PLAIN`].
pub const WITH_RETURNS: &str = "ETM+RS";
/// What general compressors make of the second one.
pub const GENERAL: [&str; 3] = ["gzip", "zstd", "xz"];
/// The encoder that needs no image; it takes the second one.
pub const ELEMENTS: &str = "XE";

/// Bits per instruction of a trace.
pub struct Sizes {
    /// The name of the trace.
    pub name: String,
    bits: BTreeMap<&'static str, f64>,
}

impl Sizes {
    /// Of a trace, in one piece that begins with nothing known.
    ///
    /// # Errors
    /// If a general compressor fails.
    pub fn of(name: String, trace: &BranchTrace) -> Result<Sizes> {
        let mut all: Vec<(&'static str, u64)> = Encoder::all()
            .map(|(name, encoder)| (name, encoded(trace, encoder)))
            .collect();
        let mut elements = Elements::new();
        for element in trace.elements(RETURNS) {
            elements.element(&element);
        }
        all.push((ELEMENTS, elements.finish().len()));
        let plain = TraceUnit::default().trace(trace, &mut ());
        let unit = TraceUnit {
            return_stack: RETURNS,
            ..TraceUnit::default()
        };
        let with_returns = unit.trace(trace, &mut ());
        let bits = |bytes: usize| 8 * bytes as u64;
        all.push((PLAIN, bits(plain.len())));
        all.push((WITH_RETURNS, bits(with_returns.len())));
        for (name, bytes) in GENERAL.into_iter().zip(general(&with_returns)?) {
            all.push((name, bits(bytes)));
        }
        let instructions = instructions(trace) as f64;
        let per_instruction = all.into_iter();
        let per_instruction =
            per_instruction.map(|(name, bits)| (name, bits as f64 / instructions));
        Ok(Sizes {
            name,
            bits: per_instruction.collect(),
        })
    }

    /// The bits per instruction that an encoder needs.
    ///
    /// # Errors
    /// If it was not measured.
    pub fn bits(&self, encoder: &str) -> Result<f64> {
        let bits = self.bits.get(encoder).copied();
        bits.with_context(|| format!("{}: {encoder} was not measured", self.name))
    }
}

/// The instructions that an encoder sees.
fn instructions(trace: &BranchTrace) -> u64 {
    let mut events = trace.events();
    let mut sum = 0;
    for event in events.by_ref() {
        sum += u64::from(event.instructions());
    }
    sum + events.rest()
}

fn encoded(trace: &BranchTrace, encoder: Encoder) -> u64 {
    let mut coder = Coder::new(encoder, trace.isa == Isa::A64, trace.start);
    let mut events = trace.events();
    for event in events.by_ref() {
        coder.event(&event);
    }
    let (_, records) = coder.finish(events.rest());
    records
}

/// The bytes that gzip, zstd and xz need.
fn general(bytes: &[u8]) -> Result<[usize; 3]> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok([
        gzip.finish()?.len(),
        zstd::encode_all(bytes, ZSTD_LEVEL)?.len(),
        liblzma::encode_all(bytes, XZ_LEVEL)?.len(),
    ])
}
