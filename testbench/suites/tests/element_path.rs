// SPDX-License-Identifier: MIT OR Apache-2.0
//! The elements that the hardware makes of a stream are those of the model, and so are the bytes between them. A
//! failure names its seed.

use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::history::LENGTH_BITS;
use coretrace_abi::compressed::item::{Item, Note, StreamBytes};
use coretrace_compress::PacketElements;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{ASYNC_BYTES, ASYNC_END, Config, Kind, Record, SourceConfig};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier};
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_flow::{ELEMENT_ADDRESS_W, ElementPath};
use coretrace_test_gen::{Damage, RegisterSet, Rng, StreamOptions, damage, legal_stream, rng};
use coretrace_test_support::{FollowedCapture, shared_dir};
use rand::RngExt;
use rust_hdl::prelude::*;
use std::fs;

/// Random streams; every second one is damaged.
const SEEDS: u64 = 80;
/// Bytes of a capture.
const CAPTURED: usize = 1500;
/// Cycles after which nothing is in flight.
const TAIL: usize = 64;

/// What goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// Elements begin again; some were lost.
    Begin(bool),
    Item(Item<Element>),
}

/// Bytes that come in one cycle.
struct Word {
    lost: bool,
    octets: Vec<(usize, u8)>,
}

fn words(rng: &mut Rng, bytes: &[u8], losses: f64) -> Vec<Word> {
    let mut rest = bytes.iter();
    let mut words = Vec::new();
    while rest.len() > 0 {
        let mask: u8 = if rng.random_bool(0.5) {
            15
        } else {
            rng.random()
        };
        let lanes = (0..4).filter(|lane| mask >> lane & 1 == 1);
        words.push(Word {
            lost: rng.random_bool(losses),
            octets: lanes.zip(rest.by_ref().copied()).collect(),
        });
    }
    words
}

/// What the model says: nothing behind a loss, up to an A-Sync.
struct Model {
    packets: Option<PacketElements>,
    was_known: bool,
    /// Bytes that are in no record yet.
    pending: Vec<u8>,
    seen: Vec<Seen>,
}

impl Model {
    fn record(&mut self, record: &Record) {
        let behind = self.pending.split_off(record.len as usize);
        let mut raw = std::mem::replace(&mut self.pending, behind);
        let seen = &mut self.seen;
        if self.packets.is_none() && record.kind == Kind::Async {
            seen.push(Seen::Begin(self.was_known));
            self.was_known = true;
            self.packets = Some(PacketElements::short());
            raw = vec![0; ASYNC_BYTES];
            raw[ASYNC_BYTES - 1] = ASYNC_END;
        }
        if let Some(packets) = &mut self.packets {
            packets.record(record, &raw, |item| seen.push(Seen::Item(item)));
        }
    }

    fn ends(&mut self) {
        assert!(self.pending.is_empty(), "bytes without a record");
        if let Some(packets) = self.packets.take() {
            packets.finish(|item| self.seen.push(Seen::Item(item)));
        }
    }

    fn of(source: &SourceConfig, words: &[Word]) -> Vec<Seen> {
        let policy = if source.lenient {
            Policy::Lenient
        } else {
            Policy::Resync
        };
        let mut model = Model {
            packets: None,
            was_known: false,
            pending: Vec::new(),
            seen: Vec::new(),
        };
        let config = Config::new(source.protocol, source.profile, &source.registers);
        let mut decoder = Decoder::new(config, policy);
        for word in words {
            if word.lost {
                decoder.discontinuity(|record| model.record(record));
                model.ends();
            }
            for &(_, octet) in &word.octets {
                model.pending.push(octet);
                decoder.feed(&[octet], |record| model.record(record));
            }
        }
        decoder.finish(|record| model.record(record));
        model.ends();
        model.seen
    }
}

/// The decoder and the path behind it.
struct Hardware {
    decoder: JumpDecoder<4, 2>,
    path: ElementPath<9>,
    seen: Vec<Seen>,
}

impl Hardware {
    fn new(source: &SourceConfig) -> Hardware {
        let mut hardware = Hardware {
            decoder: JumpDecoder::default(),
            path: ElementPath::default(),
            seen: Vec::new(),
        };
        hardware.decoder.connect_all();
        hardware.path.connect_all();
        let settings = SourceSettings::of(0x10, source);
        hardware.decoder.settings.next = Bus(settings.wide());
        hardware.decoder.reset.next = true;
        hardware.path.reset.next = true;
        for _ in 0..TAIL {
            hardware.cycle(None, false);
        }
        hardware.decoder.reset.next = false;
        hardware.path.reset.next = false;
        hardware
    }

    fn cycle(&mut self, word: Option<&Word>, ready: bool) {
        let Hardware {
            decoder,
            path,
            seen,
        } = self;
        decoder.s_valid.next = word.is_some();
        decoder.s_discontinuity.next = word.is_some_and(|word| word.lost);
        for lane in 0..4 {
            let octet = word.and_then(|word| word.octets.iter().find(|(of, _)| *of == lane));
            decoder.s_keep[lane].next = octet.is_some();
            decoder.s_octet[lane].next = octet.map_or(0xA5, |(_, octet)| *octet).to_bits();
        }
        path.ready.next = ready;
        path.s_valid.next = decoder.m_valid.val();
        path.s_discontinuity.next = decoder.m_discontinuity.val();
        for lane in 0..4 {
            path.s_keep[lane].next = decoder.m_keep[lane].val();
            path.s_lane[lane].next = decoder.m_lane[lane].val();
        }
        cycle(decoder, |block, clock| block.clock.next = clock);
        cycle(path, |block, clock| block.clock.next = clock);
        if path.element_valid.val() {
            seen.push(seen_of(path));
        }
    }

    /// The whole stream, as fast as it goes.
    fn run(&mut self, rng: &mut Rng, words: &[Word], ready: f64) {
        for word in words {
            while self.path.hold_back.val() {
                self.cycle(None, rng.random_bool(ready));
            }
            self.cycle(Some(word), rng.random_bool(ready));
        }
        (0..TAIL).for_each(|_| self.cycle(None, rng.random_bool(ready)));
        self.path.flush.next = true;
        self.cycle(None, true);
        self.path.flush.next = false;
        while self.path.waits.val() {
            self.cycle(None, rng.random_bool(ready));
        }
        (0..TAIL).for_each(|_| self.cycle(None, true));
    }
}

fn seen_of(path: &ElementPath<9>) -> Seen {
    let address = path.address.val().to_wide();
    if path.begins.val() {
        return Seen::Begin(path.is_loss.val());
    }
    if path.is_bytes.val() {
        let count = 1 + address.field(0, LENGTH_BITS) as u32;
        let of = |number| address.field(LENGTH_BITS + 8 * number, 8) as u8;
        let bytes: Vec<u8> = (0..count).map(of).collect();
        let end = LENGTH_BITS + 8 * count;
        let above = address.field(end, ELEMENT_ADDRESS_W as u32 - end);
        assert_eq!(above, 0, "bits above the bytes");
        return Seen::Item(Item::Note {
            instructions: 0,
            note: Note::Bytes(StreamBytes::new(&bytes).expect("some bytes")),
        });
    }
    let led = address.field(0, ELEMENT_ADDRESS_W as u32) << 2;
    Seen::Item(Item::Event(Element {
        taken: path.taken.val(),
        address: path.has_address.val().then_some(led),
    }))
}

fn compare(got: &[Seen], want: &[Seen], name: &str) {
    for (number, (got, want)) in got.iter().zip(want).enumerate() {
        assert_eq!(got, want, "{name}, item {number}");
    }
    assert_eq!(got.len(), want.len(), "{name}");
}

#[test]
fn elements_and_the_bytes_between_them_are_those_of_the_model() {
    let (mut begins, mut addresses, mut notes) = (0, 0, 0);
    for seed in 0..SEEDS {
        let mut rng = rng(seed);
        let set = RegisterSet::any(&mut rng);
        let source = SourceConfig {
            lenient: rng.random(),
            ..set.source()
        };
        let options = StreamOptions {
            packets: 80,
            sync_every: 25,
            ..Default::default()
        };
        let mut bytes = legal_stream(&mut rng, &set.config(), &options).bytes;
        let is_damaged = seed % 2 == 1;
        if is_damaged {
            let kind = Damage::ALL[rng.random_range(0..Damage::ALL.len())];
            bytes = damage(&mut rng, &bytes, kind, 0.01);
        }
        let words = words(&mut rng, &bytes, if is_damaged { 0.02 } else { 0.0 });
        let want = Model::of(&source, &words);
        let mut hardware = Hardware::new(&source);
        let ready = [1.0, 0.5][rng.random_range(0..2)];
        hardware.run(&mut rng, &words, ready);
        compare(&hardware.seen, &want, &format!("seed {seed}"));
        for seen in &hardware.seen {
            match seen {
                Seen::Begin(is_loss) => begins += u32::from(*is_loss),
                Seen::Item(Item::Event(element)) => {
                    addresses += u32::from(element.address.is_some());
                }
                Seen::Item(_) => notes += 1,
            }
        }
    }
    let least = begins.min(addresses).min(notes);
    assert!(
        least > 20,
        "{begins} losses, {addresses} addresses, {notes} notes"
    );
}

#[test]
fn elements_of_captures_are_those_of_the_model() {
    let Some(shared) = shared_dir() else { return };
    let (mut sources, mut addresses) = (0, 0);
    for folder in ["corpus", "corpus-flow"] {
        for entry in fs::read_dir(shared.join(folder)).expect("captures") {
            let path = entry.expect("an entry").path();
            let Some(capture) = FollowedCapture::open(&path) else {
                continue;
            };
            for (source, stream) in &capture.streams {
                let mut rng = rng(sources);
                let begin = &stream.bytes[..stream.bytes.len().min(CAPTURED)];
                let words = words(&mut rng, begin, 0.0);
                let mut hardware = Hardware::new(source);
                hardware.run(&mut rng, &words, 0.9);
                let name = path.display().to_string();
                compare(&hardware.seen, &Model::of(source, &words), &name);
                let has_address = |seen: &&Seen| matches!(seen, Seen::Item(Item::Event(of)) if of.address.is_some());
                addresses += hardware.seen.iter().filter(has_address).count();
                sources += 1;
            }
        }
    }
    assert!(sources > 40, "only {sources} sources");
    assert!(addresses > 500, "only {addresses} addresses");
}
