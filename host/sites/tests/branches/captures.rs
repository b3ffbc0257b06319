// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures whose programs can be followed.

use std::fs;

use coretrace_test_support::{FollowedCapture, shared_dir};

use crate::followed::check_joined;

/// Captures in which elements and tables differ, and why.
const EXCEPTED: [(&str, &str); 10] = [
    ("juno_r1_1", "the image is not the code that was executed"),
    ("flow-spaces", "the image is not the code that was executed"),
    ("flow-ids", "the image is not the code that was executed"),
    ("flow-wrong", "the image is not the code that was executed"),
    (
        "flow-nacc",
        "instructions in front of an exception count, where they are not loaded",
    ),
    (
        "flow-damaged",
        "behind a contradiction elements wait for an A-Sync",
    ),
    (
        "flow-nacc-rs",
        "behind a contradiction elements wait for an A-Sync",
    ),
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
];

#[test]
fn captures_give_the_branches_of_their_elements() {
    let Some(shared) = shared_dir() else { return };
    let folders = ["corpus", "corpus-flow"].map(|folder| shared.join(folder));
    let folders = folders.iter();
    let entries = folders.flat_map(|folder| fs::read_dir(folder).expect("captures"));
    let mut compared = 0;
    for entry in entries {
        let folder = entry.expect("an entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy();
        let Some(capture) = FollowedCapture::open(&folder) else {
            continue;
        };
        if EXCEPTED.iter().any(|(excepted, _)| *excepted == name) {
            continue;
        }
        for (source, stream) in &capture.streams {
            let name = format!("{name}, {}", stream.id);
            let events = check_joined(source, &capture.images, &stream.bytes, &name);
            compared += usize::from(events > 0);
        }
    }
    assert!(compared > 20, "only {compared} sources");
}
