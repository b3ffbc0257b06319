// SPDX-License-Identifier: MIT OR Apache-2.0
//! `scripts/first-board.sh` on the simulated chip: a row for each step, until one fails.

use std::process::Command;

use crate::chip::Chip;
use crate::common::{PROGRAM, root};

/// Runs the script; its exit code, and command and outcome of each row.
fn first_board(bus: &str, variables: &[(&str, &str)]) -> (Option<i32>, Vec<(String, String)>) {
    let chip = Chip::new();
    let ran = Command::new("sh")
        .args(["scripts/first-board.sh", "zcu104"])
        .current_dir(root())
        .env("ETM4", PROGRAM)
        .env("BUS", bus)
        .env("OUT", chip.path("out"))
        .envs(variables.iter().copied())
        .output()
        .expect("a shell");
    let rows = String::from_utf8(ran.stdout).expect("text");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [board, _, command, outcome] = cells[..] else {
            panic!("{line}")
        };
        assert!(board.contains("Linux "), "{line}");
        let words: Vec<&str> = command.split(' ').skip(2).collect();
        let end = words.iter().position(|word| *word == "--topology");
        let command = words[..end.expect("a topology")].join(" ");
        (command, outcome.trim_end_matches(" |").to_owned())
    };
    (ran.status.code(), rows.lines().map(row).collect())
}

#[test]
fn every_step_on_a_board_has_a_row_with_what_it_showed() {
    let memory = "0x70000000:0x100000";
    let (code, rows) = first_board("sim", &[("MEMORY", memory), ("RING", memory)]);
    assert_eq!(code, Some(0), "{rows:?}");
    let steps: Vec<&str> = rows
        .iter()
        .map(|(command, _)| command.split(" --out").next().expect("a command"))
        .collect();
    assert_eq!(
        steps,
        [
            "status",
            "discover",
            "capture --cpu 0 --sink etf2",
            "capture --cpu 0 --sink etr --memory 0x70000000:0x100000",
            "pattern",
            "capture --cpu 0 --sink core --ring 0x70000000:0x100000",
        ]
    );
    for (command, outcome) in &rows {
        let is_capture = command.starts_with("capture");
        assert_eq!(outcome.contains(" packets, "), is_capture, "{outcome}");
        assert!(outcome.starts_with("exit 0: "), "{outcome}");
    }
}

#[test]
fn the_first_step_on_a_board_that_fails_is_the_last() {
    for (bus, steps, outcome) in [
        (
            "sim:clock-off=debug",
            2,
            "exit 3: error: CRF_APB.DBG_FPD_CTRL is off",
        ),
        ("sim:claimed=etf2", 3, "exit 3: error: etf2.CLAIMCLR is "),
    ] {
        let (code, rows) = first_board(bus, &[]);
        assert_eq!((code, rows.len()), (Some(3), steps), "{rows:?}");
        let (_, last) = &rows[steps - 1];
        assert!(last.starts_with(outcome), "{last}");
    }
}
