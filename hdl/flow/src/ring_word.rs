// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of a commit ring: an item with its atoms and its address.

use super::item::{ITEM_W, Item, ItemKind, KIND_W, PATTERN_W, REASON_W, Speculation};
use coretrace_abi::flow_table::LostReason;
use coretrace_hdl_dataflow::{Table, Word, any, join, layout, minus, mux_tree};
use std::sync::LazyLock;

layout! {
    /// An item that waits.
    pub struct RingWord {
        kind: KIND_W,
        /// Bit 0 says that the core executes A64, where there is a context; bit 1 is the IS bit. Of an
        /// item that does not wait, the code of the instruction set.
        isa: 2,
        space: 4,
        /// [`Run`]; of a gap, its pattern is the reason.
        run: 10,
        /// Of an item without an address, [`Speculation`].
        address: 64,
        /// [`Class`].
        class: CLASS_W,
    }
}

layout! {
    /// What an item is to the ring.
    pub struct Class {
        atoms: 1,
        /// A source address: an E, where nobody knows the place.
        source: 1,
        /// Its atoms, or itself, are P0 elements, as many as its run counts.
        p0: 1,
        /// It waits for what is in front of it. Without a P0 element it also waits for those that were
        /// sent before the Trace Info.
        waits: 1,
        /// It is not kept by the ring.
        at_once: 1,
        /// It says only what is final, or taken back.
        resolves: 1,
        /// Nothing goes on behind it, up to a Trace Info.
        loses: 1,
        begins: 1,
        /// Something is taken back behind it.
        cancels: 1,
        mispredicts: 1,
    }
}

/// Bits of a class.
const CLASS_W: usize = Class::WIDTH;

/// The place in front of another one.
pub fn one_back<T: Word>(place: T) -> T {
    let width = place.width();
    place.add(T::constant(u64::MAX >> (64 - width), width))
}

/// Bits of such a word.
pub const RING_WORD_W: usize = RingWord::WIDTH;
/// Bits of a number of atoms.
pub const COUNT_W: u32 = 5;
const SHORT_W: u32 = PATTERN_W as u32;

layout! {
    /// Atoms of one packet, or what is left of them. Up to five are a pattern, the oldest in bit 0.
    /// Of more, all are E but the last one, which is bit 0.
    pub struct Run {
        count: 5,
        pattern: 5,
    }
}

layout! {
    /// Up to five atoms as an item has them.
    struct ShortRun {
        pattern: 5,
        head: 3,
        tail: 3,
    }
}

/// By the pattern and the number of atoms.
static SHORT_RUNS: LazyLock<Table> = LazyLock::new(|| {
    ShortRun::table(|index| {
        let (pattern, count) = (index as u32 % 32, index as u32 / 32);
        let item = Item::atoms(pattern, count.min(SHORT_W)).expect("up to five atoms");
        ShortRun {
            pattern: item.pattern,
            head: item.head,
            tail: item.tail,
        }
    })
});

/// The bit of the last atom of a short run.
static LAST_BITS: LazyLock<Table> =
    LazyLock::new(|| Table::new(SHORT_W, |count| (1 << (count % 8) & 0x3F) >> 1));

impl<T: Word> Run<T> {
    /// The atoms of a word.
    pub fn of(word: &RingWord<T>) -> Self {
        Run::split(word.run)
    }

    /// The atoms of an item.
    pub fn of_item(item: &Item<T>) -> Self {
        let count = item.head.add(item.tail.extend(COUNT_W));
        let last = item.tail.any().not().extend(SHORT_W);
        Run {
            count,
            pattern: is_long(count).mux(last, item.pattern),
        }
    }

    /// The oldest ones, `count` of them, which is less than all.
    pub fn first(&self, count: T) -> Self {
        let all_taken = T::constant((1 << SHORT_W) - 1, SHORT_W);
        Run {
            count,
            pattern: is_long(self.count).mux(all_taken, self.pattern),
        }
    }

    /// Those behind the oldest `count` ones.
    pub fn behind(&self, count: T) -> Self {
        let left = minus(self.count, count);
        let shifted = (0..SHORT_W).map(|by| {
            let kept = self.pattern.slice(by, SHORT_W - by);
            kept.extend(SHORT_W)
        });
        let shifted: Vec<T> = shifted.collect();
        let short = mux_tree(&shifted, count.slice(0, 3), 3);
        // Of a long run an N may be the last one alone.
        let last = last_bit(left).mask(self.pattern.bit(0).not());
        let ended = is_long(left).mux(self.pattern, last.not());
        Run {
            count: left,
            pattern: is_long(self.count).mux(ended, short),
        }
    }

    /// With another last one.
    pub fn flipped(&self) -> Self {
        let last = is_long(self.count).mux(T::constant(1, SHORT_W), last_bit(self.count));
        Run {
            count: self.count,
            pattern: self.pattern.xor(last),
        }
    }

    /// As an item.
    pub fn item(&self) -> Item<T> {
        let index = self.count.slice(0, 3).concat(self.pattern);
        let short = ShortRun::split(index.rom(&SHORT_RUNS));
        let long = is_long(self.count);
        let is_n = self.pattern.bit(0).not();
        // Less one if the last one is N.
        let minus = join((0..COUNT_W).map(|_| is_n));
        Item {
            kind: T::constant(ItemKind::Atoms as u64, KIND_W as u32),
            pattern: long.mux(T::constant((1 << SHORT_W) - 1, SHORT_W), short.pattern),
            head: long.mux(self.count.add(minus), short.head.extend(COUNT_W)),
            tail: long.mux(is_n.extend(3), short.tail),
        }
    }
}

fn is_long<T: Word>(count: T) -> T {
    T::constant(SHORT_W.into(), COUNT_W).lt(count)
}

fn last_bit<T: Word>(count: T) -> T {
    count.slice(0, 3).extend(8).rom(&LAST_BITS)
}

impl<T: Word> Class<T> {
    /// Of a kind of item; of a gap, by its reason, of what speaks of speculation, by that.
    fn of(kind: T, reason: T, speculation: Speculation<T>) -> Self {
        let is = |is: ItemKind| kind.is(is as u64);
        let atoms = is(ItemKind::Atoms);
        let source = is(ItemKind::Source);
        let other_p0 = any(&[
            source,
            is(ItemKind::Exception),
            is(ItemKind::ExceptionAtTarget),
            is(ItemKind::Q),
            is(ItemKind::P0Jump),
        ]);
        let gap = is(ItemKind::Gap);
        let trace_on = gap.and(reason.is(LostReason::TraceOn as u64));
        let begins = is(ItemKind::TraceInfo);
        let p0 = atoms.or(other_p0);
        let resolves = is(ItemKind::Resolution);
        let takes_back = atoms.or(resolves.and(speculation.commits.not()));
        Class {
            atoms,
            source,
            p0,
            waits: any(&[
                p0,
                is(ItemKind::Address),
                is(ItemKind::AddressInContext),
                is(ItemKind::Context),
                is(ItemKind::Jump),
                trace_on,
            ]),
            at_once: begins.or(is(ItemKind::ReadOut)),
            resolves,
            loses: gap.and(trace_on.not()),
            begins,
            cancels: takes_back.and(speculation.cancels),
            mispredicts: takes_back.and(speculation.mispredicts),
        }
    }
}

impl<T: Word> RingWord<T> {
    /// Of an item, and of its address or of what it says of speculation.
    pub fn of_item(item: T, address: T, isa: T, space: T) -> Self {
        assert_eq!(item.width(), ITEM_W as u32);
        let item = Item::split(item);
        let reason = item.pattern.slice(0, REASON_W as u32);
        let class = Class::of(item.kind, reason, speculation(address));
        let run = Run::of_item(&item);
        let itself = class.p0.and(class.atoms.not());
        let run = Run {
            count: run.count.or(itself.extend(COUNT_W)),
            ..run
        };
        RingWord {
            kind: item.kind,
            isa,
            space,
            run: join(run.pack()),
            address,
            class: join(class.pack()),
        }
    }

    pub fn class(&self) -> Class<T> {
        Class::split(self.class)
    }

    /// A gap, for this reason, with the rest of another word.
    pub fn gap(reason: T, other: &Self) -> Self {
        let kind = T::constant(ItemKind::Gap as u64, KIND_W as u32);
        let run = Run {
            count: T::constant(0, COUNT_W),
            pattern: reason.extend(SHORT_W),
        };
        RingWord {
            kind,
            run: join(run.pack()),
            class: join(Class::of(kind, reason, other.speculation()).pack()),
            ..*other
        }
    }

    /// With other atoms.
    pub fn with_run(self, run: &Run<T>) -> Self {
        let run = Run {
            count: run.count,
            pattern: run.pattern,
        };
        RingWord {
            run: join(run.pack()),
            ..self
        }
    }

    /// What it says of speculation.
    pub fn speculation(&self) -> Speculation<T> {
        speculation(self.address)
    }
}

/// Of the address of an item that has none.
fn speculation<T: Word>(address: T) -> Speculation<T> {
    Speculation::split(address.slice(0, Speculation::<()>::WIDTH as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::Value;

    /// The atoms of an item, the oldest first.
    fn atoms(item: &Item<Value>) -> Vec<bool> {
        let (head, tail) = (item.head.bits(), item.tail.bits());
        let taken = |place| place >= 5 || item.pattern.bits() >> place & 1 == 1;
        let head = (0..head).map(taken);
        head.chain((0..tail).map(|_| false)).collect()
    }

    #[test]
    fn runs_are_cut_and_flipped_as_lists_of_atoms() {
        let count = |count: usize| Value::constant(count as u64, COUNT_W);
        for header in 0..=255 {
            let packet = coretrace_etm::atoms(header);
            let list: Vec<bool> = packet.iter().collect();
            let item = Item::atoms(packet.pattern(), packet.count.into()).expect("a packet");
            let item = Item::split(Value::constant(item.number(), ITEM_W as u32));
            let run = Run::of_item(&item);
            assert_eq!(atoms(&run.item()), list, "{header:#04x}");
            for cut in 0..list.len() {
                let first = run.first(count(cut));
                assert_eq!(atoms(&first.item()), list[..cut], "{header:#04x} {cut}");
                let behind = run.behind(count(cut));
                assert_eq!(atoms(&behind.item()), list[cut..], "{header:#04x} {cut}");
                // Then once more, the last one changed: it is never in front of an N.
                for (run, list) in [(first, &list[..cut]), (behind, &list[cut..])] {
                    let Some((last, before)) = list.split_last() else {
                        continue;
                    };
                    let want: Vec<bool> = before.iter().copied().chain([!last]).collect();
                    assert_eq!(atoms(&run.flipped().item()), want, "{header:#04x} {cut}");
                }
            }
        }
    }
}
