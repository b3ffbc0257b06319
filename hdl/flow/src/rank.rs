// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Rank`: an address in, the number of the next site out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `address[63:0]`, `isa[1:0]`, `space[3:0]` | in | an address, the code of its instruction set and its address space; there is no valid bit |
//! | `loaded`, `site[SW-1:0]` | out | the address is in the tables; the number of the first site at or behind it, which is not 0 |
//! | `damaged` | out | it is not, because a word that was read has a wrong parity |
//! | `has_unit`, `unit_row[RW-1:0]`, `unit[3:0]` | out | five cycles earlier: its page is loaded, and no word that was read is damaged; its row among those of all frames, and its unit in the row |
//! | `page_write[1:0]`, `page_slot[9:0]`, `page_word[63:0]` | in | bit 0: a new word of a slot of the page table, the frame and [`PageTag`] above it; bit 1: a new word of a bucket, a [`Bucket`] |
//! | `row_write`, `row[RW-1:0]`, `row_bitmap[16:0]`, `row_base[SW-1:0]` | in | a new row: bit `u` of the bitmap is a site at unit `u`, and there are `row_base` sites below; the highest bit is the parity of all of it |
//!
//! A site is an instruction that ends a block, and sites are numbered in the order of their
//! addresses, so the number of the next one is the number of sites below the address. The page table
//! knows the frame of a page: two hashes of its number give a bucket and, with the displacement that is there, its
//! slot, so that one word is compared. A frame has 64 rows of 16 units, and a unit is a place of an instruction.
//! `RW` is `FW` + 6.
//!
//! Latency 10 cycles. Throughput one address per cycle.

use super::parity::is_odd;
use coretrace_abi::flow_table::{
    BUCKET_FOLDS, BUCKET_WORD_BITS, FRAME_ROWS, ISA_BITS, ISA_IN_SLOT, PAGE_NUMBER_BITS, ROW_UNITS,
    SLOT_BITS, SLOT_FOLDS, SPACE_BITS, SPACE_IN_SLOT,
};
use coretrace_hdl_dataflow::{Bus, Table, Word, all, clocked_block, join, layout, named};
use coretrace_hdl_parts::stream::TableMemory;
use rust_hdl::prelude::*;
use std::sync::LazyLock;

/// Cycles from an address to its site.
pub const RANK_LATENCY: usize = 10;
/// Cycles from an address to its unit.
pub const UNIT_LATENCY: usize = 5;
/// Address bits of the page table, and of its buckets.
const SLOT_W: usize = SLOT_BITS as usize;
/// Bits of a bucket.
const BUCKET_W: usize = BUCKET_WORD_BITS as usize;
/// Bits of a page number.
const NUMBER_W: usize = PAGE_NUMBER_BITS as usize;
/// Bits of the code of an instruction set: bit 0 is A64, bit 1 is T32.
const ISA_W: usize = ISA_BITS as usize;
/// Bits of the number of an address space.
const SPACE_W: usize = SPACE_BITS as usize;
/// Bits of a page word in memory.
const PAGE_W: usize = 64;
/// Bits of a bitmap, with the parity of the row.
pub const BITMAP_W: usize = ROW_UNITS as usize + 1;
/// Bits of a row of a frame, and of a unit of a row.
const ROW_W: u32 = FRAME_ROWS.ilog2();
const UNIT_W: u32 = ROW_UNITS.ilog2();
/// The same, of a port.
const ROW_PORT_W: usize = ROW_W as usize;
pub const UNIT_PORT_W: usize = UNIT_W as usize;

layout! {
    /// A word of the page table, without the frame in its low bits.
    pub struct PageTag {
        number: NUMBER_W,
        isa: ISA_W,
        space: SPACE_W,
        /// It holds in all address spaces.
        any_space: 1,
        valid: 1,
        /// It makes the ones of the word even in number.
        parity: 1,
    }
}

layout! {
    /// A word of a bucket.
    pub struct Bucket {
        displacement: SLOT_W,
        /// The address space is in the hash of the slot.
        by_space: 1,
        /// It makes the ones of the word even in number.
        parity: 1,
    }
}

layout! {
    /// What a page word is compared with, and the units of a page.
    pub struct PageKey {
        number: NUMBER_W,
        isa: ISA_W,
        space: SPACE_W,
        /// The bits above the page number are its sign.
        in_range: 1,
        row: ROW_W as usize,
        unit: UNIT_W as usize,
    }
}

/// Bits of a key.
const KEY_W: usize = PageKey::WIDTH;

#[derive(LogicBlock)]
pub struct Rank<const SW: usize, const FW: usize, const RW: usize> {
    pub clock: Signal<In, Clock>,
    pub address: Signal<In, Bus<64>>,
    pub isa: Signal<In, Bits<ISA_W>>,
    pub space: Signal<In, Bits<SPACE_W>>,
    pub loaded: Signal<Out, Bit>,
    pub damaged: Signal<Out, Bit>,
    pub site: Signal<Out, Bits<SW>>,
    pub has_unit: Signal<Out, Bit>,
    pub unit_row: Signal<Out, Bits<RW>>,
    pub unit: Signal<Out, Bits<UNIT_PORT_W>>,
    pub page_write: Signal<In, Bits<2>>,
    pub page_slot: Signal<In, Bits<SLOT_W>>,
    pub page_word: Signal<In, Bits<PAGE_W>>,
    pub row_write: Signal<In, Bit>,
    pub row: Signal<In, Bits<RW>>,
    pub row_bitmap: Signal<In, Bits<BITMAP_W>>,
    pub row_base: Signal<In, Bits<SW>>,
    page_lookup: PageLookup<1, 1>,
    buckets: TableMemory<SLOT_W, BUCKET_W>,
    page_slots: PageSlots<1, 1>,
    pages: TableMemory<SLOT_W, PAGE_W>,
    page_match: PageMatch<FW, 1>,
    bitmaps: TableMemory<RW, BITMAP_W>,
    bases: TableMemory<RW, SW>,
    row_rank: RowRank<SW, 1>,
    frame_row: Signal<Local, Bits<RW>>,
    frame: Signal<Local, Bits<RW>>,
}

impl<const SW: usize, const FW: usize, const RW: usize> Default for Rank<SW, FW, RW> {
    fn default() -> Self {
        assert_eq!(RW, FW + ROW_W as usize, "a frame has 64 rows");
        Self {
            clock: Default::default(),
            address: Default::default(),
            isa: Default::default(),
            space: Default::default(),
            loaded: Default::default(),
            damaged: Default::default(),
            site: Default::default(),
            has_unit: Default::default(),
            unit_row: Default::default(),
            unit: Default::default(),
            page_write: Default::default(),
            page_slot: Default::default(),
            page_word: Default::default(),
            row_write: Default::default(),
            row: Default::default(),
            row_bitmap: Default::default(),
            row_base: Default::default(),
            page_lookup: Default::default(),
            buckets: Default::default(),
            page_slots: Default::default(),
            pages: Default::default(),
            page_match: Default::default(),
            bitmaps: Default::default(),
            bases: Default::default(),
            row_rank: Default::default(),
            frame_row: Default::default(),
            frame: Default::default(),
        }
    }
}

impl<const SW: usize, const FW: usize, const RW: usize> Logic for Rank<SW, FW, RW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            page_lookup,
            buckets,
            page_slots,
            pages,
            page_match,
            bitmaps,
            bases,
            row_rank
        );
        self.page_lookup.address.next = self.address.val();
        self.page_lookup.isa.next = self.isa.val();
        self.page_lookup.space.next = self.space.val();
        self.buckets.read_address.next = self.page_lookup.bucket.val();
        self.buckets.read_enable.next = true;
        self.buckets.write_address.next = self.page_slot.val();
        self.buckets.write_data.next = self.page_word.val().get_bits::<BUCKET_W>(0);
        self.buckets.write_enable.next = self.page_write.val().get_bit(1);
        self.page_slots.key.next = self.page_lookup.key.val();
        self.page_slots.bucket.next = self.buckets.read_data.val();
        self.pages.read_address.next = self.page_slots.slot.val();
        self.pages.read_enable.next = true;
        self.pages.write_address.next = self.page_slot.val();
        self.pages.write_data.next = self.page_word.val();
        self.pages.write_enable.next = self.page_write.val().get_bit(0);
        self.page_match.key.next = self.page_slots.slot_key.val();
        self.page_match.bucket_damaged.next = self.page_slots.bucket_damaged.val();
        self.page_match.page.next = self.pages.read_data.val();

        self.frame.next = bit_cast::<RW, FW>(self.page_match.frame.val());
        self.frame_row.next =
            (self.frame.val() << 6) | bit_cast::<RW, 6>(self.page_match.row.val());
        self.has_unit.next = self.page_match.hit.val() & !self.page_match.damaged.val();
        self.unit_row.next = self.frame_row.val();
        self.unit.next = self.page_match.unit.val();
        self.bitmaps.read_address.next = self.frame_row.val();
        self.bitmaps.read_enable.next = true;
        self.bitmaps.write_address.next = self.row.val();
        self.bitmaps.write_data.next = self.row_bitmap.val();
        self.bitmaps.write_enable.next = self.row_write.val();
        self.bases.read_address.next = self.frame_row.val();
        self.bases.read_enable.next = true;
        self.bases.write_address.next = self.row.val();
        self.bases.write_data.next = self.row_base.val();
        self.bases.write_enable.next = self.row_write.val();
        self.row_rank.hit.next = self.page_match.hit.val();
        self.row_rank.page_damaged.next = self.page_match.damaged.val();
        self.row_rank.unit.next = self.page_match.unit.val();
        self.row_rank.bitmap.next = self.bitmaps.read_data.val();
        self.row_rank.base.next = self.bases.read_data.val();
        self.loaded.next = self.row_rank.loaded.val();
        self.damaged.next = self.row_rank.damaged.val();
        self.site.next = self.row_rank.site.val();
    }
}

clocked_block! {
    /// An address as bucket and key of the page table.
    pub struct PageLookup;
    inputs LookupInputs { address: Bus<64>, isa: Bits<ISA_W>, space: Bits<4>, }
    lane_inputs {}
    outputs LookupOutputs { bucket: Bits<SLOT_W>, key: Bus<KEY_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel page_lookup;
}

/// The exclusive or of the bits of a page number at these places and above.
fn folded<T: Word>(number: T, places: [u32; 4]) -> T {
    let bits = |low: u32| {
        let width = SLOT_BITS.min(NUMBER_W as u32 - low);
        number.slice(low, width).extend(SLOT_BITS)
    };
    places.map(bits).into_iter().reduce(T::xor).expect("places")
}

#[named]
fn page_lookup<T: Word, const N: usize, const P: usize>(
    i: LookupInputs<T::Port, N>,
) -> LookupOutputs<T, N, P> {
    let isa = T::field(&i.isa, 0, ISA_W as u32);
    let (is_a64, is_t32) = (isa.bit(0), isa.bit(1));
    // An A32 or T32 address has 32 bits.
    let high = T::field(&i.address, 32, 32).mask(is_a64);
    let low = T::field(&i.address, 0, 32);
    let sign = high.slice(16, 16);
    let half = low.bit(11).and(is_t32);
    let number = join([low.slice(12, 20), high.slice(0, 16), sign.bit(0).or(half)]);
    let units = is_t32.mux(low.slice(1, ROW_W + UNIT_W), low.slice(2, ROW_W + UNIT_W));
    let key = PageKey {
        number,
        isa,
        space: T::field(&i.space, 0, 4),
        in_range: sign.is(0).or(sign.is(0xFFFF)),
        row: units.slice(UNIT_W, ROW_W),
        unit: units.slice(0, UNIT_W),
    };
    LookupOutputs {
        bucket: vec![folded(number, BUCKET_FOLDS)],
        key: key.pack(),
    }
}

clocked_block! {
    /// The slot of a key, by the word of its bucket, which comes a cycle later.
    pub struct PageSlots;
    inputs SlotInputs { key: Bus<KEY_W>, bucket: Bits<BUCKET_W>, }
    lane_inputs {}
    outputs SlotOutputs { slot: Bits<SLOT_W>, slot_key: Bus<KEY_W>, bucket_damaged: Bit, }
    lane_outputs {}
    pair_outputs {}
    kernel page_slots;
}

#[named]
fn page_slots<T: Word, const N: usize, const P: usize>(
    i: SlotInputs<T::Port, N>,
) -> SlotOutputs<T, N, P> {
    let key = PageKey::<T>::unpack(&i.key);
    let word = T::field(&i.bucket, 0, BUCKET_W as u32).next_word();
    let bucket = Bucket::split(word);
    let of_isa = key.isa.concat(T::constant(0, ISA_IN_SLOT));
    let hash = folded(key.number, SLOT_FOLDS).xor(of_isa);
    let of_space = key.space.mask(bucket.by_space);
    let of_space = of_space.concat(T::constant(0, SPACE_IN_SLOT));
    let slot = hash.xor(bucket.displacement);
    SlotOutputs {
        slot: vec![slot.xor(of_space.extend(SLOT_BITS))],
        slot_key: key.pack(),
        bucket_damaged: vec![is_odd(word)],
    }
}

clocked_block! {
    /// The frame of a key, of `N` bits, from the word of its slot, which comes a cycle later. A damaged word may be
    /// that of any page of the slot.
    pub struct PageMatch;
    inputs MatchInputs { key: Bus<KEY_W>, bucket_damaged: Bit, page: Bits<PAGE_W>, }
    lane_inputs {}
    outputs MatchOutputs {
        hit: Bit,
        damaged: Bit,
        frame: Bits<N>,
        row: Bits<ROW_PORT_W>,
        unit: Bits<UNIT_PORT_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel page_match;
}

#[named]
fn page_match<T: Word, const N: usize, const P: usize>(
    i: MatchInputs<T::Port, N>,
) -> MatchOutputs<T, N, P> {
    let key = PageKey::<T>::unpack(&i.key);
    let word = T::field(&i.page, 0, (N + PageTag::WIDTH) as u32).next_word();
    let page = PageTag::split(word.slice(N as u32, PageTag::WIDTH as u32));
    let same_space = page.any_space.or(page.space.eq(key.space));
    let same_number = page.number.eq_on_carry(key.number);
    let same_isa = page.isa.eq(key.isa);
    let fits = [page.valid, same_space, same_number, same_isa, key.in_range];
    let damaged = is_odd(word).or(T::field(&i.bucket_damaged, 0, 1));
    MatchOutputs {
        hit: vec![all(&fits)],
        damaged: vec![damaged.and(key.in_range)],
        frame: vec![word.slice(0, N as u32)],
        row: vec![key.row],
        unit: vec![key.unit],
    }
}

clocked_block! {
    /// The site of a unit: the sites below the row, which come a cycle later, and those of the row
    /// below the unit; `N` bits of a site.
    pub struct RowRank;
    inputs RowInputs {
        hit: Bit,
        page_damaged: Bit,
        unit: Bits<UNIT_PORT_W>,
        bitmap: Bits<BITMAP_W>,
        base: Bits<N>,
    }
    lane_inputs {}
    outputs RankOutputs { loaded: Bit, damaged: Bit, site: Bits<N>, }
    lane_outputs {}
    pair_outputs {}
    kernel row_rank;
}

/// How many of six bits are set.
static ONES: LazyLock<Table> =
    LazyLock::new(|| Table::new(3, |bits| (bits % 64).count_ones().into()));
/// The sum of two such counts.
static PAIRS: LazyLock<Table> =
    LazyLock::new(|| Table::new(4, |pair| (pair % 8 + pair / 8 % 8) as u64));

#[named]
fn row_rank<T: Word, const N: usize, const P: usize>(
    i: RowInputs<T::Port, N>,
) -> RankOutputs<T, N, P> {
    let unit = T::field(&i.unit, 0, UNIT_W);
    let bitmap = T::field(&i.bitmap, 0, BITMAP_W as u32).next_word().reg();
    let base = T::field(&i.base, 0, N as u32).next_word().reg();
    // No unit is above the last one.
    let below = (0..ROW_UNITS - 1).map(|u| {
        let is_below = T::constant(u, UNIT_W).lt(unit);
        bitmap.bit(u as u32).and(is_below)
    });
    let below: Vec<T> = below.collect();
    let count = |bits: &[T]| join(bits.iter().copied()).extend(8).rom(&ONES);
    let counts = [&below[..6], &below[6..12], &below[12..]].map(|bits| count(bits).reg());
    let twelve = counts[1].concat(counts[0]).extend(8).rom(&PAIRS);
    let inside = twelve.add(counts[2].extend(UNIT_W));
    let site = base.add(inside.extend(N as u32)).reg();
    let hit = T::field(&i.hit, 0, 1);
    let row_damaged = is_odd(base.concat(bitmap)).reg();
    let page_damaged = T::field(&i.page_damaged, 0, 1);
    let damaged = page_damaged.or(hit.and(row_damaged)).reg();
    RankOutputs {
        loaded: vec![all(&[hit, damaged.not(), site.any()])],
        damaged: vec![damaged],
        site: vec![site],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_abi::flow_table::{BucketWord, bucket, even, is_damaged, slot};
    use coretrace_hdl_dataflow::Wide;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};
    use std::collections::{BTreeMap, BTreeSet, VecDeque};

    const FW: usize = 3;
    type Uut = Rank<12, FW, 9>;
    /// Bits of the words.
    const PAGE_WORD_W: u32 = (FW + PageTag::WIDTH) as u32;
    const ROW_WORD_W: u32 = 12 + BITMAP_W as u32;

    /// Codes of instruction sets.
    const A64: u64 = 1;
    const T32: u64 = 2;

    /// A page of the tables.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    struct Page {
        number: u64,
        isa: u64,
        /// Its address space, if it is not in all of them.
        space: Option<u64>,
    }

    impl Page {
        /// The address of a unit.
        fn address(self, unit: u64) -> u64 {
            match self.isa {
                T32 => (self.number << 12 | unit << 1) as u32 as u64 | self.number >> 36 << 11,
                // Bit 48 is the sign.
                _ => (((self.number << 27 | unit << 17) as i64) >> 15) as u64,
            }
        }

        fn word(self, frame: u64) -> u64 {
            let tag = PageTag {
                number: self.number,
                isa: self.isa,
                space: self.space.unwrap_or_default(),
                any_space: u64::from(self.space.is_none()),
                valid: 1,
                parity: 0,
            };
            even(tag.number() << FW | frame, PAGE_WORD_W)
        }
    }

    /// Tables with random pages: a page has its frame and the bitmaps of its rows.
    struct Tables {
        frames: BTreeMap<Page, u64>,
        /// Words of rows, buckets and slots; some are damaged.
        rows: Vec<u64>,
        buckets: BTreeMap<usize, u64>,
        slots: BTreeMap<usize, u64>,
    }

    impl Tables {
        fn random(rng: &mut StdRng) -> Tables {
            let mut frames = BTreeMap::new();
            // Few numbers, so that a page has others beside it that differ in one thing.
            let numbers: [u64; 3] = std::array::from_fn(|_| rng.random::<u64>() >> 27);
            while frames.len() < 8 {
                let isa = rng.random_range(0..3);
                let number = numbers[rng.random_range(0..3)] ^ rng.random_range(0..2) << 36;
                let page = Page {
                    number: match isa {
                        A64 => number,
                        T32 => (number % (1 << 20)) | (number >> 36 << 36),
                        _ => number % (1 << 20),
                    },
                    isa,
                    space: rng.random_bool(0.5).then(|| rng.random_range(0..3)),
                };
                // A page in all spaces is in no other one.
                let is_other = |known: &Page| {
                    (known.number, known.isa) != (page.number, page.isa)
                        || known.space.is_some() && page.space.is_some()
                };
                if frames.keys().all(is_other) {
                    let frame = frames.len() as u64;
                    frames.entry(page).or_insert(frame);
                }
            }
            let mut rows: Vec<u64> = (0..8 << ROW_W)
                .map(|_| even(rng.random::<u64>() >> (65 - ROW_WORD_W), ROW_WORD_W))
                .collect();
            for _ in 0..8 {
                rows[rng.random_range(0..8 << ROW_W)] ^= 1 << rng.random_range(0..ROW_WORD_W);
            }
            let mut tables = Tables {
                frames,
                rows,
                buckets: BTreeMap::new(),
                slots: BTreeMap::new(),
            };
            while !tables.place(rng) {}
            if rng.random() {
                let words = if rng.random() {
                    (&mut tables.slots, PAGE_WORD_W)
                } else {
                    (&mut tables.buckets, BUCKET_WORD_BITS)
                };
                *words.0.values_mut().next().expect("a word") ^= 1 << rng.random_range(0..words.1);
            }
            tables
        }

        /// Chooses displacements; whether each page has slots of its own.
        fn place(&mut self, rng: &mut StdRng) -> bool {
            self.slots.clear();
            let mut buckets = BTreeMap::<usize, BucketWord>::new();
            for page in self.frames.keys() {
                let displacement = rng.random_range(0..1 << SLOT_BITS);
                let bucket = buckets.entry(bucket(page.number)).or_insert(BucketWord {
                    displacement,
                    by_space: false,
                });
                bucket.by_space |= page.space.is_some();
            }
            let mut taken = 0;
            for (page, &frame) in &self.frames {
                let word = buckets[&bucket(page.number)];
                let place = |space| slot(page.number, page.isa as u8, space as u8, word);
                let spaces = match page.space {
                    Some(space) => space..space + 1,
                    None => 0..1 << SPACE_BITS,
                };
                let places: BTreeSet<usize> = spaces.map(place).collect();
                taken += places.len();
                let words = places.into_iter().map(|place| (place, page.word(frame)));
                self.slots.extend(words);
            }
            let words = buckets
                .into_iter()
                .map(|(place, word)| (place, word.pack()));
            self.buckets = words.collect();
            self.slots.len() == taken
        }

        /// The site of an address, if it is loaded; or whether a word is damaged.
        fn rank(&self, address: u64, isa: u64, space: u64) -> Result<u64, bool> {
            let is_a64 = isa == A64;
            let used = if is_a64 {
                address
            } else {
                address as u32 as u64
            };
            let units = if isa == T32 { used >> 1 } else { used >> 2 };
            let number = match isa {
                T32 => used >> 12 | (used >> 11 & 1) << 36,
                _ => used >> 12 & ((1 << NUMBER_W) - 1),
            };
            let in_range = (used as i64) << 15 >> 15 == used as i64;
            let page = |space| Page { number, isa, space };
            let bucket = self
                .buckets
                .get(&bucket(number))
                .copied()
                .unwrap_or_default();
            let place = slot(number, isa as u8, space as u8, BucketWord::unpack(bucket));
            let word = self.slots.get(&place).copied().unwrap_or_default();
            let wrong = is_damaged(bucket, BUCKET_WORD_BITS) || is_damaged(word, PAGE_WORD_W);
            if !in_range || wrong {
                return Err(in_range);
            }
            let frame = self.frames.get(&page(None));
            let frame = frame.or(self.frames.get(&page(Some(space)))).ok_or(false)?;
            let row = units >> UNIT_W & ((1 << ROW_W) - 1);
            let word = self.rows[(frame << ROW_W | row) as usize];
            if is_damaged(word, ROW_WORD_W) {
                return Err(true);
            }
            let below = word >> 12 & ((1 << (units % ROW_UNITS)) - 1);
            let site = (word + u64::from(below.count_ones())) % (1 << 12);
            (site != 0).then_some(site).ok_or(false)
        }

        fn load(&self, uut: &mut Uut) {
            for (memory, words) in [(1_u64, &self.slots), (2, &self.buckets)] {
                uut.page_write.next = memory.into();
                for (&place, &word) in words {
                    uut.page_slot.next = (place as u64).into();
                    uut.page_word.next = word.into();
                    cycle(uut, |u, c| u.clock.next = c);
                }
            }
            uut.page_write.next = 0.into();
            uut.row_write.next = true;
            for (row, &word) in self.rows.iter().enumerate() {
                uut.row.next = (row as u64).into();
                uut.row_bitmap.next = (word >> 12).into();
                uut.row_base.next = (word % (1 << 12)).into();
                cycle(uut, |u, c| u.clock.next = c);
            }
            uut.row_write.next = false;
        }
    }

    #[test]
    fn an_address_per_cycle_has_its_site_ten_cycles_later() {
        let mut damaged = 0;
        for seed in 0..8 {
            println!("seed {seed}");
            let mut rng = StdRng::seed_from_u64(seed);
            let tables = Tables::random(&mut rng);
            let mut uut = Uut::default();
            uut.connect_all();
            tables.load(&mut uut);
            let pages: Vec<Page> = tables.frames.keys().copied().collect();
            let mut due = VecDeque::new();
            let mut loaded = 0;
            for number in 0..1000 {
                let page = pages[number % pages.len()];
                let mut address = page.address(rng.random_range(0..1024));
                if rng.random_bool(0.1) {
                    address ^= 1 << rng.random_range(0..64);
                }
                let isa = (page.isa + u64::from(rng.random_bool(0.02))) % 3;
                let space = rng.random_range(0..4);
                let mut wide = Wide::default();
                wide.or_field(0, 64, address);
                uut.address.next = Bus(wide);
                uut.isa.next = isa.into();
                uut.space.next = space.into();
                due.push_back(tables.rank(address, isa, space));
                cycle(&mut uut, |u, c| u.clock.next = c);
                if due.len() == RANK_LATENCY {
                    let expected = due.pop_front().expect("an address");
                    assert_eq!(uut.loaded.val(), expected.is_ok(), "address {number}");
                    let is_damaged = expected == Err(true);
                    assert_eq!(uut.damaged.val(), is_damaged, "address {number}");
                    damaged += usize::from(is_damaged);
                    if let Ok(site) = expected {
                        assert_eq!(uut.site.val().to_u64(), site, "address {number}");
                        loaded += 1;
                    }
                }
            }
            assert!((200..900).contains(&loaded), "{loaded} loaded");
        }
        assert!((40..4000).contains(&damaged), "{damaged} damaged");
    }
}
