// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks of a port with three sources in simulation, and their merged list.

use coretrace_capture::{AnyRecord, Merge, Merged, Order};
use coretrace_etm::Record;
use coretrace_hdl_coresight::TpiuFront;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_software::itm::x4::ItmX4;
use coretrace_hdl_software::stp::x4::{BYTES, StpX4};
use coretrace_pipelines::Etm4JumpX4;
use coretrace_pipelines::sim::{DRAIN_CYCLES, InputWord, ResultDecoder, SourceSim};
use coretrace_software_trace::Record as SoftwareRecord;
use coretrace_test_simulate::software::{itm, stp};
use rust_hdl::prelude::*;

use crate::port::{IDS, Port, PortWord};
use crate::trail::{Trail, frame_of};
use crate::{Clocks, SOURCES};

/// The front and the decoders.
struct Blocks {
    front: TpiuFront,
    etm: Etm4JumpX4,
    stp: StpX4<BYTES, 1>,
    itm: ItmX4<BYTES, 1>,
}

/// Gives a word to a decoder of software trace, and clocks it.
macro_rules! clock {
    ($decoder:expr, $word:expr) => {
        let decoder = &mut $decoder;
        let word: Option<InputWord> = $word;
        decoder.s_valid.next = word.is_some();
        let word = word.unwrap_or_default();
        decoder.s_discontinuity.next = word.discontinuity;
        for lane in 0..BYTES {
            decoder.s_octet[lane].next = ((word.data >> (8 * lane)) as u8).to_bits();
            decoder.s_keep[lane].next = word.keep >> lane & 1 == 1;
        }
        cycle(decoder, |uut, clock| uut.clock.next = clock);
    };
}

impl Blocks {
    fn new(port: &Port) -> Blocks {
        let mut blocks = Blocks {
            front: front(),
            etm: Etm4JumpX4::start(&port.etm.source_config()),
            stp: StpX4::default(),
            itm: ItmX4::default(),
        };
        blocks.stp.connect_all();
        blocks.itm.connect_all();
        blocks.stp.lenient.next = port.etm.lenient;
        blocks.itm.lenient.next = port.etm.lenient;
        blocks.itm.itm_tcr.next = port.itm.itm_tcr.to_bits();
        blocks.reset(true);
        clock_front(&mut blocks.front, None);
        clock!(blocks.stp, None);
        clock!(blocks.itm, None);
        blocks.reset(false);
        blocks
    }

    fn reset(&mut self, reset: bool) {
        self.front.reset.next = reset;
        self.stp.reset.next = reset;
        self.itm.reset.next = reset;
    }
}

/// The front of a port, with all sources enabled.
pub fn front() -> TpiuFront {
    let mut front = TpiuFront::default();
    front.connect_all();
    front.enables.next = 7.into();
    for (place, id) in IDS.iter().enumerate() {
        front.ids[place].next = u64::from(*id).into();
    }
    front
}

/// Gives a word to a front, and clocks it.
pub fn clock_front(front: &mut TpiuFront, word: Option<PortWord>) {
    front.s_axis_tvalid.next = word.is_some();
    let (data, lost) = word.unwrap_or_default();
    front.s_axis_tdata.next = data.to_bits();
    front.s_axis_tuser.next = lost;
    cycle(front, |uut, clock| uut.clock.next = clock);
}

/// What a front gives to a source.
pub fn word_of(front: &TpiuFront, source: usize) -> Option<InputWord> {
    front.m_axis_tvalid[source].val().then(|| InputWord {
        data: front.m_axis_tdata[source].val().to_u128(),
        keep: front.m_axis_tkeep[source].val().to_u32(),
        discontinuity: front.m_axis_tuser[source].val(),
    })
}

/// What the blocks make of a port: where the bytes of each source were, and its records.
pub struct Found {
    pub trails: [Trail; SOURCES],
    pub records: [Vec<AnyRecord>; SOURCES],
}

/// Sends a port through the blocks.
pub fn run(port: &Port) -> Found {
    let mut blocks = Blocks::new(port);
    let mut trails: [Trail; SOURCES] = Default::default();
    let mut etm = Vec::new();
    let mut of_etm = ResultDecoder::new(port.etm.set.config(), port.etm.lenient);
    let mut of_stm = stp::Records::new(port.etm.lenient);
    let mut of_itm = itm::Records::new(port.itm, port.etm.lenient);
    for &word in port.cycles.iter().chain(&[None; DRAIN_CYCLES]) {
        clock_front(&mut blocks.front, word);
        let row = blocks.front.m_axis_place.val().to_u64();
        let words = [0, 1, 2].map(|source| word_of(&blocks.front, source));
        for (trail, word) in trails.iter_mut().zip(&words) {
            word.iter().for_each(|word| trail.push(word, row));
        }
        if let Some(results) = blocks.etm.step(words[0].as_ref()) {
            of_etm.word(&results, |record| etm.push(*record));
        }
        clock!(blocks.stp, words[1]);
        if let Some(results) = stp::Results::of_words(&blocks.stp) {
            of_stm.take(&results);
        }
        clock!(blocks.itm, words[2]);
        if let Some(results) = itm::Results::of_words(&blocks.itm) {
            of_itm.take(&results);
        }
    }
    let octets = &trails[0].octets;
    let etm = etm.into_iter().map(|record| with_bytes(record, octets));
    let stm = of_stm.records.into_iter().map(SoftwareRecord::Stm);
    let itm = of_itm.records.into_iter().map(SoftwareRecord::Itm);
    let records = [
        etm.collect(),
        stm.map(AnyRecord::Software).collect(),
        itm.map(AnyRecord::Software).collect(),
    ];
    Found { trails, records }
}

/// The merged list; the place of a record is the number of its frame.
pub fn list(port: &Port, clocks: &Clocks) -> Vec<Merged<AnyRecord>> {
    let Found { trails, records } = run(port);
    let placed = trails.iter().zip(records).map(|(trail, records)| {
        let places = trail.places(&records);
        records.into_iter().zip(places).collect()
    });
    merge(placed.collect(), clocks)
}

fn with_bytes(record: Record, octets: &[u8]) -> AnyRecord {
    let bytes = record.offset as usize..(record.offset + record.len) as usize;
    AnyRecord::Etm {
        record,
        raw: octets[bytes].to_vec(),
    }
}

/// Merges the records of the sources, each with its place, as the model does.
pub fn merge(placed: Vec<Vec<(AnyRecord, u64)>>, clocks: &Clocks) -> Vec<Merged<AnyRecord>> {
    let mut items = Vec::new();
    for (source, placed) in placed.into_iter().enumerate() {
        items.extend(placed.into_iter().map(|(item, place)| Merged {
            source,
            place,
            time: item.time(),
            order: Order::Place,
            item,
        }));
    }
    items.sort_by_key(|item| (item.place, item.source));
    let mut merge = Merge::new(clocks);
    let mut list = Vec::new();
    let mut sink = |merged: &Merged<AnyRecord>| {
        list.push(Merged {
            place: frame_of(merged.place),
            ..merged.clone()
        });
    };
    for item in items {
        merge.push(item, &mut sink);
    }
    merge.finish(&mut sink);
    list
}
