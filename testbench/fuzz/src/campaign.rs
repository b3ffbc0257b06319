// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many cases, on every core of the machine, until one differs.

use std::num::NonZero;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use anyhow::{Context, Result};

use crate::Verdict;

/// Counts of what was compared and equal.
pub trait Tally: AddAssign + Default + Send {
    /// What a campaign compares so much of.
    fn amount(&self) -> u64;
}

/// The result of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Ended<T> {
    /// What was equal.
    pub totals: T,
    /// Seeds that differ. All threads end after the first difference.
    pub differing: Vec<u64>,
}

/// Compares the cases of seeds from `first` on until `amount` was compared.
///
/// # Errors
/// If a case cannot be compared.
pub fn run<T: Tally>(
    compare: impl Fn(u64) -> Result<Verdict<T>> + Sync,
    first: u64,
    amount: u64,
) -> Result<Ended<T>> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let shared = Shared {
        next: AtomicU64::new(first),
        amount: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
    };
    let work = || shared.work(&compare, amount);
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
    amount: AtomicU64,
    is_over: AtomicBool,
}

impl Shared {
    fn work<T: Tally>(
        &self,
        compare: &impl Fn(u64) -> Result<Verdict<T>>,
        amount: u64,
    ) -> Result<Ended<T>> {
        let mut ended = Ended::default();
        while !self.is_over.load(Ordering::Relaxed) {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            match compare(seed).with_context(|| format!("seed {seed}"))? {
                Verdict::Equal(totals) => {
                    let more = totals.amount();
                    let before = self.amount.fetch_add(more, Ordering::Relaxed);
                    let is_enough = before + more >= amount;
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
