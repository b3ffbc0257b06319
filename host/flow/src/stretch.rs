// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stretches of the program that do not end where a block does: in front of an exception, in a Q,
//! up to a source address.

use coretrace_etm::Address;
use coretrace_isa::{Class, Isa};

use crate::Contradiction;
use crate::blocks::Block;
use crate::doubts::Doubt;
use crate::element::{Element, ElementSink, LastInstruction, Outcome, Range};
use crate::waiting::{ContextOf, Target};
use crate::walker::Walker;

/// Where a stretch ends.
#[derive(Clone, Copy)]
enum Until {
    /// In front of this address.
    Address(u64),
    /// Behind the first instruction that ends at this address or behind it.
    Behind(u64),
    /// Behind so many instructions.
    Count(u32),
}

/// The beginning of a block.
struct Part {
    end: u64,
    count: u32,
    /// Bytes of the last instruction.
    size: u8,
}

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

    /// The instructions from the place up to an end, block by block. With `passes`, branches and barriers
    /// are passed; else it ends behind the first one.
    fn stretch(&mut self, until: Until, passes: bool) -> Stretch {
        let (start, isa) = (self.address, self.isa);
        let (mut end, mut count, mut size) = (start, 0_u32, 0);
        let missing = loop {
            let id = self.blocks.at(&self.images, self.set, isa, end);
            let block = *self.blocks.get(id);
            if block.count == 0 {
                break Some(end);
            }
            if let Some(part) = self.part(&block, until, count) {
                count = count.saturating_add(part.count);
                (end, size) = (part.end, part.size);
                break None;
            }
            count = count.saturating_add(block.count);
            (end, size) = (block.end, block.last.size);
            if !passes && is_reported(block.last.class) {
                break None;
            }
        };
        let range = (count > 0).then(|| Range {
            start,
            end,
            count,
            isa,
            outcome: Outcome::E,
            last: self.instruction_before(end, size),
        });
        Stretch { range, missing }
    }

    /// The instructions of a block up to an end, if it is in this block; so many are in front of it.
    fn part(&self, block: &Block, until: Until, before: u32) -> Option<Part> {
        if block.isa == Isa::T32 {
            return self.part_by_instruction(block, until, before);
        }
        let count = match until {
            Until::Address(address) => {
                let bytes = address.wrapping_sub(block.start);
                (bytes % 4 == 0).then_some(bytes / 4)?
            }
            Until::Behind(address) => address.wrapping_sub(block.start).div_ceil(4),
            Until::Count(count) => u64::from(count.saturating_sub(before)),
        };
        (1..=u64::from(block.count)).contains(&count).then(|| Part {
            end: block.start.wrapping_add(4 * count),
            count: count as u32,
            size: 4,
        })
    }

    /// The same where instructions have different sizes.
    fn part_by_instruction(&self, block: &Block, until: Until, before: u32) -> Option<Part> {
        let mut part = Part {
            end: block.start,
            count: 0,
            size: 0,
        };
        let fetch = self.images.fetch(self.set, block.isa, block.start);
        for found in fetch.take(block.count as usize) {
            part.end = part.end.wrapping_add(found.size.into());
            part.count += 1;
            part.size = found.size;
            let is_end = match until {
                Until::Address(address) => part.end == address,
                Until::Behind(address) => part.end >= address,
                Until::Count(count) => before.saturating_add(part.count) == count,
            };
            if is_end {
                return Some(part);
            }
        }
        None
    }

    /// The last instruction of a stretch.
    fn instruction_before(&self, end: u64, size: u8) -> LastInstruction {
        let address = end.wrapping_sub(size.into());
        let last = self.images.fetch(self.set, self.isa, address).next();
        last.map_or_else(LastInstruction::default, |last| LastInstruction::of(&last))
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
        let Stretch { range, missing } = self.stretch(Until::Address(address), passes);
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
    fn counted(&mut self, count: Option<u32>, end: u64) -> Option<Range> {
        let count = count.filter(|count| *count > 0)?;
        let range = self.stretch(Until::Count(count), false).range?;
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
            let Stretch { range, missing } = self.stretch(Until::Behind(source.value), true);
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
