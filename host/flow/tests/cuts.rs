// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes cut out of a stream: behind the next Trace Info and its address, the program is followed as
//! in the whole stream.

mod common;

use std::fs;

use common::{Stream, own_streams, streams_of};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Kind, Record};
use coretrace_flow::{Element, Loss};
use coretrace_test_support::shared_dir;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Cuts of each stream.
const CUTS: usize = 40;

/// A stream without the bytes of `from..to`.
struct Cut<'a> {
    stream: &'a Stream,
    from: usize,
    to: usize,
    /// The decoder is informed of the loss.
    is_known: bool,
}

impl Cut<'_> {
    /// Runs `feed` on the bytes in front of the cut and behind it, and `lost` in between.
    fn run<T>(&self, decoder: &mut T, feed: impl Fn(&mut T, &[u8]), lost: impl Fn(&mut T)) {
        feed(decoder, &self.stream.bytes[..self.from]);
        if self.is_known {
            lost(decoder);
        }
        feed(decoder, &self.stream.bytes[self.to..]);
    }

    /// The offset in the whole stream.
    fn whole(&self, offset: u64) -> u64 {
        match offset {
            offset if offset < self.from as u64 => offset,
            offset => offset + (self.to - self.from) as u64,
        }
    }

    /// Kind and offset of all packets.
    fn packets(&self) -> Vec<(Kind, u64)> {
        let source = &self.stream.source;
        let config = Config::new(source.protocol, source.profile, &source.registers);
        let mut decoder = (Decoder::new(config, self.stream.policy), Vec::new());
        let keep = |record: &Record| (record.kind, self.whole(record.offset));
        self.run(
            &mut decoder,
            |(decoder, kept), bytes| decoder.feed(bytes, |record| kept.push(keep(record))),
            |(decoder, kept)| decoder.discontinuity(|record| kept.push(keep(record))),
        );
        let (mut decoder, mut kept) = decoder;
        decoder.finish(|record| kept.push(keep(record)));
        kept
    }

    /// The elements behind an offset of the whole stream.
    fn elements(&self, from: Option<u64>) -> Vec<(u64, Element)> {
        let mut flow = (self.stream.flow(), Vec::new());
        self.run(
            &mut flow,
            |(flow, kept), bytes| {
                flow.feed(bytes, &mut |offset: u64, element: &Element| {
                    kept.push((self.whole(offset), *element));
                });
            },
            |(flow, kept)| {
                flow.discontinuity(&mut |offset: u64, element: &Element| {
                    kept.push((self.whole(offset), *element));
                });
            },
        );
        let (mut flow, mut kept) = flow;
        flow.finish(&mut |offset: u64, element: &Element| {
            kept.push((self.whole(offset), *element));
        });
        kept.retain(|(offset, _)| from.is_none_or(|from| *offset > from));
        kept
    }
}

/// What a packet says of the place: whether it has an address, and whether a context.
fn place_of(kind: Kind) -> (bool, bool) {
    let has_both = matches!(
        kind,
        Kind::AddrCtxt32Is0 | Kind::AddrCtxt32Is1 | Kind::AddrCtxt64Is0 | Kind::AddrCtxt64Is1
    );
    (
        has_both || kind.is_address(),
        has_both || kind == Kind::Context,
    )
}

/// The first address behind an A-Sync, at `from` or behind it, and a Trace Info, if both streams have
/// these packets, and the context is known by then.
fn resumes_at(whole: &[(Kind, u64)], cut: &[(Kind, u64)], from: usize) -> Option<u64> {
    (0..cut.len()).find_map(|place| {
        let behind = &cut[place..];
        let [(Kind::Async, offset), (Kind::TraceInfo, _), ..] = behind else {
            return None;
        };
        let there = whole.binary_search_by_key(offset, |(_, offset)| *offset);
        let there = there.ok().filter(|_| *offset >= from as u64)?;
        let address = behind.iter().position(|(kind, _)| place_of(*kind).0)?;
        let context = behind.iter().position(|(kind, _)| place_of(*kind).1)?;
        let is_same = whole.get(there..=there + address) == Some(&behind[..=address]);
        (is_same && context <= address).then(|| behind[address].1)
    })
}

/// Checks cuts of a stream without contradictions; behind how many of them there was something to compare.
fn check(name: &str, stream: &Stream, random: &mut ChaCha8Rng) -> usize {
    let most = stream.bytes.len();
    let whole = Cut {
        stream,
        from: most,
        to: most,
        is_known: false,
    };
    let (packets, elements) = (whole.packets(), whole.elements(None));
    let bad = Element::NoSync(Loss::BadPacket);
    if elements.iter().any(|(_, element)| *element == bad) {
        return 0;
    }
    let mut compared = 0;
    for _ in 0..CUTS {
        let from = random.random_range(0..=most);
        let to = match random.random_range(0..3) {
            0 => from + 1,
            1 => from + random.random_range(1..40),
            _ => random.random_range(from..=most),
        };
        let cut = Cut {
            stream,
            from,
            to: to.min(most),
            is_known: random.random(),
        };
        let have = cut.packets();
        let Some(at) = resumes_at(&packets, &have, cut.to) else {
            continue;
        };
        let have = cut.elements(Some(at));
        let want = elements.iter().filter(|(offset, _)| *offset > at);
        let want: Vec<_> = want.copied().collect();
        let differs = have.iter().zip(&want).position(|(have, want)| have != want);
        if let Some(place) = differs {
            panic!(
                "{name}: {from}..{to} cut ({}), right from {at}: {:?}, in the whole stream {:?}",
                cut.is_known, have[place], want[place]
            );
        }
        assert_eq!(have.len(), want.len(), "{name}: {from}..{to} cut");
        compared += usize::from(want.len() > 1);
    }
    compared
}

#[test]
fn programs_are_right_again_behind_any_cut() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut compared = 0;
    for (name, stream) in own_streams() {
        compared += check(&name, &stream, &mut random);
    }
    assert!(compared > 1000 || shared_dir().is_none(), "{compared} cuts");
}

#[test]
fn captures_are_right_again_behind_any_cut() {
    let traces = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbench/traces");
    let mut folders = vec![traces];
    folders.extend(
        shared_dir()
            .into_iter()
            .flat_map(|shared| ["corpus", "corpus-flow"].map(|name| shared.join(name))),
    );
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut compared = 0;
    for folder in folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("captures"))
    {
        let folder = folder.expect("an entry").path();
        if !folder.is_dir() {
            continue;
        }
        for policy in [Policy::Resync, Policy::Lenient] {
            for stream in streams_of(&folder, policy) {
                if stream.losses.is_empty() {
                    compared += check(&folder.display().to_string(), &stream, &mut random);
                }
            }
        }
    }
    assert!(compared > 100, "{compared} cuts");
}
