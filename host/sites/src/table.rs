// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memories of a flow table, and what is read from them.

use coretrace_abi::flow_table::{
    BUCKET_WORD_BITS, BUCKETS, BucketWord, ExitWord, LostReason, NOWHERE, PAGE_SLOTS, PAGE_UNITS,
    PageWord, ROW_UNITS, RUN_WORD_BITS, RowWord, RunWord, TableKind, Trigger, Widths, bit_in_row,
    bucket, is_damaged, isa_code, page_number, slot, unit,
};
use coretrace_isa::Isa;

/// The words of a flow table. An index beyond a memory counts from its beginning again, as it does in
/// hardware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowTable {
    widths: Widths,
    buckets: Vec<u16>,
    /// By slot.
    pages: Vec<u64>,
    rows: Vec<u64>,
    exits: Vec<u32>,
    runs: Vec<u8>,
}

impl FlowTable {
    /// A table of no program.
    pub fn new(widths: Widths) -> FlowTable {
        FlowTable {
            widths,
            buckets: vec![0; BUCKETS],
            pages: vec![0; PAGE_SLOTS],
            rows: vec![0; widths.rows()],
            exits: vec![ExitWord::END.pack(widths); widths.sites()],
            runs: vec![0; widths.sites()],
        }
    }

    /// How large it is.
    pub fn widths(&self) -> Widths {
        self.widths
    }

    /// The bucket words, by bucket.
    pub fn buckets(&self) -> &[u16] {
        &self.buckets
    }

    /// The bucket words, to change them.
    pub fn buckets_mut(&mut self) -> &mut [u16] {
        &mut self.buckets
    }

    /// The page words, by slot.
    pub fn pages(&self) -> &[u64] {
        &self.pages
    }

    /// The page words, to change them.
    pub fn pages_mut(&mut self) -> &mut [u64] {
        &mut self.pages
    }

    /// The row words, by frame and row.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The row words, to change them.
    pub fn rows_mut(&mut self) -> &mut [u64] {
        &mut self.rows
    }

    /// The exit words, by site.
    pub fn exits(&self) -> &[u32] {
        &self.exits
    }

    /// The exit words, to change them.
    pub fn exits_mut(&mut self) -> &mut [u32] {
        &mut self.exits
    }

    /// The run words, by site.
    pub fn runs(&self) -> &[u8] {
        &self.runs
    }

    /// The run words, to change them.
    pub fn runs_mut(&mut self) -> &mut [u8] {
        &mut self.runs
    }

    /// Sites up to the last one that is not empty.
    pub fn used_sites(&self) -> usize {
        let end = ExitWord::END.pack(self.widths);
        let is_used = |site: &usize| self.exits[*site] != end || self.runs[*site] != 0;
        let last = (0..self.widths.sites()).rev().find(is_used);
        last.map_or(0, |last| last + 1)
    }

    /// Every word of every memory, with its place: what a core takes.
    pub fn words(&self) -> impl Iterator<Item = (TableKind, u32, u64)> {
        fn all<T: Copy + Into<u64>>(
            kind: TableKind,
            words: &[T],
        ) -> impl Iterator<Item = (TableKind, u32, u64)> {
            let words = (0..).zip(words);
            words.map(move |(index, &word)| (kind, index, word.into()))
        }
        all(TableKind::Pages, &self.pages)
            .chain(all(TableKind::Buckets, &self.buckets))
            .chain(all(TableKind::Rows, &self.rows))
            .chain(all(TableKind::Exits, &self.exits))
            .chain(all(TableKind::Runs, &self.runs))
    }

    /// Where an E atom at a site leads.
    #[inline]
    pub fn exit(&self, site: u32) -> ExitWord {
        ExitWord::unpack(self.exits[self.index(site)], self.widths)
    }

    /// How many sites from this one on may have an N atom; saturates.
    #[inline]
    pub fn run(&self, site: u32) -> u8 {
        RunWord::unpack(self.runs[self.index(site)]).run
    }

    /// What happens when something leads to a site; nothing if the word is damaged.
    pub fn trigger_at(&self, site: u32) -> Option<Trigger> {
        let word = RunWord::unpack(self.runs[self.index(site)]);
        word.trigger.filter(|_| !self.run_is_damaged(site))
    }

    /// What happens when the branch of a site is taken.
    pub fn trigger_behind(&self, site: u32) -> Option<Trigger> {
        self.exit(site).trigger
    }

    /// The same table without triggers.
    pub fn without_triggers(&self) -> FlowTable {
        let mut table = self.clone();
        for site in 0..self.widths.sites() as u32 {
            table.set_trigger_at(site, None);
            table.set_trigger_behind(site, None);
        }
        table
    }

    /// Sets what happens when something leads to a site.
    pub fn set_trigger_at(&mut self, site: u32, trigger: Option<Trigger>) {
        let place = self.index(site);
        let word = RunWord {
            trigger,
            ..RunWord::unpack(self.runs[place])
        };
        self.runs[place] = word.pack();
    }

    /// Sets what happens when the branch of a site is taken.
    pub fn set_trigger_behind(&mut self, site: u32, trigger: Option<Trigger>) {
        let place = self.index(site);
        let word = ExitWord {
            trigger,
            ..self.exit(site)
        };
        self.exits[place] = word.pack(self.widths);
    }

    /// Whether the exit word of a site is damaged.
    #[inline]
    pub fn exit_is_damaged(&self, site: u32) -> bool {
        let word = self.exits[self.index(site)];
        is_damaged(word.into(), self.widths.exit_bits())
    }

    /// Whether the run word of a site is damaged.
    #[inline]
    pub fn run_is_damaged(&self, site: u32) -> bool {
        is_damaged(self.runs[self.index(site)].into(), RUN_WORD_BITS)
    }

    fn index(&self, site: u32) -> usize {
        site as usize & (self.widths.sites() - 1)
    }

    /// The site that comes `count` sites behind another one.
    #[inline]
    pub fn behind(&self, site: u32, count: u32) -> u32 {
        self.index(site.wrapping_add(count)) as u32
    }

    /// The frame of a page. A damaged word may be that of any page of its bucket or slot.
    fn frame(&self, isa: Isa, space: u8, number: u64) -> Result<usize, LostReason> {
        let bucket = self.buckets[bucket(number)].into();
        let place = slot(number, isa_code(isa), space, BucketWord::unpack(bucket));
        let word = self.pages[place];
        let is_damaged =
            is_damaged(bucket, BUCKET_WORD_BITS) || is_damaged(word, self.widths.page_bits());
        if is_damaged {
            return Err(LostReason::TableParity);
        }
        let page = PageWord::unpack(word, self.widths);
        let fits = page.valid
            && page.number == number
            && page.isa == isa_code(isa)
            && (page.any_space || page.space == space);
        fits.then_some(page.frame as usize)
            .ok_or(LostReason::NotLoaded)
    }

    /// The unit of an address among those of all frames.
    ///
    /// # Errors
    /// If its page is not loaded, or a word on the way to it is damaged.
    pub fn unit(&self, isa: Isa, space: u8, address: u64) -> Result<usize, LostReason> {
        let unit = unit(isa, address).ok_or(LostReason::NotLoaded)?;
        let frame = self.frame(isa, space, page_number(isa, unit))?;
        Ok(frame * PAGE_UNITS as usize + (unit % PAGE_UNITS) as usize)
    }

    /// The site of the next atom behind an address.
    ///
    /// # Errors
    /// If it is not loaded, or a word on the way to it is damaged.
    pub fn rank(&self, isa: Isa, space: u8, address: u64) -> Result<u32, LostReason> {
        let unit = self.unit(isa, space, address)?;
        let word = self.rows[unit / ROW_UNITS as usize];
        if is_damaged(word, self.widths.row_bits()) {
            return Err(LostReason::TableParity);
        }
        let row = RowWord::unpack(word, self.widths);
        let site = row.rank(bit_in_row(unit as u64), self.widths);
        let is_site = site != NOWHERE;
        is_site.then_some(site).ok_or(LostReason::NotLoaded)
    }
}
