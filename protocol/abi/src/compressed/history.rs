// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sizes of the X encoders: two predictors of outcomes, and a history in which the newest outcomes are
//! found again.
//!
//! | record | fields |
//! |---|---|
//! | a wrong decision | its class, the right decisions of this class since the record before in Rice code |
//! | the target of a branch, if no candidate was right | its size in 3 bits, its sign, the distance from the target before in instructions |
//! | a control record | a 0, 24 ones, [`Control`] in 3 bits, events since the record before and instructions since the last event, both plus 1 in gamma code, what the kind says |
//!
//! An *event* is a branch that has a condition, an indirect branch or an exception. To XE it is an element, and
//! there are no instructions: it counts 0. A discontinuity is no event, but instructions are counted from
//! it on; those behind a context or a time are counted from the event before it. Fields go least significant
//! bit first. Rice code: `q` ones and a zero, then the low bits of the value; from 16 ones on, 32 bits
//! follow. The low bits are as many as the logarithm of the mean plus 1 says. Gamma code: as many zeros as
//! there are bits below the highest one of the value, that one, and those bits.

/// The sizes of an encoder. All that is counted in bits has a power of two of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryPreset {
    /// Its name.
    pub name: &'static str,
    /// Counters by the address of a branch, in bits.
    pub address_counter_bits: u32,
    /// Counters by the address and the history, in bits; outcomes of the history that they look at.
    pub history_counter_bits: u32,
    /// See `history_counter_bits`.
    pub history: u32,
    /// What can be found again.
    pub matches: MatchSizes,
    /// Targets by the path to a branch, in bits.
    pub table_bits: u32,
    /// Return addresses.
    pub returns: usize,
}

/// The sizes of a history in which places are found again, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchSizes {
    /// Outcomes.
    pub outcome_bits: u32,
    /// Targets.
    pub target_bits: u32,
    /// Places where a match may begin.
    pub place_bits: u32,
}

/// All encoders.
pub const PRESETS: [HistoryPreset; 4] = [
    HistoryPreset {
        name: "X0",
        address_counter_bits: 9,
        history_counter_bits: 10,
        history: 10,
        matches: MatchSizes {
            outcome_bits: 10,
            target_bits: 6,
            place_bits: 8,
        },
        table_bits: 6,
        returns: 8,
    },
    HistoryPreset {
        name: "X1",
        address_counter_bits: 10,
        history_counter_bits: 11,
        history: 12,
        matches: MatchSizes {
            outcome_bits: 14,
            target_bits: 9,
            place_bits: 10,
        },
        table_bits: 8,
        returns: 16,
    },
    X2,
    HistoryPreset {
        name: "X3",
        matches: MatchSizes {
            outcome_bits: 17,
            target_bits: 12,
            place_bits: 13,
        },
        ..X2
    },
];

const X2: HistoryPreset = HistoryPreset {
    name: "X2",
    address_counter_bits: 12,
    history_counter_bits: 13,
    history: 14,
    matches: MatchSizes {
        outcome_bits: 15,
        target_bits: 10,
        place_bits: 11,
    },
    table_bits: 9,
    returns: 16,
};

/// The sizes of the XE encoder, which takes elements.
pub mod elements {
    use super::MatchSizes;

    /// Counters by the last address and the newest atoms, in bits.
    pub const ADDRESS_COUNTER_BITS: u32 = 12;
    /// Counters by that address and the history, in bits; those of addresses behind an E have as many.
    pub const HISTORY_COUNTER_BITS: u32 = 13;
    /// Atoms that the first counters look at, and outcomes of the history that the others do.
    pub const ATOMS: u32 = 8;
    /// See [`ATOMS`].
    pub const HISTORY: u32 = 16;
    /// Where a counter of addresses starts: there is none.
    pub const ADDRESS_START: u8 = 0;
    /// Targets by the path, in bits.
    pub const TABLE_BITS: u32 = 9;
    /// What can be found again.
    pub const MATCHES: MatchSizes = MatchSizes {
        outcome_bits: 15,
        target_bits: 11,
        place_bits: 11,
    };
}

/// Counters of outcomes: where they start, and the most they count to.
pub const COUNTER_START: u8 = 3;
/// See [`COUNTER_START`].
pub const COUNTER_MOST: u8 = 7;

/// A probability that is certain, one that says nothing, and one that is as good as certain; it is that of
/// 0 in the same way.
pub const PROBABILITY_MOST: u16 = 0x7FFF;
/// See [`PROBABILITY_MOST`].
pub const PROBABILITY_START: u16 = 0x4000;
/// See [`PROBABILITY_MOST`].
pub const PROBABILITY_SURE: u16 = 0x1000;

/// Below so much doubt a decision is of the second class.
pub const CLASSES: &[u16] = &[PROBABILITY_SURE];

/// How many times slower than at first an old probability of an outcome learns, as a power of two; and one of a target.
pub const OUTCOME_RATE: u32 = 5;
/// See [`OUTCOME_RATE`].
pub const TARGET_RATE: u32 = 4;

/// Symbols that a candidate must give in a row to be a match, and the greatest length of a match.
pub const MATCH_AFTER: u32 = 4;
/// See [`MATCH_AFTER`].
pub const MATCH_MOST: u32 = 255;

/// Outcomes between a candidate and the newest one that the ring must have room for.
pub const RING_MARGIN: u32 = 64;

/// Outcomes of the history that find a candidate.
pub const MATCH_HISTORY: u32 = 16;

/// The shortest match of each grade.
pub const GRADES: [u32; 7] = [0, 1, 4, 8, 16, 32, 128];

/// Bits of the distance of a target, by its size.
pub const LITERAL_WIDTHS: [u32; 8] = [6, 10, 14, 18, 22, 30, 46, 62];

/// A mean at the start, in 1/16.
pub const MEAN_START: u32 = 64;
/// The most that a mean learns of.
pub const MEAN_MOST: u64 = (1 << 18) - 1;

/// Ones of a Rice code that is followed by the whole value, and ones of a control record.
pub const ESCAPE_ONES: u32 = 16;
/// See [`ESCAPE_ONES`].
pub const CONTROL_ONES: u32 = 24;

/// Bits of a context, and of a time.
pub const CONTEXT_BITS: u32 = 32;
/// See [`CONTEXT_BITS`].
pub const TIMESTAMP_BITS: u32 = 64;
/// Bits of a VMID, and behind them of a context ID; half of them each.
pub const IDENTIFIERS_BITS: u32 = 64;
/// Bits of how many bytes follow, less 1.
pub const LENGTH_BITS: u32 = 5;

/// What a control record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Control {
    /// Execution goes on elsewhere; the target follows.
    Discontinuity = 0,
    /// The block ends.
    End = 1,
    /// A context follows.
    Context = 2,
    /// A time follows.
    Timestamp = 3,
    /// Bytes of the stream follow.
    Bytes = 4,
    /// A VMID and a context ID follow.
    Identifiers = 5,
}
