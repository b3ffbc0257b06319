// SPDX-License-Identifier: MIT OR Apache-2.0
//! A check for many presets.

use coretrace_pipelines::DecoderTop;
use std::thread;

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

/// Runs a check for presets in parallel, each in a thread named after its preset. Returns the
/// results.
///
/// # Panics
/// If a check panics.
pub fn for_each_preset<T: Send>(
    presets: impl Iterator<Item = DecoderTop>,
    check: impl Fn(DecoderTop) -> T + Sync,
) -> Vec<T> {
    let check = &check;
    thread::scope(|scope| {
        let spawn = |preset: DecoderTop| {
            thread::Builder::new()
                .name(preset.name().to_owned())
                .spawn_scoped(scope, move || check(preset))
                .expect("a thread")
        };
        let threads: Vec<_> = presets.map(spawn).collect();
        let results = threads.into_iter().map(|thread| thread.join());
        results
            .map(|result| result.expect("the check of every preset passes"))
            .collect()
    })
}
