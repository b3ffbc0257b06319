// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of real programs, with the walk of each.

use coretrace_abi::compressed::encoder::Encoder;
use coretrace_flow::{Image, Images};
use coretrace_isa::Isa;
use coretrace_test_gen::GoldenStream;
use coretrace_test_support::shared_dir;

use crate::{Stretches, Traced, compress, replay};

/// What the lines of a walk say.
fn of_walk(walk: &str) -> Stretches {
    let mut stretches = Stretches::default();
    for line in walk.lines() {
        let mut fields = line.split(' ');
        let mut field = || u64::from_str_radix(fields.next().expect("a field"), 16);
        stretches.add(field().expect("an address"), field().expect("an address"));
    }
    stretches
}

fn compare(is_chosen: impl Fn(&str) -> bool, encoders: &[&str]) {
    let Some(shared) = shared_dir() else { return };
    let streams = GoldenStream::all(&shared.join("workloads/own")).expect("streams");
    let mut compared = 0;
    for stream in streams {
        if !is_chosen(&stream.name) {
            continue;
        }
        let memory = stream.memory().expect("an image").into_iter();
        let images = memory.map(|(address, bytes)| Image::new(address, bytes));
        let want = of_walk(&stream.ranges().expect("ranges"));
        let traced = Traced {
            source: stream.source,
            images: Images::new(images.collect()),
            isa: match stream.name.contains("a32") {
                true => Isa::A32,
                false => Isa::A64,
            },
            bytes: stream.bytes,
        };
        for name in encoders {
            let encoder = Encoder::named(name).expect("an encoder");
            let got = replay(&compress(&traced, encoder), &traced);
            got.check(&want, &format!("{}, {name}", stream.name));
        }
        compared += 1;
    }
    assert!(compared > 5, "only {compared} streams");
}

#[test]
fn small_programs_are_executed_again_from_their_blocks() {
    let is_chosen = |name: &str| name.starts_with("sha1") || name.starts_with("sort.a64");
    compare(is_chosen, &["X2"]);
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn every_stream_of_a_program_is_executed_again_from_its_blocks() {
    compare(|_| true, &["M4", "X0", "X2"]);
    // A stream cache has no addresses of a kernel beside those of a program.
    compare(
        |name| !name.contains("kernel"),
        &["BASE", "eBASE", "rBASE", "NEXS", "SCIT", "THT"],
    );
}
