// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StreamGate`: leaves out results while nobody reads the stream that they go to, so that other
//! streams go on.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `wants_pause` | in | the sink's `hold_back` |
//! | `takes` | in | the consumer takes a beat in this cycle |
//! | `others_wait` | in | another stream would go on, and is read |
//! | `s_valid`, `s_discontinuity`, `s_keep[4]`, `s_lane[4]` | in | as a decoder puts out |
//! | `m_valid`, `m_discontinuity` | out | the same for the sink |
//! | `hold_back` | out | give the decoder no more words |
//! | `is_shut` | out | results are being left out |
//! | `shuts` | out | for one cycle: they are from now on |
//!
//! A stream is not read if others wait for it in 4096 cycles without a beat that is taken: half of
//! the time in which the FIFO of a core fills up, so that the other one loses nothing. The sink gets results again from the first word on in which an
//! A-Sync ends, once there is room: all values of the trace state come behind it. That word has the
//! discontinuity flag.
//!
//! Latency 0 cycles. Throughput one word per cycle.

use coretrace_hdl_dataflow::{Bus, Word, any, kernel_block, named};
use coretrace_hdl_etm::LaneResult;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, outcome};
use rust_hdl::prelude::*;

/// Bits of the number of cycles without a beat.
const PATIENCE_W: usize = 12;

/// A gate in front of a sink; see the module text.
#[derive(LogicBlock, Default)]
pub struct StreamGate {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub wants_pause: Signal<In, Bit>,
    pub takes: Signal<In, Bit>,
    pub others_wait: Signal<In, Bit>,
    pub s_valid: Signal<In, Bit>,
    pub s_discontinuity: Signal<In, Bit>,
    pub s_keep: [Signal<In, Bit>; 4],
    pub s_lane: [Signal<In, Bus<LANE_RESULT_W>>; 4],
    pub m_valid: Signal<Out, Bit>,
    pub m_discontinuity: Signal<Out, Bit>,
    pub hold_back: Signal<Out, Bit>,
    pub is_shut: Signal<Out, Bit>,
    pub shuts: Signal<Out, Bit>,
    asyncs: AsyncInWord<4>,
    shut: DFF<Bit>,
    /// Cycles in which another stream waited, since a beat was taken.
    patience: DFF<Bits<PATIENCE_W>>,
    opens: Signal<Local, Bit>,
}

kernel_block! {
    /// Whether an A-Sync ends in a word.
    pub struct AsyncInWord;
    inputs WordInputs {}
    lane_inputs { keep: Bit, lane: Bus<LANE_RESULT_W>, }
    outputs WordOutputs { is_async: Bit, }
    lane_outputs {}
    kernel async_in_word;
}

#[named]
fn async_in_word<T: Word, const N: usize>(i: WordInputs<T::Port, N>) -> WordOutputs<T, N> {
    let lanes = i.lane.iter().zip(&i.keep);
    let ends: Vec<T> = lanes
        .map(|(lane, keep)| {
            let lane = LaneResult::<T>::unpack(lane);
            lane.outcome.is(outcome::ASYNC).and(T::field(keep, 0, 1))
        })
        .collect();
    WordOutputs {
        is_async: vec![any(&ends)],
    }
}

impl Logic for StreamGate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shut, patience);
        for i in 0..4 {
            self.asyncs.keep[i].next = self.s_keep[i].val();
            self.asyncs.lane[i].next = self.s_lane[i].val();
        }
        self.opens.next = self.asyncs.is_async.val() & !self.wants_pause.val();
        self.m_valid.next = self.s_valid.val() & (!self.shut.q.val() | self.opens.val());
        self.m_discontinuity.next = self.s_discontinuity.val() | self.shut.q.val();
        self.hold_back.next = self.wants_pause.val() & !self.shut.q.val();
        self.is_shut.next = self.shut.q.val();
        self.shuts.next = self.patience.q.val().all() & !self.shut.q.val();

        if self.others_wait.val() {
            self.patience.d.next = self.patience.q.val() + 1;
        }
        if !self.wants_pause.val() | self.takes.val() | self.shut.q.val() {
            self.patience.d.next = 0.into();
        }
        if self.patience.q.val().all() {
            self.shut.d.next = true;
        }
        if self.shut.q.val() & self.s_valid.val() & self.opens.val() {
            self.shut.d.next = false;
        }
        if self.reset.val() {
            self.shut.d.next = false;
            self.patience.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::Carrier;
    use coretrace_hdl_dataflow::sim::{cycle, settle};

    /// Cycles without a beat after which a gate shuts.
    const PATIENCE: usize = 1 << PATIENCE_W;

    /// A gate whose decoder puts out a word in each cycle.
    fn gate() -> StreamGate {
        let mut uut = StreamGate::default();
        uut.connect_all();
        uut.s_valid.next = true;
        uut.s_keep[0].next = true;
        uut
    }

    /// A cycle; whether the word came through, and with the flag.
    fn step(uut: &mut StreamGate, ends: u64) -> (bool, bool) {
        let lane = LaneResult::FIELDS.iter().find(|field| field.0 == "outcome");
        let &(_, low, width) = lane.expect("an outcome");
        let mut wide = coretrace_hdl_dataflow::Wide::default();
        wide.or_field(low, width, ends);
        uut.s_lane[0].next = Carrier::from_wide(&wide);
        settle(uut);
        let passes = (uut.m_valid.val(), uut.m_discontinuity.val());
        cycle(uut, |uut, clock| uut.clock.next = clock);
        passes
    }

    /// A gate that nobody has read behind for long enough.
    fn shut() -> StreamGate {
        let mut uut = gate();
        uut.wants_pause.next = true;
        uut.others_wait.next = true;
        for _ in 0..PATIENCE {
            assert!(!uut.is_shut.val());
            step(&mut uut, outcome::PACKET);
        }
        assert!(uut.is_shut.val());
        uut
    }

    #[test]
    fn a_shut_gate_holds_nothing_back_and_opens_with_an_async_and_room() {
        let mut uut = shut();
        assert!(!step(&mut uut, outcome::ASYNC).0, "there is no room");
        assert!(!uut.hold_back.val());
        uut.wants_pause.next = false;
        assert!(!step(&mut uut, outcome::PACKET).0, "no A-Sync ends");
        assert_eq!(step(&mut uut, outcome::ASYNC), (true, true));
        assert_eq!(step(&mut uut, outcome::PACKET), (true, false));
    }

    #[test]
    fn a_gate_stays_open_while_beats_are_taken_or_no_other_stream_waits() {
        for others_wait in [true, false] {
            let mut uut = gate();
            uut.wants_pause.next = true;
            uut.others_wait.next = others_wait;
            for number in 0..3 * PATIENCE {
                uut.takes.next = others_wait && number % (PATIENCE - 1) == 0;
                let passes = step(&mut uut, outcome::PACKET);
                assert_eq!((passes, uut.hold_back.val()), ((true, false), true));
            }
        }
    }

    #[test]
    fn it_exports() {
        let text = coretrace_hdl_verilog::verilog(StreamGate::default(), "stream_gate").unwrap();
        assert!(!text.contains('$'));
    }
}
