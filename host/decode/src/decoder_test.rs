// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the decoder keeps from packet to packet, and what a loss does to it.

use crate::{Decoder, Policy};
use coretrace_etm::{ArchProfile, Config, Kind, Protocol, Record, Registers};

const SYNC: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];
/// A long address with upper and lower half.
const LONG_64: [u8; 9] = [0x9D, 1, 2, 3, 4, 5, 6, 7, 8];
/// The upper half of it.
const UPPER: u64 = 0x0807_0605;
const LONG_32: [u8; 5] = [0x9A, 0x11, 0x12, 0x13, 0x14];

fn decoder(policy: Policy) -> Decoder {
    let registers = Registers::from_values(&[0, 0x0800_0EA1, 0x4100_F403, 0x488]);
    Decoder::new(
        Config::new(Protocol::Etm4, ArchProfile::A, &registers),
        policy,
    )
}

/// The records of packets behind an A-Sync.
fn records(policy: Policy, packets: &[&[u8]]) -> Vec<Record> {
    let mut list = Vec::new();
    let mut decoder = decoder(policy);
    decoder.feed(&SYNC, |_| {});
    decoder.feed(&packets.concat(), |record| list.push(*record));
    list
}

#[test]
fn a_short_timestamp_changes_the_low_bits_only() {
    let long = [0x02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x12];
    let records = records(Policy::Resync, &[&long, &[0x02, 0x05], &[0x02, 0x81, 0x01]]);
    let timestamps: Vec<u64> = records.iter().map(|record| record.timestamp).collect();
    assert_eq!(
        timestamps,
        [
            0x12FF_FFFF_FFFF_FFFF,
            0x12FF_FFFF_FFFF_FF85,
            0x12FF_FFFF_FFFF_C081
        ]
    );
}

#[test]
fn a_trace_info_resets_what_later_packets_build_on() {
    let (context, info) = ([0x81, 0x10], [0x01, 0x00]);
    let records = records(
        Policy::Resync,
        &[&[0x02, 0x05], &context, &LONG_64, &[0xF7], &info, &[0xF7]],
    );
    let [.., before, _, after] = &records[..] else {
        panic!("{records:?}");
    };
    assert_eq!((before.timestamp, before.context.sf()), (5, true));
    assert_eq!(before.address.value >> 32, UPPER);
    assert_eq!((after.timestamp, after.context.sf()), (0, false));
    assert_eq!(after.address.value, 0);
}

#[test]
fn only_opencsd_clears_the_upper_half_of_an_address_and_not_always() {
    let upper = |policy, packets: &[&[u8]]| {
        let last = *records(policy, packets).last().expect("a packet");
        last.address.value >> 32
    };
    let short: &[u8] = &[0x95, 0x22];
    let sixty_four: &[u8] = &[0x81, 0x10];
    assert_eq!(upper(Policy::Resync, &[&LONG_64, &LONG_32]), UPPER);
    assert_eq!(upper(Policy::Lenient, &[&LONG_64, &LONG_32]), UPPER);
    assert_eq!(upper(Policy::OpenCsd, &[&LONG_64, &LONG_32]), 0);
    assert_eq!(upper(Policy::OpenCsd, &[&LONG_64]), UPPER);
    assert_eq!(upper(Policy::OpenCsd, &[&LONG_64, short]), UPPER);
    assert_eq!(
        upper(Policy::OpenCsd, &[sixty_four, &LONG_64, &LONG_32]),
        UPPER
    );
}

/// Kind, offset, length and whether the record is suspect, with a loss between the two parts.
fn around_a_loss(policy: Policy, before: &[u8], after: &[u8]) -> Vec<(Kind, u64, u64, bool)> {
    let mut list = Vec::new();
    let mut sink = |r: &Record| list.push((r.kind, r.offset, r.len, r.suspect));
    let mut decoder = decoder(policy);
    decoder.feed(&SYNC, |_| {});
    decoder.feed(before, &mut sink);
    decoder.discontinuity(&mut sink);
    decoder.feed(after, &mut sink);
    decoder.finish(&mut sink);
    list
}

#[test]
fn a_loss_inside_a_packet_leaves_its_bytes_unread() {
    let after = [&[0xF7][..], &SYNC, &[0xF6]].concat();
    assert_eq!(
        around_a_loss(Policy::Resync, &LONG_64[..3], &after),
        [
            (Kind::NotSync, 12, 3, false),
            (Kind::NotSync, 15, 1, false),
            (Kind::Async, 16, 12, false),
            (Kind::AtomF1, 28, 1, false),
        ]
    );
    assert_eq!(
        around_a_loss(Policy::Lenient, &LONG_64[..3], &after),
        [
            (Kind::NotSync, 12, 3, false),
            (Kind::AtomF1, 15, 1, true),
            (Kind::Async, 16, 12, false),
            (Kind::AtomF1, 28, 1, false),
        ]
    );
}

#[test]
fn a_loss_between_packets_reports_nothing_by_itself() {
    assert_eq!(
        around_a_loss(Policy::Resync, &[0xF7], &SYNC),
        [(Kind::AtomF1, 12, 1, false), (Kind::Async, 13, 12, false)]
    );
}

#[test]
fn zeros_before_a_loss_begin_no_async() {
    assert_eq!(
        around_a_loss(Policy::Resync, &SYNC[..5], &SYNC[5..]),
        [(Kind::NotSync, 12, 5, false), (Kind::NotSync, 17, 7, false)]
    );
}
