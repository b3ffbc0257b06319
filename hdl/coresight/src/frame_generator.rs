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
//! Latency 3 cycles from the last word of a frame, 4 to the counters. Throughput 1 word per cycle.
//! What a half-word does depends on its neighbours alone; the recurrence is four bits, whether the
//! block is in sync and how many half-words of a frame there are.
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
    /// Words were lost before that of stage 1.
    cut_s1: DFF<Bit>,
    half_s1: [DFF<Bits<16>>; 2],
    kind_s1: [DFF<HalfWord>; 2],
    /// The word before ended with the first half of a full sync.
    begun: DFF<Bit>,
    half: [Signal<Local, Bits<16>>; 2],
    // What each half-word does while in sync: it goes on with a frame, ends a full sync, or shows
    // that bytes were lost.
    held: [Signal<Local, Bit>; 2],
    continues: [Signal<Local, Bit>; 2],
    syncs: [Signal<Local, Bit>; 2],
    breaks: [Signal<Local, Bit>; 2],
    // Stage 2: what the word does.
    half_s2: [DFF<Bits<16>>; 2],
    /// Half-words that belong to a frame, and to the one that the word before left incomplete.
    data_s2: [DFF<Bit>; 2],
    adds_s2: [DFF<Bit>; 2],
    /// The state after the word does not depend on the one before it: whether that state is in
    /// sync, with one half-word of a frame.
    sets_s2: DFF<Bit>,
    sets_synced_s2: DFF<Bit>,
    sets_odd_s2: DFF<Bit>,
    cut_s2: DFF<Bit>,
    /// It is a loss: if in sync before it, if in the middle of a frame, in any case.
    breaks_s2: DFF<Bit>,
    realigns_s2: DFF<Bit>,
    fails_s2: DFF<Bit>,
    /// It ends a search: if there is one before it, in any case.
    syncs_s2: DFF<Bit>,
    resyncs_s2: DFF<Bit>,
    // The state: in sync; half-words of a frame so far, as pairs, 0 to 3 in Gray code, and one more.
    synced: DFF<Bit>,
    pairs: DFF<Bits<2>>,
    odd: DFF<Bit>,
    // Stage 3: the pair of half-words that the word completes, and those before it.
    spare: DFF<Bits<16>>,
    pair: DFF<Bits<32>>,
    pair_valid: DFF<Bit>,
    frame_valid: DFF<Bit>,
    loses_s3: DFF<Bit>,
    history: [DFF<Bits<32>>; 3],
    lost: DFF<Bit>,
    losses: SaturatingCounter,
    acquisitions: SaturatingCounter,
    in_frame: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,
    loses: Signal<Local, Bit>,
    low: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<16>>,
}

impl Logic for FrameGenerator {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            valid_s1,
            cut_s1,
            begun,
            sets_s2,
            sets_synced_s2,
            sets_odd_s2,
            cut_s2,
            breaks_s2,
            realigns_s2,
            fails_s2,
            syncs_s2,
            resyncs_s2,
            synced,
            pairs,
            odd,
            spare,
            pair,
            pair_valid,
            frame_valid,
            loses_s3,
            lost
        );
        clock!(self, clock, losses, acquisitions);
        for i in 0..3 {
            self.history[i].clock.next = self.clock.val();
            self.history[i].d.next = self.history[i].q.val();
        }

        // Stage 1.
        self.valid_s1.d.next = self.s_axis_tvalid.val();
        self.cut_s1.d.next = self.s_axis_tuser.val();
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

        // Stage 2. Behind the first half of a full sync only the second one is right.
        self.held[0].next = self.begun.q.val() & !self.cut_s1.q.val();
        self.held[1].next = self.kind_s1[0].q.val() == HalfWord::AllOnes;
        for i in 0..2 {
            self.half_s2[i].clock.next = self.clock.val();
            self.data_s2[i].clock.next = self.clock.val();
            self.adds_s2[i].clock.next = self.clock.val();
            self.half_s2[i].d.next = self.half_s1[i].q.val();
            self.continues[i].next =
                (self.kind_s1[i].q.val() == HalfWord::Data) & !self.held[i].val();
            self.syncs[i].next =
                (self.kind_s1[i].q.val() == HalfWord::HalfSync) & self.held[i].val();
            self.breaks[i].next = (self.kind_s1[i].q.val() == HalfWord::Corrupt)
                | (self.held[i].val() & !self.syncs[i].val());
            self.data_s2[i].d.next = self.continues[i].val() & self.valid_s1.q.val();
            self.adds_s2[i].d.next =
                self.continues[i].val() & self.valid_s1.q.val() & !self.cut_s1.q.val();
        }
        if self.syncs[0].val() | self.breaks[0].val() {
            self.adds_s2[1].d.next = false;
        }
        self.sets_synced_s2.d.next =
            self.syncs[1].val() | (self.syncs[0].val() & !self.breaks[1].val());
        self.sets_odd_s2.d.next = self.continues[1].val();
        self.sets_s2.d.next = false;
        self.cut_s2.d.next = false;
        self.breaks_s2.d.next = false;
        self.realigns_s2.d.next = false;
        self.fails_s2.d.next = false;
        self.syncs_s2.d.next = false;
        self.resyncs_s2.d.next = false;
        if self.valid_s1.q.val() {
            self.begun.d.next = self.kind_s1[1].q.val() == HalfWord::AllOnes;
            self.sets_s2.d.next = self.cut_s1.q.val()
                | self.syncs[0].val()
                | self.breaks[0].val()
                | self.syncs[1].val()
                | self.breaks[1].val();
            self.cut_s2.d.next = self.cut_s1.q.val();
            self.breaks_s2.d.next = self.cut_s1.q.val()
                | self.breaks[0].val()
                | (self.breaks[1].val() & !self.syncs[0].val());
            self.realigns_s2.d.next = !self.cut_s1.q.val()
                & (self.syncs[0].val() | (self.syncs[1].val() & !self.breaks[0].val()));
            self.fails_s2.d.next = self.syncs[0].val() & self.breaks[1].val();
            self.syncs_s2.d.next = self.syncs[0].val() | self.syncs[1].val();
            self.resyncs_s2.d.next = (self.syncs[0].val() & self.cut_s1.q.val())
                | (self.syncs[1].val() & (self.cut_s1.q.val() | self.breaks[0].val()));
        }

        // The state. Out of sync the number of half-words means nothing.
        self.completes.next = (self.adds_s2[0].q.val() & self.adds_s2[1].q.val())
            | (self.odd.q.val() & (self.adds_s2[0].q.val() | self.adds_s2[1].q.val()));
        self.odd.d.next = self.odd.q.val() ^ self.adds_s2[0].q.val() ^ self.adds_s2[1].q.val();
        if self.completes.val() {
            self.pairs.d.next = bits::<2>(0)
                .replace_bit(0, !self.pairs.q.val().get_bit(1))
                .replace_bit(1, self.pairs.q.val().get_bit(0));
        }
        if self.sets_s2.q.val() {
            self.synced.d.next = self.sets_synced_s2.q.val();
            self.odd.d.next = self.sets_odd_s2.q.val();
            self.pairs.d.next = 0.into();
        }

        // Stage 3. The oldest half-word waits in `spare` while the number of them is odd.
        if self.data_s2[0].q.val() {
            self.spare.d.next = self.half_s2[0].q.val();
        }
        if self.data_s2[1].q.val() {
            self.spare.d.next = self.half_s2[1].q.val();
        }
        self.low.next = self.half_s2[0].q.val();
        self.high.next = self.half_s2[1].q.val();
        if self.odd.q.val() {
            self.low.next = self.spare.q.val();
            if self.adds_s2[0].q.val() {
                self.high.next = self.half_s2[0].q.val();
            }
        }
        self.pair.d.next =
            bit_cast::<32, 16>(self.low.val()) | (bit_cast::<32, 16>(self.high.val()) << 16);
        self.pair_valid.d.next = self.synced.q.val() & self.completes.val();
        self.frame_valid.d.next =
            self.synced.q.val() & self.completes.val() & (self.pairs.q.val() == 2);
        if self.pair_valid.q.val() {
            self.history[0].d.next = self.history[1].q.val();
            self.history[1].d.next = self.history[2].q.val();
            self.history[2].d.next = self.pair.q.val();
        }

        self.in_frame.next = self.odd.q.val() | self.pairs.q.val().any();
        self.loses.next = self.synced.q.val()
            & (self.breaks_s2.q.val() | (self.realigns_s2.q.val() & self.in_frame.val()));
        self.losses.amount.next = bits::<3>(0) + self.loses.val() + self.fails_s2.q.val();
        self.acquisitions.amount.next = bits::<3>(0)
            + (self.resyncs_s2.q.val() | (self.syncs_s2.q.val() & !self.synced.q.val()));
        self.losses.reset.next = self.reset.val();
        self.losses.clear.next = self.clear.val();
        self.acquisitions.reset.next = self.reset.val();
        self.acquisitions.clear.next = self.clear.val();

        // A frame comes out with the losses of the words before the one that completes it: none in
        // this word comes before its end.
        self.loses_s3.d.next = self.loses.val() | self.fails_s2.q.val() | self.cut_s2.q.val();
        self.lost.d.next = self.loses_s3.q.val() | (self.lost.q.val() & !self.frame_valid.q.val());

        self.m_frame_tdata.next = bit_cast::<128, 32>(self.history[0].q.val())
            | (bit_cast::<128, 32>(self.history[1].q.val()) << 32)
            | (bit_cast::<128, 32>(self.history[2].q.val()) << 64)
            | (bit_cast::<128, 32>(self.pair.q.val()) << 96);
        self.m_frame_tvalid.next = self.frame_valid.q.val();
        self.m_frame_discontinuity.next = self.lost.q.val();
        self.in_sync.next = self.synced.q.val();
        self.sync_losses.next = self.losses.count.val();
        self.sync_acquisitions.next = self.acquisitions.count.val();

        if self.reset.val() {
            self.valid_s1.d.next = false;
            self.begun.d.next = false;
            self.sets_s2.d.next = false;
            self.cut_s2.d.next = false;
            self.breaks_s2.d.next = false;
            self.realigns_s2.d.next = false;
            self.fails_s2.d.next = false;
            self.syncs_s2.d.next = false;
            self.resyncs_s2.d.next = false;
            self.synced.d.next = false;
            self.pair_valid.d.next = false;
            self.frame_valid.d.next = false;
            self.loses_s3.d.next = false;
            self.lost.d.next = false;
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
    fn a_frame_comes_out_three_cycles_after_its_last_word_without_any_gap() {
        let frames = 50;
        let words = [FSYNC].into_iter().chain((0..4 * frames).map(|n| n << 1));
        let mut uut = generator();
        let found: Vec<bool> = words
            .map(|word| Some((word, false)))
            .chain([None; 2])
            .map(|word| clock(&mut uut, word).is_some())
            .collect();
        // Frame n ends with word 4n + 4, which clock 4n + 4 takes; clock 4n + 6 shows the frame.
        for (index, shown) in found.iter().enumerate() {
            assert_eq!(*shown, index >= 6 && index % 4 == 2, "cycle {index}");
        }
        assert_eq!(found.len(), 4 * frames as usize + 3);
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
