// SPDX-License-Identifier: MIT OR Apache-2.0
//! CoreSight snapshots of the corpus against its captures and lists. The script of the corpus makes
//! them, and so does the capture crate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use coretrace_capture::snapshot::{Snapshot, write_capture, write_snapshot};
use coretrace_capture::{
    Capture, Description, decode_in_model, read_xz, read_xz_text, source_streams,
};
use coretrace_decode::Policy;
use coretrace_listing::Line;
use coretrace_test_support::python::{or_skip, output};
use coretrace_test_support::{golden_rows, shared_dir};
use serde::Deserialize;

/// The folders of the corpus.
fn corpus() -> Vec<PathBuf> {
    let Some(shared) = shared_dir() else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = fs::read_dir(shared.join("corpus"))
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .filter(|folder| folder.join("capture.toml").exists())
        .collect();
    folders.sort();
    assert!(folders.len() > 20, "{} captures", folders.len());
    folders
}

fn description(folder: &Path) -> Description {
    let text = fs::read_to_string(folder.join("capture.toml")).expect("a description");
    Description::parse(&text).expect("a good description")
}

/// Address, length, offset, space and bytes of a memory image.
type Loaded = (u64, Option<u64>, Option<u64>, Option<String>, Vec<u8>);

/// The memory images of a description.
fn images(folder: &Path) -> Vec<Loaded> {
    #[derive(Deserialize)]
    struct Images {
        #[serde(default)]
        memory: Vec<Image>,
    }
    #[derive(Deserialize)]
    struct Image {
        file: String,
        address: u64,
        length: Option<u64>,
        offset: Option<u64>,
        space: Option<String>,
    }
    let text = fs::read_to_string(folder.join("capture.toml")).expect("a description");
    let Images { memory } = toml::from_str(&text).expect("images");
    let bytes = |file: &str| {
        let path = folder.join(file);
        if file.ends_with(".xz") {
            read_xz(&path).expect("an image")
        } else {
            fs::read(path).expect("an image")
        }
    };
    memory
        .into_iter()
        .map(|image| {
            let bytes = bytes(&image.file);
            (
                image.address,
                image.length,
                image.offset,
                image.space,
                bytes,
            )
        })
        .collect()
}

/// A snapshot by the script of the corpus; `None` if there is no Python.
fn by_the_script(capture: &Path, snapshot: &Path) -> Option<()> {
    let script = capture
        .parent()
        .expect("the corpus")
        .join("toml_to_snapshot.py");
    let mut python = Command::new("python3");
    or_skip(output(python.arg(script).arg(capture).arg(snapshot)))?;
    Some(())
}

fn by_this_project(capture: &Path, snapshot: &Path) -> Option<()> {
    let left_out = write_snapshot(capture, snapshot).expect("a snapshot");
    assert_eq!(left_out, [""; 0], "{}", capture.display());
    Some(())
}

/// Both ways to make a snapshot.
const WRITERS: [fn(&Path, &Path) -> Option<()>; 2] = [by_the_script, by_this_project];

/// Calls `check` with each folder of the corpus and the capture folder that its snapshot gives.
fn for_each_snapshot(mut check: impl FnMut(&Path, &Snapshot, &Path)) {
    for (folder, write) in corpus()
        .iter()
        .flat_map(|folder| WRITERS.map(|w| (folder, w)))
    {
        let place = tempfile::tempdir().expect("a folder");
        let (made, back) = (place.path().join("snapshot"), place.path().join("capture"));
        if write(folder, &made).is_none() {
            continue;
        }
        let snapshot = Snapshot::open(&made).expect("a good snapshot");
        let folders = write_capture(&snapshot, &back).expect("a capture folder");
        assert_eq!(folders, std::slice::from_ref(&back));
        check(folder, &snapshot, &back);
    }
}

#[test]
fn a_snapshot_of_a_capture_gives_the_capture_again() {
    for_each_snapshot(|folder, snapshot, back| {
        let name = folder.display();
        let (want, found) = (description(folder), description(back));
        assert_eq!(snapshot.buffers[0].sources, want.sources, "{name}");
        assert_eq!(snapshot.skipped, [""; 0], "{name}");
        assert_eq!(found.sources, want.sources, "{name}");
        assert_eq!(found.format, want.format, "{name}");
        assert_eq!(found.bytes, want.bytes, "{name}");
        assert_eq!(found.sha256, want.sha256, "{name}");
        assert_eq!(images(back), images(folder), "{name}");
        assert_eq!(snapshot.dumps.len(), images(folder).len(), "{name}");
    });
}

#[test]
fn a_snapshot_decodes_to_the_golden_list() {
    let mut total = 0;
    for_each_snapshot(|folder, _, back| {
        let list = folder.join("packets.tsv.xz");
        let capture = Capture::open(back).expect("a good capture");
        let streams = source_streams(&capture);
        if streams.is_empty() || !list.exists() {
            return;
        }
        let text = read_xz_text(&list).expect("a golden list");
        let golden = golden_rows(&text);
        let mut compared = 0;
        for stream in &streams {
            let rows = golden.get(&stream.id).map_or(&[][..], Vec::as_slice);
            let mut rows = rows.iter();
            decode_in_model(
                stream,
                Policy::OpenCsd,
                |_| (),
                |record| {
                    let mut row = String::new();
                    let line = Line {
                        id: stream.id,
                        record,
                        raw: stream.raw(record.offset, record.len),
                        config: &stream.config,
                    };
                    coretrace_listing::tsv(&mut row, &line);
                    let row = row.trim_end().splitn(3, '\t').last().unwrap_or_default();
                    assert_eq!(Some(&row), rows.next(), "{}", folder.display());
                    compared += 1;
                },
            );
            assert_eq!(rows.next(), None, "{}", folder.display());
        }
        assert_eq!(compared, golden.values().map(Vec::len).sum::<usize>());
        total += compared;
    });
    println!("{total} packets of snapshots are as OpenCSD lists them");
}
