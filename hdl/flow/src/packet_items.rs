// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PacketItems<4, P>`: a result word of four lanes in, the items of its packets out, for a commit ring of
//! 2^P places; `P` below 4 is none.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: no Trace Info was seen |
//! | `source` | in | [`SourceSettings`]; steady |
//! | `valid`, `lost`, `pending[31:0]` | in | a result word is there; bytes were lost before it; bytes before it that are in no record |
//! | `keep[4]`, `lane[4]`, `pair0`, `pair1` | in | lanes that have a byte; [`LaneResult`], [`PairResult`] |
//! | `rules` | in | address spaces by their contexts: [`HeldRule`](super::HeldRule), four of them; steady |
//! | `counts_cycles` | in | cycle counts are items, of a source without speculation; steady |
//! | `items[4]` | out | [`PacketItem`] |
//! | `gap` | out | in front of them, what came before does not go on: bytes were lost |
//! | `any` | out | there is an item or a gap |
//! | `threshold[21:0]` | out | the newest one of a Trace Info: no count of cycles is less |
//!
//! Up to the first Trace Info, and after a gap up to the next one, there are atoms alone: they are
//! counted, and nobody knows where they were. So it is for ever of a trace unit whose speculation is too
//! deep for the ring. A source address is an E among them. An A-Sync that cuts a packet short is a gap.
//!
//! Without speculation all is final. An address has its instruction set and its address space, one in no
//! known context is a `Jump`, and a source address is an E; a cycle count has its cycles in the place of the address,
//! no more than all ones; commits are not read, and a Cancel or a Mispredict is a gap.
//!
//! With speculation the context waits as addresses do: a packet that has one is an item with the space,
//! A64 in bit 0 of `isa` and the IS bit of the address in bit 1. What a packet says of speculation is
//! in the place of the address: [`Speculation`]. A return from an exception is no P0 element: that of an
//! Armv7-M is not known.
//!
//! The recurrences are whether a Trace Info was seen, the context, the last two continuation fields, and that of
//! [`cycle_counts`].
//! Latency 9 cycles. Throughput one word per cycle. Source: Arm IHI 0064; the software twin is
//! `coretrace_sites::Items`, without speculation in front of a `CommitQueue` of depth 0.

use super::address_space::{RULES_W, address_space};
use super::item::{CYCLES_W, ELEMENTS_W, ITEM_W, Item, ItemKind, Speculation};
use super::ring_depth::{LEAST_RING_W, is_refused};
use coretrace_abi::flow_stream::MOST_CYCLES;
use coretrace_abi::flow_table::LostReason;
use coretrace_etm::address::address_form;
use coretrace_etm::atom::cancel_count;
use coretrace_etm::header::DISCARD;
use coretrace_etm::{ASYNC_BYTES, Atoms, HEADERS, Kind, Part, atoms};
use coretrace_hdl_dataflow::{
    Bus, Table, Word, all, any, clocked_block, join, layout, named, priority_mux,
};
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W, outcome};
use coretrace_hdl_etm::{
    LaneResult, PairResult, SOURCE_SETTINGS_W, SourceSettings, before_lanes, cycle_counts,
};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

clocked_block! {
    /// The items of a word; see the module text.
    pub struct PacketItems;
    inputs PacketItemsInputs {
        reset: Bit,
        source: Bus<SOURCE_SETTINGS_W>,
        valid: Bit,
        lost: Bit,
        pending: Bits<32>,
        pair0: Bus<PAIR_RESULT_W>,
        pair1: Bus<PAIR_RESULT_W>,
        rules: Bus<RULES_W>,
        counts_cycles: Bit,
    }
    lane_inputs { keep: Bit, lane: Bus<LANE_RESULT_W>, }
    outputs PacketItemsOutputs { gap: Bit, any: Bit, threshold: Bits<CYCLES_W>, }
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
        /// Without speculation the place in the program is not known behind it, up to a Trace Info.
        is_speculation: 1,
    }
}

layout! {
    /// What a header says of speculation.
    struct HeaderSpeculation {
        commits: 1,
        cancels: 1,
        mispredicts: 1,
        /// It counts cycles: COMMOPT says that it commits nothing.
        counts_cycles: 1,
        /// Where the number of elements is: in its only field, in the first of two, in a byte.
        in_field: 1,
        in_first_field: 1,
        in_byte: 1,
        /// In the byte it is less than MAXSPEC.
        is_below: 1,
        /// The number otherwise.
        elements: 3,
        /// It is a P0 element, always or where the start of a transaction is one.
        is_p0: 1,
        is_start: 1,
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
    let item = match row.kind {
        kind if kind.is_atoms() => atoms_item(atoms(header)),
        kind if kind.is_source_address() => Item::source(),
        Kind::TraceOn => Item::gap(LostReason::TraceOn as u8),
        Kind::TraceInfo => of(ItemKind::TraceInfo),
        Kind::Exception => of(ItemKind::Exception),
        Kind::Q => of(ItemKind::Q),
        Kind::ExceptionReturn
        | Kind::FunctionReturn
        | Kind::TransactionStart
        | Kind::TransactionCommit => of(ItemKind::Jump),
        _ if is_speculation(row.kind) && atoms(header).count > 0 => atoms_item(atoms(header)),
        _ if address_form(header).is_some() => of(ItemKind::Address),
        _ => of(ItemKind::Nothing),
    };
    HeaderItem {
        item: item.number(),
        has_address: address_form(header).is_some().into(),
        is_extension: (header == 0).into(),
        is_exception: (row.kind == Kind::Exception).into(),
        has_context: row.tail.contains(Part::Info).into(),
        is_trace_info: (row.kind == Kind::TraceInfo).into(),
        is_speculation: is_speculation(row.kind).into(),
    }
}

fn is_speculation(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Mispredict
            | Kind::CancelF1
            | Kind::CancelF1Mispredict
            | Kind::CancelF2
            | Kind::CancelF3
    )
}

static HEADER_SPECULATION: LazyLock<Table> =
    LazyLock::new(|| HeaderSpeculation::table(|header| header_speculation(header as u8)));

fn header_speculation(header: u8) -> HeaderSpeculation<u64> {
    let kind = HEADERS[usize::from(header)].kind;
    let counts_cycles = matches!(
        kind,
        Kind::CycleCountF1 | Kind::CycleCountF2 | Kind::CycleCountF3
    );
    let cancels = matches!(
        kind,
        Kind::CancelF1 | Kind::CancelF1Mispredict | Kind::CancelF2 | Kind::CancelF3
    );
    // The count is behind the number, if there is one.
    let has_count = header & 1 == 0;
    let in_field = match kind {
        Kind::Commit | Kind::CancelF1 | Kind::CancelF1Mispredict => true,
        Kind::CycleCountF1 => !has_count,
        _ => false,
    };
    let elements = match kind {
        Kind::CycleCountF3 => u64::from(header >> 2 & 3) + 1,
        _ => cancel_count(header).into(),
    };
    let mispredicts = is_speculation(kind) && kind != Kind::CancelF1;
    HeaderSpeculation {
        commits: (counts_cycles || kind == Kind::Commit).into(),
        cancels: cancels.into(),
        mispredicts: mispredicts.into(),
        counts_cycles: counts_cycles.into(),
        in_field: in_field.into(),
        in_first_field: (kind == Kind::CycleCountF1 && has_count).into(),
        in_byte: (kind == Kind::CycleCountF2).into(),
        is_below: (kind == Kind::CycleCountF2 && header & 1 == 1).into(),
        elements,
        is_p0: (kind == Kind::FunctionReturn).into(),
        is_start: (kind == Kind::TransactionStart).into(),
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

/// What the packet that ends in a lane says of speculation, as wide as an address.
#[named]
fn elements<T: Word>(
    source: &SourceSettings<T>,
    lanes: &[LaneResult<T>],
    pairs: &[PairResult<T>; 2],
    live: &[T],
    reset: T,
) -> Vec<T> {
    let elements_w = ELEMENTS_W as u32;
    let most = T::constant((1 << ELEMENTS_W) - 1, elements_w);
    // Numbers that are larger than any depth are one.
    let field = |lane: usize| {
        let result = &lanes[lane];
        let wide = pairs[lane / 2].field;
        let large = wide.slice(elements_w, 32 - elements_w).any();
        let wide = large.mux(most, wide.slice(0, elements_w));
        let short = result.octet.slice(0, 7).extend(elements_w);
        result.field_is_short.mux(short, wide)
    };
    let ends = |lane: usize| live[lane].and(lanes[lane].field_ends);
    let fields: Vec<(T, T)> = (0..lanes.len())
        .map(|lane| (ends(lane), field(lane)))
        .collect();
    let before = before_lanes(&fields, reset);
    let earlier =
        (0..lanes.len()).map(|lane| (ends(lane).at_stage(before[lane].stage()), before[lane]));
    let earlier = before_lanes(&earlier.collect::<Vec<_>>(), reset);
    // TRCIDR0.COMMOPT and TRCCCI
    let commits_never = source.trcidr0.bit(29).and(source.trcidr0.bit(7));
    let max_spec = source.trcidr8.slice(0, elements_w + 1);
    let lane = |number: usize| {
        let of =
            HeaderSpeculation::split(lanes[number].header.rom(&HEADER_SPECULATION)).map(T::reg);
        let lead = pairs[number / 2].lead_low;
        let plctl = lead.slice(0, 5);
        let is_trace_info = lanes[number].header.rom(&HEADER_ITEMS);
        let is_trace_info = HeaderItem::split(is_trace_info).is_trace_info;
        // Behind that of the elements there may be a threshold and a window.
        let behind = plctl.bit(3).concat(plctl.bit(4));
        let sent_before = priority_mux(
            &[
                (behind.is(0), field(number)),
                (behind.is(3), earlier[number]),
            ],
            before[number],
        )
        .mask(plctl.bit(2));
        let a = lead.slice(4, 4).extend(elements_w + 1);
        // A - 15 is the complement of the 15 - A that the depth is ahead.
        let below = max_spec.add(a).add_const((1 << (elements_w + 1)) - 15);
        let below = below
            .bit(elements_w)
            .mux(most, below.slice(0, elements_w))
            .reg();
        let in_byte = of
            .is_below
            .mux(below, a.slice(0, elements_w).add_const(1).reg());
        let count = priority_mux(
            &[
                (is_trace_info, sent_before),
                (of.in_field, field(number)),
                (of.in_first_field, before[number]),
                (of.in_byte, in_byte),
            ],
            of.elements.extend(elements_w),
        );
        let commits = of.commits.and(of.counts_cycles.and(commits_never).not());
        let speculation = Speculation {
            elements: count,
            commits,
            cancels: of.cancels,
            mispredicts: of.mispredicts,
        };
        join(speculation.pack()).extend(64)
    };
    (0..lanes.len()).map(lane).collect()
}

/// Cycles, or as many as there can be.
#[named]
fn at_most<T: Word>(cycles: T) -> T {
    let bits = CYCLES_W as u32;
    let most = T::constant(MOST_CYCLES.into(), bits);
    let is_more = cycles.slice(bits, cycles.width() - bits).any();
    is_more.mux(most, cycles.slice(0, bits))
}

#[named]
fn packet_items<T: Word, const N: usize, const P: usize>(
    i: PacketItemsInputs<T::Port, N>,
) -> PacketItemsOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1).reg();
    let (reset, valid) = (bit(&i.reset), bit(&i.valid));
    let lost = valid.and(bit(&i.lost));
    let source = SourceSettings::<T>::unpack(&i.source).map(T::steady);
    let ete = source.ete;
    let has_ring = T::constant((P >= LEAST_RING_W).into(), 1);
    let speculates = has_ring.and(source.trcidr8.any());
    let refused = is_refused(source.trcidr8, P);
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

    let elements = elements(&source, &lanes, &pairs, &live, reset);
    let counted = cycle_counts(&lanes, &pairs, &live, reset);
    let counts_cycles = T::field(&i.counts_cycles, 0, 1).steady();
    let counts_cycles = counts_cycles.and(speculates.not());

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
        let of = HeaderSpeculation::split(lane.header.rom(&HEADER_SPECULATION)).map(T::reg);
        let is_refused = row.is_speculation.and(speculates.not());
        // TRCIDR0.COMMTRANS
        let starts = all(&[of.is_start, ete, source.trcidr0.bit(26).not()]);
        let is_p0 = speculates.and(of.is_p0.or(starts));
        let commits_never = source.trcidr0.bit(29).and(source.trcidr0.bit(7));
        let commits = of.commits.and(of.counts_cycles.and(commits_never).not());
        let resolves = any(&[commits, of.cancels, of.mispredicts]);
        let is_count = counts_cycles.and(of.counts_cycles);
        let is_resolution = all(&[speculates, resolves, row.item.any().not()]);
        let is_context = all(&[speculates, row.has_context, row.item.any().not()]);
        let is_in_context = all(&[speculates, row.has_context, row.has_address]);
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
                (is_refused, constant(Item::gap(LostReason::BadPacket as u8))),
                (is_p0, constant(Item::of(ItemKind::P0Jump))),
                (is_count, constant(Item::of(ItemKind::Cycles))),
                (is_resolution, constant(Item::of(ItemKind::Resolution))),
                (is_context, constant(Item::of(ItemKind::Context))),
                (
                    is_in_context,
                    constant(Item::of(ItemKind::AddressInContext)),
                ),
            ],
            row.item,
        );
        endings.push(Ending {
            item: item.mask(is_packet.or(is_broken)),
            has_address: row.has_address.and(is_packet),
            has_context: row.has_context.and(is_packet),
            is_trace_info: row.is_trace_info.and(is_packet),
            is_bad: any(&[is_broken, is_extension, is_refused.and(is_packet)]),
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
            let begins = ending.is_trace_info.and(refused.not());
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
        let is_source = item.kind.is(ItemKind::Source as u64);
        let passes = any(&[
            synced_before[number],
            is_atoms,
            is_source,
            ending.is_trace_info,
        ]);
        let is_t32 = lanes[number].is1.and(context.a64.not());
        let known = if number == 0 {
            context.known.and(ending.has_context.or(go_on))
        } else {
            context.known
        };
        let is_nowhere = known.or(speculates).not();
        let e = constant::<T>(Item::atoms(1, 1).expect("E"));
        let nowhere = is_source.mux(e, jump);
        let item = is_address
            .or(is_source)
            .and(is_nowhere)
            .mux(nowhere, ending.item)
            .mask(passes);
        live.push(item.any());
        let count = counted[number];
        let cycles = at_most(count.cycles)
            .mask(count.known.and(counts_cycles))
            .extend(64);
        let beside = speculates.mux(elements[number], cycles);
        items.push(PacketItem {
            item,
            has_address: all(&[ending.has_address, known.or(speculates), passes]),
            address: ending.has_address.mux(lanes[number].address, beside),
            isa: speculates.mux(
                lanes[number].is1.concat(own.a64),
                is_t32.concat(context.a64),
            ),
            space: speculates.mux(own.space, context.space),
        });
    }
    live.push(gap);
    PacketItemsOutputs {
        gap: vec![gap],
        any: vec![any(&live)],
        threshold: vec![at_most(counted[0].threshold)],
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
