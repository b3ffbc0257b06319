// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the program is, without the blocks and images of one walker.

use coretrace_etm::Context;
use coretrace_isa::Isa;

use super::{ReturnAddress, Walker};
use crate::blocks::UNKNOWN;
use crate::doubts::Doubts;
use crate::images::ImageSet;

/// Where the program is. Addresses stand for blocks: those of another walker have other numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkerState {
    /// The return stack, oldest entry first.
    stack: Vec<ReturnAddress>,
    pops: bool,
    waits_for_address: bool,
    /// The place.
    address: u64,
    isa: Isa,
    /// The block at the place has been looked up.
    is_at_block: bool,
    needs_address: bool,
    context: Context,
    has_vmid: bool,
    has_cid: bool,
    jumps: bool,
    misses_calls: bool,
}

impl Walker {
    /// Whether a context and an address came since the last Trace Info.
    #[inline]
    pub fn is_placed(&self) -> bool {
        !self.waits_for_address && !self.needs_context
    }

    /// Where the program is; none if there was no context.
    pub fn state(&self) -> Option<WalkerState> {
        let is_at_block = self.block != UNKNOWN;
        let (address, isa) = if is_at_block {
            let block = self.blocks.get(self.block);
            (block.start, block.isa)
        } else {
            (self.address, self.isa)
        };
        (!self.needs_context).then(|| WalkerState {
            stack: self
                .stack
                .iter()
                .flat_map(|stack| stack.entries())
                .collect(),
            pops: self.pops,
            waits_for_address: self.waits_for_address,
            address,
            isa,
            is_at_block,
            needs_address: self.needs_address,
            context: self.context,
            has_vmid: self.has_vmid,
            has_cid: self.has_cid,
            jumps: self.jumps,
            misses_calls: self.misses_calls,
        })
    }

    /// The context; none if there was none.
    pub fn context_here(&self) -> Option<&Context> {
        (!self.needs_context).then_some(&self.context)
    }

    /// Goes on where another walker of the same source and images was.
    pub fn resume(&mut self, state: &WalkerState) {
        self.restart();
        if let Some(stack) = &mut self.stack {
            for entry in &state.stack {
                stack.push(*entry);
            }
        }
        self.pops = state.pops;
        self.waits_for_address = state.waits_for_address;
        self.address = state.address;
        self.isa = state.isa;
        self.needs_address = state.needs_address;
        self.needs_context = false;
        self.context = state.context;
        self.set = self.images.set(&state.context);
        self.has_vmid = state.has_vmid;
        self.has_cid = state.has_cid;
        self.jumps = state.jumps;
        self.misses_calls = state.misses_calls;
        if state.is_at_block {
            self.block = self
                .blocks
                .at(&self.images, self.set, self.isa, self.address);
        }
    }

    /// Forgets everything but the blocks.
    pub fn restart(&mut self) {
        self.begin();
        self.address = 0;
        self.isa = Isa::A64;
        self.set = ImageSet::default();
        self.doubts = Doubts::default();
    }

    /// Takes the doubts so far, and puts others in their place.
    pub fn replace_doubts(&mut self, doubts: Doubts) -> Doubts {
        std::mem::replace(&mut self.doubts, doubts)
    }
}
