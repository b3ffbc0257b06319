// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked examples of the specification, and round trips over the whole header table.

use coretrace_etm::address::AddressForm;
use coretrace_etm::header::layout;
use coretrace_etm::packet::{commit, cycle_count, exception_info};
use coretrace_etm::*;
use proptest::prelude::*;

fn registers(commopt: bool) -> Registers {
    Registers::from_values(&[
        0x0001_0703,
        0x0801_8EF9 | if commopt { 1 << 29 } else { 0 },
        0x4100_F463,
        0x1000_1088,
        32,
        0x4773_5A13,
    ])
}

fn configs() -> Vec<Config> {
    let mut all = Vec::new();
    for protocol in [Protocol::Etm4, Protocol::Ete] {
        for profile in [ArchProfile::A, ArchProfile::M7, ArchProfile::M8] {
            for commopt in [false, true] {
                all.push(Config::new(protocol, profile, &registers(commopt)));
                let bare = Registers {
                    trcidr1: 0x4100_F403,
                    ..Registers::default()
                };
                all.push(Config::new(protocol, profile, &bare));
            }
        }
    }
    all
}

fn etm46() -> Config {
    Config::new(Protocol::Etm4, ArchProfile::A, &registers(false))
}

#[test]
fn an_async_has_eleven_zeros_and_no_other_number() {
    for zeros in 2..14 {
        let mut bytes = vec![0; zeros];
        bytes.push(0x80);
        let parsed = parse(&bytes, &etm46());
        assert_eq!(parsed.is_ok(), zeros == 11, "{zeros} zeros: {parsed:?}");
    }
}

fn one(bytes: &[u8], config: &Config) -> Packet {
    let (packet, len) = parse(bytes, config).expect("a packet");
    assert_eq!(len, bytes.len(), "{bytes:02x?} gives {packet:?}");
    packet
}

#[test]
fn trace_info_sections_follow_plctl() {
    let config = etm46();
    let p = one(&[1, 9, 1, 0x0A], &config);
    assert_eq!(
        (
            p.field(Part::Field0),
            p.field(Part::Field1),
            p.field(Part::Field3)
        ),
        (Some(1), None, Some(10))
    );
    let p = one(&[1, 0x0F, 1, 0x83, 1, 5, 0x80, 1], &config);
    assert_eq!(p.fields, [1, 131, 5, 128, 0]);
    assert_eq!(one(&[1, 0x81, 0, 0x7F], &config).fields[0], 0x7F);
    one(&[1, 0], &config);
}

#[test]
fn timestamps_end_after_nine_bytes_at_the_latest() {
    let config = etm46();
    assert_eq!(one(&[2, 0x81, 1], &config).timestamp(), (0x81, 14));
    let long = [2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x85];
    assert_eq!(one(&long, &config).timestamp(), (0x85FF_FFFF_FFFF_FFFF, 64));
    let counted = one(&[3, 0x81, 1, 5], &config);
    assert_eq!(
        (counted.timestamp(), counted.field(Part::Field1)),
        ((0x81, 14), Some(5))
    );
}

#[test]
fn cycle_counts_add_the_threshold_and_commit() {
    let values = |bytes: &[u8], commopt| {
        let config = Config::new(Protocol::Etm4, ArchProfile::A, &registers(commopt));
        let p = one(bytes, &config);
        let count = cycle_count(p.kind, p.header, p.lead[0], p.fields[1], 10).unwrap();
        (
            count,
            commit(p.kind, p.header, p.lead[0], p.fields[0], &config),
        )
    };
    assert_eq!(values(&[0x0E, 0x85, 1], true), (0x8F, None));
    assert_eq!(values(&[0x0F], true), (0, None));
    assert_eq!(values(&[0x0C, 0x35], true), (15, None));
    assert_eq!(values(&[0x1F], true), (13, None));
    assert_eq!(values(&[0x0E, 0x83, 1, 0x85, 1], false), (0x8F, Some(131)));
    assert_eq!(values(&[0x0F, 3], false), (0, Some(3)));
    assert_eq!(values(&[0x0C, 0x35], false), (15, Some(4)));
    assert_eq!(values(&[0x0D, 0xF5], false), (15, Some(32)));
    assert_eq!(values(&[0x1F], false), (13, Some(4)));
}

#[test]
fn exceptions_have_one_or_two_information_bytes() {
    let config = etm46();
    let info = |bytes: &[u8]| exception_info(&one(bytes, &config).lead);
    assert_eq!(
        (info(&[6, 0x1D]).number, info(&[6, 0x1D]).interpretation),
        (14, 1)
    );
    assert_eq!(
        (info(&[6, 0x5C]).number, info(&[6, 0x5C]).interpretation),
        (14, 2)
    );
    let irq480 = info(&[6, 0x81, 0x3F]);
    assert_eq!((irq480.number, irq480.fault_pending), (0x3E0, true));
    let ete = Config::new(Protocol::Ete, ArchProfile::A, &registers(false));
    assert_eq!(one(&[6, 0x31, 0x70], &ete).kind, Kind::TransactionFail);
    assert_eq!(one(&[6, 0x01, 0x70], &ete).kind, Kind::PeReset);
    assert_eq!(one(&[6, 0x1D], &ete).kind, Kind::Exception);
}

#[test]
fn context_sizes_come_from_the_registers() {
    let small = Registers {
        trcidr1: 0x4100_F403,
        trcidr2: 0x488,
        ..Registers::default()
    };
    let config = Config::new(Protocol::Etm4, ArchProfile::A, &small);
    let p = one(&[0x81, 0xE1, 1, 2, 3, 4, 5], &config);
    assert_eq!((p.info, p.vmid, p.cid), (0xE1, 1, 0x0504_0302));
    let none = Registers {
        trcidr1: 0x4100_F403,
        ..Registers::default()
    };
    one(
        &[0x81, 0xE1],
        &Config::new(Protocol::Etm4, ArchProfile::A, &none),
    );
    let q = one(&[0xA5, 0x81, 2, 7], &etm46());
    assert_eq!(
        (q.address_form(), q.field(Part::Field1)),
        (Some((AddressForm::Short, false)), Some(7))
    );
}

#[test]
fn errors_say_how_many_bytes_they_take() {
    let config = etm46();
    assert_eq!(
        parse(&[0, 0x44, 1], &config),
        Err(ParseError::Bad(Kind::BadSequence, 2))
    );
    assert_eq!(
        parse(&[0, 0, 0, 0, 0x13], &config),
        Err(ParseError::Bad(Kind::BadSequence, 5))
    );
    assert_eq!(
        parse(&[0; 12], &config),
        Err(ParseError::Bad(Kind::BadSequence, 12))
    );
    assert_eq!(
        parse(&[0x47], &config),
        Err(ParseError::Bad(Kind::Reserved, 1))
    );
    assert_eq!(
        parse(&[0x9D, 1], &config),
        Err(ParseError::Incomplete(Kind::AddrLong64Is0))
    );
    let bare = Config::new(Protocol::Etm4, ArchProfile::A, &Registers::default());
    assert_eq!(
        parse(&[0x43], &bare),
        Err(ParseError::Bad(Kind::ReservedCfg, 1))
    );
}

proptest! {
    #[test]
    fn emit_is_the_inverse_of_parse(header: u8, body: [u8; 40], pick: prop::sample::Index) {
        let configs = configs();
        let config = pick.get(&configs);
        let mut bytes = vec![header];
        bytes.extend(body);
        if let Ok((packet, _)) = parse(&bytes, config) {
            let written = emit(&packet, config);
            let again = parse(written.as_slice(), config);
            prop_assert_eq!(again, Ok((packet, written.as_slice().len())));
        }
    }

    #[test]
    fn a_parser_never_stops_taking_bytes(bytes: Vec<u8>, pick: prop::sample::Index) {
        let configs = configs();
        let mut parser = Parser::new(*pick.get(&configs), AsyncRule::AtLeast);
        for byte in bytes {
            parser.step(byte);
        }
    }
}

#[test]
fn every_open_header_parses_with_every_second_byte() {
    for config in configs() {
        for header in 0..=255u8 {
            for second in 0..=255u8 {
                let mut bytes = vec![header, second];
                bytes.extend([0u8; 40]);
                if layout(header, &config).kind == Kind::Async {
                    bytes[11] = 0x80;
                }
                match parse(&bytes, &config) {
                    Ok((packet, len)) => assert!(len <= 31, "{packet:?}"),
                    Err(ParseError::Bad(..)) => {}
                    Err(ParseError::Incomplete(kind)) => {
                        panic!("{header:02x} {second:02x}: {kind:?}")
                    }
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn a_whole_packet_is_what_the_parser_makes_of_it(
        header: u8,
        zero_mask: u16,
        behind: [u8; 16],
        len in 0..=16usize,
    ) {
        let mut bytes = vec![header];
        let zeroed = |(place, byte): (usize, &u8)| if zero_mask >> place & 1 == 1 { 0 } else { *byte };
        bytes.extend(behind.iter().enumerate().map(zeroed).take(len));
        for config in configs() {
            let parsed = match parse(&bytes, &config) {
                Ok((packet, len)) => Some((packet.kind, Some(packet), len)),
                Err(ParseError::Bad(kind, len)) => Some((kind, None, len)),
                Err(ParseError::Incomplete(_)) => None,
            };
            let read = whole(&bytes, &config).map(|(packet, len)| {
                (packet.kind, (!packet.kind.is_error()).then_some(packet), len)
            });
            // The parser alone reads A-Syncs, extensions and overlong fields.
            if read.is_some() || header != 0 && len < 6 {
                prop_assert_eq!(read, parsed, "{:02x?}", bytes);
            }
        }
    }
}
