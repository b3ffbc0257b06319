// SPDX-License-Identifier: MIT OR Apache-2.0
//! The compiler of branch tables: the sites of a flow table in, what there is to know of each branch out.

use std::collections::BTreeMap;

use coretrace_abi::branch_table::{BranchWord, FOREIGN, NO_BRANCH};
use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::compressed::exception_call::is_exception_call;
use coretrace_abi::flow_table::{
    PAGE_UNITS, PageWord, ROW_UNITS, TableKind, isa_code, page_number, unit,
};
use coretrace_isa::{Class, Isa, Return};

use crate::compile::{Compiler, NumberedSite};
use crate::module::{Module, SpaceMask};
use crate::section::{Exit, Site};

/// Bits of an address that count, of A64; the highest is repeated.
const ADDRESS_BITS: u32 = 49;

/// The words of a branch table, and the numbers of the pages by frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchTable {
    isa: Isa,
    words: Vec<BranchWord>,
    pages: Vec<u64>,
    calls: Vec<u16>,
}

/// The pages of an instruction set by number, in any address space.
type Pages = BTreeMap<u64, Vec<PageWord>>;

impl BranchTable {
    /// Of what a compiler has loaded, for events of an instruction set, A64 or A32.
    pub fn new(compiler: &Compiler, modules: &[Module], isa: Isa) -> BranchTable {
        let widths = compiler.table().widths();
        let mut pages = vec![0; widths.frames()];
        let mut loaded = Pages::new();
        for word in compiler.table().pages() {
            let page = PageWord::unpack(*word, widths);
            if page.valid && page.isa == isa_code(isa) {
                pages[page.frame as usize] = page.number;
                loaded.entry(page.number).or_default().push(page);
            }
        }
        let mut words = vec![BranchWord::NONE; widths.sites()];
        for site in compiler.sites() {
            words[site.number as usize] = word(site, isa, &loaded).unwrap_or(BranchWord::NONE);
        }
        let mut calls = vec![0; widths.rows()];
        for place in modules
            .iter()
            .filter(|module| module.isa == isa)
            .flat_map(|module| {
                let behind = behind_calls(module);
                behind.filter_map(|address| frame_unit(isa, module.spaces, address, &loaded))
            })
        {
            let (frame, unit) = place;
            let place = u64::from(frame) * PAGE_UNITS + u64::from(unit);
            calls[(place / ROW_UNITS) as usize] |= 1 << (place % ROW_UNITS);
        }
        BranchTable {
            isa,
            words,
            pages,
            calls,
        }
    }

    /// Of its words.
    ///
    /// # Panics
    /// If the number of words is no power of two.
    pub fn of_words(
        isa: Isa,
        words: Vec<BranchWord>,
        pages: Vec<u64>,
        calls: Vec<u16>,
    ) -> BranchTable {
        assert!(words.len().is_power_of_two(), "a word for each site");
        BranchTable {
            isa,
            words,
            pages,
            calls,
        }
    }

    /// The instruction set of the events.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// By frame and row: a bit for each unit in front of which there is an SVC, HVC or SMC.
    pub fn calls(&self) -> &[u16] {
        &self.calls
    }

    /// Whether an exception call is in front of a unit, which is one of those of all frames.
    pub fn is_behind_call(&self, unit: usize) -> bool {
        let row = self.calls[unit / ROW_UNITS as usize];
        row >> (unit % ROW_UNITS as usize) & 1 == 1
    }

    /// The words, by site.
    pub fn words(&self) -> &[BranchWord] {
        &self.words
    }

    /// What a core must have in its memories, as [`FlowTable::words`](crate::FlowTable::words); the numbers of the
    /// pages are those of the flow table.
    pub fn memory_words(&self) -> impl Iterator<Item = (TableKind, u32, u64)> {
        let words = (0..).zip(&self.words);
        let words = words.map(|(site, word)| (TableKind::Branches, site, word.pack()));
        let calls = (0..).zip(&self.calls);
        words.chain(calls.map(|(row, calls)| (TableKind::Calls, row, u64::from(*calls))))
    }

    /// The numbers of the pages, by frame.
    pub fn pages(&self) -> &[u64] {
        &self.pages
    }

    /// What is said of a site.
    pub fn word(&self, site: u32) -> BranchWord {
        self.words[site as usize & (self.words.len() - 1)]
    }

    /// The address of a site.
    pub fn address(&self, site: u32) -> u64 {
        let word = self.word(site);
        let unit = self.pages[word.frame as usize] * PAGE_UNITS + u64::from(word.unit);
        let above = 64 - ADDRESS_BITS;
        (((unit << 2) << above) as i64 >> above) as u64
    }

    /// Where a direct branch leads.
    pub fn target(&self, site: u32) -> u64 {
        let offset = i64::from(self.word(site).offset) << 2;
        self.address(site).wrapping_add_signed(offset)
    }
}

fn word(site: &NumberedSite, isa: Isa, pages: &Pages) -> Option<BranchWord> {
    let of = &site.site;
    if site.isa != isa {
        return None;
    }
    let (frame, unit) = frame_unit(isa, site.spaces, of.address, pages)?;
    let offset = match of.exit {
        Exit::Direct(_, target) => target.wrapping_sub(of.address) as i64 >> 2,
        Exit::Indirect | Exit::Next => 0,
    };
    Some(BranchWord {
        offset: offset as i32,
        kind: kind(of),
        unit,
        frame,
    })
}

/// The frame of an address of a module, and its unit there.
fn frame_unit(isa: Isa, spaces: SpaceMask, address: u64, pages: &Pages) -> Option<(u32, u32)> {
    let unit = unit(isa, address)?;
    let has = |page: &&PageWord| page.any_space || spaces.0 >> page.space & 1 == 1;
    let page = pages.get(&page_number(isa, unit))?.iter().find(has)?;
    Some((page.frame, (unit % PAGE_UNITS) as u32))
}

/// The addresses behind the exception calls of a module.
fn behind_calls(module: &Module) -> impl Iterator<Item = u64> {
    module.sections.iter().flat_map(|section| {
        let offsets = (0..section.bytes.len()).step_by(4);
        offsets.filter_map(|offset| {
            let word = section.word(module.isa, offset)?;
            let behind = section.address.wrapping_add(offset as u64 + 4);
            is_exception_call(module.isa, word).then_some(behind)
        })
    })
}

fn kind(site: &Site) -> BranchKind {
    let last = &site.instruction;
    if !matches!(last.class, Class::Direct | Class::Indirect) {
        return NO_BRANCH;
    }
    let is_return = matches!(last.returns, Return::Function | Return::Implied);
    let kinds = [
        (site.is_conditional, BranchKind::CONDITIONAL),
        (site.exit == Exit::Indirect, BranchKind::INDIRECT),
        (last.is_link, BranchKind::LINK),
        (is_return, BranchKind::RETURN),
    ];
    let given = kinds.into_iter().filter(|(is, _)| *is);
    let kind = given.fold(BranchKind::default(), |all, (_, kind)| all.and(kind));
    debug_assert!(kind != NO_BRANCH && kind != FOREIGN);
    kind
}
