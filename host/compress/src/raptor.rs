// SPDX-License-Identifier: MIT OR Apache-2.0
//! The T-raptor encoders: a record where a branch predictor is wrong.

use coretrace_abi::compressed::block::REST_BITS;
use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::raptor::{INSTRUCTION_CHUNKS, RaptorPreset};

use crate::bits::Bits;
use crate::target_predictor::TargetPredictor;

/// The outcomes of conditional branches, by the outcomes before them.
#[derive(Clone, Debug)]
struct Outcomes {
    counters: Vec<u8>,
    history: u64,
}

impl Outcomes {
    fn new(counters: usize) -> Outcomes {
        Outcomes {
            counters: vec![1; counters],
            history: 0,
        }
    }

    fn counter(&mut self, address: u64) -> &mut u8 {
        let place = (self.history ^ (address >> 4)) as usize & (self.counters.len() - 1);
        &mut self.counters[place]
    }

    fn expects(&mut self, address: u64) -> bool {
        *self.counter(address) >= 2
    }

    fn retired(&mut self, address: u64, taken: bool) {
        let counter = self.counter(address);
        *counter = if taken {
            (*counter + 1).min(3)
        } else {
            counter.saturating_sub(1)
        };
        self.history = self.history << 1 | u64::from(taken);
    }
}

/// Encodes branch events; [`coretrace_abi::compressed`] has the records.
#[derive(Clone, Debug)]
pub struct Raptor {
    preset: &'static RaptorPreset,
    outcomes: Outcomes,
    targets: TargetPredictor,
    bits: Bits,
    /// Conditional and indirect branches, and instructions, since the last record.
    branches: u64,
    instructions: u64,
    /// The target that was sent last.
    last_target: u64,
}

impl Raptor {
    /// An encoder that has not seen a branch.
    pub fn new(preset: &'static RaptorPreset) -> Raptor {
        Raptor {
            preset,
            outcomes: Outcomes::new(preset.counters),
            targets: TargetPredictor::new(preset),
            bits: Bits::default(),
            branches: 0,
            instructions: 0,
            last_target: 0,
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        self.instructions += u64::from(event.instructions());
        match event {
            Event::Branch(branch) if !branch.kind.is(BranchKind::EXCEPTION) => self.branch(branch),
            Event::Branch(Branch { next, .. }) | Event::Discontinuity { next, .. } => {
                self.exception(*next);
            }
        }
    }

    /// Whether the instructions since the last record are too many for a block with so many more.
    pub fn overflows(&self, instructions: u64) -> bool {
        self.instructions + instructions >= 1 << REST_BITS
    }

    /// Bits so far.
    pub fn bits(&self) -> u64 {
        self.bits.len()
    }

    /// The bits, and the instructions since the last record.
    pub fn finish(self) -> (Bits, u64) {
        (self.bits, self.instructions)
    }

    fn branch(&mut self, branch: &Branch) {
        let Branch {
            address,
            kind,
            taken,
            next,
            ..
        } = *branch;
        let is_conditional = kind.is(BranchKind::CONDITIONAL);
        let is_indirect = kind.is(BranchKind::INDIRECT);
        let is_return = kind.is(BranchKind::RETURN);
        if is_conditional || is_indirect {
            self.branches += 1;
            let goes_elsewhere =
                is_indirect && taken && !self.targets.expects(address, is_return, next);
            if is_conditional && self.outcomes.expects(address) != taken || goes_elsewhere {
                self.record(branch);
            }
            if is_indirect && taken {
                self.targets.led(address, is_return, next);
            }
            if is_conditional {
                self.outcomes.retired(address, taken);
            }
            self.targets.retired(address, is_conditional && taken);
        }
        if kind.is(BranchKind::LINK) && taken {
            self.targets.called(address + 4);
        }
    }

    fn record(&mut self, branch: &Branch) {
        self.bits
            .put_chunks(self.branches, self.preset.count_chunks);
        if branch.kind.is(BranchKind::INDIRECT) {
            self.bits.put_bit(branch.taken);
            if branch.taken {
                self.target(branch.next);
            }
        }
        self.begin();
    }

    fn exception(&mut self, next: u64) {
        // A count is never 0.
        self.bits.put(0, self.preset.count_chunks[0]);
        self.bits.put_bit(false);
        self.bits.put_chunks(self.instructions, INSTRUCTION_CHUNKS);
        self.target(next);
        self.begin();
    }

    fn begin(&mut self) {
        self.branches = 0;
        self.instructions = 0;
    }

    fn target(&mut self, target: u64) {
        let distance = target.wrapping_sub(self.last_target).cast_signed();
        let chunks = self.preset.target_chunks;
        self.bits.put_chunks(distance.unsigned_abs(), chunks);
        self.bits.put_bit(distance < 0);
        self.last_target = target;
    }
}
