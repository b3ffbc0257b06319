// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams of captures of software trace.

use std::fs;

use coretrace_capture::open_folder;
use coretrace_software_trace::Protocol;
use coretrace_test_gen::rounds;
use coretrace_test_support::shared_dir;

/// A name and the bytes of a source.
type Stream = (String, Vec<u8>);

/// Every stream of an STM with a stream of an ITM, as long as the gate has time for: their names and bytes.
pub fn pairs() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let Some(shared) = shared_dir() else {
        return Vec::new();
    };
    let (mut stm, mut itm) = (Vec::new(), Vec::new());
    let entries = fs::read_dir(shared.join("corpus-sw")).expect("the captures");
    let mut folders: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    for folder in folders {
        let trace = open_folder(&folder).expect("a capture");
        let buffer = trace.only_buffer().expect("a buffer");
        let all: Vec<usize> = (0..buffer.sources.len()).collect();
        let split = buffer.split(&all).expect("frames");
        for (index, source) in buffer.sources.iter().enumerate() {
            let raw = split.as_ref().map_or(buffer, |split| &split[index]);
            let (bytes, _) = raw.bytes.load().expect("bytes");
            let streams: &mut Vec<Stream> = match source.software {
                Some(Protocol::Stm) => &mut stm,
                _ => &mut itm,
            };
            streams.push((trace.name.clone(), bytes));
        }
    }
    let most = rounds(2000, usize::MAX);
    for streams in [&mut stm, &mut itm] {
        streams.retain(|(_, bytes)| bytes.len() <= most);
        assert!(streams.len() > 9, "captures of each protocol");
    }
    let (longer, partners) = (
        stm.len().max(itm.len()),
        (stm.iter().cycle(), itm.iter().cycle()),
    );
    let pairs = partners.0.zip(partners.1).take(longer);
    pairs
        .map(|(stm, itm)| {
            (
                format!("{} and {}", stm.0, itm.0),
                stm.1.clone(),
                itm.1.clone(),
            )
        })
        .collect()
}
