// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BeatQueue`: rows and sums in, beats of the flow stream out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: what waits is discarded |
//! | `row_valid`, `row` | in | the oldest [`MarkRow`](super::MarkRow) |
//! | `row_ready` | out | it is taken in this cycle |
//! | `windowed` | in | only what is between triggers is counted; steady |
//! | `threshold[21:0]` | in | of the trace unit: no count of cycles is less |
//! | `entry...`, `entries_done`, `sum...`, `cycles_valid`, `sums_done`, `sums_begin`, `sums_room`, `ended`, `m_axis_...` | | as of [`FlowStream`](super::FlowStream) |
//!
//! Latency 4 cycles from a row to its first beat. Throughput one beat per cycle; sums go first, then rows,
//! then entries.

use super::SUM_W;
use super::beat_entry::{BEAT_ENTRY_W, BeatEntry};
use super::item::CYCLES_W;
use super::mark_row::{MARK_ROW_W, MarkRow};
use coretrace_abi::flow_stream::{BeatKind, PLACE_BITS, SUM_BITS};
use coretrace_hdl_dataflow::{
    Bus, Word, all, any, kernel_block, named, priority_mux, without_lowest,
};
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

/// Address bits of the FIFO.
const PLACES_W: usize = 6;
/// Bits of the number of beats in a packet.
const PACKET_W: usize = 8;
/// Bits of a beat.
pub const FLOW_BEAT_W: usize = 128;
/// Bits of a beat with TLAST above it.
const STORED_W: usize = FLOW_BEAT_W + 1;
/// Bits of a site, and of the number of a read-out.
const PLACE_W: usize = PLACE_BITS as usize;
/// Beats of a row.
const MARKS: usize = 5;

#[derive(LogicBlock, Default)]
pub struct BeatQueue<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub windowed: Signal<In, Bit>,
    pub row_valid: Signal<In, Bit>,
    pub row: Signal<In, Bus<MARK_ROW_W>>,
    pub row_ready: Signal<Out, Bit>,
    pub sum_valid: Signal<In, Bit>,
    pub sum_site: Signal<In, Bits<SW>>,
    pub sum_taken: Signal<In, Bus<SUM_W>>,
    pub sum_entered: Signal<In, Bus<SUM_W>>,
    pub sum_left: Signal<In, Bus<SUM_W>>,
    pub cycles_valid: Signal<In, Bit>,
    pub sum_cycles: Signal<In, Bus<SUM_W>>,
    pub threshold: Signal<In, Bits<CYCLES_W>>,
    pub sums_done: Signal<In, Bit>,
    pub entry_valid: Signal<In, Bit>,
    pub entry: Signal<In, Bus<BEAT_ENTRY_W>>,
    pub entry_ready: Signal<Out, Bit>,
    pub entries_done: Signal<In, Bit>,
    pub sums_begin: Signal<Out, Bit>,
    pub sums_room: Signal<Out, Bit>,
    pub ended: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<FLOW_BEAT_W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    step: BeatStep<SW>,
    /// The sums that came last. Whether there are none has a register of its own: what waits for sums waits for
    /// it alone.
    sum_valid_s1: DFF<Bit>,
    is_cycles: DFF<Bit>,
    no_sum: DFF<Bit>,
    site_s1: DFF<Bits<SW>>,
    taken_s1: DFF<Bus<SUM_W>>,
    entered_s1: DFF<Bus<SUM_W>>,
    left_s1: DFF<Bus<SUM_W>>,
    sums_done_s1: DFF<Bit>,
    /// The row whose beats go out, and which of them have not.
    held: DFF<Bus<MARK_ROW_W>>,
    waiting: DFF<Bits<MARKS>>,
    /// One of them, and more than one: whether a row is taken must not wait for a count.
    is_some: DFF<Bit>,
    is_many: DFF<Bit>,
    /// All sums of a read-out have come; all its entries have.
    ends: DFF<Bit>,
    entries_end: DFF<Bit>,
    /// Read-outs that have ended.
    read_outs: DFF<Bits<PLACE_W>>,
    /// Beats of the packet so far.
    packet: DFF<Bits<PACKET_W>>,
    beat: DFF<Bus<STORED_W>>,
    beat_valid: DFF<Bit>,
    beats: SyncFifo<STORED_W, PLACES_W>,
    fields: StoredBeat<1>,
    has_room: Signal<Local, Bit>,
}

impl<const SW: usize> Logic for BeatQueue<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, beats);
        dff_setup!(
            self,
            clock,
            sum_valid_s1,
            is_cycles,
            no_sum,
            site_s1,
            taken_s1,
            entered_s1,
            left_s1,
            sums_done_s1,
            held,
            waiting,
            is_some,
            is_many,
            ends,
            entries_end,
            read_outs,
            packet,
            beat,
            beat_valid
        );
        self.has_room.next = !self.beats.fills_up.val();
        self.sums_room.next = self.has_room.val();
        self.step.windowed.next = self.windowed.val();
        self.step.row_valid.next = self.row_valid.val();
        self.step.row.next = self.row.val();
        self.row_ready.next = self.step.takes.val();
        self.step.held.next = self.held.q.val();
        self.step.waiting.next = self.waiting.q.val();
        self.step.is_some.next = self.is_some.q.val();
        self.step.is_many.next = self.is_many.q.val();
        self.step.ends.next = self.ends.q.val() & self.entries_end.q.val();
        self.step.read_outs.next = self.read_outs.q.val();
        self.step.fills_packet.next = self.packet.q.val().all();
        self.step.room.next = self.has_room.val();
        self.sum_valid_s1.d.next = self.sum_valid.val() | self.cycles_valid.val();
        self.no_sum.d.next = !self.sum_valid.val() & !self.cycles_valid.val();
        self.is_cycles.d.next = self.cycles_valid.val();
        self.site_s1.d.next = self.sum_site.val();
        self.taken_s1.d.next = self.sum_taken.val();
        if self.cycles_valid.val() {
            self.taken_s1.d.next = self.sum_cycles.val();
        }
        self.entered_s1.d.next = self.sum_entered.val();
        self.left_s1.d.next = self.sum_left.val();
        self.sums_done_s1.d.next = self.sums_done.val();
        self.step.sum_valid.next = self.sum_valid_s1.q.val();
        self.step.no_sum.next = self.no_sum.q.val();
        self.step.sum_site.next = self.site_s1.q.val();
        self.step.sum_taken.next = self.taken_s1.q.val();
        self.step.sum_entered.next = self.entered_s1.q.val();
        self.step.sum_left.next = self.left_s1.q.val();
        self.step.is_cycles.next = self.is_cycles.q.val();
        self.step.threshold.next = self.threshold.val();
        self.step.entry_valid.next = self.entry_valid.val();
        self.step.entry.next = self.entry.val();
        self.entry_ready.next = self.step.takes_entry.val();
        if self.step.takes.val() {
            self.held.d.next = self.row.val();
        }
        self.waiting.d.next = self.step.waiting_next.val();
        self.is_some.d.next = self.step.some_next.val();
        self.is_many.d.next = self.step.many_next.val();
        self.sums_begin.next = self.step.begins.val();
        self.ended.next = self.step.ended.val();
        if self.step.ended.val() {
            self.ends.d.next = false;
            self.entries_end.d.next = false;
            self.read_outs.d.next = self.read_outs.q.val() + 1;
        }
        if self.sums_done_s1.q.val() {
            self.ends.d.next = true;
        }
        if self.entries_done.val() {
            self.entries_end.d.next = true;
        }
        if self.step.beat_valid.val() {
            self.packet.d.next = self.packet.q.val() + 1;
            if self.step.is_mark.val() {
                self.packet.d.next = 0.into();
            }
        }

        self.beat.d.next = self.step.beat.val();
        self.beat_valid.d.next = self.step.beat_valid.val();
        self.beats.reset.next = self.reset.val();
        self.beats.write_data.next = self.beat.q.val();
        self.beats.write_valid.next = self.beat_valid.q.val();
        self.beats.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tvalid.next = self.beats.m_axis_tvalid.val();
        self.fields.stored.next = self.beats.m_axis_tdata.val();
        self.m_axis_tdata.next = self.fields.beat.val();
        self.m_axis_tlast.next = self.fields.last.val();

        if self.reset.val() {
            self.sum_valid_s1.d.next = false;
            self.sums_done_s1.d.next = false;
            self.waiting.d.next = 0.into();
            self.is_some.d.next = false;
            self.is_many.d.next = false;
            self.ends.d.next = false;
            self.entries_end.d.next = false;
            self.read_outs.d.next = 0.into();
            self.packet.d.next = 0.into();
            self.beat_valid.d.next = false;
        }
    }
}

kernel_block! {
    /// The next beat of sums, of a row, of the end of a read-out or of an entry; `N` bits of a site.
    pub struct BeatStep;
    inputs BeatInputs {
        windowed: Bit,
        row_valid: Bit,
        row: Bus<MARK_ROW_W>,
        held: Bus<MARK_ROW_W>,
        waiting: Bits<MARKS>,
        is_some: Bit,
        is_many: Bit,
        ends: Bit,
        read_outs: Bits<PLACE_W>,
        fills_packet: Bit,
        room: Bit,
        sum_valid: Bit,
        no_sum: Bit,
        sum_site: Bits<N>,
        sum_taken: Bus<SUM_W>,
        sum_entered: Bus<SUM_W>,
        sum_left: Bus<SUM_W>,
        is_cycles: Bit,
        threshold: Bits<CYCLES_W>,
        entry_valid: Bit,
        entry: Bus<BEAT_ENTRY_W>,
    }
    lane_inputs {}
    outputs BeatOutputs {
        takes: Bit,
        takes_entry: Bit,
        waiting_next: Bits<MARKS>,
        some_next: Bit,
        many_next: Bit,
        begins: Bit,
        ended: Bit,
        is_mark: Bit,
        beat: Bus<STORED_W>,
        beat_valid: Bit,
    }
    lane_outputs {}
    kernel beat_step;
}

#[named]
fn beat_step<T: Word, const N: usize>(i: BeatInputs<T::Port, N>) -> BeatOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let constant = |value: u64, width: u32| T::constant(value, width);
    let kind = |kind: BeatKind| constant(kind as u64, 4);
    let waiting = T::field(&i.waiting, 0, MARKS as u32);
    let held = MarkRow::<T>::unpack(&i.held);
    let read_outs = T::field(&i.read_outs, 0, PLACE_BITS);

    // Sums that are not all 0.
    let sums = [&i.sum_taken, &i.sum_entered, &i.sum_left];
    let sums = sums.map(|port| T::field(port, 0, SUM_BITS + 1));
    let is_cycles = bit(&i.is_cycles);
    let [taken, entered, left] = sums;
    let of_counts = |sum: T| sum.mask(is_cycles.not());
    let (entered, left) = (of_counts(entered), of_counts(left));
    let has_sums = any(&[taken.any(), entered.any(), left.any()]).and(bit(&i.sum_valid));
    let threshold = T::field(&i.threshold, 0, CYCLES_W as u32).extend(32);

    // The oldest mark of the row, or the end of a read-out.
    let (is_some, is_many) = (bit(&i.is_some), bit(&i.is_many));
    let is_free = bit(&i.room).and(bit(&i.no_sum));
    let marks = is_some.and(is_free);
    let is_end = bit(&i.ends).and(is_some.not());
    let ended = is_end.and(is_free);
    let is_mark = is_some.or(is_end);
    let takes_entry = all(&[bit(&i.entry_valid), is_mark.not(), is_free]);
    let lost = kind(BeatKind::Lost);
    let no_reason = constant(0, 4);
    let choose = |cases: [T; MARKS], last: T| {
        let cases = cases.into_iter().enumerate();
        let cases: Vec<(T, T)> = cases.map(|(at, of)| (waiting.bit(at as u32), of)).collect();
        priority_mux(&cases, last)
    };
    let mark_kind = choose(
        [
            lost,
            kind(BeatKind::Found),
            lost,
            lost,
            kind(BeatKind::ReadOut),
        ],
        kind(BeatKind::End),
    );
    let of_read_out = bit(&i.windowed).extend(4);
    let reason = choose(
        [
            held.end_reason,
            no_reason,
            held.reason,
            held.gap,
            of_read_out,
        ],
        of_read_out,
    );
    let places = [
        held.left_at,
        held.base,
        held.ended_at,
        held.ended_at,
        read_outs,
    ];
    let place = choose(places, read_outs);
    let mark = [
        mark_kind,
        held.missed.and(is_some),
        place,
        reason,
        held.atoms,
        held.skipped,
        held.dropped,
    ];
    let count = |sum: T| sum.slice(0, SUM_BITS).extend(32);
    let site = [
        is_cycles.mux(kind(BeatKind::Cycles), kind(BeatKind::Site)),
        constant(0, 1),
        T::field(&i.sum_site, 0, N as u32).extend(PLACE_BITS),
        taken.bit(SUM_BITS),
        entered.bit(SUM_BITS),
        left.bit(SUM_BITS),
        constant(0, 1),
        count(taken),
        is_cycles.mux(threshold, count(entered)),
        count(left),
    ];
    let word = |fields: &[T]| {
        let fields = fields.iter().copied();
        fields.reduce(|low, high| high.concat(low)).expect("fields")
    };
    let entry = BeatEntry::<T>::unpack(&i.entry);
    let entry_kind = entry
        .is_hop
        .mux(kind(BeatKind::Hop), kind(BeatKind::Indirect));
    let way = [
        entry_kind,
        entry.missed,
        entry.site,
        entry.flags,
        entry.count,
        entry.target,
        constant(0, 64 - PLACE_BITS),
    ];
    let is_sum = bit(&i.sum_valid);
    let halves = |fields: &[T], split: usize| (word(&fields[..split]), word(&fields[split..]));
    let (mark_low, mark_high) = halves(&mark, 5);
    let (site_low, site_high) = halves(&site, 8);
    let (way_low, way_high) = halves(&way, 5);
    let is_mark = is_mark.and(is_sum.not());
    let choose = |site: T, mark: T, way: T| is_sum.mux(site, is_mark.mux(mark, way));
    let last = is_mark.or(bit(&i.fills_packet));

    let left_over = marks.mux(without_lowest(waiting), waiting);
    let row = MarkRow::<T>::unpack(&i.row);
    let of_row = [
        row.end_reason.any(),
        row.found,
        row.reason.any(),
        row.gap.any(),
        row.reads_out,
    ];
    let is_last = is_many.not().and(is_free);
    let takes = bit(&i.row_valid).and(is_some.not().or(is_last));
    let of_row = word(&of_row);
    let is_more = |marks: T| without_lowest(marks).any();
    let is_oldest = |at: u32| waiting.slice(0, at + 1).is(1 << at);
    BeatOutputs {
        takes: vec![takes],
        takes_entry: vec![takes_entry],
        waiting_next: vec![takes.mux(of_row, left_over)],
        some_next: vec![takes.mux(of_row.any(), marks.mux(is_many, is_some))],
        many_next: vec![takes.mux(is_more(of_row), is_more(left_over))],
        begins: vec![marks.and(is_oldest(MARKS as u32 - 1))],
        ended: vec![ended],
        is_mark: vec![is_mark],
        beat: vec![
            choose(site_low, mark_low, way_low),
            choose(site_high, mark_high, way_high),
            last,
        ],
        beat_valid: vec![any(&[has_sums, marks, ended, takes_entry])],
    }
}

kernel_block! {
    /// A beat and its TLAST.
    pub struct StoredBeat;
    inputs StoredInputs { stored: Bus<STORED_W>, }
    lane_inputs {}
    outputs StoredOutputs { beat: Bus<FLOW_BEAT_W>, last: Bit, }
    lane_outputs {}
    kernel stored_beat;
}

fn stored_beat<T: Word, const N: usize>(i: StoredInputs<T::Port, N>) -> StoredOutputs<T, N> {
    let words = (0..4).map(|word| T::field(&i.stored, 32 * word, 32));
    StoredOutputs {
        beat: words.collect(),
        last: vec![T::field(&i.stored, FLOW_BEAT_W as u32, 1)],
    }
}
