// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random packets over an image of random words: the program flow reads on, and its memory does not
//! grow.

use std::fmt;

use coretrace_decode::Policy;
use coretrace_etm::SourceConfig;
use coretrace_flow::{Element, Image, Images, StreamFlow};
use coretrace_test_gen::{ASYNC, RegisterSet, Rng, StreamOptions, legal_stream, rng};
use rand::RngExt;

use crate::memory;

/// Words of the image.
const WORDS: usize = 1024;

/// Where the image is: at each of these addresses. Short and exact match addresses reach the first.
const PLACES: [u64; 3] = [0, 0x40_0000, u64::MAX - 0xFFF];

/// Packets of a piece that are random.
const PIECE_PACKETS: usize = 1000;

/// Packets of a piece that walk: addresses in the image, and atoms behind each.
const WALKS: usize = 100;
const ATOMS: usize = 9;

/// Of how many packets in ten memory is measured: early, and late.
const EARLY: u64 = 1;
const LATE: u64 = 9;

/// A Trace Info that says nothing is speculative.
const TRACE_INFO: [u8; 3] = [0x01, 0x01, 0x00];

/// What the most memory may differ by, in KiB: pieces are not all of one size.
const MARGIN_KIB: u64 = 4096;

/// A run: packets of each register set in turn.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// The seed.
    pub seed: u64,
    /// Packets in all, about.
    pub packets: u64,
}

/// What a run saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Packets that were made.
    pub packets: u64,
    /// Ranges of instructions among the elements.
    pub ranges: u64,
    /// All elements.
    pub elements: u64,
    /// The most memory in KiB, early and late, if the system reports it.
    pub memory: [Option<u64>; 2],
}

impl Walk {
    /// Runs it. Each flow lives to the end of the run.
    pub fn run(self) -> Seen {
        let mut random = rng(self.seed);
        let images = Images::new(images(&mut random));
        let policies = [Policy::Resync, Policy::Lenient, Policy::OpenCsd];
        let mut flows: Vec<(RegisterSet, StreamFlow)> = Vec::new();
        for set in RegisterSet::ALL {
            for policy in policies {
                let source = SourceConfig {
                    lenient: policy == Policy::Lenient,
                    ..set.source()
                };
                flows.push((set, StreamFlow::new(&source, images.clone(), policy)));
            }
        }
        let mut seen = Seen::default();
        while seen.packets < self.packets {
            for (set, flow) in &mut flows {
                let bytes = piece(&mut random, set);
                seen.packets += (PIECE_PACKETS + WALKS * (ATOMS + 1)) as u64;
                flow.feed(&bytes, &mut |_: u64, element: &Element| {
                    seen.elements += 1;
                    seen.ranges += u64::from(matches!(element, Element::Range(_)));
                });
            }
            for (tenths, memory) in [EARLY, LATE].into_iter().zip(&mut seen.memory) {
                if memory.is_none() && seen.packets * 10 >= self.packets * tenths {
                    *memory = memory::peak();
                }
            }
        }
        seen
    }
}

impl Seen {
    /// Whether more memory was in use late than early.
    pub fn grows(&self) -> bool {
        let [early, late] = self.memory;
        late > early.map(|early| early + MARGIN_KIB)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} packets, {} elements, {} ranges",
            self.packets, self.elements, self.ranges
        )?;
        if let [Some(early), Some(late)] = self.memory {
            writeln!(
                f,
                "{early} KiB of memory at most in the first tenth, {late} KiB in nine"
            )?;
        }
        Ok(())
    }
}

/// Random words, and as many near branches, which lead to other blocks of the image.
fn images(random: &mut Rng) -> Vec<Image> {
    let mut word = |_| match random.random_range(0..4) {
        0 | 1 => random.random(),
        // b.eq and b, in A64
        2 => 0x5400_0000 | random.random_range(0..64) << 5,
        _ => 0x1400_0000 | random.random_range(0..64),
    };
    let words: Vec<u32> = (0..WORDS).map(&mut word).collect();
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    PLACES.map(|place| Image::new(place, &bytes[..])).into()
}

/// Legal packets of every kind, then walks.
fn piece(random: &mut Rng, set: &RegisterSet) -> Vec<u8> {
    let options = StreamOptions {
        packets: PIECE_PACKETS,
        ..StreamOptions::default()
    };
    let mut bytes = legal_stream(random, &set.config(), &options).bytes;
    for _ in 0..WALKS {
        let place = PLACES[random.random_range(0..PLACES.len())];
        let address = place + random.random_range(0..4 * WORDS as u64);
        if random.random_bool(0.3) {
            bytes.extend(ASYNC);
            bytes.extend(TRACE_INFO);
        }
        bytes.push(0x85);
        bytes.extend(long_address(address));
        bytes.push(random.random_range(0..4) | 0x10);
        bytes.extend((0..ATOMS).map(|_| random.random_range(0xC0..=0xFF_u8)));
    }
    bytes
}

/// The address bytes of an address packet with context, 64 bits and IS0.
fn long_address(address: u64) -> [u8; 8] {
    let mut bytes = address.to_le_bytes();
    bytes[0] = (address >> 2) as u8 & 0x7F;
    bytes[1] = (address >> 9) as u8 & 0x7F;
    bytes
}
