// SPDX-License-Identifier: MIT OR Apache-2.0
//! An ETM, an STM and an ITM in one port: the front, its demultiplexer and a decoder for each of them make the same
//! merged list as the model, record by record, with the place of each in the port.
//!
//! | module | what it holds |
//! |---|---|
//! | `port` | what is on the port |
//! | `captures` | captures of software trace, to put on a port |
//! | `hardware` | the blocks in simulation |
//! | `recorders` | the front and the recorders in simulation |
//! | `core` | the cores that have two of them, in simulation |
//! | `core_list` | the merged lists of their streams |
//! | `trail` | where the bytes of a source were in the port |
//! | `model` | the list that `etm4 packets --merge` prints |

mod captures;
mod core;
mod core_list;
mod hardware;
mod model;
mod port;
mod recorders;
mod trail;

use coretrace_capture::{AnyRecord, Merged, Order};
use coretrace_etm::Kind;
use coretrace_software_trace::Record as SoftwareRecord;
use coretrace_test_gen::{rng, rounds};
use coretrace_test_support::in_parallel;
use port::{Port, Shape};
use recorders::{Pace, RECORDED, Recorded};
use trail::Trail;

/// An ETM, an STM and an ITM.
pub const SOURCES: usize = 3;

/// The clock of each source, as `Pass::run_merged` takes them.
pub type Clocks = [Option<u8>; SOURCES];

/// No source has its clock in common with another one.
const OWN_CLOCKS: Clocks = [None; SOURCES];

/// The list of both, which are equal. The place of a record is the number of its frame.
fn compare(port: &Port, clocks: &Clocks, what: &str) -> Vec<Merged<AnyRecord>> {
    let (got, want) = (hardware::list(port, clocks), model::list(port, clocks));
    for (number, (got, want)) in got.iter().zip(&want).enumerate() {
        assert_eq!(got, want, "{what}, record {number}");
    }
    assert_eq!(got.len(), want.len(), "{what}");
    want
}

/// How many records of each source are of a kind.
fn count(list: &[Merged<AnyRecord>], is_counted: impl Fn(&AnyRecord) -> bool) -> [usize; SOURCES] {
    let of_source = |source: usize| list.iter().filter(move |it| it.source == source);
    [0, 1, 2].map(|source| of_source(source).filter(|it| is_counted(&it.item)).count())
}

/// Whether a record is of bytes that are not read.
fn is_unread(record: &AnyRecord) -> bool {
    match record {
        AnyRecord::Etm { record, .. } => record.kind == Kind::NotSync,
        AnyRecord::Software(record) => record.is_unread(),
    }
}

/// Checks that only the port gives the order, and that all sources take turns.
fn check_order_of_port(list: &[Merged<AnyRecord>], what: &str) {
    assert!(list.iter().all(|it| it.order == Order::Place), "{what}");
    assert!(list.is_sorted_by_key(|it| it.place), "{what}");
    let mut turns: Vec<usize> = list.iter().map(|it| it.source).collect();
    turns.dedup();
    let turns_of = |source| turns.iter().filter(|it| **it == source).count();
    assert!((0..SOURCES).all(|source| turns_of(source) > 2), "{what}");
}

#[test]
fn three_sources_of_a_port_give_the_merged_list_of_the_model() {
    in_parallel(0..rounds(20, 500), |seed| {
        let what = format!("seed {seed}");
        let list = compare(&Port::random(seed, Shape::Whole), &OWN_CLOCKS, &what);
        check_order_of_port(&list, &what);
        let numbers = count(&list, |_| true);
        assert!(numbers.iter().all(|&it| it > 30), "{what}: {numbers:?}");
    });
}

#[test]
fn losses_and_broken_frames_reach_all_three_sources_in_their_places() {
    let lists = (0..rounds(30, 500)).map(|seed| {
        let what = format!("seed {seed}");
        let list = compare(&Port::random(seed, Shape::Broken), &OWN_CLOCKS, &what);
        assert!(list.iter().all(|it| it.order == Order::Place), "{what}");
        list
    });
    let all: Vec<Merged<AnyRecord>> = lists.flatten().collect();
    let unread = count(&all, is_unread);
    assert!(unread.iter().all(|&it| it > 20), "{unread:?}");
    let errors = count(&all, |record| match record {
        AnyRecord::Etm { record, .. } => record.kind.is_error(),
        AnyRecord::Software(SoftwareRecord::Stm(record)) => record.kind.is_error(),
        AnyRecord::Software(SoftwareRecord::Itm(record)) => record.kind.is_error(),
    });
    assert!(errors.iter().all(|&it| it > 5), "{errors:?}");
}

#[test]
fn records_of_one_clock_are_in_the_order_of_their_times() {
    let mut timed = [0; SOURCES];
    for seed in 0..rounds(10, 200) {
        let clocks = [Some(1), Some(1), None];
        let port = Port::random(seed, Shape::Whole);
        let list = compare(&port, &clocks, &format!("seed {seed}"));
        let by_time: Vec<Merged<AnyRecord>> = list
            .into_iter()
            .filter(|it| it.order == Order::Time)
            .collect();
        assert!(by_time.is_sorted_by_key(|it| it.time), "seed {seed}");
        for (sum, number) in timed.iter_mut().zip(count(&by_time, |_| true)) {
            *sum += number;
        }
    }
    assert!(timed[0] > 20 && timed[1] > 20, "{timed:?}");
    assert_eq!(timed[2], 0);
}

#[test]
fn captures_of_an_stm_and_an_itm_beside_an_etm_give_the_list_of_the_model() {
    let pairs = captures::pairs();
    in_parallel(0..pairs.len(), |index| {
        let (names, stm, itm) = &pairs[index];
        let port = Port::of(&mut rng(index as u64), stm, itm);
        let list = compare(&port, &OWN_CLOCKS, names);
        check_order_of_port(&list, names);
    });
}

/// A consumer that pauses, and a port that is not full.
const STEADY: Pace = Pace {
    takes: 0.8,
    deaf: 0,
    slowness: 2,
};

/// The slowness of a port whose sources are slower than a recorder, whatever they send.
const SLOW: usize = 12;

/// Compares the streams of recorders with the model, records and losses with their places; returns what they say.
fn compare_recorded(port: &Port, pace: &Pace, seed: u64, what: &str) -> [Recorded; RECORDED] {
    let (got, trails) = recorders::run(port, pace, seed);
    let want = recorders::expected(port, &trails);
    for (got, want) in got.iter().zip(&want) {
        for (number, (got, want)) in got.records.iter().zip(&want.records).enumerate() {
            assert_eq!(got, want, "{what}, record {number}");
        }
        assert_eq!(got.records.len(), want.records.len(), "{what}");
        assert_eq!(got.losses, want.losses, "{what}");
        assert_eq!(got.lost_rows, 0, "{what}");
    }
    got
}

#[test]
fn recorders_of_an_stm_and_an_itm_store_the_records_of_the_model() {
    let (mut losses, mut errors, mut lenient) = (0, 0, 0);
    for seed in 0..rounds(20, 300) {
        for shape in [Shape::Whole, Shape::Broken] {
            let what = format!("seed {seed}, {shape:?}");
            let port = Port::random(seed, shape);
            lenient += usize::from(port.etm.lenient);
            for recorded in compare_recorded(&port, &STEADY, seed, &what) {
                assert!(recorded.records.len() > 5, "{what}");
                losses += recorded.losses.len();
                let errs = recorded.records.iter().filter(|(it, _)| it.is_error());
                errors += errs.count();
            }
        }
    }
    assert!(losses > 20 && errors > 10 && lenient > 5);
}

#[test]
fn captures_of_software_trace_are_stored_as_the_model_reads_them() {
    let pairs = captures::pairs();
    // Long captures fill the FIFO of a port that is not slower than a recorder.
    let pace = Pace {
        slowness: rounds(STEADY.slowness, SLOW),
        ..STEADY
    };
    in_parallel(0..pairs.len(), |index| {
        let (names, stm, itm) = &pairs[index];
        let port = Port::of(&mut rng(index as u64), stm, itm);
        compare_recorded(&port, &pace, index as u64, names);
    });
}

#[test]
fn stored_records_and_an_etm_give_the_merged_list_of_the_model() {
    for seed in 0..rounds(10, 200) {
        let what = format!("seed {seed}");
        let port = Port::random(seed, Shape::Whole);
        let hardware::Found { trails, records } = hardware::run(&port);
        let [etm, _, _] = records;
        let places = trails[0].places(&etm);
        let mut placed = vec![etm.into_iter().zip(places).collect::<Vec<_>>()];
        for recorded in compare_recorded(&port, &STEADY, seed, &what) {
            let any = |(record, place)| (AnyRecord::Software(record), place);
            placed.push(recorded.records.into_iter().map(any).collect());
        }
        let got = hardware::merge(placed, &OWN_CLOCKS);
        let want = model::list(&port, &OWN_CLOCKS);
        for (number, (got, want)) in got.iter().zip(&want).enumerate() {
            assert_eq!(got, want, "{what}, record {number}");
        }
        assert_eq!(got.len(), want.len(), "{what}");
        check_order_of_port(&got, &what);
    }
}

#[test]
fn rows_that_find_no_room_are_counted_and_their_place_is_stored() {
    let mut rng = rng(5);
    let stm = coretrace_test_gen::stm_stream(&mut rng, 3000, None);
    let itm = coretrace_test_gen::itm_stream(&mut rng, 6000, None);
    let mut port = Port::of(&mut rng, &stm, &itm);
    port.etm.lenient = false;
    let pace = Pace {
        takes: 1.0,
        deaf: 5000,
        slowness: 1,
    };
    let (got, trails): (_, [Trail; RECORDED]) = recorders::run(&port, &pace, 1);
    let all = recorders::expected(&port, &trails);
    for (got, all) in got.iter().zip(&all) {
        assert!(got.lost_rows > 100, "{}", got.lost_rows);
        assert!(!got.losses.is_empty());
        // Of what was read, nothing is at another place than without a loss.
        let read = |recorded: &Recorded| -> Vec<(&'static str, u64)> {
            let read = recorded.records.iter().filter(|(it, _)| !it.is_unread());
            read.map(|(it, place)| (it.name(), *place)).collect()
        };
        let (found, all) = (read(got), read(all));
        let mut rest = all.iter();
        for record in &found {
            assert!(rest.any(|it| it == record), "{record:?}");
        }
        let behind = found.iter().filter(|(_, place)| *place > got.losses[0]);
        assert!(behind.count() > 100);
    }
}
