// SPDX-License-Identifier: MIT OR Apache-2.0
//! The numbers of blocks, which say how many are missing.

use coretrace_abi::compressed::block::Header;

/// Trace IDs.
const SOURCES: usize = 1 << 7;

/// The numbers that the next blocks of each source have if none is missing.
#[derive(Clone, Debug)]
pub struct Sequences([Option<u16>; SOURCES]);

impl Default for Sequences {
    fn default() -> Sequences {
        Sequences([None; SOURCES])
    }
}

impl Sequences {
    /// Blocks of its source that are missing in front of this one, modulo 2^16; none before the first one, and
    /// where the encoder was enabled again.
    pub fn missing(&mut self, header: &Header) -> u16 {
        let expected = &mut self.0[usize::from(header.trace_id) % SOURCES];
        let next = header.sequence.wrapping_add(1);
        match expected.replace(next) {
            Some(expected) if !header.is_first => header.sequence.wrapping_sub(expected),
            _ => 0,
        }
    }
}
