// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RegisterStep`: one cycle of the registers of a [`RegisterMap`].
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset` | in | synchronous, active high |
//! | `write_strobe`, `write_index[I-1:0]`, `write_data[31:0]`, `write_strb[3:0]` | in | a write, as from `AxiLite` |
//! | `write_known` | out | there is a word at `write_index` |
//! | `read_index[I-1:0]` | in | which word to read |
//! | `read_data[31:0]`, `read_known` | out | the word, undefined if there is none, and whether there is one |
//! | `snapshot` | in | copies the status of all sampled bits |
//! | `status[Q-1:0]` | in | live and sampled bits and events of all words |
//! | `stored[S-1:0]`, `sampled[Q-1:0]` | in | the registers; of the status bits only the sampled ones have any |
//! | `stored_next[S-1:0]`, `sampled_next[Q-1:0]`, `pulses_next[P-1:0]` | out | the registers after this cycle |
//!
//! The bits of a bus are those of the words in their order, each lowest bit first. Writes to bits
//! that cannot be written change nothing. Combinational; `RegisterBlock` holds the registers.

use super::register_map::{Kind, RegisterMap, RegisterWord, widths};
use coretrace_hdl_dataflow::block::port;
use coretrace_hdl_dataflow::{Bus, Carrier, Symbol, Value, Wide, Word, any, evaluate, join, print};
use rust_hdl::prelude::*;
use std::marker::PhantomData;

/// One cycle of registers; see the module text.
#[derive(LogicBlock)]
pub struct RegisterStep<
    M: RegisterMap,
    const I: usize,
    const S: usize,
    const P: usize,
    const Q: usize,
> {
    pub reset: Signal<In, Bit>,
    pub write_strobe: Signal<In, Bit>,
    pub write_index: Signal<In, Bits<I>>,
    pub write_data: Signal<In, Bits<32>>,
    pub write_strb: Signal<In, Bits<4>>,
    pub write_known: Signal<Out, Bit>,
    pub read_index: Signal<In, Bits<I>>,
    pub read_data: Signal<Out, Bits<32>>,
    pub read_known: Signal<Out, Bit>,
    pub snapshot: Signal<In, Bit>,
    pub status: Signal<In, Bus<Q>>,
    pub stored: Signal<In, Bus<S>>,
    pub sampled: Signal<In, Bus<Q>>,
    pub stored_next: Signal<Out, Bus<S>>,
    pub sampled_next: Signal<Out, Bus<Q>>,
    pub pulses_next: Signal<Out, Bus<P>>,
    /// The inputs last seen: outputs change only when these do.
    _seen: Option<StepInputs<Wide>>,
    _map: PhantomData<M>,
}

impl<M: RegisterMap, const I: usize, const S: usize, const P: usize, const Q: usize> Default
    for RegisterStep<M, I, S, P, Q>
{
    /// # Panics
    /// If the map is unsound, see [`widths`], or its buses have other widths.
    fn default() -> Self {
        let widths = widths(M::WORDS, I);
        let found = (widths.settings, widths.pulses, widths.status);
        assert_eq!(found, (S, P, Q), "the buses of the map have other widths");
        Self {
            reset: Default::default(),
            write_strobe: Default::default(),
            write_index: Default::default(),
            write_data: Default::default(),
            write_strb: Default::default(),
            write_known: Default::default(),
            read_index: Default::default(),
            read_data: Default::default(),
            read_known: Default::default(),
            snapshot: Default::default(),
            status: Default::default(),
            stored: Default::default(),
            sampled: Default::default(),
            stored_next: Default::default(),
            sampled_next: Default::default(),
            pulses_next: Default::default(),
            _seen: None,
            _map: PhantomData,
        }
    }
}

impl<M: RegisterMap, const I: usize, const S: usize, const P: usize, const Q: usize> Logic
    for RegisterStep<M, I, S, P, Q>
{
    fn update(&mut self) {
        let inputs = StepInputs {
            reset: self.reset.val().to_wide(),
            write_strobe: self.write_strobe.val().to_wide(),
            write_index: self.write_index.val().to_wide(),
            write_data: self.write_data.val().to_wide(),
            write_strb: self.write_strb.val().to_wide(),
            read_index: self.read_index.val().to_wide(),
            snapshot: self.snapshot.val().to_wide(),
            status: self.status.val().to_wide(),
            stored: self.stored.val().to_wide(),
            sampled: self.sampled.val().to_wide(),
        };
        if self._seen == Some(inputs) {
            return;
        }
        self._seen = Some(inputs);
        let outputs = register_step::<Value>(M::WORDS, I as u32, &inputs);
        self.write_known.next = Carrier::from_wide(&evaluate(&[outputs.write_known]));
        self.read_data.next = Carrier::from_wide(&evaluate(&[outputs.read_data]));
        self.read_known.next = Carrier::from_wide(&evaluate(&[outputs.read_known]));
        self.stored_next.next = Carrier::from_wide(&evaluate(&outputs.stored_next));
        self.sampled_next.next = Carrier::from_wide(&evaluate(&outputs.sampled_next));
        self.pulses_next.next = Carrier::from_wide(&evaluate(&outputs.pulses_next));
    }

    fn connect(&mut self) {
        self.write_known.connect();
        self.read_data.connect();
        self.read_known.connect();
        self.stored_next.connect();
        self.sampled_next.connect();
        self.pulses_next.connect();
    }

    fn hdl(&self) -> rust_hdl::core::ast::Verilog {
        print(|| {
            let inputs = StepInputs {
                reset: port("reset", None, 1),
                write_strobe: port("write_strobe", None, 1),
                write_index: port("write_index", None, I),
                write_data: port("write_data", None, 32),
                write_strb: port("write_strb", None, 4),
                read_index: port("read_index", None, I),
                snapshot: port("snapshot", None, 1),
                status: port("status", None, Q),
                stored: port("stored", None, S),
                sampled: port("sampled", None, Q),
            };
            let outputs = register_step::<Symbol>(M::WORDS, I as u32, &inputs);
            vec![
                ("write_known".to_owned(), vec![outputs.write_known]),
                ("read_data".to_owned(), vec![outputs.read_data]),
                ("read_known".to_owned(), vec![outputs.read_known]),
                ("stored_next".to_owned(), outputs.stored_next),
                ("sampled_next".to_owned(), outputs.sampled_next),
                ("pulses_next".to_owned(), outputs.pulses_next),
            ]
        })
    }
}

/// What the kernel reads.
#[derive(Clone, Copy, Debug, PartialEq)]
struct StepInputs<P> {
    reset: P,
    write_strobe: P,
    write_index: P,
    write_data: P,
    write_strb: P,
    read_index: P,
    snapshot: P,
    status: P,
    stored: P,
    sampled: P,
}

/// What the kernel drives: the fields of a bus, lowest bits first.
struct StepOutputs<T> {
    write_known: T,
    read_data: T,
    read_known: T,
    stored_next: Vec<T>,
    sampled_next: Vec<T>,
    pulses_next: Vec<T>,
}

fn register_step<T: Word>(
    words: &[RegisterWord],
    index_w: u32,
    i: &StepInputs<T::Port>,
) -> StepOutputs<T> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let (reset, strobe, snapshot) = (bit(&i.reset), bit(&i.write_strobe), bit(&i.snapshot));
    let write_index = T::field(&i.write_index, 0, index_w);
    let read_index = T::field(&i.read_index, 0, index_w);
    let data = T::field(&i.write_data, 0, 32);
    let strb = T::field(&i.write_strb, 0, 4);

    let (mut stored_next, mut sampled_next, mut pulses_next) = (vec![], vec![], vec![]);
    let (mut stored_low, mut status_low) = (0, 0);
    let mut values = Vec::new();
    for word in words {
        let is_written = strobe.and(write_index.is(word.index as u64));
        let mut value = Vec::new();
        for segment in word.segments() {
            let (low, width) = (segment.low, segment.width);
            let constant = |bits: u32| {
                let mask = u32::MAX >> (32 - width);
                T::constant((bits >> low & mask).into(), width)
            };
            let writes = is_written.and(strb.bit(low / 8));
            let written = data.slice(low, width);
            value.push(match segment.kind {
                Kind::Stored => {
                    let held = T::field(&i.stored, stored_low, width);
                    stored_low += width;
                    let next = writes.mux(written, held);
                    stored_next.push(reset.mux(constant(word.reset), next));
                    held
                }
                Kind::Pulse => {
                    pulses_next.push(written.mask(writes.and(reset.not())));
                    constant(0)
                }
                Kind::Event => {
                    pulses_next.push(written.mask(writes.and(reset.not())));
                    let now = T::field(&i.status, status_low, width);
                    status_low += width;
                    sampled_next.push(constant(0));
                    now
                }
                Kind::Sampled => {
                    let now = T::field(&i.status, status_low, width);
                    let held = T::field(&i.sampled, status_low, width);
                    status_low += width;
                    sampled_next.push(snapshot.mux(now, held).mask(reset.not()));
                    held
                }
                Kind::Live => {
                    let now = T::field(&i.status, status_low, width);
                    status_low += width;
                    sampled_next.push(constant(0));
                    now
                }
                Kind::One => constant(u32::MAX),
                Kind::Zero => constant(0),
            });
        }
        values.push((word.index, join(value)));
    }
    let is_known = |index: T| {
        let here: Vec<T> = words
            .iter()
            .map(|word| index.is(word.index as u64))
            .collect();
        any(&here)
    };
    StepOutputs {
        write_known: is_known(write_index),
        read_data: selected(read_index, &values),
        read_known: is_known(read_index),
        stored_next,
        sampled_next,
        pulses_next,
    }
}

/// The value with an index; any of them if none has it. A tree over the bits of the index, which
/// takes fewer levels than a comparison for each value.
fn selected<T: Word>(index: T, values: &[(usize, T)]) -> T {
    if let [(_, value)] = values {
        return *value;
    }
    // The highest bit in which two indices differ.
    let differ = values
        .iter()
        .fold(0, |all, (at, _)| all | (at ^ values[0].0));
    let bit = differ.ilog2();
    let (high, low): (Vec<_>, Vec<_>) = values.iter().partition(|(at, _)| at >> bit & 1 == 1);
    index
        .bit(bit)
        .mux(selected(index, &high), selected(index, &low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::settle;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    /// A word with bits of every kind, one of the samples of a counter, one that can only be read.
    #[derive(Default)]
    struct Mixed;

    impl RegisterMap for Mixed {
        const WORDS: &'static [RegisterWord] = &[
            RegisterWord {
                index: 1,
                stored: 0x00FF_00F0,
                pulses: 0x1100_0003,
                events: 0x0000_3000,
                sampled: 0x0000_0F00,
                live: 0xE000_0000,
                ones: 0x0000_8004,
                reset: 0x00A5_0050,
            },
            RegisterWord {
                index: 5,
                stored: 0,
                pulses: 0,
                events: 0,
                sampled: u32::MAX,
                live: 0,
                ones: 0,
                reset: 0,
            },
            RegisterWord {
                index: 6,
                stored: 0,
                pulses: 0,
                events: 0,
                sampled: 0,
                live: 0x0000_FFFF,
                ones: 0x4321_0000,
                reset: 0,
            },
        ];
    }

    type Uut = RegisterStep<Mixed, 3, 12, 6, 57>;

    /// Puts the bits of each word that a mask has side by side, as they lie on a bus.
    fn packed(values: &[u32; 3], mask: fn(&RegisterWord) -> u32) -> Wide {
        let mut wide = Wide::default();
        let mut low = 0;
        for (value, word) in values.iter().zip(Mixed::WORDS) {
            for bit in (0..32).filter(|bit| mask(word) >> bit & 1 == 1) {
                wide.or_field(low, 1, (value >> bit & 1).into());
                low += 1;
            }
        }
        wide
    }

    fn expand(strb: u8) -> u32 {
        let is_set = |byte: &u32| (strb >> *byte) & 1 == 1;
        (0..4).filter(is_set).map(|byte| 0xFF << (8 * byte)).sum()
    }

    #[test]
    fn every_bit_does_what_its_kind_says_in_any_order() {
        let mut uut = Uut::default();
        uut.connect_all();
        let mut rng = StdRng::seed_from_u64(0);
        let mut held = [0; 3];
        for step in 0..4000 {
            let status: [u32; 3] = rng.random();
            let (strobe, snapshot) = (rng.random_bool(0.5), rng.random_bool(0.2));
            let reset = step == 0 || rng.random_bool(0.02);
            let (index, read) = (rng.random_range(0..8), rng.random_range(0..8));
            let (data, strb) = (rng.random::<u32>(), rng.random_range(0..16_u8));
            uut.reset.next = reset;
            uut.write_strobe.next = strobe;
            uut.write_index.next = u64::from(index).into();
            uut.write_data.next = data.to_bits();
            uut.write_strb.next = strb.to_bits();
            uut.read_index.next = u64::from(read).into();
            uut.snapshot.next = snapshot;
            uut.status.next = Bus(packed(&status, |word| {
                word.live | word.sampled | word.events
            }));
            uut.stored.next = Bus(packed(&held, |word| word.stored));
            let sampled: [u32; 3] =
                std::array::from_fn(|word| held[word] & Mixed::WORDS[word].sampled);
            uut.sampled.next = Bus(packed(&sampled, |word| {
                word.live | word.sampled | word.events
            }));
            settle(&mut uut);

            let place = |index: u32| Mixed::WORDS.iter().position(|w| w.index == index as usize);
            assert_eq!(uut.write_known.val(), place(index).is_some(), "step {step}");
            assert_eq!(uut.read_known.val(), place(read).is_some(), "step {step}");
            if let Some(at) = place(read) {
                let word = &Mixed::WORDS[at];
                let kept = held[at] & (word.stored | word.sampled);
                let expected = kept | (status[at] & (word.live | word.events)) | word.ones;
                assert_eq!(uut.read_data.val().to_u32(), expected, "step {step}");
            }
            for (at, word) in Mixed::WORDS.iter().enumerate() {
                let mut next = held[at] & !(word.pulses | word.events);
                if strobe && place(index) == Some(at) {
                    let mask = expand(strb) & (word.stored | word.pulses | word.events);
                    next = (next & !mask) | (data & mask);
                }
                if snapshot {
                    next = (next & !word.sampled) | (status[at] & word.sampled);
                }
                held[at] = if reset { word.reset } else { next };
            }
            let stored = packed(&held, |word| word.stored);
            assert_eq!(uut.stored_next.val().to_wide(), stored, "step {step}");
            let pulses = packed(&held, |word| word.pulses | word.events);
            assert_eq!(uut.pulses_next.val().to_wide(), pulses, "step {step}");
            let sampled: [u32; 3] =
                std::array::from_fn(|word| held[word] & Mixed::WORDS[word].sampled);
            let sampled = packed(&sampled, |word| word.live | word.sampled | word.events);
            assert_eq!(uut.sampled_next.val().to_wide(), sampled, "step {step}");
        }
    }

    #[test]
    #[should_panic(expected = "other widths")]
    fn buses_of_other_widths_are_refused() {
        RegisterStep::<Mixed, 3, 12, 6, 56>::default();
    }

    #[test]
    fn it_exports() {
        let text = coretrace_hdl_verilog::verilog(Uut::default(), "register_step").unwrap();
        assert!(!text.contains('$'));
    }
}
