// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that are measured.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use coretrace_test_gen::{itm_stream, rng};

/// Short streams are repeated to this many bytes.
const BYTES: usize = 64 * 1024;
/// Packets of a stream of the generator.
const PACKETS: usize = 10_000;
/// ASYNC, VERSION 3 and a NULL.
const STM_PREAMBLE: [u8; 14] = [
    0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x0F, 0x30,
];

/// What a stream is of.
#[derive(Clone, Copy)]
pub enum Kind {
    Stm,
    Itm,
}

/// A stream that is measured.
pub struct Set {
    pub name: &'static str,
    pub kind: Kind,
    pub bytes: Vec<u8>,
}

/// The captures of an STM. Not those with timestamps in Gray code, which OpenCSD 1.3.3 reads wrong above 32 bits.
const STM_CAPTURES: [&str; 4] = [
    "stm_only",
    "stm-issue-27",
    "hand-stm-common",
    "hand-stm-all",
];
const ITM_CAPTURES: [&str; 2] = ["hand-itm-all", "itm_only_raw"];

/// All sets.
pub fn all(corpus: &Path) -> Result<Vec<Set>> {
    let read = |name: &str| {
        let file = corpus.join(name).join("trace.bin");
        fs::read(&file).with_context(|| format!("cannot read {}", file.display()))
    };
    let mut sets = Vec::new();
    for name in STM_CAPTURES {
        let bytes = repeated(&read(name)?);
        let bytes = [&STM_PREAMBLE[..], &bytes].concat();
        sets.push(Set {
            name,
            kind: Kind::Stm,
            bytes,
        });
    }
    for name in ITM_CAPTURES {
        let bytes = repeated(&read(name)?);
        sets.push(Set {
            name,
            kind: Kind::Itm,
            bytes,
        });
    }
    sets.push(Set {
        name: "itm-generated",
        kind: Kind::Itm,
        bytes: itm_stream(&mut rng(1), PACKETS, None),
    });
    Ok(sets)
}

fn repeated(bytes: &[u8]) -> Vec<u8> {
    bytes.repeat(BYTES.div_ceil(bytes.len()))
}
