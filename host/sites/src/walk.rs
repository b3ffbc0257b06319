// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walk: from site to site through a flow table, with no more knowledge than the table has. It is
//! the specification of the hardware walker.
//!
//! A *flow* begins where an address says where the program is, and ends at an exception, at a gap,
//! where an address says otherwise, or where an atom cannot be. What arrives at a site departs from it:
//! [`Event::Enter`] and [`Event::Leave`] say where flows begin and end, [`Event::Taken`] which branches
//! were taken. A flow without an atom is neither.
//!
//! Between two addresses nothing else is needed, so that any walker can walk such a *segment*
//! ([`WalkSettings::segments`]). Then a flow also ends where an address says what the walk knows.

mod place;
mod skip;

use coretrace_abi::flow_table::{LONGEST_RUN, LostReason, NOWHERE, RETURN_STACK};
use coretrace_flow::{RETURN_STACK_DEPTH, ReturnStack};

use crate::event::{At, Event};
use crate::merge::{Hop, Token};
use crate::table::FlowTable;
pub use skip::PathEnd;

// The stack of hardware has the depth of that of a decoder.
const _: () = assert!(RETURN_STACK == RETURN_STACK_DEPTH);

/// What a trace unit does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkSettings {
    /// It uses its return stack (TRCCONFIGR.RS).
    pub return_stack: bool,
    /// It does not report branches that are not taken in front of an exception: an ETE.
    pub passes: bool,
    /// Each address begins a flow, whether the program was there anyway or not. The exceptions are the one
    /// behind a Trace Info, which is where the program is as a rule, and the one of an exception. Not
    /// together with a return stack: what is on it is of earlier segments.
    pub segments: bool,
}

/// Walks through a table.
#[derive(Clone, Debug)]
pub struct Walk {
    settings: WalkSettings,
    at: At,
    /// The site of the newest atom since the place was found.
    newest: Option<u32>,
    /// Where the last flow ended, or the branch that was taken since.
    last: u32,
    stack: ReturnStack<u32>,
    /// There was no address since the last Trace Info, so nothing is pushed.
    waits_for_address: bool,
    /// The token before was that Trace Info.
    follows_info: bool,
    /// It was said that the place is not known. The walk may go on: it says nothing of it.
    is_lost: bool,
    walked: u64,
    skipped: u64,
    /// Atoms skipped since the place was lost.
    skipped_here: u64,
}

impl Walk {
    /// A walk that has not begun.
    pub fn new(settings: WalkSettings) -> Walk {
        Walk {
            settings,
            at: At::Nowhere,
            newest: None,
            last: NOWHERE,
            stack: ReturnStack::new(NOWHERE),
            waits_for_address: true,
            follows_info: false,
            is_lost: true,
            walked: 0,
            skipped: 0,
            skipped_here: 0,
        }
    }

    /// Atoms that were walked, and that were skipped.
    pub fn atoms(&self) -> (u64, u64) {
        (self.walked, self.skipped)
    }

    /// Takes a token.
    pub fn token(&mut self, token: &Token, table: &FlowTable, sink: &mut impl FnMut(Event)) {
        let follows_info = self.follows_info;
        self.follows_info = matches!(token, Token::ForgetCalls);
        match *token {
            Token::Hop(hop) => self.hop(&hop, follows_info, table, sink),
            Token::Source(place) => self.source(&place, table, sink),
            Token::Exception { number, place } => {
                let site = self.interrupted(place, table, sink);
                let address = place.map(|place| place.address);
                sink(Event::Exception {
                    site,
                    number,
                    address,
                });
            }
            Token::Q { count } => {
                self.resolve(table, sink);
                self.leave(At::Away, sink);
                sink(Event::Q { count });
            }
            Token::Gap(reason) => {
                self.go_on(table);
                self.leave(At::Nowhere, sink);
                self.stack.clear();
                self.report(reason, sink);
            }
            Token::ForgetCalls => {
                self.stack.clear();
                self.waits_for_address = true;
            }
            Token::Cycles(count) => {
                let site = self.newest;
                sink(Event::Cycles { site, count });
            }
            Token::ReadOut => {
                self.go_on(table);
                if let At::Site { site, is_led, .. } = self.at {
                    let at = At::Site {
                        site,
                        is_new: true,
                        is_led,
                    };
                    self.leave(at, sink);
                }
                sink(Event::ReadOut);
            }
        }
    }

    fn hop(
        &mut self,
        hop: &Hop,
        follows_info: bool,
        table: &FlowTable,
        sink: &mut impl FnMut(Event),
    ) {
        if let Some(target) = &hop.target {
            let begins = self.settings.segments && !follows_info && !target.pops;
            self.address(target, begins, table, sink);
        }
        let atoms = u64::from(hop.not_taken) + u64::from(hop.taken);
        if atoms == 0 {
            return;
        }
        self.resolve(table, sink);
        let At::Site { site, .. } = self.at else {
            self.lose(LostReason::NoAddress, sink);
            self.skip(atoms);
            return;
        };
        self.pass(site, hop.not_taken, true, table, sink);
        if hop.taken {
            self.take(table, sink);
        }
    }

    /// Goes along so many sites whose branches are not taken; `are_sent`: each of them is an atom.
    fn pass(
        &mut self,
        site: u32,
        count: u32,
        are_sent: bool,
        table: &FlowTable,
        sink: &mut impl FnMut(Event),
    ) {
        let is_damaged = count > 0 && table.run_is_damaged(site);
        let run = if is_damaged { 0 } else { table.run(site) };
        let can_be = run >= LONGEST_RUN || count <= run.into();
        let mut walked = 0;
        if !self.is_lost {
            walked = if can_be { count } else { run.into() };
            if walked > 0 {
                self.enter(site, sink);
                let count = walked;
                sink(Event::Passed { site, count });
            }
            if walked > 0 && are_sent {
                self.newest = Some(table.behind(site, walked - 1));
            }
            self.stay(table.behind(site, walked));
            self.walked += u64::from(are_sent) * u64::from(walked);
        }
        if is_damaged {
            self.fail(LostReason::TableParity, sink);
        } else if !can_be {
            self.fail(LostReason::NotConditional, sink);
        }
        self.skip(u64::from(are_sent) * u64::from(count - walked));
        // The walk goes on, whether that can be or not.
        self.stay(table.behind(site, count));
    }

    /// An E atom.
    fn take(&mut self, table: &FlowTable, sink: &mut impl FnMut(Event)) {
        let At::Site { site, .. } = self.at else {
            return self.skip(1);
        };
        let exit = table.exit(site);
        if table.exit_is_damaged(site) {
            self.fail(LostReason::TableParity, sink);
        } else if exit.is_end() {
            self.fail(LostReason::NotLoaded, sink);
        }
        if self.is_lost {
            self.skip(1);
        } else {
            self.enter(site, sink);
            self.walked += 1;
            self.newest = Some(site);
            self.last = site;
            sink(Event::Taken { site });
        }
        if exit.link && self.settings.return_stack && !self.waits_for_address {
            self.stack.push(table.behind(site, 1));
        }
        self.at = At::Behind(site);
    }
}
