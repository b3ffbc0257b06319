// SPDX-License-Identifier: MIT OR Apache-2.0
//! `NarrowPort`: samples of a trace port of `W` = 1, 2, 4, 8 or 16 bits in, 32-bit words out, as
//! [`FrameGenerator`](super::FrameGenerator) takes them.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `s_axis_tdata[W-1:0]` | in | sample of the port; bits, nibbles and bytes come least significant first |
//! | `s_axis_tvalid` | in | the sample is there; the port waits for nobody, so there is no TREADY |
//! | `m_axis_tdata[31:0]` | out | word, its first sample in the lowest bits |
//! | `m_axis_tvalid` | out | for one cycle |
//! | `m_axis_tuser` | out | discontinuity: the phase changed with this word, which is a full sync |
//! | `sts_aligned` | out | a full sync was found, and words are being put out |
//! | `sts_unaligned[31:0]` | out | samples before the first full sync, saturating |
//! | `sts_slips[31:0]` | out | changes of the phase, saturating |
//!
//! A full sync, 0x7FFFFFFF, is looked for in the last 32 bits at every sample. Nothing else on a port
//! has 31 ones in a row, so it is never found where there is none.
//! - Before the first one there are no words: its samples are the first word, all samples before
//!   it are counted.
//! - Later it must be at a multiple of 16 bits from the last one, because an odd number of half syncs
//!   moves it by 16 bits. There it changes nothing, and the frame generator finds it in one word or
//!   in two. A slip by a multiple of 16 bits, the only kind of a port of 16 bits, is left to it too.
//! - Anywhere else samples were lost or doubled: words are aligned with it from now on. It is put out
//!   with the flag and counted. The words since the slip were put out already, out of phase, and the
//!   samples that were to be the next word come with the sync.
//!
//! The block runs in the clock of the port or behind an `AsyncFifo<W>`. Before an `AsyncFifo<33>` the
//! flag is the bit above the word.
//!
//! Latency 2 cycles from the last sample of a word, 4 to the counters. Throughput one sample per
//! cycle, that is one word in 32 / `W` cycles.
//! Source: Arm IHI 0029, trace port sizes and full sync packets.

use coretrace_coresight::FSYNC;
use coretrace_hdl_parts::stream::SaturatingCounter;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct NarrowPort<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<W>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bits<32>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bit>,
    pub sts_aligned: Signal<Out, Bit>,
    pub sts_unaligned: Signal<Out, Bits<32>>,
    pub sts_slips: Signal<Out, Bits<32>>,
    full_sync: Constant<Bits<32>>,
    /// Bits of a sample, and where the newest one is in the window.
    sample_bits: Constant<Bits<6>>,
    newest_at: Constant<Bits<6>>,
    /// Samples of a word, and the bits of their number that count within 16 bits of the port.
    word_samples: Constant<Bits<6>>,
    half_word_mask: Constant<Bits<6>>,
    // Stage 1: the last 32 bits.
    window: DFF<Bits<32>>,
    valid_s1: DFF<Bit>,
    // Stage 2: how many samples of the window before the newest one no word has, and the word.
    held: DFF<Bits<6>>,
    aligned: DFF<Bit>,
    word_s2: DFF<Bits<32>>,
    valid_s2: DFF<Bit>,
    slip_s2: DFF<Bit>,
    unaligned: SaturatingCounter,
    slips: SaturatingCounter,
    newest: Signal<Local, Bits<32>>,
    samples: Signal<Local, Bits<6>>,
    is_whole: Signal<Local, Bit>,
    is_sync: Signal<Local, Bit>,
    is_first: Signal<Local, Bit>,
    is_slip: Signal<Local, Bit>,
    is_word: Signal<Local, Bit>,
    is_dropped: Signal<Local, Bit>,
}

impl<const W: usize> Default for NarrowPort<W> {
    /// # Panics
    /// If no trace port has the width, which is a mistake at compile time.
    fn default() -> Self {
        assert!(matches!(W, 1 | 2 | 4 | 8 | 16), "no port has {W} bits");
        let number = |number: usize| Constant::new((number as u64).into());
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tvalid: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tuser: Default::default(),
            sts_aligned: Default::default(),
            sts_unaligned: Default::default(),
            sts_slips: Default::default(),
            full_sync: Constant::new(u64::from(FSYNC).into()),
            sample_bits: number(W),
            newest_at: number(32 - W),
            word_samples: number(32 / W),
            half_word_mask: number(16 / W - 1),
            window: Default::default(),
            valid_s1: Default::default(),
            held: Default::default(),
            aligned: Default::default(),
            word_s2: Default::default(),
            valid_s2: Default::default(),
            slip_s2: Default::default(),
            unaligned: Default::default(),
            slips: Default::default(),
            newest: Default::default(),
            samples: Default::default(),
            is_whole: Default::default(),
            is_sync: Default::default(),
            is_first: Default::default(),
            is_slip: Default::default(),
            is_word: Default::default(),
            is_dropped: Default::default(),
        }
    }
}

impl<const W: usize> Logic for NarrowPort<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, window, valid_s1, held, aligned, word_s2, valid_s2, slip_s2
        );
        clock!(self, clock, unaligned, slips);
        self.unaligned.reset.next = self.reset.val();
        self.unaligned.clear.next = false;
        self.slips.reset.next = self.reset.val();
        self.slips.clear.next = false;

        self.valid_s1.d.next = self.s_axis_tvalid.val();
        self.newest.next = bit_cast::<32, W>(self.s_axis_tdata.val()) << self.newest_at.val();
        if self.s_axis_tvalid.val() {
            self.window.d.next =
                self.newest.val() | (self.window.q.val() >> self.sample_bits.val());
        }

        // In search of the first sync, all samples of a full window are held.
        self.samples.next = self.held.q.val() + 1;
        self.is_sync.next = self.valid_s1.q.val() & (self.window.q.val() == self.full_sync.val());
        self.is_whole.next = self.valid_s1.q.val()
            & self.aligned.q.val()
            & (self.samples.val() == self.word_samples.val());
        self.is_first.next = self.is_sync.val() & !self.aligned.q.val();
        self.is_slip.next = self.is_sync.val()
            & self.aligned.q.val()
            & (self.samples.val() & self.half_word_mask.val()).any();
        self.is_word.next = self.is_whole.val() | self.is_first.val() | self.is_slip.val();
        self.is_dropped.next = self.valid_s1.q.val()
            & !self.aligned.q.val()
            & (self.held.q.val() == self.word_samples.val());
        if self.valid_s1.q.val() & !self.is_dropped.val() {
            self.held.d.next = self.samples.val();
        }
        if self.is_word.val() {
            self.held.d.next = 0.into();
            self.aligned.d.next = true;
            self.word_s2.d.next = self.window.q.val();
        }
        self.valid_s2.d.next = self.is_word.val();
        self.slip_s2.d.next = self.is_slip.val();
        self.unaligned.amount.next = bits::<3>(0) + self.is_dropped.val();
        self.slips.amount.next = bits::<3>(0) + self.is_slip.val();

        self.m_axis_tdata.next = self.word_s2.q.val();
        self.m_axis_tvalid.next = self.valid_s2.q.val();
        self.m_axis_tuser.next = self.slip_s2.q.val();
        self.sts_aligned.next = self.aligned.q.val();
        self.sts_unaligned.next = self.unaligned.count.val();
        self.sts_slips.next = self.slips.count.val();

        // Ones from before must not look like a part of the first sync.
        if self.reset.val() {
            self.window.d.next = 0.into();
            self.valid_s1.d.next = false;
            self.held.d.next = 0.into();
            self.aligned.d.next = false;
            self.valid_s2.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FrameGenerator;
    use crate::stimulus::{Pauses, random_words, with_seeds};
    use coretrace_decode::tpiu::{self as model, FrameEvent};
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::RngExt;
    use rand::rngs::StdRng;

    /// Words, each with its flag; samples before the first sync; slips.
    type Outcome = (Vec<(u32, bool)>, u32, u32);

    /// The samples of words.
    fn samples<const W: usize>(words: &[u32]) -> Vec<u16> {
        let parts = |word: &u32| {
            let word = u64::from(*word);
            (0..32 / W).map(move |part| (word >> (part * W) & ((1 << W) - 1)) as u16)
        };
        words.iter().flat_map(parts).collect()
    }

    /// The samples from `end - 32 / W` to `end` as a word.
    fn word<const W: usize>(samples: &[u16], end: usize) -> u32 {
        let above = |word: u64, sample: &u16| word << W | u64::from(*sample);
        samples[end - 32 / W..end].iter().rev().fold(0, above) as u32
    }

    fn model<const W: usize>(samples: &[u16]) -> Outcome {
        let mut words = vec![];
        // Where the first word and the last one ended.
        let (mut first, mut last) = (None, None::<usize>);
        for end in 32 / W..=samples.len() {
            let word = word::<W>(samples, end);
            let is_word = match last {
                None => word == FSYNC,
                Some(last) => end - last == 32 / W,
            };
            let is_slip =
                last.is_some_and(|last| word == FSYNC && !((end - last) * W).is_multiple_of(16));
            if is_word || is_slip {
                words.push((word, is_slip));
                first = first.or(Some(end));
                last = Some(end);
            }
        }
        let unaligned = first.unwrap_or(samples.len()).saturating_sub(32 / W);
        let slips = words.iter().filter(|(_, is_slip)| *is_slip).count();
        (words, unaligned as u32, slips as u32)
    }

    /// One cycle with or without a sample; the word that is there after it.
    fn clock<const W: usize>(uut: &mut NarrowPort<W>, sample: Option<u16>) -> Option<(u32, bool)> {
        uut.s_axis_tvalid.next = sample.is_some();
        // Without a valid sample the last one stays, which must not be taken twice.
        if let Some(sample) = sample {
            uut.s_axis_tdata.next = u64::from(sample).into();
        }
        cycle(uut, |uut, clock| uut.clock.next = clock);
        uut.m_axis_tvalid
            .val()
            .then(|| (uut.m_axis_tdata.val().to_u32(), uut.m_axis_tuser.val()))
    }

    fn port<const W: usize>() -> NarrowPort<W> {
        let mut uut = NarrowPort::default();
        uut.connect_all();
        uut
    }

    fn run<const W: usize>(uut: &mut NarrowPort<W>, samples: &[u16], pauses: Pauses) -> Outcome {
        let cycles = pauses.between(samples.iter().copied()).chain([None; 4]);
        let words = cycles.filter_map(|sample| clock(uut, sample)).collect();
        let count = |count: Bits<32>| count.to_u32();
        (
            words,
            count(uut.sts_unaligned.val()),
            count(uut.sts_slips.val()),
        )
    }

    fn hardware<const W: usize>(samples: &[u16]) -> Outcome {
        run(&mut port::<W>(), samples, Pauses::NONE)
    }

    /// Samples that hold no full sync.
    fn junk<const W: usize>(rng: &mut StdRng, count: usize) -> Vec<u16> {
        let any = (0..count).map(|_| rng.random_range(0..1_u32 << W) as u16);
        let samples: Vec<u16> = any.collect();
        let is_sync = |end| word::<W>(&samples, end) == FSYNC;
        assert!(!(32 / W..=count).any(is_sync));
        samples
    }

    /// Loses and doubles samples, and turns over bits.
    fn slipped<const W: usize>(rng: &mut StdRng, samples: &mut Vec<u16>) {
        for _ in 0..6 {
            let at = rng.random_range(0..samples.len());
            match rng.random_range(0..3) {
                0 => drop(samples.drain(at..(at + rng.random_range(1..5)).min(samples.len()))),
                1 => samples.insert(at, samples[at]),
                _ => samples[at] ^= 1 << rng.random_range(0..W),
            }
        }
    }

    /// A test for each width.
    macro_rules! for_every_width {
        ($test:ident($($argument:expr),*)) => {
            $test::<1>($($argument),*);
            $test::<2>($($argument),*);
            $test::<4>($($argument),*);
            $test::<8>($($argument),*);
            $test::<16>($($argument),*);
        };
    }

    #[test]
    fn it_equals_the_model_on_slipping_ports_with_pauses() {
        fn test<const W: usize>(rng: &mut StdRng) {
            let start = rng.random_range(0..80);
            let mut samples = [
                junk::<W>(rng, start),
                self::samples::<W>(&random_words(rng, 12)),
            ]
            .concat();
            slipped::<W>(rng, &mut samples);
            let found = run(&mut port::<W>(), &samples, Pauses::random(rng));
            assert_eq!(found, model::<W>(&samples), "{W} bits");
        }
        with_seeds(12, |rng| {
            for_every_width!(test(rng));
        });
    }

    #[test]
    fn words_are_those_behind_any_start_phase() {
        fn test<const W: usize>(rng: &mut StdRng) {
            let words = [&[FSYNC, FSYNC][..], &rng.random::<[u32; 3]>()].concat();
            let expected: Vec<_> = words.iter().map(|word| (*word, false)).collect();
            for start in 0..=32 / W {
                let samples = [junk::<W>(rng, start), samples::<W>(&words)].concat();
                let found = hardware::<W>(&samples);
                assert_eq!(found, (expected.clone(), start as u32, 0), "{W} bits");
            }
        }
        with_seeds(1, |rng| {
            for_every_width!(test(rng));
        });
    }

    #[test]
    fn a_sync_across_two_words_carries_the_flag_at_every_phase() {
        fn test<const W: usize>() {
            for lost in 1..32 / W {
                let words = [FSYNC, 0x0302_0120, 0x0706_0504, FSYNC, 0x0B0A_0908];
                let mut samples = samples::<W>(&words);
                // Out of the third word.
                samples.drain(64 / W..64 / W + lost);
                let (found, unaligned, slips) = hardware::<W>(&samples);
                assert_eq!((unaligned, found[0]), (0, (FSYNC, false)));
                let is_slip = lost * W != 16;
                assert_eq!(slips, u32::from(is_slip), "{lost} of {W} bits");
                if is_slip {
                    assert_eq!(found[found.len() - 2..], [(FSYNC, true), (words[4], false)]);
                } else {
                    assert!(found.iter().all(|(_, flag)| !flag));
                }
            }
        }
        test::<1>();
        test::<2>();
        test::<4>();
        test::<8>();
    }

    #[test]
    fn frames_with_lone_half_syncs_pass_narrow_ports_without_a_loss() {
        fn test<const W: usize>(rng: &mut StdRng) {
            let mut half_words = vec![];
            for number in 0..40_u16 {
                half_words.extend(
                    [0xFFFF, 0x7FFF, 0x7FFF]
                        .iter()
                        .skip(number as usize % 3 * 2),
                );
                half_words.extend((0..8).map(|_| rng.random::<u16>() & 0xFFFE));
            }
            half_words.splice(0..0, [0xFFFF, 0x7FFF]);
            let words = crate::stimulus::words(&half_words);
            let mut sync = model::FrameGenerator::new();
            let frames = half_words.iter().filter_map(|half| sync.step(*half));
            let expected: Vec<_> = frames
                .map(|event| match event {
                    FrameEvent::Frame { bytes, .. } => bytes,
                    FrameEvent::Discontinuity { .. } => panic!("nothing is lost"),
                })
                .collect();
            let (found, _, slips) = hardware::<W>(&samples::<W>(&words));
            let mut generator = FrameGenerator::default();
            generator.connect_all();
            let mut frames = vec![];
            for word in found.into_iter().map(Some).chain([None; 4]) {
                generator.s_axis_tvalid.next = word.is_some();
                generator.s_axis_tdata.next = word.map_or(0, |(word, _)| word).to_bits();
                cycle(&mut generator, |uut, clock| uut.clock.next = clock);
                if generator.m_frame_tvalid.val() {
                    frames.push(generator.m_frame_tdata.val().to_u128().to_le_bytes());
                    assert!(!generator.m_frame_discontinuity.val());
                }
            }
            assert_eq!((frames, slips), (expected, 0), "{W} bits");
        }
        with_seeds(2, |rng| {
            for_every_width!(test(rng));
        });
    }

    #[test]
    fn a_word_comes_out_two_cycles_after_its_last_sample_without_any_gap() {
        fn test<const W: usize>() {
            let mut uut = port::<W>();
            let samples = samples::<W>(&[&[FSYNC][..], &[0x1234_5678; 9]].concat());
            for (index, sample) in samples.into_iter().map(Some).chain([None]).enumerate() {
                let is_shown = index > 0 && index % (32 / W) == 0;
                assert_eq!(clock(&mut uut, sample).is_some(), is_shown, "cycle {index}");
            }
        }
        for_every_width!(test());
    }

    #[test]
    fn reset_forgets_the_phase_and_every_bit_before() {
        fn test<const W: usize>() {
            let mut uut = port::<W>();
            // 31 ones and a zero with a reset between them are no sync.
            let sync = samples::<W>(&[FSYNC]);
            run(&mut uut, &samples::<W>(&[FSYNC, 0x20]), Pauses::NONE);
            assert!(uut.sts_aligned.val());
            run(&mut uut, &sync[..sync.len() - 1], Pauses::NONE);
            uut.reset.next = true;
            clock(&mut uut, Some(0));
            uut.reset.next = false;
            assert!(!uut.sts_aligned.val());
            let rest = [&sync[sync.len() - 1..], &samples::<W>(&[0x20, FSYNC, 0x40])].concat();
            let found = run(&mut uut, &rest, Pauses::NONE);
            assert_eq!(found, model::<W>(&rest), "{W} bits");
        }
        for_every_width!(test());
    }

    #[test]
    fn it_exports() {
        fn test<const W: usize>() {
            let text =
                coretrace_hdl_verilog::verilog(NarrowPort::<W>::default(), "narrow_port").unwrap();
            assert!(!text.contains('$'));
        }
        for_every_width!(test());
    }
}
