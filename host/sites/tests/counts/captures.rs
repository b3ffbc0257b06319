// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures whose programs can be followed.

use std::fs;
use std::path::{Path, PathBuf};

use coretrace_decode::Policy;
use coretrace_etm::Record;
use coretrace_test_support::{FollowedCapture, shared_dir};

use crate::followed::{Followed, follow};

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("captures");
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// Follows all sources of a capture.
fn follow_all(folder: &Path) -> Vec<Followed> {
    let Some(capture) = FollowedCapture::open(folder) else {
        return Vec::new();
    };
    let images = &capture.images;
    let follow_one = |(source, stream)| {
        follow(source, images, &|sink: &mut dyn FnMut(&Record)| {
            coretrace_capture::decode_in_model(stream, Policy::Resync, |_| {}, &mut *sink);
        })
    };
    let streams = capture.streams.iter();
    streams
        .map(|(source, stream)| follow_one((source, stream)))
        .collect()
}

/// Captures in which elements and tables differ, and why.
const EXCEPTED: [(&str, &str); 9] = [
    ("juno_r1_1", "the image is not the code that was executed"),
    ("flow-spaces", "the image is not the code that was executed"),
    ("flow-ids", "the image is not the code that was executed"),
    ("flow-wrong", "the image is not the code that was executed"),
    (
        "q_elem",
        "elements have a branch where the count of a Q element leads to one",
    ),
    (
        "flow-q",
        "elements have a branch where the count of a Q element leads to one",
    ),
    (
        "flow-ete-q",
        "elements have a branch where the count of a Q element leads to one",
    ),
    (
        "flow-damaged",
        "behind a contradiction elements wait for an A-Sync",
    ),
    (
        "flow-nacc-rs",
        "behind a contradiction elements wait for an A-Sync",
    ),
];

#[test]
fn captures_give_the_sums_of_their_elements() {
    let Some(shared) = shared_dir() else { return };
    let mut followed = 0;
    let mut excepted = Vec::new();
    for folder in ["corpus", "corpus-flow"] {
        for folder in folders(&shared.join(folder)) {
            let name = folder.file_name().expect("a name").to_string_lossy();
            let sources = follow_all(&folder);
            for (number, source) in sources.iter().enumerate() {
                source.check_atoms(&format!("{name}, source {number}"));
            }
            if let Some((name, _)) = EXCEPTED.iter().find(|(excepted, _)| *excepted == name) {
                excepted.push(*name);
                continue;
            }
            for (number, source) in sources.iter().enumerate() {
                source.check(&format!("{name}, source {number}"));
                followed += usize::from(source.atoms.0 > 0);
            }
        }
    }
    assert_eq!(excepted.len(), EXCEPTED.len(), "{excepted:?}");
    assert!(followed > 20, "only {followed} sources");
}
