// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows the program through its blocks.

pub mod state;

use coretrace_etm::{Context, Protocol, SourceConfig};
use coretrace_isa::{Isa, Return};

use crate::Contradiction;
use crate::blocks::{Block, BlockId, Blocks, Ending, NOWHERE, Reported, UNKNOWN};
use crate::doubts::{Doubt, Doubts};
use crate::element::{Element, ElementSink, Outcome, Range};
use crate::images::{ImageSet, Images};
use crate::return_stack::ReturnStack;
use crate::waiting::{ContextOf, Target};

/// An address that a call returns to.
type ReturnAddress = (u64, Isa);

/// Where the program is.
#[derive(Clone, Debug)]
pub struct Walker {
    pub(super) images: Images,
    pub(super) blocks: Blocks,
    /// The return stack, if the trace unit uses it.
    stack: Option<ReturnStack<ReturnAddress>>,
    /// The target is on the return stack if no address comes in front of the next P0 element.
    pops: bool,
    /// There was no address since the last Trace Info, so nothing is pushed.
    waits_for_address: bool,
    /// The place, unless there is a block.
    pub(super) address: u64,
    pub(super) isa: Isa,
    pub(super) set: ImageSet,
    pub(super) needs_address: bool,
    pub(super) needs_context: bool,
    context: Context,
    has_vmid: bool,
    has_cid: bool,
    /// The block that begins at the place, if it has been looked up: then the place is known.
    block: BlockId,
    /// What happened since the last atom leads to another address than the next one.
    jumps: bool,
    /// Calls may be missing on the return stack: there was no image.
    misses_calls: bool,
    doubts: Doubts,
    /// Returns from exceptions have no packet.
    pub(super) is_ete: bool,
    pub(super) as_opencsd: bool,
}

impl Walker {
    pub fn new(source: &SourceConfig, images: Images, as_opencsd: bool) -> Walker {
        let registers = &source.registers;
        let is_ete = source.protocol == Protocol::Ete;
        let has_return_stack = registers.trcconfigr >> 12 & 1 == 1;
        Walker {
            images,
            blocks: Blocks::new(Reported::new(source)),
            stack: has_return_stack.then(|| ReturnStack::new((0, Isa::A64))),
            pops: false,
            waits_for_address: true,
            address: 0,
            isa: Isa::A64,
            set: ImageSet::default(),
            needs_address: true,
            needs_context: true,
            context: Context::default(),
            has_vmid: false,
            has_cid: false,
            block: UNKNOWN,
            jumps: true,
            misses_calls: false,
            doubts: Doubts::default(),
            is_ete,
            as_opencsd,
        }
    }

    /// Tracing begins: nothing is known of the place.
    pub fn begin(&mut self) {
        self.settle();
        self.needs_address = true;
        self.needs_context = true;
        self.context = Context::default();
        self.pops = false;
        self.trace_info();
    }

    /// A Trace Info: the trace unit forgot its return stack, and does not use it before the next
    /// address. The next context has all that the trace has. OpenCSD keeps what it had.
    pub fn trace_info(&mut self) {
        self.trace_on();
        self.waits_for_address = true;
        if self.needs_context || !self.as_opencsd {
            self.has_vmid = false;
            self.has_cid = false;
        }
    }

    /// Whether there was no address since the last Trace Info.
    pub fn waits_for_address(&self) -> bool {
        self.waits_for_address
    }

    /// The program may go on at any address.
    pub fn jump(&mut self) {
        self.jumps = true;
    }

    /// Where the trace contradicts the images.
    pub fn doubts(&self) -> &Doubts {
        &self.doubts
    }

    /// The images do not have what was executed at an address.
    pub(super) fn doubt(&mut self, doubt: Doubt, address: u64) {
        if let Some(image) = self.images.index_at(self.set, address)
            && !self.misses_calls
        {
            self.doubts.add(image, doubt, address);
        }
    }

    /// Tracing began again: the trace unit forgot its return stack.
    pub fn trace_on(&mut self) {
        self.jump();
        self.misses_calls = false;
        if let Some(stack) = &mut self.stack {
            stack.clear();
        }
    }

    pub(super) fn isa_of(&self, is1: bool) -> Isa {
        match (self.context.sf(), is1) {
            (true, _) => Isa::A64,
            (false, true) => Isa::T32,
            (false, false) => Isa::A32,
        }
    }

    /// An address of the program: those of AArch32 have 32 bits. OpenCSD keeps all that a packet
    /// has.
    pub(super) fn narrowed(&self, target: &Target) -> u64 {
        let address = target.address.value;
        if self.context.sf() || self.as_opencsd && target.has_64_bits {
            address
        } else {
            address & u64::from(u32::MAX)
        }
    }

    pub(super) fn go_to(&mut self, address: u64, isa: Isa) {
        self.address = address;
        self.isa = isa;
        self.needs_address = false;
        self.block = UNKNOWN;
    }

    /// The program is at an address from which it cannot be followed.
    pub(super) fn stop_at(&mut self, address: u64) {
        self.address = address;
        self.needs_address = true;
        self.block = UNKNOWN;
    }

    /// The target of the last branch, or where tracing begins.
    pub fn address(&mut self, target: Target) {
        self.waits_for_address = false;
        self.pops = false;
        let (address, isa) = (self.narrowed(&target), self.isa_of(target.address.is1));
        // That of a broadcast is known.
        if self.block != UNKNOWN {
            let block = self.blocks.get(self.block);
            if (block.start, block.isa) == (address, isa) {
                return;
            }
            if !self.jumps {
                self.doubt(Doubt::OtherTarget, block.start);
            }
        }
        self.go_to(address, isa);
    }

    /// The context of what follows.
    pub fn context(&mut self, ContextOf { context, is1 }: ContextOf) -> Element {
        self.settle();
        self.has_vmid |= context.announces_vmid();
        self.has_cid |= context.announces_cid();
        self.context = context;
        self.needs_context = false;
        self.set = self.images.set(&context);
        self.isa = self.isa_of(is1);
        Element::Context {
            isa: self.isa,
            context,
            has_vmid: self.has_vmid,
            has_cid: self.has_cid,
        }
    }

    /// A P0 element comes: the target of the last branch is on the return stack if there was no
    /// address.
    pub(super) fn resolve(&mut self) -> Result<(), Contradiction> {
        if std::mem::take(&mut self.pops) {
            let stack = self.stack.as_mut().ok_or(Contradiction)?;
            let Some((address, isa)) = stack.pop() else {
                self.doubt(Doubt::EmptyStack, self.address);
                return Err(Contradiction);
            };
            self.go_to(address, isa);
        }
        Ok(())
    }

    fn push(&mut self, link: ReturnAddress) {
        if let Some(stack) = &mut self.stack
            && !self.waits_for_address
        {
            stack.push(link);
        }
    }

    fn block(&mut self) -> BlockId {
        if self.block == UNKNOWN {
            self.block = self
                .blocks
                .at(&self.images, self.set, self.isa, self.address);
        }
        self.block
    }

    /// The place is not that of a block any more.
    pub(super) fn settle(&mut self) {
        if self.block != UNKNOWN {
            let block = self.blocks.get(self.block);
            (self.address, self.isa) = (block.start, block.isa);
            self.block = UNKNOWN;
        }
    }

    /// The block behind one whose target does not vary.
    fn behind(&mut self, id: BlockId, taken: bool) -> BlockId {
        let block = *self.blocks.get(id);
        let edge = usize::from(taken);
        if block.behind[edge] != UNKNOWN {
            return block.behind[edge];
        }
        let (isa, address) = match block.ending {
            Ending::Direct(isa, target) if taken => (isa, target),
            _ => (block.isa, block.end),
        };
        let behind = self.blocks.at(&self.images, self.set, isa, address);
        // No atom is between a block and its continuation, and doubts are counted.
        let is_doubtful = !taken && block.is_always_taken();
        if block.ending != Ending::GoesOn && !is_doubtful && behind != NOWHERE {
            self.blocks.get_mut(id).behind[edge] = behind;
        }
        behind
    }

    /// Atoms, the oldest in bit 0; 1 is E. While both ends of the edges are known blocks, it goes
    /// from block to block.
    #[inline(always)]
    pub fn atoms(
        &mut self,
        mut pattern: u32,
        count: u8,
        offset: u64,
        sink: &mut impl ElementSink,
    ) -> Result<(), Contradiction> {
        let mut left = count;
        self.jumps = false;
        while left > 0 {
            if self.block == UNKNOWN {
                self.resolve()?;
                if self.needs_address || self.needs_context {
                    break;
                }
            }
            let mut id = self.block();
            let mut block = self.blocks.get(id);
            while left > 0 {
                let taken = pattern & 1 == 1;
                let behind = block.behind[usize::from(taken)];
                if behind == UNKNOWN {
                    break;
                }
                sink.element(offset, &Element::Range(block.range(taken)));
                if let Some(stack) = &mut self.stack
                    && taken & block.last.is_link
                    && !self.waits_for_address
                {
                    stack.push((block.end, block.isa));
                }
                id = behind;
                block = self.blocks.get(id);
                pattern >>= 1;
                left -= 1;
            }
            self.block = id;
            if left > 0 {
                let taken = pattern & 1 == 1;
                if taken && block.ending == Ending::Indirect && !self.is_ete {
                    sink.element(offset, &Element::Range(block.range(true)));
                    let Block { end, isa, last, .. } = *block;
                    self.leave_indirect(end, isa, last.is_link);
                } else {
                    let place = (block.start, 0);
                    self.follow(taken, place, self.is_ete, offset, sink);
                }
                pattern >>= 1;
                left -= 1;
            }
        }
        Ok(())
    }

    /// Goes to the next reported instruction and behind it. The range begins `before`, so many
    /// instructions in front of the place. `has_returns`: a return from an exception is an element of
    /// its own.
    pub(super) fn follow(
        &mut self,
        taken: bool,
        before: (u64, u32),
        has_returns: bool,
        offset: u64,
        sink: &mut impl ElementSink,
    ) {
        let (start, mut count) = before;
        let mut id = self.block();
        let mut block = *self.blocks.get(id);
        while block.ending == Ending::GoesOn {
            count = count.saturating_add(block.count);
            id = self.behind(id, false);
            block = *self.blocks.get(id);
        }
        let mut range = Range {
            start,
            count: count.saturating_add(block.count),
            ..block.range(taken)
        };
        if block.ending == Ending::NoImage {
            range.outcome = Outcome::E;
            self.miss((range.count > 0).then_some(range), block.end, offset, sink);
            return;
        }
        sink.element(offset, &Element::Range(range));
        if has_returns && taken && block.last.returns == Return::Exception {
            sink.element(offset, &Element::ExceptionReturn);
        }
        self.leave(id, &block, taken);
    }

    /// Goes on behind a block.
    fn leave(&mut self, id: BlockId, block: &Block, taken: bool) {
        if taken && block.ending == Ending::Indirect {
            self.leave_indirect(block.end, block.isa, block.last.is_link);
            return;
        }
        if taken && block.last.is_link {
            self.push((block.end, block.isa));
        }
        if !taken && block.is_always_taken() {
            let branch = block.end.wrapping_sub(block.last.size.into());
            self.doubt(Doubt::NotTaken, branch);
        }
        self.block = self.behind(id, taken);
    }

    /// Goes on behind a branch whose target is not in the instruction.
    #[inline]
    fn leave_indirect(&mut self, end: u64, isa: Isa, is_link: bool) {
        if is_link {
            // A trace unit compares the target of a call with the stack after the call.
            self.push((end, isa));
        }
        self.stop_at(end);
        self.pops = self.stack.is_some();
    }

    /// There is no image behind a range.
    pub(super) fn miss(
        &mut self,
        range: Option<Range>,
        address: u64,
        offset: u64,
        sink: &mut impl ElementSink,
    ) {
        if let Some(range) = range {
            sink.element(offset, &Element::Range(range));
        }
        sink.element(offset, &Element::NoImage { address });
        self.stop_at(address);
        self.misses_calls = self.stack.is_some();
    }
}
