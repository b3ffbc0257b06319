// SPDX-License-Identifier: MIT OR Apache-2.0
//! `CommitRing`: items in, those that are final out: what a trace unit may still take back waits in a
//! ring of 2^A places in block RAM.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: nothing waits, no Trace Info was seen |
//! | `source` | in | [`SourceSettings`](coretrace_hdl_etm::SourceSettings): TRCIDR8 is the speculation depth of the trace unit; steady |
//! | `item`, `address[63:0]`, `isa[1:0]`, `space[3:0]` | in | as [`ItemSequencer`](super::ItemSequencer) has them |
//! | `ready` | out | an item may come in the next cycle |
//! | `m_item`, `m_address[63:0]`, `m_isa[1:0]`, `m_space[3:0]` | out | as [`FlowUnit`](super::FlowUnit) takes them |
//! | `m_ready` | in | an item may come in the next cycle |
//! | `refused` | out | the speculation depth is 2^(A-1) or more, or more than 255: of the trace, atoms and Trace Infos alone come out, at once |
//! | `taken_back[31:0]` | out | atoms that never became final, saturating: cancelled, or not yet final where the flow was lost |
//!
//! A place has the atoms of a packet, or another item. Atoms and other P0 elements that are final are one
//! number, so that a commit of any length is one addition; the oldest place gives as many of its
//! atoms as are final. What is taken back leaves from the young end, a packet per cycle: each
//! packet that comes in leaves once, at one end or the other. An address has the context that is final
//! when it goes out.
//!
//! A ring that is full loses the flow, up to a Trace Info: [`LostReason::Dropped`](coretrace_abi::flow_table::LostReason).
//! Every atom comes out, is in `taken_back`, or waits.
//!
//! Without speculation every item goes through as it is. `A` below 4 is no ring, and no logic: a wire, and
//! every speculation depth but 0 is refused.
//!
//! Latency 6 cycles to what is final at once, 3 without speculation. Throughput one item per cycle in, and
//! one packet per cycle out. A Cancel or a misprediction first waits until all that is final is out;
//! then it takes four cycles, and one more for each packet that it takes back or looks at. A packet of which
//! some atoms alone are final takes a cycle more for each part.
//! Source: Arm IHI 0064, speculation; the software twin is `coretrace_sites::CommitQueue`.

use super::item::ITEM_W;
use super::ring_depth::RING_DEPTH_W;
use super::ring_item::{ISA_W, RING_CONTEXT_W, RING_OUT_W, RingEntry, RingExit, RingItem, SPACE_W};
use super::ring_step::{RING_STATE_W, RingStep};
use super::ring_way_out::{RingWayOut, WAY_OUT_STATE_W};
use super::ring_word::RING_WORD_W;
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_parts::stream::SaturatingCounter;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct CommitRing<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub source: Signal<In, Bus<SOURCE_SETTINGS_W>>,
    pub item: Signal<In, Bus<ITEM_W>>,
    pub address: Signal<In, Bus<64>>,
    pub isa: Signal<In, Bits<ISA_W>>,
    pub space: Signal<In, Bits<SPACE_W>>,
    pub ready: Signal<Out, Bit>,
    pub m_item: Signal<Out, Bus<ITEM_W>>,
    pub m_address: Signal<Out, Bus<64>>,
    pub m_isa: Signal<Out, Bits<ISA_W>>,
    pub m_space: Signal<Out, Bits<SPACE_W>>,
    pub m_ready: Signal<In, Bit>,
    pub refused: Signal<Out, Bit>,
    pub taken_back: Signal<Out, Bits<32>>,
    entry: RingEntry<A>,
    step: RingStep<A>,
    way_out: RingWayOut<A>,
    as_item: RingItem<A>,
    exit: RingExit<A>,
    words: RAM<Bus<RING_WORD_W>, A>,
    backs: SaturatingCounter<5>,
    /// The item that comes in, and two behind it.
    current: DFF<Bus<RING_WORD_W>>,
    has_current: DFF<Bit>,
    later: DFF<Bus<RING_WORD_W>>,
    has_later: DFF<Bit>,
    last: DFF<Bus<RING_WORD_W>>,
    has_last: DFF<Bit>,
    /// No element is speculative: settings are steady, so that it may come a cycle late.
    passes: DFF<Bit>,
    state: DFF<Bus<RING_STATE_W>>,
    depth: DFF<Bus<RING_DEPTH_W>>,
    way_out_state: DFF<Bus<WAY_OUT_STATE_W>>,
    /// The word that goes out next; those behind it are in memory, from the head to the tail.
    oldest: DFF<Bus<RING_WORD_W>>,
    head: DFF<Bits<A>>,
    tail: DFF<Bits<A>>,
    /// The end of the words that a walk has not looked at, the youngest one of them, and the next one
    /// to be read.
    place: DFF<Bits<A>>,
    young: DFF<Bus<RING_WORD_W>>,
    ahead: DFF<Bits<A>>,
    taken: DFF<Bits<5>>,
    /// Places from the tail to the head, a cycle ago.
    free: DFF<Bits<A>>,
    /// What goes out, as a word and then as an item.
    going: DFF<Bus<RING_WORD_W>>,
    goes: DFF<Bit>,
    held_context: DFF<Bus<RING_CONTEXT_W>>,
    out: DFF<Bus<RING_OUT_W>>,
}

impl<const A: usize> Logic for CommitRing<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, backs);
        dff_setup!(
            self,
            clock,
            current,
            has_current,
            later,
            has_later,
            last,
            has_last,
            passes,
            state,
            depth,
            way_out_state,
            oldest,
            head,
            tail,
            place,
            young,
            ahead,
            taken,
            free,
            going,
            goes,
            held_context,
            out
        );
        self.entry.item.next = self.item.val();
        self.entry.address.next = self.address.val();
        self.entry.isa.next = self.isa.val();
        self.entry.space.next = self.space.val();

        // Whoever sends sees two cycles late that nothing more can come.
        self.has_later.d.next = self.has_later.q.val()
            & (!self.step.is_free.val() | self.has_last.q.val())
            | self.entry.comes.val() & (!self.step.is_free.val() | self.has_later.q.val());
        self.has_last.d.next = !self.step.is_free.val()
            & (self.has_last.q.val() | self.has_later.q.val() & self.entry.comes.val());
        if self.step.is_free.val() {
            self.has_current.d.next = self.has_later.q.val() | self.entry.comes.val();
            self.current.d.next = self.entry.word.val();
            if self.has_later.q.val() {
                self.current.d.next = self.later.q.val();
            }
        }
        if self.step.is_free.val() | !self.has_later.q.val() {
            self.later.d.next = self.entry.word.val();
            if self.has_last.q.val() {
                self.later.d.next = self.last.q.val();
            }
        }
        if !self.has_last.q.val() {
            self.last.d.next = self.entry.word.val();
        }

        // The young end.
        self.step.reset.next = self.reset.val();
        self.step.source.next = self.source.val();
        self.step.passes.next = self.passes.q.val();
        self.passes.d.next = self.step.passes_next.val();
        self.step.valid.next = self.has_current.q.val();
        self.step.word.next = self.current.q.val();
        self.step.state.next = self.state.q.val();
        self.step.depth.next = self.depth.q.val();
        self.step.young.next = self.young.q.val();
        self.step.oldest.next = self.oldest.q.val();
        self.step.has_oldest.next = self.way_out.has_oldest.val();
        self.step.rests.next = self.way_out.rests.val();
        self.step.head.next = self.head.q.val();
        self.step.tail.next = self.tail.q.val();
        self.step.place.next = self.place.q.val();
        self.step.ahead.next = self.ahead.q.val();
        self.step.free.next = self.free.q.val();
        self.free.d.next = self.head.q.val() - self.tail.q.val();
        self.step.ready.next = self.m_ready.val();
        self.state.d.next = self.step.state_next.val();
        self.depth.d.next = self.step.depth_next.val();
        self.tail.d.next = self.step.tail_next.val();
        self.place.d.next = self.step.place_next.val();
        self.ahead.d.next = self.step.ahead_next.val();
        self.taken.d.next = self.step.taken_back.val();
        self.refused.next = self.step.refused.val();

        // The old end.
        self.way_out.reset.next = self.reset.val();
        self.way_out.ready.next = self.m_ready.val();
        self.way_out.state.next = self.way_out_state.q.val();
        self.way_out.depth.next = self.depth.q.val();
        self.way_out.oldest.next = self.oldest.q.val();
        self.way_out.stored.next = self.words.read_data.val();
        self.way_out.head.next = self.head.q.val();
        self.way_out.tail.next = self.tail.q.val();
        self.way_out.walks.next = self.step.walks.val();
        self.way_out.unloads.next = self.step.unloads.val();
        self.way_out_state.d.next = self.way_out.state_next.val();
        self.oldest.d.next = self.way_out.oldest_next.val();
        self.head.d.next = self.way_out.head_next.val();

        self.words.write_clock.next = self.clock.val();
        self.words.read_clock.next = self.clock.val();
        self.words.write_enable.next = self.step.writes.val();
        self.words.write_address.next = self.step.write_address.val();
        self.words.write_data.next = self.step.write_word.val();
        self.words.read_address.next = self.way_out.head_next.val();
        if self.step.walks.val() {
            self.words.read_address.next = self.ahead.q.val();
        }
        self.young.d.next = self.words.read_data.val();

        // Both ends never send at once.
        self.goes.d.next = self.step.goes.val() | self.way_out.goes.val();
        self.going.d.next = self.way_out.going.val();
        if self.step.goes.val() {
            self.going.d.next = self.step.going.val();
        }
        self.as_item.reset.next = self.reset.val();
        self.as_item.passes.next = self.passes.q.val();
        self.as_item.valid.next = self.goes.q.val();
        self.as_item.word.next = self.going.q.val();
        self.as_item.held.next = self.held_context.q.val();
        self.held_context.d.next = self.as_item.held_next.val();
        self.out.d.next = self.as_item.out.val();
        self.exit.has_room.next = !self.has_later.q.val();
        self.exit.m_ready.next = self.m_ready.val();
        self.ready.next = self.exit.ready.val();
        self.exit.out.next = self.out.q.val();
        self.exit.item.next = self.item.val();
        self.exit.address.next = self.address.val();
        self.exit.isa.next = self.isa.val();
        self.exit.space.next = self.space.val();
        self.m_item.next = self.exit.m_item.val();
        self.m_address.next = self.exit.m_address.val();
        self.m_isa.next = self.exit.m_isa.val();
        self.m_space.next = self.exit.m_space.val();

        self.backs.reset.next = self.reset.val();
        self.backs.clear.next = false;
        self.backs.amount.next = self.taken.q.val();
        self.taken_back.next = self.backs.count.val();
        if self.reset.val() {
            self.has_current.d.next = false;
            self.has_later.d.next = false;
            self.has_last.d.next = false;
            self.goes.d.next = false;
        }
    }
}
