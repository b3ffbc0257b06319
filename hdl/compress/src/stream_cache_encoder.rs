// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StreamCacheEncoder`: branch events to the bits of rBASE, the stream cache encoder with 128 streams.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `is_a32` | in | addresses have 32 bits, else 48; steady |
//! | `limit[19:0]` | in | an event begins with at most so many bits in a block; steady |
//! | `start`, `start_address[61:0]` | in | forget everything: a block begins at this address. No beat of an event before it comes out any more; no event comes with it |
//! | `event_valid`, `ready` | in, out | the event is taken if both are high |
//! | `next_pc[61:0]` to `is_discontinuity` | in | an event, as in [`RaptorEncoder`](super::RaptorEncoder); the address of the branch is not used |
//! | `instructions[13:0]` | in | instructions since the event before, this one included |
//! | `beat_valid`, `beat_bits[63:0]`, `beat_count[6:0]`, `beat_last` | out | as there |
//! | `beat_overflows` | out | the event has so many instructions that its bits may be too many: a block ends in front of it |
//! | `rest[7:0]`, `rest_start[61:0]` | out | instructions of the stream that has not ended, and where it starts, the event of the beat included |
//! | `rest_run` | out | predicted streams that were not sent yet: a [`StreamRun`](super::StreamRun) |
//!
//! ```text
//! StreamCuts ─▶ StreamStarts ─▶ StreamCache ─▶ LastStream ─▶ RunMonitor
//!                                                  └──────────────┴───▶ StreamRecords
//! ```
//!
//! Nothing waits for a prediction: what streams on their way write is forwarded.
//!
//! Latency 10 cycles. Throughput one event per cycle. One that ends a stream takes two if the image does not say
//! where this stream starts, or if it is a discontinuity; 254 instructions without the end of a stream are one more
//! cycle. A start takes 129 cycles.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use super::block_control::FILL_W;
use super::branch_bits::{ADDRESS_W, KIND_W};
use super::last_stream::LastStream;
use super::run_monitor::{RunMonitor, STREAM_RUN_W};
use super::stream_cache::StreamCache;
use super::stream_cuts::{LENGTH_W, STREAM_INSTRUCTIONS_W, StreamCuts};
use super::stream_records::StreamRecords;
use super::stream_starts::{SET_W, StreamStarts};
use super::stream_ways::INDEX_W;
use super::sweep::Sweep;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct StreamCacheEncoder {
    pub clock: Signal<In, Clock>,
    pub is_a32: Signal<In, Bit>,
    pub limit: Signal<In, Bits<FILL_W>>,
    pub start: Signal<In, Bit>,
    pub start_address: Signal<In, Bus<ADDRESS_W>>,
    pub event_valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub next_pc: Signal<In, Bus<ADDRESS_W>>,
    pub kind: Signal<In, Bits<KIND_W>>,
    pub taken: Signal<In, Bit>,
    pub is_discontinuity: Signal<In, Bit>,
    pub instructions: Signal<In, Bits<STREAM_INSTRUCTIONS_W>>,
    pub beat_valid: Signal<Out, Bit>,
    pub beat_bits: Signal<Out, Bus<BEAT_BITS>>,
    pub beat_count: Signal<Out, Bits<BEAT_COUNT_W>>,
    pub beat_last: Signal<Out, Bit>,
    pub beat_overflows: Signal<Out, Bit>,
    pub rest: Signal<Out, Bits<LENGTH_W>>,
    pub rest_start: Signal<Out, Bus<ADDRESS_W>>,
    pub rest_run: Signal<Out, Bus<STREAM_RUN_W>>,
    cuts: StreamCuts<1, 1>,
    starts: StreamStarts<1, 1>,
    cache: StreamCache,
    last: LastStream,
    monitor: RunMonitor<1, 1>,
    records: StreamRecords<1, 1>,
    sweep: Sweep<INDEX_W>,
}

impl Logic for StreamCacheEncoder {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self, clock, cuts, starts, cache, last, monitor, records, sweep
        );
        self.sweep.start.next = self.start.val();
        self.ready.next = self.cuts.ready.val() & !self.sweep.is_sweeping.val();
        self.cuts.start.next = self.start.val();
        self.cuts.start_address.next = self.start_address.val();
        self.cuts.valid.next = self.event_valid.val() & !self.sweep.is_sweeping.val();
        self.cuts.next_pc.next = self.next_pc.val();
        self.cuts.kind.next = self.kind.val();
        self.cuts.taken.next = self.taken.val();
        self.cuts.is_discontinuity.next = self.is_discontinuity.val();
        self.cuts.instructions.next = self.instructions.val();

        self.starts.is_a32.next = self.is_a32.val();
        self.starts.step.next = self.cuts.step.val();
        self.starts.led.next = self.cuts.led.val();

        self.cache.stream.next = self.starts.stream.val();
        self.cache.set.next = self.starts.set.val();
        self.cache.clear.next = self.sweep.is_sweeping.val();
        self.cache.clear_set.next = self.sweep.row.val().get_bits::<SET_W>(0);

        self.last.stream.next = self.cache.found_stream.val();
        self.last.index.next = self.cache.index.val();
        self.last.is_found.next = self.cache.is_found.val();
        self.last.clear.next = self.sweep.is_sweeping.val();
        self.last.clear_place.next = self.sweep.row.val();

        self.monitor.stream.next = self.last.followed_stream.val();
        self.monitor.is_predicted.next = self.last.is_predicted.val();

        self.records.is_a32.next = self.is_a32.val();
        self.records.limit.next = self.limit.val();
        self.records.stream.next = self.last.followed_stream.val();
        self.records.index.next = self.last.followed_index.val();
        self.records.is_known.next = self.last.is_known.val();
        self.records.is_predicted.next = self.last.is_predicted.val();
        self.records.sends.next = self.monitor.sends.val();
        self.records.run.next = self.monitor.run.val();

        // What is on its way at a start comes out while the tables are cleared.
        self.beat_valid.next = self.records.beat_valid.val() & !self.sweep.is_sweeping.val();
        self.beat_bits.next = self.records.beat_bits.val();
        self.beat_count.next = self.records.beat_count.val();
        self.beat_last.next = self.records.beat_last.val();
        self.beat_overflows.next = self.records.beat_overflows.val();
        self.rest.next = self.records.rest.val();
        self.rest_start.next = self.records.rest_start.val();
        self.rest_run.next = self.records.rest_run.val();
    }
}
