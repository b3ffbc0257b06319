// SPDX-License-Identifier: MIT OR Apache-2.0
//! The system trace of software as a source of sessions and captures.

use std::fs;

use crate::captures::{BUS, RING, capture};
use crate::chip::Chip;
use crate::common::{good, refused};

#[test]
fn a_capture_of_an_stm_has_what_a_program_wrote_beside_a_core() {
    for sink in ["etf2", "tpiu"] {
        let chip = Chip::new();
        let more = [
            "--cpu",
            "0",
            "--source",
            "stm",
            "--rs",
            "--seconds",
            "0.1",
            "--sink",
            sink,
        ];
        let out = capture(&chip, BUS, &more);
        let listed = good(&["packets", &out]);
        // The source with the lower place in the topology has the first trace ID.
        let of = |id: &'static str| listed.lines().filter(move |line| line[10..14].contains(id));
        let numbers: Vec<u64> = of("10")
            .filter(|line| line.contains(" D32 "))
            .filter_map(|line| line.split_once(" data=0x")?.1.split(' ').next())
            .map(|data| u64::from_str_radix(data, 16).expect("data"))
            .collect();
        assert!(numbers.len() > 1000, "{sink}: {}", numbers.len());
        assert!(numbers.is_sorted(), "{sink}");
        assert!(of("11").count() > 1000, "{sink}");
        let described = fs::read_to_string(chip.path("out/capture.toml")).expect("a description");
        for line in [
            "name = \"stm\"\nprotocol = \"STM\"",
            "name = \"etm0\"\nprotocol = \"ETM4\"",
        ] {
            assert!(described.contains(line), "no {line} in {described}");
        }
    }
}

#[test]
fn a_session_of_an_stm_alone_needs_no_core_and_its_status_is_read() {
    let chip = Chip::new();
    let args = ["--topology", "zynqmp", "--source", "stm", "--sink", "etr"];
    let args = [&args[..], &["--memory", "0x6B300000:0x100000", "--ts"]].concat();
    let said = chip.good("start", "sim", &args);
    assert_eq!(said, "stm has trace ID 0x10\n");
    let running = chip.status();
    let line = running.lines().find(|line| line.starts_with("stm "));
    let line = line.expect("a state");
    assert!(
        line.contains("TCSR=900007") && line.contains("SPER=FFFFFFFF"),
        "{line}"
    );
    chip.good("stop", "sim", &[]);
    let stopped = chip.status();
    let line = stopped.lines().find(|line| line.starts_with("stm "));
    let line = line.expect("a state");
    assert!(line.contains(" CLAIMCLR=0 TCSR=100006 "), "{line}");
    assert!(!chip.has_session());
    let core = [&args[..4], &["--sink", "core", "--ring", RING]].concat();
    refused(
        &[&["target", "plan"], &core[..]].concat(),
        &["none is a source"],
    );
    refused(
        &[
            "target",
            "plan",
            "--topology",
            "zynqmp",
            "--source",
            "stm",
            "--bb",
        ],
        &["trace units"],
    );
}
