// SPDX-License-Identifier: MIT OR Apache-2.0
//! STM and ITM: the program against the lists that OpenCSD 1.8.0 made, and the text of messages.

mod common;
#[cfg(feature = "parquet")]
#[path = "common/parquet_file.rs"]
mod parquet_file;

use std::fs;
use std::path::{Path, PathBuf};

use common::{beside_itm, etm4, good, shared};
use coretrace_capture::read_xz_text;
use coretrace_decode::Policy;
use coretrace_etm::{Kind, Record};
use coretrace_software_trace::{Decoder, ItmConfig, Protocol};
use coretrace_streams::software::{Place, Start, Writer};
#[cfg(feature = "parquet")]
use parquet::file::reader::FileReader;
use tempfile::TempDir;

/// The folders with captures of software trace.
fn folders() -> Vec<PathBuf> {
    let Some(corpus) = shared("corpus-sw") else {
        return Vec::new();
    };
    let entries = fs::read_dir(corpus).expect("the corpus");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    assert!(!folders.is_empty(), "captures of software trace");
    folders
}

/// The rows of a command for each folder are those of its golden list, from this column on.
fn assert_golden(command: &str, column: usize) {
    let from = |text: &str| -> Vec<String> {
        let rows = text.lines().map(|row| row.splitn(column + 1, '\t'));
        rows.map(|mut row| row.nth(column).expect("a column").to_owned())
            .collect()
    };
    for folder in folders() {
        let path = folder.to_str().expect("text");
        let ran = etm4(&[command, path, "--format", "tsv", "--on-error", "opencsd"]);
        assert_eq!(ran.code, 0, "{path}: {}", ran.stderr);
        let golden = read_xz_text(&folder.join(format!("{command}.tsv.xz"))).expect("a list");
        let (listed, golden) = (from(&ran.stdout), from(&golden));
        for (row, want) in listed.iter().zip(&golden) {
            assert_eq!(row, want, "{path}");
        }
        assert_eq!(listed.len(), golden.len(), "{path}");
    }
}

#[test]
fn packets_of_software_trace_are_listed_as_opencsd_lists_them() {
    assert_golden("packets", 0);
}

#[test]
fn elements_of_software_trace_are_listed_as_opencsd_lists_them() {
    assert_golden("elements", 1);
}

/// A sync, "Hi" and a line feed at port 0, "x" at port 1, and a reserved header.
const ITM: [u8; 15] = [
    0, 0, 0, 0, 0, 0x80, 0x02, b'H', b'i', 0x09, b'x', 0x01, b'\n', 0x10, 0x04,
];

/// A capture of an ITM.
fn itm(folder: &Path) -> &str {
    fs::write(folder.join("swo.bin"), ITM).expect("a file");
    let description = "name = \"swo\"\nfile = \"swo.bin\"\nformat = \"raw\"\n\n[[source]]\nname = \"ITM\"\n\
                       protocol = \"ITM\"\ntrace_id = 0x21\n";
    fs::write(folder.join("capture.toml"), description).expect("a file");
    folder.to_str().expect("text")
}

#[test]
fn messages_are_lines_of_each_port_or_the_text_of_one() {
    let folder = TempDir::new().expect("a folder");
    let path = itm(folder.path());
    assert_eq!(good(&["messages", path]), "21 0: Hi\n21 1: x\n");
    assert_eq!(good(&["messages", path, "--channel", "0"]), "Hi\n");
}

#[test]
fn an_error_is_a_record_and_strict_sees_it() {
    let folder = TempDir::new().expect("a folder");
    let path = itm(folder.path());
    let ran = etm4(&["packets", path, "--strict"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("ITM_RESERVED"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("offset 14 (ITM_RESERVED)"),
        "{}",
        ran.stderr
    );
}

/// The software stream that a recorder stores for the bytes of that ITM, each byte in a row of its own.
fn stored() -> Vec<u8> {
    let protocol = Protocol::Itm(ItmConfig::default());
    let mut writer = Writer::new(Start {
        trace_id: 0x21,
        lenient: false,
        protocol,
    });
    let (mut decoder, mut words) = (Decoder::new(protocol, Policy::Resync), Vec::new());
    for (row, byte) in (1..).zip(ITM) {
        let place = Place { row, lane: 2 };
        decoder.feed(&[byte], |record| {
            writer.record(record, place, &mut words);
        });
    }
    let place = Place { row: 99, lane: 0 };
    writer.lost(5, place, &mut words);
    writer.flush(&mut words);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn a_software_stream_is_listed_with_the_places_of_its_records() {
    let folder = TempDir::new().expect("a folder");
    let packets = good(&["packets", itm(folder.path()), "--format", "tsv"]);
    // In a raw stream no source has a trace ID.
    let packets = packets.replace("\t00\t", "\t21\t");
    let path = folder.path().join("itm.words");
    fs::write(&path, stored()).expect("a file");
    let path = path.to_str().expect("text");
    let listed = good(&["records", path, "--format", "tsv"]);
    let rows: Vec<&str> = listed.lines().collect();
    let [start, records @ .., lost] = &rows[..] else {
        panic!("{listed}");
    };
    assert_eq!(
        *start,
        "0\t21\tSTART\tprotocol=ITM\tpolicy=resync\tITM_TCR=0x0"
    );
    assert_eq!(*lost, "7\t21\tLOST\twords=5\trow=99\tlane=0");
    let rows = [6, 9, 11, 13, 14, 15];
    assert_eq!(records.len(), rows.len(), "{listed}");
    for ((record, packet), row) in records.iter().zip(packets.lines()).zip(rows) {
        assert_eq!(*record, format!("{packet}\trow={row}\tlane=2"));
    }
    for (format, end) in [
        ("text", " row=15 lane=2"),
        ("json", ",\"row\":15,\"lane\":2}"),
    ] {
        let listed = good(&["records", path, "--format", format]);
        assert!(listed.lines().any(|line| line.ends_with(end)), "{listed}");
    }
}

#[test]
fn a_software_stream_is_made_of_a_trace() {
    let folder = TempDir::new().expect("a folder");
    let capture = itm(folder.path());
    let path = folder.path().join("made.words");
    let path = path.to_str().expect("text");
    good(&["records", "--make", capture, "--out", path]);
    let made = good(&["records", path, "--format", "tsv"]);
    assert_eq!(made, good(&["records", capture, "--format", "tsv"]));
    let packets = good(&["packets", capture, "--format", "tsv"]);
    let packets = packets.replace("\t00\t", "\t21\t");
    // The place of a record is that of its last byte, in rows of four bytes.
    let places = [(2, 1), (3, 0), (3, 2), (4, 0), (4, 1), (4, 2)];
    let want = packets.lines().zip(places);
    let want = want.map(|(packet, (row, lane))| format!("{packet}\trow={row}\tlane={lane}"));
    let listed: Vec<&str> = made.lines().skip(1).collect();
    assert_eq!(listed, want.collect::<Vec<String>>());
}

#[test]
fn streams_made_of_a_trace_are_merged_in_the_order_of_its_packets() {
    let folder = TempDir::new().expect("a folder");
    let capture = beside_itm(folder.path(), "testbench/traces/adpcm-a32", 5);
    let made = ["21", "30"].map(|id| {
        let path = folder.path().join(id);
        let path = path.to_str().expect("text").to_owned();
        good(&["records", "--make", &capture, "--id", id, "--out", &path]);
        path
    });
    // The trace ID and the name of each packet.
    let of = |text: &str| -> Vec<(String, String)> {
        let column = |line: &str, number| line.split('\t').nth(number).expect("it").to_owned();
        let packets = text.lines().map(|line| (column(line, 3), column(line, 4)));
        packets.collect()
    };
    let merged = good(&["records", &made[0], "--merge", &made[1], "--format", "tsv"]);
    let packets = good(&["packets", &capture, "--merge", "--format", "tsv"]);
    let starts = ["21", "30"].map(|id| (id.to_owned(), "START".to_owned()));
    assert_eq!(of(&merged), [&starts[..], &of(&packets)].concat());
}

/// A record stream of A-Syncs, with the rows where they end if there are any.
fn stored_records(rows: &[Option<u32>]) -> Vec<u8> {
    let start = coretrace_streams::Start {
        trace_id: 0x10,
        ..coretrace_streams::Start::default()
    };
    let (mut writer, mut words) = (coretrace_streams::Writer::new(start), Vec::new());
    for row in rows {
        row.map(|row| writer.place(Place { row, lane: 1 }));
        writer.record(&Record::blank(Kind::Async), &mut words);
    }
    writer.flush(&mut words);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The lists of two streams of a core: of both as one, and of each.
fn merged(rows: &[Option<u32>], format: &str) -> (common::Ran, [String; 2]) {
    let folder = TempDir::new().expect("a folder");
    let paths = ["core.words", "itm.words"].map(|name| folder.path().join(name));
    fs::write(&paths[0], stored_records(rows)).expect("a file");
    fs::write(&paths[1], stored()).expect("a file");
    let [records, software] = [&paths[0], &paths[1]].map(|path| path.to_str().expect("text"));
    let list = etm4(&["records", records, "--merge", software, "--format", format]);
    let of_each = [records, software].map(|path| good(&["records", path, "--format", format]));
    (list, of_each)
}

#[test]
fn two_streams_of_a_core_are_one_list_in_the_order_of_the_port() {
    let rows = [Some(7), None, Some(10), Some(13), Some(200)];
    let (ran, of_each) = merged(&rows, "tsv");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let places: Vec<(u64, &str)> = ran
        .stdout
        .lines()
        .map(|line| {
            let [place, order, id] = [0, 1, 3].map(|column| line.split('\t').nth(column));
            assert_eq!(order, Some("place"));
            (
                place.expect("a place").parse().expect("a number"),
                id.expect("an ID"),
            )
        })
        .collect();
    let want = [
        (0, "10"),
        (0, "21"),
        (26, "21"),
        (29, "10"),
        (29, "10"),
        (38, "21"),
        (41, "10"),
        (46, "21"),
        (53, "10"),
        (54, "21"),
        (58, "21"),
        (62, "21"),
        (396, "21"),
        (801, "10"),
    ];
    assert_eq!(places, want, "{}", ran.stdout);
    // Each line is that of its stream.
    for (of_one, id) in of_each.iter().zip(["10", "21"]) {
        let columns = |line: &str| line.split('\t').skip(1).collect::<Vec<_>>().join("\t");
        let alone = of_one.lines().filter(|line| !line.contains("PLACE"));
        let lines = ran
            .stdout
            .lines()
            .map(|line| line.splitn(3, '\t').nth(2).expect("a line"));
        let lines = lines.map(columns).filter(|line| line.starts_with(id));
        assert!(lines.eq(alone.map(columns)), "{}", ran.stdout);
    }
    let (ran, _) = merged(&rows, "json");
    assert!(
        ran.stdout
            .lines()
            .all(|line| line.starts_with("{\"schema\":\"etm4.merged-record.1\""))
    );
}

#[test]
fn a_record_stream_without_places_is_in_front_and_named() {
    let (ran, _) = merged(&[None; 3], "text");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("no second source"), "{}", ran.stderr);
}

#[test]
fn a_software_stream_with_a_wrong_bit_is_no_stream() {
    let folder = TempDir::new().expect("a folder");
    let mut bytes = stored();
    bytes[20] ^= 1;
    let path = folder.path().join("itm.words");
    fs::write(&path, bytes).expect("a file");
    common::refused(
        &["records", path.to_str().expect("text")],
        &["no whole packet of a software stream"],
    );
}

#[test]
fn the_summary_counts_packets_of_software_trace() {
    let folder = TempDir::new().expect("a folder");
    let text = good(&["info", itm(folder.path())]);
    for word in ["ITM_SWIT", "15 bytes"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn shards_and_checks_are_refused_for_software_trace() {
    let folder = TempDir::new().expect("a folder");
    let path = itm(folder.path());
    common::refused(&["elements", path, "--shard", "0/2"], &["--shard"]);
    common::refused(&["elements", path, "--check"], &["--check"]);
}

#[test]
fn elements_of_software_trace_are_counted() {
    let folder = TempDir::new().expect("a folder");
    let counts = good(&["elements", itm(folder.path()), "--format", "count"]);
    let counts: Vec<Vec<&str>> = counts
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let writes_and_a_time = [
        ["1", "EO_TRACE"],
        ["4", "ITMTRACE"],
        ["2", "NO_SYNC"],
        ["0", "instructions"],
    ];
    assert_eq!(counts, writes_and_a_time);
}

#[cfg(feature = "parquet")]
#[test]
fn packets_of_software_trace_are_rows_of_parquet_files() {
    let folder = TempDir::new().expect("a folder");
    let path = itm(folder.path());
    let out = folder.path().join("packets");
    let place = out.to_str().expect("text");
    let none = good(&["packets", path, "--format", "parquet", "--out", place]);
    assert_eq!(none, "");
    let reader = parquet_file::open(&out.join("id=00/part-0.parquet"));
    let rows = reader.metadata().file_metadata().num_rows() as usize;
    assert_eq!(rows, good(&["packets", path]).lines().count());
}

#[cfg(feature = "parquet")]
#[test]
fn elements_of_software_trace_are_rows_of_parquet_files() {
    use parquet::record::RowAccessor;

    let folder = TempDir::new().expect("a folder");
    let path = itm(folder.path());
    let out = folder.path().join("elements.parquet");
    let place = out.to_str().expect("text");
    good(&["elements", path, "--format", "parquet", "--out", place]);
    let reader = parquet_file::open(&out);
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let column = |name: &str| {
        let at = fields.iter().position(|field| field.name() == name);
        at.expect("a column")
    };
    let (packet, port, data) = (column("packet"), column("port"), column("data"));
    let rows = reader.get_row_iter(None).expect("rows");
    let rows: Vec<_> = rows.map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), good(&["elements", path]).lines().count());
    let written = rows.iter().filter_map(|row| {
        let name = row.get_string(packet).ok()?;
        (name == "ITM_SWIT").then(|| {
            let port = row.get_uint(port).expect("a port");
            (port, row.get_ulong(data).expect("data"))
        })
    });
    let written: Vec<(u32, u64)> = written.collect();
    assert_eq!(written, [(0, 0x6948), (1, b'x'.into()), (0, b'\n'.into())]);
}

#[cfg(feature = "parquet")]
#[test]
fn elements_of_an_etm_and_an_itm_are_counted_and_written_together() {
    let folder = TempDir::new().expect("a folder");
    let trace = common::beside_itm(folder.path(), "testbench/traces/sort-a64", 5);
    let lines = good(&["elements", &trace]).lines().count();
    let counts = good(&["elements", &trace, "--format", "count"]);
    let kinds = counts
        .lines()
        .filter(|line| !line.ends_with("instructions"));
    let numbers = kinds.map(|line| line.split_whitespace().next().expect("a number"));
    let counted: usize = numbers
        .map(|it| it.parse::<usize>().expect("a number"))
        .sum();
    assert_eq!(counted, lines, "{counts}");
    for kind in ["INSTR_RANGE", "ITMTRACE"] {
        assert!(counts.contains(kind), "{counts}");
    }
    let out = folder.path().join("all.parquet");
    let place = out.to_str().expect("text");
    good(&["elements", &trace, "--format", "parquet", "--out", place]);
    let rows = parquet_file::open(&out)
        .metadata()
        .file_metadata()
        .num_rows();
    assert_eq!(rows as usize, lines);
}
