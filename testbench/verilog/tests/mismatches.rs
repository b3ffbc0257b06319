// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels that rust-hdl's own export silently gets wrong: this export repairs them, as Icarus
//! confirms by replaying a random run. Kernels that are refused instead are in the tests of
//! `coretrace_hdl_verilog`.

// The kernels rely on Rust's precedence on purpose.
#![allow(clippy::precedence)]

use coretrace_test_verilog::cosim::{Simulator, cosim};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rust_hdl::prelude::*;

/// A small generator; each kernel is driven with the same sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    /// A byte that often sits at an end of its range.
    fn byte(&mut self) -> u64 {
        match self.next() % 4 {
            0 => 0xff,
            1 => 0,
            _ => self.next() & 0xff,
        }
    }
}

const SEED: u64 = 0x5eed_e7a4;

/// A combinational block around one kernel, and its replay. The attribute comes from the call,
/// because `self` does.
macro_rules! repaired {
    ($($test:ident $block:ident { $($kernel:tt)* })*) => {$(
        #[derive(LogicBlock, Default)]
        struct $block {
            pub a: Signal<In, Bits<8>>,
            pub b: Signal<In, Bits<8>>,
            pub c: Signal<In, Bits<8>>,
            pub s: Signal<In, Bits<3>>,
            pub k: Signal<In, Bit>,
            pub y: Signal<Out, Bits<8>>,
            pub p: Signal<Out, Bit>,
        }
        impl Logic for $block {
            $($kernel)*
        }
        #[test]
        fn $test() {
            if skip_or_fail(Tool::Icarus) {
                return;
            }
            let mut random = Random(SEED);
            let drive = |uut: &mut $block, _| {
                uut.a.next = random.byte().into();
                uut.b.next = random.byte().into();
                uut.c.next = random.byte().into();
                uut.s.next = (random.next() & 7).into();
                uut.k.next = random.next() & 1 == 1;
            };
            let name = stringify!($test);
            let set_clock: Option<fn(&mut $block, Clock)> = None;
            let outcome = cosim(name, $block::default, 400, drive, set_clock, Simulator::Icarus);
            let outcome = outcome.unwrap_or_else(|error| panic!("seed {SEED:#x}: {error}"));
            assert!(outcome.agrees(), "seed {SEED:#x}: {outcome}");
        }
    )*};
}

repaired! {
    s1_and_beside_a_comparison S1And {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.a.val();
            self.p.next = self.a.val() & self.b.val() == self.c.val();
        }
    }
    s1_or_beside_a_comparison S1Or {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.a.val();
            self.p.next = self.a.val() | self.b.val() != self.c.val();
        }
    }
    s1_xor_beside_a_comparison S1Xor {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.a.val();
            self.p.next = self.a.val() ^ self.b.val() < self.c.val();
        }
    }
    s2_sum_with_a_literal_equals S2Equals {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.a.val();
            self.p.next = self.a.val() + 1 == 0;
        }
    }
    s2_difference_with_a_literal_is_greater S2Greater {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.a.val();
            self.p.next = self.c.val() - 1 > self.b.val();
        }
    }
    s2_sum_shifted_right S2Shift {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = true;
            self.y.next = (self.a.val() + self.b.val() + 1) >> 1;
        }
    }
    s3_inversion_equals S3 {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.a.val();
            self.p.next = !self.a.val() == 0;
        }
    }
    s4_sum_as_a_shift_amount S4 {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = true;
            self.y.next = self.a.val() << (self.s.val() + 1);
        }
    }
    s5_sum_is_widened S5 {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = (bit_cast::<9, 8>(self.a.val() + self.b.val()) >> 8).any();
            self.y.next = self.a.val();
        }
    }
    s6_narrowed_signals_are_added S6Add {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = bit_cast::<4, 8>(self.a.val()) + bit_cast::<4, 8>(self.b.val())
                > bit_cast::<4, 8>(self.c.val());
            self.y.next = self.a.val();
        }
    }
    s6_narrowed_signal_is_inverted S6Not {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = bit_cast::<4, 8>(self.a.val()).all();
            self.y.next = bit_cast::<8, 4>(!bit_cast::<4, 8>(self.a.val()));
        }
    }
    s6_narrowed_sum_is_shifted S6Sum {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = bit_cast::<4, 8>(!(self.a.val() + self.k.val()) | 0x91).all();
            self.y.next = bit_cast::<8, 4>(bit_cast::<4, 8>(self.a.val() + self.b.val() + 1) >> 1);
        }
    }
    s7_inverted_flag_is_added S7Add {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = true;
            self.y.next = self.a.val() + !self.k.val();
        }
    }
    s7_inverted_flag_is_widened S7Cast {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = true;
            self.y.next = bit_cast::<8, 1>((!self.k.val()).into());
        }
    }
    s14_constant_slice_past_the_top S14 {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = true;
            self.y.next = self.a.val().get_bits::<8>(5);
        }
    }
    shift_left_then_right ShiftBack {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = true;
            self.y.next = ((self.a.val() << 4) | 1) >> 4;
        }
    }
    shift_by_a_wide_amount WideShift {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = (self.b.val() >> self.a.val()).any();
            self.y.next = self.a.val() << self.b.val();
        }
    }
    sum_binds_before_shift SumShift {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = true;
            self.y.next = self.a.val() + self.b.val() << 2;
        }
    }
    selects_by_a_signal Select {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = self.a.val().get_bit(self.s.val().index());
            self.y.next = self.b.val().replace_bit(self.s.val().index(), self.k.val());
        }
    }
    reductions_of_expressions Reduce {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = !(self.a.val() | self.b.val()).all() & (self.a.val() & self.c.val()).xor();
            self.y.next = self.a.val();
        }
    }
    constants_only Constants {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = 0xA5.into();
            self.p.next = true;
        }
    }
    a_match_with_hexadecimal_labels Labels {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = false;
            self.y.next = self.a.val();
            match self.s.val().index() {
                0x1 => { self.y.next = self.b.val(); }
                0b0_10 => { self.p.next = self.k.val(); }
                _ => {}
            }
        }
    }
    a_match_on_a_flag Flag {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = false;
            match self.k.val() {
                true => { self.y.next = self.b.val(); }
                false => { self.y.next = self.c.val(); }
            }
        }
    }
    a_signal_is_read_between_two_assignments Between {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.a.val();
            self.p.next = self.y.val().get_bit(0);
            self.y.next = self.b.val();
        }
    }
    an_output_is_built_in_a_loop Loop {
        #[hdl_gen]
        fn update(&mut self) {
            self.p.next = false;
            self.y.next = self.c.val();
            for i in 0..8 {
                if self.a.val().get_bit(i) & self.b.val().get_bit(7 - i) {
                    self.y.next = self.y.val() + 1;
                }
            }
        }
    }
}

/// A constant from a sub-block.
#[derive(LogicBlock, Default)]
struct Three {
    pub value: Signal<Out, Bits<2>>,
}

impl Logic for Three {
    #[hdl_gen]
    fn update(&mut self) {
        self.value.next = 3.into();
    }
}

#[derive(LogicBlock, Default)]
struct FromConstant {
    pub y: Signal<Out, Bit>,
    pub z: Signal<Out, Bits<2>>,
    three: Three,
}

impl Logic for FromConstant {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = false;
        self.z.next = 0.into();
        if self.three.value.val() == 3 {
            self.y.next = true;
            self.z.next = self.three.value.val();
        }
    }
}

#[test]
fn a_process_that_reads_constant_nets_runs() {
    if skip_or_fail(Tool::Icarus) {
        return;
    }
    let set_clock: Option<fn(&mut FromConstant, Clock)> = None;
    let outcome = cosim(
        "from_constant",
        FromConstant::default,
        2,
        |_, _| {},
        set_clock,
        Simulator::Icarus,
    );
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(outcome.agrees(), "{outcome}");
}

/// An enum that leaves one code unused.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Turn {
    Left,
    Ahead,
    Right,
}

#[derive(LogicBlock, Default)]
struct Memories {
    pub clock: Signal<In, Clock>,
    pub address: Signal<In, Bits<4>>,
    pub data: Signal<In, Bits<8>>,
    pub write: Signal<In, Bit>,
    pub ram_data: Signal<Out, Bits<8>>,
    pub rom_data: Signal<Out, Bits<8>>,
    pub right: Signal<Out, Bit>,
    ram: RAM<Bits<8>, 4>,
    rom: SparseRom,
    turn: DFF<Turn>,
}

#[derive(LogicBlock)]
struct SparseRom {
    pub clock: Signal<In, Clock>,
    pub address: Signal<In, Bits<4>>,
    pub data: Signal<Out, Bits<8>>,
    rom: SyncROM<Bits<8>, 4>,
}

impl Default for SparseRom {
    fn default() -> Self {
        let words = (0..10u64).map(|n| Bits::from(3 * n + 1));
        SparseRom {
            clock: Signal::default(),
            address: Signal::default(),
            data: Signal::default(),
            rom: words.into(),
        }
    }
}

impl Logic for SparseRom {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rom);
        self.rom.address.next = self.address.val();
        self.data.next = self.rom.data.val();
    }
}

impl Logic for Memories {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rom);
        dff_setup!(self, clock, turn);
        self.ram.read_clock.next = self.clock.val();
        self.ram.write_clock.next = self.clock.val();
        self.ram.read_address.next = self.address.val();
        self.ram.write_address.next = self.address.val();
        self.ram.write_data.next = self.data.val();
        self.ram.write_enable.next = self.write.val();
        self.rom.address.next = self.address.val();
        self.ram_data.next = self.ram.read_data.val();
        self.rom_data.next = self.rom.data.val();
        self.right.next = self.turn.q.val() == Turn::Right;
        match self.turn.q.val() {
            Turn::Left => {
                self.turn.d.next = Turn::Ahead;
            }
            Turn::Ahead => {
                if self.write.val() {
                    self.turn.d.next = Turn::Right;
                }
            }
            Turn::Right => {
                self.turn.d.next = Turn::Left;
            }
        }
    }
}

#[test]
fn s13_memories_start_at_zero_where_nothing_is_given() {
    if skip_or_fail(Tool::Icarus) {
        return;
    }
    let mut random = Random(SEED);
    let drive = |uut: &mut Memories, _| {
        uut.address.next = (random.next() & 15).into();
        uut.data.next = random.byte().into();
        uut.write.next = random.next() & 3 == 0;
    };
    let set_clock = Some(|uut: &mut Memories, clock| uut.clock.next = clock);
    let outcome = cosim(
        "memories",
        Memories::default,
        400,
        drive,
        set_clock,
        Simulator::Icarus,
    );
    let outcome = outcome.unwrap_or_else(|error| panic!("seed {SEED:#x}: {error}"));
    assert!(outcome.agrees(), "seed {SEED:#x}: {outcome}");
}
