// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operations that a kernel may use.

use std::sync::LazyLock;

/// A table of 256 constants, printed as one tree of decisions for each bit.
pub struct Table {
    width: u32,
    entries: [u64; 256],
    /// The entry, if they are all equal.
    only: Option<u64>,
}

impl Table {
    /// A table of entries of `width` bits, at most 64, by their index.
    pub fn new(width: u32, entry: impl Fn(usize) -> u64) -> Table {
        let entries: [u64; 256] = std::array::from_fn(entry);
        let same = entries.iter().all(|&entry| entry == entries[0]);
        Table {
            width,
            entries,
            only: same.then_some(entries[0]),
        }
    }

    /// Bits of an entry.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The entries.
    pub fn entries(&self) -> &[u64; 256] {
        &self.entries
    }
}

/// The stage of a steady word: one that does not change while a stream is decoded.
pub(super) const STEADY: u32 = u32::MAX;

/// A value of a fixed width, 1 to 64 bits. Operands of one operation have the same width.
///
/// Every word has a *pipeline stage*: the number of clock cycles since its inputs arrived. Operands
/// of different stages are aligned: registers delay the earlier one. Constants and
/// [steady](Word::steady) words fit any stage.
pub trait Word: Copy {
    /// A port: a bundle of fields.
    type Port;
    /// A register whose next value is not set yet.
    type RegisterHandle;
    /// Whether a kernel over these words prints: then the names of words count.
    const PRINTS: bool = false;

    /// `width` bits of a port from bit `low` on.
    fn field(port: &Self::Port, low: u32, width: u32) -> Self;
    /// A constant.
    fn constant(value: u64, width: u32) -> Self;
    /// Bits of this value.
    fn width(self) -> u32;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Bitwise complement.
    fn not(self) -> Self;
    /// Sum, modulo 2^width.
    fn add(self, other: Self) -> Self;
    /// Equality, 1 bit.
    fn eq(self, other: Self) -> Self;
    /// Unsigned comparison, 1 bit.
    fn lt(self, other: Self) -> Self;
    /// `width` bits from bit `low` on.
    fn slice(self, low: u32, width: u32) -> Self;
    /// Concatenation: this value in the high bits, `low` in the low bits.
    fn concat(self, low: Self) -> Self;
    /// `yes` where this bit is 1, else `no`.
    fn mux(self, yes: Self, no: Self) -> Self;
    /// The table entry that this byte selects, where not all entries are equal.
    fn select(self, table: &'static Table) -> Self;
    /// The pipeline stage: clock cycles since the inputs; `u32::MAX` for a steady word.
    fn stage(self) -> u32;
    /// The word delayed by a number of cycles. Registers start at 0. Steady words are not delayed.
    fn delay(self, cycles: u32) -> Self;
    /// The same word of the next input, one cycle later: no register, only a later stage.
    fn next_word(self) -> Self;
    /// The word marked as steady: it does not change while a stream is decoded, so it is never
    /// delayed.
    fn steady(self) -> Self;
    /// A register that starts at 0, read at `stage`, and the handle that sets its next value.
    fn register(width: u32, stage: u32) -> (Self, Self::RegisterHandle);
    /// Sets the next value of a register.
    ///
    /// # Panics
    /// If the value is of a later stage than the register: the loop would take more than one cycle.
    fn set_next(held: Self::RegisterHandle, next: Self);

    /// How many words there are so far.
    fn made() -> usize {
        0
    }
    /// Reports what the words were made for that came after the first `since` ones.
    fn made_for(_since: usize, _name: &str) {}
    /// Reports what the source calls this word, if it came after the first `since` ones.
    fn call(self, _since: usize, _name: &str) {}

    /// The same word on a wire of its own, which synthesis keeps: it does not share logic across it. It is for loops
    /// of many equal steps, whose multiplexers it would else take apart.
    fn kept(self) -> Self {
        self
    }

    /// The table entry that this byte selects. If all entries are equal, it is a constant, which
    /// fits any stage.
    fn rom(self, table: &'static Table) -> Self {
        match table.only {
            Some(entry) => Self::constant(entry, table.width),
            None => self.select(table),
        }
    }

    /// The word through one pipeline register.
    fn reg(self) -> Self {
        self.delay(1)
    }

    /// The word delayed to a later stage.
    ///
    /// # Panics
    /// If the word is already past that stage.
    fn at_stage(self, stage: u32) -> Self {
        if self.stage() == STEADY {
            return self;
        }
        assert!(
            self.stage() <= stage,
            "a word of stage {} at stage {stage}",
            self.stage()
        );
        self.delay(stage - self.stage())
    }

    /// Whether the value equals a constant.
    fn is(self, value: u64) -> Self {
        self.eq(Self::constant(value, self.width()))
    }

    /// Whether any bit is 1.
    fn any(self) -> Self {
        self.is(0).not()
    }

    /// One bit of the value.
    fn bit(self, index: u32) -> Self {
        self.slice(index, 1)
    }

    /// This value if `gate` is 1, else 0.
    fn mask(self, gate: Self) -> Self {
        gate.mux(self, Self::constant(0, self.width()))
    }

    /// The value zero-extended to `width` bits.
    fn extend(self, width: u32) -> Self {
        if width == self.width() {
            self
        } else {
            Self::constant(0, width - self.width()).concat(self)
        }
    }

    /// Bitwise and with a constant.
    fn and_const(self, value: u64) -> Self {
        self.and(Self::constant(value, self.width()))
    }

    /// The value plus a constant.
    fn add_const(self, value: u64) -> Self {
        self.add(Self::constant(value, self.width()))
    }

    /// Equality of long words that is not in a hurry: a carry goes through while three bits after the other are equal,
    /// so that each look-up table has the three bits of both. A tree takes twice as many.
    fn eq_on_carry(self, other: Self) -> Self {
        let width = self.width();
        let three = |low: u32| {
            let bits = |word: Self| word.slice(low, (width - low).min(3));
            bits(self).eq(bits(other))
        };
        let same = join((0..width).step_by(3).map(three));
        same.extend(same.width() + 1).add_const(1).bit(same.width())
    }
}

/// The later of two stages; a steady word does not count.
pub(super) fn later_stage(a: u32, b: u32) -> u32 {
    match (a, b) {
        (STEADY, stage) | (stage, STEADY) => stage,
        (a, b) => a.max(b),
    }
}

/// The latest stage of some words; `u32::MAX` if all of them are steady.
pub fn latest<T: Word>(words: impl IntoIterator<Item = T>) -> u32 {
    words.into_iter().map(T::stage).fold(STEADY, later_stage)
}

/// The OR of 1-bit values.
pub fn any<T: Word>(bits: &[T]) -> T {
    bits.iter()
        .copied()
        .reduce(T::or)
        .unwrap_or(T::constant(0, 1))
}

/// The AND of 1-bit values.
pub fn all<T: Word>(bits: &[T]) -> T {
    bits.iter()
        .copied()
        .reduce(T::and)
        .unwrap_or(T::constant(1, 1))
}

/// The concatenation of words, the first one lowest.
///
/// # Panics
/// If there are none.
pub fn join<T: Word>(words: impl IntoIterator<Item = T>) -> T {
    let joined = words.into_iter().reduce(|low, high| high.concat(low));
    joined.expect("words to join")
}

/// The value of the first condition that holds, else `other`.
pub fn priority_mux<T: Word>(cases: &[(T, T)], other: T) -> T {
    cases
        .iter()
        .rev()
        .fold(other, |rest, &(when, value)| when.mux(value, rest))
}

/// One of a list by its index of `bits` bits: a tree of multiplexers.
pub fn mux_tree<T: Word>(list: &[T], index: T, bits: u32) -> T {
    let Some(bit) = bits.checked_sub(1) else {
        return list[0];
    };
    let half = 1 << bit;
    let low = mux_tree(&list[..half.min(list.len())], index, bit);
    if list.len() <= half {
        return low;
    }
    index.bit(bit).mux(mux_tree(&list[half..], index, bit), low)
}

/// One of four by two bits.
pub fn mux4<T: Word>(select: T, of: [T; 4]) -> T {
    mux_tree(&of, select, 2)
}

/// `a - b`, of the same width.
pub fn minus<T: Word>(a: T, b: T) -> T {
    a.not().add(b).not()
}

/// How many bits are set, of up to four: three bits.
pub fn count_ones<T: Word>(bits: T) -> T {
    static ONES: LazyLock<Table> =
        LazyLock::new(|| Table::new(3, |bits| (bits % 16).count_ones().into()));
    bits.extend(8).rom(&ONES)
}

/// The exclusive or of the columns of the bits that are set in a word of at most 32 bits: a tree.
pub fn xor_columns<T: Word>(word: T, columns: &[u32; 32]) -> T {
    let bits = (0..word.width()).zip(columns);
    let mut terms: Vec<T> = bits
        .map(|(bit, &column)| T::constant(column.into(), 32).mask(word.bit(bit)))
        .collect();
    while terms.len() > 1 {
        let pairs = terms.chunks(2).map(|pair| match pair {
            &[one, other] => one.xor(other),
            rest => rest[0],
        });
        terms = pairs.collect();
    }
    terms[0]
}

/// The lowest bit that is set, alone.
pub fn lowest_set<T: Word>(set: T) -> T {
    set.and(set.not().add_const(1))
}

/// The bits that are set but for the lowest one.
pub fn without_lowest<T: Word>(set: T) -> T {
    set.and(set.add_const(u64::MAX >> (64 - set.width())))
}
