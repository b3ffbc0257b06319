// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of a packet's groups in, records out.

use coretrace_abi::record_stream::{AddressRule, place_of, tag};
use coretrace_etm::{Config, Kind, Record};

use crate::addresses::Addresses;
use crate::head::Head;
use crate::item::{Item, Sink};
use crate::packet_state::{PacketState, take_values};
use crate::place::Place;
use crate::plain::Plain;
use crate::start::Start;
use crate::tag_row::TagRow;

/// A source, and what the tags of its records mean.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub start: Start,
    config: Config,
    plain: Box<[Option<Plain>; 256]>,
    rows: Box<[TagRow; 256]>,
}

impl Source {
    pub fn new(start: Start) -> Source {
        let config = start.config();
        let rows: Box<[TagRow; 256]> = Box::new(std::array::from_fn(|tag| {
            TagRow::of_tag(tag as u8, &config)
        }));
        let plain = std::array::from_fn(|tag| Plain::of_tag(tag as u8, &rows[tag].constant));
        Source {
            start,
            config,
            plain: Box::new(plain),
            rows,
        }
    }

    /// Reads the groups of a packet. Returns how many words were read: fewer than there are if what
    /// is behind them is no group, although the CRC is right.
    pub fn packet(&self, head: &Head, words: &[u32], sink: &mut impl Sink) -> usize {
        let mut state = PacketState::new(&self.config, &self.start, &head.state);
        let mut addresses = Addresses::new(&self.start, head.state.address);
        // Its address, timestamp and context are those of the last record.
        let mut record = Record {
            address: head.state.address,
            timestamp: head.state.timestamp,
            context: head.state.context,
            ..Record::blank(Kind::Async)
        };
        let mut rest = words;
        while let Some((tags, behind)) = rest.split_first() {
            let group = if *tags as u8 == tag::PLACE {
                self.placed_group(*tags, behind, &mut addresses, &mut state, &mut record, sink)
            } else {
                self.group(*tags, behind, &mut addresses, &mut state, &mut record, sink)
            };
            match group {
                Some(more) => rest = more,
                None => break,
            }
        }
        words.len() - rest.len()
    }

    /// Reads a group with the places of its tags in front of it; returns the words behind it. Rare, and out of the way
    /// of the others.
    #[cold]
    #[inline(never)]
    fn placed_group<'w>(
        &self,
        places: u32,
        words: &'w [u32],
        addresses: &mut Addresses,
        state: &mut PacketState<'_>,
        record: &mut Record,
        sink: &mut impl Sink,
    ) -> Option<&'w [u32]> {
        let [last, tags, rest @ ..] = words else {
            return None;
        };
        let (mut rest, mut before) = (rest, None);
        for (number, tag) in (0..).zip(tags.to_le_bytes()) {
            if tag != tag::NONE {
                let (row, lane) = place_of([places, *last], number);
                let place = Place { row, lane };
                if before != Some(place) {
                    sink.other(Item::Place(place));
                }
                before = Some(place);
                rest = self.group(tag.into(), rest, addresses, state, record, sink)?;
            }
        }
        Some(rest)
    }

    /// Reads a group; returns the words behind it.
    #[inline(always)]
    fn group<'w>(
        &self,
        tags: u32,
        words: &'w [u32],
        addresses: &mut Addresses,
        state: &mut PacketState<'_>,
        record: &mut Record,
        sink: &mut impl Sink,
    ) -> Option<&'w [u32]> {
        let mut rest = words;
        let mut tags = tags;
        while tags != 0 {
            let tag = tags as u8;
            tags >>= 8;
            if let Some(plain) = &self.plain[usize::from(tag)] {
                if plain.has_address() {
                    rest = plain.take_address(rest, addresses)?;
                    record.address = addresses.newest();
                }
                if plain.has_body {
                    rest = self.values(tag, rest, record)?;
                }
                state.take_plain(tag, plain, record);
                sink.record(record);
                continue;
            }
            if tag == tag::NONE {
                continue;
            }
            let row = &self.rows[usize::from(tag)];
            if row.is_cycles && state.has_fields(row.fields) {
                let (word, more) = rest.split_first()?;
                rest = more;
                state.take_cycles(tag, row, *word, record);
                sink.record(record);
                continue;
            }
            let (address, more) = rest.split_at_checked(addresses.known.words(row.address))?;
            let first = more.first().copied().unwrap_or_default();
            let (body, more) = more.split_at_checked(row.body.words(first))?;
            rest = more;
            match row.address {
                AddressRule::None => {}
                AddressRule::Match(register) => addresses.take(register, address),
                AddressRule::Low | AddressRule::All => addresses.take(0, address),
            }
            addresses.known.count(tag, row.address);
            match tag {
                tag::FIELD => state.field(body[0]),
                tag::LOST => {
                    state.lose();
                    sink.other(Item::Lost(body[0]));
                }
                _ if !row.exists => return None,
                _ => {
                    *addresses = state.take(tag, row.body, body, *addresses, record);
                    sink.record(record);
                }
            }
        }
        Some(rest)
    }

    /// Takes timestamp or context of a plain tag; returns the words behind them. Rare among such
    /// tags, and out of the way of the others.
    #[cold]
    #[inline(never)]
    fn values<'w>(&self, tag: u8, rest: &'w [u32], record: &mut Record) -> Option<&'w [u32]> {
        let body = self.rows[usize::from(tag)].body;
        let first = rest.first().copied().unwrap_or_default();
        let (words, more) = rest.split_at_checked(body.words(first))?;
        take_values(record, body, words);
        Some(more)
    }
}
