// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sum rule: how often each branch was not taken, from what was counted.
//!
//! What arrives at a site departs from it. With nothing in front of the first site,
//!
//! ```text
//! not taken(s) = not taken(s - 1) + taken branches that lead to s + entered(s) - taken(s) - left(s)
//! ```
//!
//! At a site without a condition that must be 0, and it is never negative: half of all sites check
//! the walk, the counters and the table.

use crate::counts::SiteCounts;
use crate::table::FlowTable;

/// Counts that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imbalance {
    /// Where they do.
    pub site: u32,
    /// How often the branch was not taken, by the rule.
    pub not_taken: i128,
}

/// What the rule says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// How often each branch was not taken. Behind a contradiction it counts from 0 again.
    pub not_taken: Vec<u64>,
    /// Where the counts contradict each other. The numbers of sites up to there may be wrong, back to
    /// the unconditional branch before.
    pub imbalances: Vec<Imbalance>,
}

impl Balance {
    /// The balance of all sites of a table.
    pub fn new(table: &FlowTable, counts: &SiteCounts) -> Balance {
        let sites = table.widths().sites();
        let mut arrivals = vec![0_i128; sites];
        for (site, &taken) in counts.taken.iter().enumerate().take(sites) {
            let exit = table.exit(site as u32);
            if taken > 0 && !exit.indirect && !exit.outside {
                arrivals[exit.exit as usize] += i128::from(taken);
            }
        }
        let mut balance = Balance::default();
        let mut before = 0_i128;
        let at = |counters: &[u64], site: usize| {
            i128::from(counters.get(site).copied().unwrap_or_default())
        };
        for (site, arrived) in arrivals.into_iter().enumerate() {
            let came = before + arrived + at(&counts.entered, site);
            let not_taken = came - at(&counts.taken, site) - at(&counts.left, site);
            let must_be_0 = table.run(site as u32) == 0;
            let can_be = not_taken == 0 || not_taken > 0 && !must_be_0;
            before = if can_be { not_taken } else { 0 };
            if !can_be {
                let site = site as u32;
                balance.imbalances.push(Imbalance { site, not_taken });
            }
            balance
                .not_taken
                .push(before.try_into().unwrap_or(u64::MAX));
        }
        balance
    }
}
