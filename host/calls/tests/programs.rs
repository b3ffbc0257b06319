// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls of real programs, against their branch traces; and what holds for any trace.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use coretrace_calls::{Axis, CallTree, Callee, Calls, Event, Thread, What};
use coretrace_capture::read_xz;
use coretrace_decode::Policy;
use coretrace_etm::{Record, Registers, SourceConfig};
use coretrace_flow::{Element, Flow, Image, Images, StreamFlow};
use coretrace_program::LoadedFunction;
use coretrace_test_support::{FollowedCapture, shared_dir};

/// A frame that begins: instructions before it, its depth, and where the call went.
type Call = (u64, u32, u64);

/// The kinds of branches in a branch trace.
const INDIRECT: u64 = 2;
const LINKS: u64 = 4;
const JUMPS: u64 = 2 | 16 | 64;

/// The calls of a branch trace, up to so many instructions.
fn calls_of_branches(path: &Path, limit: u64) -> Vec<Call> {
    let bytes = read_xz(path).expect("a branch trace");
    let word = |at: usize| {
        let word = bytes[at..at + 8].try_into().expect("eight bytes");
        u64::from_le_bytes(word)
    };
    let sites = word(32) as usize;
    let site = |index: u64| {
        let at = 40 + 24 * index as usize;
        (word(at), word(at + 8), word(at + 16))
    };
    let mut at = 40 + 24 * sites;
    let mut number = || {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let byte = bytes[at];
            at += 1;
            value |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    };
    let (mut calls, mut stack) = (Vec::new(), Vec::new());
    let (mut instructions, mut last) = (0, 0_u64);
    for _ in 0..word(24) {
        let (record, count) = (number(), number());
        let (pc, mut target, kind) = site(record >> 1);
        let is_taken = record & 1 != 0;
        if is_taken && kind & JUMPS != 0 {
            let delta = number();
            last = last.wrapping_add((delta >> 1) ^ (delta & 1).wrapping_neg());
            target = last;
        }
        instructions += count;
        if instructions >= limit {
            break;
        }
        if !is_taken {
            continue;
        }
        if kind & LINKS != 0 {
            stack.push(pc + 4);
            calls.push((instructions, stack.len() as u32, target));
        } else if kind & INDIRECT != 0
            && let Some(index) = stack.iter().rposition(|&back| back == target)
        {
            stack.truncate(index);
        }
    }
    calls
}

fn no_functions(_: u64) -> Option<LoadedFunction> {
    None
}

/// The calls of a stream.
fn calls_of_stream(source: &SourceConfig, images: &[Image], bytes: &[u8]) -> (Vec<Call>, u64) {
    let mut calls = Calls::new(0, Axis::Instructions, false, false);
    let mut found = Vec::new();
    let mut sink = |event: &Event| {
        if let What::Enter(Callee::Function(entry), depth, _) = event.what {
            found.push((event.at.instructions, depth, entry.start));
        }
    };
    let mut elements = calls.to(&no_functions, &mut sink);
    let mut flow = StreamFlow::new(source, Images::new(images.to_vec()), Policy::Resync);
    flow.feed(bytes, &mut elements);
    flow.finish(&mut elements);
    drop(elements);
    (found, calls.counts().instructions)
}

/// The images of an `.img`: pages with their addresses.
fn pages(path: &Path) -> Vec<Image> {
    let bytes = read_xz(path).expect("an image");
    let pages = bytes.chunks(8 + 4096).map(|page| {
        let (address, page) = page.split_first_chunk().expect("an address");
        Image::new(u64::from_le_bytes(*address), page)
    });
    pages.collect()
}

#[test]
fn calls_of_a_stream_are_those_of_the_branch_trace() {
    let Some(shared) = shared_dir() else { return };
    let own = shared.join("workloads/own");
    let mut all = 0;
    for program in ["adpcm", "fft", "interp", "search", "sha1", "sort"] {
        for isa in ["a64", "a32"] {
            let name = format!("{program}.{isa}");
            let images = pages(&own.join(format!("{name}.img.xz")));
            let source = SourceConfig {
                registers: Registers {
                    trcconfigr: 0x1001,
                    trcidr0: 0x2800_0EA1,
                    trcidr1: 0x4100_F403,
                    trcidr2: 0x488,
                    ..Registers::default()
                },
                ..SourceConfig::default()
            };
            let bytes = read_xz(&own.join(format!("{name}.retstack.etm.xz"))).expect("a stream");
            let (found, instructions) = calls_of_stream(&source, &images, &bytes);
            let want = calls_of_branches(&own.join(format!("{name}.btr.xz")), instructions);
            for (found, want) in found.iter().zip(&want) {
                assert_eq!(found, want, "{name}");
            }
            assert_eq!(found.len(), want.len(), "{name}");
            all += want.len();
        }
    }
    assert!(all > 20_000, "only {all} calls");
}

/// Checks what holds for the events of any trace, and returns the exceptions that were entered.
#[derive(Default)]
struct Checked {
    open: HashMap<Thread, Vec<Callee>>,
    exceptions: u64,
    instructions: u64,
    tree: CallTree,
    name: String,
}

impl Checked {
    fn event(&mut self, event: &Event) {
        let frames = self.open.entry(event.thread).or_default();
        match event.what {
            What::Enter(callee, depth, _) => {
                assert_eq!(frames.len(), depth as usize, "{}", self.name);
                frames.push(callee);
                self.exceptions += u64::from(matches!(callee, Callee::Exception(_)));
            }
            What::Leave(callee, depth) => {
                assert_eq!(frames.pop(), Some(callee), "{}", self.name);
                assert_eq!(frames.len(), depth as usize, "{}", self.name);
            }
            What::Cut(_) | What::End => {
                assert!(self.open.values().all(Vec::is_empty), "{}", self.name);
            }
            _ => {}
        }
        assert!(event.at.instructions >= self.instructions, "{}", self.name);
        self.instructions = event.at.instructions;
        self.tree.take(event);
    }
}

#[test]
fn frames_of_any_program_begin_and_end_in_pairs_and_add_up() {
    let Some(shared) = shared_dir() else { return };
    let mut folders: Vec<_> = fs::read_dir(shared.join("corpus-flow"))
        .expect("captures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let mut exceptions = 0;
    for folder in &folders {
        let capture = FollowedCapture::open(folder).expect("a capture");
        let images = capture.images;
        for (source, stream) in capture.streams {
            let mut calls = Calls::new(1, Axis::Ticks, true, false);
            let mut checked = Checked {
                name: folder.display().to_string(),
                ..Checked::default()
            };
            let (mut ranges, mut elements) = (0, 0);
            let mut sink = |_: u64, element: &Element| {
                match element {
                    Element::Range(range) => ranges += u64::from(range.count),
                    Element::Exception { .. } => elements += 1,
                    _ => {}
                }
                let mut sink = |event: &Event| checked.event(event);
                calls.element(element, &no_functions, &mut sink);
            };
            let mut flow = Flow::new(&source, images.clone(), false);
            let record = |record: &Record| flow.record(record, &mut sink);
            coretrace_capture::decode_in_model(&stream, Policy::Resync, |_| {}, record);
            flow.finish(0, &mut sink);
            let counts = calls.counts();
            let own = checked.tree.nodes().iter();
            let own: u64 = own.map(|node| node.own.instructions).sum();
            assert_eq!(
                (own, counts.instructions),
                (ranges, ranges),
                "{}",
                checked.name
            );
            assert_eq!(counts.exceptions, elements, "{}", checked.name);
            assert!(
                checked.exceptions + counts.too_deep >= elements,
                "{}",
                checked.name
            );
            exceptions += checked.exceptions;
        }
    }
    assert!(folders.len() > 20, "only {} folders", folders.len());
    assert!(exceptions > 1000, "only {exceptions} exceptions");
}
