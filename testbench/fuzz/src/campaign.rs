// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many cases, on every core of the machine, until one differs.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use anyhow::{Context, Result};

use crate::{Case, Pair, Totals, Verdict};

/// The result of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// Counts of equal records.
    pub totals: Totals,
    /// Seeds that differ. All threads end after the first difference.
    pub differing: Vec<u64>,
}

/// Compares the cases of seeds from `first` on until `packets` packets were compared.
///
/// # Errors
/// If a decoder cannot be run.
pub fn run(pair: &impl Pair, first: u64, packets: u64) -> Result<Ended> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let shared = Shared {
        next: AtomicU64::new(first),
        packets: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
    };
    let work = || shared.work(pair, packets);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut all = Ended::default();
        for worker in workers {
            let one = worker.join().expect("no thread panics")?;
            all.totals += one.totals;
            all.differing.extend(one.differing);
        }
        Ok(all)
    })
}

/// What the threads share.
struct Shared {
    next: AtomicU64,
    packets: AtomicU64,
    is_over: AtomicBool,
}

impl Shared {
    fn work(&self, pair: &impl Pair, packets: u64) -> Result<Ended> {
        let mut ended = Ended::default();
        while !self.is_over.load(Ordering::Relaxed) {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            let verdict = pair.compare(&Case::from_seed(seed));
            match verdict.with_context(|| format!("seed {seed}"))? {
                Verdict::Equal(totals) => {
                    let before = self.packets.fetch_add(totals.packets, Ordering::Relaxed);
                    let is_enough = before + totals.packets >= packets;
                    self.is_over.fetch_or(is_enough, Ordering::Relaxed);
                    ended.totals += totals;
                }
                Verdict::Different(_) => {
                    self.is_over.store(true, Ordering::Relaxed);
                    ended.differing.push(seed);
                }
            }
        }
        Ok(ended)
    }
}
