// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data trace: its parser and what it says, and the reader of grammars.

use coretrace_data_trace::{Element, Grammar, Keys, Kind, Parser, Record, State};
use coretrace_decode::{Decoder, Policy};
use coretrace_transfers::{Associator, Found, Line};

use super::unit;

/// Few enough that they are used again.
const KEYS: Keys = Keys {
    parents: 8,
    addresses: 4,
    special: 2,
};

/// A grammar with every kind of field and effect.
pub(super) fn invented() -> Grammar {
    let text = include_str!("../../../../protocol/data-trace/tests/invented/grammar.toml");
    Grammar::from_toml(text).expect("a grammar")
}

/// The records of a stream in pieces of this length, with bytes lost before one of them.
fn records(grammar: &Grammar, [kept, rest]: [&[u8]; 2], piece: usize) -> Vec<Record> {
    let (mut parser, mut records) = (Parser::new(), Vec::new());
    let mut put = |record: &Record| records.push(record.clone());
    for bytes in kept.chunks(piece) {
        parser.feed(grammar, bytes, &mut put);
    }
    if !rest.is_empty() {
        parser.lose(&mut put);
    }
    for bytes in rest.chunks(piece) {
        parser.feed(grammar, bytes, &mut put);
    }
    parser.finish(&mut put);
    records
}

/// The parser of data trace: whether the grammar is the public one, a size of pieces, how many of them come
/// before bytes are lost, a unit, bytes of its instruction trace, these, then a stream. Every byte is in one
/// record, whatever the pieces; every element of the stream is passed on once, and can be listed.
pub fn data_trace(data: &[u8]) {
    let &[
        is_public,
        piece,
        before,
        number,
        instructions,
        ref rest @ ..,
    ] = data
    else {
        return;
    };
    let grammar = match is_public & 1 {
        1 => Grammar::public().expect("a grammar"),
        _ => invented(),
    };
    let (instructions, stream) = rest.split_at(rest.len().min(instructions.into()));
    let piece = usize::from(piece).max(1);
    let parts = stream.split_at(stream.len().min(piece * usize::from(before)));
    let got = records(&grammar, parts.into(), piece);
    assert_eq!(got, records(&grammar, parts.into(), 1));
    let mut end = 0;
    for record in &got {
        assert_eq!(record.offset, end, "{record:?}");
        assert!(record.len > 0, "{record:?}");
        assert!(matches!(record.kind, Kind::Packet(_)) || record.fields.is_empty());
        end += record.len;
    }
    assert_eq!(end, stream.len() as u64);

    let set = unit(number);
    let mut associator = Associator::new(KEYS, set.source().profile);
    let mut decoder = Decoder::new(set.config(), Policy::Resync);
    decoder.feed(instructions, |record| associator.instruction(record));
    decoder.finish(|record| associator.instruction(record));
    let mut state = State::new(KEYS);
    let mut text = String::new();
    let (mut transfers, mut values) = (0, 0);
    for record in &got {
        Line::of_packet(&grammar, record).text(&mut text, 1);
        if let Some(element) = state.apply(&grammar, record) {
            transfers += u64::from(matches!(element, Element::Address(_)));
            values += u64::from(matches!(element, Element::Value { .. }));
            associator.data(record.offset, element);
        }
    }
    let mut lines = got.len();
    let statistics = associator.finish(&mut |found: &Found| {
        Line::of_found(found).text(&mut text, 1);
        lines += 1;
    });
    let counted = (statistics.transfers, statistics.values);
    assert_eq!(counted, (transfers, values));
    assert_eq!(text.lines().count(), lines);
}

/// The reader of grammars: its text. A grammar that is read can be followed.
pub fn grammar(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(grammar) = Grammar::from_toml(text) {
        let stream = [&[0; 11][..], &[0x80], data].concat();
        let mut state = State::new(KEYS);
        let mut end = 0;
        for record in records(&grammar, [&stream, &[]], 5) {
            state.apply(&grammar, &record);
            end += record.len;
        }
        assert_eq!(end, stream.len() as u64);
    }
}
