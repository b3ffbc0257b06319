// SPDX-License-Identifier: MIT OR Apache-2.0
//! The record stream: records as 32-bit words, for software to read. `docs/records.md` describes
//! the format; the hardware that writes it and the software that reads it share these rules.
//!
//! The stream is a sequence of *packets*, each of which can be read alone: a [`head`], groups, and
//! a tail, which is the word of [`tail`] and a CRC-32 of all words before it. Words of 0 between
//! packets are padding.
//!
//! A *group* is a tag word, four tags of a byte each with the first in bits 7:0, and then the words
//! of each tag in the order of the tags. Tag 0 means no record and has no words, so a word of 0 is
//! padding. The tag of a packet of trace is its header byte; values that are no header in any
//! configuration tag everything else, see [`tag`].
//!
//! The words of a record are those of its address, then those of its body.

use coretrace_etm::Kind;
use coretrace_etm::address::{AddressForm, address_form};
use coretrace_etm::header::{HEADERS, Lead, Part, Parts};
use coretrace_etm::record::Record;

/// Version of the format: the last letter of [`MAGIC`].
pub const VERSION: u8 = 2;

/// The first word of a packet: "ETM2" in memory.
pub const MAGIC: u32 = u32::from_le_bytes([b'E', b'T', b'M', b'0' + VERSION]);

/// The most words of a packet, with its tail.
pub const MAX_PACKET_WORDS: usize = 1024;

/// Words of a tail.
pub const TAIL_WORDS: usize = 2;

/// The first word of the tail of a packet that has this many words before it. The second word is
/// [`crc`] of those words.
pub const fn tail(words: usize) -> u32 {
    (words as u32) << 16 | tag::END as u32
}

/// The polynomial of CRC-32 (IEEE 802.3), lowest bit first.
const CRC_POLYNOMIAL: u32 = 0xEDB8_8320;

/// The step of a CRC-32 from word to word, without the inversions at its beginning and end: what
/// CRC-32 does with the four bytes of the word, lowest first.
const fn crc_step(crc: u32, word: u32) -> u32 {
    let mut crc = crc ^ word;
    let mut bit = 0;
    while bit < u32::BITS {
        crc = (crc >> 1) ^ (CRC_POLYNOMIAL * (crc & 1));
        bit += 1;
    }
    crc
}

/// What each bit of a word, or of the CRC before it, makes of the CRC of so many words, that word the first of
/// them and the others 0. A CRC is the exclusive or of what all bits make of it.
pub const fn crc_columns(words: usize) -> [u32; 32] {
    let (mut columns, mut bit) = ([0; 32], 0);
    while bit < columns.len() {
        let (mut crc, mut word) = (1 << bit, 0);
        while word < words {
            crc = crc_step(crc, 0);
            word += 1;
        }
        columns[bit] = crc;
        bit += 1;
    }
    columns
}

/// CRC-32 (IEEE 802.3) of words as they are in memory.
pub const fn crc(words: &[u32]) -> u32 {
    let (mut crc, mut word) = (!0, 0);
    while word < words.len() {
        crc = crc_step(crc, words[word]);
        word += 1;
    }
    !crc
}

/// Positions of the words of a head, and of the bits of its flags.
pub mod head {
    use coretrace_etm::Registers;

    /// [`MAGIC`](super::MAGIC).
    pub const MAGIC: usize = 0;
    /// The flags; the context information byte is in bits 7:0.
    pub const FLAGS: usize = 1;
    /// The number of the packet since reset, modulo 2^32.
    pub const NUMBER: usize = 2;
    /// The trace unit's registers in the order of their names.
    pub const REGISTERS: usize = 3;
    /// The newest address register: address bits 31:1, and the IS bit in bit 0; then bits 63:32.
    pub const ADDRESS: usize = REGISTERS + Registers::NAMES.len();
    /// The timestamp, low word first.
    pub const TIMESTAMP: usize = ADDRESS + 2;
    /// VMID.
    pub const VMID: usize = TIMESTAMP + 2;
    /// Context ID.
    pub const CID: usize = VMID + 1;
    /// The threshold of cycle counts.
    pub const THRESHOLD: usize = CID + 1;
    /// Words of a head.
    pub const WORDS: usize = THRESHOLD + 1;

    /// Lowest bit of the trace ID in the flags.
    pub const TRACE_ID: u32 = 8;
    /// The error policy is lenient.
    pub const LENIENT: u32 = 16;
    /// The source is an ETE.
    pub const ETE: u32 = 17;
    /// The core is an Armv8-M.
    pub const V8M: u32 = 18;
    /// Every address is written in full.
    pub const EXPLICIT: u32 = 19;
    /// A filter omits records.
    pub const FILTERED: u32 = 20;
    /// Under the lenient policy: a loss or an error came before, since the last A-Sync.
    pub const SUSPECT: u32 = 21;
    /// The source was enabled before this packet: all state is as after reset.
    pub const START: u32 = 22;
}

/// Tags that are not header bytes.
pub mod tag {
    /// No record.
    pub const NONE: u8 = 0x00;
    /// The [`places`](super::place_words) of the tags of the group behind it; alone in its group.
    pub const PLACE: u8 = 0x84;
    /// An A-Sync.
    pub const ASYNC: u8 = 0x89;
    /// A continuation field that is not the last one of its packet, which is still to come.
    pub const FIELD: u8 = 0x8A;
    /// A Discard.
    pub const DISCARD: u8 = 0x8B;
    /// An Overflow.
    pub const OVERFLOW: u8 = 0x8C;
    /// Bytes that are not a packet.
    pub const ERROR: u8 = 0x8D;
    /// Bytes of the source were lost. It is alone in its group.
    pub const LOST: u8 = 0x8E;
    /// The end of a packet; alone in its word, which is [`tail`](super::tail).
    pub const END: u8 = 0x8F;
}

/// Words in front of a group that say where its tags are in the trace port.
pub const PLACE_WORDS: usize = 2;
/// Bits of a lane in the first of these words.
pub const PLACE_LANE_W: u32 = 2;
/// Bits of a row in the first of these words: its lowest ones.
pub const PLACE_ROW_W: u32 = 4;
/// The most rows between the earliest tag of a group and the row in the second of these words.
pub const PLACE_ROWS: u32 = (1 << PLACE_ROW_W) - 1;

/// Where the place of a tag of a group begins in the first word.
const fn place_at(number: u32) -> u32 {
    u8::BITS + number * (PLACE_LANE_W + PLACE_ROW_W)
}

/// Row and lane of the last byte of the tag of this number, 0 to 3, from the words in front of its group. The row is the
/// newest one, up to that of the second word, that has these lowest bits.
#[inline]
pub const fn place_of(words: [u32; PLACE_WORDS], number: u32) -> (u32, u8) {
    let [bits, last] = words;
    let bits = bits >> place_at(number);
    let lane = bits & ((1 << PLACE_LANE_W) - 1);
    let before = last.wrapping_sub(bits >> PLACE_LANE_W) & PLACE_ROWS;
    (last.wrapping_sub(before), lane as u8)
}

/// The words in front of a group: its tags have their last bytes in these rows and lanes, and `last` is at most
/// [`PLACE_ROWS`] rows behind the earliest of them.
pub fn place_words(places: [(u32, u8); 4], last: u32) -> [u32; PLACE_WORDS] {
    let bits = (0..).zip(places).map(|(number, (row, lane))| {
        let low = (row & PLACE_ROWS) << PLACE_LANE_W | u32::from(lane);
        low << place_at(number)
    });
    [bits.fold(tag::PLACE.into(), |word, bits| word | bits), last]
}

/// Bit of the word of a [`tag::ERROR`]: bits 7:0 are not a reserved header, but the byte after a
/// header 0x00.
pub const BAD_SEQUENCE: u32 = 8;

/// The most words of a record: an address and a context with all its fields.
pub const MAX_RECORD_WORDS: usize = 5;

/// How a record encodes its address: the low word has address bits 31:1 and the IS bit in bit 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRule {
    /// It has none.
    None,
    /// No words while the reader knows the address register of this number, else two.
    Match(u8),
    /// The low word; the high word too while the reader does not know the newest register.
    Low,
    /// Low and high word.
    All,
}

/// The words of a record after its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// None.
    None,
    /// The last continuation field; 0 if the configuration gives the packet none.
    Field,
    /// Lead bytes 0 to 3.
    Lead,
    /// Lead bytes 0 to 3, 4 to 7, and 8.
    LongLead,
    /// PLCTL, then the last continuation field, 0 if there is none.
    Plctl,
    /// The timestamp, low word first.
    Timestamp,
    /// The same, then the last continuation field.
    TimestampField,
    /// The context information byte; the VMID if bit 6 of it is set; the context ID if bit 7 is.
    Context,
    /// Of a [`tag::ERROR`]: the offending byte, and [`BAD_SEQUENCE`].
    Error,
    /// Of a [`tag::LOST`]: the number of words of the trace port lost since reset, saturating.
    Lost,
}

impl Body {
    /// The number of words. `first` is the first of them.
    #[inline]
    pub const fn words(self, first: u32) -> usize {
        match self {
            Body::None => 0,
            Body::Field | Body::Lead | Body::Error | Body::Lost => 1,
            Body::Plctl | Body::Timestamp => 2,
            Body::LongLead | Body::TimestampField => 3,
            Body::Context => 1 + (first >> 6 & 1) as usize + (first >> 7 & 1) as usize,
        }
    }
}

/// The tag of a record; none for unread bytes and a packet cut off at the end, which are not
/// reported.
pub fn tag_of(record: &Record) -> Option<u8> {
    match record.kind {
        Kind::NotSync | Kind::Incomplete => None,
        Kind::Async => Some(tag::ASYNC),
        Kind::Discard => Some(tag::DISCARD),
        Kind::Overflow => Some(tag::OVERFLOW),
        kind if kind.is_error() => Some(tag::ERROR),
        _ => Some(record.header),
    }
}

/// The rules of a tag, if it is one.
#[inline]
pub const fn rules(tag: u8) -> Option<(AddressRule, Body)> {
    RULES[tag as usize]
}

static RULES: [Option<(AddressRule, Body)>; 256] = {
    let mut rules = [None; 256];
    let mut tag = 0;
    while tag < rules.len() {
        rules[tag] = rules_of(tag as u8);
        tag += 1;
    }
    rules
};

const fn rules_of(tag: u8) -> Option<(AddressRule, Body)> {
    let body = match tag {
        tag::NONE | tag::ASYNC | tag::DISCARD | tag::OVERFLOW => Body::None,
        tag::FIELD => Body::Field,
        tag::ERROR => Body::Error,
        tag::LOST => Body::Lost,
        tag::PLACE | tag::END => return None,
        header => return header_rules(header),
    };
    Some((AddressRule::None, body))
}

const fn header_rules(header: u8) -> Option<(AddressRule, Body)> {
    let row = &HEADERS[header as usize];
    if row.gate.mask() == coretrace_etm::Gate::Never.mask() {
        return None;
    }
    let address = match address_form(header) {
        None | Some((AddressForm::Zero, _)) => AddressRule::None,
        Some((AddressForm::Match(register), _)) => AddressRule::Match(register),
        Some((AddressForm::Short | AddressForm::Long32, _)) => AddressRule::Low,
        Some((AddressForm::Long64, _)) => AddressRule::All,
    };
    let has_field = row.tail.0 & !Parts::of(Part::Info).0 != 0;
    let body = match row.lead {
        Lead::Plctl => Body::Plctl,
        Lead::Timestamp if has_field => Body::TimestampField,
        Lead::Timestamp => Body::Timestamp,
        Lead::Byte | Lead::Exception => Body::Lead,
        Lead::Instrumentation => Body::LongLead,
        _ if row.tail.contains(Part::Info) => Body::Context,
        _ if has_field => Body::Field,
        _ => Body::None,
    };
    Some((address, body))
}

/// What a reader knows of the address registers. The writer keeps the same count, so both agree on
/// which words are present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownAddresses {
    /// How many of them the records since the last head, A-Sync, Trace Info or loss have reported,
    /// newest first.
    pub count: u8,
    /// Every address is written in full: the count stays 0.
    pub explicit: bool,
    /// The source is an ETE: an exception may set the newest register to 0.
    pub ete: bool,
}

impl KnownAddresses {
    /// The number of words that the address of a record has.
    #[inline]
    pub fn words(&self, rule: AddressRule) -> usize {
        match rule {
            AddressRule::None => 0,
            AddressRule::Match(register) if register < self.count => 0,
            AddressRule::Low if self.count > 0 => 1,
            _ => 2,
        }
    }

    /// Updates the count after a record with this tag.
    #[inline]
    pub fn count(&mut self, tag: u8, rule: AddressRule) {
        let forgets =
            matches!(tag, tag::ASYNC | tag::LOST | TRACE_INFO) || (tag == EXCEPTION && self.ete);
        if forgets || self.explicit {
            self.count = 0;
        } else if rule != AddressRule::None {
            self.count = (self.count + 1).min(3);
        }
    }
}

/// Header of a Trace Info.
const TRACE_INFO: u8 = 0x01;
/// Header of an exception.
const EXCEPTION: u8 = 0x06;

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_etm::Gate;

    #[test]
    fn a_crc_is_the_exclusive_or_of_what_its_bits_make() {
        let words = [0x0123_4567, 0x89AB_CDEF, 1 << 31];
        let mut sum = crc(&[0; 3]);
        for (columns, word) in [3, 2, 1].map(crc_columns).into_iter().zip(words) {
            let bits = (0..).zip(columns).filter(|(bit, _)| word >> bit & 1 == 1);
            sum = bits.fold(sum, |sum, (_, column)| sum ^ column);
        }
        assert_eq!(sum, crc(&words));
    }

    #[test]
    fn no_header_that_exists_is_another_tag() {
        for tag in (tag::ASYNC..=tag::END).chain([tag::PLACE]) {
            assert_eq!(HEADERS[usize::from(tag)].gate, Gate::Never, "{tag:#04x}");
        }
    }

    #[test]
    fn every_header_but_zero_has_rules_if_it_exists() {
        for header in 1..=u8::MAX {
            let exists = HEADERS[usize::from(header)].gate != Gate::Never;
            let is_tag = exists || (tag::ASYNC..tag::END).contains(&header);
            assert_eq!(rules(header).is_some(), is_tag, "{header:#04x}");
        }
        assert_eq!(rules(tag::NONE), Some((AddressRule::None, Body::None)));
    }

    #[test]
    fn a_record_has_no_more_words_than_the_most() {
        for header in 0..=u8::MAX {
            let Some((rule, body)) = rules(header) else {
                continue;
            };
            let words = KnownAddresses::default().words(rule) + body.words(u32::MAX);
            assert!(words <= MAX_RECORD_WORDS, "{header:#04x}");
        }
    }

    #[test]
    fn every_tag_of_a_group_has_its_place_across_the_end_of_the_rows() {
        for last in [0, 3, 14, 15, 0x1234_5678, u32::MAX] {
            let rows = [PLACE_ROWS, 4, 3, 0].map(|before| last.wrapping_sub(before));
            let places = [(rows[0], 3), (rows[1], 0), (rows[2], 2), (rows[3], 1)];
            let words = place_words(places, last);
            assert_eq!(words[0] as u8, tag::PLACE);
            assert_eq!([0, 1, 2, 3].map(|number| place_of(words, number)), places);
        }
    }

    #[test]
    fn the_crc_is_that_of_ieee_802_3() {
        // The check value of the catalogues is that of "123456789"; this is that of "12345678".
        let words = [*b"1234", *b"5678"].map(u32::from_le_bytes);
        assert_eq!(crc(&words), 0x9AE0_DAAF);
        assert_eq!(crc(&[]), 0);
    }

    #[test]
    fn a_head_has_four_beats_of_four_words() {
        assert_eq!(head::WORDS, 16);
        assert_eq!(MAGIC.to_le_bytes(), *b"ETM2");
    }

    #[test]
    fn a_register_is_sent_once() {
        let mut known = KnownAddresses::default();
        assert_eq!(known.words(AddressRule::Low), 2);
        known.count(0x95, AddressRule::Low);
        assert_eq!(known.words(AddressRule::Low), 1);
        assert_eq!(known.words(AddressRule::Match(0)), 0);
        assert_eq!(known.words(AddressRule::Match(1)), 2);
        assert_eq!(known.words(AddressRule::All), 2);
        known.count(tag::ASYNC, AddressRule::None);
        assert_eq!(known.words(AddressRule::Match(0)), 2);
    }
}
