// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong bits in the flow table of a core: whether counts that they change are reported.
//!
//! A program is followed with its table and with one in which a bit of a word that the program needs
//! is inverted. The effect is *reported* if the walk says that it is lost where it was not before, or
//! if the sums contradict the table of the compiler.

use anyhow::Result;
use coretrace_abi::flow_table::{BUCKET_WORD_BITS, LostReason, PageWord, RUN_WORD_BITS, bucket};
use coretrace_sites::{FlowItem, FlowTable};
use coretrace_test_gen::rng;
use rand::RngExt;

use crate::program::{Program, Walked};

/// Seed of the flips.
const SEED: u64 = 1;
/// Flips of each row.
const FLIPS: usize = 1000;

/// What is inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flip {
    /// One bit of a word.
    Bit,
    /// One bit of a word and its parity, which therefore is right.
    BitAndParity,
}

/// The effects of flips.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effects {
    /// Flips.
    pub flips: usize,
    /// A count is another one.
    pub changed: usize,
    /// Of these: a word was found to be damaged,
    pub by_parity: usize,
    /// or else, the walk was lost for another reason,
    pub by_walk: usize,
    /// or else, the sums contradict the table,
    pub by_sums: usize,
    /// or else, nothing.
    pub silent: usize,
    /// Reported or not, a branch was counted that was not taken.
    pub too_high: usize,
}

impl Effects {
    /// Whether at least 99 % of those that change a count are reported.
    pub fn are_reported(&self) -> bool {
        self.silent * 100 <= self.changed
    }
}

/// The table of a program, and what is walked with it.
pub struct Tables<'p> {
    program: &'p Program,
    table: FlowTable,
    items: Vec<FlowItem>,
    right: Walked,
    /// Places of words, by memory, that are read or may be read.
    places: [Vec<usize>; 5],
}

impl<'p> Tables<'p> {
    /// The table of a program.
    ///
    /// # Errors
    /// If it is too large.
    pub fn new(program: &'p Program) -> Result<Tables<'p>> {
        let compiler = program.compile(&program.pages)?;
        let table = compiler.table().clone();
        let sites = compiler.report().sites;
        let words = (0..).zip(table.pages()).filter(|(_, word)| **word != 0);
        let (slots, buckets) = words
            .map(|(place, &word)| {
                let page = PageWord::unpack(word, table.widths());
                (place, bucket(page.number))
            })
            .unzip();
        let rows = table.rows().iter().enumerate();
        let places = [
            slots,
            rows.filter(|(_, row)| **row != 0).map(|it| it.0).collect(),
            (1..sites).collect(),
            (1..sites).collect(),
            buckets,
        ];
        let items = program.decode(&[&program.trace]).items;
        let right = program.walk(&items, &table);
        Ok(Tables {
            program,
            table,
            items,
            right,
            places,
        })
    }

    /// Inverts any bit of a word that the program needs.
    fn flip(&self, table: &mut FlowTable, flip: Flip, rng: &mut impl RngExt) {
        let widths = table.widths();
        let bits = [
            widths.page_bits(),
            widths.row_bits(),
            widths.exit_bits(),
            RUN_WORD_BITS,
            BUCKET_WORD_BITS,
        ];
        let memories = || self.places.iter().zip(bits).enumerate();
        let all = memories().map(|(_, (places, bits))| places.len() * bits as usize);
        let mut bit = rng.random_range(0..all.sum());
        for (memory, (places, bits)) in memories() {
            let bits = bits as usize;
            let Some(&place) = places.get(bit / bits) else {
                bit -= places.len() * bits;
                continue;
            };
            let parity = 1 << (bits - 1);
            let mut flips = 1_u64 << (bit % bits);
            if flip == Flip::BitAndParity {
                flips = if flips == parity { 1 } else { flips } | parity;
            }
            match memory {
                0 => table.pages_mut()[place] ^= flips,
                1 => table.rows_mut()[place] ^= flips,
                2 => table.exits_mut()[place] ^= flips as u32,
                3 => table.runs_mut()[place] ^= flips as u8,
                _ => table.buckets_mut()[place] ^= flips as u16,
            }
            return;
        }
    }

    /// The effects of so many flips, one at a time.
    pub fn effects(&self, flip: Flip, flips: usize) -> Effects {
        let mut rng = rng(SEED);
        let right = &self.right;
        let mut effects = Effects {
            flips,
            ..Effects::default()
        };
        for _ in 0..flips {
            let mut table = self.table.clone();
            self.flip(&mut table, flip, &mut rng);
            let walked = self.program.walk(&self.items, &table);
            if (&walked.counts, walked.atoms) == (&right.counts, right.atoms) {
                continue;
            }
            effects.changed += 1;
            let mut taken = walked.counts.taken.iter().zip(&right.counts.taken);
            effects.too_high += usize::from(taken.any(|(taken, right)| taken > right));
            *if walked.losses.contains(&LostReason::TableParity) {
                &mut effects.by_parity
            } else if walked.losses != right.losses {
                &mut effects.by_walk
            } else if walked.is_contradicted(&self.table) {
                &mut effects.by_sums
            } else {
                &mut effects.silent
            } += 1;
        }
        effects
    }
}

/// The effects as a table, and whether 99 % are reported.
///
/// # Errors
/// If a table is too large.
pub fn document(programs: &[Program]) -> Result<(String, bool)> {
    let mut text =
        "| program | wrong | flips | change a count | by parity | by the walk | by the sums \
        | silent | counted too much |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n"
            .to_owned();
    let mut all_reported = true;
    for program in programs {
        let tables = Tables::new(program)?;
        for (flip, name) in [
            (Flip::Bit, "one bit"),
            (Flip::BitAndParity, "a bit and the parity"),
        ] {
            let it = tables.effects(flip, FLIPS);
            all_reported &= flip != Flip::Bit || it.are_reported();
            text += &format!(
                "| {} | {name} | {} | {} | {} | {} | {} | {} | {} |\n",
                program.name,
                it.flips,
                it.changed,
                it.by_parity,
                it.by_walk,
                it.by_sums,
                it.silent,
                it.too_high
            );
        }
    }
    Ok((text, all_reported))
}
