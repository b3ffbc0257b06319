// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the walk skips a path that is known.

use super::Walk;
use crate::event::{At, Event};
use crate::table::FlowTable;

/// Where a path leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathEnd {
    pub(crate) at: At,
    /// The branch that was taken last; none if none was.
    pub(crate) taken: Option<u32>,
    /// The site of its last atom.
    pub(crate) newest: Option<u32>,
    /// Steps of a walker: one for each E, and one for the N behind them.
    pub hops: u32,
}

impl PathEnd {
    /// The site of the next atom, if no address must come before it.
    pub fn site(&self, table: &FlowTable) -> Option<u32> {
        match self.at {
            At::Site { site, .. } => Some(site),
            At::Behind(branch) => {
                let exit = table.exit(branch);
                (!exit.indirect && !exit.outside).then_some(exit.exit)
            }
            At::Nowhere | At::Away => None,
        }
    }
}

impl Walk {
    /// Whether atoms alone say where the program goes: no return leaves out its target.
    pub(crate) fn has_paths(&self) -> bool {
        !self.settings.return_stack
    }

    /// Where a path may begin: the site of the next atom, if that is known.
    pub(crate) fn begin_path(&mut self, table: &FlowTable) -> Option<u32> {
        self.go_on(table);
        match self.at {
            At::Site { site, .. } if !self.is_lost => Some(site),
            _ => None,
        }
    }

    /// The site of the newest atom.
    pub(crate) fn newest(&self) -> Option<u32> {
        self.newest
    }

    /// Where the walk is, if atoms brought it there.
    pub(crate) fn at_in_flow(&self) -> Option<At> {
        match self.at {
            At::Behind(_) | At::Site { is_new: false, .. } if !self.is_lost => Some(self.at),
            _ => None,
        }
    }

    /// Goes to the end of a path from where the program is. Its branches are counted elsewhere.
    pub(crate) fn follow(&mut self, end: &PathEnd, atoms: u64, sink: &mut impl FnMut(Event)) {
        if let At::Site { site, .. } = self.at {
            self.enter(site, sink);
        }
        self.at = end.at;
        self.newest = end.newest;
        self.last = end.taken.unwrap_or(self.last);
        self.walked += atoms;
    }
}
