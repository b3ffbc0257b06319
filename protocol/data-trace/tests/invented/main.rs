// SPDX-License-Identifier: MIT OR Apache-2.0
//! A grammar with payloads, none of which a trace unit is known to have.

use coretrace_data_trace::{
    Address, Element, Grammar, Keys, Kind, Parser, Payload, Record, State, emit,
};
use proptest::prelude::*;

const FILE: &str = include_str!("grammar.toml");

const KEYS: Keys = Keys {
    parents: 256,
    addresses: 8,
    special: 2,
};

fn grammar() -> Grammar {
    Grammar::from_toml(FILE).unwrap()
}

/// The records of a stream whose bytes come in pieces of this length.
fn records(grammar: &Grammar, bytes: &[u8], piece: usize) -> Vec<Record> {
    let (mut parser, mut records) = (Parser::new(), Vec::new());
    let mut put = |record: &Record| records.push(record.clone());
    for piece in bytes.chunks(piece) {
        parser.feed(grammar, piece, &mut put);
    }
    parser.finish(&mut put);
    records
}

fn elements(grammar: &Grammar, packets: &[(&str, &[(&str, u64)])]) -> Vec<Element> {
    let mut bytes = Vec::new();
    emit::emit_async(&mut bytes);
    for (name, fields) in packets {
        emit(grammar, name, fields, &mut bytes).unwrap();
    }
    let mut state = State::new(KEYS);
    let records = records(grammar, &bytes, bytes.len());
    records
        .iter()
        .filter_map(|record| state.apply(grammar, record))
        .collect()
}

#[test]
fn addresses_values_and_keys_are_those_of_the_grammar() {
    let address = |parent, key, index, address| {
        Element::Address(Address {
            parent,
            key,
            index,
            address: Some(address),
        })
    };
    let found = elements(
        &grammar(),
        &[
            (
                "LONG_ADDRESS",
                &[
                    ("C", 1),
                    ("key", 255),
                    ("I", 1),
                    ("T", 3),
                    ("addr", 0x8000_1000),
                ],
            ),
            ("SHORT_ADDRESS", &[("addr", 0x22)]),
            ("SAME_ADDRESS", &[("R", 1)]),
            ("STEP_UP", &[("S", 1), ("addr", 0x10)]),
            ("STEP_DOWN", &[("S", 0), ("addr", 0x20)]),
            ("VALUE", &[("S", 2), ("key", 1), ("value", 0xF00D)]),
            ("SIGNED_VALUE", &[("key", 2), ("value", 0xFE)]),
            ("NUMBERED_DATA_SYNC_MARK", &[("N", 5)]),
            ("TIMESTAMP", &[("ts", 0x1_0000_0000)]),
            ("TIMESTAMP", &[("ts", 7)]),
        ],
    );
    let expected = [
        Element::Sync,
        address(255, 0, 3, 0x8000_1000),
        address(0, 1, 3, 0x8000_1022),
        address(0, 2, 4, 0x8000_1000),
        address(1, 7, 4, 0x8000_1010),
        address(2, 6, 4, 0x8000_0FF0),
        Element::Value {
            key: 1,
            value: 0xF00D,
        },
        Element::Value {
            key: 2,
            value: u64::MAX - 1,
        },
        Element::Mark(5),
        Element::Timestamp(0x1_0000_0000),
        Element::Timestamp(0x1_0000_0007),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_grammar_that_means_nothing_is_refused() {
    let wrong = [
        ("match = \"10xxxxxx\"", "match = \"0xxxxxxx\"", "share 0x"),
        (
            "match = \"10xxxxxx\"",
            "match = \"1x0xxxxx\"",
            "has x twice",
        ),
        (
            "match = \"0110000S\"",
            "match = \"01100000\"",
            "there is no field S",
        ),
        ("name = \"STEP_UP\"", "name = \"STEP UP\"", "is not a name"),
        ("\"index.next\"", "\"index.last\"", "is no effect"),
        ("max = 3", "max = 10", "more than 9 bytes"),
        ("n = 4", "n = 9", "more than 8 bytes"),
        (
            "when = \"C\"",
            "when = \"x\"",
            "no earlier field of one bit",
        ),
        ("field = \"S\"", "field = \"Q\"", "no earlier field Q"),
        ("packets = [", "packets = [\"VALUE\",", "the example"),
        ("00 = { name", "02 = { name", "no A-Sync"),
        (
            "match = \"00000001\"",
            "match = \"00000000\"",
            "header of extensions",
        ),
        ("k = \"bits\"", "k = \"bit\"", "kind \"bit\""),
    ];
    for (from, to, message) in wrong {
        let file = FILE.replacen(from, to, 1);
        assert_ne!(file, FILE, "{from}");
        let cause = format!("{:#}", Grammar::from_toml(&file).unwrap_err());
        assert!(cause.contains(message), "{to}: {cause}");
    }
}

#[test]
fn what_has_no_public_payload_is_raw_up_to_the_next_async() {
    let grammar = Grammar::public().unwrap();
    let unknown = grammar
        .packets()
        .iter()
        .filter(|packet| matches!(packet.payload, Payload::Unknown));
    let mut names = 0;
    for packet in unknown {
        let mut bytes = Vec::new();
        emit::emit_async(&mut bytes);
        if packet.is_extension {
            bytes.push(0);
        }
        bytes.push(packet.pattern.value());
        bytes.extend([0x01, 0x00, 0x00, 0x13, 0xFF]);
        emit::emit_async(&mut bytes);
        let found = records(&grammar, &bytes, 1);
        assert_eq!(found.len(), 3, "{}", packet.name);
        assert_eq!(
            found[1].kind,
            Kind::Raw(grammar.named(&packet.name).unwrap())
        );
        assert_eq!(
            (found[1].offset, found[1].len),
            (12, bytes.len() as u64 - 24)
        );
        let mut state = State::new(KEYS);
        assert_eq!(state.apply(&grammar, &found[1]), Some(Element::Lost));
        names += 1;
    }
    assert_eq!(names, 15);
}

#[test]
fn an_async_is_found_from_every_state() {
    let grammar = grammar();
    let mut bytes = Vec::new();
    emit(
        &grammar,
        "LONG_ADDRESS",
        &[("C", 1), ("key", 0x1FFF), ("addr", 0xFF00_FF00)],
        &mut bytes,
    )
    .unwrap();
    for cut in 0..=bytes.len() {
        let mut stream = Vec::new();
        emit::emit_async(&mut stream);
        stream.extend(&bytes[..cut]);
        emit::emit_async(&mut stream);
        stream.push(0x01);
        let found = records(&grammar, &stream, stream.len());
        let last = found.last().unwrap();
        let mark = grammar.named("UNNUMBERED_DATA_SYNC_MARK").unwrap();
        assert_eq!((last.kind, last.len), (Kind::Packet(mark), 1), "{cut}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_covered_once_however_they_are_cut(
        parts in proptest::collection::vec(
            prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..20),
                Just([vec![0; 11], vec![0x80]].concat()),
                Just(vec![0; 5]),
            ],
            0..20,
        ),
        piece in 1usize..9,
        public in any::<bool>(),
    ) {
        let grammar = if public { Grammar::public().unwrap() } else { grammar() };
        let bytes = parts.concat();
        let whole = records(&grammar, &bytes, bytes.len().max(1));
        let mut at = 0;
        for record in &whole {
            prop_assert_eq!(record.offset, at);
            prop_assert!(record.len > 0);
            at += record.len;
        }
        prop_assert_eq!(at, bytes.len() as u64);
        prop_assert_eq!(&whole, &records(&grammar, &bytes, piece));
        let mut state = State::new(KEYS);
        for record in &whole {
            state.apply(&grammar, record);
        }
    }

    #[test]
    fn parse_is_the_inverse_of_emit(
        key in 0u64..1 << 21, addr in any::<u32>(), flags in 0u64..4, low in 0u64..256, size in 0u64..4,
        value in any::<u32>(), time in any::<u64>(),
    ) {
        let grammar = grammar();
        let most = [0, 0xFF, 0xFFFF, 0xFFFF_FFFF][size as usize];
        let (with_key, with_index) = (flags & 1, flags >> 1);
        let mut address = vec![("C", with_key), ("I", with_index), ("x", low & 3)];
        address.extend((with_key == 1).then_some(("key", key)));
        address.extend([("T", low >> 4), ("S", low & 15)].into_iter().filter(|_| with_index == 1));
        address.push(("addr", u64::from(addr)));
        let packets: [(&str, Vec<(&str, u64)>); 3] = [
            ("LONG_ADDRESS", address),
            ("VALUE", vec![("S", size), ("x", low & 3), ("key", key & 0x3FFF), ("value", u64::from(value) & most)]),
            ("TIMESTAMP", vec![("ts", time)]),
        ];
        let mut bytes = Vec::new();
        emit::emit_async(&mut bytes);
        for (name, fields) in &packets {
            emit(&grammar, name, fields, &mut bytes).unwrap();
        }
        // Zeros and 80 of a payload may be an A-Sync; no field here has eleven zeros.
        let found = records(&grammar, &bytes, 3);
        prop_assert_eq!(found.len(), packets.len() + 1);
        for (record, (name, fields)) in found[1..].iter().zip(&packets) {
            prop_assert_eq!(record.kind, Kind::Packet(grammar.named(name).unwrap()));
            let read: Vec<(&str, u64)> = record.fields.iter().map(|field| (&field.name[..], field.value)).collect();
            prop_assert_eq!(&read, fields);
        }
    }
}
