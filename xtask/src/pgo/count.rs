// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is compared before and after: counts of a branch trace.

use coretrace_test_gen::btr::{BranchTrace, SiteKind};

/// Address bits inside a page.
const PAGE_BITS: u32 = 12;

/// Counts of a run of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions.
    pub instructions: u64,
    /// Taken branches: calls and returns among them.
    pub taken: u64,
    /// Taken branches to another page of 4 KiB.
    pub crossing: u64,
}

impl Counts {
    /// Those of a trace.
    pub fn of(trace: &BranchTrace) -> Counts {
        let mut counts = Counts {
            instructions: trace.instructions,
            ..Counts::default()
        };
        for record in trace.records() {
            let site = &trace.sites[record.site];
            if record.taken && site.kind.is(SiteKind::BRANCH) {
                counts.taken += 1;
                let crosses = (site.address ^ record.next) >> PAGE_BITS != 0;
                counts.crossing += u64::from(crosses);
            }
        }
        counts
    }

    /// The rows of a table: each figure, and its change from another run in percent.
    pub fn row(&self, before: Option<&Counts>) -> String {
        let cell = |now: u64, before: Option<u64>| match before {
            Some(before) => format!("{now} ({:+.1} %)", change(now, before)),
            None => now.to_string(),
        };
        format!(
            "{} | {} | {}",
            cell(self.instructions, before.map(|it| it.instructions)),
            cell(self.taken, before.map(|it| it.taken)),
            cell(self.crossing, before.map(|it| it.crossing))
        )
    }
}

/// From one number to another, in percent.
pub fn change(now: u64, before: u64) -> f64 {
    if now == before {
        return 0.0;
    }
    (now as f64 / before.max(1) as f64 - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_isa::Isa;
    use coretrace_test_gen::btr::{BranchTraceBuilder, Site};

    #[test]
    fn taken_branches_are_counted_and_those_to_other_pages_among_them() {
        let mut builder = BranchTraceBuilder::new(Isa::A64, 0x1000);
        let site = |address, target, kind| Site {
            address,
            target,
            kind,
        };
        let branch = SiteKind::BRANCH.and(SiteKind::CONDITIONAL);
        builder.push(site(0x1004, 0x1000, branch), true, 2, 0x1000);
        builder.push(site(0x1004, 0x1000, branch), false, 2, 0x1008);
        builder.push(site(0x1008, 0, SiteKind::SUPERVISOR_CALL), true, 1, 0x100C);
        builder.push(site(0x100C, 0x2000, SiteKind::BRANCH), true, 1, 0x2000);
        let counts = Counts::of(&builder.finish());
        let want = Counts {
            instructions: 6,
            taken: 2,
            crossing: 1,
        };
        assert_eq!(counts, want);
        let before = Counts {
            instructions: 8,
            taken: 2,
            crossing: 4,
        };
        assert_eq!(
            counts.row(Some(&before)),
            "6 (-25.0 %) | 2 (+0.0 %) | 1 (-75.0 %)"
        );
    }
}
