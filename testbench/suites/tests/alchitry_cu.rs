// SPDX-License-Identifier: MIT OR Apache-2.0
//! The probe of the board, from the pins of a trace port to the characters on the serial line.

use coretrace_capture::Capture;
use coretrace_coresight::{FSYNC, TraceId};
use coretrace_decode::tpiu::{Deframer, Demux, Format, RunEvent};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{ArchProfile, Config, Protocol, Record, Registers};
use coretrace_hdl_dataflow::sim::settle;
use coretrace_pipelines::alchitry_cu::{CLOCKS, CORTEX_M33};
use coretrace_pipelines::{AlchitryCu, ProbeSource, TraceProbe, package};
use coretrace_streams::{Item, Reader, as_transmitted};
use coretrace_test_gen::{Framing, RegisterSet, StreamOptions, frame_streams, legal_stream, rng};
use coretrace_test_support::shared_dir;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Cycles of the probe's clock in a bit of the serial line.
const CYCLES_PER_BIT: usize = 2;

/// The first source of the framed trace.
const A53: ProbeSource = ProbeSource {
    trace_id: 0x10,
    protocol: Protocol::Etm4,
    v8m: false,
    registers: Registers {
        trcconfigr: 0x1001,
        trcidr0: 0x2800_0EA1,
        trcidr1: 0x4100_F403,
        trcidr2: 0x488,
        ..Registers::ZERO
    },
};

/// A full sync and the start of the framed trace, without half syncs at the end.
fn framed_trace(bytes: usize) -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../traces/framed/trace.bin");
    let trace = std::fs::read(path).expect("the framed trace");
    trace[..bytes].to_vec()
}

/// The bytes of a source on a port.
fn bytes_of(trace_id: u8, port: &[u8]) -> Vec<u8> {
    let mut demux = Demux::new(TraceId::new(trace_id));
    let mut bytes = vec![];
    Deframer::new(Format::TpiuHsync).feed(port, |event| match event {
        RunEvent::Run(run) => {
            if demux.route(&run).is_some() {
                bytes.extend_from_slice(run.bytes);
            }
        }
        RunEvent::Discontinuity { .. } => panic!("the port is intact"),
    });
    bytes
}

/// The model's records as the stream transmits them.
fn model(source: &ProbeSource, bytes: &[u8]) -> Vec<Record> {
    let profile = if source.v8m {
        ArchProfile::M8
    } else {
        ArchProfile::A
    };
    let config = Config::new(source.protocol, profile, &source.registers);
    let mut records = vec![];
    Decoder::new(config, Policy::Resync).feed(bytes, |record| records.push(*record));
    as_transmitted(records)
}

/// The contents of the stream in characters: starts, losses, records.
fn read(characters: &[u8]) -> (Vec<u8>, Vec<u32>, Vec<Record>) {
    let (mut starts, mut losses, mut records) = (vec![], vec![], vec![]);
    let mut reader = Reader::new();
    reader.bytes(characters, |item| match item {
        Item::Start(start) => starts.push(start.trace_id),
        Item::Lost(count) => losses.push(count),
        Item::Record(record) => records.push(*record),
        other => panic!("{other:?}"),
    });
    reader.finish(|item| panic!("{item:?}"));
    (starts, losses, records)
}

/// The samples of a port's bytes.
fn samples(port: &[u8]) -> impl Iterator<Item = u8> {
    port.iter().flat_map(|byte| [byte & 0xF, byte >> 4])
}

/// A host's side of a serial line, in cycles of the probe's clock.
#[derive(Default)]
struct Host {
    /// The levels still to be sent.
    out: VecDeque<bool>,
    /// Cycles to the next sample, and the bits of the character so far.
    wait: usize,
    bits: Vec<bool>,
    received: Vec<u8>,
}

impl Host {
    fn send(&mut self, character: u8) {
        let bits = u32::from(character) << 1 | 1 << 9;
        for bit in 0..10 {
            self.out.extend([bits >> bit & 1 == 1; CYCLES_PER_BIT]);
        }
    }

    /// A cycle: the level to the probe, from its level.
    fn cycle(&mut self, tx: bool) -> bool {
        if self.wait > 0 {
            self.wait -= 1;
            if self.wait == 0 {
                self.bits.push(tx);
                self.wait = CYCLES_PER_BIT;
            }
            if self.bits.len() == 9 {
                assert!(self.bits[8], "a stop bit");
                let byte = (0..8).map(|bit| u8::from(self.bits[bit]) << bit).sum();
                self.received.push(byte);
                self.bits.clear();
                self.wait = 0;
            }
        } else if !tx {
            self.wait = CYCLES_PER_BIT + CYCLES_PER_BIT / 2;
        }
        self.out.pop_front().unwrap_or(true)
    }
}

/// The board with a host. Time runs in steps: the board's clock has a cycle in each, the port's
/// clock in every third.
struct Board {
    uut: AlchitryCu,
    host: Host,
    step: usize,
    is_high: bool,
}

impl Board {
    fn new(source: ProbeSource) -> Board {
        let mut uut = AlchitryCu::with_source(source, CYCLES_PER_BIT as u16);
        uut.connect_all();
        uut.usb_rx.next = true;
        settle(&mut uut);
        Board {
            uut,
            host: Host::default(),
            step: 0,
            is_high: false,
        }
    }

    /// Steps in which the port's clock is stopped.
    fn idle(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step += 1;
            // Two cycles of the board's clock, or four steps, are one of the probe's.
            if self.step.is_multiple_of(4) {
                self.uut.usb_rx.next = self.host.cycle(self.uut.usb_tx.val());
            }
            settle(&mut self.uut);
            self.uut.clock.next = self.step.is_multiple_of(2).into();
            settle(&mut self.uut);
        }
    }

    /// Samples of the port, each at the next edge of its clock.
    fn port(&mut self, samples: impl IntoIterator<Item = u8>) {
        for sample in samples {
            self.uut.tracedata.next = u64::from(sample).into();
            self.idle(2);
            self.is_high = !self.is_high;
            self.uut.traceclk.next = self.is_high.into();
            self.idle(1);
        }
    }

    fn led(&self, number: usize) -> bool {
        self.uut.leds.val().get_bit(number)
    }
}

/// Numbers of the LEDs.
const RUNNING: usize = 1;
const SYNCED: usize = 2;
const ALIGNED: usize = 3;
const ACTIVE: usize = 4;
const LOST: usize = 6;
const ERROR: usize = 7;

/// Runs a port through the board, whose first sample is at a rising edge or at a falling one.
fn check_board(source: ProbeSource, port: &[u8], first_is_falling: bool) {
    let expected = model(&source, &bytes_of(source.trace_id, port));
    assert!(expected.len() > 20, "{} records", expected.len());

    let mut board = Board::new(source);
    board.idle(200);
    assert!(!board.led(RUNNING), "it waits for the host");
    board.host.send(b'1');
    board.idle(200);
    assert!(board.led(RUNNING));
    board.port(vec![0; usize::from(first_is_falling)]);
    board.port(samples(port));
    // No frame follows: syncs push the last bytes through.
    board.port(samples(
        &[FSYNC, FSYNC, FSYNC].map(u32::to_le_bytes).concat(),
    ));
    for _ in 0..60 {
        board.idle(2000);
        let received = board.host.received.len();
        // Longer than it takes until a packet ends.
        board.idle(6000);
        if received > 32 && board.host.received.len() == received {
            break;
        }
    }
    let (starts, losses, records) = read(&board.host.received);
    assert_eq!(starts, [source.trace_id]);
    assert_eq!(losses, [0; 0]);
    assert_eq!(records, expected);
    for led in [SYNCED, ALIGNED, ACTIVE] {
        assert!(board.led(led), "light {led}");
    }
    for led in [LOST, ERROR] {
        assert!(!board.led(led), "light {led}");
    }
    board.host.send(b'0');
    board.idle(200);
    assert!(!board.led(RUNNING));
}

#[test]
fn the_line_sends_the_models_records_from_a_rising_edge_on() {
    check_board(A53, &framed_trace(640), false);
}

#[test]
fn the_line_sends_the_models_records_from_a_falling_edge_on() {
    check_board(A53, &framed_trace(640), true);
}

#[test]
fn the_line_sends_the_models_records_of_a_capture() {
    let Some(shared) = shared_dir() else {
        return;
    };
    let capture = Capture::open(&shared.join("corpus/hand-tpiu-hsync")).expect("a capture");
    for source in &capture.sources {
        let source = ProbeSource {
            trace_id: source.trace_id.expect("a trace ID"),
            protocol: Protocol::Etm4,
            v8m: false,
            registers: source.registers,
        };
        check_board(source, &capture.bytes[..1200], false);
    }
}

/// Words of the entry and of the record memory of the probe that overflows.
type SmallProbe = TraceProbe<4, 8>;

/// A probe alone, whose port is faster than its decoder.
struct FastPort {
    uut: SmallProbe,
    host: Host,
}

impl FastPort {
    fn new(source: ProbeSource) -> FastPort {
        let mut uut = SmallProbe::new(source, CYCLES_PER_BIT as u16);
        uut.connect_all();
        uut.rx.next = true;
        settle(&mut uut);
        FastPort {
            uut,
            host: Host::default(),
        }
    }

    fn edge(&mut self) {
        self.uut.rx.next = self.host.cycle(self.uut.tx.val());
        settle(&mut self.uut);
        for level in [true, false] {
            self.uut.clock.next = level.into();
            settle(&mut self.uut);
        }
    }

    /// Bytes of the port, each at this many cycles of the other clock.
    fn port(&mut self, bytes: &[u8], cycles: usize) {
        for byte in bytes {
            for (level, sample) in [(true, byte & 0xF), (false, byte >> 4)] {
                self.uut.trace_data.next = u64::from(sample).into();
                settle(&mut self.uut);
                self.uut.trace_clock.next = level.into();
                settle(&mut self.uut);
            }
            for _ in 0..cycles {
                self.edge();
            }
        }
    }
}

#[test]
fn overflows_are_reported_and_counted_and_later_records_are_right() {
    let set = RegisterSet::by_name("v8m").expect("a set");
    let id = TraceId::new(CORTEX_M33.trace_id).expect("an ID");
    let framed = |seed: u64, packets: usize| {
        let mut rng = rng(seed);
        let options = StreamOptions {
            packets,
            sync_every: 1000,
            ..StreamOptions::default()
        };
        let bytes = legal_stream(&mut rng, &set.config(), &options).bytes;
        let port = frame_streams(&mut rng, &[(id, &bytes)], &Framing::PORT);
        (bytes, port)
    };
    let (_, first) = framed(1, 100);
    let (second_bytes, second) = framed(2, 30);
    let mut probe = FastPort::new(CORTEX_M33);
    probe.host.send(b'1');
    (0..60).for_each(|_| probe.edge());
    probe.port(&first, 1);
    let lost = probe.uut.sts_overflows.val().to_u32();
    assert!(lost > 10, "{lost} words lost");
    probe.port(&FSYNC.to_le_bytes().repeat(20), 100);
    let total = probe.uut.sts_overflows.val().to_u32();
    // The bytes of a word take 16 cycles each, and its records up to as many on the line.
    probe.port(&second, 250);
    probe.port(&FSYNC.to_le_bytes().repeat(4), 100);
    (0..6000).for_each(|_| probe.edge());
    assert_eq!(
        probe.uut.sts_overflows.val().to_u32(),
        total,
        "no more losses"
    );
    assert!(probe.uut.sts_lost.val());

    let (starts, losses, records) = read(&probe.host.received);
    assert_eq!(starts, [CORTEX_M33.trace_id]);
    assert!(losses.is_sorted());
    assert_eq!(losses.last(), Some(&total));
    // The Trace Info resets all earlier values.
    let expected = model(&CORTEX_M33, &second_bytes);
    assert!(expected.len() > 20, "{} records", expected.len());
    let tail = &records[records.len() - expected.len()..];
    assert_eq!(tail[0].kind, expected[0].kind);
    assert_eq!(tail[1..], expected[1..]);
}

#[test]
fn the_boards_package_names_every_pin_and_clock() {
    let files = package::board_package().expect("the board exports");
    let (_, constraints) = files
        .iter()
        .find(|(name, _)| name.ends_with(".pcf"))
        .expect("constraints");
    for line in ["set_io clock P7", "set_io traceclk G1", "set_io usb_tx M9"] {
        assert!(constraints.lines().any(|found| found == line), "{line}");
    }
    let count = |what: &str| constraints.matches(what).count();
    assert_eq!((count("leds["), count("tracedata[")), (8, 4));
    assert_eq!(count("set_frequency"), CLOCKS.len());
}
