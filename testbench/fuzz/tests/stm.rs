// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model of an STM against OpenCSD: a bounded part of `cargo etm4-fuzz stm`.

use coretrace_test_fuzz::stm::StmAndOpenCsd;
use coretrace_test_fuzz::{Verdict, campaign};
use coretrace_test_opencsd::skip_or_fail;

/// Packets compared here; the command compares more.
const PACKETS: u64 = 300_000;

#[test]
fn the_model_gives_the_packets_of_opencsd_on_random_streams_of_an_stm() {
    let Some(library) = skip_or_fail() else {
        return;
    };
    let pair = StmAndOpenCsd { library };
    let ended = campaign::run(|seed| pair.compare(seed), 0, PACKETS).expect("OpenCSD reads on");
    print!("{}", ended.totals);
    if let Some(&seed) = ended.differing.first() {
        panic!("seed {seed}: {:?}", pair.compare(seed));
    }
    let totals = ended.totals;
    assert!(totals.broken * 6 >= totals.streams * 4, "{totals:?}");
    assert!(totals.errors * 50 > totals.packets, "{totals:?}");
    assert!(totals.unknown < totals.packets * 64 / 2, "{totals:?}");
}

#[test]
fn streams_of_all_classes_are_compared() {
    let Some(library) = skip_or_fail() else {
        return;
    };
    let pair = StmAndOpenCsd { library };
    let compared = (0..12).map(|seed| match pair.compare(seed) {
        Ok(Verdict::Equal(compared)) => compared,
        other => panic!("seed {seed}: {other:?}"),
    });
    let compared: Vec<_> = compared.collect();
    // Every second stream has no Gray code, and two of twelve are whole.
    let natural = compared.iter().step_by(2);
    assert!(natural.clone().all(|it| it.unknown == 0 && it.packets > 0));
    assert!(compared.iter().skip(1).step_by(2).any(|it| it.unknown > 0));
    let whole = compared.iter().filter(|it| it.broken == 0);
    assert!(whole.clone().all(|it| it.errors == 0));
    assert_eq!(whole.count(), 2);
}
