// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PacketItems<4, 2>`: a result word of four lanes in, the items of its packets out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: no Trace Info was seen |
//! | `ete` | in | the source is an ETE; steady |
//! | `valid`, `lost`, `pending[31:0]` | in | a result word is there; bytes were lost before it; bytes before it that are in no record |
//! | `keep[4]`, `lane[4]`, `pair0`, `pair1` | in | lanes that have a byte; [`LaneResult`], [`PairResult`] |
//! | `rules` | in | address spaces by their contexts: [`HeldRule`](super::HeldRule), four of them; steady |
//! | `items[4]` | out | [`PacketItem`] |
//! | `gap` | out | in front of them, what came before does not go on: bytes were lost |
//! | `any` | out | there is an item or a gap |
//!
//! Up to the first Trace Info, and after a gap up to the next one, there are atoms alone: they are
//! counted, and nobody knows where they were. An address in no known context is a `Jump`. A trace unit
//! without speculation sends neither Cancel nor Mispredict, and source addresses are not followed:
//! such a packet is a gap, as is an A-Sync that cuts a packet short.
//!
//! Commits are not read: all is final.
//!
//! The recurrences are whether a Trace Info was seen, and the context. Latency 9 cycles. Throughput one
//! word per cycle. Source: Arm IHI 0064; the software twin is `coretrace_sites::Items` in front of a
//! `CommitQueue` of depth 0.

use super::address_space::{RULES_W, address_space};
use super::item::{ITEM_W, Item, ItemKind};
use coretrace_abi::flow_table::LostReason;
use coretrace_etm::address::address_form;
use coretrace_etm::header::DISCARD;
use coretrace_etm::{ASYNC_BYTES, Atoms, HEADERS, Kind, Part, atoms};
use coretrace_hdl_dataflow::{
    Bus, Table, Word, all, any, clocked_block, join, layout, named, priority_mux,
};
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W, outcome};
use coretrace_hdl_etm::{LaneResult, PairResult, before_lanes};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

clocked_block! {
    /// The items of a word; see the module text.
    pub struct PacketItems;
    inputs PacketItemsInputs {
        reset: Bit,
        ete: Bit,
        valid: Bit,
        lost: Bit,
        pending: Bits<32>,
        pair0: Bus<PAIR_RESULT_W>,
        pair1: Bus<PAIR_RESULT_W>,
        rules: Bus<RULES_W>,
    }
    lane_inputs { keep: Bit, lane: Bus<LANE_RESULT_W>, }
    outputs PacketItemsOutputs { gap: Bit, any: Bit, }
    lane_outputs { items: Bus<PACKET_ITEM_W>, }
    pair_outputs {}
    kernel packet_items;
}

layout! {
    /// The item of a packet, and its address.
    pub struct PacketItem {
        item: ITEM_W,
        /// There is an address. With a Q element it is an item of its own, behind that.
        has_address: 1,
        address: 64,
        /// Code of the instruction set there: bit 0 is A64, bit 1 is T32.
        isa: 2,
        /// Its address space.
        space: 4,
    }
}

/// Bits of an item with its address.
pub const PACKET_ITEM_W: usize = PacketItem::WIDTH;

layout! {
    /// What a header says.
    struct HeaderItem {
        item: ITEM_W,
        has_address: 1,
        is_extension: 1,
        is_exception: 1,
        has_context: 1,
        is_trace_info: 1,
        /// The place in the program is not known behind it, up to a Trace Info.
        is_bad: 1,
    }
}

layout! {
    /// The context of addresses.
    struct AddressContext {
        known: 1,
        a64: 1,
        space: 4,
    }
}

static HEADER_ITEMS: LazyLock<Table> =
    LazyLock::new(|| HeaderItem::table(|header| header_item(header as u8)));

fn header_item(header: u8) -> HeaderItem<u64> {
    let row = &HEADERS[usize::from(header)];
    let of = Item::of;
    let bad = Item::gap(LostReason::BadPacket as u8);
    let item = match row.kind {
        kind if kind.is_atoms() => atoms_item(atoms(header)),
        kind if kind.is_source_address() => bad,
        Kind::TraceOn => Item::gap(LostReason::TraceOn as u8),
        Kind::TraceInfo => of(ItemKind::TraceInfo),
        Kind::Exception => of(ItemKind::Exception),
        Kind::Q => of(ItemKind::Q),
        Kind::ExceptionReturn
        | Kind::FunctionReturn
        | Kind::TransactionStart
        | Kind::TransactionCommit => of(ItemKind::Jump),
        Kind::Mispredict
        | Kind::CancelF1
        | Kind::CancelF1Mispredict
        | Kind::CancelF2
        | Kind::CancelF3 => bad,
        _ if address_form(header).is_some() => of(ItemKind::Address),
        _ => of(ItemKind::Nothing),
    };
    let is_bad = item.number() == bad.number();
    HeaderItem {
        item: item.number(),
        has_address: (address_form(header).is_some() && !is_bad).into(),
        is_extension: (header == 0).into(),
        is_exception: (row.kind == Kind::Exception).into(),
        has_context: row.tail.contains(Part::Info).into(),
        is_trace_info: (row.kind == Kind::TraceInfo).into(),
        is_bad: is_bad.into(),
    }
}

fn atoms_item(atoms: Atoms) -> Item<u64> {
    Item::atoms(atoms.pattern(), atoms.count.into()).expect("the atoms of a packet")
}

/// What ends in a lane.
struct Ending<T> {
    item: T,
    has_address: T,
    has_context: T,
    is_trace_info: T,
    is_bad: T,
}

fn constant<T: Word>(item: Item<u64>) -> T {
    T::constant(item.number(), ITEM_W as u32)
}

#[named]
fn packet_items<T: Word, const N: usize, const P: usize>(
    i: PacketItemsInputs<T::Port, N>,
) -> PacketItemsOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1).reg();
    let (reset, valid) = (bit(&i.reset), bit(&i.valid));
    let lost = valid.and(bit(&i.lost));
    let ete = T::field(&i.ete, 0, 1).steady();
    let pending = T::field(&i.pending, 0, 32).reg();
    let (pending_long, pending) = (pending.slice(4, 28).any(), pending.slice(0, 4).extend(5));
    let pairs = [&i.pair0, &i.pair1].map(|port| PairResult::<T>::unpack(port).map(T::reg));
    let spaces = pairs
        .each_ref()
        .map(|pair| address_space(&i.rules, pair.info, pair.vmid, pair.cid));
    let live: Vec<T> = i.keep.iter().map(|port| valid.and(bit(port))).collect();
    let lanes: Vec<LaneResult<T>> = i
        .lane
        .iter()
        .map(|port| LaneResult::<T>::unpack(port).map(T::reg))
        .collect();

    // What ends in each lane.
    let mut bytes = pending;
    let mut endings = Vec::new();
    for (number, lane) in lanes.iter().enumerate() {
        let first = pairs[number / 2].lead_low.slice(0, 8);
        bytes = bytes.add(live[number].extend(5));
        let cuts = pending_long.or(T::constant(ASYNC_BYTES as u64, 5).lt(bytes));
        let is_packet = live[number].and(lane.outcome.is(outcome::PACKET)).reg();
        let is = |code| live[number].and(lane.outcome.is(code));
        let is_broken = any(&[
            is(outcome::RESERVED),
            is(outcome::BAD_SEQUENCE),
            is(outcome::ASYNC).and(cuts),
        ])
        .reg();
        let row = HeaderItem::split(lane.header.rom(&HEADER_ITEMS)).map(T::reg);
        let is_discard = first.is(DISCARD.into()).reg();
        let number_of = first.slice(1, 5);
        let elsewhere = ete.and(number_of.is(0).or(number_of.is(24))).reg();
        let at_target = first.bit(6).and(first.bit(0).not()).reg();
        let is_extension = is_packet.and(row.is_extension);
        let is_exception = row.is_exception;
        let item = priority_mux(
            &[
                (is_broken, constant(Item::gap(LostReason::BadPacket as u8))),
                (
                    is_extension.and(is_discard),
                    constant(Item::gap(LostReason::Discard as u8)),
                ),
                (
                    is_extension,
                    constant(Item::gap(LostReason::Overflow as u8)),
                ),
                (
                    is_exception.and(elsewhere),
                    constant(Item::of(ItemKind::Jump)),
                ),
                (
                    is_exception.and(at_target),
                    constant(Item::of(ItemKind::ExceptionAtTarget)),
                ),
            ],
            row.item,
        );
        endings.push(Ending {
            item: item.mask(is_packet.or(is_broken)),
            has_address: row.has_address.and(is_packet),
            has_context: row.has_context.and(is_packet),
            is_trace_info: row.is_trace_info.and(is_packet),
            is_bad: any(&[is_broken, is_extension, row.is_bad.and(is_packet)]),
        });
    }

    // What was before is gone: behind the lane, and of a loss in front of the first one as well.
    let lost = lost.reg();
    let go_on = lost.not();
    let ends = |number: usize| {
        let is_bad = endings[number].is_bad;
        if number == 0 { is_bad.or(lost) } else { is_bad }
    };
    let synced: Vec<(T, T)> = endings
        .iter()
        .enumerate()
        .map(|(number, ending)| {
            let begins = ending.is_trace_info;
            (ends(number).or(begins), begins)
        })
        .collect();
    let mut synced_before = before_lanes(&synced, reset.reg());
    let gap = lost.and(synced_before[0]);
    synced_before[0] = synced_before[0].and(go_on);
    let contexts: Vec<(T, T)> = endings
        .iter()
        .enumerate()
        .map(|(number, ending)| {
            let known = ending.has_context.and(synced_before[number]);
            let value = AddressContext {
                known,
                a64: pairs[number / 2].info.bit(4),
                space: spaces[number / 2],
            };
            (ends(number).or(known), join(value.pack()))
        })
        .collect();
    let context_before = before_lanes(&contexts, reset.reg());

    let mut live = Vec::new();
    let mut items = Vec::new();
    for (number, ending) in endings.iter().enumerate() {
        let held = AddressContext::split(context_before[number]);
        let own = AddressContext::split(contexts[number].1);
        let context = AddressContext::mux(ending.has_context, own, held);
        let item = Item::split(ending.item);
        let jump = constant::<T>(Item::of(ItemKind::Jump));
        let is_atoms = item.kind.is(ItemKind::Atoms as u64);
        let is_address = item.kind.is(ItemKind::Address as u64);
        let passes = any(&[synced_before[number], is_atoms, ending.is_trace_info]);
        let is_t32 = lanes[number].is1.and(context.a64.not());
        let known = if number == 0 {
            context.known.and(ending.has_context.or(go_on))
        } else {
            context.known
        };
        let item = is_address
            .and(known.not())
            .mux(jump, ending.item)
            .mask(passes);
        live.push(item.any());
        items.push(PacketItem {
            item,
            has_address: all(&[ending.has_address, known, passes]),
            address: lanes[number].address,
            isa: is_t32.concat(context.a64),
            space: context.space,
        });
    }
    live.push(gap);
    PacketItemsOutputs {
        gap: vec![gap],
        any: vec![any(&live)],
        items: std::array::from_fn(|lane| items[lane].pack()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::Value;
    use coretrace_hdl_dataflow::sim::cycle;

    #[test]
    fn items_come_nine_cycles_behind_their_word() {
        let mut uut = PacketItems::<4, 2>::default();
        uut.connect_all();
        let atom = LaneResult {
            outcome: outcome::PACKET,
            suspect: 0,
            header: 0xF7,
            octet: 0xF7,
            field_ends: 0,
            field_is_short: 0,
            is1: 0,
            address: 0,
        };
        uut.lane[2].next = Bus(atom.wide());
        uut.keep[2].next = true;
        let mut cycles = 0;
        while !uut.any.val() && cycles < 20 {
            uut.valid.next = cycles == 0;
            cycle(&mut uut, |block, clock| block.clock.next = clock);
            cycles += 1;
        }
        assert_eq!(cycles, 9);
        let items = uut.items.each_ref().map(|port| {
            let item = PacketItem::<Value>::unpack(&port.val().0);
            item.item.bits()
        });
        let e = Item::atoms(1, 1).expect("an atom").number();
        assert_eq!(items, [0, 0, e, 0]);
    }
}
