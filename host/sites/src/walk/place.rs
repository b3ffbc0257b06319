// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the walk finds the place in the program, and loses it.

use coretrace_abi::flow_table::{ExitWord, LostReason};

use super::Walk;
use crate::event::{At, Event};
use crate::merge::{Place, Target};
use crate::table::FlowTable;

impl Walk {
    /// Says something if the place is known.
    pub(super) fn say(&self, event: Event, sink: &mut impl FnMut(Event)) {
        if !self.is_lost {
            sink(event);
        }
    }

    /// The program is at a site that it reached by itself.
    pub(super) fn stay(&mut self, site: u32) {
        let (is_new, is_led) = match self.at {
            At::Site {
                site: known,
                is_new,
                is_led,
            } if known == site => (is_new, is_led),
            _ => (false, false),
        };
        self.at = At::Site {
            site,
            is_new,
            is_led,
        };
    }

    /// An atom of a site: the first one of a flow, or behind a branch, or another one.
    pub(super) fn enter(&mut self, site: u32, sink: &mut impl FnMut(Event)) {
        if let At::Site { is_new, is_led, .. } = self.at {
            self.at = At::Site {
                site,
                is_new: false,
                is_led: false,
            };
            if is_led {
                let begins = is_new;
                self.say(Event::Arrive { site, begins }, sink);
            }
            if is_new {
                self.say(Event::Enter { site }, sink);
            }
        }
    }

    /// The flow ends, and the program is elsewhere.
    pub(super) fn leave(&mut self, at: At, sink: &mut impl FnMut(Event)) {
        if let At::Site {
            site,
            is_new: false,
            ..
        } = self.at
        {
            self.say(Event::Leave { site }, sink);
            if !self.is_lost {
                self.last = site;
            }
        }
        self.at = at;
    }

    /// Says that the place is not known.
    pub(super) fn report(&mut self, reason: LostReason, sink: &mut impl FnMut(Event)) {
        self.is_lost = true;
        self.newest = None;
        self.skipped_here = 0;
        sink(Event::Lost {
            reason,
            site: self.last,
            atoms: self.walked + self.skipped,
        });
    }

    /// The place is not known, if it was.
    pub(super) fn lose(&mut self, reason: LostReason, sink: &mut impl FnMut(Event)) {
        if !self.is_lost {
            self.report(reason, sink);
        }
    }

    /// An address has no site. A damaged table is reported, whether the place was known or not: it may
    /// be why it is not found.
    fn miss(&mut self, reason: LostReason, sink: &mut impl FnMut(Event)) {
        if reason == LostReason::TableParity {
            self.report(reason, sink);
        } else {
            self.lose(reason, sink);
        }
    }

    /// The program cannot be where it is. The walk goes on, and says nothing.
    pub(super) fn fail(&mut self, reason: LostReason, sink: &mut impl FnMut(Event)) {
        let at = self.at;
        self.leave(at, sink);
        self.lose(reason, sink);
    }

    /// Atoms that are not walked.
    pub(super) fn skip(&mut self, atoms: u64) {
        self.skipped += atoms;
        self.skipped_here += atoms;
    }

    /// Goes behind a branch whose target does not vary.
    pub(super) fn go_on(&mut self, table: &FlowTable) {
        if let At::Behind(branch) = self.at {
            let exit = table.exit(branch);
            if !exit.outside && !exit.indirect {
                self.at = At::Site {
                    site: exit.exit,
                    is_new: false,
                    is_led: true,
                };
            }
        }
    }

    /// Goes behind the newest branch, if there is no address.
    fn try_resolve(
        &mut self,
        table: &FlowTable,
        sink: &mut impl FnMut(Event),
    ) -> Result<(), LostReason> {
        self.go_on(table);
        let At::Behind(branch) = self.at else {
            return Ok(());
        };
        self.at = At::Nowhere;
        let exit = table.exit(branch);
        if exit.outside {
            self.take_back(exit);
            return Err(LostReason::Outside);
        }
        let top = self.stack.pop().ok_or(LostReason::NoTarget)?;
        // Behind an indirect call the program goes where the call has put it.
        let target = if exit.link { exit.exit } else { top };
        let site = branch;
        self.say(Event::Indirect { site, target }, sink);
        self.begin_at(target);
        Ok(())
    }

    /// As [`Walk::try_resolve`], and says if there is no way.
    pub(super) fn resolve(&mut self, table: &FlowTable, sink: &mut impl FnMut(Event)) {
        if let Err(reason) = self.try_resolve(table, sink) {
            self.lose(reason, sink);
        }
    }

    /// What an indirect call has put on the stack is taken at once. No word of the compiler is one that
    /// leads outside.
    fn take_back(&mut self, exit: ExitWord) {
        if exit.indirect && exit.link {
            self.stack.pop();
        }
    }

    fn begin_at(&mut self, site: u32) {
        self.at = At::Site {
            site,
            is_new: true,
            is_led: true,
        };
    }

    /// The place is known from here on.
    pub(crate) fn find(&mut self, address: u64, site: u32, sink: &mut impl FnMut(Event)) {
        if self.is_lost {
            self.is_lost = false;
            let skipped = self.skipped_here;
            sink(Event::Found {
                address,
                site,
                skipped,
            });
        }
        self.begin_at(site);
    }

    /// An address says where the program is; `begins`: a flow begins there in any case.
    pub(super) fn address(
        &mut self,
        target: &Target,
        begins: bool,
        table: &FlowTable,
        sink: &mut impl FnMut(Event),
    ) {
        self.waits_for_address = false;
        let Place { address, site, .. } = target.place;
        self.go_on(table);
        if let At::Behind(branch) = self.at {
            let exit = table.exit(branch);
            if target.pops && exit.outside {
                self.take_back(exit);
            } else if target.pops {
                self.stack.pop();
            }
            if let Ok(target) = site
                && !exit.outside
            {
                let site = branch;
                self.say(Event::Indirect { site, target }, sink);
            }
        }
        let known = match self.at {
            At::Site { site, .. } if !self.is_lost => Some(site),
            _ => None,
        };
        let is_there = known.is_some() && known == site.ok();
        if is_there && !begins {
            return;
        }
        self.leave(At::Nowhere, sink);
        let site = match site {
            Ok(site) => site,
            Err(reason) => return self.miss(reason, sink),
        };
        if known.is_some() && !is_there && !target.is_jump {
            self.lose(LostReason::OtherAddress, sink);
        }
        self.find(address, site, sink);
    }

    /// An exception, in front of its preferred return address. Returns where the program was.
    pub(super) fn interrupted(
        &mut self,
        place: Option<Place>,
        table: &FlowTable,
        sink: &mut impl FnMut(Event),
    ) -> Option<u32> {
        // What was in front of it may be unknown.
        let _ = self.try_resolve(table, sink);
        if let At::Site { site, .. } = self.at
            && let Some(place) = place
        {
            match place.site.map(|reached| reached.checked_sub(site)) {
                Ok(Some(count)) if self.settings.passes => {
                    self.pass(site, count, false, table, sink);
                }
                // Where the program was interrupted is not known then, but the rest is.
                Ok(Some(0)) | Err(LostReason::NotLoaded) => {}
                Ok(_) => self.fail(LostReason::OtherAddress, sink),
                Err(reason) => self.fail(reason, sink),
            }
        }
        let site = match self.at {
            At::Site { site, .. } if !self.is_lost => Some(site),
            _ => None,
        };
        self.leave(At::Away, sink);
        site
    }

    /// The branch at an address was taken, and none in front of it.
    pub(super) fn source(
        &mut self,
        place: &Place,
        table: &FlowTable,
        sink: &mut impl FnMut(Event),
    ) {
        self.resolve(table, sink);
        let source = match place.site {
            Ok(source) => source,
            Err(reason) => {
                self.leave(At::Nowhere, sink);
                self.miss(reason, sink);
                return self.skip(1);
            }
        };
        match self.at {
            At::Site { site, .. } if !self.is_lost && site <= source => {
                self.pass(site, source - site, false, table, sink);
            }
            at => {
                if let At::Site { .. } = at {
                    self.fail(LostReason::OtherAddress, sink);
                }
                self.find(place.address, source, sink);
                // Where the program was in front of the branch is not known.
                self.at = At::Site {
                    site: source,
                    is_new: true,
                    is_led: false,
                };
            }
        }
        self.take(table, sink);
    }
}
