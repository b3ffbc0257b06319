// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts as tables, rows and the profiles of other tools.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use coretrace_counts::{
    By, Counts, FileCounts, Key, Loop, PageTable, Row, Totals, View, coverage,
    files_by_instructions, loops, write_autofdo, write_bolt, write_fdata, write_lcov, write_page,
    write_rows, write_totals,
};
use coretrace_program::{FileSymbols, Symbols};

use super::counting::Counted;
use super::format::ReportFormat;

/// What rows are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// A view of the counts.
    View(By),
    /// Loops.
    Loop,
    /// What ran of each function.
    Coverage,
    /// Paths of calls.
    Tree,
}

impl Rows {
    /// Whether they are about who executed.
    pub fn is_of_context(self) -> bool {
        let of_context = [By::Process, By::Thread, By::Cpu, By::ExceptionLevel];
        matches!(self, Rows::View(by) if of_context.contains(&by))
    }
}

impl Default for Rows {
    fn default() -> Rows {
        Rows::View(By::default())
    }
}

impl ValueEnum for Rows {
    fn value_variants<'a>() -> &'a [Rows] {
        const ALL: [Rows; By::ALL.len() + 3] = {
            let mut all = [Rows::Loop; By::ALL.len() + 3];
            let mut view = 0;
            while view < By::ALL.len() {
                all[view] = Rows::View(By::ALL[view]);
                view += 1;
            }
            all[view] = Rows::Coverage;
            all[view + 1] = Rows::Tree;
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, about) = match self {
            Rows::View(by) => (by.name(), by.about()),
            Rows::Loop => ("loop", "Loops: branches backwards within a function"),
            Rows::Coverage => ("coverage", "What ran of each function, of what exists"),
            Rows::Tree => (
                "tree",
                "The call tree: each path of calls, with and without what it calls",
            ),
        };
        Some(PossibleValue::new(name).help(about))
    }
}

/// The tables of a page.
const PAGE: [(Rows, &str); 6] = [
    (Rows::View(By::Function), "Functions"),
    (Rows::Loop, "Loops"),
    (Rows::View(By::Line), "Lines"),
    (Rows::View(By::Block), "Blocks"),
    (Rows::View(By::Edge), "Branches and calls"),
    (Rows::Coverage, "Coverage"),
];

/// How counts are written.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// What rows are about.
    pub by: Rows,
    /// The most rows of a table.
    pub top: usize,
    /// The program file of a profile for another tool.
    pub binary: Option<&'a Path>,
}

/// Appends the counts of traces.
///
/// # Errors
/// If symbols cannot be read, or no program is known that a profile would be of.
pub fn write(
    out: &mut String,
    counted: &[Counted],
    format: ReportFormat,
    wanted: &Wanted<'_>,
) -> Result<()> {
    let symbols = symbols_of(counted)?;
    match format {
        ReportFormat::Text => {
            let instructions = write_summary(out, counted);
            let rows = rows(counted, &symbols, wanted)?;
            write_rows(out, &rows, instructions, wanted.top);
        }
        ReportFormat::Tsv | ReportFormat::Json => {
            for row in counted
                .iter()
                .flat_map(totals)
                .chain(rows(counted, &symbols, wanted)?)
            {
                match format {
                    ReportFormat::Tsv => row.write_tsv(out),
                    _ => row.write_json(out),
                }
            }
        }
        ReportFormat::Html => {
            let mut about = String::new();
            let instructions = write_summary(&mut about, counted);
            let table = |(by, heading)| {
                let wanted = Wanted { by, ..*wanted };
                let rows = rows(counted, &symbols, &wanted)?;
                anyhow::Ok(PageTable { heading, rows })
            };
            let has_files = symbols.iter().any(|symbols| !symbols.files().is_empty());
            let is_known = |(by, _): &(Rows, _)| has_files || *by != Rows::Coverage;
            let tables = PAGE.into_iter().filter(is_known).map(table);
            let tables = tables.collect::<Result<Vec<_>>>()?;
            write_page(out, &about, &tables, instructions, wanted.top);
        }
        // They are made where traces are followed.
        ReportFormat::Folded | ReportFormat::Part => {}
        ReportFormat::Bolt | ReportFormat::Fdata | ReportFormat::Autofdo | ReportFormat::Lcov => {
            let (file, counts) = of_file(counted, &symbols, wanted.binary)?;
            match format {
                ReportFormat::Bolt => write_bolt(out, &counts, file),
                ReportFormat::Fdata => write_fdata(out, &counts, file),
                ReportFormat::Autofdo => write_autofdo(out, &counts),
                _ => write_lcov(out, &counts, file),
            }
        }
    }
    Ok(())
}

/// The sums of each source of a trace, or those of read-outs.
fn totals(trace: &Counted) -> Vec<Row> {
    match &trace.read_out {
        Some(read_out) => read_out.rows(&trace.name),
        None => {
            let sources = trace.sources();
            let row = |(source, totals)| Row::of_source(&trace.name, source, totals);
            sources.map(row).collect()
        }
    }
}

/// Appends what was traced or counted, and how complete it is. Returns all instructions.
fn write_summary(out: &mut String, counted: &[Counted]) -> u64 {
    let mut totals = Totals::default();
    let mut sources = 0;
    let (read_outs, traces): (Vec<&Counted>, Vec<&Counted>) =
        counted.iter().partition(|trace| trace.read_out.is_some());
    for trace in &traces {
        out.push_str(&format!("traced: {}\n", trace.name.escape_debug()));
        for (_, source) in trace.sources() {
            totals.merge(source);
            sources += 1;
        }
    }
    if !traces.is_empty() || read_outs.is_empty() {
        write_totals(out, &totals, sources);
    }
    let mut instructions = totals.instructions;
    for trace in read_outs {
        out.push_str(&format!("counted: {}\n", trace.name.escape_debug()));
        if let Some(read_out) = &trace.read_out {
            read_out.write(out);
            instructions = instructions.saturating_add(read_out.instructions);
        }
    }
    instructions
}

fn symbols_of(counted: &[Counted]) -> Result<Vec<Symbols<'_>>> {
    counted
        .iter()
        .map(|trace| trace.traced.program.symbols())
        .collect()
}

/// The counts of each process of each trace, with the symbols in its memory.
fn processes<'c, 's, 'a>(
    counted: &'c [Counted],
    symbols: &'s [Symbols<'a>],
) -> impl Iterator<Item = (&'c Counts, Symbols<'a>)> + use<'c, 's, 'a> {
    counted.iter().zip(symbols).flat_map(|(trace, symbols)| {
        let counts = trace.counts.iter();
        counts.map(|(process, counts)| (counts, symbols.of(*process)))
    })
}

/// The view of all traces by function.
///
/// # Errors
/// If symbols cannot be read.
pub fn functions(counted: &[Counted]) -> Result<View> {
    let mut view = View::default();
    for (counts, symbols) in processes(counted, &symbols_of(counted)?) {
        view.add(By::Function, counts, &symbols);
    }
    Ok(view)
}

fn rows(counted: &[Counted], symbols: &[Symbols<'_>], wanted: &Wanted<'_>) -> Result<Vec<Row>> {
    if let Rows::View(by) = wanted.by {
        let mut view = View::default();
        if matches!(by, By::Process | By::Thread) {
            for Counted { counts, traced, .. } in counted {
                for counts in counts.values() {
                    view.add_named(by, counts, |who| traced.key(by, who));
                }
            }
        } else {
            for (counts, symbols) in processes(counted, symbols) {
                view.add(by, counts, &symbols);
            }
        }
        let row = |(key, row)| Row::view(by, key, row);
        return Ok(view.sorted().into_iter().map(row).collect());
    }
    if wanted.by == Rows::Loop {
        let found = processes(counted, symbols);
        let mut all: Vec<Loop> = Vec::new();
        let mut places: BTreeMap<Key, usize> = BTreeMap::new();
        for found in found.flat_map(|(counts, symbols)| loops(counts, &symbols)) {
            let place = *places.entry(found.key.clone()).or_insert(all.len());
            match all.get_mut(place) {
                Some(known) => known.merge(&found),
                None => all.push(found),
            }
        }
        let mut rows: Vec<Row> = all.iter().map(Row::of_loop).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.number("instructions")));
        return Ok(rows);
    }
    let (file, counts) = of_file(counted, symbols, wanted.binary)?;
    let program = file.path().display().to_string();
    let found = coverage(&counts, file);
    Ok(found
        .iter()
        .map(|found| Row::of_coverage(&program, found))
        .collect())
}

/// The counts of the named program file, or of that with most instructions.
fn of_file<'s, 'a>(
    counted: &[Counted],
    symbols: &'s [Symbols<'a>],
    binary: Option<&Path>,
) -> Result<(&'s FileSymbols<'a>, FileCounts)> {
    let files = counted.iter().zip(symbols).flat_map(|(trace, symbols)| {
        let mut sums = vec![0_u64; symbols.files().len()];
        for (process, counts) in &trace.counts {
            for (file, sum) in files_by_instructions(counts, &symbols.of(*process)) {
                sums[file] = sums[file].saturating_add(sum);
            }
        }
        symbols.files().iter().zip(sums)
    });
    let is_wanted = |file: &FileSymbols<'_>| {
        binary.is_none_or(|name| file.path() == name || file.path().file_name() == name.file_name())
    };
    let file = files
        .filter(|(file, _)| is_wanted(file))
        .max_by_key(|(_, sum)| *sum);
    let (file, sum) = file.context(
        "no program is known that the profile would be of: name the traced one with --elf",
    )?;
    ensure!(
        sum > 0,
        "no instruction of {} was executed: is it the traced program, and at the right address?",
        file.path().display()
    );
    let mut counts = FileCounts::default();
    for (trace, symbols) in counted.iter().zip(symbols) {
        let mut files = symbols.files().iter();
        if let Some(number) = files.position(|other| other.path() == file.path()) {
            for (process, of_process) in &trace.counts {
                counts.add(of_process, &symbols.of(*process), number);
            }
        }
    }
    Ok((file, counts))
}
