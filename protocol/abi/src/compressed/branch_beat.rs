// SPDX-License-Identifier: MIT OR Apache-2.0
//! The beats of branch events that a core takes over AXI4-Stream, one event a beat.
//!
//! [`FIELDS`] is the layout: hardware, software and the document `docs/records.md` read it.

use super::branch::{Branch, BranchKind, Event};
pub use crate::beat_field::BeatField;

/// Bytes of a beat.
pub const BYTES: usize = 24;
/// Words of 64 bits of a beat.
pub const WORDS: usize = BYTES / 8;

/// The address of the branch.
pub const ADDRESS: BeatField = BeatField {
    name: "ADDRESS",
    low: 0,
    width: 64,
    text: "The address of the branch. Bits 1:0 are ignored.",
};
/// Where execution goes on.
pub const NEXT: BeatField = BeatField::behind(
    ADDRESS,
    "NEXT",
    64,
    "The address of the next instruction. Bits 1:0 are ignored.",
);
/// Instructions since the event before.
pub const INSTRUCTIONS: BeatField = BeatField::behind(
    NEXT,
    "INSTRUCTIONS",
    32,
    "Instructions since the event before, the branch included. With `BEGINS`: events that were lost in front of it, saturating.",
);
/// The [`BranchKind`].
pub const KIND: BeatField = BeatField::behind(
    INSTRUCTIONS,
    "KIND",
    5,
    "What the branch is, a bit each from the lowest one on: conditional, indirect, writes the link register, return, exception call or return.",
);
/// Whether the branch was taken.
pub const TAKEN: BeatField = BeatField::behind(KIND, "TAKEN", 1, "The branch was taken.");
/// It is no branch.
pub const DISCONTINUITY: BeatField = BeatField::behind(
    TAKEN,
    "DISCONTINUITY",
    1,
    "An interrupt or another break of the flow, no branch: `ADDRESS`, `KIND` and `TAKEN` are ignored.",
);
/// It is no event.
pub const BEGINS: BeatField = BeatField::behind(
    DISCONTINUITY,
    "BEGINS",
    1,
    "No event: execution begins at `NEXT`, or goes on there behind a loss of `INSTRUCTIONS` events. The other fields are ignored.",
);

/// All fields, lowest bits first. The bits above them are ignored.
pub const FIELDS: [BeatField; 7] = [
    ADDRESS,
    NEXT,
    INSTRUCTIONS,
    KIND,
    TAKEN,
    DISCONTINUITY,
    BEGINS,
];

/// What a beat says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchBeat {
    /// Execution begins, or goes on behind a loss.
    Begin {
        /// The address of the first instruction.
        next: u64,
        /// Events that were lost in front of it, saturating.
        lost: u32,
    },
    /// An event.
    Event(Event),
}

impl BranchBeat {
    /// Where execution goes on.
    pub const fn next(&self) -> u64 {
        match self {
            BranchBeat::Begin { next, .. } => *next,
            BranchBeat::Event(event) => event.next(),
        }
    }

    /// The words of the beat, lowest bits first.
    pub const fn words(&self) -> [u64; WORDS] {
        let mut beat = [0; WORDS];
        NEXT.put(&mut beat, self.next());
        match self {
            BranchBeat::Begin { lost, .. } => {
                INSTRUCTIONS.put(&mut beat, *lost as u64);
                BEGINS.put(&mut beat, 1);
            }
            BranchBeat::Event(Event::Discontinuity { instructions, .. }) => {
                INSTRUCTIONS.put(&mut beat, *instructions as u64);
                DISCONTINUITY.put(&mut beat, 1);
            }
            BranchBeat::Event(Event::Branch(branch)) => {
                ADDRESS.put(&mut beat, branch.address);
                INSTRUCTIONS.put(&mut beat, branch.instructions as u64);
                KIND.put(&mut beat, branch.kind.0 as u64);
                TAKEN.put(&mut beat, branch.taken as u64);
            }
        }
        beat
    }

    /// What the words of a beat say; any words are a beat.
    pub const fn of_words(beat: &[u64; WORDS]) -> BranchBeat {
        let address_mask = !3;
        let next = NEXT.get(beat) & address_mask;
        let instructions = INSTRUCTIONS.get(beat) as u32;
        if BEGINS.get(beat) == 1 {
            return BranchBeat::Begin {
                next,
                lost: instructions,
            };
        }
        if DISCONTINUITY.get(beat) == 1 {
            return BranchBeat::Event(Event::Discontinuity { instructions, next });
        }
        BranchBeat::Event(Event::Branch(Branch {
            address: ADDRESS.get(beat) & address_mask,
            kind: BranchKind(KIND.get(beat) as u8),
            taken: TAKEN.get(beat) == 1,
            next,
            instructions,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beats of any bits.
    fn any_beats() -> impl Iterator<Item = [u64; WORDS]> {
        let mut state = 1_u64;
        let mut any = move || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            state ^ state >> 29
        };
        (0..1000).map(move |_| [any(), any(), any()])
    }

    #[test]
    fn what_any_beat_says_is_what_is_read_of_its_words() {
        let mut begins = 0;
        for beat in any_beats() {
            let said = BranchBeat::of_words(&beat);
            assert_eq!(BranchBeat::of_words(&said.words()), said, "{beat:x?}");
            begins += usize::from(matches!(said, BranchBeat::Begin { .. }));
        }
        assert!((400..600).contains(&begins), "{begins}");
    }

    #[test]
    fn every_field_of_a_branch_is_where_the_table_says() {
        let branch = Branch {
            address: 0x8000_0000_0000_1004,
            kind: BranchKind::INDIRECT.and(BranchKind::LINK),
            taken: true,
            next: 0x1_0000_2008,
            instructions: 0x1234_5678,
        };
        let beat = BranchBeat::Event(Event::Branch(branch)).words();
        assert_eq!(beat[..2], [branch.address, branch.next]);
        assert_eq!(beat[2], 0x1234_5678 | 6 << 32 | 1 << 37);
        let begin = BranchBeat::Begin {
            next: 0x1000,
            lost: 7,
        };
        assert_eq!(begin.words(), [0, 0x1000, 7 | 1 << 39]);
    }

    #[test]
    fn fields_follow_one_another_and_fit_into_the_beat_and_its_words() {
        let mut end = 0;
        for field in FIELDS {
            assert_eq!(field.low, end, "{}", field.name);
            end += field.width;
            assert_eq!(field.low / 64, (end - 1) / 64, "{}", field.name);
        }
        assert!(end as usize <= 8 * BYTES);
    }
}
