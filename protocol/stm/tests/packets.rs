// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked examples, round trips over the whole table, and any nibbles.

use coretrace_stm::opcode::{Found, find};
use coretrace_stm::state::{binary, gray};
use coretrace_stm::*;
use proptest::prelude::*;

/// What the nibbles are parsed to.
fn parsed(nibbles: &[u8]) -> Vec<(Step, Packet)> {
    let mut parser = Parser::new();
    let steps = nibbles
        .iter()
        .map(|&nibble| (parser.step(nibble), *parser.packet()));
    steps.filter(|(step, _)| *step != Step::More).collect()
}

fn emitted(packet: &Packet) -> Vec<u8> {
    let mut nibbles = Vec::new();
    assert!(emit(packet, |nibble| nibbles.push(nibble)), "{packet:?}");
    nibbles
}

/// A packet of a row with the low bits of these values.
fn packet(opcode: Opcode, data: u64, nibbles: u8, stamp: u64) -> Packet {
    let low = |value: u64, nibbles: u8| {
        value & !u64::MAX.checked_shl(4 * u32::from(nibbles)).unwrap_or(0)
    };
    let mut packet = Packet::new(opcode);
    packet.data = low(data, opcode.data);
    if opcode.is_stamped {
        let nibbles = Stamp::nibbles_of(nibbles).expect("a size");
        let value = low(stamp, nibbles);
        packet.stamp = Stamp { nibbles, value };
    }
    packet
}

/// The state after the nibbles of a text, in hexadecimal.
fn state(text: &str) -> State {
    let mut state = State::default();
    let digits = text.chars().filter_map(|digit| digit.to_digit(16));
    for (step, packet) in parsed(&digits.map(|digit| digit as u8).collect::<Vec<u8>>()) {
        assert_eq!(step, Step::Packet, "{text}");
        state.apply(&packet).expect("a legal packet");
    }
    state
}

#[test]
fn packets_change_master_channel_and_frequency_as_the_manual_says() {
    let after = state("F003 141 F3ABCD 305");
    assert_eq!((after.master, after.channel), (0x41, 0xAB05));
    assert_eq!(state("F003 141 305 200").channel, 0);
    assert_eq!(state("F003 141 305 142").channel, 0);
    assert!(!state("F003 141 F200").is_master_known);
    assert_eq!(state("F003 141 305 F004").master, 0);
    assert_eq!(state("F0800010000").frequency, Some(65536));
}

#[test]
fn a_timestamp_replaces_low_bits_in_the_coding_of_the_stream() {
    assert_eq!(state("F003 8AB212 F41215").timestamp, 0x15);
    assert_eq!(state("F003 8AB212 F004 F412213").timestamp, 0x1D);
    assert_eq!(state("F003 8AB212 E0").timestamp, 0x12);
    let wide = state("F003 EE0123456789ABCDEF ED11223344556677").timestamp;
    assert_eq!(wide, 0x0111_2233_4455_6677);
}

#[test]
fn a_timestamp_needs_a_version_and_a_version_is_3_or_4() {
    for (nibbles, want) in [
        (vec![0xE, 1, 5], Illegal::Coding),
        (vec![0xF, 0, 0, 5], Illegal::Version),
    ] {
        let (_, packet) = parsed(&nibbles)[0];
        let mut state = State::default();
        assert_eq!(state.apply(&packet), Err(want));
        assert_eq!(state, State::default());
    }
}

#[test]
fn an_async_has_at_least_21_fs_and_ends_with_0() {
    for fs in 2..60 {
        for end in 0..0xF {
            let mut nibbles = vec![0xF; fs];
            nibbles.push(end);
            let want = if fs >= 21 && end == 0 {
                Step::Packet
            } else {
                Step::Broken
            };
            assert_eq!(parsed(&nibbles)[0].0, want, "{fs} F, then {end:x}");
        }
    }
}

#[test]
fn every_opcode_has_one_row_and_all_others_are_reserved() {
    for (nibbles, first) in [(1, 0), (2, 0xF0), (3, 0xF00)] {
        for code in first..first + 16 {
            let rows: Vec<&Opcode> = OPCODES
                .iter()
                .filter(|row| row.code == code && row.nibbles == nibbles)
                .collect();
            match find(code, nibbles) {
                Found::Opcode(row) => assert_eq!(rows, [&row]),
                _ => assert!(rows.is_empty(), "{code:x}"),
            }
        }
    }
    for code in [0xF1, 0xF02, 0xF09, 0xF0F] {
        let nibbles = if code < 0x100 { 2 } else { 3 };
        assert_eq!(find(code, nibbles), Found::Reserved);
    }
}

#[test]
fn each_pair_of_packets_is_read_at_either_nibble_of_a_byte() {
    let mut pairs = 0;
    for first in OPCODES {
        for second in OPCODES {
            for start in 0..2 {
                let pair =
                    [first, second].map(|row| packet(row, 0x0123_4567_89AB_CDEF, 5, 0x54321));
                let mut nibbles = vec![0; start];
                nibbles.extend(pair.iter().flat_map(emitted));
                nibbles.resize(nibbles.len().next_multiple_of(2), 0);
                let bytes: Vec<u8> = nibbles.chunks(2).map(|two| two[0] | two[1] << 4).collect();
                let again: Vec<u8> = bytes.into_iter().flat_map(coretrace_stm::nibbles).collect();
                let steps = parsed(&again);
                let read: Vec<Packet> = steps[start..][..2].iter().map(|(_, it)| *it).collect();
                assert_eq!(read, pair);
                pairs += 1;
            }
        }
    }
    assert_eq!(pairs, 2 * OPCODES.len() * OPCODES.len());
}

#[test]
fn packets_that_are_no_async_have_at_most_17_fs_in_a_row() {
    let rows = OPCODES.iter().filter(|row| row.kind != Kind::Async);
    let packets = rows.flat_map(|&row| (0..15).map(move |size| packet(row, !0, size, !0)));
    let packets: Vec<Vec<u8>> = packets.map(|packet| emitted(&packet)).collect();
    let runs = packets.iter().flat_map(|first| {
        let pairs = packets.iter().map(|second| [&first[..], second].concat());
        pairs.map(|pair| {
            let runs = pair.split(|&nibble| nibble != 0xF);
            runs.map(<[u8]>::len).max()
        })
    });
    assert_eq!(runs.max().flatten(), Some(17));
}

#[test]
fn the_shortest_async_is_found_at_its_first_nibble_alone() {
    for start in 0..2 {
        let mut nibbles = vec![0; start];
        nibbles.extend(emitted(&Packet::new(OPCODES[28])));
        nibbles.resize(120, 0);
        let bytes: Vec<u8> = nibbles.chunks(2).map(|two| two[0] | two[1] << 4).collect();
        let found: Vec<usize> = (0..30).filter(|&it| is_async(&bytes, it)).collect();
        assert_eq!(found, [start]);
    }
}

#[test]
fn a_timestamp_of_13_nibbles_cannot_be_sent() {
    let mut packet = packet(OPCODES[14], 0, 12, 0);
    packet.stamp.nibbles = 13;
    assert!(!emit(&packet, |_| panic!("a nibble")));
}

proptest! {
    #[test]
    fn emit_and_parse_are_inverses(row in 0..OPCODES.len(), data: u64, size in 0u8..15, stamp: u64) {
        let packet = packet(OPCODES[row], data, size, stamp);
        prop_assert_eq!(parsed(&emitted(&packet)), vec![(Step::Packet, packet)]);
    }

    #[test]
    fn any_nibbles_are_parsed_and_whole_packets_are_emitted_again(nibbles: Vec<u8>) {
        let mut parser = Parser::new();
        let mut since = Vec::new();
        for nibble in nibbles {
            since.push(nibble & 0xF);
            match parser.step(nibble) {
                Step::More => continue,
                Step::Packet if parser.packet().opcode.kind != Kind::Async => {
                    prop_assert_eq!(&emitted(parser.packet()), &since);
                }
                _ => {}
            }
            since.clear();
        }
    }

    #[test]
    fn what_is_scanned_is_what_the_parser_reads(
        packets in prop::collection::vec((0..OPCODES.len(), any::<u64>(), 0u8..15, any::<u64>()), 0..6),
        noise in prop::collection::vec(any::<u8>(), 84),
        start in 0usize..2,
    ) {
        let whole = packets.iter().map(|&(row, data, size, stamp)| packet(OPCODES[row], data, size, stamp));
        let mut nibbles = vec![0; start];
        nibbles.extend(whole.flat_map(|packet| emitted(&packet)));
        nibbles.extend(noise.iter().copied().flat_map(coretrace_stm::nibbles));
        nibbles.truncate(nibbles.len() & !1);
        let bytes: Vec<u8> = nibbles.chunks(2).map(|two| two[0] | two[1] << 4).collect();
        let first = parsed(&nibbles[start..]).first().copied();
        let read = first.filter(|(step, it)| *step == Step::Packet && it.opcode.kind != Kind::Async);
        let scanned = scan(&bytes, start);
        prop_assert_eq!(scanned.map(|it| (Step::Packet, it.packet)), read);
        if let Some(scanned) = scanned {
            let raw: Vec<u8> = scanned.raw().iter().collect();
            prop_assert_eq!(&raw[..], &nibbles[start..start + scanned.len]);
        }
    }

    #[test]
    fn gray_code_changes_one_bit_between_neighbours(value: u64) {
        prop_assert_eq!(binary(gray(value)), value);
        prop_assert_eq!((gray(value) ^ gray(value.wrapping_add(1))).count_ones(), 1);
    }
}
