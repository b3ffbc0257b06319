// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong bits in the flow table of a core: whether counts that they change are reported.
//!
//! A program is followed with its table and with one in which a bit of a word that the program needs
//! is inverted. The effect is *reported* if the walk says that it is lost where it was not before, or
//! if the sums contradict the table of the compiler.

use std::path::Path;

use anyhow::{Context as _, Result};
use coretrace_abi::flow_table::{LostReason, RUN_WORD_BITS, SETS, WAYS, Widths};
use coretrace_capture::read_xz;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Context};
use coretrace_flow::{Image, Images, Reported};
use coretrace_sites::{
    AddressSpaces, Balance, Compiler, Event, FlowItem, FlowTable, FlowUnit, Items, SiteCounts,
};
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::rng;
use coretrace_test_gen::trace_unit::{Page, TraceUnit};
use rand::RngExt;

/// Seed of the flips.
const SEED: u64 = 1;
/// Flips of each row.
const FLIPS: usize = 1000;
/// Branch traces that the repository has.
const TRACES: [&str; 2] = ["adpcm-a32", "interp-a64"];

/// What is inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flip {
    /// One bit of a word.
    Bit,
    /// One bit of a word and its parity, which therefore is right.
    BitAndParity,
}

/// A program as a trace unit sends it, and its table.
pub struct Program {
    name: String,
    unit: FlowUnit,
    table: FlowTable,
    items: Vec<FlowItem>,
    /// Places of words, by memory, that are read or may be read.
    places: [Vec<usize>; 4],
}

/// What a walk says.
#[derive(PartialEq)]
struct Walked {
    counts: SiteCounts,
    /// Atoms walked and skipped.
    atoms: (u64, u64),
    losses: Vec<LostReason>,
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

impl Program {
    /// A branch trace through a trace unit.
    ///
    /// # Errors
    /// If there is no program with these branches, or its table is too large.
    pub fn new(name: &str, trace: &BranchTrace, unit: &TraceUnit) -> Result<Program> {
        let pages = unit.pages(trace).context("no instruction")?;
        let image = |page: &Page| Image::new(page.address, page.bytes.as_slice());
        let images = Images::new(pages.iter().map(image).collect());
        let source = unit.source();
        let spaces = AddressSpaces::new(images, [Context::default()]);
        let widths = Widths::new(15, 8).context("widths")?;
        let mut compiler = Compiler::new(widths, Reported::new(&source));
        compiler.add_all(&spaces.modules(&[trace.isa]))?;
        let config = Config::new(source.protocol, source.profile, &source.registers);
        let mut decoder = Decoder::new(config, Policy::Resync);
        let (of_record, mut items) = (Items::new(&source), Vec::new());
        decoder.feed(&unit.trace(trace, &mut ()), |record| {
            of_record.record(record, |_| 0, |item| items.push(item));
        });
        items.push(FlowItem::ReadOut);
        let table = compiler.table().clone();
        let report = compiler.report();
        let sets =
            (0..SETS).filter(|set| (0..WAYS).any(|way| table.pages()[way * SETS + set] != 0));
        let ways = sets.flat_map(|set| (0..WAYS).map(move |way| way * SETS + set));
        let rows = table.rows().iter().enumerate();
        let places = [
            ways.collect(),
            rows.filter(|(_, row)| **row != 0).map(|it| it.0).collect(),
            (1..report.sites).collect(),
            (1..report.sites).collect(),
        ];
        Ok(Program {
            name: name.to_owned(),
            unit: FlowUnit::new(&source),
            table,
            items,
            places,
        })
    }

    fn walk(&self, table: &FlowTable) -> Walked {
        let mut unit = self.unit.clone();
        let mut counts = SiteCounts::new(table.widths());
        let mut losses = Vec::new();
        for &item in &self.items {
            unit.item(item, table, &mut |event| {
                counts.add(&event);
                if let Event::Lost { reason, .. } = event {
                    losses.push(reason);
                }
            });
        }
        Walked {
            counts,
            atoms: unit.atoms(),
            losses,
        }
    }

    /// Inverts any bit of a word that the program needs.
    fn flip(&self, table: &mut FlowTable, flip: Flip, rng: &mut impl RngExt) {
        let widths = table.widths();
        let bits = [
            widths.page_bits(),
            widths.row_bits(),
            widths.exit_bits(),
            RUN_WORD_BITS,
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
                _ => table.runs_mut()[place] ^= flips as u8,
            }
            return;
        }
    }

    /// The effects of so many flips, one at a time.
    pub fn effects(&self, flip: Flip, flips: usize) -> Effects {
        let mut rng = rng(SEED);
        let right = self.walk(&self.table);
        let mut effects = Effects {
            flips,
            ..Effects::default()
        };
        for _ in 0..flips {
            let mut table = self.table.clone();
            self.flip(&mut table, flip, &mut rng);
            let walked = self.walk(&table);
            if (&walked.counts, walked.atoms) == (&right.counts, right.atoms) {
                continue;
            }
            effects.changed += 1;
            let taken = walked.counts.taken.iter().zip(&right.counts.taken);
            effects.too_high += usize::from(taken.clone().any(|(taken, right)| taken > right));
            let balance = Balance::new(&self.table, &walked.counts);
            *if walked.losses.contains(&LostReason::TableParity) {
                &mut effects.by_parity
            } else if walked.losses != right.losses {
                &mut effects.by_walk
            } else if !balance.imbalances.is_empty() {
                &mut effects.by_sums
            } else {
                &mut effects.silent
            } += 1;
        }
        effects
    }
}

/// The programs: so many instructions of each branch trace, with and without a return stack.
///
/// # Errors
/// If a file cannot be read.
pub fn programs(files: &[impl AsRef<Path>], instructions: u64) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for file in files {
        let file = file.as_ref();
        let read = || Ok(BranchTrace::read(&read_xz(file)?)?.prefix(instructions));
        let trace: Result<BranchTrace> = read();
        let trace = trace.with_context(|| file.display().to_string())?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name.trim_end_matches(".btr.xz");
        for (stack, return_stack) in [("off", 0), ("on", 15)] {
            let unit = TraceUnit {
                return_stack,
                ..TraceUnit::default()
            };
            let name = format!("{name}, return stack {stack}");
            programs.push(Program::new(&name, &trace, &unit)?);
        }
    }
    Ok(programs)
}

/// The branch traces of the repository.
pub fn shipped() -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/branches");
    let file = |name| folder.join(format!("{name}.btr.xz"));
    TRACES.into_iter().map(file).collect()
}

/// The effects as a table, and whether 99 % are reported.
///
/// # Errors
/// If a file cannot be read.
pub fn document(files: &[impl AsRef<Path>]) -> Result<(String, bool)> {
    let mut text =
        "| program | wrong | flips | change a count | by parity | by the walk | by the sums \
        | silent | counted too much |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n"
            .to_owned();
    let mut all_reported = true;
    for program in programs(files, 300_000)? {
        for (flip, name) in [
            (Flip::Bit, "one bit"),
            (Flip::BitAndParity, "a bit and the parity"),
        ] {
            let it = program.effects(flip, FLIPS);
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
