// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stretches of the program that do not end where a block does: in front of an exception, in a Q,
//! up to a source address.

use coretrace_etm::Address;
use coretrace_isa::{Class, Isa};

use crate::Contradiction;
use crate::doubts::Doubt;
use crate::element::{Element, ElementSink, LastInstruction, Outcome, Range};
use crate::waiting::{ContextOf, Target};
use crate::walker::Walker;

/// Instructions one after the other.
struct Stretch {
    /// None if there is no image at its beginning.
    range: Option<Range>,
    /// It ended in front of this address, which no image has.
    missing: Option<u64>,
}

impl Walker {
    /// Whether the place is not known. OpenCSD walks on from the last place.
    fn is_lost(&self) -> bool {
        (self.needs_context || self.needs_address) && !self.as_opencsd
    }

    /// The instructions from the place up to the first one behind which `is_end` holds, given its
    /// end, their number, and its class.
    fn stretch(&self, is_end: impl Fn(u64, u32, Class) -> bool) -> Stretch {
        let mut range = Range {
            start: self.address,
            end: self.address,
            count: 0,
            isa: self.isa,
            outcome: Outcome::E,
            last: LastInstruction::default(),
        };
        let mut fetch = self.images.fetch(self.set, self.isa, range.end);
        let missing = loop {
            let Some(found) = fetch.next() else {
                break Some(range.end);
            };
            range.end = range.end.wrapping_add(found.size.into());
            range.count = range.count.saturating_add(1);
            range.last = LastInstruction::of(&found);
            if is_end(range.end, range.count, found.class) {
                break None;
            }
        };
        Stretch {
            range: (range.count > 0).then_some(range),
            missing,
        }
    }

    /// The instructions from the place up to an address in its block, where all have four bytes.
    fn part_of_block(&mut self, end: u64) -> Option<Stretch> {
        let block = self.block_here();
        self.settle();
        let size = end.checked_sub(block.start)?;
        if block.isa == Isa::T32 || size == 0 || size % 4 != 0 || end >= block.end {
            return None;
        }
        let last = self.images.fetch(self.set, block.isa, end - 4).next()?;
        let range = Range {
            end,
            count: (size / 4) as u32,
            outcome: Outcome::E,
            last: LastInstruction::of(&last),
            ..block.range(true)
        };
        Some(Stretch {
            range: Some(range),
            missing: None,
        })
    }

    /// An exception; behind it come a context, if there is one, and the preferred return address.
    pub fn exception(
        &mut self,
        (number, is_target): (u16, bool),
        (context, target): (Option<ContextOf>, Target),
        offset: u64,
        sink: &mut impl ElementSink,
    ) -> Result<(), Contradiction> {
        self.resolve()?;
        self.settle();
        if is_target {
            self.address(target);
        }
        if let Some(context) = context {
            let element = self.context(context);
            sink.element(offset, &element);
        }
        self.jump();
        let return_address = self.narrowed(&target);
        if !self.is_lost() && self.address != return_address {
            self.reach(return_address, offset, sink);
        }
        let element = Element::Exception {
            return_address: Some(return_address),
            is_target,
            number,
        };
        sink.element(offset, &element);
        Ok(())
    }

    /// Goes to an address in front of which there is no reported instruction. An ETE does not report
    /// branches that are not taken, and OpenCSD passes all branches.
    fn reach(&mut self, address: u64, offset: u64, sink: &mut impl ElementSink) {
        let passes = self.as_opencsd || self.is_ete;
        let Stretch { range, missing } = self.part_of_block(address).unwrap_or_else(|| {
            self.stretch(|end, _, class| end == address || !passes && is_reported(class))
        });
        let range = range.map(|range| Range {
            last: LastInstruction {
                class: Class::Other,
                is_link: false,
                ..range.last
            },
            ..range
        });
        match (missing, range) {
            (Some(missing), range) => self.miss(range, missing, offset, sink),
            (None, Some(range)) => {
                if range.end != address {
                    self.doubt(Doubt::ReturnAddress, address);
                }
                sink.element(offset, &Element::Range(range));
                self.go_to(address, self.isa);
            }
            (None, None) => {}
        }
    }

    /// Instructions whose branches are not known, up to an address.
    pub fn q(
        &mut self,
        count: Option<u32>,
        (context, target): (Option<ContextOf>, Target),
        offset: u64,
        sink: &mut impl ElementSink,
    ) -> Result<(), Contradiction> {
        self.resolve()?;
        self.settle();
        if !self.is_lost() {
            let end = target.address.value;
            let element = self.counted(count, end).map_or_else(
                || Element::NoPath {
                    start: self.address,
                    end,
                    count: count.unwrap_or(0),
                },
                Element::Range,
            );
            sink.element(offset, &element);
        }
        if let Some(context) = context {
            let element = self.context(context);
            sink.element(offset, &element);
        }
        self.jump();
        self.address(target);
        Ok(())
    }

    /// So many instructions, if they lead to an address, or to a branch that may.
    fn counted(&self, count: Option<u32>, end: u64) -> Option<Range> {
        let count = count.filter(|count| *count > 0)?;
        let is_end = |_, number, class| number == count || is_reported(class);
        let range = self.stretch(is_end).range?;
        let leads = range.end == end || is_branch(range.last.class);
        (range.count == count && leads).then_some(range)
    }

    /// The branch at this address was taken, and none in front of it.
    pub fn source(
        &mut self,
        source: Address,
        offset: u64,
        sink: &mut impl ElementSink,
    ) -> Result<(), Contradiction> {
        self.resolve()?;
        self.settle();
        let isa = self.isa_of(source.is1);
        if self.needs_address || self.address > source.value {
            self.go_to(source.value, isa);
        }
        if self.needs_context {
            return Ok(());
        }
        let start = self.address;
        let mut count = 0;
        if start < source.value {
            let Stretch { range, missing } = self.stretch(|end, _, _| end >= source.value);
            if let Some(missing) = missing {
                self.miss(range, missing, offset, sink);
                return Ok(());
            }
            count = range.map_or(0, |range| range.count);
        }
        self.go_to(source.value, isa);
        let has_returns = self.is_ete && !self.as_opencsd;
        self.follow(true, (start, count), has_returns, offset, sink);
        Ok(())
    }
}

fn is_branch(class: Class) -> bool {
    matches!(class, Class::Direct | Class::Indirect)
}

/// Whether a trace reports it in any trace unit.
fn is_reported(class: Class) -> bool {
    is_branch(class) || class == Class::Barrier
}
