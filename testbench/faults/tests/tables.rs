// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong bits in flow tables that change a count are reported.

use coretrace_test_faults::program::{programs, shipped};
use coretrace_test_faults::tables::{Flip, Tables};
use coretrace_test_faults::wrong::{Wrong, effects};

#[test]
fn a_wrong_bit_of_a_table_that_changes_a_count_is_reported() {
    let programs = programs(&shipped(), 60_000).expect("branch traces");
    for program in &programs {
        let program = Tables::new(program).expect("a table");
        let effects = program.effects(Flip::Bit, 400);
        assert!(
            effects.changed > 20 && effects.are_reported(),
            "{effects:?}"
        );
        // What is counted up to the report was taken.
        assert_eq!(effects.too_high, 0, "{effects:?}");
        // With the parity made right it takes the other checks, and those do not find all.
        let effects = program.effects(Flip::BitAndParity, 400);
        assert_eq!(effects.by_parity, 0);
        assert!(
            effects.by_walk > 2 && !effects.are_reported(),
            "{effects:?}"
        );
    }
    assert_eq!(programs.len(), 4);
}

#[test]
fn a_wrong_image_or_trace_is_reported_where_anything_can_see_it() {
    // The other one has two branches, both direct: it is the same wherever its image is.
    for program in &programs(&shipped()[1..], 60_000).expect("branch traces") {
        let effects = |wrong| effects(program, wrong, 40).expect("tables");
        let shifted = effects(Wrong::Shifted);
        assert_eq!((shifted.changed, shifted.silent), (40, 0), "{shifted:?}");
        let patched = effects(Wrong::Patched);
        assert!(patched.changed > 10, "{patched:?}");
        assert!(patched.by_walk + patched.by_sums > 10, "{patched:?}");
        let overrun = effects(Wrong::Overrun);
        assert_eq!(overrun.by_decoder, overrun.changed, "{overrun:?}");
        assert!(overrun.changed > 30, "{overrun:?}");
        let damaged = effects(Wrong::Damaged);
        assert!(damaged.changed > damaged.silent, "{damaged:?}");
    }
}
