// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sizes of a history in which places are found again, by a number.

use coretrace_abi::compressed::history::{MatchSizes, PRESETS, elements};

/// The number of the sizes of XE, behind those of the presets.
pub const ELEMENTS: usize = PRESETS.len();

/// The sizes of a preset, or of XE.
pub(crate) fn match_sizes(number: usize) -> MatchSizes {
    match PRESETS.get(number) {
        Some(preset) => preset.matches,
        None => elements::MATCHES,
    }
}
