// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core: one source in frames, with both output streams always ready.

use anyhow::{Result, ensure};
use coretrace_coresight::TraceId;
use coretrace_decode::{Decoder, Policy};
use coretrace_pipelines::package::core::CORE;
use coretrace_pipelines::sim::CoreSim;
use coretrace_streams::{Damage, Item, Reader, as_transmitted};
use coretrace_test_gen::{Framing, Rng, WorstCase, frame_streams};

use super::row::{Row, check, register_set, source_config, words_of};
use etm4_cli::progress::Progress;

/// Drives words at the port without a gap, with both streams always ready.
pub fn core_row(stream: &'static str, mix: WorstCase, rng: &mut Rng, bytes: usize) -> Result<Row> {
    let set = register_set();
    let id = TraceId::new(0x10).expect("an ID");
    let put_in = mix.stream(rng, &set.config(), bytes).bytes;
    let port = frame_streams(rng, &[(id, &put_in[..])], &Framing::PORT);
    let mut want = Vec::new();
    let mut model = Decoder::new(set.config(), Policy::Resync);
    model.feed(&put_in, |record| want.push(*record));
    model.finish(|record| want.push(*record));

    let mut core = CoreSim::new();
    core.enable(id.value(), &source_config(&set), false);
    let words = words_of(&port);
    let mut progress = Progress::new(stream, words.len() as u64);
    for (cycle, &word) in (0..).zip(&words) {
        progress.part(cycle);
        core.step(Some(word), true);
    }
    // Drain until no more words are sent.
    let sent = |core: &CoreSim| core.words.len() + core.entries.len();
    let mut before = 0;
    while sent(&core) > before {
        before = sent(&core);
        core.drain();
    }
    core.snapshot();
    let lost = core.registers().lost_words().count();
    let taken = u64::from(core.registers().bytes(0).count());

    let mut got = Vec::new();
    let mut reported = 0;
    let mut reader = Reader::new();
    let mut damage = Damage::default();
    reader.words(&core.words, |item| match item {
        Item::Lost(words) => reported = words,
        Item::Record(record) => got.push(*record),
        other => damage.count(&other),
    });
    reader.finish(|item| damage.count(&item));
    ensure!(!damage.is_any(), "{stream}: {damage}");
    ensure!(
        reported == lost,
        "{stream}: {lost} words are lost, but {reported} are reported"
    );
    if lost == 0 {
        check(stream, &got, &as_transmitted(want))?;
    }
    Ok(Row {
        name: CORE,
        stream,
        bytes: port.len() as u64,
        cycles: words.len() as u64,
        packets: got.len() as u64,
        dropped: put_in.len() as u64 - taken,
    })
}
