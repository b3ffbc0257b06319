// SPDX-License-Identifier: MIT OR Apache-2.0
//! The header classifier of data trace.

use coretrace_data_trace::{Grammar, Kind, Parser, Payload, Record};
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_software::data::DataHeaders;
use coretrace_hdl_software::data::layouts::{LaneResult, outcome};
use coretrace_test_gen::{Rng, rng, rounds};
use rand::RngExt;
use rust_hdl::prelude::*;

const LANES: usize = 4;
const LATENCY: usize = 3;

/// Bytes of an A-Sync.
const ASYNC_BYTES: u64 = 12;

/// A word: its bytes and which of them count, and whether bytes were lost before it.
type Word = Option<([(u8, bool); LANES], bool)>;

/// Kind, offset and length of a record, and of an error what the parser says.
type Found = (Kind, u64, u64);

/// Makes records of the results of bytes.
struct Records {
    place: Kind,
    is_synced: bool,
    at: u64,
    start: u64,
    found: Vec<Found>,
}

impl Records {
    fn new() -> Records {
        Records {
            place: Kind::NotSync,
            is_synced: false,
            at: 0,
            start: 0,
            found: Vec::new(),
        }
    }

    /// What cannot be read ends in front of a byte.
    fn cut(&mut self, end: u64) {
        let kind = if self.is_synced {
            Kind::Incomplete
        } else {
            self.place
        };
        if end > self.start {
            self.found.push((kind, self.start, end - self.start));
        }
        self.start = end;
    }

    fn lose(&mut self) {
        self.cut(self.at);
        (self.is_synced, self.place) = (false, Kind::NotSync);
    }

    fn byte(&mut self, grammar: &Grammar, result: &LaneResult<u64>) {
        self.at += 1;
        let index = result.index as usize;
        let ends = match result.outcome {
            outcome::PACKET => index,
            outcome::ASYNC => {
                self.cut((self.at - ASYNC_BYTES.min(self.at)).max(self.start));
                self.is_synced = true;
                grammar.extension(0).expect("an A-Sync")
            }
            outcome::RAW => return (self.is_synced, self.place) = (false, Kind::Raw(index)),
            outcome::RESERVED => return (self.is_synced, self.place) = (false, Kind::Reserved),
            _ => return,
        };
        self.found
            .push((Kind::Packet(ends), self.start, self.at - self.start));
        self.start = self.at;
    }
}

fn in_hardware(grammar: &Grammar, words: &[Word]) -> Vec<Found> {
    let mut uut = DataHeaders::<LANES, 1>::default();
    uut.connect_all();
    let mut records = Records::new();
    let flush = [None; LATENCY];
    for word in [&[None][..], words, &flush].concat() {
        let (bytes, lost) = word.unwrap_or_default();
        uut.reset.next = false;
        uut.s_valid.next = word.is_some();
        uut.s_discontinuity.next = lost;
        for (lane, (octet, keep)) in bytes.into_iter().enumerate() {
            uut.s_octet[lane].next = octet.to_bits();
            uut.s_keep[lane].next = keep;
        }
        cycle(&mut uut, |uut, clock| uut.clock.next = clock);
        if !uut.m_valid.val() {
            continue;
        }
        if uut.m_discontinuity.val() {
            records.lose();
        }
        for lane in 0..LANES {
            if uut.m_keep[lane].val() {
                let result = LaneResult::of_wide(&uut.m_lane[lane].val().to_wide());
                records.byte(grammar, &result);
            }
        }
    }
    records.cut(records.at);
    records.found
}

fn in_model(grammar: &Grammar, words: &[Word]) -> Vec<Found> {
    let (mut parser, mut found) = (Parser::new(), Vec::new());
    let mut put = |record: &Record| found.push((record.kind, record.offset, record.len));
    for (bytes, lost) in words.iter().flatten() {
        if *lost {
            parser.lose(&mut put);
        }
        for (byte, _) in bytes.iter().filter(|(_, keep)| *keep) {
            parser.feed(grammar, &[*byte], &mut put);
        }
    }
    parser.finish(&mut put);
    found
}

/// Bytes of which most can be read: whole packets, A-Syncs, zeros, and now and then anything.
fn stream(rng: &mut Rng, grammar: &Grammar, bytes: usize) -> Vec<u8> {
    let whole = |packet: &&coretrace_data_trace::Packet| matches!(&packet.payload, Payload::Fields(fields) if fields.is_empty());
    let packets: Vec<_> = grammar.packets().iter().filter(whole).collect();
    let mut stream = Vec::new();
    while stream.len() < bytes {
        match rng.random_range(0..20) {
            0..2 => stream.extend([vec![0; rng.random_range(9..14)], vec![0x80]].concat()),
            2 => stream.extend(vec![0; rng.random_range(1..4)]),
            3 => stream.push(rng.random()),
            _ => {
                let packet = packets[rng.random_range(0..packets.len())];
                stream.extend(packet.is_extension.then_some(0));
                let fields = packet.pattern.fields().iter();
                stream.push(fields.fold(packet.pattern.value(), |byte, field| {
                    field.put(byte, rng.random_range(0..=field.most()))
                }));
            }
        }
    }
    stream
}

fn words(rng: &mut Rng, bytes: &[u8], losses: f64, masks: bool) -> Vec<Word> {
    let mut words = Vec::new();
    let mut bytes = bytes.iter();
    while bytes.len() > 0 {
        if masks && rng.random_bool(0.1) {
            words.push(None);
        }
        let mut word = [(rng.random(), false); LANES];
        for lane in &mut word {
            if !masks || rng.random_bool(0.7) {
                *lane = bytes.next().map_or(*lane, |byte| (*byte, true));
            }
        }
        words.push(Some((word, rng.random_bool(losses))));
    }
    words
}

#[test]
fn headers_of_a_million_bytes_are_those_of_the_model() {
    let grammar = Grammar::public().expect("the grammar");
    let mut packets = 0;
    for seed in 0..rounds(4, 40) {
        let mut rng = rng(seed);
        let bytes = stream(&mut rng, &grammar, 250_000);
        let words = words(
            &mut rng,
            &bytes,
            if seed % 2 == 0 { 0.0 } else { 0.01 },
            seed % 4 > 1,
        );
        let found = in_hardware(&grammar, &words);
        let expected = in_model(&grammar, &words);
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "seed {seed}, record {index}");
        }
        assert_eq!(found.len(), expected.len(), "seed {seed}");
        packets += found.len();
    }
    assert!(packets > 100_000, "{packets} records");
}
