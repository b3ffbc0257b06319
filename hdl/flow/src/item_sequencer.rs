// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ItemSequencer`: rows in, their items out, one per cycle, an address and its atoms in one.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: the row is discarded |
//! | `source` | in | [`SourceSettings`](coretrace_hdl_etm::SourceSettings): TRCIDR8 is the speculation depth of the trace unit; steady |
//! | `row_valid`, `row` | in | the oldest row of an [`ItemFifo`](super::ItemFifo), which has an item |
//! | `row_ready` | out | it is taken in this cycle |
//! | `ready` | in | an item may go out |
//! | `asks` | in | the counters are to be read: until `asked` |
//! | `asked` | out | in this cycle the item `ReadOut` goes out, behind the last item of a row |
//! | `item` | out | [`Item`](super::Item); that of a cycle without one is `Nothing` |
//! | `address[63:0]`, `isa[1:0]`, `space[3:0]` | out | of an address |
//!
//! A row has up to nine items: a gap in front, and each packet with one, or two if it is a Q packet
//! with an address.
//!
//! Most addresses come between two packets of atoms. Such an address goes out with the atoms behind it, if
//! these are the next item of its row and atoms that end with an E or cycles come before it, so that nothing waits in
//! [`Merge`](super::Merge). With speculation each goes out alone: any of them may be taken back.
//!
//! Latency 2 cycles. Throughput one item per cycle: a row is taken in the cycle of the last item of
//! the row before.

use super::item::{ITEM_W, Item, ItemKind, KIND_W};
use super::item_fifo::{ITEM_ROW_W, ROW_ITEMS, ROW_ITEMS_W, RowEnds, ends_clear, has_item};
use super::packet_items::{PACKET_ITEM_W, PacketItem};
use coretrace_abi::flow_table::{ISA_BITS, LostReason, SPACE_BITS};
use coretrace_hdl_dataflow::{
    Bus, Word, all, join, kernel_block, named, priority_mux, without_lowest,
};
use coretrace_hdl_etm::{SOURCE_SETTINGS_W, SourceSettings};
use rust_hdl::prelude::*;

/// Items of a row, at most: a gap, and two of each packet.
const MOST_ITEMS: usize = 1 + 2 * ROW_ITEMS;
const ISA_W: usize = ISA_BITS as usize;
const SPACE_W: usize = SPACE_BITS as usize;

#[derive(LogicBlock, Default)]
pub struct ItemSequencer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub source: Signal<In, Bus<SOURCE_SETTINGS_W>>,
    pub row_valid: Signal<In, Bit>,
    pub row: Signal<In, Bus<ITEM_ROW_W>>,
    pub row_ready: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
    pub asks: Signal<In, Bit>,
    pub asked: Signal<Out, Bit>,
    pub item: Signal<Out, Bus<ITEM_W>>,
    pub address: Signal<Out, Bus<64>>,
    pub isa: Signal<Out, Bits<ISA_W>>,
    pub space: Signal<Out, Bits<SPACE_W>>,
    step: ItemStep<1>,
    /// The row, and those of its items that have not gone out.
    held: DFF<Bus<ITEM_ROW_W>>,
    waiting: DFF<Bits<MOST_ITEMS>>,
    /// One of them, and more than one: whether a row is taken must not wait for a count.
    is_some: DFF<Bit>,
    is_many: DFF<Bit>,
    /// No element is speculative: settings are steady, so that it may come a cycle late.
    is_final: DFF<Bit>,
    /// Addresses that go out with atoms, these atoms, and whether an address may do so that comes first
    /// in the next row.
    folded: DFF<Bits<ROW_ITEMS>>,
    folds: DFF<Bits<ROW_ITEMS>>,
    is_clear: DFF<Bit>,
    item_s2: DFF<Bus<ITEM_W>>,
    address_s2: DFF<Bus<64>>,
    isa_s2: DFF<Bits<ISA_W>>,
    space_s2: DFF<Bits<SPACE_W>>,
}

impl Logic for ItemSequencer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, held, waiting, is_some, is_many, is_final, folded, folds, is_clear,
            item_s2, address_s2, isa_s2, space_s2
        );
        self.step.source.next = self.source.val();
        self.step.reset.next = self.reset.val();
        self.step.row_valid.next = self.row_valid.val();
        self.step.row.next = self.row.val();
        self.step.held.next = self.held.q.val();
        self.step.waiting.next = self.waiting.q.val();
        self.step.is_some.next = self.is_some.q.val();
        self.step.is_many.next = self.is_many.q.val();
        self.step.is_final.next = self.is_final.q.val();
        self.step.folded.next = self.folded.q.val();
        self.step.folds.next = self.folds.q.val();
        self.step.is_clear.next = self.is_clear.q.val();
        self.step.ready.next = self.ready.val();
        self.step.asks.next = self.asks.val();
        self.asked.next = self.step.asked.val();
        self.row_ready.next = self.step.takes.val();
        if self.step.takes.val() {
            self.held.d.next = self.row.val();
            self.folds.d.next = self.step.folds_next.val();
        }
        self.folded.d.next = self.step.folded_next.val();
        self.is_clear.d.next = self.step.is_clear_next.val();
        self.waiting.d.next = self.step.waiting_next.val();
        self.is_some.d.next = self.step.some_next.val();
        self.is_many.d.next = self.step.many_next.val();
        self.is_final.d.next = self.step.final_next.val();
        self.item_s2.d.next = self.step.item.val();
        self.address_s2.d.next = self.step.address.val();
        self.isa_s2.d.next = self.step.isa.val();
        self.space_s2.d.next = self.step.space.val();
        self.item.next = self.item_s2.q.val();
        self.address.next = self.address_s2.q.val();
        self.isa.next = self.isa_s2.q.val();
        self.space.next = self.space_s2.q.val();
    }
}

kernel_block! {
    /// The next item of a row, and what is left then.
    pub struct ItemStep;
    inputs ItemStepInputs {
        reset: Bit,
        source: Bus<SOURCE_SETTINGS_W>,
        row_valid: Bit,
        row: Bus<ITEM_ROW_W>,
        held: Bus<ITEM_ROW_W>,
        waiting: Bits<MOST_ITEMS>,
        is_some: Bit,
        is_many: Bit,
        is_final: Bit,
        folded: Bits<ROW_ITEMS>,
        folds: Bits<ROW_ITEMS>,
        is_clear: Bit,
        ready: Bit,
        asks: Bit,
    }
    lane_inputs {}
    outputs ItemStepOutputs {
        takes: Bit,
        asked: Bit,
        waiting_next: Bits<MOST_ITEMS>,
        some_next: Bit,
        many_next: Bit,
        final_next: Bit,
        folded_next: Bits<ROW_ITEMS>,
        folds_next: Bits<ROW_ITEMS>,
        is_clear_next: Bit,
        item: Bus<ITEM_W>,
        address: Bus<64>,
        isa: Bits<ISA_W>,
        space: Bits<SPACE_W>,
    }
    lane_outputs {}
    kernel item_step;
}

/// The packets of a row, and what is in front of them.
fn parts<T: Word>(row: &T::Port) -> (Vec<PacketItem<T>>, RowEnds<T>) {
    let item = |lane| PacketItem::unpack_at(row, lane * PACKET_ITEM_W);
    let items = (0..ROW_ITEMS).map(item).collect();
    (items, RowEnds::unpack_at(row, ROW_ITEMS_W))
}

/// By packet: the addresses of a row that go out with atoms, and these atoms. `is_clear`: nothing waits in
/// front of the row; `is_final`: there is no speculation.
fn folds<T: Word>(
    packets: &[PacketItem<T>],
    ends: &RowEnds<T>,
    is_clear: T,
    is_final: T,
) -> (Vec<T>, Vec<T>) {
    let some = |lanes: std::ops::Range<usize>| {
        let none = T::constant(0, 1);
        lanes.fold(none, |some, lane| some.or(has_item(&packets[lane])))
    };
    let folded = (0..packets.len()).map(|lane| {
        let is_clear = is_clear.or(some(0..lane));
        all(&[ends.folded.bit(lane as u32), is_clear, is_final])
    });
    let folded: Vec<T> = folded.collect();
    let folds = (0..packets.len()).map(|lane| {
        let is_behind = |first: usize| folded[first].and(some(first + 1..lane).not());
        let none = T::constant(0, 1);
        let any = (0..lane).fold(none, |any, first| any.or(is_behind(first)));
        has_item(&packets[lane]).and(any)
    });
    let folds = folds.collect();
    (folded, folds)
}

/// Whether nothing waits behind the last item of a row.
fn row_ends_clear<T: Word>(packets: &[PacketItem<T>]) -> T {
    let none = T::constant(0, 1);
    packets
        .iter()
        .fold(none, |clear, of| has_item(of).mux(ends_clear(of), clear))
}

#[named]
fn item_step<T: Word, const N: usize>(i: ItemStepInputs<T::Port, N>) -> ItemStepOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let (live, ready, asks) = (bit(&i.reset).not(), bit(&i.ready), bit(&i.asks));
    let (is_some, is_many) = (bit(&i.is_some), bit(&i.is_many));
    let waiting = T::field(&i.waiting, 0, MOST_ITEMS as u32);
    let folded = T::field(&i.folded, 0, ROW_ITEMS as u32);
    let held_folds = T::field(&i.folds, 0, ROW_ITEMS as u32);
    let is_clear = bit(&i.is_clear);
    let constant = |item: Item<u64>| T::constant(item.number(), ITEM_W as u32);

    // The items of the next row, the oldest in bit 0.
    let (packets, ends) = parts::<T>(&i.row);
    let begins_with_gap = ends.gap.or(ends.dropped);
    let is_final = bit(&i.is_final);
    let (new_folded, new_folds) = folds(&packets, &ends, is_clear, is_final);
    let is_one = all(&[ends.is_pair, is_clear, is_final]).or(ends.is_single);
    let lanes = packets.iter().zip(&new_folded);
    let items = lanes.fold(begins_with_gap, |set, (of, folded)| {
        let kind = Item::split(of.item).kind;
        let is_q = kind.is(ItemKind::Q as u64);
        let behind = is_q.and(of.has_address);
        let goes = kind.any().and(folded.not());
        behind.concat(goes).concat(set)
    });

    // The oldest one goes out.
    let (held, held_ends) = parts::<T>(&i.held);
    let dropped = constant(Item::gap(LostReason::Dropped as u8));
    let gap = held_ends
        .dropped
        .mux(dropped, constant(Item::gap(LostReason::BadPacket as u8)));
    let mut cases = vec![(waiting.bit(0), gap)];
    for (lane, of) in held.iter().enumerate() {
        let place = 1 + 2 * lane as u32;
        let kind = T::constant(ItemKind::AddressAndAtoms as u64, KIND_W as u32);
        let atoms = Item {
            kind: held_folds
                .bit(lane as u32)
                .mux(kind, Item::split(of.item).kind),
            ..Item::split(of.item)
        };
        cases.push((waiting.bit(place), join(atoms.pack())));
        let address = constant(Item::of(ItemKind::Address));
        cases.push((waiting.bit(place + 1), address));
    }
    let goes = ready.and(is_some.or(asks));
    let asked = all(&[ready, asks, is_some.not(), live]);
    let item = priority_mux(&cases, constant(Item::of(ItemKind::ReadOut)));
    let waits_up_to = |lane: usize| waiting.slice(0, 3 + 2 * lane as u32).any();
    let of_lane = |field: &dyn Fn(&PacketItem<T>) -> T| {
        let is_here = |lane: usize| waits_up_to(lane).or(folded.slice(0, lane as u32 + 1).any());
        let last = ROW_ITEMS - 1;
        let cases = (0..last).map(|lane| (is_here(lane), field(&held[lane])));
        priority_mux(&cases.collect::<Vec<(T, T)>>(), field(&held[last]))
    };
    let is_free = is_some.not().or(ready.and(is_many.not()));
    let takes = all(&[bit(&i.row_valid), is_free, asks.not(), live]);
    let stays = ready.mux(without_lowest(waiting), waiting);
    let still_some = ready.mux(is_many, is_some);
    let still_many = without_lowest(stays).any();
    let folded_stays = (0..ROW_ITEMS).map(|lane| {
        let goes = ready.and(waits_up_to(lane).not());
        folded.bit(lane as u32).and(goes.not())
    });
    let folded_next = takes.mux(join(new_folded), join(folded_stays));
    ItemStepOutputs {
        takes: vec![takes],
        asked: vec![asked],
        waiting_next: vec![takes.mux(items, stays).mask(live)],
        some_next: vec![takes.or(still_some).mask(live)],
        many_next: vec![takes.mux(is_one.not(), still_many).mask(live)],
        final_next: vec![SourceSettings::<T>::unpack(&i.source).trcidr8.any().not()],
        folded_next: vec![folded_next.mask(live)],
        folds_next: vec![join(new_folds)],
        is_clear_next: vec![
            takes
                .mux(row_ends_clear(&packets), is_clear.and(asked.not()))
                .mask(live),
        ],
        item: vec![item.mask(goes)],
        address: vec![of_lane(&|of| of.address)],
        isa: vec![of_lane(&|of| of.isa)],
        space: vec![of_lane(&|of| of.space)],
    }
}
