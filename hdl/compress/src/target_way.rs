// SPDX-License-Identifier: MIT OR Apache-2.0
//! `TargetWay`: one way of 2^S sets of targets.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `set[S-1:0]` | in | the set to output in this cycle |
//! | `tag[8:0]`, `target[61:0]` | out | `{tag, valid}`, and the target |
//! | `write`, `write_set[S-1:0]`, `write_tag[8:0]`, `write_target[61:0]` | in | the way of a set is new |
//!
//! Latency 0 cycles. Throughput one set read and one written per cycle.

use super::branch_bits::ADDRESS_W;
use super::raptor_targets::WAY_TAG_W;
use coretrace_hdl_parts::stream::LutMemory;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct TargetWay<const S: usize> {
    pub clock: Signal<In, Clock>,
    pub set: Signal<In, Bits<S>>,
    pub tag: Signal<Out, Bits<WAY_TAG_W>>,
    pub target: Signal<Out, Bits<ADDRESS_W>>,
    pub write: Signal<In, Bit>,
    pub write_set: Signal<In, Bits<S>>,
    pub write_tag: Signal<In, Bits<WAY_TAG_W>>,
    pub write_target: Signal<In, Bits<ADDRESS_W>>,
    tags: LutMemory<S, WAY_TAG_W>,
    targets: LutMemory<S, ADDRESS_W>,
}

impl<const S: usize> Logic for TargetWay<S> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, tags, targets);
        self.tags.read_address.next = self.set.val();
        self.tag.next = self.tags.read_data.val();
        self.tags.write_address.next = self.write_set.val();
        self.tags.write_data.next = self.write_tag.val();
        self.tags.write_enable.next = self.write.val();
        self.targets.read_address.next = self.set.val();
        self.target.next = self.targets.read_data.val();
        self.targets.write_address.next = self.write_set.val();
        self.targets.write_data.next = self.write_target.val();
        self.targets.write_enable.next = self.write.val();
    }
}
