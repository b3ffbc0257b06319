// SPDX-License-Identifier: MIT OR Apache-2.0
//! An ETM, an STM and an ITM in one port: the front, its demultiplexer and a decoder for each of them make the same
//! merged list as the model, record by record, with the place of each in the port.
//!
//! | module | what it holds |
//! |---|---|
//! | `port` | what is on the port |
//! | `captures` | captures of software trace, to put on a port |
//! | `hardware` | the blocks in simulation |
//! | `trail` | where the bytes of a source were in the port |
//! | `model` | the list that `etm4 packets --merge` prints |

mod captures;
mod hardware;
mod model;
mod port;
mod trail;

use coretrace_capture::{AnyRecord, Merged, Order};
use coretrace_etm::Kind;
use coretrace_software_trace::Record as SoftwareRecord;
use coretrace_test_gen::{rng, rounds};
use coretrace_test_support::in_parallel;
use port::{Port, Shape};

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
