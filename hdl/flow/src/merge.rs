// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Merge`: items in, entries out: each with the N atoms of the packets before, and the address.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: nothing waits |
//! | `item` | in | [`Item`](super::Item), in every cycle |
//! | `loaded`, `damaged`, `site[N-1:0]` | in | of an address: it is in the tables; it is not, because a word is damaged; the site |
//! | `cycles` | in | of an item of cycles |
//! | `valid`, `entry` | out | an [`Entry`](super::Entry) |
//! | `counted`, `m_cycles` | out | the entry has cycles, so many |
//!
//! N atoms at the end of a packet are put in front of the next packet, so that they cost the walker
//! nothing, and so are an address and a source address. What comes between them sends them out first. An item with an address
//! and atoms comes only behind atoms whose last one is E: then nothing waits.
//!
//! The address behind an exception says where the program was interrupted. It goes out with the
//! exception; behind an exception at a branch target it is the place where the walk begins, too.
//!
//! Latency 2 cycles. Throughput one item per cycle; an item makes at most one entry.
//! Source: Arm IHI 0064, atom, exception and trace info packets.

use super::item::{
    ATOMS_W, CYCLES_W, ENTRY_W, Entry, ITEM_W, Item, ItemKind, MOST_SITE_W, REASON_W,
};
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// Merges items; see the module text. `N` bits of a site.
    pub struct Merge;
    inputs MergeInputs {
        reset: Bit,
        item: Bus<ITEM_W>,
        cycles: Bus<CYCLES_W>,
        loaded: Bit,
        damaged: Bit,
        site: Bits<N>,
    }
    lane_inputs {}
    outputs MergeOutputs { valid: Bit, entry: Bus<ENTRY_W>, counted: Bit, m_cycles: Bus<CYCLES_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel merge;
}

#[named]
fn merge<T: Word, const N: usize, const P: usize>(
    i: MergeInputs<T::Port, N>,
) -> MergeOutputs<T, N, P> {
    let atoms_w = ATOMS_W as u32;
    let live = T::field(&i.reset, 0, 1).not();
    let item = Item::<T>::unpack(&i.item);
    let is = |kind: ItemKind| item.kind.is(kind as u64).and(live).reg();
    // An address and its atoms in one item: nothing waits then.
    let both = is(ItemKind::AddressAndAtoms);
    let atoms = is(ItemKind::Atoms).or(both);
    let address = is(ItemKind::Address).or(both);
    let source = is(ItemKind::Source);
    let exception = is(ItemKind::Exception);
    let at_target = is(ItemKind::ExceptionAtTarget);
    let q = is(ItemKind::Q);
    let jump = is(ItemKind::Jump);
    let trace_info = is(ItemKind::TraceInfo);
    let gap = is(ItemKind::Gap);
    let reads_out = is(ItemKind::ReadOut);
    let counted = is(ItemKind::Cycles);
    let has_taken = item.head.any().reg();
    let item = item.map(T::reg);
    let cycles = T::field(&i.cycles, 0, CYCLES_W as u32).reg();
    let loaded = T::field(&i.loaded, 0, 1).reg();
    let damaged = T::field(&i.damaged, 0, 1).reg();
    let site = T::field(&i.site, 0, N as u32).reg();
    let live = live.reg();

    let now = atoms.stage();
    let flag = || T::register(1, now);
    // What waits: an address or a source address, N atoms, and what is before them.
    let (has_address, has_address_next) = flag();
    let (has_source, has_source_next) = flag();
    let (waiting_loaded, waiting_loaded_next) = flag();
    let (waiting_damaged, waiting_damaged_next) = flag();
    let (waiting_site, waiting_site_next) = T::register(N as u32, now);
    let (waiting_jump, waiting_jump_next) = flag();
    let (count, count_next) = T::register(atoms_w, now);
    let (forgets, forgets_next) = flag();
    let (interrupted, interrupted_next) = flag();
    let waits = any(&[has_address, has_source, count.any()]);
    // The next address may be any; it belongs to an exception; it is also a target.
    let (is_jump, is_jump_next) = flag();
    let (excepted, excepted_next) = flag();
    let (is_target, is_target_next) = flag();
    let other = any(&[
        atoms, source, exception, at_target, q, jump, trace_info, gap, reads_out, counted,
    ]);
    let address_missing = excepted.and(other);
    let begins = address.and(excepted.not());
    let interrupts = address.and(excepted);
    let enters = address.and(is_target);

    // The serializer adds up to four N to the count: 28 is the limit.
    let total = count.extend(atoms_w + 1).add(item.tail.extend(atoms_w + 1));
    let is_full = total.bit(5).or(total.slice(2, 3).is(7));
    let atoms_go = atoms.and(has_taken.or(is_full));
    // The next address begins a segment: what was interrupted is in front of it.
    let jump_goes = jump.and(address_missing);
    let always = any(&[atoms_go, interrupts, q, gap, reads_out, counted, jump_goes]);
    let sends = any(&[begins, source, exception, at_target, trace_info]).and(waits);
    let valid = always.or(sends);

    let total = total.slice(0, atoms_w);
    let added = atoms.and(atoms_go.not()).mux(total, count);
    let tail = item.tail.extend(atoms_w).mask(atoms);
    T::set_next(count_next, valid.mux(tail, added).mask(live));
    let stays = all(&[has_address, valid.not(), live]);
    let waits_on = begins.and(both.and(atoms_go).not());
    T::set_next(has_address_next, waits_on.or(stays));
    let stays = all(&[has_source, valid.not(), live]);
    T::set_next(has_source_next, source.or(stays));
    let comes = begins.or(source);
    T::set_next(waiting_loaded_next, comes.mux(loaded, waiting_loaded));
    T::set_next(waiting_damaged_next, comes.mux(damaged, waiting_damaged));
    T::set_next(waiting_site_next, comes.mux(site, waiting_site));
    T::set_next(waiting_jump_next, begins.mux(is_jump, waiting_jump));
    let stays = all(&[forgets, valid.not(), live]);
    T::set_next(forgets_next, trace_info.or(stays));
    let stays = interrupted.or(address_missing);
    T::set_next(interrupted_next, all(&[stays, valid.not(), live]));
    let ends_jump = any(&[atoms, address, gap, exception, at_target]);
    let stays = all(&[is_jump, ends_jump.not(), live]);
    T::set_next(is_jump_next, any(&[jump, q, stays]));
    let waits_on = all(&[other.not(), address.not(), live]);
    let stays = excepted.and(waits_on);
    T::set_next(excepted_next, any(&[exception, at_target, stays]));
    T::set_next(is_target_next, at_target.or(is_target.and(waits_on)));

    let is_now = interrupts.or(both);
    let entry = Entry {
        has_address: any(&[has_address, enters, both]),
        source: has_source,
        loaded: is_now.mux(loaded, waiting_loaded),
        damaged: is_now.mux(damaged, waiting_damaged),
        site: is_now.mux(site, waiting_site).extend(MOST_SITE_W as u32),
        is_jump: is_now.mux(is_jump, waiting_jump),
        pops: enters,
        interrupted: interrupted.or(address_missing),
        forgets,
        count,
        pattern: item.pattern,
        head: item.head.mask(atoms),
        leaves: interrupts.or(q),
        is_q: q,
        gap: item.pattern.slice(0, REASON_W as u32).mask(gap),
        reads_out,
        counted,
    };
    MergeOutputs {
        valid: vec![valid],
        entry: entry.pack(),
        counted: vec![counted],
        m_cycles: vec![cycles],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::Carrier;
    use coretrace_hdl_dataflow::sim::cycle;

    /// N atoms before the packet, and atoms of the packet up to its last E.
    fn atoms(entry: Bus<ENTRY_W>) -> (u64, u64) {
        let field = |name: &str| {
            let mut fields = Entry::FIELDS.iter();
            let (_, low, width) = *fields.find(|field| field.0 == name).expect("a field");
            entry.to_wide().field(low, width)
        };
        (field("count"), field("head"))
    }

    #[test]
    fn n_atoms_of_many_packets_are_all_in_entries() {
        let mut uut = Merge::<6, 1>::default();
        uut.connect_all();
        let mut items = vec![Item::atoms(0, 4).expect("NNNN"); 40];
        items.push(Item::atoms(1, 1).expect("E"));
        items.extend(vec![Item::of(ItemKind::Nothing); 4]);
        let mut entries = Vec::new();
        for item in items {
            uut.item.next = Bus(item.wide());
            cycle(&mut uut, |block, clock| block.clock.next = clock);
            if uut.valid.val() {
                entries.push(atoms(uut.entry.val()));
            }
        }
        let sum: u64 = entries.iter().map(|(count, _)| count).sum();
        assert_eq!(sum, 40 * 4, "{entries:?}");
        let (last, before) = entries.split_last().expect("entries");
        assert_eq!(last.1, 1);
        assert!(
            before
                .iter()
                .all(|(count, head)| *count >= 24 && *head == 0)
        );
    }
}
