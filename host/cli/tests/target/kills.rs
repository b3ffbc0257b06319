// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands that are killed at every access: the next stop undoes what they did.

use std::fs;

use crate::chip::{CORE_0, Chip};
use crate::common::etm4;

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

/// The file of the records of a core.
const RECORDS: &str = "out/records.words";

/// A write of the register that gives buffers to the DMA.
const GIVE: &str = "W 00a0010040 ";

/// Buffers that were given back to the DMA in a session: a start gives all of them.
fn given_back(events: &[String]) -> usize {
    let writes = events.iter().filter(|event| event.starts_with(GIVE));
    writes.count().saturating_sub(1)
}

/// Packets of a record stream.
fn packets(records: &[u8]) -> usize {
    let (words, _) = records.as_chunks::<4>();
    words.iter().filter(|word| *word == b"ETM2").count()
}

/// Reads the folder of a capture that was killed, with the bytes of whole packets.
fn says_that_it_was_killed(chip: &Chip, bytes: usize) {
    let out = chip.path("out");
    let out = out.to_str().expect("text");
    for command in ["info", "records", "profile"] {
        let ran = etm4(&[command, out]);
        assert!(
            ran.stderr.contains("was killed"),
            "{command}: {}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("error"), "{command}: {}", ran.stderr);
        let text = ran.stdout;
        assert!(
            !text.contains("SKIPPED") && !text.contains("the core counted"),
            "{text}"
        );
        if command == "info" {
            assert!(text.contains("damage: the capture has not ended"), "{text}");
            assert!(text.contains(&format!("trace: {bytes} bytes")), "{text}");
        }
    }
}

/// Captures the records of a core; what was stored of them, and the exit code.
fn capture(chip: &Chip, bus: &str) -> (Vec<u8>, i32) {
    let out = chip.path("out").to_str().expect("text").to_owned();
    let args = [
        CORE_0,
        &["--rs", "--sink", "core", "--ring", "0x70000000:0x20000"],
        &["--seconds", "0.03", "--out", &out],
    ];
    let bus = format!("sim:guard,trace=testbench/traces/sort-a64{bus}");
    let ran = chip.run("capture", &bus, &args.concat());
    let records = fs::read(chip.path(RECORDS)).unwrap_or_default();
    (records, ran.code)
}

#[test]
fn a_capture_that_is_killed_is_undone_by_its_guard_and_another_is_whole() {
    let golden = Chip::new();
    let before = golden.at_rest();
    let past = golden.events().len();
    let (whole, code) = capture(&golden, "");
    assert_eq!(code, 0);
    // What `killed@` counts.
    let is_access = |event: &&String| event.starts_with(['R', 'W']);
    let accesses = golden.events().iter().skip(past).filter(is_access).count();
    let (mut begun, mut cut) = (0, 0);
    for count in (0..accesses).step_by(accesses / 150) {
        let chip = Chip::new();
        chip.status();
        let past = chip.events().len();
        let (records, code) = capture(&chip, &format!(",killed@{count}"));
        assert_eq!(code, KILLED, "{count}");
        // What was given back to the DMA is in the file, in whole packets.
        let given = given_back(&chip.events()[past..]);
        assert!(
            packets(&records) >= given,
            "{count}: {given} of {}",
            packets(&records)
        );
        if count % 10 == 0 {
            says_that_it_was_killed(&chip, records.len());
        }
        let description = fs::read_to_string(chip.path("out/capture.toml"));
        let description = description.expect("a description");
        assert!(description.contains("ended = false"), "{description}");
        let has_counters = description.contains("LOST_WORDS = ");
        assert!(has_counters || records.is_empty(), "{description}");
        assert!(!chip.has_session(), "{count}");
        assert_eq!(chip.at_rest(), before, "{count}");
        // What was stored is the beginning of the trace, as far as it goes.
        assert!(
            whole.starts_with(&records),
            "{count}: {} bytes",
            records.len()
        );
        begun += usize::from(!records.is_empty());
        cut += usize::from(!records.is_empty() && records.len() < whole.len());
        let _ = fs::remove_dir_all(chip.path("out"));
        if count % 10 == 0 {
            assert_eq!(capture(&chip, ""), (whole.clone(), 0), "{count}");
        }
    }
    assert!(
        begun > 5 && cut > 0,
        "{begun} captures had begun, {cut} were cut"
    );
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
