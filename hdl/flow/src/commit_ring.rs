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
//! Latency 5 cycles to what is final at once, 2 without speculation. Throughput one item per cycle in, and
//! one packet per cycle out. A Cancel or a misprediction first waits until all that is final is out;
//! then it takes two cycles, and one more for each packet that it takes back or looks at.
//! Source: Arm IHI 0064, speculation; the software twin is `coretrace_sites::CommitQueue`.

use super::item::ITEM_W;
use super::ring_step::{RING_OUT_W, RING_STATE_W, RingStep};
use super::ring_word::RING_WORD_W;
use coretrace_abi::flow_table::{ISA_BITS, SPACE_BITS};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_parts::stream::SaturatingCounter;
use rust_hdl::prelude::*;

const ISA_W: usize = ISA_BITS as usize;
const SPACE_W: usize = SPACE_BITS as usize;

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
    step: RingStep<A>,
    words: RAM<Bus<RING_WORD_W>, A>,
    backs: SaturatingCounter<5>,
    state: DFF<Bus<RING_STATE_W>>,
    /// The item that comes in, and one behind it.
    current: DFF<Bus<RING_WORD_W>>,
    has_current: DFF<Bit>,
    later: DFF<Bus<RING_WORD_W>>,
    has_later: DFF<Bit>,
    /// The word that goes out next; those behind it are in memory, from the head to the tail.
    oldest: DFF<Bus<RING_WORD_W>>,
    head: DFF<Bits<A>>,
    tail: DFF<Bits<A>>,
    /// The end of the words that a misprediction looks at.
    place: DFF<Bits<A>>,
    sent: DFF<Bus<RING_OUT_W>>,
    is_free: Signal<Local, Bit>,
}

impl<const A: usize> Logic for CommitRing<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, backs);
        dff_setup!(
            self,
            clock,
            state,
            current,
            has_current,
            later,
            has_later,
            oldest,
            head,
            tail,
            place,
            sent
        );
        self.words.write_clock.next = self.clock.val();
        self.words.read_clock.next = self.clock.val();
        self.step.reset.next = self.reset.val();
        self.step.source.next = self.source.val();
        self.step.item.next = self.item.val();
        self.step.address.next = self.address.val();
        self.step.isa.next = self.isa.val();
        self.step.space.next = self.space.val();
        self.step.valid.next = self.has_current.q.val();
        self.step.word.next = self.current.q.val();
        self.step.state.next = self.state.q.val();
        self.step.oldest.next = self.oldest.q.val();
        self.step.stored.next = self.words.read_data.val();
        self.step.head.next = self.head.q.val();
        self.step.tail.next = self.tail.q.val();
        self.step.place.next = self.place.q.val();
        self.step.sent.next = self.sent.q.val();
        self.step.ready.next = self.m_ready.val();

        self.words.read_address.next = self.step.read_address.val();
        self.words.write_address.next = self.step.write_address.val();
        self.words.write_data.next = self.step.write_word.val();
        self.words.write_enable.next = self.step.writes.val();
        self.state.d.next = self.step.state_next.val();
        self.oldest.d.next = self.step.oldest_next.val();
        self.head.d.next = self.step.head_next.val();
        self.tail.d.next = self.step.tail_next.val();
        self.place.d.next = self.step.place_next.val();
        self.sent.d.next = self.step.sent_next.val();

        // Whoever sends sees a cycle late that there is no room.
        self.is_free.next = self.step.done.val() | !self.has_current.q.val();
        self.ready.next = self.is_free.val();
        if self.is_free.val() {
            self.current.d.next = self.step.word_in.val();
            self.has_current.d.next = self.step.comes.val();
            if self.has_later.q.val() {
                self.current.d.next = self.later.q.val();
                self.has_current.d.next = true;
            }
            self.has_later.d.next = false;
        }
        if self.step.comes.val() & !self.is_free.val() {
            self.later.d.next = self.step.word_in.val();
            self.has_later.d.next = true;
        }
        if self.reset.val() {
            self.has_current.d.next = false;
            self.has_later.d.next = false;
        }

        self.backs.reset.next = self.reset.val();
        self.backs.clear.next = false;
        self.backs.amount.next = self.step.taken_back.val();
        self.taken_back.next = self.backs.count.val();
        self.refused.next = self.step.refused.val();
        self.m_item.next = self.step.m_item.val();
        self.m_address.next = self.step.m_address.val();
        self.m_isa.next = self.step.m_isa.val();
        self.m_space.next = self.step.m_space.val();
    }
}
