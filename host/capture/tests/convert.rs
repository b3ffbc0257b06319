// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conversion between snapshots and capture folders.

use std::fs;
use std::path::{Path, PathBuf};

use coretrace_capture::Capture;
use coretrace_capture::snapshot::{Snapshot, write_capture, write_snapshot};

const TWO_BUFFERS: &str = "[device_list]\na=snapshot.ini\n[trace]\nmetadata=snapshot.ini\n\
    [device]\nname=E\nclass=trace_source\ntype=ETM4\n\
    [regs]\nTRCTRACEIDR=0x10\nTRCCONFIGR=1\nTRCIDR0=0x28000EA1\nTRCIDR1=0x4100F403\nTRCIDR2=0x488\n\
    [dump1]\nfile=a.bin\naddress=0x1000\n[dump2]\nfile=a.bin\naddress=0x2000\noffset=2\n\
    [trace_buffers]\nbuffers=b,d\n[b]\nname=ETB_0\nfile=a.bin,b.bin\nformat=source_data\n\
    [d]\nname=PORT 1\nfile=c.bin\nformat=coresight\n[source_buffers]\nE=ETB_0,PORT 1\n";

/// A folder with a snapshot of two buffers.
fn two_buffers(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("snapshot.ini"), text).unwrap();
    for (name, bytes) in [
        ("a.bin", &[1; 3][..]),
        ("b.bin", &[2; 5]),
        ("c.bin", &[0; 32]),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

#[test]
fn each_buffer_of_a_snapshot_becomes_a_capture() {
    let folder = two_buffers(TWO_BUFFERS);
    let snapshot = Snapshot::open(folder.path()).unwrap();
    let out = folder.path().join("out");
    let folders = write_capture(&snapshot, &out).unwrap();
    assert_eq!(folders, [out.join("ETB_0"), out.join("PORT 1")]);
    let raw = Capture::open(&folders[0]).unwrap();
    assert_eq!(raw.bytes, [1, 1, 1, 2, 2, 2, 2, 2]);
    let frames = Capture::open(&folders[1]).unwrap();
    assert_eq!(frames.format.to_string(), "frames");
    assert_eq!(frames.sources[0].trace_id, Some(0x10));
    for folder in folders {
        assert_eq!(fs::read(folder.join("image0.bin")).unwrap(), [1; 3]);
        assert!(!folder.join("image1.bin").exists(), "one copy of a file");
    }
}

#[test]
fn a_port_without_a_probe_is_found_in_a_buffer_for_a_probe() {
    let text = TWO_BUFFERS.replace("format=coresight", "format=dstream_coresight");
    let folder = two_buffers(&text);
    let format = || {
        let snapshot = Snapshot::open(folder.path()).unwrap();
        let out = tempfile::tempdir().unwrap();
        let folders = write_capture(&snapshot, &out.path().join("out")).unwrap();
        Capture::open(&folders[1]).unwrap().format.to_string()
    };
    assert_eq!(format(), "dstream");
    let frame = [&[0xFF, 0xFF, 0xFF, 0x7F][..], &[0; 16]].concat();
    fs::write(folder.path().join("c.bin"), frame.repeat(4)).unwrap();
    assert_eq!(format(), "tpiu-fsync");
}

#[test]
fn nothing_is_overwritten() {
    let folder = two_buffers(TWO_BUFFERS);
    let snapshot = Snapshot::open(folder.path()).unwrap();
    let out = folder.path().join("out");
    write_capture(&snapshot, &out).unwrap();
    let error = write_capture(&snapshot, &out).unwrap_err();
    assert!(error.to_string().contains("does not exist"), "{error:#}");
    let capture = out.join("ETB_0");
    let error = write_snapshot(&capture, folder.path()).unwrap_err();
    assert!(error.to_string().contains("does not exist"), "{error:#}");
}

#[test]
fn a_buffer_whose_name_is_a_path_is_refused() {
    for name in ["../x", "/x", ".x", "a/b", "a\\b"] {
        let folder = two_buffers(&TWO_BUFFERS.replace("PORT 1", name));
        let snapshot = Snapshot::open(folder.path()).unwrap();
        let error = write_capture(&snapshot, &folder.path().join("out")).unwrap_err();
        assert!(error.to_string().contains("rename it"), "{error:#}");
    }
}

/// A capture folder with this description.
fn capture(toml: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("capture");
    fs::create_dir(&capture).unwrap();
    fs::write(capture.join("capture.toml"), toml).unwrap();
    fs::write(capture.join("trace.bin"), [0; 16]).unwrap();
    let snapshot = folder.path().join("snapshot");
    (folder, snapshot)
}

const FRAMED: &str = "name = \"x\"\nfile = \"trace.bin\"\nformat = \"frames\"\n\
    [[source]]\nname = \"PTM_0\"\nprotocol = \"PTM\"\ntrace_id = 0x11\n\
    [[source]]\nname = \"E\"\nprotocol = \"ETE\"\ntrace_id = 0x12\n";

#[test]
fn a_trace_id_without_its_register_is_written_into_the_register() {
    let (folder, path) = capture(FRAMED);
    let left_out = write_snapshot(&folder.path().join("capture"), &path).unwrap();
    assert_eq!(left_out, [""; 0]);
    let snapshot = Snapshot::open(&path).unwrap();
    let ids: Vec<_> = snapshot.buffers[0]
        .sources
        .iter()
        .map(|s| s.trace_id)
        .collect();
    assert_eq!(ids, [Some(0x11), Some(0x12)]);
}

#[test]
fn what_a_snapshot_cannot_say_is_reported_or_refused() {
    let image = "[[memory]]\nfile = \"trace.bin\"\naddress = 0\ncid = 7\n";
    let (folder, path) = capture(&(FRAMED.replace("PTM", "XTM") + image));
    let left_out = write_snapshot(&folder.path().join("capture"), &path).unwrap();
    assert_eq!(left_out.len(), 2, "{left_out:?}");
    for name in ["a=b", "a;b", " a", "[a]", "a\\nb"] {
        let (folder, path) = capture(&FRAMED.replace("PTM_0", name));
        let error = write_snapshot(&folder.path().join("capture"), &path).unwrap_err();
        assert!(error.to_string().contains("INI file"), "{name}: {error:#}");
    }
    let (folder, path) = capture(&(FRAMED.to_owned() + &image.replace("trace.bin", "../x")));
    let error = write_snapshot(&folder.path().join("capture"), &path).unwrap_err();
    assert!(error.to_string().contains("inside the folder"), "{error:#}");
    let error = write_snapshot(Path::new("absent"), &path).unwrap_err();
    assert!(error.to_string().contains("cannot read"), "{error:#}");
}
