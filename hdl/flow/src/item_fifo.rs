// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ItemFifo`: rows of items wait for the walker, in block RAM of 2^A places.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: discard all rows, clear the count |
//! | `any`, `gap`, `items[4]` | in | a row, as [`PacketItems`](super::PacketItems) makes it; there is no TREADY |
//! | `row_valid`, `row` | out | the oldest row: four [`PacketItem`](super::PacketItem), then [`RowEnds`] |
//! | `row_ready` | in | it is taken in this cycle |
//! | `level[A-1:0]` | out | rows that wait |
//! | `dropped_atoms[31:0]` | out | atoms of the rows that were dropped, saturating |
//!
//! The memory holds 2^A - 1 rows. A row that finds it full is dropped, and so are those behind it
//! until half of the places are free: what overruns a FIFO for long comes out as long stretches, not
//! as rows with a hole behind each. The next row says so.
//!
//! Latency 2 cycles, 4 to the count. Throughput one row per cycle.

use super::item::{Item, ItemKind};
use super::packet_items::{PACKET_ITEM_W, PacketItem};
use coretrace_hdl_dataflow::{
    Bus, Word, all, any, clocked_block, join, kernel_block, layout, named,
};
use coretrace_hdl_parts::stream::{SaturatingCounter, SyncFifo};
use rust_hdl::prelude::*;

/// Items of a row.
pub const ROW_ITEMS: usize = 4;

layout! {
    /// What is in front of the items of a row, and what is known of them in front of the memory, which is slow.
    pub struct RowEnds {
        /// Bytes were lost: what came before does not go on.
        gap: 1,
        /// Rows were dropped.
        dropped: 1,
        /// There is one item: a gap, or a packet with one.
        is_single: 1,
        /// There are an address and the atoms behind it.
        is_pair: 1,
        /// Packets that are an address which may go out with the atoms behind it, if nothing waits in front of
        /// the row.
        folded: ROW_ITEMS,
    }
}

/// Bits of the items of a row.
pub const ROW_ITEMS_W: usize = ROW_ITEMS * PACKET_ITEM_W;
/// Bits of a row.
pub const ITEM_ROW_W: usize = ROW_ITEMS_W + RowEnds::WIDTH;
/// Bits of the number of atoms of a row: at most 24 in each packet.
const AMOUNT_W: usize = 7;

#[derive(LogicBlock)]
pub struct ItemFifo<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub any: Signal<In, Bit>,
    pub gap: Signal<In, Bit>,
    pub items: [Signal<In, Bus<PACKET_ITEM_W>>; ROW_ITEMS],
    pub row_valid: Signal<Out, Bit>,
    pub row: Signal<Out, Bus<ITEM_ROW_W>>,
    pub row_ready: Signal<In, Bit>,
    pub level: Signal<Out, Bits<A>>,
    pub dropped_atoms: Signal<Out, Bits<32>>,
    to_row: JoinRow<ROW_ITEMS>,
    atoms: RowAtoms<ROW_ITEMS, 1>,
    rows: SyncFifo<ITEM_ROW_W, A>,
    dropped: SaturatingCounter<AMOUNT_W>,
    waiting: DFF<Bits<A>>,
    lost: DFF<Bit>,
    has_room: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    top: Constant<Bits<A>>,
}

impl<const A: usize> Default for ItemFifo<A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            any: Default::default(),
            gap: Default::default(),
            items: Default::default(),
            row_valid: Default::default(),
            row: Default::default(),
            row_ready: Default::default(),
            level: Default::default(),
            dropped_atoms: Default::default(),
            to_row: Default::default(),
            atoms: Default::default(),
            rows: Default::default(),
            dropped: Default::default(),
            waiting: Default::default(),
            lost: Default::default(),
            has_room: Default::default(),
            stores: Default::default(),
            drops: Default::default(),
            takes: Default::default(),
            top: Constant::new((1_u64 << (A - 1)).into()),
        }
    }
}

impl<const A: usize> Logic for ItemFifo<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, atoms, rows, dropped);
        dff_setup!(self, clock, waiting, lost);
        // Behind a loss comes a stretch that is worth having.
        self.has_room.next = !self.waiting.q.val().all()
            & !(self.lost.q.val() & (self.waiting.q.val() & self.top.val()).any());
        self.stores.next = self.any.val() & self.has_room.val();
        self.drops.next = self.any.val() & !self.has_room.val();
        if self.drops.val() {
            self.lost.d.next = true;
        }
        if self.stores.val() {
            self.lost.d.next = false;
        }
        self.to_row.gap.next = self.gap.val();
        self.to_row.dropped.next = self.lost.q.val();
        self.atoms.drops.next = self.drops.val();
        for lane in 0..4 {
            self.to_row.items[lane].next = self.items[lane].val();
            self.atoms.items[lane].next = self.items[lane].val();
        }
        self.rows.reset.next = self.reset.val();
        self.rows.write_data.next = self.to_row.row.val();
        self.rows.write_valid.next = self.stores.val();
        self.rows.m_axis_tready.next = self.row_ready.val();
        self.row_valid.next = self.rows.m_axis_tvalid.val();
        self.row.next = self.rows.m_axis_tdata.val();

        self.takes.next = self.rows.m_axis_tvalid.val() & self.row_ready.val();
        if self.stores.val() & !self.takes.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        }
        if self.takes.val() & !self.stores.val() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        self.level.next = self.waiting.q.val();

        self.dropped.reset.next = self.reset.val();
        self.dropped.clear.next = false;
        self.dropped.amount.next = self.atoms.amount.val();
        self.dropped_atoms.next = self.dropped.count.val();
        if self.reset.val() {
            self.waiting.d.next = 0.into();
            self.lost.d.next = false;
        }
    }
}

kernel_block! {
    /// `N` items and what is in front of them as a row.
    pub struct JoinRow;
    inputs JoinInputs { gap: Bit, dropped: Bit, }
    lane_inputs { items: Bus<PACKET_ITEM_W>, }
    outputs JoinOutputs { row: Bus<ITEM_ROW_W>, }
    lane_outputs {}
    kernel join_row;
}

#[named]
fn join_row<T: Word, const N: usize>(i: JoinInputs<T::Port, N>) -> JoinOutputs<T, N> {
    let (gap, dropped) = (T::field(&i.gap, 0, 1), T::field(&i.dropped, 0, 1));
    let packets: Vec<PacketItem<T>> = i.items.iter().map(PacketItem::<T>::unpack).collect();
    let begins_with_gap = gap.or(dropped);
    let ends = RowEnds {
        gap,
        dropped,
        is_single: begins_with_gap.mux(only(&packets, &[]), is_single(&packets)),
        is_pair: is_pair(&packets).and(begins_with_gap.not()),
        folded: join(folded(&packets, begins_with_gap.not())),
    };
    let mut row: Vec<T> = packets.into_iter().flat_map(PacketItem::pack).collect();
    row.extend(ends.pack());
    JoinOutputs { row }
}

fn is<T: Word>(packet: &PacketItem<T>, kind: ItemKind) -> T {
    Item::split(packet.item).kind.is(kind as u64)
}

/// Whether a packet has an item.
pub(super) fn has_item<T: Word>(packet: &PacketItem<T>) -> T {
    Item::split(packet.item).kind.any()
}

/// Whether nothing waits behind an item: atoms that end with an E, or cycles.
pub(super) fn ends_clear<T: Word>(packet: &PacketItem<T>) -> T {
    let ends_taken = is(packet, ItemKind::Atoms).and(Item::split(packet.item).tail.any().not());
    ends_taken.or(is(packet, ItemKind::Cycles))
}

/// No packet has an item but these.
fn only<T: Word>(packets: &[PacketItem<T>], kept: &[usize]) -> T {
    let others = (0..packets.len()).filter(|lane| !kept.contains(lane));
    any(&others
        .map(|lane| has_item(&packets[lane]))
        .collect::<Vec<T>>())
    .not()
}

/// One packet has an item, and no second one: those have a Q element with an address.
fn is_single<T: Word>(packets: &[PacketItem<T>]) -> T {
    let singles = packets.iter().enumerate().map(|(lane, of)| {
        let has_two = is(of, ItemKind::Q).and(of.has_address);
        all(&[has_item(of), has_two.not(), only(packets, &[lane])])
    });
    any(&singles.collect::<Vec<T>>())
}

/// Two packets have an item: an address, and atoms.
fn is_pair<T: Word>(packets: &[PacketItem<T>]) -> T {
    let lanes = packets.len();
    let pairs = (0..lanes).flat_map(|last| (0..last).map(move |first| (first, last)));
    let pairs = pairs.map(|(first, last)| {
        let address = is(&packets[first], ItemKind::Address);
        let atoms = is(&packets[last], ItemKind::Atoms);
        all(&[address, atoms, only(packets, &[first, last])])
    });
    any(&pairs.collect::<Vec<T>>())
}

/// Addresses behind which atoms come, with nothing that waits in front of them; `is_clear`:
/// so it is in front of the first packet.
fn folded<T: Word>(packets: &[PacketItem<T>], mut is_clear: T) -> Vec<T> {
    let mut begins = Vec::new();
    for of in packets {
        begins.push(is(of, ItemKind::Address).and(is_clear));
        is_clear = has_item(of).mux(ends_clear(of), is_clear);
    }
    let mut is_next = T::constant(0, 1);
    let mut folded = Vec::new();
    for (of, begins) in packets.iter().zip(begins).rev() {
        folded.insert(0, begins.and(is_next));
        is_next = has_item(of).mux(is(of, ItemKind::Atoms), is_next);
    }
    folded
}

clocked_block! {
    /// The atoms of a row that is dropped, two cycles later; 0 of one that is not.
    pub struct RowAtoms;
    inputs AtomsInputs { drops: Bit, }
    lane_inputs { items: Bus<PACKET_ITEM_W>, }
    outputs AtomsOutputs { amount: Bits<AMOUNT_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel row_atoms;
}

#[named]
fn row_atoms<T: Word, const N: usize, const P: usize>(
    i: AtomsInputs<T::Port, N>,
) -> AtomsOutputs<T, N, P> {
    let drops = T::field(&i.drops, 0, 1);
    let wide = |count: T| count.extend(AMOUNT_W as u32);
    let atoms = i.items.iter().map(|port| {
        let item = Item::split(PacketItem::<T>::unpack(port).item);
        wide(item.head).add(wide(item.tail)).mask(drops).reg()
    });
    let atoms: Vec<T> = atoms.collect();
    let pairs = atoms.chunks(2).map(|pair| pair[0].add(pair[1]));
    let amount = pairs.reduce(T::add).expect("two pairs of items");
    AtomsOutputs {
        amount: vec![amount],
    }
}
