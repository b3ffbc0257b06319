// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FrameGenerator`: words of a 32-bit trace port in, 16-byte formatter frames out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `s_axis_tdata[31:0]` | in | word of the port, the byte that comes first in bits 7 to 0 |
//! | `s_axis_tvalid` | in | the word is there; the port waits for nobody, so there is no TREADY |
//! | `s_axis_tuser` | in | with a word: words of the port were lost before it |
//! | `clear` | in | the counters begin again at 0 |
//! | `m_frame_tdata[127:0]` | out | frame, byte 0 in bits 7 to 0 |
//! | `m_frame_tvalid` | out | for one cycle, at most in one of four |
//! | `m_frame_discontinuity` | out | bytes were lost between the frame before and this one |
//! | `in_sync` | out | frames are being taken, as opposed to searching for a full sync |
//! | `sync_losses[31:0]` | out | times that bytes were lost while in sync, saturating |
//! | `sync_acquisitions[31:0]` | out | full syncs that ended a search, saturating |
//!
//! Full and half syncs are found at every 16 bits, so a lone half sync may shift frames against
//! words. A loss after the last frame shows with the next frame, or in `sync_losses`.
//!
//! Latency 2 cycles from the last word of a frame, 4 to the counters. Throughput 1 word per cycle.
//! Source: Arm IHI 0029, trace formatter; the steps are those of `coretrace_decode::tpiu::FrameGenerator`.

use coretrace_hdl_parts::stream::SaturatingCounter;
use rust_hdl::prelude::*;

/// What a half-word can be, apart from its place in the stream.
#[derive(Copy, Clone, Debug, PartialEq, Eq, LogicState)]
enum HalfWord {
    /// Two bytes of a frame.
    Data,
    /// 0x7FFF: half sync, or the second half of a full sync.
    HalfSync,
    /// 0xFFFF: the first half of a full sync.
    AllOnes,
    /// 0xFF in bits 7 to 0, but neither of the two.
    Corrupt,
}

#[derive(LogicBlock, Default)]
pub struct FrameGenerator {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub m_frame_tdata: Signal<Out, Bits<128>>,
    pub m_frame_tvalid: Signal<Out, Bit>,
    pub m_frame_discontinuity: Signal<Out, Bit>,
    pub in_sync: Signal<Out, Bit>,
    pub sync_losses: Signal<Out, Bits<32>>,
    pub sync_acquisitions: Signal<Out, Bits<32>>,
    // Stage 1: the two half-words and what they are.
    valid_s1: DFF<Bit>,
    half_s1: [DFF<Bits<16>>; 2],
    kind_s1: [DFF<HalfWord>; 2],
    /// Words were lost before that of stage 1, while in sync.
    cut_s1: DFF<Bit>,
    half: [Signal<Local, Bits<16>>; 2],
    // Stage 2: the state, and the frame that the word completes.
    synced: DFF<Bit>,
    held: DFF<Bit>,
    taken: DFF<Bits<3>>,
    lost: DFF<Bit>,
    history: DFF<Bits<112>>,
    frame: DFF<Bits<128>>,
    frame_valid: DFF<Bit>,
    frame_lost: DFF<Bit>,
    losses: SaturatingCounter,
    acquisitions: SaturatingCounter,
    // The state before the word, between its half-words and after it.
    synced_at: [Signal<Local, Bit>; 3],
    held_at: [Signal<Local, Bit>; 3],
    taken_at: [Signal<Local, Bits<3>>; 3],
    lost_at: [Signal<Local, Bit>; 3],
    synced_after: Signal<Local, Bit>,
    history_at: [Signal<Local, Bits<128>>; 3],
    // What each half-word does; `window` is the frame if it is the last one of a frame.
    newest: [Signal<Local, Bits<128>>; 2],
    window: [Signal<Local, Bits<128>>; 2],
    whole: [Signal<Local, Bit>; 2],
    loss: [Signal<Local, Bit>; 2],
    acquisition: [Signal<Local, Bit>; 2],
    loss_count: Signal<Local, Bits<3>>,
    acquisition_count: Signal<Local, Bits<3>>,
}

impl Logic for FrameGenerator {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            valid_s1,
            cut_s1,
            synced,
            held,
            taken,
            lost,
            history,
            frame,
            frame_valid,
            frame_lost
        );
        clock!(self, clock, losses, acquisitions);
        self.losses.reset.next = self.reset.val() | self.clear.val();
        self.acquisitions.reset.next = self.reset.val() | self.clear.val();

        self.valid_s1.d.next = self.s_axis_tvalid.val();
        for i in 0..2 {
            self.half_s1[i].clock.next = self.clock.val();
            self.kind_s1[i].clock.next = self.clock.val();
            self.half[i].next = self.s_axis_tdata.val().get_bits::<16>(16 * i);
            self.half_s1[i].d.next = self.half[i].val();
            self.kind_s1[i].d.next = HalfWord::Data;
            if (self.half[i].val() & 0x00FF) == 0x00FF {
                self.kind_s1[i].d.next = HalfWord::Corrupt;
            }
            if self.half[i].val() == 0x7FFF {
                self.kind_s1[i].d.next = HalfWord::HalfSync;
            }
            if self.half[i].val() == 0xFFFF {
                self.kind_s1[i].d.next = HalfWord::AllOnes;
            }
        }

        self.synced_at[0].next = self.synced.q.val();
        self.held_at[0].next = self.held.q.val();
        self.taken_at[0].next = self.taken.q.val();
        self.lost_at[0].next = self.lost.q.val();
        self.history_at[0].next = bit_cast::<128, 112>(self.history.q.val());
        self.newest[0].next = bit_cast::<128, 16>(self.half_s1[0].q.val()) << 112;
        self.newest[1].next = bit_cast::<128, 16>(self.half_s1[1].q.val()) << 112;
        self.frame_valid.d.next = false;
        for i in 0..2 {
            self.window[i].next = self.history_at[i].val() | self.newest[i].val();
            self.synced_at[i + 1].next = self.synced_at[i].val();
            self.held_at[i + 1].next = false;
            self.taken_at[i + 1].next = self.taken_at[i].val();
            self.lost_at[i + 1].next = self.lost_at[i].val();
            self.history_at[i + 1].next = self.history_at[i].val();
            self.whole[i].next = false;
            self.loss[i].next = false;
            self.acquisition[i].next = false;

            if self.held_at[i].val() & (self.kind_s1[i].q.val() == HalfWord::HalfSync) {
                self.loss[i].next = self.synced_at[i].val() & self.taken_at[i].val().any();
                self.acquisition[i].next = !self.synced_at[i].val();
                self.synced_at[i + 1].next = true;
                self.taken_at[i + 1].next = 0.into();
            } else {
                if self.held_at[i].val() {
                    self.loss[i].next = self.synced_at[i].val();
                    self.synced_at[i + 1].next = false;
                }
                if self.kind_s1[i].q.val() == HalfWord::AllOnes {
                    self.held_at[i + 1].next = true;
                }
                if self.kind_s1[i].q.val() == HalfWord::Corrupt {
                    self.loss[i].next = self.synced_at[i].val();
                    self.synced_at[i + 1].next = false;
                }
                if (self.kind_s1[i].q.val() == HalfWord::Data) & self.synced_at[i + 1].val() {
                    self.whole[i].next = self.taken_at[i].val() == 7;
                    self.taken_at[i + 1].next = self.taken_at[i].val() + 1;
                    self.history_at[i + 1].next = self.window[i].val() >> 16;
                }
                if !self.synced_at[i + 1].val() {
                    self.taken_at[i + 1].next = 0.into();
                }
            }
            if self.whole[i].val() {
                self.lost_at[i + 1].next = false;
            }
            if self.loss[i].val() {
                self.lost_at[i + 1].next = true;
            }
            if self.whole[i].val() & self.valid_s1.q.val() {
                self.frame.d.next = self.window[i].val();
                self.frame_valid.d.next = true;
                self.frame_lost.d.next = self.lost_at[i].val();
            }
        }

        self.loss_count.next = 0.into();
        self.acquisition_count.next = 0.into();
        self.synced_after.next = self.synced.q.val();
        if self.valid_s1.q.val() {
            self.synced_after.next = self.synced_at[2].val();
            self.held.d.next = self.held_at[2].val();
            self.taken.d.next = self.taken_at[2].val();
            self.lost.d.next = self.lost_at[2].val();
            self.history.d.next = self.history_at[2].val().get_bits::<112>(0);
            self.loss_count.next = bits::<3>(0) + self.loss[0].val() + self.loss[1].val();
            self.acquisition_count.next =
                bits::<3>(0) + self.acquisition[0].val() + self.acquisition[1].val();
        }
        self.losses.amount.next = self.loss_count.val() + self.cut_s1.q.val();
        self.acquisitions.amount.next = self.acquisition_count.val();

        self.synced.d.next = self.synced_after.val();
        // Words were lost between that of stage 1 and the one that comes in: search anew.
        self.cut_s1.d.next = false;
        if self.s_axis_tvalid.val() & self.s_axis_tuser.val() {
            self.cut_s1.d.next = self.synced_after.val();
            self.synced.d.next = false;
            self.held.d.next = false;
            self.taken.d.next = 0.into();
            self.lost.d.next = true;
        }

        self.m_frame_tdata.next = self.frame.q.val();
        self.m_frame_tvalid.next = self.frame_valid.q.val();
        self.m_frame_discontinuity.next = self.frame_lost.q.val();
        self.in_sync.next = self.synced.q.val();
        self.sync_losses.next = self.losses.count.val();
        self.sync_acquisitions.next = self.acquisitions.count.val();

        if self.reset.val() {
            self.valid_s1.d.next = false;
            self.cut_s1.d.next = false;
            self.synced.d.next = false;
            self.held.d.next = false;
            self.taken.d.next = 0.into();
            self.lost.d.next = false;
            self.frame_valid.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::{Pauses, random_words, with_seeds};
    use coretrace_coresight::{FSYNC, Frame};
    use coretrace_decode::tpiu::{self as model, FrameEvent};
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::RngExt;

    /// Frames, each with whether bytes were lost before it; losses; acquisitions; in sync at the
    /// end.
    type Outcome = (Vec<(Frame, bool)>, u64, u64, bool);

    /// A word of the port, and whether words were lost before it.
    type PortWord = (u32, bool);

    fn intact(words: &[u32]) -> Vec<PortWord> {
        words.iter().map(|&word| (word, false)).collect()
    }

    fn model(words: &[PortWord]) -> Outcome {
        let (mut sync, mut frames, mut lost) = (model::FrameGenerator::new(), Vec::new(), false);
        for &(word, flagged) in words {
            if flagged {
                sync.discontinuity();
                lost = true;
            }
            for half in [word as u16, (word >> 16) as u16] {
                match sync.step(half) {
                    Some(FrameEvent::Frame { bytes, .. }) => {
                        frames.push((bytes, std::mem::take(&mut lost)));
                    }
                    Some(FrameEvent::Discontinuity { .. }) => lost = true,
                    None => {}
                }
            }
        }
        let statistics = sync.statistics();
        (
            frames,
            statistics.losses,
            statistics.acquisitions,
            sync.in_sync(),
        )
    }

    /// One cycle with or without a word; the frame that is there after it.
    fn clock(uut: &mut FrameGenerator, word: Option<PortWord>) -> Option<(Frame, bool)> {
        uut.s_axis_tvalid.next = word.is_some();
        // Without a valid word the last one stays, which must not be taken twice.
        if let Some((word, lost)) = word {
            uut.s_axis_tdata.next = word.to_bits();
            uut.s_axis_tuser.next = lost;
        }
        cycle(uut, |u, c| u.clock.next = c);
        uut.m_frame_tvalid.val().then(|| {
            (
                uut.m_frame_tdata.val().to_u128().to_le_bytes(),
                uut.m_frame_discontinuity.val(),
            )
        })
    }

    fn generator() -> FrameGenerator {
        let mut uut = FrameGenerator::default();
        uut.connect_all();
        uut
    }

    fn hardware(uut: &mut FrameGenerator, words: &[PortWord], pauses: Pauses) -> Outcome {
        let cycles = pauses.between(words.iter().copied());
        let frames = cycles
            .chain([None; 4])
            .filter_map(|word| clock(uut, word))
            .collect();
        (
            frames,
            uut.sync_losses.val().to_u32().into(),
            uut.sync_acquisitions.val().to_u32().into(),
            uut.in_sync.val(),
        )
    }

    #[test]
    fn it_equals_the_model_on_broken_ports_with_every_pattern_of_pauses() {
        with_seeds(20, |rng| {
            let mut words = intact(&random_words(rng, 60));
            for (_, lost) in &mut words {
                *lost = rng.random_ratio(1, 40);
            }
            let expected = model(&words);
            assert!(!expected.0.is_empty());
            for pauses in Pauses::all() {
                let found = hardware(&mut generator(), &words, pauses);
                assert_eq!(found, expected, "{pauses:?}");
            }
        });
    }

    #[test]
    fn it_equals_the_model_on_every_short_sequence_of_half_words() {
        // Each kind of half-word in each place behind 0 to 2 pairs of a frame.
        let kinds = [0x3332, 0x7FFF, 0xFFFF, 0x00FF];
        for start in 0..3 {
            for code in 0..kinds.len().pow(5) {
                let mut half_words = vec![0xFFFF, 0x7FFF];
                half_words.extend(vec![0x1110; start]);
                half_words.extend((0..5).map(|place| kinds[code >> (2 * place) & 3]));
                half_words.extend([0x2120; 9]);
                let words = intact(&crate::stimulus::words(&half_words));
                let found = hardware(&mut generator(), &words, Pauses::NONE);
                assert_eq!(found, model(&words), "{half_words:04x?}");
            }
        }
    }

    #[test]
    fn a_frame_comes_out_two_cycles_after_its_last_word_without_any_gap() {
        let frames = 50;
        let words = [FSYNC].into_iter().chain((0..4 * frames).map(|n| n << 1));
        let mut uut = generator();
        let found: Vec<bool> = words
            .map(|word| Some((word, false)))
            .chain([None])
            .map(|word| clock(&mut uut, word).is_some())
            .collect();
        // Frame n ends with word 4n + 4, which clock 4n + 4 takes; clock 4n + 5 shows the frame.
        for (index, shown) in found.iter().enumerate() {
            assert_eq!(*shown, index >= 5 && index % 4 == 1, "cycle {index}");
        }
        assert_eq!(found.len(), 4 * frames as usize + 2);
    }

    #[test]
    fn reset_forgets_sync_and_the_partial_frame() {
        let mut uut = generator();
        hardware(&mut uut, &intact(&[FSYNC, 0x20, 0xFFFF_FFFF]), Pauses::NONE);
        hardware(&mut uut, &intact(&[FSYNC, 0x20]), Pauses::NONE);
        assert!(uut.in_sync.val());
        uut.reset.next = true;
        clock(&mut uut, Some((0x20, false)));
        uut.reset.next = false;
        let words = intact(&[&[0x20; 8][..], &[FSYNC], &[0x40; 4]].concat());
        let found = hardware(&mut uut, &words, Pauses::NONE);
        assert_eq!(found, model(&words));
    }

    #[test]
    fn it_exports() {
        let text =
            coretrace_hdl_verilog::verilog(FrameGenerator::default(), "frame_generator").unwrap();
        assert!(!text.contains('$'));
    }
}
