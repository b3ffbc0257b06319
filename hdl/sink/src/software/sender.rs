// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SoftwareSender`: entries in, the software stream out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high; the stream begins with a START behind it |
//! | `flush` | in | for one cycle: end the packet of the stream |
//! | `trace_id[6:0]`, `lenient`, `is_itm`, `itm_tcr[31:0]` | in | what heads say of the source; steady |
//! | `lost_words[31:0]` | in | words of the trace port that were lost so far |
//! | `entry`, `entry_valid` | in | [`Entry`](super::Entry); it cannot be refused |
//! | `room` | out | entries may come; there is room for 14 more behind it |
//! | `m_axis_tdata[127:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | | AXI4-Stream: four words, the first lowest; a packet is one of the stream, of at most 4 KiB |
//!
//! A packet ends with its 127th record, on `flush`, and after 512 cycles without a beat.
//!
//! Throughput: a record takes two cycles, its entry and its packet one more each. Latency 10 cycles from an entry to
//! the head of its packet.

use super::entry::ENTRY_W;
use super::send_step::SEND_STATE_W;
use super::{SendStep, SoftwareBeats};
use crate::records::{BEAT_W, BeatFields, DATA_W};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

/// Address bits of the FIFO of entries: 64 places.
const ENTRIES_W: usize = 6;
/// Address bits of the FIFO of beats: 512 places.
const BEATS_W: usize = 9;

#[derive(LogicBlock, Default)]
pub struct SoftwareSender {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub flush: Signal<In, Bit>,
    pub trace_id: Signal<In, Bits<7>>,
    pub lenient: Signal<In, Bit>,
    pub is_itm: Signal<In, Bit>,
    pub itm_tcr: Signal<In, Bits<32>>,
    pub lost_words: Signal<In, Bits<32>>,
    pub entry: Signal<In, Bus<ENTRY_W>>,
    pub entry_valid: Signal<In, Bit>,
    pub room: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<DATA_W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    entries: SyncFifo<ENTRY_W, ENTRIES_W>,
    step: SendStep<1>,
    state: DFF<Bus<SEND_STATE_W>>,
    held: DFF<Bus<ENTRY_W>>,
    beats: SoftwareBeats<1, 1>,
    beat_fifo: SyncFifo<BEAT_W, BEATS_W>,
    beat_fields: BeatFields<1>,
}

impl Logic for SoftwareSender {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, held);
        clock!(self, clock, entries, beats, beat_fifo);
        self.entries.reset.next = self.reset.val();
        self.entries.write_data.next = self.entry.val();
        self.entries.write_valid.next = self.entry_valid.val();
        self.room.next = !self.entries.fills_up.val();

        self.step.reset.next = self.reset.val();
        self.step.flush.next = self.flush.val();
        self.step.room.next = !self.beat_fifo.fills_up.val();
        self.step.head.next = self.entries.m_axis_tdata.val();
        self.step.head_valid.next = self.entries.m_axis_tvalid.val();
        self.step.state.next = self.state.q.val();
        self.state.d.next = self.step.state_after.val();
        self.entries.m_axis_tready.next = self.step.take.val();
        if self.step.take.val() {
            self.held.d.next = self.entries.m_axis_tdata.val();
        }

        self.beats.reset.next = self.reset.val();
        self.beats.entry.next = self.held.q.val();
        self.beats.select.next = self.step.select.val();
        self.beats.trace_id.next = self.trace_id.val();
        self.beats.lenient.next = self.lenient.val();
        self.beats.is_itm.next = self.is_itm.val();
        self.beats.itm_tcr.next = self.itm_tcr.val();
        self.beats.lost_words.next = self.lost_words.val();

        self.beat_fifo.reset.next = self.reset.val();
        self.beat_fifo.write_data.next = self.beats.beat.val();
        self.beat_fifo.write_valid.next = self.beats.beat_valid.val();
        self.beat_fifo.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tvalid.next = self.beat_fifo.m_axis_tvalid.val();
        self.beat_fields.beat.next = self.beat_fifo.m_axis_tdata.val();
        self.m_axis_tdata.next = self.beat_fields.words.val();
        self.m_axis_tlast.next = self.beat_fields.last.val();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Entry;
    use super::*;
    use coretrace_abi::software_stream::ending;
    use coretrace_hdl_dataflow::sim::cycle;

    #[test]
    fn a_full_packet_takes_three_cycles_a_record_and_one_more() {
        let mut sender = SoftwareSender::default();
        sender.connect_all();
        let mut entry = coretrace_hdl_dataflow::Wide::default();
        for &(name, low, width) in Entry::FIELDS {
            let value = match name {
                "has_first" => 1,
                "first_ending" => ending::PACKET,
                _ => 0,
            };
            entry.or_field(low, width, value);
        }
        sender.entry.next = Bus(entry);
        sender.m_axis_tready.next = true;
        let mut ends = Vec::new();
        let mut beats = 0;
        for time in 0..1500 {
            sender.entry_valid.next = sender.room.val();
            cycle(&mut sender, |uut, clock| uut.clock.next = clock);
            if sender.m_axis_tvalid.val() {
                beats += 1;
                if sender.m_axis_tlast.val() {
                    ends.push((time, beats));
                    beats = 0;
                }
            }
        }
        assert_eq!(ends.len(), 3, "{ends:?}");
        for pair in ends.windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, 3 * 127 + 1);
            assert_eq!(pair[1].1, 256);
        }
    }
}
