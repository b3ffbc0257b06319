// SPDX-License-Identifier: MIT OR Apache-2.0
//! The presets by what they take.

use coretrace_pipelines::DecoderTop;

/// The presets that take the bytes of one source.
pub fn source_presets() -> impl Iterator<Item = DecoderTop> {
    DecoderTop::ALL
        .into_iter()
        .filter(|preset| !preset.takes_frames())
}

/// The presets with a trace port.
pub fn port_presets() -> impl Iterator<Item = DecoderTop> {
    DecoderTop::ALL
        .into_iter()
        .filter(|preset| preset.takes_frames())
}
