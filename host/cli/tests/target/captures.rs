// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures of the simulated chip: its cores do what a recording has, and the capture gives what the
//! recording gives.

use std::fs;

use crate::chip::{CORE_0, Chip, follow};
use crate::common::{etm4, good, make_records, refused};

/// What the cores do, with a return stack.
const RECORDING: &str = "testbench/traces/sort-a64";
/// The simulated chip that does it.
pub const BUS: &str = "sim:trace=testbench/traces/sort-a64";

/// Makes a capture; its path.
pub fn capture(chip: &Chip, bus: &str, more: &[&str]) -> String {
    let out = chip.path("out").to_str().expect("text").to_owned();
    let args = [&["--topology", "zynqmp", "--out", &out], more].concat();
    chip.good("capture", bus, &args);
    assert!(!chip.has_session());
    out
}

/// The packets of a trace without trace IDs.
fn packets(trace: &str, more: &[&str]) -> Vec<String> {
    let text = good(&[&["packets", trace], more].concat());
    let (offset, id) = (10, "  00");
    let without = |line: &str| format!("{}{}", &line[..offset], &line[offset + id.len()..]);
    text.lines().map(without).collect()
}

#[test]
fn a_capture_at_the_port_or_in_memory_gives_the_golden_results() {
    for sink in [
        &["--sink", "tpiu"][..],
        &["--sink", "etr", "--memory", "0x6B300000:0x100000"],
        &["--sink", "etf2"],
    ] {
        let chip = Chip::new();
        let out = capture(&chip, BUS, &[&["--cpu", "0", "--rs"], sink].concat());
        assert_eq!(packets(&out, &[]), packets(RECORDING, &[]), "{sink:?}");
        for command in ["flow", "profile"] {
            let [found, golden] = [&out[..], RECORDING].map(|trace| good(&[command, trace]));
            let [found, golden] = [(found, &out[..]), (golden, RECORDING)]
                .map(|(text, trace)| text.replace(trace, "").replace("ID 10  ", ""));
            assert!(found.lines().count() > 5, "{found}");
            assert_eq!(found, golden, "{sink:?} {command}");
        }
    }
}

#[test]
fn a_buffer_that_wraps_has_the_end_of_the_trace_and_says_so() {
    let chip = Chip::new();
    let out = chip.path("out").to_str().expect("text").to_owned();
    let bus = format!("{BUS},size=etf2@2048");
    let args = ["--topology", "zynqmp", "--out", &out, "--cpu", "0", "--rs"];
    let ran = chip.run("capture", &bus, &[&args, &["--sink", "etf2"][..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let note = "note: etf2 was full: the capture has the last 8192 bytes of the trace";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    assert_eq!(
        fs::metadata(chip.path("out/trace.bin"))
            .expect("a trace")
            .len(),
        8192
    );
    // Packets by name and fields: what is compressed against older trace is exact after a while.
    let listed = |trace: &str| -> Vec<String> {
        let offset = 10;
        let lines = packets(trace, &[]).into_iter();
        lines.map(|line| line[offset..].to_owned()).collect()
    };
    let (found, golden) = (listed(&out), listed(RECORDING));
    let pairs = found.iter().rev().zip(golden.iter().rev());
    let common = pairs.take_while(|(a, b)| a == b).count();
    assert!(found.len() > 1000 && golden.len() > found.len());
    assert!(2 * common > found.len(), "{common} of {}", found.len());
}

/// Memory for the records of a core.
pub const RING: &str = "0x70000000:0x20000";

#[test]
fn the_records_of_a_core_are_those_of_the_recording() {
    let chip = Chip::new();
    let more = ["--cpu", "0", "--rs", "--sink", "core", "--ring", RING];
    let out = capture(&chip, BUS, &more);
    let made = make_records(&chip.path(""), RECORDING, &[]);
    // The first line has TRCDEVARCH, which the recording does not have.
    let lines = |path: &str| -> Vec<String> {
        let text = good(&["records", path]);
        text.lines().skip(1).map(str::to_owned).collect()
    };
    let found = lines(&format!("{out}/records.words"));
    assert!(found.len() > 10_000, "{} records", found.len());
    assert_eq!(found, lines(&made));
    // The session began as its plan says.
    let stored = |name: &str| fs::read_to_string(chip.path("out").join(name)).expect(name);
    let steps = stored("plan.jsonl");
    let steps: Vec<_> = steps
        .lines()
        .map(|line| serde_json::from_str(line).expect("a step"))
        .collect();
    let log: Vec<String> = stored("access.log").lines().map(str::to_owned).collect();
    let left = follow(&steps, &log);
    assert!(
        (60..250).contains(&left.len()),
        "{} accesses of the stop",
        left.len()
    );
    let counters = fs::read_to_string(chip.path("out/counters.jsonl")).expect("counters");
    let last = counters.lines().last().expect("counters");
    assert!(
        last.contains("\"LOST_WORDS\":0") && !last.contains("\"FRAMES\":0"),
        "{last}"
    );
    // The folder is a trace for those who want records, and says what was counted.
    assert_eq!(lines(&out), found);
    assert_eq!(good(&["packets", &out]), good(&["records", &out]));
    let info = good(&["info", &out]);
    assert!(info.contains("the core counted FRAMES "), "{info}");
    assert!(
        info.contains("\n      19532 packets, 13 A-Syncs\n"),
        "{info}"
    );
    assert!(!info.contains("damage"), "{info}");
    let description = stored("capture.toml");
    let (head, after) = description
        .split_once("[counters.after]")
        .expect("counters");
    let after = after.replace("LOST_WORDS = 0", "LOST_WORDS = 7");
    let path = chip.path("out/capture.toml");
    fs::write(path, format!("{head}[counters.after]{after}")).expect("written");
    let info = good(&["info", &out]);
    let loss = "damage: 7 words of the trace port were lost while the core captured";
    assert!(info.contains(loss), "{info}");
}

#[test]
fn a_capture_of_a_core_says_with_what_its_addresses_get_names() {
    let chip = Chip::new();
    let more = ["--cpu", "0", "--rs", "--sink", "core", "--ring", RING];
    let out = capture(&chip, BUS, &more);
    let with_elf = format!("`etm4 profile {out} --elf FILE");
    refused(&["flow", &out], &[&with_elf, "--sink etf2"]);
    let page = chip.path("page.html");
    let page = page.to_str().expect("text");
    refused(&["report", &out, "--out", page], &[&with_elf]);
    let named = |more: &[&str]| etm4(&[&["profile", &out], more].concat());
    let (bare, program) = (
        named(&[]),
        named(&["--elf", &format!("{RECORDING}/sort.elf")]),
    );
    assert_eq!((bare.code, program.code), (0, 0), "{}", bare.stderr);
    assert!(
        bare.stderr.contains("--elf FILE names them"),
        "{}",
        bare.stderr
    );
    assert_eq!(program.stderr, "");
    let has_name = |text: &str| text.contains("sort.c:");
    assert!(has_name(&program.stdout) && !has_name(&bare.stdout));
}

#[test]
fn a_dma_that_fails_cuts_the_records_and_is_named() {
    let golden = Chip::new();
    let more = ["--cpu", "0", "--rs", "--sink", "core", "--ring", RING];
    let golden = good(&["records", &capture(&golden, BUS, &more)]);
    for packets in [0, 3] {
        let chip = Chip::new();
        let out = chip.path("out").to_str().expect("text").to_owned();
        let args = [&["--topology", "zynqmp", "--out", &out], &more[..]].concat();
        let ran = chip.run("capture", &format!("{BUS},dma-fails=core@{packets}"), &args);
        assert_eq!(ran.code, 4, "{}", ran.stderr);
        assert!(
            ran.stderr
                .contains("error: the DMA stopped with an error: DMASR is 0x00000101"),
            "{}",
            ran.stderr
        );
        assert!(!chip.has_session());
        let records = etm4(&["records", &out]).stdout;
        assert!(golden.starts_with(&records), "{packets} packets");
        assert!(records.len() < golden.len());
        assert_eq!(records.is_empty(), packets == 0);
        let is_empty = ran.stderr.contains("warning: the capture is empty");
        assert_eq!(is_empty, packets == 0, "{}", ran.stderr);
    }
}

#[test]
fn a_port_of_which_nothing_arrives_fails_by_the_counters_of_the_core() {
    let chip = Chip::new();
    let out = chip.path("out").to_str().expect("text").to_owned();
    let args = [
        CORE_0,
        &["--rs", "--sink", "core", "--ring", RING, "--out", &out],
    ]
    .concat();
    let ran = chip.run("capture", &format!("{BUS},no-port=core"), &args);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let error = "error: no frame of tpiu arrived at the core: FRAMES is still 0, and SYNC_ACQUISITIONS is still 0";
    assert!(ran.stderr.contains(error), "{}", ran.stderr);
    assert!(!chip.has_session());
    let info = etm4(&["info", &out]);
    assert!(info.stdout.contains("the core counted"), "{}", info.stdout);
    assert!(!info.stdout.contains("has not ended"), "{}", info.stdout);
}

#[test]
fn a_full_ring_is_in_the_counters_in_the_stream_and_in_what_is_said() {
    let golden = Chip::new();
    let more = ["--cpu", "0", "--rs", "--sink", "core", "--ring", RING];
    let golden = good(&["records", &capture(&golden, BUS, &more)]);
    let chip = Chip::new();
    let out = chip.path("out").to_str().expect("text").to_owned();
    let args = [&["--topology", "zynqmp", "--out", &out], &more[..]].concat();
    let ran = chip.run("capture", &format!("{BUS},ring-full=core@2400"), &args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let counters = fs::read_to_string(chip.path("out/counters.jsonl")).expect("counters");
    let last: serde_json::Value =
        serde_json::from_str(counters.lines().last().expect("counters")).expect("an object");
    let lost = last["LOST_WORDS"].as_u64().expect("a count");
    assert!(lost > 100, "{lost}");
    let said = format!("warning: core lost {lost} words of the trace port");
    assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    let info = good(&["info", &out]);
    let said = format!("damage: {lost} words of the trace port were lost while the core captured");
    assert!(info.contains(&said), "{info}");
    // The stream has the loss once, what is before it, and exactly what follows an A-Sync behind it.
    let ran = etm4(&["records", &out]);
    let found: Vec<&str> = ran.stdout.lines().collect();
    let losses: Vec<usize> = (0..found.len())
        .filter(|&n| found[n].contains("LOST"))
        .collect();
    let [loss] = losses[..] else {
        panic!("{losses:?} in {}", found.len())
    };
    assert!(
        found[loss].contains(&format!("words={lost}")),
        "{}",
        found[loss]
    );
    let golden: Vec<&str> = golden.lines().collect();
    let same = golden
        .iter()
        .zip(&found)
        .take_while(|(a, b)| a == b)
        .count();
    assert!(same > 1000 && same <= loss, "{same} of {loss}");
    let named = |line: &str| line[10..].to_owned();
    let ends = golden.iter().rev().zip(found.iter().rev());
    let same = ends.take_while(|(a, b)| named(a) == named(b)).count();
    assert!(
        same > 1000 && same < found.len() - loss,
        "{same} behind {loss}"
    );
}

#[cfg(unix)]
#[test]
fn records_of_a_core_are_stored_as_they_come() {
    let chip = Chip::new();
    let [out, seen] =
        ["out", "seen"].map(|name| chip.path(name).to_str().expect("text").to_owned());
    let script = "for i in $(seq 1000); do [ -s \"$0\" ] && touch \"$1\" && exit; sleep 0.01; done";
    let records = format!("{out}/records.words");
    let args = [
        &["--topology", "zynqmp", "--out", &out][..],
        &["--cpu", "0", "--rs", "--sink", "core", "--ring", RING],
        &["--", "sh", "-c", script, &records, &seen],
    ];
    let ran = chip.run("capture", BUS, &args.concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(chip.path("seen").exists(), "no records while it captures");
}

#[test]
fn a_core_is_captured_with_memory_and_one_source_only() {
    let refuse = |command: &str, more: &[&str], words: &[&str]| {
        let args = [
            "target",
            command,
            "--bus",
            "sim",
            "--topology",
            "zynqmp",
            "--sink",
            "core",
        ];
        refused(&[&args, more].concat(), words);
    };
    let out = ["--out", "/nowhere/out"];
    refuse(
        "capture",
        &[&["--cpu", "0"], &out[..]].concat(),
        &["--ring"],
    );
    refuse(
        "capture",
        &[&["--cpu", "0,1", "--ring", RING], &out[..]].concat(),
        &["one source"],
    );
    refuse(
        "capture",
        &[&["--cpu", "0", "--ring", "1:2"], &out[..]].concat(),
        &["multiple of 64"],
    );
    refuse(
        "start",
        &["--cpu", "0", "--ring", RING],
        &["target capture"],
    );
}

#[test]
fn several_cores_are_captured_with_a_trace_id_each() {
    let chip = Chip::new();
    let out = capture(&chip, BUS, &["--cpu", "0,2,3", "--rs"]);
    let golden = packets(RECORDING, &[]);
    for id in ["0x10", "0x11", "0x12"] {
        assert_eq!(packets(&out, &["--id", id]), golden, "{id}");
    }
}

#[test]
fn the_registers_of_a_capture_are_those_read_from_the_trace_unit() {
    let chip = Chip::new();
    let more = ["--cpu", "1", "--cc", "64", "--ts", "--seconds", "0.001"];
    let out = capture(&chip, "sim", &more);
    let text = fs::read_to_string(chip.path("out/capture.toml")).expect("a description");
    for line in [
        "name = \"etm1\"",
        "trace_id = 0x10",
        "TRCCONFIGR = 0x811",
        "TRCDEVARCH = 0x47704a13",
        "TRCIDR0 = 0x28000ea1",
        "TRCIDR1 = 0x4100f403",
        "TRCIDR2 = 0x488",
        "TRCIDR8 = 0x0",
        "TRCTRACEIDR = 0x10",
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "no {line} in {text}"
        );
    }
    assert!(packets(&out, &["--id", "0x10"]).len() > 100);
    // The log has the accesses of start and stop, and nobody else reads the folder.
    let log = fs::read_to_string(chip.path("out/access.log")).expect("a log");
    let accesses = chip
        .events()
        .iter()
        .filter(|event| !event.starts_with('T'))
        .count();
    assert_eq!(log.lines().count(), accesses);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(chip.path("out"))
            .expect("a folder")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[test]
fn a_capture_that_cannot_begin_leaves_no_folder() {
    let chip = Chip::new();
    let out = chip.path("out");
    let args = [CORE_0, &["--out", out.to_str().expect("text")]].concat();
    let ran = chip.run("capture", "sim:claimed=etf2", &args);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(!out.exists());
    // A session that runs, even the same one.
    let chip = Chip::new();
    let out = chip.path("out");
    let args = [CORE_0, &["--out", out.to_str().expect("text")]].concat();
    chip.good("start", "sim", CORE_0);
    let ran = chip.run("capture", "sim", &args);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("target stop"), "{}", ran.stderr);
    assert!(!out.exists());
    chip.good("stop", "sim", &[]);
    fs::create_dir(&out).expect("made");
    let ran = chip.run("capture", "sim", &args);
    assert_eq!(
        (ran.code, ran.stderr.contains("cannot make")),
        (2, true),
        "{}",
        ran.stderr
    );
    let several = etm4(&[
        "target",
        "capture",
        "--bus",
        "sim",
        "--topology",
        "zynqmp",
        "--cpu",
        "0",
        "--sink",
        "tpiu,etf2",
        "--out",
        "x",
    ]);
    assert_eq!(several.code, 2, "{}", several.stderr);
}

#[test]
fn a_recording_that_was_made_otherwise_is_warned_of() {
    let chip = Chip::new();
    let out = chip.path("out");
    let args = [CORE_0, &["--out", out.to_str().expect("text")]].concat();
    for sink in [&["--sink", "etf2"][..], &["--sink", "core", "--ring", RING]] {
        let ran = chip.run("capture", BUS, &[&args[..], sink].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("warning: etm0") && ran.stderr.contains("0x1001"),
            "{}",
            ran.stderr
        );
        fs::remove_dir_all(&out).expect("removed");
    }
}
