// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Rank`: an address in, the number of the next site out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `address[63:0]`, `isa[1:0]`, `space[3:0]` | in | an address, the code of its instruction set and its address space; there is no valid bit |
//! | `loaded`, `site[SW-1:0]` | out | the address is in the tables; the number of the first site at or behind it, which is not 0 |
//! | `damaged` | out | it is not, because a word that was read has a wrong parity |
//! | `has_unit`, `unit_row[RW-1:0]`, `unit[4:0]` | out | five cycles earlier: its page is loaded, and no word of the set is damaged; its row among those of all frames, and its unit in the row |
//! | `page_write[3:0]`, `page_set[7:0]`, `page_word[63:0]` | in | bit `w`: a new word of a set in way `w` of the page table: the frame, and [`PageTag`] above it |
//! | `row_write`, `row[RW-1:0]`, `row_bitmap[32:0]`, `row_base[SW-1:0]` | in | a new row: bit `u` of the bitmap is a site at unit `u`, and there are `row_base` sites below; the highest bit is the parity of all of it |
//!
//! A site is an instruction that ends a block, and sites are numbered in the order of their
//! addresses, so the number of the next one is the number of sites below the address. The page table
//! has 256 sets of four ways and knows the frame of a page; a frame has 32 rows of 32 units, and a
//! unit is a place of an instruction. `RW` is `FW` + 5.
//!
//! Latency 10 cycles. Throughput one address per cycle.

use super::TableMemory;
use super::parity::is_odd;
use coretrace_abi::flow_table::{
    FRAME_ROWS, ISA_BITS, PAGE_NUMBER_BITS, ROW_UNITS, SETS, SPACE_BITS,
};
use coretrace_hdl_dataflow::{Bus, Table, Word, all, any, clocked_block, join, layout, named};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

/// Cycles from an address to its site.
pub const RANK_LATENCY: usize = 10;
/// Cycles from an address to its unit.
pub const UNIT_LATENCY: usize = 5;
/// Address bits of a set of the page table.
const SET_W: usize = SETS.ilog2() as usize;
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
    pub unit: Signal<Out, Bits<5>>,
    pub page_write: Signal<In, Bits<4>>,
    pub page_set: Signal<In, Bits<SET_W>>,
    pub page_word: Signal<In, Bits<PAGE_W>>,
    pub row_write: Signal<In, Bit>,
    pub row: Signal<In, Bits<RW>>,
    pub row_bitmap: Signal<In, Bits<BITMAP_W>>,
    pub row_base: Signal<In, Bits<SW>>,
    page_lookup: PageLookup<1, 1>,
    ways: [TableMemory<SET_W, PAGE_W>; 4],
    page_match: PageMatch<4, FW>,
    bitmaps: TableMemory<RW, BITMAP_W>,
    bases: TableMemory<RW, SW>,
    row_rank: RowRank<SW, 1>,
    frame_row: Signal<Local, Bits<RW>>,
    frame: Signal<Local, Bits<RW>>,
}

impl<const SW: usize, const FW: usize, const RW: usize> Default for Rank<SW, FW, RW> {
    fn default() -> Self {
        assert_eq!(RW, FW + ROW_W as usize, "a frame has 32 rows");
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
            page_set: Default::default(),
            page_word: Default::default(),
            row_write: Default::default(),
            row: Default::default(),
            row_bitmap: Default::default(),
            row_base: Default::default(),
            page_lookup: Default::default(),
            ways: Default::default(),
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
            page_match,
            bitmaps,
            bases,
            row_rank
        );
        self.page_lookup.address.next = self.address.val();
        self.page_lookup.isa.next = self.isa.val();
        self.page_lookup.space.next = self.space.val();
        for way in 0..4 {
            self.ways[way].clock.next = self.clock.val();
            self.ways[way].read_address.next = self.page_lookup.page_set.val();
            self.ways[way].read_enable.next = true;
            self.ways[way].write_address.next = self.page_set.val();
            self.ways[way].write_data.next = self.page_word.val();
            self.ways[way].write_enable.next = self.page_write.val().get_bit(way);
            self.page_match.way[way].next = self.ways[way].read_data.val();
        }
        self.page_match.key.next = self.page_lookup.key.val();

        self.frame.next = bit_cast::<RW, FW>(self.page_match.frame.val());
        self.frame_row.next =
            (self.frame.val() << 5) | bit_cast::<RW, 5>(self.page_match.row.val());
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
    /// An address as set and key of the page table.
    pub struct PageLookup;
    inputs LookupInputs { address: Bus<64>, isa: Bits<ISA_W>, space: Bits<4>, }
    lane_inputs {}
    outputs LookupOutputs { page_set: Bits<SET_W>, key: Bus<KEY_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel page_lookup;
}

#[named]
fn page_lookup<T: Word, const N: usize, const P: usize>(
    i: LookupInputs<T::Port, N>,
) -> LookupOutputs<T, N, P> {
    let isa = T::field(&i.isa, 0, ISA_W as u32);
    let (is_a64, is_t32) = (isa.bit(0), isa.bit(1));
    // An A32 or T32 address has 32 bits.
    let address = T::field(&i.address, 32, 32).mask(is_a64);
    let address = address.concat(T::field(&i.address, 0, 32));
    let bits = NUMBER_W as u32 + ROW_W + UNIT_W;
    let units = is_t32.mux(address.slice(1, bits), address.slice(2, bits));
    let sign = address.slice(48, 16);
    let number = units.slice(ROW_W + UNIT_W, NUMBER_W as u32);
    let fold = |low: u32| number.slice(low, SET_W as u32);
    let key = PageKey {
        number,
        isa,
        space: T::field(&i.space, 0, 4),
        in_range: sign.is(0).or(sign.is(0xFFFF)),
        row: units.slice(UNIT_W, ROW_W),
        unit: units.slice(0, UNIT_W),
    };
    LookupOutputs {
        page_set: vec![fold(0).xor(fold(8)).xor(fold(16))],
        key: key.pack(),
    }
}

clocked_block! {
    /// The frame of a key, from the words of its set in `N` ways, a cycle later; `P` bits of a
    /// frame. A damaged word may be that of any page of the set.
    pub struct PageMatch;
    inputs MatchInputs { key: Bus<KEY_W>, }
    lane_inputs { way: Bits<PAGE_W>, }
    outputs MatchOutputs { hit: Bit, damaged: Bit, frame: Bits<P>, row: Bits<5>, unit: Bits<5>, }
    lane_outputs {}
    pair_outputs {}
    kernel page_match;
}

#[named]
fn page_match<T: Word, const N: usize, const P: usize>(
    i: MatchInputs<T::Port, N>,
) -> MatchOutputs<T, N, P> {
    let key = PageKey::<T>::unpack(&i.key);
    let hits = i.way.each_ref().map(|port| {
        let page = PageTag::<T>::unpack_at(port, P).map(|word| word.next_word().reg());
        let same_space = page.any_space.or(page.space.eq(key.space));
        let same_number = page.number.eq(key.number);
        let same_isa = page.isa.eq(key.isa);
        all(&[page.valid, same_space, same_number, same_isa, key.in_range]).reg()
    });
    let damaged = i.way.each_ref().map(|port| {
        let word = T::field(port, 0, (P + PageTag::WIDTH) as u32);
        is_odd(word.next_word().reg()).reg()
    });
    let frames = i.way.each_ref().map(|port| {
        let frame = T::field(port, 0, P as u32);
        frame.next_word().delay(2)
    });
    // At most one way has the page: an or, not a choice.
    let masked = hits.iter().zip(frames).map(|(&hit, frame)| frame.mask(hit));
    let frame = masked.reduce(T::or).expect("a way");
    MatchOutputs {
        hit: vec![any(&hits)],
        damaged: vec![any(&damaged).and(key.in_range)],
        frame: vec![frame],
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
        unit: Bits<5>,
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
    let below = (0..31).map(|u| {
        let is_below = T::constant(u, UNIT_W).lt(unit);
        bitmap.bit(u as u32).and(is_below)
    });
    let below: Vec<T> = below.collect();
    let count = |bits: &[T]| join(bits.iter().copied()).extend(8).rom(&ONES);
    let counts: Vec<T> = below.chunks(6).map(|six| count(six).reg()).collect();
    let pair = |pair: &[T]| pair[1].concat(pair[0]).extend(8).rom(&PAIRS).extend(5);
    let inside = counts.chunks(2).map(pair).reduce(T::add).expect("counts");
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
    use coretrace_abi::flow_table::{even, is_damaged};
    use coretrace_hdl_dataflow::Wide;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};
    use std::collections::{BTreeMap, VecDeque};

    const FW: usize = 3;
    type Uut = Rank<12, FW, 8>;
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

    /// The set of a page number.
    fn set(number: u64) -> u64 {
        let fold = |low: u32| number >> low & 0xFF_u64;
        fold(0) ^ fold(8) ^ fold(16)
    }

    impl Page {
        /// The address of a unit.
        fn address(self, unit: u64) -> u64 {
            let units = self.number << (ROW_W + UNIT_W) | unit;
            match self.isa {
                T32 => units << 1,
                // Bit 48 is the sign.
                _ => (((units << 17) as i64) >> 15) as u64,
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
        /// Rows, and words of pages by way and set; some are damaged.
        rows: Vec<u64>,
        ways: BTreeMap<(u64, u64), u64>,
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
                .map(|_| even(rng.random::<u64>() >> 20, ROW_WORD_W))
                .collect();
            for _ in 0..8 {
                rows[rng.random_range(0..8 << ROW_W)] ^= 1 << rng.random_range(0..ROW_WORD_W);
            }
            let mut ways = BTreeMap::new();
            for (page, &frame) in &frames {
                let set = set(page.number);
                let way = (0..4).find(|&way| !ways.contains_key(&(way, set)));
                ways.insert((way.expect("a way"), set), page.word(frame));
            }
            if rng.random() {
                let place = (rng.random_range(0..4), set(numbers[0]));
                *ways.entry(place).or_default() ^= 1 << rng.random_range(0..PAGE_WORD_W);
            }
            Tables { frames, rows, ways }
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
            let number = units >> (ROW_W + UNIT_W) & ((1 << NUMBER_W) - 1);
            let in_range = (used as i64) << 15 >> 15 == used as i64;
            let page = |space| Page { number, isa, space };
            let word = |way| self.ways.get(&(way, set(number))).copied();
            let words: Vec<u64> = (0..4).filter_map(word).collect();
            if !in_range || words.iter().any(|&word| is_damaged(word, PAGE_WORD_W)) {
                return Err(in_range);
            }
            let frame = self.frames.get(&page(None));
            let frame = frame.or(self.frames.get(&page(Some(space)))).ok_or(false)?;
            let row = units >> UNIT_W & 31;
            let word = self.rows[(frame << ROW_W | row) as usize];
            if is_damaged(word, ROW_WORD_W) {
                return Err(true);
            }
            let below = word >> 12 & ((1 << (units & 31)) - 1);
            let site = (word + u64::from(below.count_ones())) % (1 << 12);
            (site != 0).then_some(site).ok_or(false)
        }

        fn load(&self, uut: &mut Uut) {
            for (&(way, set), &word) in &self.ways {
                uut.page_write.next = (1_u64 << way).into();
                uut.page_set.next = set.into();
                uut.page_word.next = word.into();
                cycle(uut, |u, c| u.clock.next = c);
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
        for seed in 0..8 {
            println!("seed {seed}");
            let mut rng = StdRng::seed_from_u64(seed);
            let tables = Tables::random(&mut rng);
            let mut uut = Uut::default();
            uut.connect_all();
            tables.load(&mut uut);
            let pages: Vec<Page> = tables.frames.keys().copied().collect();
            let mut due = VecDeque::new();
            let (mut loaded, mut damaged) = (0, 0);
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
            assert!((5..500).contains(&damaged), "{damaged} damaged");
        }
    }
}
