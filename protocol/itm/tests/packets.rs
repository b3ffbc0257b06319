// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked examples, round trips over the whole table, and any bytes.

use coretrace_itm::*;
use proptest::prelude::*;

/// What the bytes are parsed to.
fn parsed(bytes: &[u8]) -> Vec<(Step, Packet)> {
    let mut parser = Parser::new(Rule::Arm);
    let steps = bytes
        .iter()
        .map(|&byte| (parser.step(byte), *parser.packet()));
    steps.filter(|(step, _)| *step != Step::More).collect()
}

fn emitted(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    emit(packet, |byte| bytes.push(byte));
    bytes
}

/// The only packet of some bytes.
fn one(bytes: &[u8]) -> Packet {
    let steps = parsed(bytes);
    assert_eq!(steps.len(), 1, "{bytes:02x?}: {steps:?}");
    assert_eq!(steps[0].0, Step::Packet, "{bytes:02x?}");
    steps[0].1
}

fn after(bytes: &[u8], config: &Config) -> State {
    let mut state = State::default();
    for (step, packet) in parsed(bytes) {
        assert_eq!(step, Step::Packet);
        state.apply(&packet, config);
    }
    state
}

/// A packet of each header that has one, with as much of the value as fits.
fn packet(header: u8, value: u64) -> Option<Packet> {
    if header == 0 {
        return Some(Packet::new(Kind::Sync, 0));
    }
    let fits = (0..64).rev().map(|bits| value & ((1 << bits) - 1));
    fits.filter_map(|value| Packet::of_value(header, value))
        .next()
}

#[test]
fn writes_have_a_port_a_size_and_a_value() {
    let write = one(&[0xFB, 0x78, 0x56, 0x34, 0x12]);
    assert_eq!((write.kind, write.source()), (Kind::Software, 31));
    assert_eq!((write.len, write.value()), (4, 0x1234_5678));
    let state = after(&[0x18], &Config::default());
    assert_eq!(state.port(&one(&[0x09, 0xAA])), 33);
}

#[test]
fn the_dwt_reports_exceptions_samples_and_data() {
    for (bytes, want) in [
        (
            &[0x0E, 0x01, 0x20][..],
            Event::Exception {
                number: 1,
                action: 2,
            },
        ),
        (
            &[0x17, 0x78, 0x56, 0x34, 0x12],
            Event::ProgramCounter(Some(0x1234_5678)),
        ),
        (&[0x15, 0x00], Event::ProgramCounter(None)),
        (&[0x05, 0x21], Event::Counters(0x21)),
        (
            &[0x4E, 0x34, 0x12],
            Event::DataAddress {
                comparator: 0,
                value: 0x1234,
            },
        ),
        (
            &[0x47, 4, 3, 2, 1],
            Event::DataProgramCounter {
                comparator: 0,
                value: 0x0102_0304,
            },
        ),
        (
            &[0x8D, 0x01],
            Event::DataValue {
                comparator: 0,
                is_write: true,
                value: 1,
            },
        ),
        (
            &[0xB5, 0x01],
            Event::DataValue {
                comparator: 3,
                is_write: false,
                value: 1,
            },
        ),
        (&[0xC5, 0x01], Event::Unknown),
    ] {
        assert_eq!(Event::of(&one(bytes)), Some(want), "{bytes:02x?}");
    }
}

#[test]
fn local_timestamps_add_up_and_an_overflow_clears_the_sum() {
    let ticks = [0x10, 0x60, 0xD0, 0x85, 0x01];
    assert_eq!(after(&ticks, &Config::default()).local_time, 140);
    let slow = Config { itm_tcr: 0x310 };
    assert_eq!(after(&ticks, &slow).local_time, 64 * 140);
    let overflow = [&ticks[..], &[0x70, 0x20]].concat();
    assert_eq!(after(&overflow, &Config::default()).local_time, 2);
    assert_eq!(one(&ticks[2..]).delays(), 1);
}

#[test]
fn global_timestamps_replace_low_and_high_bits() {
    let low = [0x94, 0xFF, 0xFF, 0xFF, 0x1F];
    let first = after(&low, &Config::default());
    assert_eq!(
        (first.global_time, first.is_global_complete),
        (0x03FF_FFFF, false)
    );
    let both = [&low[..], &[0xB4, 0x81, 0x02, 0x94, 0x00]].concat();
    let state = after(&both, &Config::default());
    assert_eq!(state.global_time, 0x101 << 26 | 0x03FF_FF80);
    assert!(state.is_global_complete);
    let wrapped = one(&[0x94, 0x80, 0x80, 0x80, 0x60]);
    assert!(wrapped.wrapped() && wrapped.frequency_changed());
    let mut state = state;
    state.apply(&wrapped, &Config::default());
    assert!(!state.is_global_complete);
}

#[test]
fn a_sync_has_at_least_five_zeros_and_ends_with_0x80() {
    for zeros in 1..20 {
        let bytes = [&vec![0; zeros][..], &[0x80]].concat();
        let want = if zeros < 5 {
            Step::Broken
        } else {
            Step::Packet
        };
        assert_eq!(parsed(&bytes)[0].0, want, "{zeros} zeros");
    }
    assert_eq!(parsed(&[0, 0, 0, 0, 0, 0x33])[0].0, Step::Broken);
}

#[test]
fn a_payload_without_an_end_is_broken_at_its_most_bytes() {
    for (header, most) in [(0xC0, 4), (0x94, 4), (0x88, 4), (0xB4, 6)] {
        let bytes = [&[header][..], &[0xFF; 6][..most]].concat();
        let mut parser = Parser::new(Rule::Arm);
        let steps: Vec<Step> = bytes.iter().map(|&byte| parser.step(byte)).collect();
        assert_eq!(
            steps.iter().position(|step| *step == Step::Broken),
            Some(most)
        );
    }
}

#[test]
fn opencsd_reads_four_reserved_headers_as_local_timestamps() {
    let differs = |byte: &u8| header(*byte, Rule::Arm) != header(*byte, Rule::OpenCsd);
    let differing: Vec<u8> = (0..=255).filter(differs).collect();
    assert_eq!(differing, [0x80, 0x90, 0xA0, 0xB0]);
    assert!(
        differing
            .iter()
            .all(|&byte| header(byte, Rule::Arm).kind == Kind::Reserved)
    );
}

#[test]
fn each_pair_of_packets_is_read_again() {
    let headers = || (0..=255).filter_map(|header| packet(header, 0x5A5A_1234_5678));
    assert!(headers().count() > 200);
    for first in headers() {
        for second in headers() {
            let bytes = [emitted(&first), emitted(&second)].concat();
            let read: Vec<Packet> = parsed(&bytes).into_iter().map(|(_, it)| it).collect();
            assert_eq!(read, [first, second]);
        }
    }
}

#[test]
fn packets_that_are_no_sync_have_at_most_four_zeros_in_a_row() {
    for rule in [Rule::Arm, Rule::OpenCsd] {
        let scanned = (0..=0xFF).filter_map(|header| scan(&[header, 0, 0, 0, 0, 0, 0, 0], rule));
        let zeros = scanned.map(|packet| packet.len + u8::from(packet.header == 0));
        assert_eq!(zeros.max(), Some(4));
        assert_eq!(scan(&[0; 8], rule), None, "none begins with a zero");
    }
}

proptest! {
    #[test]
    fn emit_and_parse_are_inverses(header: u8, value: u64) {
        if let Some(packet) = packet(header, value) {
            prop_assert_eq!(parsed(&emitted(&packet)), vec![(Step::Packet, packet)]);
        }
    }

    #[test]
    fn any_bytes_are_parsed_and_whole_packets_are_emitted_again(bytes: Vec<u8>) {
        let mut parser = Parser::new(Rule::Arm);
        let mut since = Vec::new();
        for byte in bytes {
            since.push(byte);
            match parser.step(byte) {
                Step::More => continue,
                Step::Packet if parser.packet().kind != Kind::Sync => {
                    prop_assert_eq!(&emitted(parser.packet()), &since);
                }
                _ => {}
            }
            since.clear();
        }
    }

    #[test]
    fn what_is_scanned_is_what_the_parser_reads(header: u8, rest: [u8; 7]) {
        let bytes = [&[header][..], &rest].concat();
        let first = parsed(&bytes).first().copied();
        let read = first.filter(|(step, it)| *step == Step::Packet && it.kind != Kind::Sync);
        prop_assert_eq!(scan(&bytes, Rule::Arm).map(|it| (Step::Packet, it)), read);
        prop_assert_eq!(scan(&rest, Rule::Arm), None);
    }
}
