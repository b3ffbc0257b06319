// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every packet at every place of a frame, whole and with another source's byte after each of its
//! bytes, in the Verilog of every preset with a trace port.

use coretrace_coresight::{FSYNC, Frame, FrameBuilder, TraceId};
use coretrace_test_gen::{ASYNC, RegisterSet, Rng, rng};
use coretrace_test_simulate::Backend;
use coretrace_test_support::{DecoderSetup, check_port, in_parallel, port_presets};
use coretrace_test_verilog::preset::PresetEngine;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::{SINGLES, packet};

/// Bytes of a frame that hold data or IDs.
const PLACES: usize = 15;

/// Frames under construction: the source under test, and another one.
struct Frames {
    ids: [TraceId; 2],
    builder: FrameBuilder,
    frames: Vec<Frame>,
}

impl Frames {
    fn new() -> Frames {
        let ids = [0x10, 0x23].map(|id| TraceId::new(id).expect("an ID"));
        let mut frames = Frames {
            ids,
            builder: FrameBuilder::new(),
            frames: Vec::new(),
        };
        frames.extend(1, &ASYNC);
        frames
    }

    fn extend(&mut self, source: usize, bytes: &[u8]) {
        for &byte in bytes {
            self.frames
                .extend(self.builder.push(self.ids[source], byte));
        }
    }

    /// The place of the frame where the next byte of the first source goes.
    fn place(&self) -> usize {
        let mut probe = self.builder.clone();
        let free = (1..).find(|_| probe.push(self.ids[0], 0).is_some());
        PLACES - free.expect("frames fill up")
    }

    /// The bytes of a port.
    fn port(mut self) -> Vec<u8> {
        self.frames.extend(self.builder.flush());
        let sync = FSYNC.to_le_bytes();
        sync.into_iter().chain(self.frames.concat()).collect()
    }
}

/// Every header at every place, with one byte of the other source after each of its bytes, or none.
fn headers(rng: &mut Rng, set: &RegisterSet) -> Frames {
    let mut frames = Frames::new();
    for header in 0..=255 {
        for place in 0..PLACES {
            let bytes = packet(rng, header, set);
            for cut in 0..bytes.len() {
                frames.extend(0, &ASYNC);
                while frames.place() != place {
                    frames.extend(0, &SINGLES[..1]);
                }
                let (before, after) = bytes.split_at(cut);
                frames.extend(0, before);
                if cut > 0 {
                    frames.extend(1, &SINGLES[1..2]);
                }
                frames.extend(0, after);
                frames.extend(0, &SINGLES[2..4]);
            }
        }
    }
    frames
}

#[test]
fn every_header_is_read_at_every_place_of_a_frame() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    in_parallel(port_presets(), |preset| {
        let backend = Backend::Verilog(PresetEngine::new(preset).expect("the preset compiles"));
        for (number, name) in ["v46-all", "ete"].into_iter().enumerate() {
            let set = RegisterSet::by_name(name).expect("a named set");
            let lenient = number % 2 == 1;
            let frames = headers(&mut rng(number as u64), &set);
            let sources = frames.ids.map(|id| (id, DecoderSetup { set, lenient }));
            check_port(&backend, &sources, &frames.port(), name);
        }
    });
}
