// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exit codes of sessions, and what is said of them.

use crate::chip::{CORE_0, Chip};
use crate::common::etm4;

/// Runs a start under a condition, and returns what it said.
fn start(chip: &Chip, condition: &str, code: i32) -> String {
    let ran = chip.run("start", &format!("sim:{condition}"), CORE_0);
    assert_eq!(ran.code, code, "{condition}: {}", ran.stderr);
    assert_eq!(ran.stdout, "", "{condition}");
    let at = ran.stderr.find("error: ").expect("an error");
    ran.stderr[at..].to_owned()
}

#[test]
fn a_check_that_fails_is_named_and_nothing_is_written() {
    for (condition, place, advice) in [
        (
            "clock-off=trace",
            "CRF_APB.DBG_TRACE_CTRL",
            "--enable-clocks",
        ),
        ("claimed=etf1", "etf1.CLAIMCLR", "end the debugger"),
        ("forbidden=etm0", "etm0.AUTHSTATUS", "forbids this debug"),
        ("elsewhere=funnel2", "funnel2.CIDR1", "check the topology"),
        (
            "clock-lost=debug@20",
            "the access aborted",
            "check that the address",
        ),
    ] {
        let chip = Chip::new();
        let said = start(&chip, condition, 3);
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].contains(place), "{said}");
        assert!(
            lines[1].starts_with("  ") && lines[1].contains(advice),
            "{said}"
        );
        assert_eq!(lines[2], "note: nothing was written");
        assert!(
            !chip.events().iter().any(|event| event.starts_with('W')),
            "{condition}"
        );
        assert!(!chip.has_session(), "{condition}");
    }
}

#[test]
fn a_step_that_fails_is_named_and_everything_is_undone() {
    for (condition, place) in [
        ("never-ready=etf2", "etf2.STS"),
        ("no-power=etm0", "etm0.TRCPDSR"),
    ] {
        let chip = Chip::new();
        let before = chip.at_rest();
        let said = start(&chip, condition, 4);
        assert!(said.starts_with(&format!("error: {place}")), "{said}");
        assert!(said.contains("note: everything was undone"), "{said}");
        assert!(!chip.has_session(), "{condition}");
        // But for what the condition itself changed.
        let component = place.split('.').next().expect("a component");
        for (before, after) in before.iter().zip(chip.at_rest()) {
            assert!(
                *before == after || after.starts_with(component),
                "{condition}: {after}"
            );
        }
    }
}

#[test]
fn a_register_that_a_trace_unit_does_not_take_is_said_with_its_reason() {
    let chip = Chip::new();
    let ran = chip.run("start", "sim:fixed-syncs=etm0", CORE_0);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = "warning: etm0.TRCSYNCPR is 0x0 and not 0xC: the trace unit has a fixed period";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    let chip = Chip::new();
    let ran = chip.run("start", "sim", CORE_0);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}

#[test]
fn an_access_that_breaks_a_rule_of_the_simulator_is_said() {
    let said = (60..200).step_by(4).map(|access| {
        let condition = format!("sim:locked=etf1@{access}");
        Chip::new().run("start", &condition, CORE_0).stderr
    });
    let is_it = |said: &String| said.contains("warning: an access of etf1 at 0x");
    let said: Vec<String> = said.filter(is_it).collect();
    assert!(!said.is_empty());
    assert!(
        said.iter().all(|said| said.contains(" breaks LOCK\n")),
        "{said:?}"
    );
}

#[test]
fn a_condition_that_there_is_not_is_refused() {
    let chip = Chip::new();
    for condition in ["claimed", "claimed=x", "stolen=etf1", "nonsense=etf1"] {
        let ran = chip.run("start", &format!("sim:{condition}"), CORE_0);
        assert_eq!(ran.code, 2, "{condition}: {}", ran.stderr);
        let said = match condition {
            "claimed=x" => "claimed=x: zynqmp has no x".to_owned(),
            _ => format!("there is no condition {condition}: clock-off=CLOCK"),
        };
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    }
    assert!(!chip.has_session());
}

#[test]
fn what_is_left_of_a_session_is_named_until_it_can_be_undone() {
    let chip = Chip::new();
    chip.good("start", "sim", CORE_0);
    for bus in ["sim:no-flush=etf1", "sim"] {
        let ran = chip.run("stop", bus, &[]);
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        assert!(
            ran.stderr.starts_with("error: not undone: etf1.FFCR"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("reset the chip"), "{}", ran.stderr);
        assert!(chip.has_session());
    }
    let said = start(&chip, "claimed=stm", 3);
    assert!(
        said.contains("another session") && said.contains("target stop"),
        "{said}"
    );
}

#[test]
fn a_stop_accesses_nothing_that_has_no_clock_and_names_it() {
    let chip = Chip::new();
    let before = chip.at_rest();
    chip.good("start", "sim", CORE_0);
    let made = chip.events().len();
    let ran = chip.run("stop", "sim:clock-off=debug", &[]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    for name in ["etm0", "etf1", "funnel1", "tpiu"] {
        let said = format!("not undone: {name}: CRF_APB.DBG_FPD_CTRL is 0x00002500");
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    }
    assert!(!ran.stderr.contains("aborted"), "{}", ran.stderr);
    // Clocks are not behind the clock.
    let is_component =
        |event: &String| event.starts_with(['R', 'W']) && !event[2..].starts_with("00fd1a");
    let events = &chip.events()[made..];
    assert!(
        events.len() > 1 && !events.iter().any(is_component),
        "{events:?}"
    );
    assert!(chip.has_session());
    chip.good("stop", "sim:clock-on=debug", &[]);
    assert_eq!(chip.at_rest(), before);
}

#[test]
fn a_session_that_runs_is_started_once_and_another_is_refused() {
    let chip = Chip::new();
    let first = chip.good("start", "sim", CORE_0);
    assert_eq!(first, "etm0 has trace ID 0x10\n");
    let events = chip.events();
    assert_eq!(chip.good("start", "sim", CORE_0), first);
    let other = chip.run("start", "sim", &["--topology", "zynqmp", "--cpu", "1"]);
    assert_eq!(other.code, 3, "{}", other.stderr);
    assert_eq!(chip.events(), events);
    chip.good("stop", "sim", &[]);
    assert!(!chip.has_session());
}

#[test]
fn a_stop_without_a_session_says_where_it_looked_and_is_wrong_use() {
    let (used, fresh) = (Chip::new(), Chip::new());
    used.good("start", "sim", CORE_0);
    used.good("stop", "sim", &[]);
    for chip in [used, fresh] {
        let folder = chip.path("");
        let said = format!("no session is in {}", folder.display());
        let said = said.trim_end_matches('/');
        for (more, code) in [(&[][..], 2), (&["--stale"], 0)] {
            let ran = chip.run("stop", "sim", more);
            assert_eq!(ran.code, code, "{}", ran.stderr);
            assert!(ran.stderr.contains(said), "{}", ran.stderr);
        }
    }
    let ran = etm4(&["target", "stop", "--bus", "linux:/nowhere"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let said = "error: no session is in /nowhere/run/etm4: --session names another";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

#[test]
fn a_status_reads_what_runs_and_writes_nothing() {
    let chip = Chip::new();
    let before = chip.at_rest();
    chip.good("start", "sim", CORE_0);
    let running = chip.status();
    let line = |text: &str, name: &str| {
        let found = text.lines().find(|line| line.starts_with(name));
        found.expect(name).to_owned()
    };
    assert!(
        line(&running, "etf1 ").contains(" CLAIMCLR=2 CTL=1 "),
        "{running}"
    );
    assert!(
        line(&running, "etm0 ").contains(" TRCPRGCTLR=1 "),
        "{running}"
    );
    assert!(!line(&running, "etm1 ").contains("TRCPRGCTLR"), "{running}");
    let writes = |chip: &Chip| {
        let events = chip.events();
        events.iter().filter(|event| event.starts_with('W')).count()
    };
    let made = writes(&chip);
    chip.status();
    assert_eq!(writes(&chip), made);
    chip.good("stop", "sim", &[]);
    assert_eq!(chip.at_rest(), before);
    assert!(
        line(&chip.status(), "tpiu").contains(" FFSR=2 "),
        "the port is stopped"
    );
    let bad = chip.good(
        "status",
        "sim:clock-off=trace,elsewhere=etf1",
        &["--topology", "zynqmp"],
    );
    assert!(
        line(&bad, "tpiu").contains("DBG_TRACE_CTRL is off"),
        "{bad}"
    );
    assert!(line(&bad, "etf1 ").contains("another component"), "{bad}");
}

#[test]
fn a_chip_or_a_journal_that_is_damaged_is_refused() {
    let chip = Chip::new();
    chip.good("start", "sim", CORE_0);
    for (name, from, to) in [
        ("journal.jsonl", "\"address\":42", "\"address\":12"),
        ("sim.log", "R ", "Q "),
    ] {
        let text = std::fs::read_to_string(chip.path(name)).expect("read");
        let damaged = text.replacen(from, to, 1);
        assert_ne!(text, damaged, "{name} has no {from}");
        std::fs::write(chip.path(name), &damaged).expect("written");
        let ran = chip.run("stop", "sim", &[]);
        assert_eq!(ran.code, 2, "{name}: {}", ran.stderr);
        assert!(
            ran.stderr.contains(name) && ran.stderr.contains("line"),
            "{}",
            ran.stderr
        );
        std::fs::write(chip.path(name), &text).expect("written");
    }
    let ran = chip.run("status", "sim", &["--topology", "juno"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("is a zynqmp"), "{}", ran.stderr);
    chip.good("stop", "sim", &[]);
}
