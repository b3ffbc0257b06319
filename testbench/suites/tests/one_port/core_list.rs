// SPDX-License-Identifier: MIT OR Apache-2.0
//! The merged list of both streams of a core: that of the model, less what a record stream does not have.

use coretrace_capture::AnyRecord;
use coretrace_etm::Record;
use coretrace_streams::software::{Item as SoftwareItem, Reader as SoftwareReader};
use coretrace_streams::{Item, MAGIC, PortOrder, Reader, as_transmitted};
use coretrace_test_gen::{rng, rounds};
use coretrace_test_support::in_parallel;

use crate::core::{Bench, Consumers, DRAIN, alone, trail};
use crate::port::{Port, Shape};
use crate::{OWN_CLOCKS, SLOW, captures, is_unread, model};

/// The source and the record.
type Listed = (usize, AnyRecord);

fn of_etm(record: Record) -> AnyRecord {
    let raw = Vec::new();
    AnyRecord::Etm { record, raw }
}

/// The port as a core sees it: nothing says that words were lost.
fn unreported(mut port: Port) -> Port {
    for (_, lost) in port.cycles.iter_mut().flatten() {
        *lost = false;
    }
    port
}

/// The list of the model, of the ETM and one other source.
fn expected(port: &Port, source: usize) -> Vec<Listed> {
    let list = model::list(port, &OWN_CLOCKS);
    let records = list.iter().filter_map(|it| match &it.item {
        AnyRecord::Etm { record, .. } => Some(*record),
        AnyRecord::Software(_) => None,
    });
    let mut sent = as_transmitted(records).into_iter();
    let listed = list.iter().filter_map(|it| match &it.item {
        AnyRecord::Etm { record, .. } => {
            let is_sent = !as_transmitted([*record]).is_empty();
            is_sent.then(|| (0, of_etm(sent.next().expect("a record"))))
        }
        other => (it.source == source).then(|| (it.source, other.clone())),
    });
    listed.collect()
}

/// The list of both streams of a core.
fn merged<const STM: usize, const ITM: usize>(bench: &Bench<STM, ITM>) -> Vec<Listed> {
    let mut order = PortOrder::default();
    let mut reader = Reader::new();
    let mut take = |item: Item<'_>| match item {
        Item::Start(_) => order.begin(0),
        Item::Place(place) => order.place(0, place),
        Item::Record(record) => order.push(0, of_etm(*record)),
        Item::Lost(_) => {}
        other => panic!("{other:?}"),
    };
    reader.words(&bench.0.records, &mut take);
    reader.finish(&mut take);
    order.end(0);
    let mut reader = SoftwareReader::new();
    let mut take = |item: SoftwareItem<'_>| match item {
        SoftwareItem::Start(_) => order.begin(1),
        SoftwareItem::Record(record, place) => {
            order.place(1, place);
            order.push(1, AnyRecord::Software(*record));
        }
        SoftwareItem::Lost(..) => {}
        other => panic!("{other:?}"),
    };
    reader.bytes(&bench.bytes(), &mut take);
    reader.finish(&mut take);
    order.end(1);
    let source = |stream: usize| stream * Bench::<STM, ITM>::SOURCE;
    let items = std::iter::from_fn(|| order.pop());
    items
        .map(|(stream, _, item)| (source(stream), item))
        .collect()
}

/// The records of the STM or the ITM.
fn of_software(list: &[Listed]) -> Vec<&AnyRecord> {
    let items = list.iter().filter(|(source, _)| *source > 0);
    items.map(|(_, item)| item).collect()
}

/// Compares the list of both streams of a core with that of the model; how often the source changes in it.
fn compare<const STM: usize, const ITM: usize>(port: &Port, seed: u64, what: &str) -> usize {
    let mut bench = Bench::<STM, ITM>::new(port);
    bench.send(port, &mut Consumers::new(seed, 0.6));
    bench.drain(DRAIN);
    let (got, want) = (merged(&bench), expected(port, Bench::<STM, ITM>::SOURCE));
    let changes = want.windows(2).filter(|it| it[0].0 != it[1].0).count();
    // What a recorder has not read is where the first byte of its source is behind it, in the model where the loss is.
    assert_eq!(of_software(&got), of_software(&want), "{what}");
    let [got, want] = [got, want].map(|mut list| {
        list.retain(|(_, item)| !is_unread(item));
        list
    });
    for (number, (got, want)) in got.iter().zip(&want).enumerate() {
        assert_eq!(got, want, "{what}, record {number}");
    }
    assert_eq!(got.len(), want.len(), "{what}");
    changes
}

#[test]
fn both_streams_of_a_core_give_the_merged_list_of_the_model() {
    in_parallel(0..rounds(2, 40), |seed| {
        for shape in [Shape::Whole, Shape::Broken] {
            let what = format!("seed {seed}, {shape:?}");
            let port = unreported(Port::random(seed, shape));
            let of_stm = compare::<1, 0>(&port, seed, &what);
            let of_itm = compare::<0, 1>(&port, seed, &what);
            assert!(of_stm > 5 && of_itm > 5, "{what}: {of_stm}, {of_itm}");
        }
    });
}

#[test]
fn both_streams_of_captures_give_the_merged_list_of_the_model() {
    let pairs = captures::pairs();
    let number = rounds(1, 8).min(pairs.len());
    in_parallel(0..number, |index| {
        let (names, stm, itm) = &pairs[index];
        let port = Port::of(&mut rng(index as u64), stm, itm).slowed(rounds(1, SLOW));
        compare::<1, 0>(&port, index as u64, names);
        compare::<0, 1>(&port, index as u64, names);
    });
}

/// How often bytes of the ETM are behind bytes of an STM.
fn changes(port: &Port) -> usize {
    let [etm, stm] = [0, 1].map(|source| trail(port, source).places);
    let mut bytes: Vec<(u64, bool)> = etm.into_iter().map(|place| (place, true)).collect();
    bytes.extend(stm.into_iter().map(|place| (place, false)));
    bytes.sort_unstable();
    bytes.windows(2).filter(|it| !it[0].1 && it[1].1).count()
}

#[test]
fn places_cost_two_words_for_each_change_of_the_source_at_most() {
    for seed in 0..rounds(1, 20) {
        let port = unreported(Port::random(seed, Shape::Whole));
        let mut bench = Bench::<1, 0>::new(&port);
        bench.send(&port, &mut Consumers::new(seed, 1.0));
        bench.drain(DRAIN);
        let words = bench.0.records.len();
        let without = alone(&port, Consumers::new(seed, 1.0)).len();
        let packets = bench.0.records.iter().filter(|word| **word == MAGIC);
        let changes = changes(&port);
        println!("{words} words, {without} without places, {changes} changes");
        // Each packet begins with places, and its last beat is filled.
        let most = without + 2 * changes + 8 * packets.count();
        assert!(
            words > without && words <= most,
            "seed {seed}: {words}, {without}"
        );
    }
}

/// The names of records and their sources.
fn names(list: Vec<Listed>) -> Vec<(usize, String)> {
    let name = |item: AnyRecord| match item {
        AnyRecord::Etm { record, .. } => format!("{:?}", record.kind),
        AnyRecord::Software(record) => record.name().to_owned(),
    };
    list.into_iter()
        .map(|(it, item)| (it, name(item)))
        .collect()
}

#[test]
fn a_source_that_is_enabled_again_goes_on_in_the_order_of_the_port() {
    for seed in 0..rounds(1, 20) {
        let port = unreported(Port::random(seed, Shape::Whole));
        let mut bench = Bench::<1, 0>::new(&port);
        bench.send(&port, &mut Consumers::new(seed, 0.6));
        bench.drain(DRAIN);
        bench.enable_etm(&port);
        bench.send(&port, &mut Consumers::new(seed, 0.6));
        bench.drain(DRAIN);
        let want = names(expected(&port, 1));
        let got = names(merged(&bench));
        assert_eq!(got, [want.clone(), want].concat(), "seed {seed}");
    }
}

#[test]
fn what_a_stalled_stream_has_lost_leaves_the_rest_in_order() {
    let mut random = rng(7);
    let stm = coretrace_test_gen::stm_stream(&mut random, 4000, None);
    let itm = coretrace_test_gen::itm_stream(&mut random, 100, None);
    let mut port = Port::of(&mut random, &stm, &itm);
    port.etm.lenient = false;
    let mut bench = Bench::<1, 0>::new(&port);
    let mut consumers = Consumers::new(7, 1.0);
    consumers.deaf = port.cycles.len() / 2;
    bench.send(&port, &mut consumers);
    bench.drain(2 * DRAIN);
    let (got, all) = (names(merged(&bench)), names(expected(&port, 1)));
    let read = |list: Vec<(usize, String)>| list.into_iter().filter(|(_, name)| name != "NOTSYNC");
    let found: Vec<_> = read(got).collect();
    let mut rest = read(all);
    for record in &found {
        assert!(rest.any(|it| it == *record), "{record:?}");
    }
    assert!(found.iter().filter(|(source, _)| *source == 1).count() > 100);
}
