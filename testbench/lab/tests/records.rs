// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 records`: the records that a core stored are listed like the packets of its capture.

#[path = "../../../host/cli/tests/common/mod.rs"]
mod common;

use common::{etm4, etm4_with, good, make_records, refused, store, store_bytes};
use coretrace_abi::record_stream::tag;
use coretrace_etm::{Kind, Record};
use coretrace_streams::{Start, Writer};
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64";
const ADPCM: &str = "testbench/traces/adpcm-a32";

/// Lines of tab-separated columns, without those for the place and the bytes.
fn without_places(listing: &str) -> Vec<String> {
    let is_place = |column: &&str| {
        ["off=", "len=", "raw="]
            .iter()
            .any(|key| column.starts_with(key))
    };
    let strip = |line: &str| {
        let columns: Vec<&str> = line.split('\t').skip(2).filter(|c| !is_place(c)).collect();
        columns.join("\t")
    };
    listing.lines().map(strip).collect()
}

/// The words of a start and of some records, and a loss of 7 words before the last one.
fn small_stream() -> Vec<u32> {
    let mut words = Vec::new();
    let start = Start {
        trace_id: 0x21,
        lenient: true,
        ..Start::default()
    };
    let mut writer = Writer::new(start);
    let event = Record {
        header: 0x7A,
        ..Record::blank(Kind::Event)
    };
    writer.record(&Record::blank(Kind::Async), &mut words);
    writer.lost(7, &mut words);
    writer.record(&event, &mut words);
    writer.flush(&mut words);
    words
}

#[test]
fn records_are_listed_as_the_packets_of_their_capture() {
    let folder = TempDir::new().expect("a folder");
    let mut captures = vec![SORT.to_owned(), ADPCM.to_owned()];
    for set in ["v8m", "ete", "v46-all"] {
        let made = folder.path().join(set).display().to_string();
        good(&["gen", &made, "--set", set, "--packets", "2000"]);
        captures.push(made);
    }
    for capture in captures {
        let packets = good(&["packets", &capture, "--format", "tsv"]);
        let file = make_records(folder.path(), &capture, &[]);
        let records = good(&["records", &file, "--format", "tsv"]);
        let (start, rest) = records.split_once('\n').expect("lines");
        assert!(start.contains("\tSTART\tprotocol=ET"), "{start}");
        assert_eq!(without_places(rest), without_places(&packets), "{capture}");
        for (number, line) in records.lines().enumerate() {
            assert!(
                line.starts_with(&format!("{number}\t")),
                "{capture}: {line}"
            );
        }
    }
}

#[test]
fn starts_and_losses_are_lines_of_their_own() {
    let folder = TempDir::new().expect("a folder");
    let file = store(folder.path(), "small", &small_stream());
    assert_eq!(
        good(&["records", &file]),
        "         0  21  START               protocol=ETM4 v8m=0 policy=lenient explicit=0 \
         filtered=0 TRCCONFIGR=0x0 TRCIDR0=0x0 TRCIDR1=0x0 TRCIDR2=0x0 TRCIDR8=0x0 TRCDEVARCH=0x0\n         \
         1  21  I_ASYNC\n         \
         2  21  LOST                words=7\n         \
         3  21  I_EVENT             events=0xa suspect=1\n"
    );
    let listed = good(&["records", &file, "--format", "json"]);
    let objects = listed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let objects: Vec<Value> = objects.collect();
    for (number, (object, name)) in objects
        .iter()
        .zip(["START", "I_ASYNC", "LOST", "I_EVENT"])
        .enumerate()
    {
        assert_eq!(object["schema"], "etm4.record.1");
        assert_eq!(object["item"], number);
        assert_eq!(object["type"], name);
        assert_eq!(object["id"], 0x21);
        for key in ["off", "len", "raw"] {
            assert!(object.get(key).is_none(), "{object}");
        }
    }
    assert_eq!(objects[0]["policy"], "lenient");
    assert_eq!(objects[2]["words"], 7);
}

#[test]
fn the_core_names_the_exceptions() {
    let folder = TempDir::new().expect("a folder");
    let file = make_records(folder.path(), SORT, &[]);
    let listed = |more: &[&str]| good(&[&["records", &file], more].concat());
    assert!(listed(&[]).contains("exc=IRQ"));
    let of_m7 = listed(&["--core", "Cortex-M7"]);
    assert!(of_m7.contains("exc=PendSV") && !of_m7.contains("exc=IRQ"));
}

#[test]
fn a_packet_that_is_damaged_is_an_item_and_a_warning() {
    let folder = TempDir::new().expect("a folder");
    let mut words = small_stream();
    words.extend([tag::END.into(), 0, 7]);
    words.extend(small_stream());
    // The second packet begins a run of its own, so no number is missing.
    let file = store(folder.path(), "damaged", &words);
    let ran = etm4(&["records", &file]);
    assert_eq!(ran.code, 0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 4 + 1 + 4, "{}", ran.stdout);
    assert!(
        lines[4].ends_with("SKIPPED             bytes=9"),
        "{}",
        lines[4]
    );
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("warning: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("9 bytes are no part"), "{}", ran.stderr);
}

#[test]
fn a_stream_is_read_from_standard_input_wherever_it_begins() {
    let folder = TempDir::new().expect("a folder");
    let file = make_records(folder.path(), SORT, &[]);
    let bytes = std::fs::read(&file).expect("made");
    let whole = good(&["records", &file]);
    let piped = etm4_with(&["records", "-"], &bytes[400..]);
    assert_eq!(piped.code, 0, "{}", piped.stderr);
    let lines: Vec<&str> = piped.stdout.lines().collect();
    for (line, name) in lines.iter().zip(["SKIPPED", "GAP", "SOURCE"]) {
        assert!(line.contains(name), "{line}");
    }
    let strip = |line: &str| line.get(10..).unwrap_or_default().to_owned();
    let rest: Vec<String> = lines[3..].iter().map(|line| strip(line)).collect();
    let all: Vec<String> = whole.lines().map(strip).collect();
    assert!(rest.len() > 1000 && all.ends_with(&rest));
    assert!(
        piped.stderr.contains("1 packets are missing"),
        "{}",
        piped.stderr
    );
}

#[test]
fn a_file_that_was_cut_is_a_warning() {
    let folder = TempDir::new().expect("a folder");
    let mut bytes: Vec<u8> = small_stream()
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect();
    bytes.extend([1, 2, 3]);
    let file = store_bytes(folder.path(), "mid-word", &bytes);
    let ran = etm4(&["records", &file]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 5));
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("3 bytes are no part"), "{}", ran.stderr);
}

#[test]
fn wrong_use_is_one_error_that_says_what_to_do() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out").display().to_string();
    let nowhere = folder.path().join("no/out").display().to_string();
    for (args, words) in [
        (&["records"][..], &["<FILE>"][..]),
        (
            &["records", "no-such-file"],
            &["no-such-file", "is the name right"],
        ),
        (&["records", "testbench"], &["capture.toml"]),
        (
            &["records", "README.md"],
            &["README.md", "is text and no trace"],
        ),
        (&["records", "--make", SORT], &["--out"]),
        (
            &["records", "--make", SORT, "--out", &nowhere],
            &["cannot write"],
        ),
        (
            &["records", "--make", "no-such", "--out", &out],
            &["no-such"],
        ),
        (
            &[
                "records",
                "--make",
                "testbench/traces/framed",
                "--out",
                &out,
            ],
            &["--id", "10, 21"],
        ),
    ] {
        refused(args, words);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_bytes_are_read_to_their_end_or_refused(
        begun: bool,
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
    ) {
        let mut all = Vec::new();
        if begun {
            all.extend(small_stream().into_iter().flat_map(u32::to_le_bytes));
        }
        all.extend(bytes);
        let folder = TempDir::new().expect("a folder");
        let file = store_bytes(folder.path(), "any", &all);
        for format in ["text", "tsv", "json"] {
            let ran = etm4(&["records", &file, "--format", format]);
            prop_assert!(matches!(ran.code, 0 | 2), "{}", ran.stderr);
            let errors = ran.stderr.lines().filter(|line| line.starts_with("error: "));
            prop_assert_eq!(errors.count(), usize::from(ran.code == 2), "{}", ran.stderr);
            prop_assert!(ran.stderr.lines().count() <= 2, "{}", ran.stderr);
        }
    }
}
