// SPDX-License-Identifier: MIT OR Apache-2.0
//! Test patterns of the trace port, as the core behind it sees them.

use crate::chip::{CORE_0, Chip};

const ZYNQMP: &[&str] = &["--topology", "zynqmp"];

#[test]
fn a_core_sees_a_full_sync_in_16_words_of_the_walking_0_and_no_other() {
    let chip = Chip::new();
    let before = chip.at_rest();
    let text = chip.good("pattern", "sim", ZYNQMP);
    let lines: Vec<&str> = text.lines().collect();
    let nothing = "as it should be: 0 acquisitions, 0 frames, 0 words lost";
    for (line, name) in [(0, "walking 1"), (2, "AA/55"), (3, "FF/00")] {
        assert_eq!(lines[line], format!("{name:<10} {nothing}"));
    }
    // The simulator makes 100,000 words a second, and some while the counters are read.
    let walking = lines[1]
        .strip_prefix("walking 0  as it should be: 625")
        .expect(&text);
    assert!(
        walking.ends_with("; 0.100 million words a second"),
        "{text}"
    );
    assert!(!chip.has_session());
    assert_eq!(chip.at_rest(), before);
    // The port makes no pattern any more, and works.
    chip.good("start", "sim", CORE_0);
    chip.good("stop", "sim", &[]);
}

#[test]
fn a_core_that_trace_has_left_in_sync_counts_words_as_frames() {
    let chip = Chip::new();
    let out = chip.path("out").to_str().expect("text").to_owned();
    let short = ["--seconds", "0.01"];
    let ring = ["--sink", "core", "--ring", "0x70000000:0x20000"];
    let capture = [CORE_0, &["--out", &out], &ring, &short].concat();
    chip.good("capture", "sim", &capture);
    let text = chip.good("pattern", "sim", &[ZYNQMP, &short].concat());
    let lines: Vec<&str> = text.lines().collect();
    let frames = lines[0].strip_prefix("walking 1  as it should be: 0 acquisitions, 25");
    let frames = frames.expect(&text);
    assert!(
        frames.ends_with(" frames, 0 words lost; 0.102 million words a second"),
        "{text}"
    );
    // The walking 0 loses the sync.
    let nothing = "as it should be: 0 acquisitions, 0 frames, 0 words lost";
    assert_eq!(lines[2], format!("{:<10} {nothing}", "AA/55"));
}

#[test]
fn a_pattern_that_is_killed_is_stopped_by_the_next_stop() {
    for count in 0..40 {
        let chip = Chip::new();
        let before = chip.at_rest();
        let past = chip.events().len();
        let ran = chip.run("pattern", &format!("sim:killed@{count}"), ZYNQMP);
        assert_eq!(ran.code, 137, "{count}: {}", ran.stderr);
        chip.good("stop", "sim", &[]);
        assert!(!chip.has_session(), "{count}");
        assert_eq!(chip.at_rest(), before, "{count}");
        let mut events = chip.events().into_iter().skip(past);
        let last = events.rfind(|event| event.starts_with("W 00fe980204"));
        let is_off = last.is_none_or(|event| event.ends_with(" 00000000"));
        assert!(is_off, "{count}: the port makes a pattern");
    }
}

#[test]
fn a_pattern_is_refused_without_its_clock_and_for_no_core() {
    let chip = Chip::new();
    let ran = chip.run("pattern", "sim:clock-off=trace", ZYNQMP);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("DBG_TRACE_CTRL"), "{}", ran.stderr);
    let chip = Chip::new();
    let args = [ZYNQMP, &["--enable-clocks", "--seconds", "0.01"]].concat();
    chip.good("pattern", "sim:clock-off=trace", &args);
    let ran = chip.run("pattern", "sim", &[ZYNQMP, &["--core", "none"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("has no core none"), "{}", ran.stderr);
}
