// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures with images: hardware and model must agree on images that are not the code that ran, too.

use std::fs;
use std::path::{Path, PathBuf};

use coretrace_capture::SourceStream;
use coretrace_decode::Policy;
use coretrace_etm::SourceConfig;
use coretrace_flow::{Element, Images, StreamFlow};
use coretrace_isa::Isa;
use coretrace_test_simulate::flow::flow_table;
use coretrace_test_simulate::flow_case::FlowCase;
use coretrace_test_simulate::flow_verilog::Tables;
use coretrace_test_support::{FollowedCapture, in_parallel, shared_dir};

use crate::{compare_verilog, verilog};

/// Captures whose images are larger than the tables: they are not followed here.
const NO_ROOM: [&str; 2] = ["juno-uname-002", "ts_marker"];

fn folders(shared: &Path) -> Vec<PathBuf> {
    let entries = ["corpus", "corpus-flow"].map(|name| fs::read_dir(shared.join(name)));
    let entries = entries
        .into_iter()
        .flat_map(|entries| entries.expect("captures"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The instruction sets of a trace.
fn isas(source: &SourceConfig, images: &Images, bytes: &[u8]) -> Vec<Isa> {
    let mut isas = Vec::new();
    let mut see = |_, element: &Element| {
        if let Element::Context { isa, .. } = element
            && !isas.contains(isa)
        {
            isas.push(*isa);
        }
        if let Element::Range(range) = element
            && !isas.contains(&range.isa)
        {
            isas.push(range.isa);
        }
    };
    let mut flow = StreamFlow::new(source, images.clone(), Policy::Resync);
    flow.feed(bytes, &mut see);
    flow.finish(&mut see);
    isas
}

/// The sources of a capture, up to where bytes are lost.
fn cases(folder: &Path) -> Vec<FlowCase> {
    let Some(capture) = FollowedCapture::open(folder) else {
        return Vec::new();
    };
    let name = folder.file_name().unwrap_or_default().display();
    let images = &capture.images;
    let case = |(source, stream): &(SourceConfig, SourceStream)| {
        let (_, bytes) = stream.stretches().next()?;
        let isas = isas(source, images, bytes);
        let Some((table, rules)) = flow_table(Tables::Large.widths(), source, &isas, images) else {
            let name = name.to_string();
            assert!(NO_ROOM.contains(&&*name), "{name}: no room");
            return None;
        };
        Some(FlowCase {
            name: format!("{name}, source {:#x}", stream.id),
            source: *source,
            table,
            rules,
            bytes: bytes.to_vec(),
            windowed: false,
            freeze_after: 0,
        })
    };
    capture.streams.iter().filter_map(case).collect()
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn every_capture_is_followed_as_by_the_model() {
    let (Some(shared), Some(verilog)) = (shared_dir(), verilog(Tables::Large)) else {
        return;
    };
    let folders = folders(&shared);
    let run = |first| {
        let folders = folders.iter().skip(first).step_by(2);
        let walks = folders.flat_map(|folder| cases(folder)).map(|case| {
            let walk = compare_verilog(&verilog, &case);
            usize::from(walk.atoms > walk.skipped)
        });
        walks.sum::<usize>()
    };
    let walked: usize = in_parallel([0, 1], run).into_iter().sum();
    assert!(walked > 25, "only {walked} sources");
}
