// SPDX-License-Identifier: MIT OR Apache-2.0
//! The merged list of the model.

use std::rc::Rc;

use coretrace_capture::{
    AnyRecord, Format, Merged, Pass, Source, SourceProtocol, TraceBuffer, TraceBytes,
};
use coretrace_coresight::FRAME_BYTES;
use coretrace_decode::tpiu::{self, FrameEvent, FrameGenerator};
use coretrace_etm::{ArchProfile, Protocol, Registers};
use coretrace_software_trace as software_trace;

use crate::port::{IDS, Port};
use crate::{Clocks, SOURCES};

/// The list that `etm4 packets --merge` prints; the place of a record is the number of its frame.
pub fn list(port: &Port, clocks: &Clocks) -> Vec<Merged<AnyRecord>> {
    let stretches = stretches(port);
    let frames = frames(&stretches);
    let buffer = TraceBuffer {
        name: None,
        format: Format::Framed(tpiu::Format::TpiuHsync),
        bytes: TraceBytes::Memory(Rc::from(stretches)),
        sources: sources(port).into(),
    };
    let pass = Pass {
        buffer: &buffer,
        sources: &[0, 1, 2],
        policy: port.etm.policy(),
        sync_limit: u64::MAX,
    };
    let mut list = Vec::new();
    let mut sink = |merged: &Merged<AnyRecord>| {
        let frame = frames.partition_point(|end| *end <= merged.place);
        list.push(Merged {
            place: frame as u64,
            ..merged.clone()
        });
    };
    pass.run_merged(clocks, &mut sink)
        .expect("a trace that can be read");
    list
}

/// The bytes of the port between reported losses.
fn stretches(port: &Port) -> Vec<Vec<u8>> {
    let mut stretches = vec![Vec::new()];
    for &(word, lost) in port.cycles.iter().flatten() {
        if lost {
            stretches.push(Vec::new());
        }
        let last = stretches.last_mut().expect("a stretch");
        last.extend(word.to_le_bytes());
    }
    stretches
}

/// The end of each frame: what is behind it belongs to the next one.
fn frames(stretches: &[Vec<u8>]) -> Vec<u64> {
    let mut ends = Vec::new();
    let mut start = 0;
    for stretch in stretches {
        FrameGenerator::new().feed(stretch, |event| {
            if let FrameEvent::Frame { offset, .. } = event {
                ends.push(start + offset + FRAME_BYTES as u64);
            }
        });
        start += stretch.len() as u64;
    }
    ends
}

fn sources(port: &Port) -> [Source; SOURCES] {
    let set = &port.etm.set;
    let blank = |index: usize, protocol: SourceProtocol| Source {
        name: protocol.to_string(),
        trace_id: Some(IDS[index]),
        protocol,
        core: None,
        profile: ArchProfile::A,
        registers: Registers::default(),
        config: None,
        software: None,
        data: None,
    };
    let etm = match set.protocol {
        Protocol::Etm4 => SourceProtocol::Etm4,
        Protocol::Ete => SourceProtocol::Ete,
    };
    [
        Source {
            profile: set.profile,
            registers: set.registers,
            config: Some(set.config()),
            ..blank(0, etm)
        },
        Source {
            software: Some(software_trace::Protocol::Stm),
            ..blank(1, SourceProtocol::Stm)
        },
        Source {
            software: Some(software_trace::Protocol::Itm(port.itm)),
            ..blank(2, SourceProtocol::Itm)
        },
    ]
}
