// SPDX-License-Identifier: MIT OR Apache-2.0
//! No trace and no image makes the flow panic or grow.

use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{ArchProfile, Config, Protocol, Registers, SourceConfig};
use coretrace_flow::{Element, Flow, Image, Images, Loss, StreamFlow};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ASYNC: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];

/// A source: everything that a flow looks at, by chance.
fn source(random: &mut ChaCha8Rng) -> SourceConfig {
    let protocol = [Protocol::Etm4, Protocol::Ete][random.random_range(0..2)];
    let profile = [ArchProfile::A, ArchProfile::M7, ArchProfile::M8][random.random_range(0..3)];
    let speculation: [u32; 5] = [0, 0, 1, 12, u32::MAX];
    SourceConfig {
        protocol,
        profile,
        registers: Registers {
            trcconfigr: random.random::<u32>() & 0x3_18D9,
            trcidr0: random.random::<u32>() & !0x8 | 0x80,
            trcidr1: 0x4100_F403 | random.random_range(0..7) << 4,
            trcidr2: random.random::<u32>() & 0x8000_0000 | 0x1088,
            trcidr8: speculation[random.random_range(0..5)],
            trcdevarch: 0x4770_5A13,
        },
        lenient: false,
    }
}

/// Images of random words and near branches, at addresses that short and match packets reach.
fn images(random: &mut ChaCha8Rng) -> Vec<Image> {
    let mut word = |_| match random.random_range(0..3) {
        0 => random.random(),
        // b.eq forwards, b forwards or backwards
        1 => 0x5400_0000 | random.random_range(0..64) << 5,
        _ => 0x1400_0000 | random.random::<u32>() & 0x3FF_001F,
    };
    let bytes: Vec<u8> = (0..0x400)
        .map(&mut word)
        .flat_map(u32::to_le_bytes)
        .collect();
    let addresses = [0, 0x1000, 0x40_0000, u64::MAX - 0xFFF];
    let image = |address| Image::new(address, &bytes[..]);
    addresses.map(image).into()
}

/// Bytes that are packets more often than random ones: an A-Sync and a Trace Info first.
fn trace(random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..random.random_range(1..5) {
        bytes.extend(ASYNC);
        bytes.extend([0x01, 0x01, 0x00]);
        bytes.extend([
            0x04,
            0x85,
            0,
            0,
            0x40,
            0,
            0,
            0,
            0,
            0,
            random.random::<u8>() & 0x3B,
        ]);
        for _ in 0..random.random_range(0..400) {
            bytes.push(match random.random_range(0..12) {
                0..8 => random.random_range(0xC0..=0xFF),
                8..11 => [0x06, 0x07, 0x90, 0x91, 0x95, 0x2D, 0x2E, 0x30, 0xA0]
                    [random.random_range(0..9)],
                _ => random.random(),
            });
        }
    }
    bytes
}

#[test]
fn any_trace_and_image_give_the_same_from_bytes_and_records() {
    let mut ranges = 0;
    for seed in 0..1500 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let source = source(&mut random);
        let config = Config::new(source.protocol, source.profile, &source.registers);
        let policies = [Policy::Resync, Policy::Lenient, Policy::OpenCsd];
        let policy = policies[random.random_range(0..3)];
        let images = Images::new(images(&mut random));
        let bytes = trace(&mut random);

        let mut of_records = Vec::new();
        let mut sink = |offset: u64, element: &Element| of_records.push((offset, *element));
        let mut flow = Flow::new(&source, images.clone(), policy == Policy::OpenCsd);
        let mut decoder = Decoder::new(config, policy);
        decoder.feed(&bytes, |record| flow.record(record, &mut sink));
        decoder.finish(|record| flow.record(record, &mut sink));
        flow.finish(bytes.len() as u64, &mut sink);

        let mut of_bytes = Vec::new();
        let mut sink = |offset: u64, element: &Element| of_bytes.push((offset, *element));
        let mut flow = StreamFlow::new(&source, images, policy);
        for piece in bytes.chunks(random.random_range(1..500)) {
            flow.feed(piece, &mut sink);
        }
        flow.finish(&mut sink);
        assert!(of_bytes == of_records, "seed {seed}");
        let is_range = |(_, element): &&(u64, Element)| matches!(element, Element::Range(_));
        ranges += of_bytes.iter().filter(is_range).count();
    }
    assert!(ranges > 3_000, "only {ranges} ranges");
}

#[test]
fn what_waits_is_bounded_and_comes_out() {
    // Timestamps without an end, and no atom; and atoms that nothing commits.
    for (packet, max_spec) in [([0x02, 0x05], 0), ([0xF7, 0xF7], u32::MAX)] {
        let source = SourceConfig {
            registers: Registers {
                trcidr1: 0x4100_F403,
                trcidr2: 0x488,
                trcidr8: max_spec,
                ..Registers::default()
            },
            ..SourceConfig::default()
        };
        let config = Config::new(source.protocol, source.profile, &source.registers);
        let nops = [0x1F, 0x20, 0x03, 0xD5].repeat(64);
        let images = Images::new(vec![Image::new(0x40_0000, nops)]);
        let mut flow = Flow::new(&source, images, false);
        let mut decoder = Decoder::new(config, Policy::Resync);
        let mut elements = 0;
        let mut bytes = ASYNC.to_vec();
        bytes.extend([0x01, 0x01, 0x00, 0x04]);
        bytes.extend([0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x10]);
        bytes.extend(packet.repeat(200_000));
        decoder.feed(&bytes, |record| {
            flow.record(record, &mut |_: u64, _: &Element| elements += 1);
        });
        assert!(elements > 3, "{packet:x?}: {elements} elements");
    }
}

#[test]
fn what_is_taken_back_too_late_is_a_loss() {
    let source = SourceConfig {
        registers: Registers {
            trcidr1: 0x4100_F403,
            trcidr2: 0x488,
            trcidr8: u32::MAX,
            ..Registers::default()
        },
        ..SourceConfig::default()
    };
    let branch_to_itself = 0x1400_0000_u32.to_le_bytes();
    let images = Images::new(vec![Image::new(0x40_0000, branch_to_itself)]);
    // Cancels of 100 and 5000 of 70,000 atoms, when 65,536 may wait.
    for (cancelled, losses) in [(&[0x2E, 100][..], 0), (&[0x2E, 0x88, 0x27], 1)] {
        let mut bytes = ASYNC.to_vec();
        bytes.extend([0x01, 0x01, 0x00, 0x04]);
        bytes.extend([0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x10]);
        bytes.extend([0xF7].repeat(70_000));
        bytes.extend(cancelled);
        let (mut lost, mut ranges) = (0, 0);
        let mut flow = StreamFlow::new(&source, images.clone(), Policy::Resync);
        flow.feed(&bytes, &mut |_: u64, element: &Element| match element {
            Element::NoSync(Loss::BadPacket) => lost += 1,
            Element::Range(_) => ranges += 1,
            _ => {}
        });
        assert_eq!(lost, losses, "{cancelled:x?}");
        // With them waited a Trace On, a context and an address.
        assert_eq!(ranges, (1 << 16) + 1 - 3, "{cancelled:x?}");
    }
}
