// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StreamCache`: streams to indices: 32 sets of 4 ways, of which the one that was used longest ago is replaced.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `stream`, `set[4:0]` | in | as from [`StreamStarts`](super::StreamStarts) |
//! | `found_stream`, `index[6:0]`, `is_found` | out | as from [`StreamWays`](super::StreamWays) |
//! | `clear`, `clear_set[4:0]` | in | a set is empty; nothing else is written |
//!
//! Latency 2 cycles; a set is empty 2 cycles behind its `clear`. Throughput one stream per cycle.

use super::stream_starts::{SET_W, STREAM_W};
use super::stream_ways::{INDEX_W, ORDER_W, STREAM_TAG_W, StreamWays};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::LutMemory;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct StreamCache {
    pub clock: Signal<In, Clock>,
    pub stream: Signal<In, Bus<STREAM_W>>,
    pub set: Signal<In, Bits<SET_W>>,
    pub found_stream: Signal<Out, Bus<STREAM_W>>,
    pub index: Signal<Out, Bits<INDEX_W>>,
    pub is_found: Signal<Out, Bit>,
    pub clear: Signal<In, Bit>,
    pub clear_set: Signal<In, Bits<SET_W>>,
    ways: StreamWays<1, 1>,
    tags_0: LutMemory<SET_W, STREAM_TAG_W>,
    tags_1: LutMemory<SET_W, STREAM_TAG_W>,
    tags_2: LutMemory<SET_W, STREAM_TAG_W>,
    tags_3: LutMemory<SET_W, STREAM_TAG_W>,
    orders: LutMemory<SET_W, ORDER_W>,
}

impl Logic for StreamCache {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ways, tags_0, tags_1, tags_2, tags_3, orders);
        self.tags_0.read_address.next = self.set.val();
        self.tags_1.read_address.next = self.set.val();
        self.tags_2.read_address.next = self.set.val();
        self.tags_3.read_address.next = self.set.val();
        self.orders.read_address.next = self.set.val();
        self.ways.stream.next = self.stream.val();
        self.ways.set.next = self.set.val();
        self.ways.tag_0.next = self.tags_0.read_data.val();
        self.ways.tag_1.next = self.tags_1.read_data.val();
        self.ways.tag_2.next = self.tags_2.read_data.val();
        self.ways.tag_3.next = self.tags_3.read_data.val();
        self.ways.order.next = self.orders.read_data.val();

        self.ways.clear.next = self.clear.val();
        self.ways.clear_set.next = self.clear_set.val();
        self.tags_0.write_address.next = self.ways.write_set.val();
        self.tags_0.write_data.next = self.ways.write_tag.val();
        self.tags_0.write_enable.next = self.ways.writes_0.val();
        self.tags_1.write_address.next = self.ways.write_set.val();
        self.tags_1.write_data.next = self.ways.write_tag.val();
        self.tags_1.write_enable.next = self.ways.writes_1.val();
        self.tags_2.write_address.next = self.ways.write_set.val();
        self.tags_2.write_data.next = self.ways.write_tag.val();
        self.tags_2.write_enable.next = self.ways.writes_2.val();
        self.tags_3.write_address.next = self.ways.write_set.val();
        self.tags_3.write_data.next = self.ways.write_tag.val();
        self.tags_3.write_enable.next = self.ways.writes_3.val();
        self.orders.write_address.next = self.ways.write_set.val();
        self.orders.write_data.next = self.ways.write_order.val();
        self.orders.write_enable.next = self.ways.orders.val();

        self.found_stream.next = self.ways.found_stream.val();
        self.index.next = self.ways.index.val();
        self.is_found.next = self.ways.is_found.val();
    }
}
