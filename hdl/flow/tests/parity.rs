// SPDX-License-Identifier: MIT OR Apache-2.0
//! One wrong bit of a word in the memories of the walker is found, whichever it is.

use coretrace_abi::flow_table::{ExitWord, RUN_WORD_BITS, RunWord, Trigger, Widths, trigger_code};
use coretrace_hdl_dataflow::sim::settle;
use coretrace_hdl_flow::{EXIT_FLAGS_W, FlagWord, RunCheck, WalkStep};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rust_hdl::prelude::*;

const SITE_W: usize = 12;

#[test]
fn every_wrong_bit_of_a_stored_exit_word_is_found() {
    let widths = Widths::new(SITE_W as u32, 3).expect("widths");
    let mut rng = StdRng::seed_from_u64(1);
    let mut stored = FlagWord::<1>::default();
    let mut step = WalkStep::<SITE_W>::default();
    stored.connect_all();
    step.connect_all();
    let mut is_found = |exit: u64, flags: u64| {
        step.exit.next = exit.into();
        step.flags.next = flags.into();
        settle(&mut step);
        step.exit_damaged.val()
    };
    for flags in 0..16 {
        let exit = ExitWord {
            exit: rng.random_range(0..1 << SITE_W),
            link: flags & 1 == 1,
            indirect: flags & 2 == 2,
            outside: flags & 4 == 4,
            trigger: (flags & 8 == 8).then_some(Trigger::ALL[flags as usize % 3]),
        };
        let word = u64::from(exit.pack(widths));
        stored.flags.next = (word >> SITE_W).into();
        settle(&mut stored);
        let flags = stored.word.val().to_u64();
        let exit = word % (1 << SITE_W);
        assert!(!is_found(exit, flags));
        for bit in 0..SITE_W {
            assert!(is_found(exit ^ 1 << bit, flags), "{exit:#x}, bit {bit}");
        }
        // The flags, the trigger, the parity, and what is made of the flags.
        for bit in 0..=EXIT_FLAGS_W {
            assert!(is_found(exit, flags ^ 1 << bit), "{flags:#b}, flag {bit}");
        }
    }
}

#[test]
fn every_wrong_bit_of_a_stored_run_is_found() {
    let mut check = RunCheck::default();
    check.connect_all();
    for run in 0..32 {
        let triggers = Trigger::ALL.into_iter().map(Some).chain([None]);
        for trigger in triggers {
            let word = RunWord { run, trigger }.pack();
            for bit in 0..=RUN_WORD_BITS {
                let wrong = if bit < RUN_WORD_BITS { 1 << bit } else { 0 };
                check.word.next = u64::from(word ^ wrong).into();
                settle(&mut check);
                assert_eq!(check.damaged.val(), wrong != 0, "run {run}, bit {bit}");
                let code = trigger_code(trigger.filter(|_| wrong == 0));
                assert_eq!(check.trigger.val().to_u64(), u64::from(code));
            }
        }
    }
}
