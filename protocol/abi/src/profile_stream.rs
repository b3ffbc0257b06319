// SPDX-License-Identifier: MIT OR Apache-2.0
//! The profile stream: sums that a core accumulates on chip, as entries of four 32-bit words that
//! software adds up. `docs/records.md` describes the format.
//!
//! | word | bits | meaning |
//! |---|---|---|
//! | 0 | 3:0 | [`EntryKind`]; 0 is padding |
//! | 0 | 14:8 | trace ID of the source |
//! | 1 | 31:0 | weight |
//! | 2, 3 | | key, low word first |

/// Version of the format: the weight of a [`EntryKind::Start`].
pub const VERSION: u32 = 1;

/// Words of an entry.
pub const ENTRY_WORDS: usize = 4;

/// What an entry counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum EntryKind {
    /// The source was enabled; the weight is [`VERSION`].
    Start = 1,
    /// End of a flush: the entries since the last mark are all sums up to the flush request. The
    /// weight counts the flushes since reset, from 1.
    Mark = 2,
    /// Words of the trace port were lost; the weight is their number since reset, saturating.
    Lost = 3,
    /// Address packets, by the address; IS1 in bit 0 of the key.
    Target = 4,
    /// Exception packets, by the exception's number.
    Exception = 5,
    /// Event packets, by their four event bits.
    Event = 6,
    /// Cycles of known cycle counts, by the newest address before them; IS1 in bit 0 of the key.
    Cycles = 7,
}

impl EntryKind {
    /// Every kind.
    pub const ALL: [EntryKind; 7] = [
        EntryKind::Start,
        EntryKind::Mark,
        EntryKind::Lost,
        EntryKind::Target,
        EntryKind::Exception,
        EntryKind::Event,
        EntryKind::Cycles,
    ];

    /// The kind with this code.
    #[inline]
    pub fn from_code(code: u8) -> Option<EntryKind> {
        let place = usize::from(code).checked_sub(EntryKind::Start as usize)?;
        EntryKind::ALL.get(place).copied()
    }
}

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What is counted.
    pub kind: EntryKind,
    /// Trace ID of the source.
    pub trace_id: u8,
    /// The sum; entries of the same kind and key add up.
    pub weight: u32,
    /// What the sum belongs to, by kind.
    pub key: u64,
}

impl Entry {
    /// The four words.
    pub const fn words(&self) -> [u32; ENTRY_WORDS] {
        [
            self.kind as u32 | (self.trace_id as u32) << 8,
            self.weight,
            self.key as u32,
            (self.key >> 32) as u32,
        ]
    }

    /// Parses four words. `Ok(None)` is padding.
    ///
    /// # Errors
    /// The code of a kind that does not exist.
    #[inline]
    pub fn of_words(words: &[u32; ENTRY_WORDS]) -> Result<Option<Entry>, u8> {
        let code = words[0] as u8 & 0xF;
        if code == 0 {
            return Ok(None);
        }
        let kind = EntryKind::from_code(code).ok_or(code)?;
        Ok(Some(Entry {
            kind,
            trace_id: (words[0] >> 8) as u8 & 0x7F,
            weight: words[1],
            key: u64::from(words[3]) << 32 | u64::from(words[2]),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_words_are_inverse() {
        for kind in EntryKind::ALL {
            let entry = Entry {
                kind,
                trace_id: 0x6F,
                weight: 0xFFFF_FFFE,
                key: 0x0123_4567_89AB_CDEF,
            };
            assert_eq!(Entry::of_words(&entry.words()), Ok(Some(entry)));
        }
        assert_eq!(Entry::of_words(&[0, 1, 2, 3]), Ok(None));
        assert_eq!(Entry::of_words(&[8, 0, 0, 0]), Err(8));
    }
}
