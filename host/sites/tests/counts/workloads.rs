// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of real programs, and their branch traces through a trace unit.

use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Record, SourceConfig};
use coretrace_flow::{Image, Images};
use coretrace_test_gen::GoldenStream;
use coretrace_test_gen::btr::files;
use coretrace_test_gen::trace_unit::TraceUnit;
use coretrace_test_support::shared_dir;

use crate::followed::{Followed, follow};

/// Instructions of each branch trace.
const INSTRUCTIONS: u64 = 300_000;

pub fn follow_bytes(source: &SourceConfig, images: &Images, bytes: &[u8]) -> Followed {
    let config = Config::new(source.protocol, source.profile, &source.registers);
    follow(source, images, &|sink: &mut dyn FnMut(&Record)| {
        let mut decoder = Decoder::new(config, Policy::Resync);
        decoder.feed(bytes, &mut *sink);
        decoder.finish(&mut *sink);
    })
}

#[test]
fn streams_of_real_programs_give_the_sums_of_their_elements() {
    let Some(shared) = shared_dir() else { return };
    let streams = GoldenStream::all(&shared.join("workloads/own")).expect("streams");
    let mut ended = 0;
    for stream in &streams {
        let memory = stream.memory().expect("an image");
        let image = |(address, bytes): (u64, Vec<u8>)| Image::new(address, bytes);
        let images = Images::new(memory.into_iter().map(image).collect());
        let followed = follow_bytes(&stream.source, &images, &stream.bytes);
        followed.check(&stream.name);
        assert_eq!(
            (followed.losses, followed.atoms.1),
            (0, 0),
            "{}",
            stream.name
        );
        assert!(followed.atoms.0 > 1000, "{}", stream.name);
        // Among its code is a table of addresses, which are taken for instructions of a block.
        if !stream.name.starts_with("interp.a32") {
            followed.check_heat(&stream.name);
        }
        ended += followed.ended;
    }
    assert!(streams.len() > 90, "only {} streams", streams.len());
    assert!(ended < 100, "{ended} flows ended in a block");
}

#[test]
fn branch_traces_give_the_sums_of_their_elements() {
    let Some(shared) = shared_dir() else { return };
    let files = files::traces(&shared.join("workloads")).expect("traces");
    let units = TraceUnit::of_each_walk();
    for (number, file) in files.iter().enumerate() {
        let trace = files::read(file).expect("a trace").prefix(INSTRUCTIONS);
        let unit = &units[number % units.len()];
        let pages = unit.pages(&trace).expect("instructions");
        let image = |page: &coretrace_test_gen::trace_unit::Page| {
            Image::new(page.address, page.bytes.as_slice())
        };
        let images = Images::new(pages.iter().map(image).collect());
        let name = format!("{}, {unit:?}", files::name(file));
        let stream = unit.trace(&trace, &mut ());
        let followed = follow_bytes(&unit.source(), &images, &stream);
        followed.check(&name);
        assert_eq!((followed.losses, followed.atoms.1), (0, 0), "{name}");
    }
    assert!(files.len() > 20, "only {} traces", files.len());
}
