// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BranchEvents`: steps of a walk to branch events, with the branch table of the program.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: the program has not begun; tables stay |
//! | `step[2:0]`, `site[SW-1:0]`, `taken`, `is_call`, `address[61:0]` | in | a [`BranchStep`](super::BranchStep), in every cycle: its site, or its address divided by 4 |
//! | `branch_write`, `write_site[SW-1:0]`, `write_branch[BW-1:0]` | in | a new `BranchWord` of this site |
//! | `page_write[1:0]`, `page_word[63:0]` | in | as of [`Rank`](super::Rank): the frame of a valid word has its page |
//! | `branch_valid` to `instructions[31:0]` | out | an event, see [`BranchPlace`](super::BranchPlace) |
//!
//! `SW` bits of a site, `FW` of a frame, `BW` of a word (`FW` + 41).
//!
//! Latency 8 cycles. Throughput one step per cycle.

use super::branch_step::BRANCH_STEP_W;
use super::{BranchPlace, PageTag};
use coretrace_abi::branch_table::{ADDRESS_BITS, KIND_BITS, OFFSET_BITS, UNIT_BITS};
use coretrace_abi::flow_table::PAGE_NUMBER_BITS;
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use coretrace_hdl_parts::stream::TableMemory;
use rust_hdl::prelude::*;

/// Bits of a word of a site below its frame.
pub const BELOW_FRAME_W: usize = (OFFSET_BITS + KIND_BITS + UNIT_BITS) as usize;
/// Bits of an address.
const ADDRESS_W: usize = ADDRESS_BITS as usize;
/// Bits of the number of a page.
const PAGE_W: usize = PAGE_NUMBER_BITS as usize;

#[derive(LogicBlock)]
pub struct BranchEvents<const SW: usize, const FW: usize, const BW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub step: Signal<In, Bits<BRANCH_STEP_W>>,
    pub site: Signal<In, Bits<SW>>,
    pub taken: Signal<In, Bit>,
    pub is_call: Signal<In, Bit>,
    pub address: Signal<In, Bus<ADDRESS_W>>,
    pub branch_write: Signal<In, Bit>,
    pub write_site: Signal<In, Bits<SW>>,
    pub write_branch: Signal<In, Bits<BW>>,
    pub page_write: Signal<In, Bits<2>>,
    pub page_word: Signal<In, Bits<64>>,
    pub branch_valid: Signal<Out, Bit>,
    pub begins: Signal<Out, Bit>,
    pub pc: Signal<Out, Bus<ADDRESS_W>>,
    pub next_pc: Signal<Out, Bus<ADDRESS_W>>,
    pub kind: Signal<Out, Bits<5>>,
    pub taken_branch: Signal<Out, Bit>,
    pub is_discontinuity: Signal<Out, Bit>,
    pub instructions: Signal<Out, Bits<32>>,
    words: TableMemory<SW, BW>,
    page: FramePage<FW>,
    pages: TableMemory<FW, PAGE_W>,
    place: BranchPlace<BW, 1>,
    word: Signal<Local, Bits<BW>>,
}

impl<const SW: usize, const FW: usize, const BW: usize> Default for BranchEvents<SW, FW, BW> {
    fn default() -> Self {
        assert_eq!((BW, BELOW_FRAME_W), (FW + 41, 41), "a word with its frame");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            step: Default::default(),
            site: Default::default(),
            taken: Default::default(),
            is_call: Default::default(),
            address: Default::default(),
            branch_write: Default::default(),
            write_site: Default::default(),
            write_branch: Default::default(),
            page_write: Default::default(),
            page_word: Default::default(),
            branch_valid: Default::default(),
            begins: Default::default(),
            pc: Default::default(),
            next_pc: Default::default(),
            kind: Default::default(),
            taken_branch: Default::default(),
            is_discontinuity: Default::default(),
            instructions: Default::default(),
            words: Default::default(),
            page: Default::default(),
            pages: Default::default(),
            place: Default::default(),
            word: Default::default(),
        }
    }
}

impl<const SW: usize, const FW: usize, const BW: usize> Logic for BranchEvents<SW, FW, BW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words, pages, place);
        self.words.read_address.next = self.site.val();
        self.words.read_enable.next = true;
        self.words.write_address.next = self.write_site.val();
        self.words.write_data.next = self.write_branch.val();
        self.words.write_enable.next = self.branch_write.val();
        self.word.next = self.words.read_data.val();
        self.pages.read_address.next = self.word.val().get_bits::<FW>(41);
        self.pages.read_enable.next = true;
        self.page.page_write.next = self.page_write.val();
        self.page.page_word.next = self.page_word.val();
        self.pages.write_address.next = self.page.frame.val();
        self.pages.write_data.next = self.page.number.val();
        self.pages.write_enable.next = self.page.write.val();
        self.place.reset.next = self.reset.val();
        self.place.step.next = self.step.val();
        self.place.taken.next = self.taken.val();
        self.place.is_call.next = self.is_call.val();
        self.place.address.next = self.address.val();
        self.place.word.next = self.word.val();
        self.place.page.next = self.pages.read_data.val();
        self.branch_valid.next = self.place.branch_valid.val();
        self.begins.next = self.place.begins.val();
        self.pc.next = self.place.pc.val();
        self.next_pc.next = self.place.next_pc.val();
        self.kind.next = self.place.kind.val();
        self.taken_branch.next = self.place.taken_branch.val();
        self.is_discontinuity.next = self.place.is_discontinuity.val();
        self.instructions.next = self.place.instructions.val();
    }
}

kernel_block! {
    /// The frame of a page word that is written, and the number of its page; `N` bits of a frame.
    pub struct FramePage;
    inputs FramePageInputs { page_write: Bits<2>, page_word: Bits<64>, }
    lane_inputs {}
    outputs FramePageOutputs { write: Bit, frame: Bits<N>, number: Bits<PAGE_W>, }
    lane_outputs {}
    kernel frame_page;
}

fn frame_page<T: Word, const N: usize>(i: FramePageInputs<T::Port, N>) -> FramePageOutputs<T, N> {
    let page = PageTag::<T>::unpack_at(&i.page_word, N);
    FramePageOutputs {
        write: vec![T::field(&i.page_write, 0, 1).and(page.valid)],
        frame: vec![T::field(&i.page_word, 0, N as u32)],
        number: vec![page.number],
    }
}
