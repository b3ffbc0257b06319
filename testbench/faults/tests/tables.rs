// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong bits in flow tables that change a count are reported.

use coretrace_test_faults::tables::{Flip, programs, shipped};

#[test]
fn a_wrong_bit_of_a_table_that_changes_a_count_is_reported() {
    let programs = programs(&shipped(), 60_000).expect("branch traces");
    for program in &programs {
        let effects = program.effects(Flip::Bit, 200);
        assert!(
            effects.changed > 20 && effects.are_reported(),
            "{effects:?}"
        );
        // What is counted up to the report was taken.
        assert_eq!(effects.too_high, 0, "{effects:?}");
        // With the parity made right it takes the other checks, and those do not find all.
        let effects = program.effects(Flip::BitAndParity, 200);
        assert_eq!(effects.by_parity, 0);
        assert!(
            effects.by_walk > 2 && !effects.are_reported(),
            "{effects:?}"
        );
    }
    assert_eq!(programs.len(), 4);
}
