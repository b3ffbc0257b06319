// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares the records of a port with faults to those of the same port without faults.
//!
//! Every A-Sync starts a period, and the Timestamp after its Trace Info identifies it, so both
//! sides can be matched there. Between two matched periods the longest common subsequence decides
//! which records are right.

use std::collections::HashMap;
use std::ops::AddAssign;

use coretrace_etm::{Kind, Record};

use crate::observe::Observation;

/// Records that differ from those of the port without faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Packets that were not reported unchanged.
    pub lost: u64,
    /// Wrong packets marked suspect.
    pub suspect: u64,
    /// Wrong packets not marked suspect, with an error or a loss reported before the next A-Sync.
    pub late: u64,
    /// Wrong packets not marked suspect, with nothing reported before the next A-Sync.
    pub silent: u64,
    /// For each period of the port without faults: whether it was reported exactly.
    pub is_right: Vec<bool>,
}

impl Compared {
    /// All wrong packets.
    pub fn wrong(&self) -> u64 {
        self.suspect + self.late + self.silent
    }
}

impl AddAssign<&Compared> for Compared {
    fn add_assign(&mut self, other: &Compared) {
        self.lost += other.lost;
        self.suspect += other.suspect;
        self.late += other.late;
        self.silent += other.silent;
        self.is_right.extend(&other.is_right);
    }
}

/// The starts of periods.
pub fn starts(observations: &[Observation]) -> Vec<usize> {
    (0..observations.len())
        .filter(|&at| observations[at].is_async())
        .collect()
}

/// The timestamp that identifies the period that starts here.
fn name(observations: &[Observation]) -> Option<u64> {
    match observations {
        [
            first,
            Observation::Record(info),
            Observation::Record(mark),
            ..,
        ] if first.is_async() && info.kind == Kind::TraceInfo && mark.kind == Kind::Timestamp => {
            Some(mark.timestamp)
        }
        _ => None,
    }
}

/// Compares observations with those without faults, `clean`.
pub fn compare(clean: &[Observation], observations: &[Observation]) -> Compared {
    let clean_starts = starts(clean);
    let end_of = |starts: &[usize], index: usize, all: &[Observation]| {
        starts.get(index + 1).copied().unwrap_or(all.len())
    };
    let names = clean_starts.iter().enumerate();
    let periods: HashMap<u64, usize> = names
        .filter_map(|(period, &start)| Some((name(&clean[start..])?, period)))
        .collect();
    let observed_starts = starts(observations);
    let mut compared = Compared {
        is_right: vec![false; clean_starts.len()],
        ..Compared::default()
    };
    let (mut clean_done, mut observed_done) = (0, 0);
    for (index, &start) in observed_starts.iter().enumerate() {
        let period = name(&observations[start..]).and_then(|name| periods.get(&name).copied());
        let Some(period) = period.filter(|&period| clean_starts[period] >= clean_done) else {
            continue;
        };
        let clean_start = clean_starts[period];
        compared.count(
            &clean[clean_done..clean_start],
            &observations[observed_done..start],
        );
        (clean_done, observed_done) = (clean_start, start);
        let clean_end = end_of(&clean_starts, period, clean);
        let observed_end = end_of(&observed_starts, index, observations);
        if is_equal(
            &clean[clean_start..clean_end],
            &observations[start..observed_end],
        ) {
            compared.is_right[period] = true;
            (clean_done, observed_done) = (clean_end, observed_end);
        }
    }
    compared.count(&clean[clean_done..], &observations[observed_done..]);
    compared
}

impl Compared {
    /// Counts the differences between two matched places.
    fn count(&mut self, clean: &[Observation], observations: &[Observation]) {
        let is_common = common(clean, observations);
        let right = is_common.iter().filter(|&&is_common| is_common).count();
        self.lost += (clean.len() - right) as u64;
        let mut is_reported = false;
        for (observation, is_common) in observations.iter().zip(is_common).rev() {
            match observation.packet() {
                None => is_reported = true,
                Some(_) if is_common => {}
                Some(record) if record.suspect => self.suspect += 1,
                Some(_) if is_reported => self.late += 1,
                Some(_) => self.silent += 1,
            }
            if observation.is_async() {
                is_reported = false;
            }
        }
    }
}

fn is_equal(clean: &[Observation], observations: &[Observation]) -> bool {
    let is_plain = |observed: &Observation| observed.packet().is_some_and(|record| !record.suspect);
    clean.len() == observations.len()
        && clean
            .iter()
            .zip(observations)
            .all(|(clean, observed)| is_same(clean, observed))
        && observations.iter().all(is_plain)
}

/// Whether both are the same record, wherever in the stream. Of an A-Sync only the kind is
/// compared: its record has the state of the previous period.
fn is_same(clean: &Observation, observed: &Observation) -> bool {
    let (Observation::Record(clean), Observation::Record(observed)) = (clean, observed) else {
        return false;
    };
    if clean.kind == Kind::Async {
        return observed.kind == Kind::Async;
    }
    let content = |record: &Record| Record {
        offset: 0,
        suspect: false,
        ..*record
    };
    content(clean) == content(observed)
}

/// For each observation, whether it is part of a longest common subsequence.
fn common(clean: &[Observation], observations: &[Observation]) -> Vec<bool> {
    let mut is_common = vec![false; observations.len()];
    let same = |c: &usize, h: &usize| is_same(&clean[*c], &observations[*h]);
    let front = (0..clean.len().min(observations.len()))
        .take_while(|at| same(at, at))
        .count();
    is_common[..front].fill(true);
    // Lengths of the longest common subsequences of all suffixes.
    let (rows, columns) = (clean.len() - front, observations.len() - front);
    let width = columns + 1;
    let mut longest = vec![0_u32; (rows + 1) * width];
    for c in (0..rows).rev() {
        for h in (0..columns).rev() {
            longest[c * width + h] = if same(&(front + c), &(front + h)) {
                longest[(c + 1) * width + h + 1] + 1
            } else {
                longest[(c + 1) * width + h].max(longest[c * width + h + 1])
            };
        }
    }
    let (mut c, mut h) = (0, 0);
    while c < rows && h < columns {
        if same(&(front + c), &(front + h)) {
            is_common[front + h] = true;
            (c, h) = (c + 1, h + 1);
        } else if longest[(c + 1) * width + h] >= longest[c * width + h + 1] {
            c += 1;
        } else {
            h += 1;
        }
    }
    is_common
}
