// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the bits of a register block are, and how they lie on its buses.

/// Where a word is and what its bits are. A bit is of one kind at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RegisterWord {
    /// Byte address divided by four.
    pub index: usize,
    /// Bits that keep what is written.
    pub stored: u32,
    /// Bits that are 1 for one cycle when 1 is written, and read 0.
    pub pulses: u32,
    /// Bits that read their status now, and are pulses as well: 1 is written to clear an event.
    pub events: u32,
    /// Bits that keep their status as of the last snapshot.
    pub sampled: u32,
    /// Bits that read their status now.
    pub live: u32,
    /// Bits that read 1, always.
    pub ones: u32,
    /// What stored bits are after reset.
    pub reset: u32,
}

/// The words of a register block, as a type.
pub trait RegisterMap: Default + 'static {
    /// The words in the order of their bits on the buses.
    const WORDS: &'static [RegisterWord];
}

/// What a bit of a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Stored,
    Pulse,
    Event,
    Sampled,
    Live,
    One,
    Zero,
}

/// Neighbouring bits of a word with one kind. Those that are written lie in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub kind: Kind,
    pub low: u32,
    pub width: u32,
}

impl RegisterWord {
    fn kind(&self, bit: u32) -> Kind {
        let kinds = [
            (self.stored, Kind::Stored),
            (self.pulses, Kind::Pulse),
            (self.events, Kind::Event),
            (self.sampled, Kind::Sampled),
            (self.live, Kind::Live),
            (self.ones, Kind::One),
        ];
        let mut found = kinds.iter().filter(|(bits, _)| bits >> bit & 1 == 1);
        found.next().map_or(Kind::Zero, |(_, kind)| *kind)
    }

    /// All bits of the word, lowest first.
    pub(super) fn segments(&self) -> Vec<Segment> {
        let mut segments: Vec<Segment> = Vec::new();
        for bit in 0..32 {
            let kind = self.kind(bit);
            let is_written = matches!(kind, Kind::Stored | Kind::Pulse | Kind::Event);
            match segments.last_mut() {
                Some(last) if last.kind == kind && !(is_written && bit % 8 == 0) => last.width += 1,
                _ => segments.push(Segment {
                    kind,
                    low: bit,
                    width: 1,
                }),
            }
        }
        segments
    }

    /// # Panics
    /// If a bit is of two kinds.
    fn check(&self) {
        let kinds = [
            self.stored,
            self.pulses,
            self.events,
            self.sampled,
            self.live,
            self.ones,
        ];
        let count: u32 = kinds.iter().map(|bits| bits.count_ones()).sum();
        let all = kinds.iter().fold(0, |all, bits| all | bits);
        assert_eq!(count, all.count_ones(), "{self:x?} has bits of two kinds");
    }
}

/// Bits of the buses of a register block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// Stored bits: bus `settings`.
    pub settings: usize,
    /// Pulses and events: bus `pulses`.
    pub pulses: usize,
    /// Live and sampled bits, and events: bus `status`.
    pub status: usize,
}

/// The bits that some words take on the buses.
///
/// # Panics
/// If two words have the same index, an index has more than `index_w` bits, or a bit is of two
/// kinds.
pub fn widths(words: &[RegisterWord], index_w: usize) -> Widths {
    for (n, word) in words.iter().enumerate() {
        word.check();
        assert!(word.index >> index_w == 0, "{word:x?} is out of reach");
        let is_alone = words[..n].iter().all(|other| other.index != word.index);
        assert!(is_alone, "{word:x?} is not alone at its index");
    }
    let bits = |of: fn(&RegisterWord) -> u32| {
        let counts = words.iter().map(|word| of(word).count_ones() as usize);
        counts.sum()
    };
    Widths {
        settings: bits(|word| word.stored),
        pulses: bits(|word| word.pulses | word.events),
        status: bits(|word| word.sampled | word.live | word.events),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: RegisterWord = RegisterWord {
        index: 1,
        stored: 0x0000_0FF0,
        pulses: 0x0000_0003,
        events: 0x0000_000C,
        sampled: 0x0FFF_0000,
        live: 0x2000_0000,
        ones: 0x8000_0000,
        reset: 0,
    };

    #[test]
    fn segments_cover_a_word_and_written_ones_lie_in_one_byte() {
        let segments = WORD.segments();
        let found: Vec<_> = segments.iter().map(|s| (s.kind, s.low, s.width)).collect();
        assert_eq!(
            found,
            [
                (Kind::Pulse, 0, 2),
                (Kind::Event, 2, 2),
                (Kind::Stored, 4, 4),
                (Kind::Stored, 8, 4),
                (Kind::Zero, 12, 4),
                (Kind::Sampled, 16, 12),
                (Kind::Zero, 28, 1),
                (Kind::Live, 29, 1),
                (Kind::Zero, 30, 1),
                (Kind::One, 31, 1),
            ]
        );
    }

    #[test]
    fn a_bus_has_the_bits_of_its_kind() {
        let expected = Widths {
            settings: 8,
            pulses: 4,
            status: 15,
        };
        assert_eq!(widths(&[WORD], 3), expected);
    }

    #[test]
    #[should_panic(expected = "bits of two kinds")]
    fn a_bit_of_two_kinds_is_refused() {
        widths(&[RegisterWord { live: 1, ..WORD }], 3);
    }

    #[test]
    #[should_panic(expected = "not alone")]
    fn two_words_at_one_index_are_refused() {
        widths(&[WORD, WORD], 3);
    }

    #[test]
    #[should_panic(expected = "out of reach")]
    fn an_index_past_the_address_bits_is_refused() {
        widths(&[RegisterWord { index: 8, ..WORD }], 3);
    }
}
