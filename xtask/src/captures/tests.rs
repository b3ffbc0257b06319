// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures of small checkouts, with a lister that prints a list beside the snapshot.

use std::fs;
use std::path::{Path, PathBuf};

use coretrace_capture::snapshot::write_snapshot;
use coretrace_capture::{Capture, read_xz_text, sha256_hex};
use coretrace_test_opencsd::Lister;
use coretrace_test_support::python::{Missing, or_skip};
use coretrace_test_support::shared_dir;

use super::conformance::{Captured, Original};
use super::manifest::{Entry, Manifest};
use super::{Options, TESTS, run, snapshots};

const TRACE: [u8; 15] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0xF7];

const LIST: &str = "Using BUFFER as trace source\n\
    Idx:0; ID:0; [0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x80 ];\tI_ASYNC : Alignment Synchronisation.\n\
    Idx:12; ID:0; [0x01 0x00 ];\tI_TRACE_INFO : Trace Info.; INFO=0x0 { CC.0 }\n\
    Idx:14; ID:0; [0xf7 ];\tI_ATOM_F1 : Atom format 1.; E\n\
    ID:0\tEND OF TRACE DATA\n";

const CAPTURE: &str = "name = \"tiny\"\nfile = \"trace.bin\"\nformat = \"raw\"\n\
    [[source]]\nname = \"ETM_0\"\nprotocol = \"ETM4\"\n[source.registers]\n\
    TRCCONFIGR = 1\nTRCIDR0 = 0x28000ea1\nTRCIDR1 = 0x4100f403\nTRCIDR2 = 0x488\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A checkout with one snapshot and its list.
struct Checkout(tempfile::TempDir);

impl Checkout {
    fn new(description: &str, list: &str) -> Checkout {
        let place = tempfile::tempdir().expect("a folder");
        let capture = place.path().join("capture");
        fs::create_dir(&capture).expect("a folder");
        fs::write(capture.join("capture.toml"), description).expect("a file");
        fs::write(capture.join("trace.bin"), TRACE).expect("a file");
        let checkout = Checkout(place);
        write_snapshot(&capture, &checkout.snapshot()).expect("a snapshot");
        fs::write(checkout.snapshot().join("list.txt"), list).expect("a file");
        checkout
    }

    fn snapshot(&self) -> PathBuf {
        self.0.path().join(TESTS).join("snapshots/tiny")
    }

    fn captured(&self) -> Captured {
        let lister = root().join("xtask/src/captures/lister.sh");
        let lister = Lister::open(Some(&lister)).expect("the lister");
        let found = snapshots(self.0.path()).expect("snapshots");
        assert_eq!(found, [self.snapshot()]);
        let out = self.0.path().join("out");
        let captured = Original::new(self.0.path(), &found[0]).capture(&lister, &out);
        let [captured] = captured.try_into().expect("one capture");
        captured
    }
}

#[test]
fn a_snapshot_becomes_a_capture_with_the_list_of_opencsd() {
    let checkout = Checkout::new(CAPTURE, LIST);
    let captured = checkout.captured();
    let Captured::Equal {
        snapshot,
        sha256,
        packets,
        ..
    } = &captured
    else {
        panic!("{}", captured.line());
    };
    assert_eq!(
        (snapshot.as_str(), *packets),
        ("decoder/tests/snapshots/tiny", 3)
    );
    assert_eq!(*sha256, sha256_hex(&TRACE));
    let folder = checkout.0.path().join("out/tiny");
    assert_eq!(Capture::open(&folder).expect("a capture").bytes, TRACE);
    let list = read_xz_text(&folder.join("packets.tsv.xz")).expect("a list");
    assert_eq!(
        list.lines().last(),
        Some("2\t00\tI_ATOM_F1\toff=14\tlen=1\tatoms=E\traw=f7")
    );
}

#[test]
fn a_packet_that_the_model_gives_otherwise_is_reported() {
    let (start, _) = LIST.split_once("Idx:14").expect("the last packet");
    for (list, want) in [
        (LIST.replace("1.; E", "1.; N"), "atoms=N"),
        (
            LIST.replace("f7 ];\tI_ATOM_F1", "f7 ];\tI_ATOM_F2"),
            "I_ATOM_F2",
        ),
        (start.to_owned(), "the end of the list"),
        (
            format!("{LIST}Idx:15; ID:0; [0x04 ];\tI_TRACE_ON : Trace On.\n"),
            "ends before",
        ),
    ] {
        let line = Checkout::new(CAPTURE, &list).captured().line();
        assert!(line.contains(want), "{line}");
    }
}

#[test]
fn a_snapshot_without_a_source_that_is_decoded_is_skipped() {
    let checkout = Checkout::new(&CAPTURE.replace("ETM4", "PTM1.1"), LIST);
    let line = checkout.captured().line();
    assert!(
        line.contains("skipped") && line.contains("ETM_0 (PTM1.1)"),
        "{line}"
    );
    let checkout = Checkout::new(
        CAPTURE,
        "Idx:0; ID:0; [0x04 ];\tI_TRACE_ON : On.; Surprise\n",
    );
    let line = checkout.captured().line();
    assert!(line.contains("line 1 of the list"), "{line}");
}

#[test]
fn a_capture_of_the_manifest_that_is_another_one_is_missing() {
    let captured = [Checkout::new(CAPTURE, LIST).captured()];
    let entry = |packets| Entry {
        snapshot: "decoder/tests/snapshots/tiny".to_owned(),
        sha256: sha256_hex(&TRACE),
        packets,
    };
    let missing = |captures| Manifest { captures }.missing(&captured).len();
    assert_eq!(missing(vec![entry(3)]), 0);
    assert_eq!(missing(vec![entry(4), entry(3)]), 1);
    let mut other = entry(3);
    other.sha256 = sha256_hex(&[]);
    assert_eq!(missing(vec![other]), 1);
}

#[test]
fn a_folder_without_snapshots_is_no_checkout() {
    let place = tempfile::tempdir().expect("a folder");
    let error = snapshots(place.path()).expect_err("nothing is there");
    assert!(format!("{error:#}").contains("is this a checkout of OpenCSD?"));
    let error = Lister::open(Some(&place.path().join("absent"))).expect_err("no program");
    assert!(format!("{error:#}").contains("libopencsd-bin"));
}

#[test]
fn the_manifest_names_the_captures_of_the_corpus() {
    let Some(shared) = shared_dir() else { return };
    for entry in Manifest::open(&root()).expect("the manifest").captures {
        let name = entry.snapshot.rsplit('/').next().expect("a name");
        let folder = shared.join("corpus").join(name);
        let capture = Capture::open(&folder).expect("a capture");
        assert_eq!(sha256_hex(&capture.bytes), entry.sha256, "{name}");
        let list = read_xz_text(&folder.join("packets.tsv.xz")).expect("a list");
        assert_eq!(list.lines().count(), entry.packets, "{name}");
    }
}

#[test]
fn the_installed_lister_lists_the_manifest_as_the_model_does() {
    let installed = Lister::open(None).map_err(|error| Missing(format!("{error:#}")));
    let (Some(shared), Some(_)) = (shared_dir(), or_skip(installed)) else {
        return;
    };
    let place = tempfile::tempdir().expect("a folder");
    for entry in Manifest::open(&root()).expect("the manifest").captures {
        let name = entry.snapshot.rsplit('/').next().expect("a name");
        let snapshot = place.path().join(&entry.snapshot);
        write_snapshot(&shared.join("corpus").join(name), &snapshot).expect("a snapshot");
    }
    let options = Options {
        opencsd: place.path().to_owned(),
        lister: None,
    };
    run(&root(), &place.path().join("target"), &options).expect("every capture is equal");
    // The name of the file that the lister writes unless it is given another one.
    assert!(!Path::new("trc_pkt_lister.ppl").exists());
}
