// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flow table: what a core must know of a program to follow it. The compiler of tables, the
//! model of the walk and the hardware read this module.
//!
//! A *site* is an instruction that a trace reports, or the end of a stretch of code. Sites are
//! numbered, in the order of their addresses within a stretch. A *unit* is the smallest instruction:
//! four bytes in A64 and A32, two in T32. A *frame* has a row for each 16 of the 1024 units of a page.
//!
//! | memory | word, lowest bits first | index |
//! |---|---|---|
//! | buckets | displacement 10, by space, parity | [`bucket`] |
//! | pages | frame, page number 37, ISA 2, space 4, any space, valid, parity | [`slot`] |
//! | rows | sites below the row, bitmap 16, parity | frame, row 6 |
//! | exits | exit, link, indirect, outside, trigger 2, parity | site |
//! | runs | sites in a row that may have an N atom 5, trigger 2, parity | site |
//!
//! The slot of a page is a hash of its number and the displacement of its *bucket*, another hash. The compiler
//! looks for displacements that give each page a slot of its own, so that a look-up compares one word. If a bucket
//! is by space, the address space is in the hash too, and a page of every space is in the slots of all of them.
//!
//! A *trigger* is what happens when the program is there: of an exit word when the branch is taken, of a run
//! word when a branch or an address leads to the site.
//!
//! Every word has an even number of ones. The compiler sees to that, and who uses a word checks it: so
//! a bit that is wrong in a file, on the way to a memory or in the memory is found. A memory of zeros
//! is in order.

use coretrace_etm::Context;
use coretrace_isa::Isa;

/// Units of a row.
pub const ROW_UNITS: u64 = 16;
/// Rows of a frame.
pub const FRAME_ROWS: usize = 64;
/// Units of a page, and of the frame that it is loaded into.
pub const PAGE_UNITS: u64 = 1024;
/// Bits of the number of a page.
pub const PAGE_NUMBER_BITS: u32 = 37;
/// Words of the memory of buckets.
pub const BUCKETS: usize = 1024;
/// Words of the memory of pages.
pub const PAGE_SLOTS: usize = 1024;
/// Bits of a displacement, and of the number of a slot.
pub const SLOT_BITS: u32 = PAGE_SLOTS.ilog2();
/// Bits of a bucket word.
pub const BUCKET_WORD_BITS: u32 = SLOT_BITS + 2;
/// The lowest bit of a page number in each part of the hash of a bucket; the parts are as long as the hash.
pub const BUCKET_FOLDS: [u32; 4] = [0, 10, 20, 30];
/// The same of a slot.
pub const SLOT_FOLDS: [u32; 4] = [0, 11, 22, 33];
/// The lowest bit of an address space in the hash of a slot.
pub const SPACE_IN_SLOT: u32 = 2;
/// The lowest bit of the code of an instruction set there.
pub const ISA_IN_SLOT: u32 = SLOT_BITS - ISA_BITS;
/// Bits of [`isa_code`].
pub const ISA_BITS: u32 = 2;
/// Bits of the number of an address space.
pub const SPACE_BITS: u32 = 4;
/// Address spaces that a core knows by a rule: they have the first numbers.
pub const SPACE_RULES: usize = 4;
/// The bits of a context information byte that are a level: EL, NSE and NS.
pub const LEVEL_MASK: u8 = 0b10_1011;
/// In place of the number of an address space: one that has no pages of its own.
pub const NO_SPACE: u8 = (1 << SPACE_BITS) - 1;
/// Bits of a run.
pub const RUN_BITS: u32 = 5;
/// Bits of a trigger.
pub const TRIGGER_BITS: u32 = 2;
/// Bits of a run word.
pub const RUN_WORD_BITS: u32 = RUN_BITS + TRIGGER_BITS + 1;
/// A run of so many sites or more.
pub const LONGEST_RUN: u8 = (1 << RUN_BITS) - 1;
/// Entries of the return stack.
pub const RETURN_STACK: usize = 16;
/// The site that stands for all that is not loaded.
pub const NOWHERE: u32 = 0;
/// Flags of an exit word, above the exit.
pub const EXIT_FLAGS: u32 = 3;
/// Most bits of the number of a site.
pub const MAX_SITE_BITS: u32 = 23;
/// Most bits of the number of a frame.
pub const MAX_FRAME_BITS: u32 = 16;

/// How large the memories of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// Bits of the number of a site, at most [`MAX_SITE_BITS`].
    pub site: u32,
    /// Bits of the number of a frame, at most [`MAX_FRAME_BITS`].
    pub frame: u32,
}

impl Widths {
    /// These widths, if there can be such a table.
    pub const fn new(site: u32, frame: u32) -> Option<Widths> {
        let fits = site >= 1 && site <= MAX_SITE_BITS && frame >= 1 && frame <= MAX_FRAME_BITS;
        if fits {
            Some(Widths { site, frame })
        } else {
            None
        }
    }

    /// Sites.
    pub const fn sites(self) -> usize {
        1 << self.site
    }

    /// Frames.
    pub const fn frames(self) -> usize {
        1 << self.frame
    }

    /// Rows.
    pub const fn rows(self) -> usize {
        self.frames() * FRAME_ROWS
    }

    /// Bits of all memories.
    pub const fn bits(self) -> usize {
        let buckets = BUCKETS * BUCKET_WORD_BITS as usize;
        let pages = buckets + PAGE_SLOTS * self.page_bits() as usize;
        let rows = self.rows() * self.row_bits() as usize;
        pages + rows + self.sites() * (self.exit_bits() + RUN_WORD_BITS) as usize
    }

    /// Bits of a page word.
    pub const fn page_bits(self) -> u32 {
        self.frame + PAGE_NUMBER_BITS + ISA_BITS + SPACE_BITS + 3
    }

    /// Bits of a row word.
    pub const fn row_bits(self) -> u32 {
        self.site + ROW_UNITS as u32 + 1
    }

    /// Bits of an exit word.
    pub const fn exit_bits(self) -> u32 {
        self.site + EXIT_FLAGS + TRIGGER_BITS + 1
    }
}

/// The code of an instruction set: bit 0 is A64, bit 1 is T32.
pub const fn isa_code(isa: Isa) -> u8 {
    match isa {
        Isa::A32 => 0,
        Isa::A64 => 1,
        Isa::T32 => 2,
    }
}

/// The number of the unit at an address; none if it has more bits than a table has. A64 addresses
/// have 49 bits, the highest is repeated; A32 and T32 addresses have 32.
pub const fn unit(isa: Isa, address: u64) -> Option<u64> {
    match isa {
        Isa::A64 => {
            let signed = address as i64;
            if (signed << 15) >> 15 != signed {
                return None;
            }
            Some(address << 15 >> 17)
        }
        Isa::A32 => Some(address as u32 as u64 >> 2),
        Isa::T32 => Some(address as u32 as u64 >> 1),
    }
}

/// The number of the page that a unit is in: the bits of its address from 12 on. A T32 page is half as long; which
/// half it is, bit 11, is the highest bit of the number, which no other T32 address has.
pub const fn page_number(isa: Isa, unit: u64) -> u64 {
    let page = unit / PAGE_UNITS;
    match isa {
        Isa::A64 | Isa::A32 => page,
        Isa::T32 => page >> 1 | (page & 1) << (PAGE_NUMBER_BITS - 1),
    }
}

/// The row of a unit in its frame.
pub const fn row_in_frame(unit: u64) -> usize {
    (unit % PAGE_UNITS / ROW_UNITS) as usize
}

/// The bit of a unit in its row.
pub const fn bit_in_row(unit: u64) -> u32 {
    (unit % ROW_UNITS) as u32
}

const fn folded(page_number: u64, [a, b, c, d]: [u32; 4]) -> usize {
    (page_number >> a ^ page_number >> b ^ page_number >> c ^ page_number >> d) as usize
}

/// The bucket that a page is in: its number, folded.
pub const fn bucket(page_number: u64) -> usize {
    folded(page_number, BUCKET_FOLDS) % BUCKETS
}

/// The slot that a page is in, by its bucket. Of 2^20 pages one has bucket and slot in common with a page, whatever
/// the displacement is: these two are never in one table.
pub const fn slot(page_number: u64, isa_code: u8, space: u8, bucket: BucketWord) -> usize {
    let of_isa = (isa_code as usize) << ISA_IN_SLOT;
    let of_space = if bucket.by_space {
        (space as usize) << SPACE_IN_SLOT
    } else {
        0
    };
    (folded(page_number, SLOT_FOLDS) ^ of_isa ^ of_space ^ bucket.displacement as usize)
        % PAGE_SLOTS
}

/// Where the pages of a bucket are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BucketWord {
    /// It changes the hash of their slots.
    pub displacement: u16,
    /// The address space is in that hash.
    pub by_space: bool,
}

impl BucketWord {
    /// As a word.
    pub const fn pack(self) -> u64 {
        let word = self.displacement as u64 | (self.by_space as u64) << SLOT_BITS;
        even(word, BUCKET_WORD_BITS)
    }

    /// Of a word.
    pub const fn unpack(word: u64) -> BucketWord {
        BucketWord {
            displacement: low(word, SLOT_BITS) as u16,
            by_space: word >> SLOT_BITS & 1 == 1,
        }
    }
}

/// A page that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageWord {
    /// Where its rows are.
    pub frame: u32,
    /// Its number.
    pub number: u64,
    /// [`isa_code`] of the instruction set.
    pub isa: u8,
    /// The address space.
    pub space: u8,
    /// It is in every address space.
    pub any_space: bool,
    /// There is one.
    pub valid: bool,
}

impl PageWord {
    /// As a word.
    pub const fn pack(self, widths: Widths) -> u64 {
        let tag = self.number
            | (self.isa as u64) << PAGE_NUMBER_BITS
            | (self.space as u64) << (PAGE_NUMBER_BITS + ISA_BITS)
            | (self.any_space as u64) << (PAGE_NUMBER_BITS + ISA_BITS + SPACE_BITS)
            | (self.valid as u64) << (PAGE_NUMBER_BITS + ISA_BITS + SPACE_BITS + 1);
        even(self.frame as u64 | tag << widths.frame, widths.page_bits())
    }

    /// Of a word.
    pub const fn unpack(word: u64, widths: Widths) -> PageWord {
        let tag = word >> widths.frame;
        PageWord {
            frame: low(word, widths.frame) as u32,
            number: low(tag, PAGE_NUMBER_BITS),
            isa: low(tag >> PAGE_NUMBER_BITS, ISA_BITS) as u8,
            space: low(tag >> (PAGE_NUMBER_BITS + ISA_BITS), SPACE_BITS) as u8,
            any_space: tag >> (PAGE_NUMBER_BITS + ISA_BITS + SPACE_BITS) & 1 == 1,
            valid: tag >> (PAGE_NUMBER_BITS + ISA_BITS + SPACE_BITS + 1) & 1 == 1,
        }
    }
}

/// A row of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RowWord {
    /// Sites below the row: the number of its first one.
    pub base: u32,
    /// A bit for each unit at which there is a site.
    pub bitmap: u16,
}

impl RowWord {
    /// As a word.
    pub const fn pack(self, widths: Widths) -> u64 {
        let word = self.base as u64 | (self.bitmap as u64) << widths.site;
        even(word, widths.row_bits())
    }

    /// Of a word.
    pub const fn unpack(word: u64, widths: Widths) -> RowWord {
        RowWord {
            base: low(word, widths.site) as u32,
            bitmap: low(word >> widths.site, ROW_UNITS as u32) as u16,
        }
    }

    /// The number of the first site that is not below a bit of the row.
    pub const fn rank(self, bit: u32, widths: Widths) -> u32 {
        let below = self.bitmap & ((1 << bit) - 1);
        let site = self.base.wrapping_add(below.count_ones());
        low(site as u64, widths.site) as u32
    }
}

/// Bit numbers of [`SpaceRule::levels`].
pub const LEVELS: u32 = 1 << LEVEL_MASK.count_ones();

/// Which contexts an address space has. What is `None` may be anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceRule {
    /// Exception levels and security states, a bit each: that of a context has the number
    /// [`level_bits`].
    pub levels: u16,
    /// VMID.
    pub vmid: Option<u32>,
    /// Context ID.
    pub cid: Option<u32>,
}

/// Rules of a core.
pub type SpaceRules = [Option<SpaceRule>; SPACE_RULES];

impl SpaceRule {
    /// Of every context.
    pub const ANY: SpaceRule = SpaceRule {
        levels: u16::MAX,
        vmid: None,
        cid: None,
    };

    /// Whether it is the address space of a context.
    pub fn holds(&self, context: &Context) -> bool {
        self.levels >> level_bits(context.info) & 1 == 1
            && self.vmid.is_none_or(|vmid| vmid == context.vmid)
            && self.cid.is_none_or(|cid| cid == context.cid)
    }
}

/// The address space of a context: that of the first rule that holds.
pub fn space(rules: &SpaceRules, context: &Context) -> u8 {
    let holds = |rule: &Option<SpaceRule>| rule.is_some_and(|rule| rule.holds(context));
    let number = rules.iter().position(holds);
    number.map_or(NO_SPACE, |number| number as u8)
}

/// The bits of [`LEVEL_MASK`] of a context information byte, the lowest first.
pub fn level_bits(info: u8) -> u8 {
    let bits = (0..u8::BITS).filter(|bit| LEVEL_MASK >> bit & 1 == 1);
    (0..)
        .zip(bits)
        .fold(0, |level, (to, from)| level | (info >> from & 1) << to)
}

/// Where an E atom at a site leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitWord {
    /// The site that it leads to, if none of the flags says otherwise. Of an indirect call, the site
    /// behind the call.
    pub exit: u32,
    /// It is a call.
    pub link: bool,
    /// The target varies.
    pub indirect: bool,
    /// The target is not loaded. A site that is indirect too is none but the end of a stretch.
    pub outside: bool,
    /// What happens when the branch is taken.
    pub trigger: Option<Trigger>,
}

impl ExitWord {
    /// The end of a stretch: no atom belongs to it.
    pub const END: ExitWord = ExitWord {
        exit: NOWHERE,
        link: false,
        indirect: true,
        outside: true,
        trigger: None,
    };

    /// Whether it is the end of a stretch.
    pub const fn is_end(self) -> bool {
        self.indirect && self.outside
    }

    /// As a word.
    pub const fn pack(self, widths: Widths) -> u32 {
        let word = self.exit
            | (self.link as u32) << widths.site
            | (self.indirect as u32) << (widths.site + 1)
            | (self.outside as u32) << (widths.site + 2)
            | (trigger_code(self.trigger) as u32) << (widths.site + EXIT_FLAGS);
        even(word as u64, widths.exit_bits()) as u32
    }

    /// Of a word.
    pub const fn unpack(word: u32, widths: Widths) -> ExitWord {
        ExitWord {
            exit: low(word as u64, widths.site) as u32,
            link: word >> widths.site & 1 == 1,
            indirect: word >> (widths.site + 1) & 1 == 1,
            outside: word >> (widths.site + 2) & 1 == 1,
            trigger: trigger(word as u64 >> (widths.site + EXIT_FLAGS)),
        }
    }
}

/// A memory of a flow table or a branch table, by its code in the registers of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum TableKind {
    /// [`PageWord`], by the slot.
    Pages,
    /// [`RowWord`], by the frame times 64 and the row.
    Rows,
    /// [`ExitWord`], by the site.
    Exits,
    /// [`RunWord`], by the site.
    Runs,
    /// [`BranchWord`](crate::branch_table::BranchWord), by the site; of a core that makes branches.
    Branches,
    /// Which units are behind a call, see [`crate::branch_table`], by the frame times 64 and the row.
    Calls,
    /// [`BucketWord`], by the bucket.
    Buckets,
}

/// The run word of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunWord {
    /// How many sites in a row may have an N atom, from this one on: at most [`LONGEST_RUN`].
    pub run: u8,
    /// What happens when something leads to the site.
    pub trigger: Option<Trigger>,
}

impl RunWord {
    /// As a word.
    pub const fn pack(self) -> u8 {
        let word = self.run | trigger_code(self.trigger) << RUN_BITS;
        even(word as u64, RUN_WORD_BITS) as u8
    }

    /// Of a word.
    pub const fn unpack(word: u8) -> RunWord {
        RunWord {
            run: low(word as u64, RUN_BITS) as u8,
            trigger: trigger(word as u64 >> RUN_BITS),
        }
    }
}

/// What happens when the program is somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Trigger {
    /// What is executed behind it is counted.
    Start = 1,
    /// What is executed behind it is not counted.
    Stop = 2,
    /// It is an event: a number of them freezes the ring of hops.
    Event = 3,
}

impl Trigger {
    /// All of them.
    pub const ALL: [Trigger; 3] = [Trigger::Start, Trigger::Stop, Trigger::Event];
}

/// The code of a trigger; 0 is none.
pub const fn trigger_code(trigger: Option<Trigger>) -> u8 {
    match trigger {
        Some(trigger) => trigger as u8,
        None => 0,
    }
}

/// The trigger in the lowest bits of a word.
const fn trigger(word: u64) -> Option<Trigger> {
    match low(word, TRIGGER_BITS) {
        1 => Some(Trigger::Start),
        2 => Some(Trigger::Stop),
        3 => Some(Trigger::Event),
        _ => None,
    }
}

/// Whether a word of so many bits is not as the compiler made it.
pub const fn is_damaged(word: u64, bits: u32) -> bool {
    low(word, bits).count_ones() % 2 == 1
}

/// A word of so many bits, whose highest makes the number of ones even.
pub const fn even(word: u64, bits: u32) -> u64 {
    word | (word.count_ones() as u64 & 1) << (bits - 1)
}

/// Why the place in the program is not known any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum LostReason {
    /// Tracing began, or began again.
    TraceOn = 1,
    /// The buffer of the trace unit overflowed.
    Overflow = 2,
    /// Tracing stopped, and what was speculative is lost.
    Discard = 3,
    /// Bytes that are no packet, or packets that contradict each other.
    BadPacket = 4,
    /// A FIFO of the core was full.
    Dropped = 5,
    /// An address is in no page that is loaded, or the program ran past the end of a stretch.
    NotLoaded = 6,
    /// A direct branch led to an address that is not loaded.
    Outside = 7,
    /// Behind an indirect branch there was no address, and the return stack was empty.
    NoTarget = 8,
    /// An N atom at an instruction that has no condition.
    NotConditional = 9,
    /// An address that is not where the program was.
    OtherAddress = 10,
    /// An atom behind an exception or a Q element whose address did not come.
    NoAddress = 11,
    /// A word of the table that was read is damaged.
    TableParity = 12,
}

impl LostReason {
    /// All of them.
    pub const ALL: [LostReason; 12] = [
        LostReason::TraceOn,
        LostReason::Overflow,
        LostReason::Discard,
        LostReason::BadPacket,
        LostReason::Dropped,
        LostReason::NotLoaded,
        LostReason::Outside,
        LostReason::NoTarget,
        LostReason::NotConditional,
        LostReason::OtherAddress,
        LostReason::NoAddress,
        LostReason::TableParity,
    ];

    /// The reason with this code.
    pub fn from_code(code: u8) -> Option<LostReason> {
        LostReason::ALL.into_iter().find(|&it| it as u8 == code)
    }
}

const fn low(word: u64, bits: u32) -> u64 {
    word & ((1 << bits) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [(u32, u32); 4] = [(1, 1), (12, 6), (15, 8), (MAX_SITE_BITS, MAX_FRAME_BITS)];

    #[test]
    fn every_field_of_a_word_is_read_back_as_it_was_written() {
        for (site, frame) in WIDTHS {
            let widths = Widths::new(site, frame).expect("widths");
            assert!(widths.page_bits() <= 64 && widths.exit_bits() <= 32);
            // One bit of each word at a time, and the parity.
            let page = |word| PageWord::unpack(word, widths).pack(widths);
            let row = |word| RowWord::unpack(word, widths).pack(widths);
            let exit = |word| ExitWord::unpack(word as u32, widths).pack(widths).into();
            let run = |word| RunWord::unpack(word as u8).pack().into();
            let bucket = |word| BucketWord::unpack(word).pack();
            let words: [(u32, &dyn Fn(u64) -> u64); 5] = [
                (widths.page_bits(), &page),
                (widths.row_bits(), &row),
                (widths.exit_bits(), &exit),
                (RUN_WORD_BITS, &run),
                (BUCKET_WORD_BITS, &bucket),
            ];
            for (bits, word) in words {
                for bit in 0..bits - 1 {
                    let set = 1 << bit | 1 << (bits - 1);
                    assert_eq!(word(set), set, "{widths:?}, bit {bit} of {bits}");
                    assert!(!is_damaged(set, bits) && is_damaged(1 << bit, bits));
                }
                assert_eq!(word(1 << (bits - 1)), 0);
            }
        }
        assert_eq!(Widths::new(MAX_SITE_BITS + 1, 8), None);
        assert_eq!(Widths::new(15, MAX_FRAME_BITS + 1), None);
    }

    #[test]
    fn an_a64_address_is_one_of_49_bits_with_the_sign_repeated() {
        for (address, unit_number) in [
            (0, Some(0)),
            (0x0000_FFFF_FFFF_FFFC, Some(0x3FFF_FFFF_FFFF)),
            (0x0001_0000_0000_0000, None),
            (0xFFFF_0000_0000_0004, Some(0x4000_0000_0001)),
            (0xFFFF_FFFF_FFFF_FFFC, Some(0x7FFF_FFFF_FFFF)),
            (0xFFFE_FFFF_FFFF_FFFC, None),
            (0x8000_0000_0000_1000, None),
        ] {
            assert_eq!(unit(Isa::A64, address), unit_number, "{address:#x}");
        }
        assert_eq!(unit(Isa::A32, 0x5_0000_1004), Some(0x401));
        assert_eq!(unit(Isa::T32, 0x1006), Some(0x803));
        let page = |isa, address| unit(isa, address).map(|unit| page_number(isa, unit));
        assert_eq!(page(Isa::A64, 0xFFFF_0000_0000_5FFC), Some(0x10_0000_0005));
        assert_eq!(page(Isa::A32, 0xFFFF_F000), Some(0xF_FFFF));
        assert_eq!(page(Isa::T32, 0xFFFF_F7FE), Some(0xF_FFFF));
        assert_eq!(page(Isa::T32, 0xFFFF_F800), Some(0x10_000F_FFFF));
        let last = unit(Isa::A64, u64::MAX).expect("an address");
        assert!(page_number(Isa::A64, last) < 1 << PAGE_NUMBER_BITS);
    }

    #[test]
    fn the_first_rule_that_holds_gives_the_address_space() {
        let context = Context {
            info: 0b11_0001,
            vmid: 7,
            cid: 0x1234,
        };
        let rule = |levels, vmid, cid| Some(SpaceRule { levels, vmid, cid });
        let of = |rules| space(&rules, &context);
        assert_eq!(of([None; SPACE_RULES]), NO_SPACE);
        let rules = [
            rule(!(1 << 0b1001), None, None),
            rule(1 << 0b1001, Some(7), Some(0x1235)),
            rule(3 << 0b1001, Some(7), Some(0x1234)),
            Some(SpaceRule::ANY),
        ];
        assert_eq!(of(rules), 2);
        assert_eq!(of([rules[0], None, rules[1], rules[3]]), 3);
    }

    #[test]
    fn a_rank_counts_the_sites_below_an_address() {
        let widths = Widths::new(8, 4).expect("widths");
        let row = RowWord {
            base: 250,
            bitmap: 0b1000_0001_0010_0001,
        };
        for (bit, site) in [(0, 250), (1, 251), (5, 251), (6, 252), (8, 252), (9, 253)] {
            assert_eq!(row.rank(bit, widths), site, "bit {bit}");
        }
        let full = RowWord {
            base: 250,
            bitmap: u16::MAX,
        };
        assert_eq!(full.rank(15, widths), (250 + 15) % 256);
    }

    #[test]
    fn every_reason_has_a_code_of_its_own() {
        for (number, reason) in LostReason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, number + 1);
            assert_eq!(LostReason::from_code(reason as u8), Some(reason));
        }
        assert_eq!(LostReason::from_code(0), None);
    }
}
