// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is to know of a walk through a program, from the model and from the hardware, and where they
//! differ.

use crate::flow::Reported;
use crate::flow_case::FlowCase;
use crate::flow_path::BEGIN;
use coretrace_abi::flow_stream::{Beat, BeatKind, Hop};
use coretrace_abi::flow_table::{LostReason, space};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Context};
use coretrace_sites::{CountWindow, Event, FlowItem, FlowUnit, HopRing, Items, SiteCounts};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Atoms that a beat of the hardware may have in addition: those of its whole step.
const STEP_ATOMS: u32 = 32;

/// Where the place was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lost {
    /// Why.
    pub reason: LostReason,
    /// The newest site.
    pub site: u32,
    /// Atoms before, modulo 2^32.
    pub atoms: u32,
}

/// A walk.
#[derive(Clone, Debug, Default)]
pub struct FlowWalk {
    /// Of each walker.
    pub reported: Vec<Vec<Reported>>,
    /// In order.
    pub lost: Vec<Lost>,
    /// Taken, entered and left, by site.
    pub sums: Vec<[u64; 3]>,
    /// How often each indirect branch led to each site.
    pub ways: BTreeMap<(u32, u32), u64>,
    /// Cycles of each site that has some; two walkers count none.
    pub cycles: BTreeMap<u32, u64>,
    /// The ring of hops, if it was frozen.
    pub ring: Vec<Hop>,
    /// Atoms that were walked or skipped.
    pub atoms: u64,
    /// Those of them that were skipped.
    pub skipped: u64,
    /// All atoms of the stream.
    pub sent: u64,
}

impl FlowWalk {
    /// What the model says of one walker or two, each flow ended.
    pub fn of_model(case: &FlowCase, walkers: usize) -> FlowWalk {
        let FlowCase {
            source,
            table,
            rules,
            ..
        } = case;
        let of = |context: &Context| space(rules, context);
        let mut unit = match walkers {
            1 => FlowUnit::new(source),
            _ => FlowUnit::of_segments(source),
        };
        let items = Items::new(source);
        let mut counts = SiteCounts::new(table.widths());
        let has_triggers = walkers == 1;
        let mut window = CountWindow::new(case.windowed && has_triggers);
        let mut ring = HopRing::new(if has_triggers { case.freeze_after } else { 0 });
        let mut walk = FlowWalk::default();
        let mut reported = Vec::new();
        let mut item = |item| {
            walk.sent += match item {
                FlowItem::Atoms { count, .. } => count.into(),
                FlowItem::Source { .. } => 1,
                _ => 0,
            };
            unit.item(item, table, &mut |event| {
                ring.event(&event, table);
                window.event(event, table, &mut |event| counts.add(&event));
                reported.extend(Reported::of(&event));
                if let Event::Lost {
                    reason,
                    site,
                    atoms,
                } = event
                {
                    let atoms = atoms as u32;
                    walk.lost.push(Lost {
                        reason,
                        site,
                        atoms,
                    });
                }
            });
        };
        let config = Config::new(source.protocol, source.profile, &source.registers);
        let mut decoder = Decoder::new(config, Policy::Resync);
        for bytes in [&case.bytes[..], &BEGIN] {
            decoder.feed(bytes, |record| items.record(record, of, &mut item));
            decoder.discontinuity(|record| items.record(record, of, &mut item));
            item(FlowItem::Gap(LostReason::BadPacket));
        }
        let (walked, skipped) = unit.atoms();
        let sum = |site| [counts.taken[site], counts.entered[site], counts.left[site]];
        walk.sums = (0..case.sites()).map(sum).collect();
        walk.ways = counts.indirect;
        walk.cycles = counts.cycles;
        walk.ring = ring.frozen().map(Iterator::collect).unwrap_or_default();
        (walk.atoms, walk.skipped) = (walked + skipped, skipped);
        walk.reported = vec![reported];
        walk
    }

    /// How many events there are.
    pub fn events(&self) -> usize {
        self.reported.iter().map(Vec::len).sum()
    }

    /// How often something was dropped.
    pub fn drops(&self) -> usize {
        let is_drop = |event: &&Reported| **event == Reported::Lost(LostReason::Dropped);
        self.reported.iter().flatten().filter(is_drop).count()
    }

    /// Where the hardware says something else than this walk of the model. Two walkers say the same in any
    /// order.
    pub fn difference(&self, hardware: &FlowWalk, walkers: usize) -> Option<String> {
        let (mut want, mut got) = (self.clone(), hardware.clone());
        if walkers > 1 {
            want.forget_order();
            got.forget_order();
        }
        let reported = |walk: &FlowWalk| walk.reported.concat();
        let places = |walk: &FlowWalk| -> Vec<_> {
            let lost = walk.lost.iter();
            lost.map(|lost| (lost.reason, lost.site)).collect()
        };
        let ways = |walk: &FlowWalk| walk.ways.clone().into_iter().collect::<Vec<_>>();
        let cycles = |walk: &FlowWalk| walk.cycles.clone().into_iter().collect::<Vec<_>>();
        let totals = |walk: &FlowWalk| [walk.atoms, walk.skipped, walk.sent];
        first("event", &reported(&want), &reported(&got))
            .or_else(|| first("loss", &places(&want), &places(&got)))
            .or_else(|| first("site", &want.sums, &got.sums))
            .or_else(|| first("way", &ways(&want), &ways(&got)))
            .or_else(|| first("site with cycles", &cycles(&want), &cycles(&got)))
            .or_else(|| first("hop", &want.ring, &got.ring))
            .or_else(|| first("sum of atoms", &totals(&want), &totals(&got)))
            .or_else(|| first("atoms of loss", &want.lost, &got.with_atoms_of(&want).lost))
    }

    /// What does not depend on which of two walkers was first.
    fn forget_order(&mut self) {
        let mut reported = self.reported.concat();
        reported.sort();
        self.reported = vec![reported];
        for lost in &mut self.lost {
            (lost.site, lost.atoms) = (0, 0);
        }
        self.lost.sort();
    }

    /// With the atoms that a loss has in the model, where its own are as good.
    fn with_atoms_of(mut self, model: &FlowWalk) -> FlowWalk {
        for (lost, want) in self.lost.iter_mut().zip(&model.lost) {
            let is_gap = want.reason <= LostReason::Dropped;
            let most = if is_gap { 0 } else { STEP_ATOMS };
            if lost.atoms.wrapping_sub(want.atoms) <= most {
                lost.atoms = want.atoms;
            }
        }
        self
    }
}

/// The first entry that differs.
fn first<T: Debug + PartialEq>(what: &str, want: &[T], got: &[T]) -> Option<String> {
    let (want_at, got_at) = (|at| want.get(at), |at| got.get(at));
    let at = (0..want.len().max(got.len())).find(|&at| want_at(at) != got_at(at))?;
    Some(format!(
        "{what} {at}: {:?}, model {:?}",
        got_at(at),
        want_at(at)
    ))
}

/// What the stream says of losses.
pub fn losses(beats: &[Beat]) -> Vec<Lost> {
    let lost = |beat: &Beat| match *beat {
        Beat::Mark {
            reason: Some(reason),
            place,
            missed: false,
            atoms,
            ..
        } => Some(Lost {
            reason,
            site: place,
            atoms: atoms.sent,
        }),
        _ => None,
    };
    beats.iter().filter_map(lost).collect()
}

/// How often each indirect branch led to each site, in all read-outs.
///
/// # Panics
/// If some were not counted.
pub fn ways(beats: &[Beat]) -> BTreeMap<(u32, u32), u64> {
    let mut ways = BTreeMap::new();
    for beat in beats {
        if let Beat::Indirect {
            site,
            target,
            count,
            missed,
            ..
        } = *beat
        {
            assert!(!missed, "branches are not counted");
            *ways.entry((site, target)).or_default() += u64::from(count);
        }
    }
    ways
}

/// The cycles of each site, in all read-outs.
///
/// # Panics
/// If a sum is not exact.
pub fn cycles(beats: &[Beat]) -> BTreeMap<u32, u64> {
    let mut cycles = BTreeMap::new();
    for beat in beats {
        if let Beat::Cycles { site, sum, .. } = *beat {
            assert!(!sum.overflow);
            *cycles.entry(site).or_default() += u64::from(sum.count);
        }
    }
    cycles
}

/// The hops of the ring, if it was frozen.
pub fn ring(beats: &[Beat]) -> Vec<Hop> {
    let hop = |beat: &Beat| match *beat {
        Beat::Hop { hop, .. } => Some(hop),
        _ => None,
    };
    beats.iter().filter_map(hop).collect()
}

/// The sums of one read-out, of so many sites.
///
/// # Panics
/// If the beats are those of another number of read-outs, a site comes twice, or a sum is not exact.
pub fn sums(beats: &[Beat], sites: usize) -> Vec<[u64; 3]> {
    let mut all = vec![[0; 3]; sites];
    let mut marks = Vec::new();
    for beat in beats {
        match *beat {
            Beat::Site { site, sums } => {
                assert_eq!(all[site as usize], [0; 3], "site {site} comes twice");
                assert!(sums.iter().all(|sum| !sum.overflow));
                all[site as usize] = sums.map(|sum| sum.count.into());
            }
            Beat::Mark { kind, .. } => marks.push(kind),
            Beat::Indirect { .. } | Beat::Hop { .. } | Beat::Cycles { .. } => {}
        }
    }
    marks.retain(|kind| matches!(kind, BeatKind::ReadOut | BeatKind::End));
    assert_eq!(marks, [BeatKind::ReadOut, BeatKind::End]);
    all
}
