// SPDX-License-Identifier: MIT OR Apache-2.0
//! How sums are written.

use clap::ValueEnum;

/// How the sums are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Tables for people, with the hottest addresses
    #[default]
    Text,
    /// Tab-separated, with everything
    Tsv,
    /// One JSON object a line, with everything
    Json,
    /// One page for a browser: of a flow stream what ran, of what has no path the hottest addresses and the
    /// counts over time
    Html,
    /// Pre-aggregated branches for `perf2bolt -pa`
    Bolt,
    /// Branches by symbol for `llvm-bolt -data`
    Fdata,
    /// Ranges and branches for `llvm-profgen --unsymbolized-profile`
    Autofdo,
    /// Lines that ran, for `genhtml`
    Lcov,
    /// Paths of calls with their instructions, for flame graphs
    Folded,
    /// What a shard counted, for --parts
    Part,
}

impl ReportFormat {
    /// Whether the caller chooses what rows are about.
    pub fn has_chosen_rows(self) -> bool {
        matches!(
            self,
            ReportFormat::Text | ReportFormat::Tsv | ReportFormat::Json
        )
    }

    /// Whether sums without a path can be written so.
    pub fn has_sums(self) -> bool {
        matches!(
            self,
            ReportFormat::Text | ReportFormat::Tsv | ReportFormat::Json | ReportFormat::Html
        )
    }
}
