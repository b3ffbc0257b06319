// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole way from port words to sources, against the model, on broken ports and on captures.

use super::stimulus::{Pauses, random_words, with_seeds, words};
use super::{Demux, FrameDecoder, FrameGenerator};
use coretrace_coresight::{FSYNC, TraceId};
use coretrace_decode::tpiu::{self as model, DemuxStatistics, FrameEvent, RunEvent};
use coretrace_hdl_dataflow::sim::cycle;
use rust_hdl::prelude::*;
use std::path::Path;
use std::{env, fs};

const SOURCES: usize = 6;

#[derive(LogicBlock, Default)]
struct Chain {
    pub clock: Signal<In, Clock>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    generator: FrameGenerator,
    decoder: FrameDecoder,
    demux: Demux<SOURCES>,
}

impl Logic for Chain {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, generator, decoder, demux);
        self.generator.reset.next = false;
        self.decoder.reset.next = false;
        self.demux.reset.next = false;
        self.generator.s_axis_tdata.next = self.s_axis_tdata.val();
        self.generator.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.decoder.s_frame_tdata.next = self.generator.m_frame_tdata.val();
        self.decoder.s_frame_tvalid.next = self.generator.m_frame_tvalid.val();
        self.decoder.s_frame_discontinuity.next = self.generator.m_frame_discontinuity.val();
        self.demux.s_axis_tdata.next = self.decoder.m_axis_tdata.val();
        self.demux.s_axis_tid.next = self.decoder.m_axis_tid.val();
        self.demux.s_axis_tkeep.next = self.decoder.m_axis_tkeep.val();
        self.demux.s_axis_tvalid.next = self.decoder.m_axis_tvalid.val();
        self.demux.s_axis_discontinuity.next = self.decoder.m_axis_discontinuity.val();
    }
}

/// What a source gets: a byte, or `None` for a loss.
type Stream = Vec<Option<u8>>;

/// The stream of every source, the bytes that nobody got, losses and acquisitions.
#[derive(Debug, PartialEq)]
struct Outcome {
    streams: Vec<Stream>,
    drops: DemuxStatistics,
    losses: u64,
    acquisitions: u64,
}

fn expected(words: &[u32], ids: &[u8]) -> Outcome {
    let mut sync = model::FrameGenerator::new();
    let mut deformatter = model::FrameDecoder::new();
    let mut demux = model::Demux::new(ids.iter().filter_map(|id| TraceId::new(*id)));
    let mut streams = vec![Stream::new(); ids.len()];
    let mut lost = false;
    for half in words.iter().flat_map(|w| [*w as u16, (*w >> 16) as u16]) {
        let Some(event) = sync.step(half) else {
            continue;
        };
        // Hardware reports a loss with the frame that follows, however many losses there were.
        if matches!(event, FrameEvent::Frame { .. }) && std::mem::take(&mut lost) {
            streams.iter_mut().for_each(|stream| stream.push(None));
        }
        deformatter.feed(&event, |event| match event {
            RunEvent::Discontinuity { .. } => lost = true,
            RunEvent::Run(run) => {
                if let Some(id) = demux.route(&run) {
                    let source = ids.iter().position(|own| *own == id.value()).unwrap();
                    streams[source].extend(run.bytes.iter().copied().map(Some));
                }
            }
        });
    }
    Outcome {
        streams,
        drops: demux.statistics(),
        losses: sync.statistics().losses,
        acquisitions: sync.statistics().acquisitions,
    }
}

fn hardware(words: &[u32], ids: &[u8], pauses: Pauses) -> Outcome {
    let mut uut = Chain::default();
    uut.connect_all();
    for (port, id) in uut.demux.ids.iter_mut().zip(ids) {
        port.next = (*id).to_bits();
    }
    uut.demux.enables.next = ((1_u64 << ids.len()) - 1).to_bits();
    let mut streams = vec![Stream::new(); ids.len()];
    for word in pauses.between(words.iter().copied()).chain([None; 12]) {
        uut.s_axis_tvalid.next = word.is_some();
        if let Some(word) = word {
            uut.s_axis_tdata.next = word.to_bits();
        }
        cycle(&mut uut, |u, c| u.clock.next = c);
        for (source, stream) in streams.iter_mut().enumerate() {
            if !uut.demux.m_axis_tvalid[source].val() {
                continue;
            }
            if uut.demux.m_axis_discontinuity[source].val() {
                stream.push(None);
            }
            let data = uut.demux.m_axis_tdata[source].val().to_u32().to_le_bytes();
            let keep = uut.demux.m_axis_tkeep[source].val().to_u8();
            let kept = (0..4).filter(|lane| keep >> lane & 1 == 1);
            stream.extend(kept.map(|lane| Some(data[lane])));
        }
    }
    Outcome {
        streams,
        drops: DemuxStatistics {
            null_bytes: uut.demux.null_drops.val().to_u32().into(),
            reserved_bytes: uut.demux.reserved_drops.val().to_u32().into(),
            unclaimed_bytes: uut.demux.unclaimed_drops.val().to_u32().into(),
        },
        losses: uut.generator.sync_losses.val().to_u32().into(),
        acquisitions: uut.generator.sync_acquisitions.val().to_u32().into(),
    }
}

#[test]
fn broken_ports_give_what_the_model_gives() {
    with_seeds(40, |rng| {
        let words = random_words(rng, 100);
        let ids = [0x10, 0x20, 0x70, 0x01, 0x02, 0x6F];
        let found = hardware(&words, &ids, Pauses::random(rng));
        assert_eq!(found, expected(&words, &ids));
    });
}

#[test]
fn captures_give_what_the_model_gives() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let Ok(folders) = fs::read_dir(&corpus) else {
        assert_ne!(env::var("CI").as_deref(), Ok("true"), "no corpus");
        eprintln!("SKIPPED: no corpus");
        return;
    };
    let (mut captures, mut whole) = (0, 0);
    for folder in folders.map(|entry| entry.expect("corpus entry").path()) {
        let Ok(text) = fs::read_to_string(folder.join("capture.toml")) else {
            continue;
        };
        let format = text.lines().find_map(|line| line.strip_prefix("format = "));
        let capture = fs::read(folder.join("trace.bin")).expect("trace.bin");
        let port: Vec<u8> = match format.expect("a line with the format").trim_matches('"') {
            "raw" => continue,
            // A buffer has no syncs, so it gets one to begin with.
            "frames" => [&FSYNC.to_le_bytes()[..], &capture].concat(),
            "dstream" => capture
                .chunks(512)
                .flat_map(|block| &block[..504])
                .copied()
                .collect(),
            _ => capture,
        };
        captures += 1;
        let half_words: Vec<u16> = port
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
            .collect();
        let golden = |id: u8| fs::read(folder.join(format!("stream-{id:02x}.bin"))).ok();
        let ids: Vec<u8> = (1..0x70).filter(|id| golden(*id).is_some()).collect();
        let words = words(&half_words);
        let found = hardware(&words, &ids, Pauses::NONE);
        assert!(found == expected(&words, &ids), "{}", folder.display());
        // Where nothing looked like a lost sync, the bytes are those of other decoders.
        if found.losses == 0 {
            for (id, stream) in ids.iter().zip(found.streams) {
                let bytes: Vec<u8> = stream.into_iter().flatten().collect();
                assert!(Some(bytes) == golden(*id), "{} {id:02x}", folder.display());
            }
            whole += 1;
        }
    }
    // The garbage in the STM capture has mixed bytes that no port would send.
    assert_eq!((captures, whole), (10, 9));
}
