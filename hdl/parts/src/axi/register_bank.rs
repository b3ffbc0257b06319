// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RegisterBank`: `W` words of registers, each bit of the kind that its [`RegisterWord`] says.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `write_strobe`, `write_index[I-1:0]`, `write_data[31:0]`, `write_strb[3:0]` | in | a write, as from `AxiLite` |
//! | `write_known` | out | there is a word at `write_index`, in the same cycle |
//! | `read_index[I-1:0]` | in | which word to read |
//! | `read_data[31:0]`, `read_known` | out | the word and whether there is one, a cycle after its index |
//! | `snapshot` | in | copies the status of all sampled bits in this cycle |
//! | `status[i][31:0]` | in | what the live and the sampled bits of word `i` tell |
//! | `value[i][31:0]` | out | what is stored in word `i`; a pulse bit is 1 for one cycle |
//!
//! Writes to bits that cannot be written change nothing. Bits of no kind read 0.
//!
//! Latency of a write 1 cycle to `value`. Throughput one write and one read per cycle.

use rust_hdl::prelude::*;

/// Where a word is and what its bits are. A bit is of one kind at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RegisterWord {
    /// Byte address divided by four.
    pub index: usize,
    /// Bits that keep what is written.
    pub stored: u32,
    /// Bits that are 1 for one cycle when 1 is written, and read 0.
    pub pulses: u32,
    /// Bits that keep their status as of the last snapshot.
    pub sampled: u32,
    /// Bits that read their status now.
    pub live: u32,
    /// Bits that read 1, always.
    pub ones: u32,
    /// What stored bits are after reset.
    pub reset: u32,
}

#[derive(LogicBlock)]
pub struct RegisterBank<const W: usize, const I: usize> {
    pub clock: Signal<In, Clock>,
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
    pub status: [Signal<In, Bits<32>>; W],
    pub value: [Signal<Out, Bits<32>>; W],
    byte: [Constant<Bits<32>>; 4],
    // The words as they are made.
    at: [Constant<Bits<I>>; W],
    writable: [Constant<Bits<32>>; W],
    kept: [Constant<Bits<32>>; W],
    sampled: [Constant<Bits<32>>; W],
    live: [Constant<Bits<32>>; W],
    ones: [Constant<Bits<32>>; W],
    start: [Constant<Bits<32>>; W],
    // What they hold, and which of them is read.
    word: [DFF<Bits<32>>; W],
    selected: [DFF<Bit>; W],
    strobed: [Signal<Local, Bit>; 4],
    found: Signal<Local, Bit>,
    here: [Signal<Local, Bit>; W],
    next: [Signal<Local, Bits<32>>; W],
    mask: [Signal<Local, Bits<32>>; W],
    seen: [Signal<Local, Bits<32>>; W],
    gathered: Signal<Local, Bits<32>>,
    known: Signal<Local, Bit>,
}

impl<const W: usize, const I: usize> RegisterBank<W, I> {
    /// A bank of these words.
    ///
    /// # Panics
    /// If two words have the same index, an index has more than `I` bits, or a bit is of two kinds.
    pub fn new(words: &[RegisterWord; W]) -> Self {
        for (n, word) in words.iter().enumerate() {
            assert!(word.index >> I == 0, "{word:x?} is out of reach");
            let is_alone = words[..n].iter().all(|other| other.index != word.index);
            assert!(is_alone, "{word:x?} is not alone at its index");
            let kinds = [word.stored, word.pulses, word.sampled, word.live, word.ones];
            let count: u32 = kinds.iter().map(|bits| bits.count_ones()).sum();
            let all = kinds.iter().fold(0, |all, bits| all | bits);
            assert_eq!(count, all.count_ones(), "{word:x?} has bits of two kinds");
        }
        let masks =
            |bits: fn(&RegisterWord) -> u32| words.map(|word| Constant::new(bits(&word).to_bits()));
        Self {
            clock: Default::default(),
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
            status: array_init(),
            value: array_init(),
            byte: [0, 8, 16, 24].map(|low| Constant::new((0xFF_u32 << low).to_bits())),
            at: words.map(|word| Constant::new(word.index.to_bits())),
            writable: masks(|word| word.stored | word.pulses),
            kept: masks(|word| word.stored | word.sampled),
            sampled: masks(|word| word.sampled),
            live: masks(|word| word.live),
            ones: masks(|word| word.ones),
            start: masks(|word| word.reset & word.stored),
            word: array_init(),
            selected: array_init(),
            strobed: Default::default(),
            found: Default::default(),
            here: array_init(),
            next: array_init(),
            mask: array_init(),
            seen: array_init(),
            gathered: Default::default(),
            known: Default::default(),
        }
    }
}

/// Plain registers: `W` words in a row that keep what is written, 0 after reset.
impl<const W: usize, const I: usize> Default for RegisterBank<W, I> {
    fn default() -> Self {
        Self::new(&std::array::from_fn(|index| RegisterWord {
            index,
            stored: u32::MAX,
            ..Default::default()
        }))
    }
}

/// An array of any length, which `Default` does not give.
fn array_init<T: Default, const W: usize>() -> [T; W] {
    std::array::from_fn(|_| T::default())
}

impl<const W: usize, const I: usize> Logic for RegisterBank<W, I> {
    #[hdl_gen]
    fn update(&mut self) {
        for b in 0..4 {
            self.strobed[b].next = self.write_strobe.val() & self.write_strb.val().get_bit(b);
        }
        self.found.next = false;
        self.known.next = false;
        self.gathered.next = 0.into();
        for i in 0..W {
            self.word[i].clock.next = self.clock.val();
            self.selected[i].clock.next = self.clock.val();
            self.here[i].next = self.write_index.val() == self.at[i].val();
            self.found.next = self.found.val() | self.here[i].val();
            // Each byte and the sample have a condition of their own, which is the enable of their
            // flip-flops.
            self.next[i].next = self.word[i].q.val() & self.kept[i].val();
            if self.snapshot.val() {
                self.next[i].next = (self.next[i].val() & !self.sampled[i].val())
                    | (self.status[i].val() & self.sampled[i].val());
            }
            for b in 0..4 {
                self.mask[i].next = self.writable[i].val() & self.byte[b].val();
                if self.here[i].val() & self.strobed[b].val() {
                    self.next[i].next = (self.next[i].val() & !self.mask[i].val())
                        | (self.write_data.val() & self.mask[i].val());
                }
            }
            self.word[i].d.next = self.next[i].val();
            if self.reset.val() {
                self.word[i].d.next = self.start[i].val();
            }
            self.value[i].next = self.word[i].q.val();

            self.selected[i].d.next = self.read_index.val() == self.at[i].val();
            self.known.next = self.known.val() | self.selected[i].q.val();
            self.seen[i].next = 0.into();
            if self.selected[i].q.val() {
                self.seen[i].next = (self.word[i].q.val() & self.kept[i].val())
                    | (self.status[i].val() & self.live[i].val())
                    | self.ones[i].val();
            }
            self.gathered.next = self.gathered.val() | self.seen[i].val();
        }
        self.write_known.next = self.found.val();
        self.read_known.next = self.known.val();
        self.read_data.next = self.gathered.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    type Uut = RegisterBank<3, 3>;

    /// A word with bits of every kind, one of the samples of a counter, one that can only be read.
    const WORDS: [RegisterWord; 3] = [
        RegisterWord {
            index: 1,
            stored: 0x00FF_00F0,
            pulses: 0x1100_0003,
            sampled: 0x00_0F00,
            live: 0xE000_0000,
            ones: 0x0000_8004,
            reset: 0x00A5_0050,
        },
        RegisterWord {
            index: 5,
            stored: 0,
            pulses: 0,
            sampled: u32::MAX,
            live: 0,
            ones: 0,
            reset: 0,
        },
        RegisterWord {
            index: 6,
            stored: 0,
            pulses: 0,
            sampled: 0,
            live: 0x0000_FFFF,
            ones: 0x4321_0000,
            reset: 0,
        },
    ];

    fn clock(uut: &mut Uut) {
        cycle(uut, |uut, clock| uut.clock.next = clock);
    }

    fn bank() -> Uut {
        let mut uut = Uut::new(&WORDS);
        uut.connect_all();
        uut.reset.next = true;
        clock(&mut uut);
        uut.reset.next = false;
        uut
    }

    fn expand(strb: u8) -> u32 {
        let is_set = |byte: &u32| (strb >> *byte) & 1 == 1;
        (0..4).filter(is_set).map(|byte| 0xFF << (8 * byte)).sum()
    }

    #[test]
    fn every_bit_obeys_its_access_kind_in_any_order_of_writes_and_snapshots() {
        for seed in 0..10 {
            let mut rng = StdRng::seed_from_u64(seed);
            let mut uut = bank();
            let mut held = WORDS.map(|word| word.reset);
            let mut asked = None;
            for step in 0..400 {
                let place = format!("seed {seed}, step {step}");
                let status: [u32; 3] = rng.random();
                let (strobe, snapshot) = (rng.random_bool(0.5), rng.random_bool(0.2));
                let (index, data, strb) = (
                    rng.random_range(0..8_usize),
                    rng.random::<u32>(),
                    rng.random_range(0..16_u8),
                );
                uut.write_strobe.next = strobe;
                uut.write_index.next = index.to_bits();
                uut.write_data.next = data.to_bits();
                uut.write_strb.next = strb.to_bits();
                uut.snapshot.next = snapshot;
                let read = rng.random_range(0..8_usize);
                uut.read_index.next = read.to_bits();
                for (port, word) in uut.status.iter_mut().zip(status) {
                    port.next = word.to_bits();
                }
                coretrace_hdl_dataflow::sim::settle(&mut uut);

                let is_there = |index| WORDS.iter().any(|word| word.index == index);
                assert_eq!(uut.write_known.val(), is_there(index), "{place}");
                if let Some(asked) = asked {
                    let expected = WORDS.iter().position(|word| word.index == asked).map(|i| {
                        let word = &WORDS[i];
                        (held[i] & (word.stored | word.sampled))
                            | (status[i] & word.live)
                            | word.ones
                    });
                    assert_eq!(uut.read_known.val(), expected.is_some(), "{place}");
                    assert_eq!(
                        uut.read_data.val().to_u32(),
                        expected.unwrap_or(0),
                        "{place}"
                    );
                }
                for (i, word) in WORDS.iter().enumerate() {
                    let mut next = held[i] & !word.pulses;
                    if strobe && word.index == index {
                        let mask = expand(strb) & (word.stored | word.pulses);
                        next = (next & !mask) | (data & mask);
                    }
                    if snapshot {
                        next = (next & !word.sampled) | (status[i] & word.sampled);
                    }
                    held[i] = next;
                }
                asked = Some(read);
                clock(&mut uut);
                let values: Vec<u32> = uut.value.iter().map(|value| value.val().to_u32()).collect();
                assert_eq!(values, held, "{place}");
            }
        }
    }

    #[test]
    fn reset_brings_back_the_first_values() {
        let mut uut = bank();
        uut.write_strobe.next = true;
        uut.write_index.next = 1.into();
        uut.write_data.next = u32::MAX.to_bits();
        uut.write_strb.next = 0xF.into();
        clock(&mut uut);
        assert_eq!(uut.value[0].val().to_u32(), 0x11FF_00F3);
        uut.reset.next = true;
        clock(&mut uut);
        assert_eq!(uut.value[0].val().to_u32(), 0x00A5_0050);
    }

    #[test]
    #[should_panic(expected = "bits of two kinds")]
    fn a_bit_of_two_kinds_is_refused() {
        let word = RegisterWord {
            stored: 3,
            live: 2,
            ..Default::default()
        };
        RegisterBank::<1, 1>::new(&[word]);
    }

    #[test]
    #[should_panic(expected = "not alone")]
    fn two_words_at_one_index_are_refused() {
        RegisterBank::<2, 1>::new(&[RegisterWord::default(); 2]);
    }

    #[test]
    fn it_exports() {
        let text = coretrace_hdl_verilog::verilog(Uut::new(&WORDS), "register_bank").unwrap();
        assert!(!text.contains('$'));
    }
}
