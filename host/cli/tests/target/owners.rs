// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who may use a session, and who ends it: other processes, commands that are traced, signals.

use std::fs;
#[cfg(unix)]
use std::process::Command;

use crate::chip::{CORE_0, Chip};
#[cfg(unix)]
use crate::common::root;
use crate::common::{PROGRAM, etm4};

/// Captures while a command runs; what the program said, and the path of the capture.
fn capture(chip: &Chip, command: &[&str]) -> (String, String) {
    let out = chip.path("out").to_str().expect("text").to_owned();
    let args = [CORE_0, &["--out", &out, "--"], command].concat();
    let ran = chip.run("capture", "sim", &args);
    assert_eq!(ran.code, 0, "{command:?}: {}", ran.stderr);
    assert!(!chip.has_session());
    (ran.stderr, out)
}

#[test]
fn a_session_and_its_chip_have_one_process_at_a_time() {
    for (command, words, code) in [
        ("stop", &[][..], 3),
        ("start", CORE_0, 3),
        ("status", &CORE_0[..2], 2),
    ] {
        let chip = Chip::new();
        let session = chip.path("").to_str().expect("text").to_owned();
        let args = [
            PROGRAM,
            "target",
            command,
            "--bus",
            "sim",
            "--session",
            &session,
        ];
        let (said, _) = capture(&chip, &[&args, words].concat());
        assert!(
            said.contains("another process uses th"),
            "{command}: {said}"
        );
        assert!(
            said.contains(&format!("exit status: {code}")),
            "{command}: {said}"
        );
    }
}

#[test]
fn a_capture_goes_on_until_its_command_ends_and_says_how() {
    let chip = Chip::new();
    let (said, out) = capture(&chip, &["sh", "-c", "exit 7"]);
    assert!(
        said.contains("note: sh -c exit 7: exit status: 7"),
        "{said}"
    );
    let text = fs::read_to_string(chip.path("out/capture.toml")).expect("a description");
    assert!(
        text.contains("about = \"sh -c exit 7: exit status: 7\""),
        "{text}"
    );
    assert_eq!(etm4(&["packets", &out]).code, 0);
}

#[test]
fn a_command_that_cannot_run_ends_the_session() {
    let chip = Chip::new();
    let before = chip.at_rest();
    let out = chip.path("out").to_str().expect("text").to_owned();
    let args = [CORE_0, &["--out", &out, "--", "/nowhere/program"]].concat();
    let ran = chip.run("capture", "sim", &args);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("cannot run /nowhere/program"),
        "{}",
        ran.stderr
    );
    assert!(!chip.has_session());
    assert!(!chip.path("out").exists());
    assert_eq!(chip.at_rest(), before);
}

#[test]
fn a_command_that_cannot_run_does_not_hide_what_is_left() {
    let chip = Chip::new();
    chip.good("start", "sim", CORE_0);
    let accesses = chip.events().len();
    chip.good("stop", "sim", &[]);
    let out = chip.path("out").to_str().expect("text").to_owned();
    let args = [CORE_0, &["--out", &out, "--", "/nowhere/program"]].concat();
    let bus = format!("sim:clock-lost=debug@{}", accesses + 1);
    let ran = chip.run("capture", &bus, &args);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    for said in [
        "not undone: etm0: CRF_APB.DBG_FPD_CTRL",
        "cannot run /nowhere/program",
    ] {
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    assert!(chip.has_session());
    assert!(!chip.path("out").exists());
}

/// Captures the records of a core with a guard, in a process that may have so many files open at a time.
#[cfg(unix)]
fn capture_with_files(chip: &Chip, files: usize) -> Option<i32> {
    let path = |name: &str| chip.path(name).to_str().expect("text").to_owned();
    let ran = Command::new("sh")
        .args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")])
        .args([PROGRAM, "target", "capture", "--bus", "sim:guard"])
        .args(["--session", &path(""), "--out", &path("out")])
        .args(CORE_0)
        .args(["--sink", "core", "--ring", "0x70000000:0x20000"])
        .args(["--seconds", "0.001"])
        .current_dir(root())
        .output()
        .expect("a shell");
    ran.status.code()
}

#[cfg(unix)]
#[test]
fn a_capture_that_cannot_open_its_files_leaves_no_session_and_no_folder() {
    let mut refused = 0;
    for files in 4.. {
        let chip = Chip::new();
        let code = capture_with_files(&chip, files);
        assert!(!chip.has_session(), "{files} files");
        if code == Some(0) {
            break;
        }
        assert!(!chip.path("out").exists(), "{files} files");
        refused += usize::from(code == Some(2));
    }
    assert!(refused >= 5, "only {refused} failures");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_capture_in_order() {
    for signal in ["INT", "TERM", "HUP"] {
        let chip = Chip::new();
        let before = chip.at_rest();
        let script = format!("kill -{signal} $PPID; exec sleep 5 >&- 2>&-");
        let (said, out) = capture(&chip, &["sh", "-c", &script]);
        assert!(
            said.contains("a signal ended the capture"),
            "{signal}: {said}"
        );
        assert!(!said.contains("exit status"), "{signal}: {said}");
        assert_eq!(chip.at_rest(), before, "{signal}");
        assert_eq!(etm4(&["packets", &out]).code, 0);
    }
}

#[test]
fn a_stale_session_is_one_that_nobody_wants() {
    let chip = Chip::new();
    let before = chip.at_rest();
    let past = chip.events().len();
    chip.good("start", "sim", CORE_0);
    let accesses = chip.events().len() - past;
    let ran = chip.run("stop", "sim", &["--stale"]);
    assert_eq!((ran.code, chip.has_session()), (0, true), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("this session is wanted"),
        "{}",
        ran.stderr
    );
    // A stop that is killed, a start, and a capture while it goes on.
    chip.run("stop", "sim:killed@100", &[]);
    chip.good("stop", "sim", &["--stale"]);
    assert!(!chip.has_session());
    assert_eq!(chip.at_rest(), before);
    let out = chip.path("out").to_str().expect("text").to_owned();
    for (command, count, more) in [
        ("start", accesses / 2, &[][..]),
        ("capture", accesses + 1, &["--out", &out]),
    ] {
        let bus = format!("sim:killed@{count}");
        let ran = chip.run(command, &bus, &[CORE_0, more].concat());
        assert_eq!(ran.code, 137, "{command}: {}", ran.stderr);
        let ran = chip.run("start", "sim", CORE_0);
        assert_eq!(ran.code, 3, "{command}: {}", ran.stderr);
        chip.good("stop", "sim", &["--stale"]);
        assert!(!chip.has_session(), "{command}");
        assert_eq!(chip.at_rest(), before, "{command}");
    }
}

#[test]
fn a_component_that_a_debugger_took_is_named_and_left_alone() {
    let chip = Chip::new();
    let before = chip.at_rest();
    chip.good("start", "sim", CORE_0);
    assert!(!chip.status().contains("another agent"));
    let status = chip.good("status", "sim:stolen=etf1@1", &CORE_0[..2]);
    let line = status.lines().find(|line| line.starts_with("etf1 "));
    let said = "another agent took it from the session: claim tags 0x3";
    assert!(line.is_some_and(|line| line.ends_with(said)), "{status}");
    assert_eq!(status.matches("another agent").count(), 1, "{status}");
    let made = chip.events().len();
    let ran = chip.run("stop", "sim", &[]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    for said in [
        "warning: etf1: another agent took it from the session",
        "error: not undone: etf1.CLAIMCLR is 0x00000003",
        "  what the session set up there is left as it is: end the other agent",
    ] {
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    assert_eq!(ran.stderr.matches("error: ").count(), 1, "{}", ran.stderr);
    let is_written = |event: &String| event.starts_with("W 00fe940");
    assert!(!chip.events()[made..].iter().any(is_written));
    assert!(chip.has_session());
    // The debugger has gone.
    let ran = chip.run("stop", "sim:unclaimed=etf1@1", &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = "warning: etf1: another agent cleared the claim of the session";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!(chip.at_rest(), before);
}

#[test]
fn a_capture_says_what_was_taken_from_it_meanwhile() {
    let out_of = |chip: &Chip| chip.path("out").to_str().expect("text").to_owned();
    let sink = [CORE_0, &["--sink", "etf2"]].concat();
    let chip = Chip::new();
    chip.good("start", "sim", &sink);
    let after = chip.events().len() + 1;
    for (condition, code, is_kept, said) in [
        ("locked=funnel1", 0, true, "closed the lock"),
        ("unclaimed=etm0", 0, true, "cleared the claim"),
        ("stolen=etf1", 5, true, "not undone: etf1.CLAIMCLR"),
        ("stolen=etf2", 5, false, "error: etf2 was not read"),
    ] {
        let chip = Chip::new();
        let out = out_of(&chip);
        let args = [&sink[..], &["--out", &out, "--seconds", "0.001"]].concat();
        let ran = chip.run("capture", &format!("sim:{condition}@{after}"), &args);
        assert_eq!(ran.code, code, "{condition}: {}", ran.stderr);
        let (_, name) = condition.split_once('=').expect("a component");
        let warning = format!("warning: {name}: another agent ");
        assert!(ran.stderr.contains(&warning), "{condition}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{condition}: {}", ran.stderr);
        assert_eq!(chip.path("out").exists(), is_kept, "{condition}");
        assert_eq!(chip.has_session(), code == 5, "{condition}");
        if is_kept {
            let packets = etm4(&["packets", &out]).stdout;
            assert!(packets.lines().count() > 10, "{condition}: {packets}");
        }
    }
}

#[test]
fn a_status_has_the_core_if_it_is_asked_for() {
    let chip = Chip::new();
    assert!(!chip.status().contains("LOST_WORDS"));
    let args = ["--topology", "zynqmp", "--cores"];
    let status = chip.good("status", "sim", &args);
    let line = status.lines().find(|line| line.starts_with("core "));
    let line = line.expect("a line of the core");
    for word in [
        " STATUS=4 ",
        " SOURCE_CONTROL=",
        " LOST_WORDS=0 ",
        " DMASR=1",
    ] {
        assert!(line.contains(word), "no {word} in {line}");
    }
    let writes = |event: &String| event.starts_with('W');
    assert!(!chip.events().iter().any(writes));
}
