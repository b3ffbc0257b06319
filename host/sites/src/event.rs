// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a walk says, and where it is.

use coretrace_abi::flow_table::LostReason;

/// What the walk says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A branch or an address led to a site, whose atom comes now.
    Arrive {
        /// The site.
        site: u32,
        /// A flow begins there.
        begins: bool,
    },
    /// A flow begins: the first atom is that of this site.
    Enter {
        /// The site.
        site: u32,
    },
    /// The branches of sites were not taken.
    Passed {
        /// The first one.
        site: u32,
        /// How many follow each other.
        count: u32,
    },
    /// The branch of a site was taken.
    Taken {
        /// The site.
        site: u32,
    },
    /// An indirect branch led to a site.
    Indirect {
        /// The branch.
        site: u32,
        /// The site.
        target: u32,
    },
    /// A flow ends: the next atom would have been that of this site.
    Leave {
        /// The site.
        site: u32,
    },
    /// Cycles since the last ones, up to the newest atom.
    Cycles {
        /// The newest site; none if the place is not known.
        site: Option<u32>,
        /// How many.
        count: u32,
    },
    /// The program was interrupted.
    Exception {
        /// The site of its next atom; none if the place is not known.
        site: Option<u32>,
        /// The exception number.
        number: u16,
        /// The preferred return address, if it came.
        address: Option<u64>,
    },
    /// The branches of instructions are not known.
    Q {
        /// How many instructions; 0 if that is not known either.
        count: u32,
    },
    /// The place is not known any more.
    Lost {
        /// Why.
        reason: LostReason,
        /// Where the last flow ended, or the branch that was taken since.
        site: u32,
        /// Atoms before, walked and skipped.
        atoms: u64,
    },
    /// The place is known again.
    Found {
        /// The address.
        address: u64,
        /// The site of its first atom.
        site: u32,
        /// Atoms that were skipped since it was lost.
        skipped: u64,
    },
    /// The counters are read here.
    ReadOut,
}

/// Where the program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// Nobody knows.
    Nowhere,
    /// Behind an exception or a Q element: an address comes next.
    Away,
    /// The next atom is that of this site.
    Site {
        /// The site.
        site: u32,
        /// There was no atom since the address that led here.
        is_new: bool,
        /// There was no atom since the branch or the address that led here.
        is_led: bool,
    },
    /// Behind the taken branch of this site: what comes next says where it leads.
    Behind(u32),
}
