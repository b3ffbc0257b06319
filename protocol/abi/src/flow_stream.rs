// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flow stream: what a core that follows a program counts and finds, as beats of four 32-bit
//! words. `docs/records.md` describes the format.
//!
//! | word | bits | meaning |
//! |---|---|---|
//! | 0 | 3:0 | [`BeatKind`]; 0 is padding |
//! | 0 | 4 | beats in front of this one were left out; of INDIRECT: branches were not counted; 0 of SITE, HOP and CYCLES |
//! | 0 | 27:5 | the site; of READ_OUT and END: how many read-outs came before, modulo 2^23 |
//! | 0 | 31:28 | of SITE, from bit 28 on: `taken`, `entered`, `left` have passed 2^31; of CYCLES, bit 28: the sum has; of LOST: the [`LostReason`]; of INDIRECT, bit 28: the lowest bit of the number of its read-out; of READ_OUT and END, bit 28: only what is between triggers is counted; of HOP, from bit 28 on: a flow began, the branch was taken, it is the last one, the first one |
//! | 1 | | of SITE: how often the branch was taken |
//! | 2 | | of SITE: flows that began at the site |
//! | 3 | | of SITE: flows that ended in front of it |
//! | 1, 2, 3 | | of INDIRECT: how often the branch led to a site; that site; 0 |
//! | 1, 2, 3 | | of HOP: atoms up to the trigger, modulo 2^32; the branch; 0 |
//! | 1, 2, 3 | | of CYCLES: cycles up to the branch of the site; the threshold of the trace unit; 0 |
//! | 1 | | else: atoms so far, walked or skipped |
//! | 2 | | else: those of them that were skipped |
//! | 3 | | else: atoms that were dropped so far, saturating |
//!
//! Atoms are counted modulo 2^32 since the reset, with those of the step that the beat is of: up to 31
//! N atoms and an E. An END has those of the newest step before it that had a beat.
//!
//! The cycles of a count are those of the branch of the newest atom before it. A trace unit with a threshold counts no
//! fewer cycles than that, and those of shorter stretches with the ones behind them.
//!
//! What is counted of a branch and a site may come in several INDIRECT beats, in front of READ_OUT too:
//! all of them up to END add up to the sum of that read-out.
//!
//! The HOP beats of a ring that was frozen are its hops, the oldest first, between any other beats. A hop
//! goes from the site to which something led, through branches that were not taken, up to the branch that
//! was. The last one ends at the trigger: if that is the site itself, no branch was taken.

use crate::flow_table::{LostReason, MAX_SITE_BITS};

/// Version of the format.
pub const VERSION: u32 = 4;

/// Bits of a sum, which has a flag where it has passed their end.
pub const SUM_BITS: u32 = 31;

/// Bits of a site, and of the number of a read-out.
pub const PLACE_BITS: u32 = 23;

// Every site has room.
const _: () = assert!(MAX_SITE_BITS == PLACE_BITS);

/// The bits of the first word of a beat.
const MISSED: u32 = 4;
const PLACE_LOW: u32 = 5;

/// Words of a beat.
pub const BEAT_WORDS: usize = 4;

/// Bits of a cycle count: more than a packet has, and its threshold.
pub const CYCLES_BITS: u32 = 22;

/// The most cycles of a count.
pub const MOST_CYCLES: u32 = (1 << CYCLES_BITS) - 1;

/// Most hops of a ring.
pub const RING_HOPS: usize = 64;

/// What a beat says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BeatKind {
    /// The sums of a site in the read-out that is going on. A site without an event has no beat.
    Site = 1,
    /// The place in the program is not known any more: where the flow ended; if it had no atom, the
    /// branch that was taken last.
    Lost = 2,
    /// It is known again: the site at which the flow begins.
    Found = 3,
    /// The counters are read here: the SITE beats up to END are of what came before.
    ReadOut = 4,
    /// All sums of the read-out have come.
    End = 5,
    /// How often an indirect branch led to a site, or a part of that.
    Indirect = 6,
    /// A hop of a ring that a trigger froze.
    Hop = 7,
    /// The cycles of a site in the read-out that is going on. A site without any has no beat.
    Cycles = 8,
}

impl BeatKind {
    /// Every kind.
    pub const ALL: [BeatKind; 8] = [
        BeatKind::Site,
        BeatKind::Lost,
        BeatKind::Found,
        BeatKind::ReadOut,
        BeatKind::End,
        BeatKind::Indirect,
        BeatKind::Hop,
        BeatKind::Cycles,
    ];

    /// The kind with this code.
    pub fn from_code(code: u8) -> Option<BeatKind> {
        let place = usize::from(code).checked_sub(BeatKind::Site as usize)?;
        BeatKind::ALL.get(place).copied()
    }
}

/// A sum: events modulo 2^31, and whether there were 2^31 or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The low bits.
    pub count: u32,
    /// It has passed 2^31.
    pub overflow: bool,
}

/// Where in the trace a beat is: atoms since the reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Atoms {
    /// Walked or skipped, modulo 2^32.
    pub sent: u32,
    /// Skipped, modulo 2^32.
    pub skipped: u32,
    /// Dropped in front of the walk, saturating.
    pub dropped: u32,
}

/// What was executed between two taken branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// The site to which something led.
    pub site: u32,
    /// The branch that was taken, `site` or a site behind it.
    pub branch: u32,
    /// It was taken. If not, the trigger is `site`.
    pub is_taken: bool,
    /// A flow began at `site`, and no indirect branch led there.
    pub begins: bool,
}

/// A beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    /// [`BeatKind::Site`]
    Site {
        /// The site.
        site: u32,
        /// Taken, entered, left.
        sums: [Sum; 3],
    },
    /// [`BeatKind::Indirect`]
    Indirect {
        /// The branch.
        site: u32,
        /// Where it led.
        target: u32,
        /// How often.
        count: u32,
        /// The number of its read-out is odd.
        is_odd: bool,
        /// Branches in front of this beat were not counted.
        missed: bool,
    },
    /// [`BeatKind::Hop`]
    Hop {
        /// The hop.
        hop: Hop,
        /// Atoms up to the trigger, modulo 2^32.
        atoms: u32,
        /// It is the oldest one.
        is_first: bool,
        /// It is the newest one.
        is_last: bool,
    },
    /// [`BeatKind::Cycles`]
    Cycles {
        /// The site.
        site: u32,
        /// Cycles.
        sum: Sum,
        /// No count is of fewer cycles: the newest one that a Trace Info said.
        threshold: u32,
    },
    /// Any other kind.
    Mark {
        /// Which one.
        kind: BeatKind,
        /// Of [`BeatKind::Lost`].
        reason: Option<LostReason>,
        /// The site, or the number of the read-out.
        place: u32,
        /// Beats in front of this one were left out.
        missed: bool,
        /// Of [`BeatKind::ReadOut`] and [`BeatKind::End`]: only what is between triggers is counted.
        windowed: bool,
        /// Atoms so far.
        atoms: Atoms,
    },
}

impl Beat {
    /// Parses four words. `Ok(None)` is padding.
    ///
    /// # Errors
    /// The code of a kind or a reason that does not exist.
    pub fn of_words(words: &[u32; BEAT_WORDS]) -> Result<Option<Beat>, u8> {
        let code = words[0] as u8 & 0xF;
        if code == 0 {
            return Ok(None);
        }
        let kind = BeatKind::from_code(code).ok_or(code)?;
        let place = words[0] >> PLACE_LOW & ((1 << PLACE_BITS) - 1);
        let flag = |bit: u32| words[0] >> bit & 1 == 1;
        if kind == BeatKind::Site {
            let sums = core::array::from_fn(|sum| Sum {
                count: words[1 + sum],
                overflow: flag(28 + sum as u32),
            });
            return Ok(Some(Beat::Site { site: place, sums }));
        }
        if kind == BeatKind::Indirect {
            return Ok(Some(Beat::Indirect {
                site: place,
                target: words[2],
                count: words[1],
                is_odd: flag(28),
                missed: flag(MISSED),
            }));
        }
        if kind == BeatKind::Hop {
            let hop = Hop {
                site: place,
                branch: words[2],
                is_taken: flag(29),
                begins: flag(28),
            };
            return Ok(Some(Beat::Hop {
                hop,
                atoms: words[1],
                is_last: flag(30),
                is_first: flag(31),
            }));
        }
        if kind == BeatKind::Cycles {
            let sum = Sum {
                count: words[1],
                overflow: flag(28),
            };
            return Ok(Some(Beat::Cycles {
                site: place,
                sum,
                threshold: words[2],
            }));
        }
        let reason = match (kind, (words[0] >> 28) as u8) {
            (BeatKind::Lost, code) => Some(LostReason::from_code(code).ok_or(code)?),
            _ => None,
        };
        let atoms = Atoms {
            sent: words[1],
            skipped: words[2],
            dropped: words[3],
        };
        Ok(Some(Beat::Mark {
            kind,
            reason,
            place,
            missed: flag(MISSED),
            windowed: flag(28) && matches!(kind, BeatKind::ReadOut | BeatKind::End),
            atoms,
        }))
    }

    /// The four words.
    pub fn words(&self) -> [u32; BEAT_WORDS] {
        match *self {
            Beat::Site { site, sums } => {
                let flags = (0..3).map(|sum| u32::from(sums[sum].overflow) << (28 + sum));
                let first = BeatKind::Site as u32 | site << PLACE_LOW | flags.sum::<u32>();
                [first, sums[0].count, sums[1].count, sums[2].count]
            }
            Beat::Indirect {
                site,
                target,
                count,
                is_odd,
                missed,
            } => {
                let flags = u32::from(missed) << MISSED | u32::from(is_odd) << 28;
                let first = BeatKind::Indirect as u32 | site << PLACE_LOW | flags;
                [first, count, target, 0]
            }
            Beat::Hop {
                hop,
                atoms,
                is_first,
                is_last,
            } => {
                let flags = [hop.begins, hop.is_taken, is_last, is_first];
                let flags = (28..).zip(flags).map(|(bit, flag)| u32::from(flag) << bit);
                let first = BeatKind::Hop as u32 | hop.site << PLACE_LOW | flags.sum::<u32>();
                [first, atoms, hop.branch, 0]
            }
            Beat::Cycles {
                site,
                sum,
                threshold,
            } => {
                let flag = u32::from(sum.overflow) << 28;
                let first = BeatKind::Cycles as u32 | site << PLACE_LOW | flag;
                [first, sum.count, threshold, 0]
            }
            Beat::Mark {
                kind,
                reason,
                place,
                missed,
                windowed,
                atoms,
            } => {
                let reason = reason.map_or(windowed.into(), |reason| reason as u32);
                let first =
                    kind as u32 | u32::from(missed) << MISSED | place << PLACE_LOW | reason << 28;
                [first, atoms.sent, atoms.skipped, atoms.dropped]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_and_words_are_inverse() {
        let sum = |count, overflow| Sum { count, overflow };
        let site = Beat::Site {
            site: 0x7A_BCDE,
            sums: [sum(1, false), sum(u32::MAX, true), sum(3, false)],
        };
        assert_eq!(Beat::of_words(&site.words()), Ok(Some(site)));
        for is_odd in [false, true] {
            let indirect = Beat::Indirect {
                site: 0x7F_FFFF,
                target: 0x10_0001,
                count: 0x8000_0001,
                is_odd,
                missed: !is_odd,
            };
            assert_eq!(Beat::of_words(&indirect.words()), Ok(Some(indirect)));
        }
        for flags in 0..16 {
            let flag = |bit| flags >> bit & 1 == 1;
            let hop = Hop {
                site: 0x7F_FFFE,
                branch: 0x10_0001,
                is_taken: flag(0),
                begins: flag(1),
            };
            let hop = Beat::Hop {
                hop,
                atoms: 0x8000_0001,
                is_last: flag(2),
                is_first: flag(3),
            };
            assert_eq!(Beat::of_words(&hop.words()), Ok(Some(hop)));
        }
        let cycles = Beat::Cycles {
            site: 0x7F_FFFF,
            sum: sum(0xFEDC_BA98, true),
            threshold: 0x123,
        };
        assert_eq!(Beat::of_words(&cycles.words()), Ok(Some(cycles)));
        let is_mark = |kind: &&BeatKind| {
            let others = [
                BeatKind::Site,
                BeatKind::Indirect,
                BeatKind::Hop,
                BeatKind::Cycles,
            ];
            !others.contains(kind)
        };
        for kind in BeatKind::ALL.iter().filter(is_mark) {
            let mark = Beat::Mark {
                kind: *kind,
                reason: (*kind == BeatKind::Lost).then_some(LostReason::Dropped),
                place: 0x12345,
                missed: true,
                windowed: matches!(kind, BeatKind::ReadOut | BeatKind::End),
                atoms: Atoms {
                    sent: 9,
                    skipped: 4,
                    dropped: 0x8000_0000,
                },
            };
            assert_eq!(Beat::of_words(&mark.words()), Ok(Some(mark)));
        }
        assert_eq!(Beat::of_words(&[0, 1, 2, 3]), Ok(None));
        assert_eq!(Beat::of_words(&[0xF000_0002, 0, 0, 0]), Err(15));
    }
}
