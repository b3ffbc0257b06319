// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes as Markdown.

use anyhow::{Context, Result};

use super::accesses::Accesses;
use super::published::{PREDICTORS, PROGRAMS};
use super::sizes::{ELEMENTS, GENERAL, PLAIN, Sizes, WITH_RETURNS};

/// The encoders of the first table.
const SHOWN: [&str; 15] = [
    "NEXS", "BASE", "eBASE", "rBASE", "S0", "S1", "S4", "M4", "B4", "X0", "X1", "X2", "X3", "X4",
    ELEMENTS,
];

/// The folder of the programs that the papers have too.
const PUBLISHED: &str = "a32-mibench";

/// Bits of the address of an instruction.
const ADDRESS_BITS: f64 = 32.0;

/// The first of our encoders that the papers do not have.
const BEST: &str = "X2";

/// Bits per instruction of all traces, with the geometric mean of each folder.
///
/// # Errors
/// If something was not measured.
pub fn sizes(folders: &[&str], measured: &[Sizes]) -> Result<String> {
    let columns: Vec<&str> = [PLAIN, WITH_RETURNS]
        .into_iter()
        .chain(GENERAL)
        .chain(SHOWN)
        .collect();
    let mut text = heading(&columns);
    for folder in folders {
        let of_folder = measured
            .iter()
            .filter(|sizes| sizes.name.starts_with(folder));
        let of_folder: Vec<&Sizes> = of_folder.collect();
        for sizes in &of_folder {
            let bits = columns.iter().map(|column| sizes.bits(column));
            let bits: Vec<f64> = bits.collect::<Result<_>>()?;
            text += &row(&sizes.name, bits.into_iter().map(figure));
        }
        let mean = |column: &&str| {
            let logarithms = of_folder.iter().map(|sizes| Ok(sizes.bits(column)?.ln()));
            let sum: f64 = logarithms.sum::<Result<f64>>()?;
            Ok((sum / of_folder.len() as f64).exp())
        };
        let means: Vec<f64> = columns.iter().map(mean).collect::<Result<_>>()?;
        let name = format!("**{folder}, geometric mean**");
        text += &row(&name, means.into_iter().map(figure));
    }
    Ok(text)
}

/// The table of the paper on branch predictors: what it prints / what was measured.
///
/// # Errors
/// If something was not measured.
pub fn predictors(measured: &[Sizes]) -> Result<String> {
    let mut text = heading(&[&PREDICTORS[..], &[BEST]].concat());
    for program in &PROGRAMS {
        let ours = of_program(measured, program.name)?;
        let published = PREDICTORS.iter().zip(program.predictors);
        let mut cells: Vec<String> = published
            .map(|(column, published)| match ours.bits(column) {
                Ok(bits) if !GENERAL.contains(column) => {
                    format!("{} / {}", figure(published), figure(bits))
                }
                _ => figure(published),
            })
            .collect();
        cells.push(format!("- / {}", figure(ours.bits(BEST)?)));
        text += &row(program.name, cells.into_iter());
    }
    Ok(text)
}

/// How many times fewer bits than 32 per instruction the encoders of the slides need.
///
/// # Errors
/// If something was not measured.
pub fn slides(measured: &[Sizes]) -> Result<String> {
    let columns = ["SCIT", "THT"];
    let mut text = heading(&columns);
    for sizes in measured
        .iter()
        .filter(|sizes| sizes.name.starts_with(PUBLISHED))
    {
        let ratios = columns
            .iter()
            .map(|column| Ok(ADDRESS_BITS / sizes.bits(column)?));
        let ratios: Vec<f64> = ratios.collect::<Result<_>>()?;
        text += &row(&sizes.name, ratios.into_iter().map(figure));
    }
    Ok(text)
}

/// What the cache of strides makes of recorded programs.
pub fn accesses(recordings: &[Accesses]) -> String {
    let mut text = heading(&["accesses", "times fewer bits"]);
    for recording in recordings {
        let cells = [recording.count.to_string(), figure(recording.ratio)];
        text += &row(&recording.name, cells.into_iter());
    }
    text
}

/// The table of the paper on stream caches, 128 entries: what it prints / what was measured.
///
/// # Errors
/// If something was not measured.
pub fn stream_caches(measured: &[Sizes]) -> Result<String> {
    let mut text = heading(&["BASE"]);
    for program in &PROGRAMS {
        let bits = of_program(measured, program.name)?.bits("BASE")?;
        let cell = format!("{} / {}", figure(program.base), figure(bits));
        text += &row(program.name, [cell].into_iter());
    }
    Ok(text)
}

fn of_program<'m>(measured: &'m [Sizes], program: &str) -> Result<&'m Sizes> {
    let name = format!("{PUBLISHED}/{program}");
    let found = measured.iter().find(|sizes| sizes.name == name);
    found.with_context(|| format!("there is no trace of {program}"))
}

fn heading(columns: &[&str]) -> String {
    let rule = "---|".to_owned() + &"--:|".repeat(columns.len());
    format!("\n| trace | {} |\n|{rule}\n", columns.join(" | "))
}

fn row(name: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {name} | {} |\n", cells.join(" | "))
}

/// Three digits that count.
fn figure(bits: f64) -> String {
    let before = bits.log10().floor() as i32;
    let digits = (2 - before).clamp(0, 6) as usize;
    format!("{bits:.digits$}")
}
