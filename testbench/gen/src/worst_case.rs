// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worst-case streams for a decoder's throughput.

use crate::stream::{is_single, legal_headers};
use crate::{Rng, Stream, StreamOptions, legal_stream};
use coretrace_etm::Config;

/// A mix of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorstCase {
    /// Every byte is a packet.
    SingleByte,
    /// Every byte is an exact match: it moves all address registers.
    ExactMatch,
    /// Short addresses back to back.
    ShortAddress,
    /// Payloads whose length is only known at their end.
    VariableSize,
    /// Every packet type that is legal.
    AllTypes,
}

impl WorstCase {
    /// Every mix.
    pub const ALL: [WorstCase; 5] = [
        WorstCase::SingleByte,
        WorstCase::ExactMatch,
        WorstCase::ShortAddress,
        WorstCase::VariableSize,
        WorstCase::AllTypes,
    ];

    /// Name for a table.
    pub const fn name(self) -> &'static str {
        match self {
            WorstCase::SingleByte => "single-byte packets",
            WorstCase::ExactMatch => "exact matches",
            WorstCase::ShortAddress => "short addresses",
            WorstCase::VariableSize => "variable sizes",
            WorstCase::AllTypes => "all types",
        }
    }

    fn headers(self, config: &Config) -> Vec<u8> {
        match self {
            WorstCase::SingleByte => legal_headers(config)
                .into_iter()
                .filter(|&header| is_single(header, config))
                .collect(),
            WorstCase::ExactMatch => vec![0x90, 0x91, 0x92],
            WorstCase::ShortAddress => vec![0x95, 0x96],
            WorstCase::VariableSize => vec![0x01, 0x02, 0x03, 0x0E, 0x2D, 0x2E, 0x2F, 0x81, 0x95],
            WorstCase::AllTypes => Vec::new(),
        }
    }

    /// At least `bytes` bytes of this mix, after an A-Sync and a Trace Info.
    pub fn stream(self, rng: &mut Rng, config: &Config, bytes: usize) -> Stream {
        let headers = self.headers(config);
        let options = |packets| StreamOptions {
            packets,
            headers: headers.clone(),
            sync_every: usize::MAX,
            unusual: false,
        };
        let probe = legal_stream(rng, config, &options(1000));
        let packets = bytes * 1000 / probe.bytes.len().max(1) + 1000;
        legal_stream(rng, config, &options(packets))
    }
}
