// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows the program through its blocks.

use coretrace_etm::{Context, Protocol, SourceConfig};
use coretrace_isa::{Isa, Return};

use crate::Contradiction;
use crate::blocks::{Block, BlockId, Blocks, Ending, Reported};
use crate::element::{Element, ElementSink, Outcome, Range};
use crate::images::{ImageSet, Images};
use crate::return_stack::{ReturnAddress, ReturnStack};
use crate::waiting::{ContextOf, Target};

/// Where the program is.
#[derive(Clone, Debug)]
pub struct Walker {
    pub(super) images: Images,
    blocks: Blocks,
    /// The return stack, if the trace unit uses it.
    stack: Option<ReturnStack>,
    /// The target is on the return stack if no address comes in front of the next P0 element.
    pops: bool,
    /// There was no address since the last Trace Info, so nothing is pushed.
    waits_for_address: bool,
    pub(super) address: u64,
    pub(super) isa: Isa,
    pub(super) set: ImageSet,
    pub(super) needs_address: bool,
    pub(super) needs_context: bool,
    context: Context,
    has_vmid: bool,
    has_cid: bool,
    /// The block that begins at the address, if it has been looked up.
    block: Option<BlockId>,
    /// Returns from exceptions have no packet.
    pub(super) is_ete: bool,
    pub(super) as_opencsd: bool,
}

impl Walker {
    pub fn new(source: &SourceConfig, images: Images, as_opencsd: bool) -> Walker {
        let registers = &source.registers;
        let is_ete = source.protocol == Protocol::Ete;
        let minor = registers.trcidr1 >> 4 & 0xF;
        let has_return_stack = registers.trcconfigr >> 12 & 1 == 1;
        Walker {
            images,
            blocks: Blocks::new(Reported {
                // TRCIDR2.WFXMODE
                waits: registers.trcidr2 >> 31 == 1 && (is_ete || minor >= 3),
                transactions: is_ete,
            }),
            stack: has_return_stack.then(ReturnStack::default),
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
            block: None,
            is_ete,
            as_opencsd,
        }
    }

    /// Tracing begins: nothing is known of the place.
    pub fn begin(&mut self) {
        self.needs_address = true;
        self.needs_context = true;
        self.context = Context::default();
        self.has_vmid = false;
        self.has_cid = false;
        self.pops = false;
        self.forget_calls();
    }

    /// A Trace Info: the trace unit forgot its return stack, and does not use it before the next
    /// address.
    pub fn forget_calls(&mut self) {
        self.trace_on();
        self.waits_for_address = true;
    }

    /// Tracing began again: the trace unit forgot its return stack.
    pub fn trace_on(&mut self) {
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
        self.block = None;
    }

    /// The program is at an address from which it cannot be followed.
    pub(super) fn stop_at(&mut self, address: u64) {
        self.address = address;
        self.needs_address = true;
        self.block = None;
    }

    /// The target of the last branch, or where tracing begins.
    pub fn address(&mut self, target: Target) {
        self.waits_for_address = false;
        self.pops = false;
        self.go_to(self.narrowed(&target), self.isa_of(target.address.is1));
    }

    /// The context of what follows.
    pub fn context(&mut self, ContextOf { context, is1 }: ContextOf) -> Element {
        self.has_vmid |= context.announces_vmid();
        self.has_cid |= context.announces_cid();
        self.context = context;
        self.needs_context = false;
        self.set = self.images.set(&context);
        self.isa = self.isa_of(is1);
        self.block = None;
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
            let (address, isa) = stack.pop().ok_or(Contradiction)?;
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
        let id = self.block.unwrap_or_else(|| {
            self.blocks
                .at(&self.images, self.set, self.isa, self.address)
        });
        self.block = Some(id);
        id
    }

    /// The block behind one that does not branch, or is not taken.
    fn next_block(&mut self, id: BlockId) -> BlockId {
        let block = *self.blocks.get(id);
        block.next.unwrap_or_else(|| {
            let next = self.blocks.at(&self.images, self.set, block.isa, block.end);
            self.blocks.get_mut(id).next = Some(next);
            next
        })
    }

    /// The block behind a taken direct branch.
    fn taken_block(&mut self, id: BlockId, isa: Isa, target: u64) -> BlockId {
        self.blocks.get(id).taken.unwrap_or_else(|| {
            let taken = self.blocks.at(&self.images, self.set, isa, target);
            self.blocks.get_mut(id).taken = Some(taken);
            taken
        })
    }

    /// An atom: the program went to the next reported instruction, and that was executed or not.
    pub fn atom(
        &mut self,
        taken: bool,
        offset: u64,
        sink: &mut impl ElementSink,
    ) -> Result<(), Contradiction> {
        self.resolve()?;
        if !self.needs_address && !self.needs_context {
            self.follow(taken, (self.address, 0), self.is_ete, offset, sink);
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
            id = self.next_block(id);
            block = *self.blocks.get(id);
        }
        let mut range = Range {
            start,
            end: block.end,
            count: count.saturating_add(block.count),
            isa: block.isa,
            outcome: if taken { Outcome::E } else { Outcome::N },
            last: block.last,
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
        let is_call = taken && block.last.is_link;
        if is_call {
            // A trace unit compares the target of a call with the stack after the call.
            self.push((block.end, block.isa));
        }
        match block.ending {
            Ending::Indirect if taken => {
                self.stop_at(block.end);
                self.pops = self.stack.is_some();
            }
            Ending::Direct(isa, target) if taken => {
                let taken = self.taken_block(id, isa, target);
                self.go_to(target, isa);
                self.block = Some(taken);
            }
            _ => {
                let next = self.next_block(id);
                self.go_to(block.end, block.isa);
                self.block = Some(next);
            }
        }
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
    }
}
