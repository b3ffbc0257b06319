// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands that are killed at every access: the next stop undoes what they did.

use crate::chip::{CORE_0, Chip};

/// The exit code of a command that was killed.
const KILLED: i32 = 137;

#[test]
fn a_start_that_is_killed_at_any_access_is_undone_by_the_next_stop() {
    let before = Chip::new().at_rest();
    for count in 0.. {
        let chip = Chip::new();
        let ran = chip.run("start", &format!("sim:killed@{count}"), CORE_0);
        if ran.code == 0 {
            assert!(count > 200, "only {count} accesses");
            break;
        }
        assert_eq!(ran.code, KILLED, "{count}: {}", ran.stderr);
        chip.good("stop", "sim", &[]);
        assert!(!chip.has_session(), "{count}");
        assert_eq!(chip.at_rest(), before, "{count}");
    }
}

#[test]
fn a_session_with_a_guard_that_is_killed_at_any_access_is_undone_at_once() {
    let before = Chip::new().at_rest();
    for count in 0.. {
        let chip = Chip::new();
        let ran = chip.run("start", &format!("sim:guard,killed@{count}"), CORE_0);
        if ran.code == 0 {
            assert!(count > 200, "only {count} accesses");
            assert!(
                chip.has_session() && !ran.stderr.contains("guard"),
                "{}",
                ran.stderr
            );
            break;
        }
        assert_eq!(ran.code, KILLED, "{count}: {}", ran.stderr);
        assert!(!chip.has_session(), "{count}: {}", ran.stderr);
        assert_eq!(chip.at_rest(), before, "{count}");
    }
}

#[test]
fn a_stop_that_is_killed_at_any_access_is_ended_by_the_next_stop() {
    let before = Chip::new().at_rest();
    for count in 0.. {
        let chip = Chip::new();
        chip.good("start", "sim", CORE_0);
        let made = chip.events().len();
        let ran = chip.run("stop", &format!("sim:killed@{count}"), &[]);
        if ran.code == 0 {
            assert!(count > 40, "only {count} accesses");
            break;
        }
        assert_eq!(ran.code, KILLED, "{count}: {}", ran.stderr);
        // The session runs until its trace unit is off, and then nothing else begins.
        let is_off = chip.events()[made..]
            .iter()
            .any(|event| event.starts_with("W 00fec40004 "));
        let ran = chip.run("start", "sim", CORE_0);
        assert_eq!(
            ran.code,
            if is_off { 3 } else { 0 },
            "{count}: {}",
            ran.stderr
        );
        chip.good("stop", "sim", &[]);
        assert!(!chip.has_session(), "{count}");
        assert_eq!(chip.at_rest(), before, "{count}");
    }
}
