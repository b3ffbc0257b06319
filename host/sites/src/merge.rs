// SPDX-License-Identifier: MIT OR Apache-2.0
//! Final items in, tokens out: N atoms and addresses go in front of the next taken branch, so that
//! the walk has one step for each of them, and for nothing else.

use coretrace_abi::flow_table::{LostReason, NO_SPACE};
use coretrace_isa::Isa;

use crate::item::FlowItem;
use crate::table::FlowTable;

/// Most N atoms of a hop.
pub const MOST_NOT_TAKEN: u32 = 31;

/// An address, and the site of the next atom behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The address.
    pub address: u64,
    /// The site, or why it is not known.
    pub site: Result<u32, LostReason>,
    /// The instruction set of the address, if it is known.
    pub isa: Option<Isa>,
    /// Its unit among those of all frames, if its page is loaded.
    pub unit: Option<usize>,
}

/// Where a hop begins, if an address says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The place.
    pub place: Place,
    /// It may be any place, whatever the program did before.
    pub is_jump: bool,
    /// It came with an exception: a return address is taken from the stack all the same.
    pub pops: bool,
}

/// N atoms, and the E atom that ends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Hop {
    /// Where it begins, if an address says so.
    pub target: Option<Target>,
    /// N atoms, at most [`MOST_NOT_TAKEN`].
    pub not_taken: u32,
    /// An E atom is behind them.
    pub taken: bool,
}

/// A step of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// Atoms.
    Hop(Hop),
    /// The branch at an address was taken.
    Source(Place),
    /// An exception: the program was interrupted at its preferred return address.
    Exception {
        /// The exception number.
        number: u16,
        /// The address; none if it did not come.
        place: Option<Place>,
    },
    /// The branches of some instructions are not known.
    Q {
        /// How many instructions; 0 if that is not known either.
        count: u32,
    },
    /// What follows does not belong to what came before.
    Gap(LostReason),
    /// The return stack is forgotten.
    ForgetCalls,
    /// Cycles up to here.
    Cycles(u32),
    /// The counters are read here.
    ReadOut,
}

/// Makes tokens.
#[derive(Clone, Debug, Default)]
pub struct Merge {
    /// What the next hop begins with.
    hop: Hop,
    is_jump: bool,
    /// The exception whose address is still to come: its number, and whether that is a target.
    exception: Option<(u16, bool)>,
    /// Address space, and A64.
    context: Option<(u8, bool)>,
}

impl Merge {
    /// Takes an item that is final.
    pub fn item(&mut self, item: FlowItem, table: &FlowTable, sink: &mut impl FnMut(Token)) {
        // Nothing but a context comes between an exception and its address.
        if self.exception.is_some()
            && !matches!(item, FlowItem::Address { .. } | FlowItem::Context { .. })
        {
            self.end_exception(None, sink);
        }
        match item {
            FlowItem::Atoms { bits, count } => self.atoms(bits, count, sink),
            FlowItem::Address { address, is1 } => {
                // Before there is a context, nobody knows whose address it is.
                match self.place(address, is1, table) {
                    Some(place) => self.address(place, sink),
                    None => self.end_exception(None, sink),
                }
            }
            FlowItem::Context { space, a64 } => self.context = Some((space, a64)),
            FlowItem::Exception { number, is_target } => {
                self.exception = Some((number, is_target));
            }
            FlowItem::Q { count } => {
                self.flush(sink);
                self.is_jump = true;
                let count = count.unwrap_or(0);
                sink(Token::Q { count });
            }
            FlowItem::Source { address, is1 } => {
                self.flush(sink);
                let nowhere = Place {
                    address,
                    site: Err(LostReason::NotLoaded),
                    isa: None,
                    unit: None,
                };
                let place = self.place(address, is1, table).unwrap_or(nowhere);
                sink(Token::Source(place));
            }
            FlowItem::Jump { .. } => self.is_jump = true,
            FlowItem::TraceInfo { .. } => {
                self.flush(sink);
                sink(Token::ForgetCalls);
            }
            FlowItem::Gap(reason) => {
                self.flush(sink);
                self.is_jump = false;
                if reason != LostReason::TraceOn {
                    self.context = None;
                }
                sink(Token::Gap(reason));
            }
            FlowItem::Cycles(count) => {
                self.flush(sink);
                sink(Token::Cycles(count));
            }
            FlowItem::ReadOut => {
                self.flush(sink);
                sink(Token::ReadOut);
            }
            // The commit queue keeps them.
            FlowItem::Commit(_) | FlowItem::Cancel(_) | FlowItem::Mispredict => {}
        }
    }

    /// Atoms follow that do not come here.
    pub(crate) fn begin_path(&mut self, sink: &mut impl FnMut(Token)) {
        self.end_exception(None, sink);
        self.is_jump = false;
        self.flush(sink);
    }

    fn place(&self, address: u64, is1: bool, table: &FlowTable) -> Option<Place> {
        let (space, a64) = self.context?;
        let isa = match (a64, is1) {
            (true, _) => Isa::A64,
            (false, true) => Isa::T32,
            (false, false) => Isa::A32,
        };
        let address = if a64 {
            address
        } else {
            address & u64::from(u32::MAX)
        };
        Some(Place {
            address,
            site: table.rank(isa, space.min(NO_SPACE), address),
            isa: Some(isa),
            unit: table.unit(isa, space.min(NO_SPACE), address).ok(),
        })
    }

    fn atoms(&mut self, bits: u32, count: u8, sink: &mut impl FnMut(Token)) {
        self.is_jump &= count == 0;
        for atom in 0..count {
            if bits >> atom & 1 == 1 {
                self.hop.taken = true;
                self.flush(sink);
                continue;
            }
            if self.hop.not_taken == MOST_NOT_TAKEN {
                self.flush(sink);
            }
            self.hop.not_taken += 1;
        }
    }

    fn address(&mut self, place: Place, sink: &mut impl FnMut(Token)) {
        if self.exception.is_some() {
            self.end_exception(Some(place), sink);
            return;
        }
        self.flush(sink);
        self.hop.target = Some(Target {
            place,
            is_jump: std::mem::take(&mut self.is_jump),
            pops: false,
        });
    }

    fn end_exception(&mut self, place: Option<Place>, sink: &mut impl FnMut(Token)) {
        let Some((number, is_target)) = self.exception.take() else {
            return;
        };
        self.flush(sink);
        if let Some(place) = place
            && is_target
        {
            self.hop.target = Some(Target {
                place,
                is_jump: std::mem::take(&mut self.is_jump),
                pops: true,
            });
            self.flush(sink);
        }
        self.is_jump = false;
        sink(Token::Exception { number, place });
    }

    /// The hop ends here.
    fn flush(&mut self, sink: &mut impl FnMut(Token)) {
        let hop = std::mem::take(&mut self.hop);
        if hop != Hop::default() {
            sink(Token::Hop(hop));
        }
    }
}
