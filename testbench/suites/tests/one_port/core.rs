// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_core_stm` and `etm4_core_itm` at a port: the stream of their source is that of `etm4_core` with places, the software stream
//! is that of the model, and neither of them disturbs the other.

use coretrace_abi::registers::csr::{Bus, Control, InterruptStatus};
use coretrace_abi::registers::software_csr::{
    SoftwareBytes, SoftwareKind, SoftwareLosses, SoftwareLostRows, SoftwareRecords, SoftwareStatus,
};
use coretrace_abi::registers::{SOFTWARE_CORE, software_writes, source_writes};
use coretrace_pipelines::sim::{BEGINS, CoreSim, DRAIN_CYCLES, SoftwareCoreSim};
use coretrace_streams::software::Start;
use coretrace_streams::{Item, Reader};
use coretrace_test_gen::{Rng, rng, rounds};
use rand::RngExt;

use crate::hardware::{clock_front, front, word_of};
use crate::port::{IDS, Port, Shape};
use crate::recorders::{Recorded, expected_of, recorded, starts};
use crate::trail::Trail;
use crate::{SLOW, captures};

/// Cycles behind the last word after which both streams have come out.
pub const DRAIN: usize = 1200;
/// Cycles after which a source that was disabled is busy no more.
const REST: usize = 5000;

/// The words of a port: a trace port does not say that words were lost.
fn words(port: &Port) -> impl Iterator<Item = Option<u32>> {
    port.cycles.iter().map(|cycle| cycle.map(|(word, _)| word))
}

/// Where the bytes of a source were: 0 the ETM, 1 the STM, 2 the ITM.
pub fn trail(port: &Port, source: usize) -> Trail {
    let mut front = front();
    front.reset.next = true;
    clock_front(&mut front, None);
    front.reset.next = false;
    let mut trail = Trail::default();
    for word in words(port).chain([None; DRAIN_CYCLES]) {
        clock_front(&mut front, word.map(|word| (word, false)));
        let row = front.m_axis_place.val().to_u64();
        word_of(&front, source)
            .iter()
            .for_each(|word| trail.push(word, row));
    }
    trail
}

/// Which consumers take a beat in each cycle: of records and of the profile, of the software stream.
pub struct Consumers {
    rng: Rng,
    /// The chance that the software stream is read.
    takes: f64,
    /// Nobody reads it in the first so many cycles.
    pub deaf: usize,
}

impl Consumers {
    pub fn new(seed: u64, takes: f64) -> Consumers {
        let rng = rng(seed);
        Consumers {
            rng,
            takes,
            deaf: 0,
        }
    }

    fn next(&mut self) -> (bool, bool) {
        let is_deaf = self.deaf > 0;
        self.deaf = self.deaf.saturating_sub(1);
        let takes = self.rng.random_bool(self.takes);
        (self.rng.random_bool(0.8), takes && !is_deaf)
    }
}

/// The record stream of `etm4_core`.
pub fn alone(port: &Port, mut consumers: Consumers) -> Vec<u32> {
    let mut core = CoreSim::new();
    core.enable(IDS[0], &port.etm.source_config(), false);
    for word in words(port) {
        let (ready, _) = consumers.next();
        core.step(word, ready);
    }
    core.drain();
    core.words
}

/// What a record stream says, but for places.
fn said(words: &[u32]) -> Vec<String> {
    let mut items = Vec::new();
    let mut reader = Reader::new();
    let mut take = |item: Item<'_>| {
        if !matches!(item, Item::Place(_)) {
            items.push(format!("{item:?}"));
        }
    };
    reader.words(words, &mut take);
    reader.finish(&mut take);
    items
}

/// A core with an STM or an ITM beside its source, and what it should store.
pub struct Bench<const STM: usize, const ITM: usize>(pub SoftwareCoreSim<STM, ITM>);

impl<const STM: usize, const ITM: usize> Bench<STM, ITM> {
    /// The number of its second source on the port.
    pub const SOURCE: usize = STM + 2 * ITM;

    /// A core whose sources are enabled.
    pub fn new(port: &Port) -> Self {
        let mut bench = Bench(SoftwareCoreSim::default());
        bench.enable_software(port);
        bench.enable_etm(port);
        bench
    }

    fn enable_software(&mut self, port: &Port) {
        let itm_tcr = port.itm.itm_tcr * ITM as u32;
        let writes = software_writes(IDS[Self::SOURCE], itm_tcr, port.etm.lenient);
        self.0.write_all(&writes);
    }

    pub fn enable_etm(&mut self, port: &Port) {
        let config = port.etm.source_config();
        self.0.write_all(&source_writes(IDS[0], &config, false));
        (0..BEGINS).for_each(|_| self.0.step(None, [true; 3]));
    }

    pub fn send(&mut self, port: &Port, consumers: &mut Consumers) {
        for word in words(port) {
            let (first, second) = consumers.next();
            self.0.step(word, [first, first, second]);
        }
    }

    pub fn drain(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.0.step(None, [true; 3]));
    }

    /// Reads a counter as of now.
    fn counter(&mut self, offset: u32) -> u32 {
        let kept = Control(self.0.read(Control::OFFSET));
        let snapshot = kept.with_snapshot(true);
        self.0.write(Control::OFFSET, snapshot.0);
        self.0.read(offset)
    }

    /// The software stream.
    pub fn bytes(&self) -> Vec<u8> {
        let words = self.0.software.iter();
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// What it says.
    fn recorded(&mut self, port: &Port) -> Recorded {
        let lost_rows = self.counter(SoftwareLostRows::OFFSET);
        recorded(&self.bytes(), &starts(port)[Self::SOURCE - 1], lost_rows)
    }

    /// What the model reads.
    fn expected(port: &Port) -> (Trail, Recorded) {
        let trail = trail(port, Self::SOURCE);
        let protocol = starts(port)[Self::SOURCE - 1].protocol;
        let recorded = expected_of(&trail, protocol, port.etm.policy());
        (trail, recorded)
    }

    /// Sends a port through the core and compares both streams and the counters; how many records and losses the
    /// software stream has.
    fn compare(port: &Port, seed: u64, what: &str) -> (usize, usize) {
        let mut bench = Self::new(port);
        bench.send(port, &mut Consumers::new(seed, 0.6));
        bench.drain(DRAIN);
        let (trail, want) = Self::expected(port);
        let got = bench.recorded(port);
        for (number, (got, want)) in got.records.iter().zip(&want.records).enumerate() {
            assert_eq!(got, want, "{what}, record {number}");
        }
        assert_eq!(got, want, "{what}");
        let alone = alone(port, Consumers::new(seed, 0.6));
        assert_eq!(said(&bench.0.records), said(&alone), "{what}");

        let bytes = trail.octets.len() as u32;
        assert_eq!(bench.counter(SoftwareBytes::OFFSET), bytes, "{what}");
        let records = bench.counter(SoftwareRecords::OFFSET) as usize;
        if trail.losses.is_empty() {
            let read = want.records.iter().filter(|(it, _)| !it.is_unread());
            assert_eq!(records, read.count(), "{what}");
        }
        let losses = bench.counter(SoftwareLosses::OFFSET) as usize;
        assert_eq!(losses, trail.losses.len(), "{what}");
        (records, losses)
    }
}

/// Compares both cores.
fn compare(port: &Port, seed: u64, what: &str) -> [(usize, usize); 2] {
    [
        Bench::<1, 0>::compare(port, seed, what),
        Bench::<0, 1>::compare(port, seed, what),
    ]
}

#[test]
fn a_core_beside_an_stm_or_an_itm_stores_what_the_model_reads() {
    let mut losses = 0;
    for seed in 0..rounds(2, 8) {
        for shape in [Shape::Whole, Shape::Broken] {
            let what = format!("seed {seed}, {shape:?}");
            for (records, lost) in compare(&Port::random(seed, shape), seed, &what) {
                assert!(records > 5, "{what}: {records}");
                losses += lost;
            }
        }
    }
    assert!(losses > 0, "{losses}");
}

#[test]
fn a_core_stores_captures_of_software_trace_as_the_model_reads_them() {
    let pairs = captures::pairs();
    for (number, (names, stm, itm)) in pairs.iter().take(rounds(2, 8)).enumerate() {
        let port = Port::of(&mut rng(number as u64), stm, itm).slowed(rounds(1, SLOW));
        compare(&port, number as u64, names);
    }
}

#[test]
fn a_second_source_that_is_disabled_sends_nothing() {
    let port = Port::random(4, Shape::Whole);
    let mut bench = Bench::<1, 0>(SoftwareCoreSim::default());
    bench.enable_etm(&port);
    bench.send(&port, &mut Consumers::new(4, 1.0));
    bench.drain(DRAIN);
    let alone = alone(&port, Consumers::new(4, 1.0));
    assert_eq!(said(&bench.0.records), said(&alone));
    assert!(bench.0.software.is_empty());
    assert_eq!(bench.counter(SoftwareBytes::OFFSET), 0);
}

#[test]
fn a_software_stream_that_nobody_reads_loses_rows_of_its_own_alone() {
    let mut random = rng(6);
    let stm = coretrace_test_gen::stm_stream(&mut random, 4000, None);
    let itm = coretrace_test_gen::itm_stream(&mut random, 100, None);
    let mut port = Port::of(&mut random, &stm, &itm);
    port.etm.lenient = false;
    let mut bench = Bench::<1, 0>::new(&port);
    let mut consumers = Consumers::new(6, 1.0);
    consumers.deaf = port.cycles.len() / 2;
    bench.send(&port, &mut consumers);
    bench.drain(2 * DRAIN);
    let alone = alone(&port, Consumers::new(6, 1.0));
    assert_eq!(said(&bench.0.records), said(&alone));
    assert!(InterruptStatus(bench.0.read(InterruptStatus::OFFSET)).loss());

    let got = bench.recorded(&port);
    let (_, all) = Bench::<1, 0>::expected(&port);
    assert!(
        got.lost_rows > 50 && !got.losses.is_empty(),
        "{}",
        got.lost_rows
    );
    assert_eq!(bench.counter(SoftwareLosses::OFFSET), 0);
    // Of what was read, nothing is at another place than without a loss.
    let read = |recorded: &Recorded| -> Vec<(&'static str, u64)> {
        let read = recorded.records.iter().filter(|(it, _)| !it.is_unread());
        read.map(|(it, place)| (it.name(), *place)).collect()
    };
    let (found, all) = (read(&got), read(&all));
    let mut rest = all.iter();
    for record in &found {
        assert!(rest.any(|it| it == record), "{record:?}");
    }
    assert!(found.iter().any(|(_, place)| *place > got.losses[0]));
}

#[test]
fn a_source_of_software_trace_begins_once_the_one_before_has_left() {
    let port = Port::random(8, Shape::Whole);
    let mut bench = Bench::<0, 1>::new(&port);
    // Nobody reads the records before the source is enabled with another policy.
    bench.send(&port, &mut Consumers::new(8, 0.0));
    let other = Start {
        lenient: !port.etm.lenient,
        ..starts(&port)[1]
    };
    let writes = software_writes(IDS[2], port.itm.itm_tcr, other.lenient);
    bench.0.write_all(&writes);
    let status = |bench: &mut Bench<0, 1>| SoftwareStatus(bench.0.read(SoftwareStatus::OFFSET));
    assert!(!status(&mut bench).running() && status(&mut bench).busy());
    bench.drain(DRAIN);
    let (_, want) = Bench::<0, 1>::expected(&port);
    assert_eq!(bench.recorded(&port), want);
    assert!(!status(&mut bench).running());

    bench.0.software.clear();
    bench.drain(REST);
    assert!(status(&mut bench).running());
    bench.send(&port, &mut Consumers::new(9, 1.0));
    bench.drain(DRAIN);
    let again = recorded(&bench.bytes(), &other, 0);
    assert!(again.records.len() > 5);
}

#[test]
fn every_register_of_a_core_with_two_sources_and_no_other_is_known() {
    fn check<const STM: usize, const ITM: usize>() {
        let mut core = SoftwareCoreSim::<STM, ITM>::default();
        let known: Vec<u32> = SOFTWARE_CORE.placed().map(|(offset, _)| offset).collect();
        for offset in (0..0x200).step_by(4) {
            let is_known = known.contains(&offset);
            assert_eq!(core.try_read(offset).is_some(), is_known, "{offset:#x}");
            assert_eq!(core.try_write(offset, 0), is_known, "{offset:#x}");
        }
        for (offset, register) in SOFTWARE_CORE.placed() {
            let kind = register.name == "SOFTWARE_KIND";
            let reset = register.reset();
            let want = if kind { reset | ITM as u32 } else { reset };
            assert_eq!(core.read(offset), want, "{}", register.name);
        }
        assert_eq!(
            SoftwareKind(core.read(SoftwareKind::OFFSET)).itm(),
            ITM == 1
        );
    }
    check::<1, 0>();
    check::<0, 1>();
}
