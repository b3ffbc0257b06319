// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events in, beats of the flow stream out: what a core that is read all the time stores.

use coretrace_abi::flow_stream::{Atoms, Beat, BeatKind, Hop, PLACE_BITS, SUM_BITS, Sum};
use coretrace_abi::flow_table::{LostReason, Widths};

use crate::counts::SiteCounts;
use crate::event::Event;

/// Writes the flow stream of a walk.
#[derive(Clone, Debug)]
pub struct FlowWriter {
    widths: Widths,
    /// Since the last read-out.
    counts: SiteCounts,
    /// Read-outs so far.
    number: u32,
    /// Only what is between triggers is counted.
    windowed: bool,
    /// No count of cycles is less.
    threshold: u32,
}

impl FlowWriter {
    /// A stream that begins with a reset, for tables of this size.
    pub fn new(widths: Widths) -> FlowWriter {
        FlowWriter {
            widths,
            counts: SiteCounts::new(widths),
            number: 0,
            windowed: false,
            threshold: 0,
        }
    }

    /// The same of a core that counts between triggers, or does not: the events are those of its
    /// [`CountWindow`](crate::CountWindow).
    pub fn windowed(mut self, is_windowed: bool) -> FlowWriter {
        self.windowed = is_windowed;
        self
    }

    /// The trace unit counts no fewer cycles than these.
    pub fn set_threshold(&mut self, cycles: u32) {
        self.threshold = cycles;
    }

    /// The hops of a ring that was frozen at so many atoms.
    pub fn hops(hops: impl Iterator<Item = Hop>, atoms: u64, sink: &mut impl FnMut(Beat)) {
        let mut hops = hops.peekable();
        let mut is_first = true;
        while let Some(hop) = hops.next() {
            sink(Beat::Hop {
                hop,
                atoms: atoms as u32,
                is_first: std::mem::take(&mut is_first),
                is_last: hops.peek().is_none(),
            });
        }
    }

    /// Takes an event. `atoms` are those that were walked, and that were skipped, with those of the
    /// event.
    pub fn event(&mut self, event: &Event, atoms: (u64, u64), sink: &mut impl FnMut(Beat)) {
        self.counts.add(event);
        let (walked, skipped) = atoms;
        let atoms = Atoms {
            sent: walked.wrapping_add(skipped) as u32,
            skipped: skipped as u32,
            dropped: 0,
        };
        let windowed = self.windowed;
        let mark = |kind, reason: Option<LostReason>, place| Beat::Mark {
            kind,
            reason,
            place,
            missed: false,
            windowed: windowed && matches!(kind, BeatKind::ReadOut | BeatKind::End),
            atoms,
        };
        match *event {
            Event::Lost { reason, site, .. } => sink(mark(BeatKind::Lost, Some(reason), site)),
            Event::Found { site, .. } => sink(mark(BeatKind::Found, None, site)),
            Event::ReadOut => {
                sink(mark(BeatKind::ReadOut, None, self.number));
                let counts = std::mem::replace(&mut self.counts, SiteCounts::new(self.widths));
                sums(&counts).for_each(&mut *sink);
                cycles(&counts, self.threshold).for_each(&mut *sink);
                indirect(&counts, self.number % 2 == 1).for_each(&mut *sink);
                sink(mark(BeatKind::End, None, self.number));
                self.number = (self.number + 1) % (1 << PLACE_BITS);
            }
            _ => {}
        }
    }
}

/// The beats of the sites that have an event.
fn sums(counts: &SiteCounts) -> impl Iterator<Item = Beat> {
    let counters = counts.taken.iter().zip(&counts.entered).zip(&counts.left);
    let all = counters.map(|((&taken, &entered), &left)| [taken, entered, left]);
    let some = (0..).zip(all).filter(|(_, counts)| *counts != [0; 3]);
    some.map(|(site, counts)| Beat::Site {
        site,
        sums: counts.map(sum),
    })
}

fn sum(count: u64) -> Sum {
    Sum {
        count: count as u32 & !(u32::MAX << SUM_BITS),
        overflow: count >> SUM_BITS != 0,
    }
}

/// The beats of the sites that have cycles.
fn cycles(counts: &SiteCounts, threshold: u32) -> impl Iterator<Item = Beat> {
    counts
        .cycles
        .iter()
        .map(move |(&site, &cycles)| Beat::Cycles {
            site,
            sum: sum(cycles),
            threshold,
        })
}

/// The beats of indirect branches and where they led.
fn indirect(counts: &SiteCounts, is_odd: bool) -> impl Iterator<Item = Beat> {
    let parts = counts.indirect.iter().flat_map(|(&branch, &count)| {
        let most = u64::from(u32::MAX);
        let whole = std::iter::repeat_n(u32::MAX, (count / most) as usize);
        let rest = Some((count % most) as u32).filter(|rest| *rest > 0);
        whole.chain(rest).map(move |count| (branch, count))
    });
    parts.map(move |((site, target), count)| Beat::Indirect {
        site,
        target,
        count,
        is_odd,
        missed: false,
    })
}
