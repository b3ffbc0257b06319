// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words between the blocks: items, entries and tokens.

use coretrace_abi::flow_stream::CYCLES_BITS;
use coretrace_abi::flow_table::{EXIT_FLAGS, MAX_SITE_BITS, RUN_BITS, RUN_WORD_BITS, TRIGGER_BITS};
use coretrace_hdl_dataflow::layout;

/// What an item is. The model of items is `FlowItem` of `coretrace-sites`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ItemKind {
    /// No item.
    Nothing,
    /// Atoms of one packet.
    Atoms,
    /// The next instruction is at the address.
    Address,
    /// An exception: the next address is where the program was interrupted.
    Exception,
    /// The same, and that address is also the target of the branch before.
    ExceptionAtTarget,
    /// Instructions whose branches are not known.
    Q,
    /// The next address may be any.
    Jump,
    /// The return stack is forgotten.
    TraceInfo,
    /// What follows does not belong to what came before; `pattern` is the reason.
    Gap,
    /// The counters are read here.
    ReadOut,
    /// The context of the addresses behind it. This kind and the next three are for a commit ring alone.
    Context,
    /// An address with its context.
    AddressInContext,
    /// As a jump, and a P0 element.
    P0Jump,
    /// Nothing but what is said of speculation.
    Resolution,
    /// An address and the atoms of the packet behind it, where nothing waits for either. There is none of
    /// a trace unit with speculation.
    AddressAndAtoms,
    /// The branch at the address was taken, and none in front of it: a P0 element. Its atoms are one E.
    Source,
    /// Cycles since the last count, in the place of the address. There is none of a trace unit with speculation.
    Cycles,
}

/// Bits of a kind.
pub const KIND_W: usize = 5;

/// Bits of a number of atoms, and of a run of sites.
pub const ATOMS_W: usize = RUN_BITS as usize;
/// Bits of a run word.
pub const RUN_W: usize = RUN_WORD_BITS as usize;
/// Bits of a trigger.
pub const TRIGGER_W: usize = TRIGGER_BITS as usize;
/// Bits of an exit word above the exit: the flags, the trigger, and the parity.
pub const EXIT_FLAGS_W: usize = EXIT_FLAGS as usize + TRIGGER_W + 1;
/// Atoms of a packet that may be N before the last E: all others are E.
pub const PATTERN_W: usize = 5;
/// Bits of the number of N atoms at the end of a packet.
pub const TAIL_W: usize = 3;
/// Bits of a number of P0 elements.
pub const ELEMENTS_W: usize = 9;
/// The most bits of a site.
pub const MOST_SITE_W: usize = MAX_SITE_BITS as usize;
/// Bits of a number of cycles.
pub const CYCLES_W: usize = CYCLES_BITS as usize;
/// Bits of a reason why the place is not known.
pub const REASON_W: usize = 4;

layout! {
    /// What the packet decoder hands on. An item of atoms is one packet: no packet has an N in
    /// front of an E behind its fifth atom.
    pub struct Item {
        kind: KIND_W,
        /// The first atoms, the oldest in bit 0, E is 1; those behind them are E.
        pattern: PATTERN_W,
        /// Atoms up to the last E, that one included.
        head: ATOMS_W,
        /// N atoms behind the last E.
        tail: TAIL_W,
    }
}

layout! {
    /// What a packet says of speculation, behind its atoms. It is in the place of the address of an item
    /// that has none, in front of a commit ring.
    pub struct Speculation {
        /// A number of P0 elements; of a Trace Info, those that were sent before and are not final. The
        /// largest number stands for more, too.
        elements: ELEMENTS_W,
        /// The oldest ones are final.
        commits: 1,
        /// The youngest ones were never executed.
        cancels: 1,
        /// Behind that, the youngest atom is the other one.
        mispredicts: 1,
    }
}

layout! {
    /// What waits in the FIFO: N atoms and then those of at most one packet, with the address
    /// before them and what happens behind them.
    pub struct Entry {
        has_address: 1,
        /// The branch at the address was taken before the atoms, and none in front of it.
        source: 1,
        /// The address is in the tables, or it is not because a word is damaged, and its site. Without
        /// `has_address` and `source` it is the one of an exception.
        loaded: 1,
        damaged: 1,
        site: MOST_SITE_W,
        /// The address may be any.
        is_jump: 1,
        /// A return address is taken from the stack all the same.
        pops: 1,
        /// The program was interrupted before the entry, nobody knows where.
        interrupted: 1,
        /// The return stack is forgotten before the entry.
        forgets: 1,
        count: ATOMS_W,
        pattern: PATTERN_W,
        head: ATOMS_W,
        /// Behind the atoms comes an exception or a Q element.
        leaves: 1,
        is_q: 1,
        /// Why the place is not known behind the atoms; 0 if it is.
        gap: REASON_W,
        /// The counters are read behind the atoms.
        reads_out: 1,
        /// Cycles were counted behind the atoms.
        counted: 1,
    }
}

/// Bits of an item.
pub const ITEM_W: usize = Item::WIDTH;
/// Bits of an entry.
pub const ENTRY_W: usize = Entry::WIDTH;

impl Item<u64> {
    /// An item without atoms.
    pub fn of(kind: ItemKind) -> Self {
        Item {
            kind: kind as u64,
            pattern: 0,
            head: 0,
            tail: 0,
        }
    }

    /// A source address.
    pub fn source() -> Self {
        Item {
            kind: ItemKind::Source as u64,
            pattern: 1,
            head: 1,
            tail: 0,
        }
    }

    /// A gap, by the code of its reason.
    pub fn gap(reason: u8) -> Self {
        Item {
            pattern: reason.into(),
            ..Item::of(ItemKind::Gap)
        }
    }

    /// The atoms of a packet, the oldest in bit 0, E is 1. `None` if no packet has them: an N
    /// behind the fifth atom and before an E, or more than seven N at the end.
    pub fn atoms(bits: u32, count: u32) -> Option<Self> {
        let bits = bits & ((1 << count) - 1);
        let head = 32 - bits.leading_zeros();
        let tail = count - head;
        let behind = (1 << head) - (1 << head.min(PATTERN_W as u32));
        (tail < 1 << TAIL_W && bits & behind == behind).then(|| Item {
            kind: ItemKind::Atoms as u64,
            pattern: (bits & ((1 << PATTERN_W) - 1)).into(),
            head: head.into(),
            tail: tail.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_are_a_pattern_a_run_of_e_and_a_tail_of_n() {
        let of = |bits, count| {
            let item = Item::atoms(bits, count)?;
            Some((item.pattern, item.head, item.tail))
        };
        assert_eq!(of(0b01010, 5), Some((0b01010, 4, 1)));
        assert_eq!(of(0, 5), Some((0, 0, 5)));
        assert_eq!(of(0x7F_FFFF, 24), Some((31, 23, 1)));
        assert_eq!(of(0xFF_FFFF, 24), Some((31, 24, 0)));
        assert_eq!(of(0b100_0001, 7), None);
        assert_eq!(of(1, 9), None);
    }
}
