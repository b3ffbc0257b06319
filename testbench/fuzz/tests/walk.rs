// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program flow on random packets and words.

use coretrace_test_fuzz::walk::{Seen, Walk};

#[test]
fn random_packets_walk_through_random_words_without_growth() {
    let seed = 0;
    let seen = Walk {
        seed,
        packets: 400_000,
    }
    .run();
    assert!(seen.ranges > 30_000, "seed {seed}: {seen}");
    let late = seen.memory[1].unwrap_or_default();
    assert!(late < 256 << 10, "seed {seed}: {seen}");
}

#[test]
fn growth_is_more_than_four_megabytes_late() {
    let seen = |memory| Seen {
        memory,
        ..Seen::default()
    };
    assert!(seen([Some(9000), Some(90_000)]).grows());
    assert!(!seen([Some(9000), Some(9900)]).grows());
    assert!(!seen([None, None]).grows());
}
