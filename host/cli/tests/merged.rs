// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 packets --merge`: the packets of all sources of a port as one list.

mod common;

use std::collections::BTreeSet;

use common::{beside_itm, good, refused};
use tempfile::TempDir;

/// Two ETMs in frames.
const FRAMED: &str = "testbench/traces/framed";
/// An ETM alone.
const ADPCM: &str = "testbench/traces/adpcm-a32";

/// A row of a merged list.
struct Row<'t> {
    place: u64,
    order: &'t str,
    /// The row as in the list of its source.
    packet: &'t str,
}

fn rows(text: &str) -> Vec<Row<'_>> {
    let row = |line| {
        let mut columns = str::splitn(line, 3, '\t');
        let mut next = || columns.next().expect("a column");
        Row {
            place: next().parse().expect("a place"),
            order: next(),
            packet: next(),
        }
    };
    text.lines().map(row).collect()
}

/// The trace ID of a row of a list.
fn id(packet: &str) -> &str {
    packet.split('\t').nth(1).expect("a trace ID")
}

/// The rows of a list, source after source.
fn by_source<'t>(packets: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
    let mut packets: Vec<&str> = packets.into_iter().collect();
    packets.sort_by_key(|packet| id(packet));
    packets
}

#[test]
fn a_merged_list_has_the_packets_of_the_lists_of_its_sources() {
    let folder = TempDir::new().expect("a folder");
    let beside = beside_itm(folder.path(), ADPCM, 5);
    for capture in [FRAMED, &beside] {
        let list = good(&["packets", capture, "--format", "tsv"]);
        let merged = good(&["packets", capture, "--format", "tsv", "--merge"]);
        let merged = rows(&merged);
        let packets = merged.iter().map(|row| row.packet);
        assert_eq!(by_source(packets), by_source(list.lines()), "{capture}");
        assert!(merged.iter().all(|row| row.order == "place"), "{capture}");
        assert!(merged.is_sorted_by_key(|row| row.place), "{capture}");
        let changes = merged
            .windows(2)
            .filter(|two| id(two[0].packet) != id(two[1].packet));
        assert!(changes.count() > 1, "{capture}");
    }
}

#[test]
fn sources_of_one_clock_are_merged_by_their_timestamps() {
    let args = [
        "packets",
        FRAMED,
        "--format",
        "tsv",
        "--merge",
        "--common-clock",
        "10,21",
    ];
    let merged = good(&args);
    let orders: BTreeSet<&str> = rows(&merged).iter().map(|row| row.order).collect();
    assert_eq!(orders, BTreeSet::from(["place", "time"]));
}

#[test]
fn an_object_of_a_merged_list_holds_that_of_the_list_of_its_source() {
    let list = good(&[
        "packets", FRAMED, "--format", "json", "--id", "10", "--limit", "50",
    ]);
    let merged = good(&[
        "packets", FRAMED, "--format", "json", "--merge", "--id", "10", "--limit", "50",
    ]);
    assert_eq!(merged.lines().count(), 50);
    for (line, merged) in list.lines().zip(merged.lines()) {
        let packet: serde_json::Value = serde_json::from_str(line).expect("an object");
        let merged: serde_json::Value = serde_json::from_str(merged).expect("an object");
        assert_eq!(merged["packet"], packet);
        assert_eq!(merged["schema"], "etm4.merged-packet.1");
        assert_eq!(merged["order"], "place");
        assert!(merged["place"].is_u64());
    }
}

#[test]
fn a_merged_list_for_people_shows_place_and_order_first() {
    let text = good(&[
        "packets", FRAMED, "--merge", "--kind", "I_ASYNC", "--limit", "1",
    ]);
    let words: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(words[1], "place", "{text}");
    assert_eq!(words[4], "I_ASYNC", "{text}");
}

#[test]
fn what_cannot_be_merged_is_refused() {
    let merge = ["packets", FRAMED, "--merge"];
    let with = |more: &[&'static str]| [&merge[..], more].concat();
    refused(
        &with(&["--common-clock", "10,33"]),
        &["33", "--common-clock"],
    );
    refused(
        &with(&["--format", "parquet", "--out", "x"]),
        &["--merge", "Parquet"],
    );
    refused(&["packets", FRAMED, "--common-clock", "10"], &["--merge"]);
}
