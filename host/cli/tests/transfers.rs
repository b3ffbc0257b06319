// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data trace with an invented grammar, and with the public one.

mod common;

use std::fs;
use std::path::Path;

use common::{etm4, good, refused, root};
use coretrace_coresight::{FrameBuilder, TraceId};
use coretrace_data_trace::{Grammar, emit};

const REGISTERS: &str =
    "TRCIDR0 = 0x28000ebf\nTRCIDR1 = 0x4100f403\nTRCIDR2 = 0x488\nTRCCONFIGR = 0x300c7\n";
const KEYS: &str = "TRCIDR9 = 16\nTRCIDR10 = 8\nTRCIDR11 = 2\n";

/// The path of a grammar with payloads that nobody knows of any trace unit.
fn invented() -> String {
    let path = root().join("protocol/data-trace/tests/invented/grammar.toml");
    path.to_str().expect("text").to_owned()
}

/// A-Sync, Trace Info with key 2, atoms with keys 2 and 3, both marks, and an atom with key 4.
fn instructions() -> Vec<u8> {
    let mut bytes = vec![0; 11];
    bytes.extend([0x80, 0x01, 0x03, 0x00, 0x02, 0xF7, 0xF6, 0x23, 0x28, 0xF7]);
    bytes
}

fn data() -> Vec<u8> {
    let grammar =
        Grammar::from_toml(&fs::read_to_string(invented()).expect("a grammar")).expect("a grammar");
    let packets: [(&str, &[(&str, u64)]); 6] = [
        (
            "LONG_ADDRESS",
            &[("C", 1), ("key", 3), ("addr", 0x2000_0010)],
        ),
        ("VALUE", &[("S", 2), ("key", 0), ("value", 0xBEEF)]),
        ("NUMBERED_DATA_SYNC_MARK", &[("N", 3)]),
        ("UNNUMBERED_DATA_SYNC_MARK", &[]),
        ("SHORT_ADDRESS", &[("addr", 0x14)]),
        ("VALUE", &[("S", 1), ("key", 5), ("value", 7)]),
    ];
    let mut bytes = vec![0; 11];
    bytes.push(0x80);
    for (name, fields) in packets {
        emit(&grammar, name, fields, &mut bytes).expect("a packet");
    }
    bytes
}

/// A capture of instructions with trace ID 10 and data with trace ID 11, all in frames.
fn capture(folder: &Path, keys: &str) -> String {
    let mut builder = FrameBuilder::new();
    let mut frames = Vec::new();
    for (id, bytes) in [(0x10, instructions()), (0x11, data())] {
        let id = TraceId::new(id).expect("an ID");
        frames.extend(bytes.iter().filter_map(|byte| builder.push(id, *byte)));
    }
    frames.extend(builder.flush());
    fs::write(folder.join("etb.bin"), frames.concat()).expect("a file");
    let description = format!(
        "name = \"etb\"\nfile = \"etb.bin\"\nformat = \"frames\"\n\n[[source]]\nname = \"ETM\"\nprotocol = \"ETM4\"\n\
         core = \"Cortex-M7\"\ntrace_id = 0x10\n[source.registers]\n{REGISTERS}\n[[source]]\nname = \"ETM data\"\n\
         protocol = \"ETM4DATA\"\ntrace_id = 0x11\n[source.registers]\n{keys}"
    );
    fs::write(folder.join("capture.toml"), description).expect("a file");
    folder.to_str().expect("text").to_owned()
}

#[test]
fn transfers_have_their_parents_and_their_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = capture(folder.path(), KEYS);
    let ran = etm4(&[
        "transfers",
        &path,
        "--grammar",
        &invented(),
        "--format",
        "tsv",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let expected = [
        "0\t11\tA_SYNC",
        "12\t11\tTRANSFER\ttransfer=0\tp0key=3\tp0off=17\tp0atom=0\tkey=0\tindex=0\taddr=0x20000010",
        "18\t11\tVALUE\tkey=0\tvalue=0xbeef\ttransfer=0",
        "22\t11\tMARK\tnumber=3",
        "24\t11\tMARK",
        "25\t11\tTRANSFER\ttransfer=1\tp0key=4\tp0off=20\tp0atom=0\tkey=1\tindex=0\taddr=0x20000014",
        "27\t11\tVALUE\tkey=5\tvalue=0x7",
    ];
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected);
    assert!(
        ran.stderr
            .contains("2 transfers, 0 without a parent; 2 values, 1 without a transfer"),
        "{}",
        ran.stderr
    );
    let json = good(&[
        "transfers",
        &path,
        "--grammar",
        &invented(),
        "--format",
        "json",
    ]);
    let line: serde_json::Value =
        serde_json::from_str(json.lines().nth(1).expect("a line")).expect("JSON");
    assert_eq!(line["schema"], "etm4.transfer.1");
    assert_eq!(
        (&line["addr"], &line["p0off"]),
        (&"0x20000010".into(), &17.into())
    );
}

#[test]
fn the_public_grammar_lists_headers_and_guesses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = capture(folder.path(), "");
    let ran = etm4(&["transfers", &path, "--packets", "--format", "tsv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let expected = ["0\t11\tA_SYNC\tlen=12", "12\t11\tRAW:P1_F1\tlen=18"];
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected);
    assert!(
        ran.stderr
            .contains("18 bytes of data trace could not be read"),
        "{}",
        ran.stderr
    );
    let listed = good(&["transfers", &path, "--packets", "--grammar", &invented()]);
    assert!(
        listed.contains("LONG_ADDRESS") && !listed.contains("RAW"),
        "{listed}"
    );
    refused(&["transfers", &path], &["TRCIDR9", "--packets"]);
}

#[test]
fn what_is_no_data_trace_or_no_grammar_is_refused() {
    let root = root();
    let sort = root.join("testbench/traces/sort-a64");
    refused(&["transfers", sort.to_str().expect("text")], &["ETM4DATA"]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = capture(folder.path(), KEYS);
    let file = folder.path().join("wrong.toml");
    fs::write(&file, "[[packet]]\nname = \"X\"\nmatch = \"1111\"\n").expect("a file");
    let file = file.to_str().expect("text");
    refused(&["transfers", &path, "--grammar", file], &["wrong.toml"]);
}
