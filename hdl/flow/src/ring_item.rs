// SPDX-License-Identifier: MIT OR Apache-2.0
//! Items as words of a commit ring, and words that leave it as items again: an address has the context
//! that is final then. A source address in no known context is an E.

use super::item::{ITEM_W, Item, ItemKind, KIND_W};
use super::ring_depth::LEAST_RING_W;
use super::ring_word::{COUNT_W, RING_WORD_W, RingWord, Run};
use coretrace_abi::flow_table::{ISA_BITS, SPACE_BITS};
use coretrace_hdl_dataflow::{Bus, Word, any, join, kernel_block, layout, named, priority_mux};
use rust_hdl::prelude::*;

/// Bits of an instruction set and of an address space.
pub const ISA_W: usize = ISA_BITS as usize;
pub const SPACE_W: usize = SPACE_BITS as usize;

layout! {
    /// An item and what is beside it.
    pub struct RingOut {
        item: ITEM_W,
        isa: ISA_W,
        space: SPACE_W,
        address: 64,
    }
}

layout! {
    /// The context of the next address.
    pub struct RingContext {
        known: 1,
        a64: 1,
        space: SPACE_W,
    }
}

/// Bits of what goes out.
pub const RING_OUT_W: usize = RingOut::WIDTH;
/// Bits of a context.
pub const RING_CONTEXT_W: usize = RingContext::WIDTH;

kernel_block! {
    /// An item as a word of a ring of 2^N places: none where `N` is less than [`LEAST_RING_W`].
    pub struct RingEntry;
    inputs RingEntryInputs {
        item: Bus<ITEM_W>,
        address: Bus<64>,
        isa: Bits<ISA_W>,
        space: Bits<SPACE_W>,
    }
    lane_inputs {}
    outputs RingEntryOutputs {
        comes: Bit,
        word: Bus<RING_WORD_W>,
    }
    lane_outputs {}
    kernel ring_entry;
}

#[named]
fn ring_entry<T: Word, const N: usize>(i: RingEntryInputs<T::Port, N>) -> RingEntryOutputs<T, N> {
    let item = T::field(&i.item, 0, ITEM_W as u32);
    let address = T::field(&i.address, 0, 64);
    let isa = T::field(&i.isa, 0, ISA_W as u32);
    let space = T::field(&i.space, 0, SPACE_W as u32);
    let has_ring = T::constant((N >= LEAST_RING_W).into(), 1);
    RingEntryOutputs {
        comes: vec![item.slice(0, KIND_W as u32).any().and(has_ring)],
        word: RingWord::of_item(item, address, isa, space).pack(),
    }
}

kernel_block! {
    /// A word of a ring of 2^N places as an item. Without speculation it has the context that it came
    /// with. Behind a word that loses the flow no context is known.
    pub struct RingItem;
    inputs RingItemInputs {
        reset: Bit,
        passes: Bit,
        valid: Bit,
        word: Bus<RING_WORD_W>,
        held: Bus<RING_CONTEXT_W>,
    }
    lane_inputs {}
    outputs RingItemOutputs {
        held_next: Bus<RING_CONTEXT_W>,
        out: Bus<RING_OUT_W>,
    }
    lane_outputs {}
    kernel ring_item;
}

#[named]
fn ring_item<T: Word, const N: usize>(i: RingItemInputs<T::Port, N>) -> RingItemOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let (live, valid) = (bit(&i.reset).not(), bit(&i.valid));
    let passes = bit(&i.passes);
    let word = RingWord::<T>::unpack(&i.word);
    let context = RingContext::<T>::unpack(&i.held);
    let run = Run::of(&word);
    let is = |kind: ItemKind| word.kind.is(kind as u64);
    let constant = |kind: ItemKind| T::constant(kind as u64, KIND_W as u32);

    let in_context = is(ItemKind::AddressInContext);
    let is_known = any(&[passes, in_context, context.known]);
    let address_kind = is_known.mux(constant(ItemKind::Address), constant(ItemKind::Jump));
    let kind = priority_mux(
        &[
            (is(ItemKind::Address).or(in_context), address_kind),
            (
                is(ItemKind::Source).and(is_known.not()),
                constant(ItemKind::Atoms),
            ),
            (is(ItemKind::P0Jump), constant(ItemKind::Jump)),
            (is(ItemKind::Context), constant(ItemKind::Nothing)),
        ],
        word.kind,
    );
    let plain = Item {
        kind,
        pattern: run.pattern.mask(is(ItemKind::Gap)),
        head: T::constant(0, COUNT_W),
        tail: T::constant(0, 3),
    };
    let atoms = Item { kind, ..run.item() };
    let has_atoms = any(&[
        is(ItemKind::Atoms),
        is(ItemKind::AddressAndAtoms),
        is(ItemKind::Source),
    ]);
    let item = Item::mux(has_atoms, atoms, plain);

    let a64 = in_context.mux(word.isa.bit(0), context.a64);
    let code = word.isa.bit(1).and(a64.not()).concat(a64);
    let space = in_context.mux(word.space, context.space);
    let sets = valid.and(in_context.or(is(ItemKind::Context)));
    let forgets = valid.and(word.class().loses);
    let context_next = RingContext {
        known: live.and(sets.or(context.known.and(forgets.not()))),
        a64: sets.mux(word.isa.bit(0), context.a64),
        space: sets.mux(word.space, context.space),
    };
    let out = RingOut {
        item: join(item.pack()).mask(valid.and(live)),
        isa: passes.mux(word.isa, code),
        space: passes.mux(word.space, space),
        address: word.address,
    };
    RingItemOutputs {
        held_next: context_next.pack(),
        out: out.pack(),
    }
}

kernel_block! {
    /// What leaves a ring of 2^N places: where `N` is less than [`LEAST_RING_W`], what comes in.
    pub struct RingExit;
    inputs RingExitInputs {
        has_room: Bit,
        m_ready: Bit,
        out: Bus<RING_OUT_W>,
        item: Bus<ITEM_W>,
        address: Bus<64>,
        isa: Bits<ISA_W>,
        space: Bits<SPACE_W>,
    }
    lane_inputs {}
    outputs RingExitOutputs {
        ready: Bit,
        m_item: Bus<ITEM_W>,
        m_address: Bus<64>,
        m_isa: Bits<ISA_W>,
        m_space: Bits<SPACE_W>,
    }
    lane_outputs {}
    kernel ring_exit;
}

#[named]
fn ring_exit<T: Word, const N: usize>(i: RingExitInputs<T::Port, N>) -> RingExitOutputs<T, N> {
    let out = RingOut::<T>::unpack(&i.out);
    let has_room = T::field(&i.has_room, 0, 1);
    let (ready, out) = match N {
        ..LEAST_RING_W => {
            let item = RingOut {
                item: T::field(&i.item, 0, ITEM_W as u32),
                address: T::field(&i.address, 0, 64),
                isa: T::field(&i.isa, 0, ISA_W as u32),
                space: T::field(&i.space, 0, SPACE_W as u32),
            };
            (T::field(&i.m_ready, 0, 1), item)
        }
        _ => (has_room, out),
    };
    RingExitOutputs {
        ready: vec![ready],
        m_item: vec![out.item],
        m_address: vec![out.address],
        m_isa: vec![out.isa],
        m_space: vec![out.space],
    }
}
