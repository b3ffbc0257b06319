// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the input falls idle, all bytes are reported within a bounded number of cycles, in any
//! state of the decoder, and the records are right when the input continues. In the Rust
//! simulation.

use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::{Deframer, Demux, Format, RunEvent};
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::DRAIN_CYCLES;
use coretrace_pipelines::sim::{InputWord, PortSource};
use coretrace_test_gen::{Framing, RegisterSet, Rng, WorstCase, frame_streams, rng};
use coretrace_test_simulate::Backend;
use coretrace_test_support::{DecoderSetup, in_parallel, kept_bytes, port_presets, source_presets};
use rand::RngExt;

/// The most clock edges until a byte at an input that then falls idle has its result at the output,
/// including the edge that samples it. For a port: until all bytes of a frame have theirs, from the
/// edge that samples its last word.
fn flush_cycles(preset: DecoderTop) -> u64 {
    match preset {
        DecoderTop::Etm4Byte => 5,
        DecoderTop::Etm4X4 => 13,
        DecoderTop::Etm4JumpX4 => 25,
        DecoderTop::Etm4JumpX8 => 37,
        DecoderTop::Etm4JumpX16 => 59,
        DecoderTop::TpiuEtm4X4 => 22,
        DecoderTop::TpiuEtm4JumpX4 => 34,
        DecoderTop::Etm4OnehotX4 | DecoderTop::Etm4OnehotX8 => panic!("no preset"),
    }
}

/// The cycles of inputs and results, with the total bytes so far.
#[derive(Default)]
struct Log {
    /// The cycle of each last input before an idle stretch, and the total input bytes.
    put_in: Vec<(u64, u64)>,
    /// The cycle of each result, and the total bytes in results.
    out: Vec<(u64, u64)>,
}

impl Log {
    fn result(&mut self, cycle: u64, keep: u32) {
        let before = self.out.last().map_or(0, |&(_, bytes)| bytes);
        self.out
            .push((cycle, before + u64::from(keep.count_ones())));
    }

    /// The most cycles until all bytes of an input were reported.
    fn longest_delay(&self) -> u64 {
        let delay = |&(put_in, bytes): &(u64, u64)| {
            let all_out = |&&(_, out): &&(u64, u64)| out >= bytes;
            let (cycle, _) = self.out.iter().find(all_out).expect("every byte comes out");
            cycle + 1 - put_in
        };
        self.put_in.iter().map(delay).max().unwrap_or(0)
    }
}

/// A word of the next bytes, in the lanes of a mask.
fn word(bytes: &mut impl Iterator<Item = u8>, lanes: usize, mask: u32) -> InputWord {
    let mut word = InputWord::default();
    for lane in (0..lanes).filter(|lane| mask >> lane & 1 == 1) {
        word.data |= u128::from(bytes.next().expect("enough bytes")) << (8 * lane);
        word.keep |= 1 << lane;
    }
    word
}

/// Some full words, then bytes up to every fill level: in one word or one after the other; then a
/// pause of some cycles, which may have empty words.
fn words_with_pauses(
    rng: &mut Rng,
    lanes: usize,
    pause: usize,
    log: &mut Log,
) -> Vec<Option<InputWord>> {
    let config = RegisterSet::by_name("v46-all")
        .expect("a named set")
        .config();
    let stream = WorstCase::AllTypes.stream(rng, &config, 6 * lanes * lanes);
    let mut stream = stream.bytes.into_iter();
    let full = u32::MAX >> (32 - lanes);
    let mut words = Vec::new();
    let mut bytes = 0;
    for fill in 0..lanes {
        for in_one_word in [true, false] {
            let mut masks = vec![full; rng.random_range(0..3)];
            if in_one_word {
                let run = (1 << fill) - 1;
                masks.push(if rng.random() {
                    run << (lanes - fill)
                } else {
                    run
                });
            } else {
                masks.extend((0..fill).map(|_| 1 << rng.random_range(0..lanes)));
            }
            masks.retain(|&mask| mask != 0);
            for &mask in &masks {
                words.push(Some(word(&mut stream, lanes, mask)));
                bytes += u64::from(mask.count_ones());
            }
            if !masks.is_empty() {
                log.put_in.push((words.len() as u64 - 1, bytes));
            }
            for _ in 0..pause {
                words.push(rng.random::<bool>().then(InputWord::default));
            }
        }
    }
    words
}

/// Checks delay and records; returns the longest delay.
fn longest_delay(preset: DecoderTop, pause: usize) -> u64 {
    let set = RegisterSet::by_name("v46-all").expect("a named set");
    let setup = DecoderSetup {
        set,
        lenient: false,
    };
    let backend = Backend::Simulation(preset);
    let mut log = Log::default();
    let mut rng = rng(pause as u64);
    let words = words_with_pauses(&mut rng, preset.bytes_per_cycle(), pause, &mut log);
    assert!(
        words
            .iter()
            .flatten()
            .any(|word| !kept_bytes(word).is_empty())
    );
    setup.check(&backend, &words, &format!("pauses of {pause} cycles"));
    backend
        .run_source(&setup.source_config(), words.into_iter(), |cycle, word| {
            log.result(cycle, word.keep);
        })
        .expect("the preset runs");
    log.longest_delay()
}

#[test]
fn bytes_before_an_idle_input_come_out_within_their_bound() {
    in_parallel(source_presets(), |preset| {
        let delays = [1, 2, 3, DRAIN_CYCLES].map(|pause| longest_delay(preset, pause));
        assert_eq!(delays, [flush_cycles(preset); 4], "{}", preset.name());
    });
}

#[test]
fn frames_before_an_idle_port_come_out_within_their_bound() {
    in_parallel(port_presets(), |preset| {
        let set = RegisterSet::by_name("v46-all").expect("a named set");
        let setup = DecoderSetup {
            set,
            lenient: false,
        };
        let mut rng = rng(1);
        let ids = [0x10, 0x11, 0x12, 0x13].map(|id| TraceId::new(id).expect("an ID"));
        let streams = ids.map(|_| WorstCase::AllTypes.stream(&mut rng, &set.config(), 1).bytes);
        let parts: Vec<(TraceId, &[u8])> = ids
            .into_iter()
            .zip(&streams)
            .map(|(id, bytes)| (id, &bytes[..100]))
            .collect();
        let framing = Framing {
            full_sync: 1.0,
            ..Framing::BUFFER
        };
        let port = frame_streams(&mut rng, &parts, &framing);

        let mut log = Log::default();
        let mut words = Vec::new();
        let (mut deframer, mut demux) = (Deframer::new(Format::TpiuFsync), Demux::new(ids));
        let mut bytes = 0;
        // A full sync and a frame.
        for frame in port.chunks(20) {
            deframer.feed(frame, |event| {
                if let RunEvent::Run(run) = event
                    && demux.route(&run).is_some()
                {
                    bytes += run.bytes.len() as u64;
                }
            });
            let frame = frame.chunks_exact(4);
            words.extend(
                frame.map(|word| Some(u32::from_le_bytes([word[0], word[1], word[2], word[3]]))),
            );
            log.put_in.push((words.len() as u64 - 1, bytes));
            words.resize(words.len() + DRAIN_CYCLES, None);
        }
        let sources = ids.map(|id| PortSource {
            trace_id: id.value(),
            config: setup.source_config(),
        });
        Backend::Simulation(preset)
            .run_port(&sources, words.into_iter(), |_, cycle, word| {
                log.result(cycle, word.keep);
            })
            .expect("the preset runs");
        assert_eq!(bytes, 400, "bytes of the sources");
        assert_eq!(
            log.longest_delay(),
            flush_cycles(preset),
            "{}",
            preset.name()
        );
    });
}
