// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs as flow tables, and random walks through them as items.

use coretrace_abi::branch_table::{BranchWord, FOREIGN, NO_BRANCH};
use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::flow_stream::MOST_CYCLES;
use coretrace_abi::flow_table::{
    BUCKET_WORD_BITS, BucketWord, ExitWord, FRAME_ROWS, LONGEST_RUN, LostReason, PAGE_UNITS,
    PageWord, ROW_UNITS, RUN_WORD_BITS, RowWord, RunWord, Widths, bit_in_row, bucket, page_number,
    row_in_frame, slot,
};
use coretrace_isa::Isa;
use coretrace_sites::{BranchTable, FlowItem, FlowTable, WalkSettings};
use coretrace_test_simulate::flow::random_triggers;
use rand::RngExt;
use rand::rngs::StdRng;

/// Sizes of the tables of the tests.
pub const SITE_W: u32 = 10;
pub const FRAME_W: u32 = 3;
/// The address space of the program.
pub const SPACE: u8 = 3;

/// What a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    conditional: bool,
    exit: ExitWord,
    /// The unit that it is at.
    unit: u64,
}

/// A program of one stretch of A64 code.
pub struct Program {
    sites: Vec<Site>,
    /// The number of its first site.
    first: u32,
    pub table: FlowTable,
}

impl Program {
    /// A program of so many sites, at most 2000.
    pub fn random(rng: &mut StdRng, count: u32) -> Program {
        let widths = Widths::new(SITE_W, FRAME_W).expect("widths");
        let first = rng.random_range(1..100);
        let mut unit: u64 = rng.random_range(1..1 << 30) << 10;
        let start = unit;
        let conditional = rng.random_range(0.2..0.95);
        let mut sites: Vec<Site> = (0..count)
            .map(|site| {
                unit += rng.random_range(1..4);
                let conditional = rng.random_bool(conditional);
                let indirect = !conditional && rng.random_bool(0.5);
                let any = rng.random_range(0..count);
                let link = !conditional && rng.random_bool(0.5);
                let is_call = link && indirect;
                let exit = ExitWord {
                    exit: first + if is_call { site + 1 } else { any },
                    link,
                    indirect,
                    outside: !indirect && rng.random_bool(0.02),
                    trigger: None,
                };
                Site {
                    conditional,
                    exit,
                    unit,
                }
            })
            .collect();
        let last = sites.last_mut().expect("a site");
        (last.conditional, last.exit) = (false, ExitWord::END);

        let mut table = FlowTable::new(widths);
        let mut run = 0;
        for (site, of) in sites.iter().enumerate().rev() {
            run = if of.conditional {
                (run + 1).min(LONGEST_RUN)
            } else {
                0
            };
            table.exits_mut()[first as usize + site] = of.exit.pack(widths);
            let trigger = None;
            table.runs_mut()[first as usize + site] = RunWord { run, trigger }.pack();
        }
        let number = page_number(Isa::A64, start);
        for frame in 0..=page_number(Isa::A64, unit) - number {
            let page = PageWord {
                frame: frame as u32,
                number: number + frame,
                isa: 1,
                space: SPACE,
                any_space: rng.random(),
                valid: true,
            };
            table.pages_mut()[slot(page.number, page.isa, 0, BucketWord::default())] =
                page.pack(widths);
        }
        let mut below = first;
        for row in 0..widths.rows() as u64 {
            let of_row = sites
                .iter()
                .filter(|site| (site.unit - start) / ROW_UNITS == row);
            let mut word = RowWord {
                base: below,
                bitmap: 0,
            };
            for site in of_row {
                assert_eq!(row_in_frame(site.unit) as u64, row % FRAME_ROWS as u64);
                word.bitmap |= 1 << bit_in_row(site.unit);
                below += 1;
            }
            table.rows_mut()[row as usize] = word.pack(widths);
        }
        Program {
            sites,
            first,
            table,
        }
    }

    /// The table with so many wrong bits in words that the program needs.
    pub fn damaged(&self, rng: &mut StdRng, bits: usize) -> FlowTable {
        let mut table = self.table.clone();
        let widths = table.widths();
        let sites = self.first as usize..self.first as usize + self.sites.len();
        let used = |words: &[u64]| -> Vec<usize> {
            let words = words.iter().enumerate();
            words.filter(|it| *it.1 != 0).map(|it| it.0).collect()
        };
        let pages = used(table.pages());
        for _ in 0..bits {
            let site = rng.random_range(sites.clone());
            let bit = |rng: &mut StdRng, bits| 1_u64 << rng.random_range(0..bits);
            match rng.random_range(0..9) {
                8 => {
                    let bucket = bucket(page_number(Isa::A64, self.sites[0].unit));
                    table.buckets_mut()[bucket] ^= bit(rng, BUCKET_WORD_BITS) as u16;
                }
                0 => {
                    let page = pages[rng.random_range(0..pages.len())];
                    table.pages_mut()[page] ^= bit(rng, widths.page_bits());
                }
                1 => {
                    let rows = self.sites.len() / 8;
                    table.rows_mut()[rng.random_range(0..=rows)] ^= bit(rng, widths.row_bits());
                }
                2..5 => table.exits_mut()[site] ^= bit(rng, widths.exit_bits()) as u32,
                _ => table.runs_mut()[site] ^= bit(rng, RUN_WORD_BITS) as u8,
            }
        }
        table
    }

    /// The table with triggers at a part of its sites, and behind a part of its branches.
    pub fn with_triggers(&self, rng: &mut StdRng, rate: f64) -> FlowTable {
        let mut table = self.table.clone();
        let sites = self.first..self.first + self.sites.len() as u32;
        random_triggers(&mut table, sites, rate, rng);
        table
    }

    /// A branch table of it, with some sites that are no branches, and some of another instruction set.
    pub fn branches(&self, rng: &mut StdRng) -> BranchTable {
        let widths = self.table.widths();
        let first_page = page_number(Isa::A64, self.sites[0].unit);
        let mut words = vec![BranchWord::NONE; widths.sites()];
        for (word, site) in words[self.first as usize..].iter_mut().zip(&self.sites) {
            let kinds = [
                (site.conditional, BranchKind::CONDITIONAL),
                (site.exit.indirect, BranchKind::INDIRECT),
                (site.exit.link, BranchKind::LINK),
                (
                    site.exit.indirect && rng.random_bool(0.5),
                    BranchKind::RETURN,
                ),
            ];
            let kinds = kinds.into_iter().filter(|(is, _)| *is);
            *word = BranchWord {
                offset: rng.random_range(-1 << 25..1 << 25),
                kind: match rng.random_range(0..40) {
                    0 => FOREIGN,
                    1 | 2 => NO_BRANCH,
                    _ => kinds.fold(BranchKind::default(), |all, (_, kind)| all.and(kind)),
                },
                unit: (site.unit % PAGE_UNITS) as u32,
                frame: (page_number(Isa::A64, site.unit) - first_page) as u32,
            };
        }
        let mut pages = vec![0; widths.frames()];
        for word in self.table.pages() {
            let page = PageWord::unpack(*word, widths);
            if page.valid {
                pages[page.frame as usize] = page.number;
            }
        }
        let calls = (0..widths.rows()).map(|_| rng.random::<u16>() & rng.random::<u16>());
        BranchTable::of_words(Isa::A64, words, pages, calls.collect())
    }

    /// An address, and a packet of so many E from there on.
    pub fn short_segment(&self, rng: &mut StdRng, hops: u8) -> [FlowItem; 2] {
        loop {
            let first = self.first + rng.random_range(0..self.sites.len() as u32);
            let mut site = Some(first);
            for hop in 0..hops {
                let exit = site.map(|site| self.site(site).exit);
                let exit = exit.filter(|exit| !exit.is_end());
                let is_known = |exit: &ExitWord| !exit.indirect && !exit.outside;
                site = exit
                    .filter(|exit| is_known(exit) || hop + 1 == hops)
                    .map(|exit| exit.exit);
            }
            if site.is_some() {
                let address = self.address(rng, first);
                let bits = (1 << hops) - 1;
                let is1 = false;
                let atoms = FlowItem::Atoms { bits, count: hops };
                return [FlowItem::Address { address, is1 }, atoms];
            }
        }
    }

    /// The address of a conditional branch, and the number of its site.
    pub fn conditional(&self, rng: &mut StdRng) -> (FlowItem, usize) {
        loop {
            let number = self.first + rng.random_range(0..self.sites.len() as u32);
            if self.site(number).conditional {
                let address = self.address(rng, number);
                let is1 = false;
                return (FlowItem::Address { address, is1 }, number as usize);
            }
        }
    }

    fn site(&self, number: u32) -> &Site {
        &self.sites[(number - self.first) as usize]
    }

    /// An address from which this site is the next.
    fn address(&self, rng: &mut StdRng, number: u32) -> u64 {
        let unit = self.site(number).unit;
        let before = match number - self.first {
            0 => unit & !1023,
            _ => self.site(number - 1).unit + 1,
        };
        let unit = rng.random_range(before..=unit);
        ((unit << 17) as i64 >> 15) as u64
    }
}

/// How often what happens besides atoms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    /// Of anything.
    pub events: f64,
    /// What no program does.
    pub faults: f64,
    /// Of cycle counts.
    pub counts: f64,
}

/// A walk through a program, as items.
pub struct Walker<'a> {
    program: &'a Program,
    at: u32,
    stack: Vec<u32>,
    settings: WalkSettings,
    rates: Rates,
    /// Atoms of the next packet.
    bits: u32,
    count: u32,
    pub items: Vec<FlowItem>,
}

impl<'a> Walker<'a> {
    pub fn new(program: &'a Program, settings: WalkSettings, rates: Rates) -> Walker<'a> {
        Walker {
            program,
            at: program.first,
            stack: Vec::new(),
            settings,
            rates,
            bits: 0,
            count: 0,
            items: vec![FlowItem::Context {
                space: SPACE,
                a64: true,
            }],
        }
    }

    fn flush(&mut self) {
        if self.count > 0 {
            let (bits, count) = (self.bits, self.count as u8);
            self.items.push(FlowItem::Atoms { bits, count });
        }
        (self.bits, self.count) = (0, 0);
    }

    /// An atom; packets are of one to five, or longer if all but the last are E.
    fn atom(&mut self, rng: &mut StdRng, taken: bool) {
        let all = self.bits == (1 << self.count) - 1;
        if self.count == 24 || self.count >= 5 && !all || rng.random_bool(0.1) {
            self.flush();
        }
        self.bits |= u32::from(taken) << self.count;
        self.count += 1;
    }

    fn push(&mut self, item: FlowItem) {
        self.flush();
        self.items.push(item);
    }

    /// A cycle count, now and then.
    fn count(&mut self, rng: &mut StdRng) {
        if rng.random_bool(self.rates.counts) {
            self.push(FlowItem::Cycles(rng.random_range(0..=MOST_CYCLES)));
        }
    }

    fn jump(&mut self, rng: &mut StdRng, site: u32) {
        self.count(rng);
        let address = self.program.address(rng, site);
        self.push(FlowItem::Address {
            address,
            is1: false,
        });
        self.at = site;
    }

    fn any_site(&self, rng: &mut StdRng) -> u32 {
        self.program.first + rng.random_range(0..self.program.sites.len() as u32)
    }

    /// One instruction that is traced, or something else.
    pub fn step(&mut self, rng: &mut StdRng) {
        self.count(rng);
        if rng.random_bool(self.rates.events) {
            self.event(rng);
        } else if rng.random_bool(self.rates.faults) {
            self.fault(rng);
        }
        let is_source = self.settings.passes && rng.random_bool(0.2);
        if is_source {
            self.pass(rng);
        }
        let site = *self.program.site(self.at);
        if site.exit.is_end() {
            // No program gets here.
            let any = self.any_site(rng);
            self.items.push(FlowItem::Jump { is_p0: false });
            return self.jump(rng, any);
        }
        if is_source {
            let address = self.program.address(rng, self.at);
            self.push(FlowItem::Source {
                address,
                is1: false,
            });
        } else {
            let taken = !site.conditional || rng.random_bool(0.6);
            self.atom(rng, taken);
            if !taken {
                self.at += 1;
                return;
            }
        }
        if site.exit.link && self.settings.return_stack {
            self.stack.push(self.at + 1);
            if self.stack.len() > 16 {
                self.stack.remove(0);
            }
        }
        if site.exit.indirect {
            let any = self.any_site(rng);
            // Where the target is not the top, the stack stays.
            let hits = !self.stack.is_empty() && rng.random_bool(0.5);
            match hits.then(|| self.stack.pop()).flatten() {
                Some(target) => self.at = target,
                None => self.jump(rng, any),
            }
            if rng.random_bool(0.05) {
                // The target is interrupted before it does anything.
                let is_target = rng.random();
                let any = self.any_site(rng);
                if is_target {
                    self.interrupt(rng, is_target, any);
                }
            }
        } else if site.exit.outside {
            let any = self.any_site(rng);
            self.jump(rng, any);
        } else {
            self.at = site.exit.exit;
        }
    }

    /// Goes along some branches that are not taken, which an ETE does not say of all of them.
    fn pass(&mut self, rng: &mut StdRng) {
        let most = [0, 3, 50][rng.random_range(0..3)];
        for _ in 0..rng.random_range(0..=most) {
            self.at += u32::from(self.program.site(self.at).conditional);
        }
    }

    fn interrupt(&mut self, rng: &mut StdRng, is_target: bool, handler: u32) {
        if self.settings.passes && !is_target {
            self.pass(rng);
        }
        self.push(FlowItem::Exception {
            is_target,
            number: 5,
        });
        let at = self.at;
        self.jump(rng, at);
        self.jump(rng, handler);
    }

    /// What a program and a trace unit do besides atoms.
    fn event(&mut self, rng: &mut StdRng) {
        let (at, any) = (self.at, self.any_site(rng));
        match rng.random_range(0..8) {
            0..3 => {
                self.push(FlowItem::TraceInfo { speculative: 0 });
                self.stack.clear();
                self.jump(rng, at);
            }
            3 => self.interrupt(rng, false, any),
            4 => {
                self.push(FlowItem::Q { count: Some(7) });
                self.jump(rng, any);
            }
            5 => {
                let reason = [
                    LostReason::TraceOn,
                    LostReason::Discard,
                    LostReason::Overflow,
                ];
                self.push(FlowItem::Gap(reason[rng.random_range(0..3)]));
                self.items.push(FlowItem::TraceInfo { speculative: 0 });
                self.items.push(FlowItem::Context {
                    space: SPACE,
                    a64: true,
                });
                self.stack.clear();
                self.jump(rng, any);
            }
            6 => self.push(FlowItem::ReadOut),
            _ => {
                self.push(FlowItem::Jump { is_p0: false });
                self.jump(rng, any);
            }
        }
    }

    /// Something that no program does: the items are what they may be.
    fn fault(&mut self, rng: &mut StdRng) {
        let any = self.any_site(rng);
        match rng.random_range(0..9) {
            0 => self.jump(rng, any),
            1 => self.push(FlowItem::Address {
                address: rng.random(),
                is1: false,
            }),
            2 => (0..rng.random_range(1..20)).for_each(|_| self.atom(rng, false)),
            3 => (0..rng.random_range(1..60)).for_each(|_| self.atom(rng, true)),
            4 => {
                let is_target = rng.random();
                self.push(FlowItem::Exception {
                    is_target,
                    number: 5,
                });
            }
            // No call is kept up to the next address.
            5 => self.push(FlowItem::TraceInfo { speculative: 0 }),
            6 | 7 if self.settings.passes => {
                let address = match rng.random() {
                    true => rng.random(),
                    false => self.program.address(rng, any),
                };
                self.push(FlowItem::Source {
                    address,
                    is1: false,
                });
            }
            _ => {
                let is_target = rng.random();
                self.interrupt(rng, is_target, any);
            }
        }
    }
}
