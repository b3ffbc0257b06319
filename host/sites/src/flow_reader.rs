// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a flow stream in, sums of its read-outs out.
//!
//! Only whole read-outs are added up: one that has no END, a beat that is none, or a site twice, has not
//! all of its sums, and they would contradict each other. Memory is in proportion to the sites of the
//! table, whatever the bytes are.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use coretrace_abi::flow_stream::{
    Atoms, BEAT_WORDS, Beat, BeatKind, Hop, PLACE_BITS, RING_HOPS, SUM_BITS, Sum,
};
use coretrace_abi::flow_table::{LostReason, Widths};

use crate::counts::SiteCounts;

const BEAT_BYTES: usize = 4 * BEAT_WORDS;
/// Most ways of indirect branches, for each site of the table; a small table has more.
const WAYS_PER_SITE: usize = 4;
const LEAST_WAYS: usize = 1 << 12;

/// What the read-outs of a stream say together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOuts {
    /// The sums of all whole read-outs.
    pub counts: SiteCounts,
    /// Whole read-outs.
    pub whole: u64,
    /// Only what is between triggers is counted, in one of them or in all.
    pub windowed: bool,
    /// Atoms in front of the read-outs.
    pub atoms: ReadAtoms,
    /// The first read-out is not the first one since a reset: its atoms are not known.
    pub begins_later: bool,
    /// How often the place was lost, by reason.
    pub losses: BTreeMap<LostReason, u64>,
    /// How often it was found, by the site of the first atom.
    pub found: BTreeMap<u32, u64>,
    /// The threshold of the newest cycles: no count is of fewer. 0 if there are no cycles.
    pub threshold: u32,
    /// How often losses were left out, because nobody read the stream.
    pub missed: u64,
    /// How often it was left out where indirect branches led.
    pub missed_indirect: u64,
    /// The newest ring of hops that a trigger froze, the oldest hop first.
    pub hops: Vec<Hop>,
    /// Rings that were frozen.
    pub rings: u64,
    /// Sums that have passed 2^31 in a read-out: 2^31 are added, and there may be more.
    pub overflows: u64,
    /// What is wrong with the stream.
    pub damage: FlowDamage,
}

impl ReadOuts {
    /// Atoms of all branches that are counted, modulo 2^32; none if they are not known. Where an atom is sent
    /// for every branch, as by an ETMv4, so many branches were taken or not taken.
    pub fn followed(&self) -> Option<u32> {
        let is_known = !self.begins_later && !self.windowed && !self.damage.is_any();
        is_known.then_some(self.atoms.sent.wrapping_sub(self.atoms.skipped) as u32)
    }
}

/// Atoms, of which there are less than 2^32 between two read-outs. A stream that does not begin with the
/// first read-out since a reset does not say how many its own first one has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadAtoms {
    /// Walked or skipped.
    pub sent: u64,
    /// Skipped.
    pub skipped: u64,
    /// Dropped in front of the walk, at least.
    pub dropped: u64,
}

/// What is wrong with a flow stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowDamage {
    /// Read-outs that are not whole: they are left out.
    pub incomplete: u64,
    /// Read-outs that are not there, as the numbers of others say.
    pub missing: u64,
    /// Beats that are none, or where they cannot be.
    pub wrong_beats: u64,
    /// Bytes behind the last whole beat.
    pub cut_bytes: u64,
}

impl FlowDamage {
    /// Whether there is any.
    pub fn is_any(&self) -> bool {
        *self != FlowDamage::default()
    }
}

impl fmt::Display for FlowDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} read-outs are incomplete and left out, {} are missing, {} beats are none or in a wrong \
             place, and {} bytes at the end are no beat",
            self.incomplete, self.missing, self.wrong_beats, self.cut_bytes
        )
    }
}

/// A read-out that has not ended.
#[derive(Clone, Debug)]
struct Open {
    number: u32,
    sums: BTreeMap<u32, [Sum; 3]>,
    cycles: BTreeMap<u32, Sum>,
    is_damaged: bool,
}

impl Open {
    fn parity(&self) -> usize {
        self.number as usize % 2
    }
}

/// How often each indirect branch led to each site.
type Ways = BTreeMap<(u32, u32), u64>;

/// Reads a flow stream and adds up its read-outs.
#[derive(Clone, Debug)]
pub struct FlowReader {
    sites: usize,
    read: ReadOuts,
    open: Option<Open>,
    /// Hops of a ring whose last one has not come.
    ring: Option<Vec<Hop>>,
    /// Where indirect branches led, of the next read-out with an even number, with an odd one.
    indirect: [Ways; 2],
    /// The number of the read-out that comes next, and the atoms of the one before.
    next: Option<(u32, Atoms)>,
    /// A beat that is not complete.
    part: [u8; BEAT_BYTES],
    filled: usize,
}

impl FlowReader {
    /// A reader of a stream of a core with tables of this size.
    pub fn new(widths: Widths) -> FlowReader {
        FlowReader {
            sites: widths.sites(),
            read: ReadOuts {
                counts: SiteCounts::new(widths),
                whole: 0,
                windowed: false,
                atoms: ReadAtoms::default(),
                begins_later: false,
                losses: BTreeMap::new(),
                found: BTreeMap::new(),
                threshold: 0,
                missed: 0,
                missed_indirect: 0,
                hops: Vec::new(),
                rings: 0,
                overflows: 0,
                damage: FlowDamage::default(),
            },
            open: None,
            ring: None,
            indirect: Default::default(),
            next: None,
            part: [0; BEAT_BYTES],
            filled: 0,
        }
    }

    /// Takes bytes as they are in memory or in a file.
    pub fn bytes(&mut self, mut bytes: &[u8]) {
        if self.filled > 0 {
            let (first, rest) = bytes.split_at(bytes.len().min(BEAT_BYTES - self.filled));
            self.part[self.filled..][..first.len()].copy_from_slice(first);
            self.filled += first.len();
            bytes = rest;
            if self.filled < BEAT_BYTES {
                return;
            }
            let part = self.part;
            self.beat_bytes(&part);
        }
        let (beats, rest) = bytes.as_chunks();
        beats.iter().for_each(|beat| self.beat_bytes(beat));
        self.part[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    /// The stream ends here.
    pub fn finish(mut self) -> ReadOuts {
        self.read.damage.incomplete += u64::from(self.open.is_some());
        self.read.damage.cut_bytes += self.filled as u64;
        self.read
    }

    fn beat_bytes(&mut self, bytes: &[u8; BEAT_BYTES]) {
        let mut words = [0; BEAT_WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        match Beat::of_words(&words) {
            Ok(None) => {}
            Ok(Some(beat)) => self.beat(&beat),
            Err(_) => self.wrong(),
        }
    }

    /// It may have been a sum of the read-out that is open.
    fn wrong(&mut self) {
        self.read.damage.wrong_beats += 1;
        if let Some(open) = &mut self.open {
            open.is_damaged = true;
        }
    }

    fn beat(&mut self, beat: &Beat) {
        let (kind, reason, place, missed, atoms) = match *beat {
            Beat::Site { site, sums } => return self.site(site, |open| &mut open.sums, sums),
            Beat::Cycles {
                site,
                sum,
                threshold,
            } => {
                self.read.threshold = threshold;
                return self.site(site, |open| &mut open.cycles, sum);
            }
            Beat::Indirect {
                site,
                target,
                count,
                is_odd,
                missed,
            } => {
                self.read.missed_indirect += u64::from(missed);
                return self.led((site, target), count, usize::from(is_odd));
            }
            Beat::Hop {
                hop,
                is_first,
                is_last,
                ..
            } => {
                if is_first {
                    self.ring = Some(Vec::new());
                }
                return self.hop(hop, is_last);
            }
            Beat::Mark {
                kind,
                reason,
                place,
                missed,
                windowed,
                atoms,
            } => {
                self.read.windowed |= windowed;
                (kind, reason, place, missed, atoms)
            }
        };
        self.read.missed += u64::from(missed);
        match kind {
            BeatKind::ReadOut => self.begin(place, atoms),
            BeatKind::End => self.end(place),
            BeatKind::Found if (place as usize) < self.sites => {
                *self.read.found.entry(place).or_default() += 1;
            }
            BeatKind::Found => self.wrong(),
            _ => {
                if let Some(reason) = reason {
                    *self.read.losses.entry(reason).or_default() += 1;
                }
            }
        }
    }

    /// What was counted of a site, which is there once.
    fn site<V>(&mut self, site: u32, of: impl Fn(&mut Open) -> &mut BTreeMap<u32, V>, sums: V) {
        let is_one = (site as usize) < self.sites;
        match self.open.as_mut().map(of) {
            Some(known) if is_one && !known.contains_key(&site) => {
                known.insert(site, sums);
            }
            _ => self.wrong(),
        }
    }

    /// Whether the table has them.
    fn are_sites(&self, sites: [u32; 2]) -> bool {
        sites.iter().all(|site| (*site as usize) < self.sites)
    }

    fn hop(&mut self, hop: Hop, is_last: bool) {
        let are_sites = self.are_sites([hop.site, hop.branch]);
        // A stream may begin within a ring.
        let Some(mut ring) = self.ring.take() else {
            return;
        };
        if !are_sites || ring.len() == RING_HOPS {
            return self.wrong();
        }
        ring.push(hop);
        if is_last {
            self.read.hops = ring;
            self.read.rings += 1;
        } else {
            self.ring = Some(ring);
        }
    }

    /// Ways of indirect branches that are kept.
    fn most_ways(&self) -> usize {
        LEAST_WAYS.max(WAYS_PER_SITE * self.sites)
    }

    /// A branch led to a site so often.
    fn led(&mut self, way: (u32, u32), count: u32, parity: usize) {
        if !self.are_sites([way.0, way.1]) {
            return self.wrong();
        }
        let most = self.most_ways();
        add(
            &mut self.indirect[parity],
            way,
            count.into(),
            most,
            &mut self.read.missed_indirect,
        );
    }

    /// What is counted of a read-out that is not there, or not whole.
    fn forget_indirect(&mut self, parity: usize) {
        let forgotten = std::mem::take(&mut self.indirect[parity]);
        self.read.missed_indirect += u64::from(!forgotten.is_empty());
    }

    fn begin(&mut self, number: u32, atoms: Atoms) {
        let before = match self.next {
            Some((expected, before)) if number != 0 || expected == 0 => {
                let missing = number.wrapping_sub(expected) % (1 << PLACE_BITS);
                self.read.damage.missing += u64::from(missing);
                if missing > 0 {
                    (0..2).for_each(|parity| self.forget_indirect(parity));
                }
                before
            }
            // The core was reset.
            _ if number == 0 => Atoms::default(),
            _ => {
                self.read.begins_later = true;
                atoms
            }
        };
        let sums = &mut self.read.atoms;
        sums.sent += u64::from(atoms.sent.wrapping_sub(before.sent));
        sums.skipped += u64::from(atoms.skipped.wrapping_sub(before.skipped));
        sums.dropped += u64::from(atoms.dropped.saturating_sub(before.dropped));
        self.next = Some(((number + 1) % (1 << PLACE_BITS), atoms));
        let open = Open {
            number,
            sums: BTreeMap::new(),
            cycles: BTreeMap::new(),
            is_damaged: false,
        };
        if let Some(unfinished) = self.open.replace(open) {
            self.read.damage.incomplete += 1;
            self.forget_indirect(unfinished.parity());
        }
    }

    fn end(&mut self, number: u32) {
        let Some(open) = self.open.take() else {
            return self.wrong();
        };
        let parity = open.parity();
        if open.is_damaged || open.number != number {
            self.read.damage.incomplete += 1;
            return self.forget_indirect(parity);
        }
        let most = self.most_ways();
        for (way, count) in std::mem::take(&mut self.indirect[parity]) {
            let ways = &mut self.read.counts.indirect;
            add(ways, way, count, most, &mut self.read.missed_indirect);
        }
        self.read.whole += 1;
        let counts = &mut self.read.counts;
        for (site, sums) in open.sums {
            let counters = [&mut counts.taken, &mut counts.entered, &mut counts.left];
            for (counter, sum) in counters.into_iter().zip(sums) {
                self.read.overflows += add_sum(&mut counter[site as usize], sum);
            }
        }
        for (site, sum) in open.cycles {
            self.read.overflows += add_sum(counts.cycles.entry(site).or_default(), sum);
        }
    }
}

/// Adds the sum of a read-out; returns 1 if that has passed 2^31.
fn add_sum(counter: &mut u64, sum: Sum) -> u64 {
    let more = u64::from(sum.count) + (u64::from(sum.overflow) << SUM_BITS);
    *counter = counter.saturating_add(more);
    sum.overflow.into()
}

/// Adds to a sum, unless there would be more than `most` of them.
fn add(ways: &mut Ways, way: (u32, u32), count: u64, most: usize, missed: &mut u64) {
    let is_full = ways.len() >= most;
    match ways.entry(way) {
        Entry::Vacant(_) if is_full => *missed += 1,
        entry => {
            let sum = entry.or_default();
            *sum = sum.saturating_add(count);
        }
    }
}
